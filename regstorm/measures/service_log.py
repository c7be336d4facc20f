"""Service log: who is in full service, since when, and how long recovery took.

UEs 0 … n−1 are the outage group, the others were in service all the while. A recovery time is counted from the end
of the outage until a share of the outage group has had full service for the first time since then; `stable`: until
that share is in service together and stays so until the end of the run. Not reached is None.

Where an outage strikes several times, recovery times are those of the first one (`stable`: until the next begins),
and everybody is back once all have had full service since the end of the last one.
"""

from array import array
from bisect import bisect_right
from math import ceil, inf, isnan, nan
from typing import Final, Self

from regstorm.records.scenario import Scenario

UNCHANGED: Final = 0
CHANGED: Final = 1
BACK: Final = 2
"""What a change came to: it had been so before; so it is now; and a user of the outage group has full service for the
first time since the end of the outage."""


class ServiceLog:
    """Told of every change of service, in order of time; answers with recovery times in seconds."""

    STABLE_SHARE = 0.99

    def __init__(
        self,
        outage_ues: int,
        online_ues: int,
        outage_end_s: float,
        next_begins_s: float = inf,
        last_end_s: float | None = None,
    ) -> None:
        """`next_begins_s`, `last_end_s`: of the second and of the last outage, if there is more than one."""
        self.outage_ues = outage_ues
        self.outage_end_s = outage_end_s
        self.ues = outage_ues + online_ues
        """Of both groups."""
        self._in_service = bytearray(self.ues)
        self._outage_in_service = 0
        self._next_begins_s = next_begins_s
        self._return = _Return(outage_end_s, outage_ues)
        self._last_return = self._return if last_end_s is None else _Return(last_end_s, outage_ues)
        self._last_loss = array("d", [nan]) * self.ues
        self._needed_for_stable = _ues_of(self.STABLE_SHARE, outage_ues)
        self._stable_since: float | None = None

    @classmethod
    def of(cls, scenario: Scenario) -> Self:
        """The log of a whole run; `scenario` is that of the sample."""
        ues, outage = scenario.population, scenario.outage
        if outage.repeats == 1:
            return cls(ues.outage_ues, ues.online_ues, outage.end_s)
        return cls(ues.outage_ues, ues.online_ues, outage.end_s, outage.beginnings_s[1], outage.last_end_s)

    @property
    def back(self) -> int:
        """Outage UEs that have had full service since the end of the outage."""
        return len(self._return.times_s)

    @property
    def everybody_back_s(self) -> float | None:
        """When all outage UEs had had full service since the end of the last outage, on the run's clock."""
        times_s = self._last_return.times_s
        return times_s[-1] if len(times_s) == self.outage_ues else None

    @property
    def share_back(self) -> float:
        """The same as a share of the outage group."""
        return self.back / self.outage_ues

    def is_online_group(self, ue: int) -> bool:
        """The UE was never part of the outage."""
        return ue >= self.outage_ues

    def in_service(self, ue: int) -> bool:
        """The UE has full service now."""
        return bool(self._in_service[ue])

    def first_back_s(self, ue: int) -> float | None:
        """When this outage UE was back for the first time, from the end of the outage."""
        return _or_none(self._return.back_at_s[ue] - self.outage_end_s)

    def last_loss_s(self, ue: int) -> float | None:
        """When the UE last lost service, on the run's clock."""
        return _or_none(self._last_loss[ue])

    def change(self, ue: int, in_service: bool, now: float) -> int:
        """The UE gained or lost full service: UNCHANGED (which is false), CHANGED or BACK."""
        if self._in_service[ue] == in_service:
            return UNCHANGED
        self._in_service[ue] = in_service
        if not in_service:
            self._last_loss[ue] = now
        if ue >= self.outage_ues:
            return CHANGED
        self._outage_in_service += 1 if in_service else -1
        if now < self._next_begins_s:
            self._follow_stable(now)
        if not in_service or now < self.outage_end_s:
            return CHANGED
        if self._last_return is not self._return:
            self._last_return.note(ue, now)
        return BACK if self._return.note(ue, now) else CHANGED

    def recovery_s(self, share: float) -> float | None:
        """T50 for 0.5, T99 for 0.99, T100 for 1."""
        needed = _ues_of(share, self.outage_ues)
        return self._return.times_s[needed - 1] - self.outage_end_s if self.back >= needed else None

    def share_back_within(self, seconds: float) -> float:
        """Share of the outage group that was back so long after the end of the outage."""
        return bisect_right(self._return.times_s, self.outage_end_s + seconds) / self.outage_ues

    def stable_recovery_s(self) -> float | None:
        """T99 stable."""
        return None if self._stable_since is None else self._stable_since - self.outage_end_s

    def _follow_stable(self, now: float) -> None:
        if self._outage_in_service < self._needed_for_stable:
            self._stable_since = None
        elif self._stable_since is None:
            self._stable_since = max(now, self.outage_end_s)


class _Return:
    """One outage's return: who has had full service since its end, and when for the first time."""

    __slots__ = ("_end_s", "back_at_s", "times_s")

    def __init__(self, end_s: float, outage_ues: int) -> None:
        self._end_s = end_s
        self.back_at_s = array("d", [nan]) * outage_ues
        """By UE."""
        self.times_s = array("d")
        """Ascending."""

    def note(self, ue: int, now: float) -> bool:
        """The UE has full service. True: for the first time."""
        if now < self._end_s or not isnan(self.back_at_s[ue]):
            return False
        self.back_at_s[ue] = now
        self.times_s.append(now)
        return True


def _ues_of(share: float, ues: int) -> int:
    """How many UEs that share is, rounded up but not for the error of a binary fraction."""
    return max(1, ceil(share * ues - 1e-9))


def _or_none(value: float) -> float | None:
    return None if isnan(value) else value
