"""Agenda of the simulator: what is due, in exact order.

Events come by time, and those of one instant in the order in which they were added, whatever they are about; order
inside an instant is policy, and no shortcut may change it.

Most events of a storm are timers that are minutes of work away, and most of those are not needed any more when their
time comes. So the agenda keeps them in three ways: those of later seconds as numbers packed into arrays, unsorted;
those of this second and the next in slots of 1/128 s, unsorted; a slot is sorted when its time has come, and what is
added to it after that stands in a heap beside it, with all that is due within moments.
"""

from array import array
from collections import defaultdict
from collections.abc import Callable, Sequence
from heapq import heappop, heappush
from itertools import count
from math import floor, inf
from typing import Any, Final

from regstorm.simulator.events import SUBJECT_BITS

Handler = Callable[[Any, float, int], None]
"""Called as handler(subject, now, number): the number tells this event from all others."""

Event = tuple[float, int, int, Any]
"""Due time, number, kind, subject."""

_SLOTS_PER_S: Final = 128.0
"""A slot is shorter than the usual hop on the bus: what a hop brings is sorted, which is cheaper than a heap."""
_SUBJECT_MASK: Final = (1 << SUBJECT_BITS) - 1
_NEVER: Final[Event] = (inf, 0, 0, None)
"""Stands in the heap so that it is never empty."""


class _Later:
    """The events of one second, compactly: a million of them wait in a storm of full size."""

    __slots__ = ("due_s", "number", "what")

    def __init__(self) -> None:
        self.due_s = array("d")
        self.number = array("I")
        self.what = array("I")
        """Kind and subject, from the highest bits to the lowest: 32 together."""


class EventHeap:
    """Events by due time. A kind is one of events.py, a subject a number below 2²⁷."""

    __slots__ = ("_later", "_slot", "_slots", "_unpacked_until_s", "numbers", "soon")

    def __init__(self) -> None:
        self._later: defaultdict[int, _Later] = defaultdict(_Later)
        """By second."""
        self._slots: defaultdict[int, list[Event]] = defaultdict(list)
        self._slot = 0
        self._unpacked_until_s = 2.0
        self.numbers = count(1)
        """Of events, in the order in which they are added."""
        self.soon: list[Event] = [_NEVER]
        """Heap of what is due within moments, and of little else. The fastest way to add an event is to push it here,
        with the next of the numbers; its subject may be anything."""

    def __len__(self) -> int:
        """Events that wait."""
        slots = sum(map(len, self._slots.values()))
        return len(self.soon) - 1 + slots + sum(len(one.due_s) for one in self._later.values())

    def at(self, due_s: float, kind: int, subject: int) -> int:
        """Adds an event; its number, never 0, is what its handler will be told. What is overdue comes next."""
        if due_s < self._unpacked_until_s:
            return self.near(due_s, kind, subject)
        number = next(self.numbers)
        later = self._later[floor(due_s)]
        later.due_s.append(due_s)
        later.number.append(number)
        later.what.append(kind << SUBJECT_BITS | subject)
        return number

    def near(self, due_s: float, kind: int, subject: Any) -> int:
        """The same for any subject, if it is due in seconds rather than minutes."""
        number = next(self.numbers)
        slot = floor(due_s * _SLOTS_PER_S)
        if slot > self._slot:
            self._slots[slot].append((due_s, number, kind, subject))
        else:
            heappush(self.soon, (due_s, number, kind, subject))
        return number

    def run(self, until_s: int, handlers: Sequence[Handler]) -> None:
        """Handles everything that is due before `until_s`, a whole second. `handlers` by kind."""
        end = until_s * _SLOTS_PER_S
        while self._slot < end:
            events = self._slots.pop(self._slot, None)
            if events or len(self.soon) > 1:
                self._handle(sorted(events or ()), (self._slot + 1) / _SLOTS_PER_S, handlers)
            self._slot += 1
            if not self._slot % _SLOTS_PER_S:
                self._unpack(int(self._unpacked_until_s))

    def _handle(self, events: list[Event], until_s: float, handlers: Sequence[Handler]) -> None:
        """These, and what else is due before `until_s`, the end of their slot."""
        soon = self.soon
        for event in events:
            while soon[0] < event:
                due_s, number, kind, subject = heappop(soon)
                handlers[kind](subject, due_s, number)
            due_s, number, kind, subject = event
            handlers[kind](subject, due_s, number)
        while soon[0][0] < until_s:
            due_s, number, kind, subject = heappop(soon)
            handlers[kind](subject, due_s, number)

    def _unpack(self, second: int) -> None:
        """The events of that second go to their slots."""
        self._unpacked_until_s = second + 1.0
        later = self._later.pop(second, None)
        if later is None:
            return
        slots = self._slots
        for due_s, number, what in zip(later.due_s, later.number, later.what, strict=True):
            event = (due_s, number, what >> SUBJECT_BITS, what & _SUBJECT_MASK)
            slots[floor(due_s * _SLOTS_PER_S)].append(event)
