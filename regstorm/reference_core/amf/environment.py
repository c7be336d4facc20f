"""What every part of the AMF is handed: settings, neighbours, books."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from protocols.identities import Guti, Plmn, serving_network_name
from protocols.nas5g.messages import Snssai
from protocols.ngap import causes
from protocols.ngap.messages import Guami
from protocols.timers import GprsTimer3
from regstorm.overload.front_door import FrontDoor
from regstorm.records.core_settings import Amf as AmfSettings
from regstorm.records.ports import Agenda, Tally
from regstorm.records.scenario import Network
from regstorm.reference_core.amf.n2 import N2
from regstorm.reference_core.amf.ue_context import Connection, TmsiAllocator, UeContext, UeContexts
from regstorm.reference_core.bus import Bus
from regstorm.reference_core.pair_ledger import PairLedger

AMF_NAME = "regstorm-amf"
RELATIVE_CAPACITY = 255
ALGORITHMS = {"null": 0, "aes": 2}
"""5G-EA and 5G-IA numbers (TS 24.501 9.11.3.34)."""

SILENCE_GUARD_S = 20.0
"""After a procedure that ended without a word, until its connection is released: assumed, a little longer than the
UE's T3510 and T3517 (15 s). A gNB that has not heard the AMF UE NGAP ID cannot ask for the release itself."""


class NetworkIdentity:
    """The network's names, derived once."""

    def __init__(
        self,
        network: Network,
        guami: Guami,
        amf_name: str = AMF_NAME,
        relative_capacity: int = RELATIVE_CAPACITY,
    ) -> None:
        """`guami`, `amf_name` and `relative_capacity` are those of one AMF."""
        self.network = network
        self.guami = guami
        self.amf_name = amf_name
        self.relative_capacity = relative_capacity
        self.plmn = Plmn(network.mcc, network.mnc)
        self.slice = Snssai(network.sst, network.sd)
        self.snn = serving_network_name(self.plmn)
        self.dnns = network.dnns
        self.tai_list = _tai_list(self.plmn, network.tac)
        # what the network prefers, and what it settles for
        self.ciphering = tuple(dict.fromkeys((ALGORITHMS[network.ciphering], 0)))
        self.integrity = tuple(dict.fromkeys((ALGORITHMS[network.integrity],)))

    def guti(self, tmsi: int) -> Guti:
        """A 5G-GUTI of this AMF."""
        return Guti(self.plmn, self.guami.region, self.guami.set_id, self.guami.pointer, tmsi)

    def is_ours(self, guti: Guti) -> bool:
        """This AMF gave it out."""
        return guti == self.guti(guti.tmsi)

    def is_of_our_set(self, guti: Guti) -> bool:
        """An AMF of the same AMF set gave it out: this one may serve the UE in its place (TS 23.501 5.21.2.3)."""
        return guti == self.guti(guti.tmsi)._replace(pointer=guti.pointer)


def _tai_list(plmn: Plmn, tac: int) -> bytes:
    """A 5GS tracking area identity list with one element: type 00, one PLMN, non-consecutive TACs (9.11.3.9)."""
    mcc, mnc = plmn.mcc, plmn.mnc
    third = "f" if len(mnc) == 2 else mnc[2]
    octets = bytes.fromhex(mcc[1] + mcc[0] + third + mcc[2] + mnc[1] + mnc[0])
    return b"\x00" + octets + tac.to_bytes(3)


def _no_other_amf(supi: str, now: float) -> None:
    """This is the only one."""


@dataclass(slots=True)
class Environment:
    """Handed to procedures; none of it changes during a run but the front door (a strategy switch)."""

    settings: AmfSettings
    identity: NetworkIdentity
    authenticate: Literal["always", "when_needed"]
    bus: Bus
    agenda: Agenda
    tally: Tally
    ledger: PairLedger
    contexts: UeContexts
    tmsis: TmsiAllocator
    n2: N2
    door: FrontDoor
    aggregated_reads: bool = False
    """Subscription data come with the subscription (TS 23.502 4.2.2.2.2 NOTE 10): N8 has 2 pairs instead of 5."""
    registered_here: Callable[[str, float], None] = _no_other_amf
    """registered_here(supi, now): the UDM has taken this AMF's registration; another that had the UE is told."""

    def back_off(self) -> GprsTimer3 | None:
        """The 5GSM back-off of one refused message: drawn as T3346 is, coded as the 5GSM timers are."""
        timer = self.door.draw_t3346()
        return None if timer is None or timer.seconds is None else GprsTimer3.of(timer.seconds)

    def release_if_silent(self, connection: Connection, now: float) -> None:
        """Nothing was said on `connection`: unless something is by then, it is released when the UE has given up."""

        def still_silent(at: float) -> None:
            ue = connection.ue
            if ue is None or (ue.procedure is None and not ue.registered):
                self.n2.release(connection, causes.NAS_UNSPECIFIED, at)

        self.agenda.at(now + SILENCE_GUARD_S, still_silent)

    def write_off_open(self, ue: UeContext, now: float) -> None:
        """The UE starts from nothing: what it had open did not lead to full service."""
        for procedure in ue.open_procedures:
            self.ledger.write_off(procedure, now)
        ue.open_procedures.clear()
        if ue.supi is not None:
            self.ledger.starts_anew(ue.supi, now)

    def settle_if_in_full_service(self, ue: UeContext) -> bool:
        """True, and the AMF's books are closed, if the UE is registered with a session to every DNN."""
        if not ue.registered or len({one.dnn for one in ue.sessions.values()}) < len(self.identity.dnns):
            return False
        for procedure in ue.open_procedures:
            self.ledger.ready(ue.supi or "", procedure)
        ue.open_procedures.clear()
        return True
