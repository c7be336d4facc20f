"""The DRA before the HSS: its gates on Cx and Sh (overload.dra_gate), by the HSS that a request is for.

S6a would pass it as well; there is no EPC here. It answers a request that it refuses at once, and nobody repeats it:
an answer is no timeout.
"""

from collections.abc import Callable, Mapping, Sequence

from regstorm.overload.dra_gate import DraGate, gates
from regstorm.records import node_counters
from regstorm.records.node_counters import DRA_REFUSED, of_node
from regstorm.records.operations import Operation
from regstorm.records.ports import Tally
from regstorm.records.strategy import Strategy
from regstorm.reference_core.bus import CONGESTED, Call, Failed, Reply
from regstorm.reference_core.pair_server import Doors, PairHandler


class Dra:
    """In the way to the doors of all HSS; without gates it passes everything on."""

    def __init__(
        self,
        doors: Doors,
        place: Callable[[Call], int],
        capacities: Mapping[str, float],
        strategy: Strategy,
        tally: Tally,
    ) -> None:
        """`place`: which HSS a call is for. `capacities`: A(N) of each, pairs/s, by its name."""
        self._doors = doors
        self._place = place
        self._capacities = capacities
        self._tally = tally
        several = len(capacities) > 1
        self._names = [
            (DRA_REFUSED, *([of_node(node_counters.DRA, DRA_REFUSED, name)] if several else ())) for name in capacities
        ]
        self._gates: Sequence[DraGate] = ()
        self.take_strategy(strategy)

    def take_strategy(self, strategy: Strategy) -> None:
        """Its limits are in force from now on; none if it has none."""
        self._gates = gates(strategy, self._capacities)

    def answers(self, handlers: Mapping[Operation, PairHandler]) -> None:
        """What the HSS serve."""
        self._doors.answers(handlers)

    def arrives(self, call: Call, deadline_s: float, reply: Reply, now: float) -> None:
        """Passes the call on, or refuses it with DIAMETER_TOO_BUSY."""
        if self._gates:
            place = self._place(call)
            if not self._gates[place].admits(now):
                for name in self._names[place]:
                    self._tally.count(name, now)
                self._tally.count(f"{DRA_REFUSED}.{call.operation.interface}", now)
                reply(Failed(CONGESTED), now)
                return
        self._doors.arrives(call, deadline_s, reply, now)
