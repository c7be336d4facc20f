"""Counts by node (records.node_counters), with names made once; only where there are several nodes of a kind."""

from collections.abc import Sequence

from regstorm.records import counters
from regstorm.records.node_counters import HSS, UDM, of_node
from regstorm.records.nodes import Node
from regstorm.records.ports import Tally
from regstorm.simulator.tally import SecondTally


class PairsByNode:
    """What each UDM/HSS was asked for. Units are numbered as in udm_units.py: those of the HSS behind all others."""

    __slots__ = ("_counts", "_names", "_nodes")

    def __init__(self, nodes: Sequence[Node], tally: SecondTally) -> None:
        self._counts = tally.counts
        self._nodes = [(kind, node.name) for kind in (UDM, HSS) for node in nodes]
        self._names: dict[tuple[int, str], str] = {}

    def count(self, unit: int, counter: str, interface: str) -> None:
        """A pair on that interface."""
        name = self._name(unit, counter)
        self._counts[name] += 1
        self._counts[f"{name}.{interface}"] += 1

    def count_work(self, unit: int, milli_pairs: int) -> None:
        """Work that a rejection took."""
        self._counts[self._name(unit, counters.UDM_REJECTION_WORK)] += milli_pairs

    def _name(self, unit: int, counter: str) -> str:
        known = self._names.get((unit, counter))
        if known is None:
            kind, node = self._nodes[unit]
            known = self._names[unit, counter] = of_node(kind, counter, node)
        return known


class Levels:
    """Levels that are told as they are, not by how much they change."""

    __slots__ = ("_tally", "_told")

    def __init__(self, tally: Tally) -> None:
        self._tally = tally
        self._told: dict[str, int] = {}

    def tell(self, name: str, level: int) -> None:
        """It is this from now on."""
        self._tally.gauge(name, level - self._told.get(name, 0))
        self._told[name] = level


def names_of_nodes(kind: str, nodes: Sequence[Node], counted: Sequence[str]) -> list[dict[str, str]]:
    """By node: how each of these counters is called there; empty with one node."""
    if len(nodes) == 1:
        return [{}]
    return [{counter: of_node(kind, counter, node.name) for counter in counted} for node in nodes]
