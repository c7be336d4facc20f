"""A UE that records what it does: every NAS message, timer, attempt and change of service, with its time.

For a sample of a population: a record of everything would be larger than the storm. It behaves as any other UE does
and draws no chance of its own. What becomes of the record is the `Trace`'s business.
"""

import re
from collections.abc import Callable
from enum import IntEnum
from random import Random
from typing import Final, Protocol

from protocols.nas5g.decode import decode_5gsm
from protocols.nas5g.messages import DlNasTransport, FivegmmMessage, FivegsmMessage, UlNasTransport, Unreadable
from protocols.timers import GprsTimer2, GprsTimer3
from regstorm.records.ports import Agenda, UeObserver
from ue_models.ims_ue import ImsUe
from ue_models.nas_connection import NasConnection
from ue_models.procedures.steps import Heard, SendInitial, Ue
from ue_models.profiles import Profile
from ue_models.radio import BaseStation, Connectable
from ue_models.settings import UeSettings
from ue_models.timer_set import TimerSet
from ue_models.traced_ims import TRANSACTIONS, TracedIms
from ue_models.ue import UeMachine
from ue_models.ue_state import UeState

_SHOWN_FIELDS: Final = ("cause", "t3346", "back_off", "kind", "service_type", "wanted", "dnn")
_NOT_TIMERS: Final = ("retry", "operation", *TRANSACTIONS)
"""Pauses that TS 24.501 has no timer for; the wait for a retry is told by its own timer's name."""


class Trace(Protocol):
    """Takes down the events of one UE, in order of time."""

    def note(self, at_s: float, event: str, name: str, detail: str = "") -> None:
        """`event`: up and down (messages), started, stopped, expired (timers), waiting, attempt, ended, rejected,
        service, lost, link."""


class TracedUe(UeMachine):
    """Made as any UE, with a trace."""

    __slots__ = ("_trace",)

    def __init__(
        self,
        state: UeState,
        profile: Profile,
        settings: UeSettings,
        gnb: BaseStation,
        agenda: Agenda,
        rng: Random,
        observer: UeObserver,
        trace: Trace,
    ) -> None:
        self._trace = _Timed(trace)
        super().__init__(state, profile, settings, gnb, agenda, rng, _TracingObserver(observer, self._trace))

    def released(self, now: float) -> None:
        """As any UE."""
        if self.state.connected:
            self._trace.note(now, "link", "connection released")
        super().released(now)

    def return_to_coverage(self, now: float) -> None:
        """As any UE."""
        self._trace.note(now, "link", "back in coverage")
        super().return_to_coverage(now)

    def lose_coverage(self, now: float) -> None:
        """As any UE."""
        self._trace.note(now, "link", "coverage lost")
        super().lose_coverage(now)

    def _hear(self, heard: Heard, now: float) -> None:
        self._trace.note(now, "down", *described(heard.message, "" if heard.protected else "not protected"))
        super()._hear(heard, now)

    def _timer_set(self, agenda: Agenda) -> TimerSet:
        return _TracedTimers(agenda, self._trace)

    def _ims_side(self) -> ImsUe:
        return TracedIms(self._ue, self._ims_state(), self, self._profile, self._timers, self._observer, self._trace)

    def _nas_connection(self, agenda: Agenda) -> NasConnection:
        return _TracedConnection(self._ue, self, self._gnb, agenda, self._timers, self._trace)


class _Timed:
    """A trace that remembers the time of its last event: timers start and stop within one."""

    __slots__ = ("_trace", "now")

    def __init__(self, trace: Trace) -> None:
        self._trace = trace
        self.now = 0.0

    def note(self, at_s: float, event: str, name: str, detail: str = "") -> None:
        self.now = at_s
        self._trace.note(at_s, event, name, detail)


class _TracedTimers(TimerSet):
    __slots__ = ("_trace",)

    def __init__(self, agenda: Agenda, trace: _Timed) -> None:
        super().__init__(agenda)
        self._trace = trace

    def start(self, name: str, due_s: float, action: Callable[[float], None]) -> None:
        def expired(now: float) -> None:
            self._trace.now = now
            if name not in _NOT_TIMERS:
                self._trace.note(now, "expired", name)
            action(now)

        if name not in _NOT_TIMERS:
            self._trace.note(self._trace.now, "started", name, f"{due_s - self._trace.now:.1f} s")
        super().start(name, due_s, expired)

    def stop(self, *names: str) -> None:
        for name in names:
            if self.runs(name) and name not in _NOT_TIMERS:
                self._trace.note(self._trace.now, "stopped", name)
        super().stop(*names)


