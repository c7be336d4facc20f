"""Waits of one length: a time-out, or a timer of the specification, that many begin and most end early.

They are over in the order in which they began, so only the first of them stands in the event heap. Whoever ends its
wait is forgotten at once: of all who begin to wait within the time of a time-out few still do, and those few stay in
the processor's caches.
"""

from itertools import islice
from typing import Final, Generic, TypeVar

from regstorm.simulator.engine import EventHeap

Who = TypeVar("Who")
_AT_ONCE: Final = 10_000
"""So many of the oldest are looked up at once."""


class EqualWaits(Generic[Who]):
    """At most one wait for each `Who`, of `length_s`. Whoever handles events of `kind` and `subject` asks `over`."""

    __slots__ = ("_heap", "_kind", "_length_s", "_oldest", "_oldest_until", "_subject", "_timer_runs", "until")

    def __init__(self, heap: EventHeap, length_s: float, kind: int, subject: int = 0) -> None:
        self._heap = heap
        self._length_s = length_s
        self._kind = kind
        self._subject = subject
        self.until: dict[Who, float] = {}
        """By who waits, in the order in which they began. Whoever is taken out does not wait any more."""
        self._oldest: list[Who] = []
        """Who waited a while ago, the first of them last: to find the first in `until` itself takes ever longer, as a
        dictionary keeps the places of those that are gone."""
        self._oldest_until: list[float] = []
        """And until when: who has begun anew meanwhile comes later."""
        self._timer_runs = False

    def begin(self, who: Who, now: float) -> None:
        """A wait begins, no earlier than those before it; whose own does not run."""
        self.until[who] = due_s = now + self._length_s
        if not self._timer_runs:
            self._timer_runs = True
            self._heap.near(due_s, self._kind, self._subject)

    def begin_anew(self, who: Who, now: float) -> None:
        """The same, whether its own runs or not."""
        self.until.pop(who, None)
        self.begin(who, now)

    def end_if_it_runs(self, who: Who) -> None:
        """Ends a wait; harmless if there is none."""
        self.until.pop(who, None)

    def over(self, now: float) -> Who | None:
        """Whose wait is over and ended thereby: one at most, as there is an event for the next."""
        until, oldest, oldest_until = self.until, self._oldest, self._oldest_until
        over = None
        while until:
            if not oldest:
                oldest.extend(islice(until, _AT_ONCE))
                oldest_until.extend(islice(until.values(), _AT_ONCE))
                oldest.reverse()
                oldest_until.reverse()
            who, due_s = oldest[-1], oldest_until[-1]
            if until.get(who) is due_s:
                if due_s > now or over is not None:
                    self._heap.near(due_s, self._kind, self._subject)
                    return over
                over = who
                del until[who]
            oldest.pop()
            oldest_until.pop()
        oldest.clear()
        oldest_until.clear()
        self._timer_runs = False
        return over
