"""The UDM/HSS of a core, one or several: their processing units with the doors before them, and what happens to them.

Each node has a capacity for all of EPC, IMS and 5GC, or two: one for 5GC, one for EPC and IMS (the scenario's layout).
"""

from collections.abc import Callable
from dataclasses import dataclass
from random import Random

from regstorm.overload import compose
from regstorm.overload.protected_server import ProtectedServer
from regstorm.records.core_settings import Core, Shedding
from regstorm.records.node_counters import HSS, UDM
from regstorm.records.nodes import Node
from regstorm.records.ports import Agenda, Tally
from regstorm.records.strategy import Strategy
from regstorm.reference_core.bus import Call
from regstorm.reference_core.dra import Dra
from regstorm.reference_core.pair_ledger import PairLedger
from regstorm.reference_core.pair_nodes import PairNodes, UserNodes
from regstorm.reference_core.pair_server import Doors, PairServer
from regstorm.reference_core.processing_units import ProcessingUnits
from regstorm.reference_core.service_queue import Job, ServiceQueue


@dataclass(slots=True)
class _Units:
    door: PairServer
    processing: ProcessingUnits


class UdmNodes:
    """Made with the strategy of the beginning; `take_strategy` switches."""

    def __init__(
        self,
        core: Core,
        strategy: Strategy,
        agenda: Agenda,
        tally: Tally,
        ledger: PairLedger,
        index_of: Callable[[Call], int | None],
        rng: Random,
    ) -> None:
        """`index_of` says which user a call is about."""
        self._core, self._strategy = core, strategy
        self._agenda, self._tally, self._ledger = agenda, tally, ledger
        self._nodes = core.udm_nodes
        self._users = UserNodes(self._nodes, index_of, agenda, core.bus.heartbeat_every_s)
        self._units: list[list[_Units]] = [[] for _ in self._nodes]
        """Of each node: one, or those of 5GC and those of EPC and IMS."""
        self._dra: Dra | None = None
        self.udm: Doors
        self.hss: Doors
        self.udm = self.hss = self._doors(UDM, core.udm.capacity_pairs_per_s, rng)
        """Where the operations on N13, N8 and N10 arrive, and those on Cx and Sh."""

    def part_hss(self, rng: Random) -> None:
        """There is IMS: where 5GC has processing units of its own, EPC and IMS get theirs; a DRA is before the HSS."""
        apart = self._core.udm.layout == "5gc_apart"
        doors = self._doors(HSS, self._core.udm.hss_capacity, rng) if apart else self.hss
        capacities = {node.name: self._core.udm.hss_capacity * node.part_of_capacity for node in self._nodes}
        self.hss = self._dra = Dra(doors, self._users.place, capacities, self._strategy, self._tally)

    @property
    def servers(self) -> list[ProtectedServer[Job]]:
        """All processing units."""
        return [units.door.queue.server for node in self._units for units in node]

    @property
    def all_lost(self) -> bool:
        """No node is left."""
        return all(units.door.lost for node in self._units for units in node)

    def take_strategy(self, strategy: Strategy) -> None:
        """The queues follow its order from now on, and the DRA's limits are its."""
        self._strategy = strategy
        if self._dra is not None:
            self._dra.take_strategy(strategy)
        for node in self._units:
            for units in node:
                units.door.tiers = compose.tier_table(strategy)
                units.door.queue.server.order_by(compose.ordered_tiers(strategy))

    def take_capacity(self, name: str, factor: float, now: float) -> bool:
        """Node `name` can do so much of what it could by the scenario; 0: it is lost. False: it is none of these."""
        for place, node in enumerate(self._nodes):
            if node.name == name:
                for units in self._units[place]:
                    units.processing.take(factor, now)
                    units.door.lost = units.processing.lost
                self._users.take(place, factor, now)
                return True
        return False

    def _doors(self, kind: str, capacity: float, rng: Random) -> Doors:
        rngs = [rng, *(Random(rng.getrandbits(64)) for _ in self._nodes[1:])]
        made = [self._new_door(kind, node, capacity, one) for node, one in zip(self._nodes, rngs, strict=True)]
        for units, door in zip(self._units, made, strict=True):
            units.append(door)
        return made[0].door if len(made) == 1 else PairNodes([units.door for units in made], self._users)

    def _new_door(self, kind: str, node: Node, capacity: float, rng: Random) -> _Units:
        udm = self._core.udm
        shedding = shedding_of(node, udm.shedding_in_force)
        server = compose.server(shedding, capacity * node.part_of_capacity, self._strategy, rng)
        queue = ServiceQueue(server, self._agenda)
        tiers = compose.tier_table(self._strategy)
        name = node.name if len(self._nodes) > 1 else None
        door = PairServer(queue, tiers, self._tally, self._ledger, udm.cost_per_operation, kind, name)
        door.says_refusals = udm.refusals == "answered"
        return _Units(door, ProcessingUnits(kind, node.name, queue, self._tally))


def shedding_of(node: Node, kind: Shedding) -> Shedding:
    """How the node sheds: as its kind does, at the cost of its own."""
    return kind if node.rejection_cost is None else kind.model_copy(update={"rejection_cost": node.rejection_cost})
