"""The DRA before the HSS of the simulator: its gates on Cx and Sh, as reference_core/dra.py has them."""

from collections.abc import Sequence

from regstorm.overload.dra_gate import DraGate, gates
from regstorm.records import node_counters
from regstorm.records.node_counters import DRA_REFUSED, of_node
from regstorm.records.scenario import Scenario
from regstorm.records.strategy import Strategy
from regstorm.simulator.tally import SecondTally


class Dra:
    """One gate towards each HSS; none where the strategy has no limits."""

    __slots__ = ("_capacities", "_counts", "_gates", "_names", "limits")

    def __init__(self, scenario: Scenario, strategy: Strategy, tally: SecondTally) -> None:
        nodes, capacity = scenario.core.udm_nodes, scenario.core.udm.hss_capacity
        self._capacities = {node.name: capacity * node.part_of_capacity for node in nodes}
        several = len(nodes) > 1
        self._names = [
            (DRA_REFUSED, *([of_node(node_counters.DRA, DRA_REFUSED, name)] if several else ()))
            for name in self._capacities
        ]
        self._counts = tally.counts
        self._gates: Sequence[DraGate] = ()
        self.limits = False
        """The strategy has any."""
        self.take_strategy(strategy)

    def take_strategy(self, strategy: Strategy) -> None:
        """Its limits are in force from now on; none if it has none."""
        self._gates = gates(strategy, self._capacities)
        self.limits = bool(self._gates)

    def passes(self, place: int, interface: str, now: float) -> bool:
        """One request towards the HSS at `place`; False: it is answered with DIAMETER_TOO_BUSY at once."""
        if not self.limits or self._gates[place].admits(now):
            return True
        for name in self._names[place]:
            self._counts[name] += 1
        self._counts[f"{DRA_REFUSED}.{interface}"] += 1
        return False
