"""An agenda in exact order: by due time, and among equals by when they were added.

Order inside an instant is policy in a storm, so nothing is rounded into slots and nothing depends on the heap's inner
order. A cancelled action stays in the heap without its closure and is thrown out when it comes up, or in a sweep when
the cancelled are the majority: most guard timers are cancelled minutes before they are due.
"""

import heapq
from collections.abc import Callable
from math import isnan
from typing import Any

SWEEP_FROM = 1024  # cancelled entries below which a sweep is not worth it


DUE_S, ACTION, AGENDA = 0, 2, 3
"""Places in an entry."""


class Entry(list[Any]):
    """An action that waits: when it is due, its number, the action (None: no more), its agenda.

    A list, because a heap compares lists and makes them without calling Python: thousands of entries are added per
    second. Numbers differ, so that no comparison goes further than them.
    """

    __slots__ = ()

    def cancel(self) -> None:
        """The action will not be called. Harmless if it has been called already, or cancelled."""
        if self[ACTION] is not None:
            self[ACTION] = None
            self[AGENDA].cancelled_one()


class HeapAgenda:
    """Actions by (due time, order of adding). `now` is the instant that is being worked on."""

    def __init__(self) -> None:
        self.now = 0.0
        self._heap: list[Entry] = []
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
        self._added = added = self._added + 1
        entry = Entry((due_s, added, action, self))
        heapq.heappush(self._heap, entry)
        return entry

    def next_due_s(self) -> float | None:
        """When the next action is due; None if none waits."""
        heap = self._heap
        while heap and heap[0][ACTION] is None:
            heapq.heappop(heap)
            self._cancelled -= 1
        return heap[0][DUE_S] if heap else None

    def run_due(self, limit: int) -> int:
        """Calls every action due at `now`, those included that they add; returns how many, at most `limit`."""
        heap, now, pop, called = self._heap, self.now, heapq.heappop, 0
        while heap and heap[0][DUE_S] <= now and called < limit:
            entry = pop(heap)
            action = entry[ACTION]
            if action is None:
                self._cancelled -= 1
                continue
            entry[ACTION] = None
            called += 1
            action(now)
        return called

    def cancelled_one(self) -> None:
        """An entry tells that it was cancelled; sweeps when more than half of the heap is."""
        self._cancelled += 1
        if self._cancelled > SWEEP_FROM and self._cancelled * 2 > len(self._heap):
            self._heap[:] = [entry for entry in self._heap if entry[ACTION] is not None]
            heapq.heapify(self._heap)
            self._cancelled = 0
