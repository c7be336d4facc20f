"""Stations: protected servers in the event heap, and which of several nodes of a kind serves which UE.

A station is one event at most: when its job in service is done. A node that is lost takes with it what it was working
on; its UEs are shared by the nodes that are left (overload.node_shares) and go back when it is back.
"""

from collections.abc import Callable, Sequence
from heapq import heappush
from typing import Generic, TypeVar

from regstorm.overload import compose
from regstorm.overload.node_shares import Kind, node_of
from regstorm.overload.protected_server import ProtectedServer
from regstorm.records.nodes import Node
from regstorm.records.strategy import Strategy
from regstorm.simulator.engine import EventHeap

Job = TypeVar("Job")


class Station(Generic[Job]):
    """A server whose event is `kind`, with the station as its subject."""

    __slots__ = ("_full_capacity", "_kind", "_make", "_numbers", "_soon", "_strategy", "lost", "place", "server")

    def __init__(
        self,
        make: Callable[[Strategy], ProtectedServer[Job]],
        strategy: Strategy,
        heap: EventHeap,
        kind: int,
        place: int = 0,
    ) -> None:
        """`make` gives an empty server in the order of a strategy; `place`: the station's among those of its kind."""
        self._make = make
        self._strategy = strategy
        self._soon, self._numbers = heap.soon, heap.numbers
        self._kind = kind
        self.place = place
        self.server: ProtectedServer[Job]
        """What is offered to it, and accepted, the handler of its event will find done, if it comes at the server's
        `next_finish`; at any other time the job was lost."""
        self._set_up()
        self._full_capacity: float = self.server.capacity
        self.lost = False
        """What reaches it is nobody's work."""

    def _set_up(self) -> None:
        self.server = self._make(self._strategy)
        self.server.begins = self._await

    def _await(self, due_s: float) -> None:
        heappush(self._soon, (due_s, next(self._numbers), self._kind, self))

    def take_strategy(self, strategy: Strategy) -> None:
        """Another order from now on; what waits keeps its own."""
        self._strategy = strategy
        self.server.order_by(compose.ordered_tiers(strategy))

    def take_capacity(self, factor: float) -> None:
        """It can do this part of what it could at the beginning; 0: it is lost with all that it holds."""
        self.lost = factor <= 0
        if not self.lost:
            self.server.take_capacity(self._full_capacity * factor)
            return
        self._set_up()

    def milli_capacity_out(self, factor: float) -> int:
        """What it lacks then, in thousandths of its unit."""
        return round(1000 * self._full_capacity * (1 - factor))


class Homes:
    """The nodes of one kind, and which of them serves each UE."""

    __slots__ = ("_kind", "factors", "nodes", "of")

    def __init__(self, nodes: Sequence[Node], kind: Kind, ues: int) -> None:
        self.nodes = nodes
        self._kind = kind
        self.factors = [1.0] * len(nodes)
        """What is left of the capacity of each."""
        if len(nodes) == 1:
            self.of = bytearray(ues)
        else:
            self.of = bytearray(node_of(nodes, ue, kind) for ue in range(ues))

    def place_of(self, name: str) -> int | None:
        """Where that node stands; None: it is none of this kind."""
        return next((place for place, node in enumerate(self.nodes) if node.name == name), None)

    def note(self, place: int, factor: float) -> list[int]:
        """The node can do this part of what it could; nobody is served by another one before `assign`.

        The UEs that it has lost, if it is lost now.
        """
        was_lost = self.factors[place] <= 0
        self.factors[place] = factor
        return [] if was_lost or factor > 0 else [ue for ue, home in enumerate(self.of) if home == place]

    def assign(self, ue: int) -> bool:
        """The UE gets the node that serves it as things are now; True: it is another one than before."""
        if len(self.nodes) == 1:
            return False
        before = self.of[ue]
        self.of[ue] = after = node_of(self.nodes, ue, self._kind, self.factors)
        return after != before

    def change(self, place: int, factor: float) -> None:
        """The node can do this part of what it could: each UE gets the node that serves it as things are now."""
        nobody_lost = all(self.factors)
        self.factors[place] = factor
        if len(self.nodes) == 1 or (nobody_lost and factor > 0):
            return
        for ue in range(len(self.of)):
            self.of[ue] = node_of(self.nodes, ue, self._kind, self.factors)
