"""What a machine on the lower floors is handed by whoever drives it: when to be called, and where to count.

No clock is read here or below: `now` (scenario seconds) is an argument of every call that needs it.
"""

from collections.abc import Callable
from typing import Protocol


class Due(Protocol):
    """An action that waits in an agenda."""

    def cancel(self) -> None:
        """The action will not be called. Harmless if it has been called already."""


class Agenda(Protocol):
    """Actions by due time; equal times are called in the order in which they were added."""

    def at(self, due_s: float, action: Callable[[float], None]) -> Due:
        """Calls `action(now)` when scenario time reaches `due_s` (not before the running action has returned)."""


class Tally(Protocol):
    """Counters per scenario second; the names stand in records.counters."""

    def count(self, name: str, now: float, amount: int = 1) -> None:
        """Adds `amount` to counter `name` in the second of `now`."""

    def gauge(self, name: str, change: int) -> None:
        """Changes a level (UEs in service, UEs waiting on a timer) that is sampled at the end of every second."""
