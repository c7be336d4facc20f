"""Backlog: who has been refused and is expected back, and who has been served in this storm already.

A refused UE is expected when its back-off ends. It leaves the backlog when it is admitted, or when it is overdue: by
then it has lost interest, or it does what it likes. From this follows what a UE that comes is to the door: new, on
time, early, late, or one that has had its turn. The storm is over, and everything forgotten, when nobody is expected
and nobody has been refused for a while.
"""

from collections import defaultdict
from collections.abc import Hashable
from enum import Enum, auto

CALM_S = 60.0  # assumed: without a refusal, and nobody expected


class Standing(Enum):
    """What a UE is that asks to be let in."""

    NEW = auto()
    """It has not asked before in this storm."""
    ON_TIME = auto()
    EARLY = auto()
    """It does not obey, or did not hear, when it was to come back."""
    LATE = auto()
    """It was overdue: nobody counts on it any more."""
    SERVED = auto()
    """It was admitted before in this storm."""
    SERVED_EARLY = auto()
    """The same, and back before its time."""


class Backlog:
    """Memory of one front door. `now` never decreases."""

    __slots__ = ("_due_s", "_early_by_s", "_last_refusal", "_overdue_s", "_ring", "_second", "_served", "size")

    def __init__(self, overdue_s: float, early_by_s: float = 0.5) -> None:
        """A UE is early if it comes more than `early_by_s` before its time (assumed: what clocks differ by)."""
        self._overdue_s = overdue_s
        self._early_by_s = early_by_s
        self._due_s: dict[Hashable, float] = {}
        self._served: set[Hashable] = set()
        self._ring: defaultdict[int, int] = defaultdict(int)
        """UEs by the second in which they will be overdue."""
        self._second = 0
        self._last_refusal = 0.0
        self.size = 0
        """UEs that are expected and have not had their turn."""

    def advance(self, now: float) -> None:
        """Takes out who is overdue."""
        while self._second < int(now):
            self.size -= self._ring.pop(self._second, 0)
            self._second += 1
        if not self.size and self._due_s and now - self._last_refusal > CALM_S:
            self._due_s.clear()
            self._served.clear()

    def standing(self, sender: Hashable, now: float) -> Standing:
        """What `sender` is, who asks now."""
        due_s = self._due_s.get(sender)
        early = due_s is not None and now < due_s - self._early_by_s
        if sender in self._served:
            return Standing.SERVED_EARLY if early else Standing.SERVED
        if due_s is None:
            return Standing.NEW
        if early:
            return Standing.EARLY
        return Standing.LATE if self._overdue_in(due_s) < self._second else Standing.ON_TIME

    def expect(self, sender: Hashable, due_s: float, now: float) -> None:
        """It has been refused, and told to be back at `due_s`."""
        self._last_refusal = now
        self._strike(sender)
        self._due_s[sender] = due_s
        if sender not in self._served:
            self._ring[self._overdue_in(due_s)] += 1
            self.size += 1

    def admitted(self, sender: Hashable) -> None:
        """It has its turn."""
        self._strike(sender)
        self._due_s.pop(sender, None)
        self._served.add(sender)

    def _strike(self, sender: Hashable) -> None:
        """It is not expected any more, if it was."""
        due_s = self._due_s.get(sender)
        if due_s is None or sender in self._served:
            return
        overdue_in = self._overdue_in(due_s)
        if overdue_in >= self._second:
            self._ring[overdue_in] -= 1
            self.size -= 1

    def _overdue_in(self, due_s: float) -> int:
        return int(due_s + self._overdue_s)
