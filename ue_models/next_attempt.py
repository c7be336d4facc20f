"""The attempt that a UE has planned: of what, when, and which timer forbids it until then."""

from typing import Final, Protocol

from protocols.nas5g.messages import RegistrationType, ServiceType
from regstorm.records.ports import UeObserver
from ue_models.procedures.steps import Ue
from ue_models.rules import Retry
from ue_models.timer_set import TimerSet
from ue_models.timers import T3247, T3346

Kind = RegistrationType | ServiceType
"""What an attempt is an attempt of."""

_NAME: Final = "retry"
_KEPT_WITHOUT_COVERAGE: Final = frozenset({T3346.name, T3247.name})


class Beginner(Protocol):
    """Who plans an attempt, and is told when it is due."""

    def begin_planned(self, now: float) -> None:
        """It is due, and no longer planned."""


class NextAttempt:
    """At most one is planned. `waits_on` is its timer, "" for a mere pause, None if none is planned."""

    __slots__ = ("_observer", "_owner", "_timers", "_ue", "kind", "waits_on")

    def __init__(self, ue: Ue, timers: TimerSet, observer: UeObserver, owner: Beginner) -> None:
        self._ue = ue
        self._timers = timers
        self._observer = observer
        self._owner = owner  # not a method of it: one object more for each UE
        self.kind: Kind = RegistrationType.INITIAL
        self.waits_on: str | None = None

    def plan(self, retry: Retry, kind: Kind, now: float) -> None:
        """Supersedes what was planned. A little jitter is added: no two phones have the same clock."""
        self.cancel(now)
        self.kind = kind
        self.waits_on = retry.timer
        if retry.timer:
            self._observer.waiting(retry.timer, 1, now)
        jitter_s = self._ue.rng.uniform(0, self._ue.settings.retry_jitter_s)
        self._timers.start(_NAME, now + retry.after_s + jitter_s, self._due)

    def cancel(self, now: float) -> None:
        """Nothing is planned any more."""
        if self.waits_on is not None:
            self._timers.stop(_NAME)
            if self.waits_on:
                self._observer.waiting(self.waits_on, -1, now)
            self.waits_on = None

    @property
    def held(self) -> bool:
        """T3346 or T3247 runs: neither coverage nor power changes that (5.3.9, 5.3.20)."""
        return self.waits_on in _KEPT_WITHOUT_COVERAGE

    def _due(self, now: float) -> None:
        self.cancel(now)
        self._owner.begin_planned(now)
