"""Event heap: what is due, in exact order.

An event is one whole number: due time, running number, kind and subject, from the highest bits to the lowest. So
events come by time, and those of one instant in the order in which they were added, whatever they are about; order
inside an instant is policy, and no shortcut may change it. Time has a resolution of 2⁻³⁰ s and is rounded up: an
event is never early.

Only the events of the next sixteenth of a second are kept as a heap. Later ones lie unsorted in a bucket for each
sixteenth until their time comes: most events of a storm are timers that are hours of heap work away.
"""

from collections import defaultdict
from collections.abc import Callable, Sequence
from heapq import heapify, heappop, heappush
from typing import Final

from regstorm.simulator.events import SUBJECT_BITS

Handler = Callable[[int, float, int], None]
"""Called as handler(subject, now, number): the number tells this event from all others."""

_TICKS_PER_S: Final = 1 << 30
_S_PER_TICK: Final = 1.0 / _TICKS_PER_S
_KIND_BITS: Final = 5
_NUMBER_BITS: Final = 32
_NUMBER_SHIFT: Final = SUBJECT_BITS + _KIND_BITS
_TIME_SHIFT: Final = _NUMBER_BITS + _NUMBER_SHIFT
_SUBJECT_MASK: Final = (1 << SUBJECT_BITS) - 1
_KIND_MASK: Final = (1 << _KIND_BITS) - 1
_NUMBER_MASK: Final = (1 << _NUMBER_BITS) - 1
_BUCKETS_PER_S: Final = 16
_BUCKET_SHIFT: Final = 26
"""From ticks to sixteenths of a second."""


class EventHeap:
    """Events by due time. A kind is one of events.py, a subject any number below 2³²: a UE's index, a request's."""

    __slots__ = ("_bucket", "_later", "_near", "_number", "_surely_near_s")

    def __init__(self) -> None:
        self._near: list[int] = []
        self._later: defaultdict[int, list[int]] = defaultdict(list)
        self._bucket = 0
        """The sixteenth of a second whose events are in the heap."""
        self._surely_near_s = 0.0
        """What is due before it belongs into the heap, however it is rounded."""
        self._number = 0

    def __len__(self) -> int:
        """Events that wait."""
        return len(self._near) + sum(map(len, self._later.values()))

    def at(self, due_s: float, kind: int, subject: int) -> int:
        """Adds an event; its number, never 0, is what its handler will be told."""
        self._number = number = self._number + 1
        tick = int(due_s * _TICKS_PER_S) + 1
        event = tick << _TIME_SHIFT | number << _NUMBER_SHIFT | kind | subject
        if due_s < self._surely_near_s:
            heappush(self._near, event)
            return number
        bucket = tick >> _BUCKET_SHIFT
        if bucket <= self._bucket:
            heappush(self._near, event)
        else:
            self._later[bucket].append(event)
        return number

    def run(self, until_s: float, handlers: Sequence[Handler]) -> None:
        """Handles everything due up to `until_s`, a whole number of sixteenths. `handlers` by kind."""
        end = round(until_s * _BUCKETS_PER_S)
        while self._bucket < end:
            self._run_bucket(handlers)
            self._bucket += 1
            self._surely_near_s = (self._bucket + 1) / _BUCKETS_PER_S - 2 * _S_PER_TICK
            self._near = self._later.pop(self._bucket, [])
            heapify(self._near)

    def _run_bucket(self, handlers: Sequence[Handler]) -> None:
        near = self._near
        while near:
            event = heappop(near)
            handlers[event >> SUBJECT_BITS & _KIND_MASK](
                event & _SUBJECT_MASK,
                (event >> _TIME_SHIFT) * _S_PER_TICK,
                event >> _NUMBER_SHIFT & _NUMBER_MASK,
            )
