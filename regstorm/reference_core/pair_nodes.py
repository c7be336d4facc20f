"""Several UDM/HSS: which of them a call reaches.

A user's calls go to the node that its data are with (overload.node_shares). A node that is lost is called for as long
as its consumers have not missed three heartbeats of it; then its users are served by the others, whose subscriber data
are the same (one UDR), until its consumers hear a heartbeat again.
"""

from collections.abc import Callable, Mapping, Sequence

from regstorm.overload.node_shares import Kind, node_of
from regstorm.records.nodes import Node
from regstorm.records.operations import Operation
from regstorm.records.ports import Agenda
from regstorm.reference_core.bus import HEARTBEATS_LOST_UNTIL_DOWN, Call, Reply
from regstorm.reference_core.pair_server import PairHandler, PairServer


class UserNodes:
    """Where each user's data are, as consumers know it."""

    def __init__(
        self, nodes: Sequence[Node], index_of: Callable[[Call], int | None], agenda: Agenda, heartbeat_every_s: float
    ) -> None:
        """`index_of` says which user a call is about; None, if it is about nobody's, goes to the first node."""
        self._nodes = nodes
        self._index_of = index_of
        self._agenda = agenda
        self._heartbeat_every_s = heartbeat_every_s
        self._known = [1.0] * len(nodes)
        self._factors = [1.0] * len(nodes)

    def place(self, call: Call) -> int:
        """Which node the call is for."""
        index = self._index_of(call)
        return 0 if index is None else node_of(self._nodes, index, Kind.UDM, self._known)

    def take(self, place: int, factor: float, now: float) -> None:
        """The node at `place` has lost or regained capacity; consumers learn it by its heartbeats."""
        self._factors[place] = factor
        beats = HEARTBEATS_LOST_UNTIL_DOWN if factor <= 0 else 1
        self._agenda.at(now + beats * self._heartbeat_every_s, lambda at: self._learn(place, factor))

    def _learn(self, place: int, factor: float) -> None:
        if self._factors[place] == factor:  # else it has changed again meanwhile
            self._known[place] = factor


class PairNodes:
    """The doors of all nodes, as one producer on the bus."""

    def __init__(self, doors: Sequence[PairServer], users: UserNodes) -> None:
        self._doors = doors
        self._users = users

    def answers(self, handlers: Mapping[Operation, PairHandler]) -> None:
        """From now on these operations are served here, at every node alike."""
        for door in self._doors:
            door.answers(handlers)

    def arrives(self, call: Call, deadline_s: float, reply: Reply, now: float) -> None:
        """Goes to the door of the node that the user is with."""
        self._doors[self._users.place(call)].arrives(call, deadline_s, reply, now)
