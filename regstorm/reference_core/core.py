"""The bundled reference core: AMF, AUSF, UDM, SMF and PCF on one bus, and IMS behind an SBC if wanted, sans-I/O.

Whoever drives it hands it associations and octets with `now`, and an agenda that calls it when something is due. It
sends through the callable that came with each association. The same seed, scenario and messages give the same run.
"""

from collections.abc import Callable, Iterable, Mapping
from random import Random

from protocols.credentials import index_of, prior_address, prior_context, supi_of
from protocols.identities import Plmn
from protocols.nas5g.messages import NetworkDeregistrationRequest, Snssai
from protocols.nas_security import Algorithms, SecurityContext, Side
from protocols.udp import address_octets
from regstorm.overload import compose
from regstorm.overload.amplification import back_ends, pairs_after, uplink_messages_after
from regstorm.overload.front_door import FrontDoor
from regstorm.overload.load_meter import LoadMeter
from regstorm.records.core_settings import Core
from regstorm.records.nodes import Node
from regstorm.records.operations import GENERATE_AUTH_DATA, Nf
from regstorm.records.population import Outage
from regstorm.records.ports import Agenda, Tally
from regstorm.records.scenario import IMS_DNN, Network
from regstorm.records.strategy import Strategy
from regstorm.reference_core.amf.ue_context import Session, UeContext
from regstorm.reference_core.amf_pool import AmfPool, amf_pointer
from regstorm.reference_core.ausf import Ausf
from regstorm.reference_core.bus import Bus, Call
from regstorm.reference_core.ims.ims_core import ImsCore
from regstorm.reference_core.pair_ledger import PairLedger
from regstorm.reference_core.pcf import Pcf
from regstorm.reference_core.smf import UPF_ADDRESS, Smf
from regstorm.reference_core.subscribers import Subscribers
from regstorm.reference_core.udm import Subscription, Udm
from regstorm.reference_core.udm_nodes import UdmNodes
from regstorm.reference_core.upf import Upf

REPORT_EVERY_S = 1.0
"""Between two reports of load (TS 29.500 6.3 leaves it open)."""

LIKE_BEFORE = Outage()
"""Contexts are kept, and everybody is challenged."""


def stay() -> None:
    """Nobody can end the association from here."""


