"""Processing units of one node: what they can do by the scenario, and what an incident has left of them."""

from regstorm.records.node_counters import CAPACITY_OUT, of_node
from regstorm.records.ports import Tally
from regstorm.reference_core.service_queue import ServiceQueue

_THOUSANDTHS = 1000


class ProcessingUnits:
    """A queue and its capacity. What reaches them while they are lost is nobody's work: their owner lets it vanish."""

    __slots__ = ("_capacity", "_name", "_out", "_tally", "factor", "queue")

    def __init__(self, kind: str, node: str, queue: ServiceQueue, tally: Tally) -> None:
        self.queue = queue
        self.factor = 1.0
        """Of the capacity by the scenario."""
        self._capacity = queue.server.capacity
        self._name = of_node(kind, CAPACITY_OUT, node)
        self._out = 0
        self._tally = tally

    @property
    def lost(self) -> bool:
        """Nothing is left of them."""
        return self.factor <= 0

    def take(self, factor: float, now: float) -> None:
        """They can do so much of what they could by the scenario from now on; 0: they are lost with all their work."""
        self.factor = factor
        if self.lost:
            self.queue.lose_work(now)
        else:
            self.queue.server.take_capacity(self._capacity * factor)
        out = round(_THOUSANDTHS * self._capacity * (1 - factor))
        self._tally.gauge(self._name, out - self._out)
        self._out = out
