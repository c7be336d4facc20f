"""The SBCs of a core, one or several: which of them serves a user, and what happens while one is lost.

Each has P-CSCF addresses, a front door, a capacity and bindings of its own. A UE is told the addresses of its user's
SBC when its ims session comes up (overload.node_shares); while that one is lost, those of another. A lost SBC is
silent and forgets its bindings; who is bound there finds out by its timers.
"""

from collections.abc import Callable
from random import Random

from protocols.sip.messages import Request
from regstorm.overload import compose
from regstorm.overload.front_door import FrontDoor
from regstorm.overload.node_shares import Kind, node_of
from regstorm.overload.protected_server import ProtectedServer
from regstorm.records.core_settings import Core
from regstorm.records.node_counters import SBC
from regstorm.records.nodes import Node
from regstorm.records.operations import Nf
from regstorm.records.ports import Agenda, Tally
from regstorm.records.strategy import Strategy
from regstorm.reference_core.bus import Bus, Call, Reply
from regstorm.reference_core.ims.accounts import Accounts
from regstorm.reference_core.ims.known_users import Bound, Endpoint
from regstorm.reference_core.ims.names import ImsNames, sbc_addresses
from regstorm.reference_core.ims.reading import identity
from regstorm.reference_core.ims.sbc import Sbc, Send
from regstorm.reference_core.node_tally import NodeTally
from regstorm.reference_core.processing_units import ProcessingUnits
from regstorm.reference_core.service_queue import Job, ServiceQueue
from regstorm.reference_core.udm_nodes import shedding_of

MakeDoor = Callable[[Strategy, Node, Random], FrontDoor]


def p_cscfs_of(core: Core, index: int) -> tuple[str, ...]:
    """The P-CSCF addresses that user `index` has from before the run."""
    return sbc_addresses(node_of(core.sbc_nodes, index, Kind.SBC))


class SbcPool:
    """Gm of all SBCs, and their side of the bus."""

    def __init__(
        self,
        core: Core,
        strategy: Strategy,
        names: ImsNames,
        bus: Bus,
        agenda: Agenda,
        tally: Tally,
        accounts: Accounts,
        send: Send,
        make_door: MakeDoor,
        door_rng: Random,
        nodes_rng: Random,
    ) -> None:
        """`make_door(strategy, node, rng)`: the front door of that SBC."""
        self._core, self._nodes, self._make_door = core, core.sbc_nodes, make_door
        several = len(self._nodes) > 1
        self._door_rngs = [door_rng, *(Random(door_rng.getrandbits(64)) for _ in self._nodes[1:])]
        self.sbcs: list[Sbc] = []
        self._processing: list[ProcessingUnits] = []
        for place, node in enumerate(self._nodes):
            shedding = shedding_of(node, core.sbc.shedding)
            capacity = core.sbc.capacity_messages_per_s * node.part_of_capacity
            server = compose.server(shedding, capacity, strategy, Random(nodes_rng.getrandbits(64)))
            queue = ServiceQueue(server, agenda)
            door = make_door(strategy, node, self._door_rngs[place])
            settings = core.sbc.model_copy(update={"shedding": shedding})
            counted = NodeTally(tally, SBC, node.name) if several else tally
            made = Sbc(settings, names, bus, agenda, counted, door, queue, accounts, send, sbc_addresses(place))
            self.sbcs.append(made)
            self._processing.append(ProcessingUnits(SBC, node.name, queue, tally))
        self._by_host = {host: sbc for sbc in self.sbcs for host in sbc.addresses}
        if several:
            bus.serve(Nf.SBC, self)  # instead of each of them, which has put itself there

    @property
    def servers(self) -> list[ProtectedServer[Job]]:
        """What each of them can do."""
        return [one.queue.server for one in self._processing]

    def addresses_for(self, index: int) -> tuple[str, ...]:
        """What a UE of user `index` is told now."""
        factors = [one.factor for one in self._processing]
        return self.sbcs[node_of(self._nodes, index, Kind.SBC, factors)].addresses

    def receive(self, datagram: bytes, source: Endpoint, destination: Endpoint, now: float) -> None:
        """A datagram for a P-CSCF address; an address of nobody is the first one's."""
        sbc = self._by_host.get(destination[0], self.sbcs[0])
        if not sbc.lost:
            sbc.receive(datagram, source, destination, now)

    def arrives(self, call: Call, deadline_s: float, reply: Reply, now: float) -> None:
        """A request of the network for a UE: goes to the SBC where its user is bound; if to none, the first says so."""
        request: Request = call.payload
        user = identity(request, "To")
        sbc = next((one for one in self.sbcs if one.users.binding_of(user) is not None), self.sbcs[0])
        if not sbc.lost:
            sbc.arrives(call, deadline_s, reply, now)

    def bind(self, index: int, user: str, bound: Bound) -> None:
        """User `index` is registered from before the run."""
        self.sbcs[node_of(self._nodes, index, Kind.SBC)].users.bind(user, bound)

    def unbind(self, user: str) -> None:
        """The user is not registered any more."""
        for sbc in self.sbcs:
            sbc.users.unbind(user)

    def restart(self) -> None:
        """All of them lose their bindings."""
        for sbc in self.sbcs:
            sbc.restart()

    def take_strategy(self, strategy: Strategy) -> None:
        """New doors; whoever has the servers orders the queues."""
        for sbc, node, rng in zip(self.sbcs, self._nodes, self._door_rngs, strict=True):
            sbc.door = self._make_door(strategy, node, rng)

    def take_capacity(self, name: str, factor: float, now: float) -> bool:
        """SBC `name` can do so much of what it could by the scenario; 0: it is lost. False: it is none of these."""
        for place, node in enumerate(self._nodes):
            if node.name == name:
                self._processing[place].take(factor, now)
                self.sbcs[place].lost = self._processing[place].lost
                if self.sbcs[place].lost:
                    self.sbcs[place].restart()
                return True
        return False
