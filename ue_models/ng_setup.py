"""NG Setup of a gNB: until it has succeeded, the cell is barred (TS 38.413 8.7.1)."""

from collections.abc import Callable
from typing import Final

from protocols.ngap.messages import NgSetupFailure, NgSetupRequest
from regstorm.records.ports import Agenda, Due, UeObserver
from regstorm.records.procedures import NG_SETUP
from ue_models.n2_sender import N2Sender

NG_SETUP_GUARD_S: Final = 10.0
"""Until an unanswered NG SETUP REQUEST is repeated (assumed; TS 38.413 8.7.1 names no timer)."""

NOT_A_UE: Final = -1
"""The `ue` of an NG Setup in what the observer is told."""


class NgSetup:
    """Asks until it is answered. `begins(now)` is called before each request, to erase what was configured."""

    __slots__ = ("_agenda", "_associated", "_begins", "_n2", "_observer", "_request", "_started", "_timer", "succeeded")

    def __init__(
        self,
        request: NgSetupRequest,
        agenda: Agenda,
        n2: N2Sender,
        observer: UeObserver,
        begins: Callable[[float], None],
    ) -> None:
        self.succeeded = False
        self._request = request
        self._agenda = agenda
        self._n2 = n2
        self._observer = observer
        self._begins = begins
        self._associated = False
        self._started: float | None = None
        self._timer: Due | None = None

    def associated(self, now: float) -> None:
        """There is somebody to ask."""
        self._associated = True
        self._ask(now)

    def association_lost(self, reason: str, now: float) -> None:
        """There is nobody to ask any more."""
        self._associated = self.succeeded = False
        self._end(reason, now)

    def accepted(self, now: float) -> None:
        """NG SETUP RESPONSE."""
        self.succeeded = True
        self._end(None, now)

    def refused(self, failure: NgSetupFailure, now: float) -> None:
        """NG SETUP FAILURE: again, not before "time to wait" (8.7.1.3)."""
        self._end(f"NGAP {failure.cause.group.name.lower()} {failure.cause.value}", now)
        wait_s = NG_SETUP_GUARD_S if failure.time_to_wait_s is None else failure.time_to_wait_s
        self._timer = self._agenda.at(now + wait_s, self._ask)

    def _ask(self, now: float) -> None:
        if not self._associated:
            return
        self._end("no answer", now)
        self.succeeded = False
        self._begins(now)
        self._started = now
        self._observer.attempt_started(NOT_A_UE, NG_SETUP, now)
        self._n2.common(self._request)
        self._timer = self._agenda.at(now + NG_SETUP_GUARD_S, self._ask)

    def _end(self, failure: str | None, now: float) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if self._started is not None:
            started, self._started = self._started, None
            self._observer.attempt_ended(NOT_A_UE, NG_SETUP, started, now, failure)
