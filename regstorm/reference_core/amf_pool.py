"""The AMFs of a core, one or several in one AMF set: front doors, contexts, capacities, and associations.

A gNB reaches all of them at one address: of its associations each goes, with its NG SETUP REQUEST, to the first AMF
that has none with that gNB yet. An AMF that is lost hangs up on every gNB and forgets its UEs; who still has a 5G-GUTI
of it is asked for its identity by another AMF (TS 23.502 4.2.2.2.2), or rejected with #9 if it wants anything but to
register (TS 24.501 5.6.1.5). A UE that registers at another AMF is forgotten by the one that had it.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from random import Random

from protocols.identities import Plmn
from protocols.ngap.decode import decode
from protocols.ngap.messages import Guami, NgSetupRequest
from regstorm.overload import compose
from regstorm.overload.front_door import FrontDoor
from regstorm.overload.node_shares import Kind, node_of
from regstorm.overload.protected_server import ProtectedServer
from regstorm.records.core_settings import Core
from regstorm.records.node_counters import AMF
from regstorm.records.nodes import Node
from regstorm.records.operations import Nf
from regstorm.records.population import Outage
from regstorm.records.ports import Agenda, Tally
from regstorm.records.scenario import Network
from regstorm.records.strategy import Strategy
from regstorm.reference_core.amf.amf import Amf
from regstorm.reference_core.amf.environment import AMF_NAME, NetworkIdentity
from regstorm.reference_core.amf.ue_context import UeContext
from regstorm.reference_core.bus import Bus, Call, Reply
from regstorm.reference_core.node_tally import NodeTally
from regstorm.reference_core.pair_ledger import PairLedger
from regstorm.reference_core.processing_units import ProcessingUnits
from regstorm.reference_core.service_queue import Job, ServiceQueue
from regstorm.reference_core.udm_nodes import shedding_of

AMF_REGION, AMF_SET, AMF_POINTER = 1, 1, 0
"""The first AMF's place in its PLMN (TS 23.003 2.10.1), the others' pointers follow; test values."""
HIGHEST_RELATIVE_CAPACITY = 255

Send = Callable[[bytes, int], None]
MakeDoor = Callable[[Strategy, Node, Random], FrontDoor]


def amf_pointer(core: Core, index: int) -> int:
    """The AMF Pointer in the 5G-GUTI that subscriber `index` has from before the run."""
    return AMF_POINTER + node_of(core.amf_nodes, index, Kind.AMF)


@dataclass(slots=True)
class _Member:
    node: Node
    amf: Amf
    processing: ProcessingUnits
    door_rng: Random
    gnbs: dict[int, int] = field(default_factory=dict)
    """Peers, by gNB identity."""


@dataclass(slots=True)
class _Peer:
    send: Send
    hang_up: Callable[[], None]
    member: _Member | None = None
    gnb_id: int | None = None


class AmfPool:
    """The way in from N2 and, for the SMF, from the bus."""

    def __init__(
        self,
        core: Core,
        network: Network,
        strategy: Strategy,
        outage: Outage,
        bus: Bus,
        agenda: Agenda,
        tally: Tally,
        ledger: PairLedger,
        make_door: MakeDoor,
        rng: Random,
        door_rng: Random,
    ) -> None:
        """`make_door(strategy, node, rng)`: the front door of that AMF."""
        self._core, self._network, self._strategy, self._outage = core, network, strategy, outage
        self._bus, self._agenda, self._tally, self._ledger = bus, agenda, tally, ledger
        self._make_door = make_door
        nodes = core.amf_nodes
        self._several = len(nodes) > 1
        rngs = [(rng, door_rng), *((Random(rng.getrandbits(64)), Random(door_rng.getrandbits(64))) for _ in nodes[1:])]
        self._members = [self._new_member(place, node, *rngs[place]) for place, node in enumerate(nodes)]
        self._peers: dict[int, _Peer] = {}
        if self._several:
            bus.serve(Nf.AMF, self)  # instead of each of them, which has put itself there

    @property
    def amfs(self) -> list[Amf]:
        """All of them, lost ones as well."""
        return [member.amf for member in self._members]

    @property
    def servers(self) -> list[ProtectedServer[Job]]:
        """What each of them can do."""
        return [member.processing.queue.server for member in self._members]

    def home_of(self, index: int) -> Amf:
        """Where subscriber `index` is registered from before the run."""
        return self._members[node_of(self._core.amf_nodes, index, Kind.AMF)].amf

    def known(self, supi: str) -> tuple[Amf, UeContext] | None:
        """The AMF that knows the subscriber, and its context."""
        found = ((amf, amf.contexts.by_supi(supi)) for amf in self.amfs)
        return next(((amf, ue) for amf, ue in found if ue is not None), None)

    # --- overload control and incidents ------------------------------------------------------------------------------

    def take_strategy(self, strategy: Strategy) -> None:
        """New doors, and the queues in the strategy's order."""
        for member in self._members:
            member.amf.env.door = self._make_door(strategy, member.node, member.door_rng)
            member.processing.queue.server.order_by(compose.ordered_tiers(strategy))

    def observe(self, load: float, now: float) -> None:
        """Every door hears of the load behind it."""
        for amf in self.amfs:
            amf.env.door.observe(load, now)

    def take_capacity(self, name: str, factor: float, now: float) -> bool:
        """AMF `name` can do so much of what it could by the scenario; 0: it is lost. False: it is none of these."""
        member = next((one for one in self._members if one.node.name == name), None)
        if member is None:
            return False
        member.processing.take(factor, now)
        if member.processing.lost:
            for peer in [peer for peer in self._peers.values() if peer.member is member]:
                peer.hang_up()
            member.amf.lose_contexts(now)
        return True

    # --- N2 ----------------------------------------------------------------------------------------------------------

    def association_up(self, peer: int, send: Send, hang_up: Callable[[], None]) -> None:
        """A gNB has connected. With one AMF it is for that one; else its first message tells."""
        self._peers[peer] = _Peer(send, hang_up)
        if not self._several:
            self._join(peer, self._members[0], None)

    def receive(self, peer: int, data: bytes, stream: int, now: float) -> None:
        """One NGAP PDU of that gNB."""
        known = self._peers.get(peer)
        if known is None:
            return
        if known.member is None:
            message = decode(data)
            gnb_id = message.gnb_id if isinstance(message, NgSetupRequest) else None
            self._join(peer, self._free_for(gnb_id), gnb_id)
        if known.member is not None:
            known.member.amf.receive(peer, data, stream, now)

    def association_lost(self, peer: int, now: float) -> None:
        """The gNB is gone."""
        known = self._peers.pop(peer, None)
        if known is None or known.member is None:
            return
        if known.gnb_id is not None and known.member.gnbs.get(known.gnb_id) == peer:
            del known.member.gnbs[known.gnb_id]
        known.member.amf.association_lost(peer, now)

    def _free_for(self, gnb_id: int | None) -> _Member | None:
        there = [one for one in self._members if not one.processing.lost]
        return next((one for one in there if gnb_id is None or gnb_id not in one.gnbs), None)

    def _join(self, peer: int, member: _Member | None, gnb_id: int | None) -> None:
        known = self._peers[peer]
        if member is None or member.processing.lost:
            known.hang_up()
            return
        known.member, known.gnb_id = member, gnb_id
        if gnb_id is not None:
            member.gnbs[gnb_id] = peer
        member.amf.association_up(peer, known.send)

    # --- from the SMF ------------------------------------------------------------------------------------------------

    def arrives(self, call: Call, deadline_s: float, reply: Reply, now: float) -> None:
        """Goes to the AMF that knows the UE; where none does, any of them says so."""
        known = self.known(call.subject)
        amf = self._members[0].amf if known is None else known[0]
        amf.function.arrives(call, deadline_s, reply, now)

    # --- set-up ------------------------------------------------------------------------------------------------------

    def _new_member(self, place: int, node: Node, rng: Random, door_rng: Random) -> _Member:
        settings = self._core.amf
        shedding = shedding_of(node, settings.shedding)
        capacity = settings.capacity_messages_per_s * node.part_of_capacity
        queue = ServiceQueue(compose.server(shedding, capacity, self._strategy, rng), self._agenda)
        tally = NodeTally(self._tally, AMF, node.name) if self._several else self._tally
        amf = Amf(
            settings.model_copy(update={"shedding": shedding}),
            self._identity(place, node),
            self._outage.authenticate,
            self._bus,
            self._agenda,
            tally,
            self._ledger,
            self._make_door(self._strategy, node, door_rng),
            queue,
            self._core.aggregated_nudm,
        )
        if self._several:
            amf.env.registered_here = lambda supi, now: self._forget_elsewhere(amf, supi, now)
        return _Member(node, amf, ProcessingUnits(AMF, node.name, queue, self._tally), door_rng)

    def _identity(self, place: int, node: Node) -> NetworkIdentity:
        guami = Guami(Plmn(self._network.mcc, self._network.mnc), AMF_REGION, AMF_SET, AMF_POINTER + place)
        if not self._several:
            return NetworkIdentity(self._network, guami)
        largest = max(one.share for one in self._core.amf_nodes)
        weight = max(1, round(HIGHEST_RELATIVE_CAPACITY * node.share / largest))
        return NetworkIdentity(self._network, guami, f"{AMF_NAME}-{node.name}", weight)

    def _forget_elsewhere(self, here: Amf, supi: str, now: float) -> None:
        """Nudm_UECM_DeregistrationNotification to the AMF that had the UE (TS 23.502 4.2.2.2.2 step 14d)."""
        for amf in self.amfs:
            if amf is not here:
                amf.forget(supi, now)
