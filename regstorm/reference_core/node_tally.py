"""Books by node: what one of several nodes of a kind counts stands under its own name too (records.node_counters)."""

from regstorm.records.node_counters import COUNTED, of_node
from regstorm.records.ports import Tally


class NodeTally:
    """A tally that counts what the table names twice: for all nodes, and for this one."""

    __slots__ = ("_names", "_tally")

    def __init__(self, tally: Tally, kind: str, node: str) -> None:
        self._tally = tally
        self._names = {name: of_node(kind, name, node) for name in COUNTED[kind]}

    def count(self, name: str, now: float, amount: int = 1) -> None:
        """Adds `amount` to counter `name`."""
        self._tally.count(name, now, amount)
        of_this_node = self._names.get(name)
        if of_this_node is not None:
            self._tally.count(of_this_node, now, amount)

    def gauge(self, name: str, change: int) -> None:
        """Changes a level."""
        self._tally.gauge(name, change)