class _TracedConnection(NasConnection):
    """Notes a message when it goes out, not when it is decided upon."""

    __slots__ = ("_said", "_trace")

    def __init__(
        self, ue: Ue, user: Connectable, gnb: BaseStation, agenda: Agenda, timers: TimerSet, trace: _Timed
    ) -> None:
        super().__init__(ue, user, gnb, agenda, timers)
        self._trace = trace
        self._said: list[FivegmmMessage] = []

    def begin(self, initial: SendInitial, now: float) -> bool:
        if self._ue.state.connected:
            self._said.append(initial.message)
            return super().begin(initial, now)
        connected = super().begin(initial, now)
        name, detail = described(initial.message)
        self._trace.note(now, "up" if connected else "link", name if connected else f"no connection for {name}", detail)
        return connected

    def say(self, message: FivegmmMessage, now: float) -> None:
        if self._ue.state.connected:
            self._said.append(message)
        super().say(message, now)

    def closed(self) -> None:
        self._said.clear()
        super().closed()

    def _send_outbox(self, now: float) -> None:
        said, self._said = self._said, []
        for message in said:
            self._trace.note(now, "up", *described(message))
        super()._send_outbox(now)


class _TracingObserver:
    """Notes what the UE tells about itself, and passes it on."""

    __slots__ = ("_observer", "_trace")

    def __init__(self, observer: UeObserver, trace: _Timed) -> None:
        self._observer = observer
        self._trace = trace

    def attempt_started(self, ue: int, procedure: str, now: float) -> None:
        self._trace.note(now, "attempt", procedure)
        self._observer.attempt_started(ue, procedure, now)

    def attempt_ended(self, ue: int, procedure: str, started: float | None, now: float, failure: str | None) -> None:
        self._trace.note(now, "ended", procedure, failure or "succeeded")
        self._observer.attempt_ended(ue, procedure, started, now, failure)

    def rejected(self, ue: int, cause: str, protected: bool, now: float) -> None:
        self._trace.note(now, "rejected", cause, "protected" if protected else "not protected")
        self._observer.rejected(ue, cause, protected, now)

    def service_changed(self, ue: int, in_service: bool, now: float) -> None:
        self._trace.note(now, "service", "full service" if in_service else "out of service")
        self._observer.service_changed(ue, in_service, now)

    def registration_lost(self, ue: int, why: str, now: float) -> None:
        self._trace.note(now, "lost", "registration lost", why)
        self._observer.registration_lost(ue, why, now)

    def waiting(self, timer: str, change: int, now: float) -> None:
        self._trace.note(now, "waiting", timer, "begins" if change > 0 else "ends")
        self._observer.waiting(timer, change, now)


def described(message: FivegmmMessage | FivegsmMessage | Unreadable, remark: str = "") -> tuple[str, str]:
    """Name and details of a message; a NAS transport is called by what it carries. No key and no identity."""
    details = [
        f"{name} {_shown(value)}" for name in _SHOWN_FIELDS if (value := getattr(message, name, None)) is not None
    ]
    name = _name_of(message)
    if isinstance(message, UlNasTransport | DlNasTransport) and message.payload:
        inner, more = described(decode_5gsm(message.payload))
        name = f"{inner} in {name}"
        details += [f"session {message.pdu_session_id}", *([more] if more else [])]
    return name, ", ".join([*details, *([remark] if remark else [])])


def _name_of(message: object) -> str:
    """`RegistrationRequest` is REGISTRATION REQUEST, `FivegmmStatus` 5GMM STATUS, as TS 24.501 writes them."""
    name = type(message).__name__.replace("Fiveg", "5g")
    return re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name).upper()


def _shown(value: object) -> str:
    if isinstance(value, GprsTimer2 | GprsTimer3):
        return "deactivated" if value.seconds is None else f"{value.seconds} s"
    if isinstance(value, IntEnum):
        return f"#{int(value)} {value.name.lower().replace('_', ' ')}"
    return str(value)