class ReferenceCore:
    """One core for one run."""

    def __init__(
        self,
        core: Core,
        network: Network,
        strategy: Strategy,
        agenda: Agenda,
        rng: Random,
        tally: Tally,
        seed: int,
        population: int,
        outage: Outage = LIKE_BEFORE,
        home_private_keys: Mapping[int, bytes] | None = None,
        ims: bool = False,
    ) -> None:
        """`core` and `population` are those of the sample. `seed` makes credentials and contexts from before the run.

        `outage` says what the AMF keeps of a UE, and whether a UE whose context was kept is challenged all the same.
        `ims`: there is an IMS core as well (scenario: population).
        """
        self._seed = seed
        self.network = network
        self._core = core
        plmn = Plmn(network.mcc, network.mnc)
        self.ledger = PairLedger(tally)
        self.bus = Bus(core.bus, agenda, tally)
        # each part draws from its own generator, so that a change in one does not shift the others
        udm_rng, vectors_rng, amf_rng, door_rng = (Random(rng.getrandbits(64)) for _ in range(4))
        self._agenda, self._tally = agenda, tally
        pairs = pairs_after(outage, core, len(network.dnns), ims)
        self._tightest = back_ends(core, pairs)[0]
        self._messages_per_ue = uplink_messages_after(outage, len(network.dnns))
        self.subscribers = Subscribers(seed, plmn, population, home_private_keys or {})
        self.udm_nodes = UdmNodes(core, strategy, agenda, tally, self.ledger, self._index_of, udm_rng)
        subscription = Subscription((Snssai(network.sst, network.sd),), network.dnns)
        self.udm = Udm(self.subscribers, subscription, self.udm_nodes.udm, vectors_rng)
        self.bus.serve(Nf.UDM, self.udm_nodes.udm)
        Ausf(self.bus)
        Pcf(self.bus)
        self.smf = Smf(self.bus, agenda, tally, core.aggregated_nudm)
        self.pool = AmfPool(
            core, network, strategy, outage, self.bus, agenda, tally, self.ledger, self._door_of, amf_rng, door_rng
        )
        self.amf = self.pool.amfs[0]
        """The only one, or the first."""
        self.identity = self.amf.env.identity
        """The network's names, and those of the first AMF."""
        if ims and IMS_DNN not in network.dnns:
            raise ValueError(f"IMS needs a session to the DNN {IMS_DNN}")
        self.bus.counts_by_node = ims
        self.ims = self._ims_core(core, strategy, rng) if ims else None
        """None: the population does without."""
        self.upf = self._user_plane(self.ims) if self.ims is not None else None
        """The way of datagrams between UEs and IMS; None without IMS."""
        self._load_meters = [LoadMeter(one, REPORT_EVERY_S) for one in (*self.udm_nodes.servers, *self.pool.servers)]

    def _index_of(self, call: Call) -> int | None:
        """Which user a call to a UDM/HSS is about; None if it cannot be told."""
        suci = call.payload.suci if call.operation is GENERATE_AUTH_DATA else None
        if suci is None:
            return index_of(call.subject, self.identity.plmn)
        subscriber = self.subscribers.by_suci(suci)
        return None if subscriber is None else index_of(subscriber.supi, self.identity.plmn)

    def _ims_core(self, core: Core, strategy: Strategy, rng: Random) -> ImsCore:
        """With the HSS behind the UDM's door, or behind one of its own where 5GC has processing units of its own."""
        hss_rng, ims_rng = (Random(rng.getrandbits(64)) for _ in range(2))
        self.udm_nodes.part_hss(hss_rng)
        hss = self.udm_nodes.hss
        self.bus.serve(Nf.HSS, hss)
        plmn, bus, agenda, tally = self.identity.plmn, self.bus, self._agenda, self._tally
        return ImsCore(
            core, plmn, strategy, self._tightest, bus, agenda, ims_rng, tally, self.ledger, self.subscribers, hss
        )

    def _user_plane(self, ims: ImsCore) -> Upf:
        """What it sends to UEs needs to be told the time: whoever drives it sets `ims.send`."""
        self.smf.upf = upf = Upf(UPF_ADDRESS, ims.receive, self._tally)
        plmn, addresses_for = self.identity.plmn, ims.sbcs.addresses_for
        self.smf.p_cscfs_of = lambda supi: tuple(map(address_octets, addresses_for(index_of(supi, plmn) or 0)))
        return upf

    def start(self, now: float) -> None:
        """Heartbeats begin, and reports of load to the front door."""
        self.bus.start_heartbeats(now)
        self._agenda.at(now + REPORT_EVERY_S, self._report_load)

    def _report_load(self, now: float) -> None:
        """What each server was asked for since the last report: every door hears of the highest load."""
        self.pool.observe(max([meter() for meter in self._load_meters]), now)
        self._agenda.at(now + REPORT_EVERY_S, self._report_load)

    def take_strategy(self, strategy: Strategy, now: float) -> None:
        """Another overload control from now on: new doors, and the queues behind it in its order."""
        self.pool.take_strategy(strategy)
        self.udm_nodes.take_strategy(strategy)
        if self.ims is not None:
            self.ims.take_strategy(strategy)

    def take_capacity(self, node: str, factor: float, now: float) -> None:
        """Node `node` can do so much of what it could by the scenario from now on; 0: it is lost."""
        if self.pool.take_capacity(node, factor, now):
            return
        if node in [sbc.name for sbc in self._core.sbc_nodes]:
            if self.ims is not None:
                self.ims.sbcs.take_capacity(node, factor, now)
            return
        if not self.udm_nodes.take_capacity(node, factor, now):
            raise ValueError(f"there is no node {node}")
        for nf in (Nf.UDM, Nf.HSS) if self.ims is not None else (Nf.UDM,):
            if self.udm_nodes.all_lost:
                self.bus.take_out_of_service(nf)
            else:
                self.bus.bring_into_service(nf)

    def _door_of(self, strategy: Strategy, amf: Node, rng: Random) -> FrontDoor:
        """Several AMFs share the admission rate as they share the users."""
        return compose.front_door(
            strategy,
            self._tightest.as_if_all_pairs_per_s,
            self._tightest.pairs_per_ue,
            self._messages_per_ue,
            rng,
            width=amf.share,
            node=amf.name,
        )

    # --- N2 ----------------------------------------------------------------------------------------------------------

    def association_up(
        self, peer: int, send: Callable[[bytes, int], None], now: float, hang_up: Callable[[], None] = stay
    ) -> None:
        """A gNB has connected; `send(octets, stream)` reaches it. `peer` is a number that no other association has.

        `hang_up()` ends the association: called when its AMF is lost.
        """
        self.pool.association_up(peer, send, hang_up)

    def receive(self, peer: int, data: bytes, stream: int, now: float) -> None:
        """One NGAP PDU came from that gNB. No octets raise anything."""
        self.pool.receive(peer, data, stream, now)

    def association_lost(self, peer: int, reason: object, now: float) -> None:
        """The association is gone, for whatever reason: all its connections end, nothing of them stays."""
        self.pool.association_lost(peer, now)

    # --- before and during an outage ---------------------------------------------------------------------------------

    def provision(self, indices: Iterable[int]) -> None:
        """These subscribers are registered with all their sessions and idle, as `credentials.prior_context` has it.

        The session to the n-th DNN of the network has PDU session identity n, counted from 1.
        """
        identity, guami = self.identity, self.identity.guami
        algorithms = Algorithms(identity.ciphering[0], identity.integrity[0])
        indices = list(indices)
        if self.ims is not None:
            self.ims.provision(self._seed, indices, self.network.dnns.index(IMS_DNN) + 1)
        for index in indices:
            pointer = amf_pointer(self._core, index)
            prior = prior_context(self._seed, index, identity.plmn, guami.region, guami.set_id, pointer)
            security = SecurityContext(
                Side.NETWORK, prior.ngksi, prior.kamf, algorithms, prior.uplink_count, prior.downlink_count
            )
            supi = supi_of(index, identity.plmn)
            ue = UeContext(supi=supi, guti=prior.guti, security=security, registered=True)
            for psi, dnn in enumerate(self.network.dnns, start=1):
                ue.sessions[psi] = Session(dnn, identity.slice)
                self.smf.provision(supi, psi, dnn, None if self.ims is None else prior_address(index, psi))
            self.pool.home_of(index).know(ue)

    def deregister_implicitly(self, indices: Iterable[int], now: float) -> None:
        """The outage has taken these UEs: no connection, no session, deregistered; GUTI and keys are kept.

        Their registrations in IMS are gone as well.
        """
        indices = list(indices)
        if self.ims is not None:
            self.ims.forget([supi_of(index, self.identity.plmn) for index in indices], now)
        for index in indices:
            known = self.pool.known(supi_of(index, self.identity.plmn))
            if known is not None:
                amf, ue = known
                for psi in ue.sessions:
                    self.smf.forget(ue.supi or "", psi)
                amf.deregister_implicitly(ue, now)

    def lose_contexts(self, now: float) -> None:
        """Every AMF restarts: it knows no UE any more. What the SMF has is replaced when the UEs come back."""
        for amf in self.pool.amfs:
            amf.lose_contexts(now)

    def forget(self, indices: Iterable[int], now: float) -> None:
        """No AMF knows these UEs any more, neither by GUTI nor by keys."""
        for index in indices:
            for amf in self.pool.amfs:
                amf.forget(supi_of(index, self.identity.plmn), now)

    def deregister(self, index: int, reregistration_required: bool, now: float) -> None:
        """The network sends this UE away (O&M); an unknown one is none of its business."""
        known = self.pool.known(supi_of(index, self.identity.plmn))
        if known is not None:
            amf, ue = known
            amf.deregister(ue, NetworkDeregistrationRequest(reregistration_required), now)

    @property
    def connections(self) -> int:
        """UE-associated connections that there are."""
        return sum(len(amf.n2) for amf in self.pool.amfs)
