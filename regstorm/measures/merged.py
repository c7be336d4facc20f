"""One storm that several processes have measured: their seconds added up, their changes of service in one order.

Each process counts its own UEs, or its own network functions, on the same scenario clock. A second is complete once
every process has told about it. Levels add up as counters do: each process samples its own share.
"""

from array import array
from collections import defaultdict
from collections.abc import Iterable, Mapping
from heapq import heappop, heappush
from math import inf
from typing import NamedTuple

from regstorm.measures.service_log import ServiceLog
from regstorm.measures.timeline import Timeline

Second = tuple[Mapping[str, int], Mapping[str, int]]
"""What was counted in a second, and the levels at its end."""


class ServiceChange(NamedTuple):
    """One UE gained or lost full service, in scenario seconds."""

    at_s: float
    ue: int
    in_service: bool


class ToldServiceLog(ServiceLog):
    """A service log that keeps its changes until they are told to another process."""

    def __init__(
        self,
        outage_ues: int,
        online_ues: int,
        outage_end_s: float,
        next_begins_s: float = inf,
        last_end_s: float | None = None,
    ) -> None:
        super().__init__(outage_ues, online_ues, outage_end_s, next_begins_s, last_end_s)
        self._untold_at = array("d")
        self._untold_ue = array("q")
        self._untold_state = bytearray()
        """Columns, because a whole population may change before anybody asks: a fifth of what tuples take."""

    def change(self, ue: int, in_service: bool, now: float) -> int:
        """As a service log does."""
        changed = super().change(ue, in_service, now)
        if changed:
            self._untold_at.append(now)
            self._untold_ue.append(ue)
            self._untold_state.append(in_service)
        return changed

    def take_changes(self) -> list[ServiceChange]:
        """The changes since the last call."""
        columns = self._untold_at, self._untold_ue, self._untold_state
        told = [ServiceChange(at_s, ue, bool(in_service)) for at_s, ue, in_service in zip(*columns, strict=True)]
        for column in columns:
            del column[:]
        return told


class MergedTimeline(Timeline):
    """Seconds of several processes. `expected` are the processes without which no second is complete."""

    def __init__(self, outage_end_s: float, expected: Iterable[str]) -> None:
        super().__init__(outage_end_s)
        self._told: dict[str, int] = dict.fromkeys(expected, 0)
        self._pending_counted: list[defaultdict[str, int]] = []
        self._pending_sampled: list[defaultdict[str, int]] = []

    def tell(self, source: str, first: int, seconds: Iterable[Second]) -> None:
        """The seconds of `source` from `first` on. What it has told before is not counted twice."""
        have = self._told.get(source)
        if have is None:
            return
        if first > have:
            raise ValueError(f"{source} tells about second {first}, the next one is {have}")
        for number, (counted, sampled) in enumerate(seconds, first):
            if number >= have:
                self._add(number, counted, sampled)
                have = number + 1
        self._told[source] = have
        self._complete()

    def forget(self, source: str) -> None:
        """Nothing more will come from `source`: seconds are complete without it, the last levels it told are gone."""
        self._told.pop(source, None)
        self._complete()

    def finish(self) -> None:
        """No process tells anything more: every second that one has told about is complete."""
        self._told.clear()
        self._complete()

    def _add(self, number: int, counted: Mapping[str, int], sampled: Mapping[str, int]) -> None:
        while number - len(self._counted) >= len(self._pending_counted):
            self._pending_counted.append(defaultdict(int))
            self._pending_sampled.append(defaultdict(int))
        place = number - len(self._counted)
        for name, amount in counted.items():
            self._pending_counted[place][name] += amount
        for name, level in sampled.items():
            self._pending_sampled[place][name] += level

    def _complete(self) -> None:
        known = len(self._counted) + len(self._pending_counted)
        until = min(min(self._told.values(), default=known), known)
        complete = until - len(self._counted)
        if complete <= 0:
            return
        for counted, sampled in zip(self._pending_counted[:complete], self._pending_sampled[:complete], strict=True):
            self._append(dict(counted), dict(sampled))
            self._levels = defaultdict(int, {**dict.fromkeys(self._levels, 0), **sampled})
        del self._pending_counted[:complete], self._pending_sampled[:complete]
        self._next_second = len(self._counted) + 1.0


class MergedService:
    """Feeds a service log with the changes of several processes, in order of time."""

    def __init__(self, log: ServiceLog) -> None:
        self.log = log
        self._waiting: list[ServiceChange] = []

    def tell(self, changes: Iterable[tuple[float, int, bool]]) -> None:
        """Changes as one process saw them."""
        for at_s, ue, in_service in changes:
            heappush(self._waiting, ServiceChange(at_s, ue, bool(in_service)))

    def advance(self, through_s: float) -> None:
        """Every process has told its changes before `through_s`."""
        while self._waiting and self._waiting[0].at_s < through_s:
            at_s, ue, in_service = heappop(self._waiting)
            self.log.change(ue, in_service, at_s)


class MergedWaits:
    """UE-minutes of waiting that several processes have measured, by timer."""

    def __init__(self) -> None:
        self._minutes: defaultdict[str, float] = defaultdict(float)

    def tell(self, minutes: Mapping[str, float]) -> None:
        """One process's whole, at the end of the run."""
        for timer, amount in minutes.items():
            self._minutes[timer] += amount

    def waited_ue_minutes(self, end_s: float) -> dict[str, float]:
        """As ue_counts.UeCounts has it."""
        return dict(sorted(self._minutes.items()))
