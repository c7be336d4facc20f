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


class UeObserver(Protocol):
    """What UEs tell about themselves. `ue` is the UE's index in the population; all times are scenario seconds."""

    def attempt_started(self, ue: int, procedure: str, now: float) -> None:
        """An attempt's first octet went out. `procedure` is one of records.procedures."""

    def attempt_ended(self, ue: int, procedure: str, started: float | None, now: float, failure: str | None) -> None:
        """It ended: None is success, else `5GMM #22`, `T3510 expired`, `lower layer failure`, `aborted` …

        `started`: when; None from UEs that do not remember it, as nobody who listens to them needs it.
        """

    def rejected(self, ue: int, cause: str, protected: bool, now: float) -> None:
        """A reject arrived, `cause` as `5GMM #22`, `5GSM #26`, `SIP 503`; `protected` if its integrity was checked."""

    def service_changed(self, ue: int, in_service: bool, now: float) -> None:
        """The UE gained full service (registered, every PDU session up, IMS registered if there is IMS) or lost it."""

    def registration_lost(self, ue: int, why: str, now: float) -> None:
        """A registered UE is deregistered (`5GMM #10`, `coverage lost`, `IMS Timer F expired` …) against its will."""

    def waiting(self, timer: str, change: int, now: float) -> None:
        """One UE more (+1) or fewer (−1) waits on `timer` (T3346, T3502, T3511, T3525, T3396 …) before trying again."""
