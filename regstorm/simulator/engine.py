"""Agenda of the simulator: what is due, in exact order.

Events come by time, and those of one instant in the order in which they were added, whatever they are about; order
inside an instant is policy, and no shortcut may change it.

Most events of a storm are timers that are minutes of work away, and most of those are not needed any more when their
time comes. So the agenda keeps them in three ways: those of later seconds as numbers packed into arrays, unsorted;
those of this second and the next in slots of 1/16 s, unsorted; a slot is sorted when its time has come, and what is
added to it after that stands in a heap beside it, with all that is due within moments.
"""

from array import array
from collections import defaultdict
from collections.abc import Callable, Sequence
from functools import partial
from heapq import heappop, heappush
from itertools import count
from typing import Any, Final

from regstorm.simulator.events import KIND_BITS, SUBJECT_BITS

Handler = Callable[[Any, float, int], None]
"""Called as handler(subject, now, number): the number tells this event from all others."""

Event = tuple[float, int, int, Any]
"""Due time, number, kind, subject."""

_SLOTS_PER_S: Final = 16
_NUMBER_SHIFT: Final = KIND_BITS + SUBJECT_BITS
_KIND_MASK: Final = (1 << KIND_BITS) - 1
_SUBJECT_MASK: Final = (1 << SUBJECT_BITS) - 1


class _Later:
    """The events of one second, compactly: a million of them wait in a storm of full size."""

    __slots__ = ("due_s", "what")

    def __init__(self) -> None:
        self.due_s = array("d")
        self.what = array("Q")
        """Number, kind, subject, from the highest bits to the lowest."""


class EventHeap:
    """Events by due time. A kind is one of events.py, a subject a number below 2²⁷: a UE's index, a station's."""

    __slots__ = ("_later", "_slot", "_slots", "_unpacked_until_s", "_urgent", "numbers", "soon")

    def __init__(self) -> None:
        self._later: defaultdict[int, _Later] = defaultdict(_Later)
        """By second."""
        self._slots: defaultdict[int, list[Event]] = defaultdict(list)
        self._urgent: list[Event] = []
        """Heap of what was added to the slot that is being handled, or by `soon`."""
        self._slot = 0
        self._unpacked_until_s = 2
        self.numbers = count(1)
        """Of events, in the order in which they are added."""
        self.soon: Callable[[Event], None] = partial(heappush, self._urgent)
        """Adds an event, with the next of the numbers. For those that are due within moments, and then the fastest
        way; their subject may be anything."""

    def __len__(self) -> int:
        """Events that wait."""
        slots = sum(map(len, self._slots.values()))
        return len(self._urgent) + slots + sum(len(one.due_s) for one in self._later.values())

    def at(self, due_s: float, kind: int, subject: int) -> int:
        """Adds an event; its number, never 0, is what its handler will be told. What is overdue comes next."""
        number = next(self.numbers)
        slot = int(due_s * _SLOTS_PER_S)
        if slot <= self._slot:
            heappush(self._urgent, (due_s, number, kind, subject))
        elif due_s < self._unpacked_until_s:
            self._slots[slot].append((due_s, number, kind, subject))
        else:
            later = self._later[slot // _SLOTS_PER_S]
            later.due_s.append(due_s)
            later.what.append(number << _NUMBER_SHIFT | kind << SUBJECT_BITS | subject)
        return number

    def run(self, until_s: int, handlers: Sequence[Handler]) -> None:
        """Handles everything that is due before `until_s`, a whole second. `handlers` by kind."""
        end = until_s * _SLOTS_PER_S
        while self._slot < end:
            events = self._slots.pop(self._slot, None)
            if events or self._urgent:
                self._handle(sorted(events or ()), (self._slot + 1) / _SLOTS_PER_S, handlers)
            self._slot += 1
            if not self._slot % _SLOTS_PER_S:
                self._unpack(self._unpacked_until_s)

    def _handle(self, events: list[Event], until_s: float, handlers: Sequence[Handler]) -> None:
        """These, and what else is due before `until_s`, the end of their slot."""
        urgent = self._urgent
        for event in events:
            while urgent and urgent[0] < event:
                due_s, number, kind, subject = heappop(urgent)
                handlers[kind](subject, due_s, number)
            due_s, number, kind, subject = event
            handlers[kind](subject, due_s, number)
        while urgent and urgent[0][0] < until_s:
            due_s, number, kind, subject = heappop(urgent)
            handlers[kind](subject, due_s, number)

    def _unpack(self, second: int) -> None:
        """The events of that second go to their slots."""
        self._unpacked_until_s = second + 1
        later = self._later.pop(second, None)
        if later is None:
            return
        slots = self._slots
        for due_s, what in zip(later.due_s, later.what, strict=True):
            event = (due_s, what >> _NUMBER_SHIFT, what >> SUBJECT_BITS & _KIND_MASK, what & _SUBJECT_MASK)
            slots[int(due_s * _SLOTS_PER_S)].append(event)
