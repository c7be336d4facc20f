"""Event heap: what is due, in exact order.

An event is one whole number: due time, running number, kind and subject, from the highest bits to the lowest. So
events come by time, and those of one instant in the order in which they were added, whatever they are about; order
inside an instant is policy, and no shortcut may change it. Time has a resolution of 2⁻³⁰ s and is rounded up: an
event is never early.

Only the events of the next sixteenth of a second are kept as a heap. Later ones lie unsorted in a bucket for each
sixteenth until their time comes: most events of a storm are timers that are hours of heap work away.
"""

from collections import defaultdict, deque
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
_EVENT_TO_BUCKET: Final = _TIME_SHIFT + _BUCKET_SHIFT


class EventHeap:
    """Events by due time. A kind is one of events.py, a subject any number below 2³²: a UE's index, a request's."""

    __slots__ = ("_bucket", "_later", "_near", "_number", "handled")

    def __init__(self) -> None:
        self._near: list[int] = []
        self._later: defaultdict[int, list[int]] = defaultdict(list)
        self._bucket = 0
        """The sixteenth of a second whose events are in the heap."""
        self._number = 0
        self.handled = 0

    def __len__(self) -> int:
        """Events that wait."""
        return len(self._near) + sum(map(len, self._later.values()))

    def at(self, due_s: float, kind: int, subject: int) -> int:
        """Adds an event; its number, never 0, is what its handler will be told."""
        self._number = number = self._number + 1
        tick = int(due_s * _TICKS_PER_S) + 1
        event = tick << _TIME_SHIFT | number << _NUMBER_SHIFT | kind | subject
        bucket = tick >> _BUCKET_SHIFT
        if bucket <= self._bucket:
            heappush(self._near, event)
        else:
            self._later[bucket].append(event)
        return number

    def reserve(self, due_s: float, kind: int, subject: int) -> int:
        """An event with its place in the order, to be added later or never."""
        self._number = number = self._number + 1
        return int(due_s * _TICKS_PER_S) + 1 << _TIME_SHIFT | number << _NUMBER_SHIFT | kind | subject

    def add(self, event: int) -> None:
        """Adds a reserved event that is not due yet."""
        bucket = event >> _EVENT_TO_BUCKET
        if bucket <= self._bucket:
            heappush(self._near, event)
        else:
            self._later[bucket].append(event)

    def run(self, until_s: float, handlers: Sequence[Handler]) -> None:
        """Handles everything due up to `until_s`, a whole number of sixteenths. `handlers` by kind."""
        end = round(until_s * _BUCKETS_PER_S)
        while self._bucket < end:
            self._run_bucket(handlers)
            self._bucket += 1
            self._near = self._later.pop(self._bucket, [])
            heapify(self._near)

    def _run_bucket(self, handlers: Sequence[Handler]) -> None:
        near = self._near
        handled = 0
        while near:
            event = heappop(near)
            handled += 1
            handlers[event >> SUBJECT_BITS & _KIND_MASK](
                event & _SUBJECT_MASK,
                (event >> _TIME_SHIFT) * _S_PER_TICK,
                event >> _NUMBER_SHIFT & _NUMBER_MASK,
            )
        self.handled += handled


class Patience:
    """Timers of one length, of which most are not needed when their time comes: only the next that is stands in the
    heap, in the place in the order that it has had since it was started."""

    __slots__ = ("_heap", "_kind", "_needed", "_running", "_waiting")

    def __init__(self, heap: EventHeap, kind: int, needed: Callable[[int], bool]) -> None:
        """`needed(subject)` is asked once for each timer, and may forget what it knows of one that is not."""
        self._heap = heap
        self._kind = kind
        self._needed = needed
        self._waiting: deque[int] = deque()
        self._running = False

    def start(self, due_s: float, subject: int) -> None:
        """Starts a timer; `due_s` is never earlier than that of the one started before."""
        event = self._heap.reserve(due_s, self._kind, subject)
        if self._running:
            self._waiting.append(event)
        else:
            self._running = True
            self._heap.add(event)

    def expired(self) -> None:
        """To be called when the one in the heap has expired, needed or not."""
        waiting, needed = self._waiting, self._needed
        while waiting:
            event = waiting.popleft()
            if needed(event & _SUBJECT_MASK):
                self._heap.add(event)
                return
        self._running = False
