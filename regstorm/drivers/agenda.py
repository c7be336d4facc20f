"""An agenda in exact order: by due time, and among equals by when they were added.

Order inside an instant is policy in a storm, so nothing is rounded into slots and nothing depends on the heap's inner
order. A cancelled action stays in the heap without its closure and is thrown out when it comes up, or in a sweep when
the cancelled are the majority: most guard timers are cancelled minutes before they are due.
"""

import heapq
from collections.abc import Callable
from math import isnan

SWEEP_FROM = 1024  # cancelled entries below which a sweep is not worth it


class Entry:
    """An action that waits."""

    __slots__ = ("_agenda", "action")

    def __init__(self, agenda: "HeapAgenda", action: Callable[[float], None]) -> None:
        self.action: Callable[[float], None] | None = action
        self._agenda = agenda

    def cancel(self) -> None:
        """The action will not be called. Harmless if it has been called already, or cancelled."""
        if self.action is not None:
            self.action = None
            self._agenda.cancelled_one()


class HeapAgenda:
    """Actions by (due time, order of adding). `now` is the instant that is being worked on."""

    def __init__(self) -> None:
        self.now = 0.0
        self._heap: list[tuple[float, int, Entry]] = []
        self._added = 0
        self._cancelled = 0

    @property
    def waiting(self) -> int:
        """Actions that will still be called."""
        return len(self._heap) - self._cancelled

    def at(self, due_s: float, action: Callable[[float], None]) -> Entry:
        """Calls `action(now)` at `due_s`; what is due already comes next in this instant, after what waits in it."""
        if not due_s >= self.now:
            if isnan(due_s):
                raise ValueError("an action cannot be due at NaN")
            due_s = self.now
        entry = Entry(self, action)
        self._added = added = self._added + 1
        heapq.heappush(self._heap, (due_s, added, entry))
        return entry

    def next_due_s(self) -> float | None:
        """When the next action is due; None if none waits."""
        heap = self._heap
        while heap and heap[0][2].action is None:
            heapq.heappop(heap)
            self._cancelled -= 1
        return heap[0][0] if heap else None

    def run_due(self, limit: int) -> int:
        """Calls every action due at `now`, those included that they add; returns how many, at most `limit`."""
        heap, now, pop, called = self._heap, self.now, heapq.heappop, 0
        while heap and heap[0][0] <= now and called < limit:
            entry = pop(heap)[2]
            action = entry.action
            if action is None:
                self._cancelled -= 1
                continue
            entry.action = None
            called += 1
            action(now)
        return called

    def cancelled_one(self) -> None:
        """An entry tells that it was cancelled; sweeps when more than half of the heap is."""
        self._cancelled += 1
        if self._cancelled > SWEEP_FROM and self._cancelled * 2 > len(self._heap):
            self._heap[:] = [item for item in self._heap if item[2].action is not None]
            heapq.heapify(self._heap)
            self._cancelled = 0
