"""The PDU sessions of one UE: asks for them one after the other, waits when it must, hears of their release.

Knows TS 24.501 clause 6 and DL NAS TRANSPORT (5.4.5.3). Needs a registered UE with a connection, and asks its owner
for one; what a 5GMM procedure is, it does not know.
"""

from typing import Protocol

from protocols.causes import FivegmmCause, FivegsmCause
from protocols.nas5g.decode import decode_5gsm
from protocols.nas5g.encode import encode
from protocols.nas5g.messages import (
    DlNasTransport,
    FivegmmMessage,
    FivegsmMessage,
    FivegsmStatus,
    PduSessionEstablishmentAccept,
    PduSessionEstablishmentReject,
    PduSessionReleaseCommand,
    PduSessionReleaseComplete,
    PduSessionReleaseReject,
    Unreadable,
)
from regstorm.records.ports import UeObserver
from regstorm.records.procedures import SESSION_RELEASE, pdu_session
from ue_models.attempt_runner import Running
from ue_models.procedures.pdu_session import attempt_establishment, attempt_release, transport
from ue_models.procedures.steps import Event, Expired, Heard, Send, SessionOutcome, Start, Step, Stop, Succeeded, Ue
from ue_models.profiles import Profile
from ue_models.rules import Never, NotForwarded, Retry, SessionFailure, SessionRejected, session_failed
from ue_models.timer_set import TimerSet
from ue_models.timers import T3396, T3580, T3582

_NOT_COMPATIBLE_WITH_STATE = FivegsmCause(98)


class Owner(Protocol):
    """What the sessions need of their UE."""

    def send_on_connection(self, message: FivegmmMessage, now: float) -> None:
        """Sends now if the UE is connected, else asks for a connection and sends then."""

    def sessions_changed(self, now: float) -> None:
        """A session came up or went down, or may be asked for again."""


class UeSessions:
    """At most one establishment at a time; psi 1, 2, … for the scenario's DNNs in order."""

    __slots__ = ("_observer", "_owner", "_profile", "_psi", "_releasing", "_running", "_t3396", "_timers", "_ue")

    def __init__(self, ue: Ue, owner: Owner, profile: Profile, timers: TimerSet, observer: UeObserver) -> None:
        self._ue = ue
        self._owner = owner
        self._profile = profile
        self._timers = timers
        self._observer = observer
        self._running: Running[SessionOutcome] | None = None
        self._releasing = False
        """What runs is a release."""
        self._psi = 0
        self._t3396 = 0
        """Bit n is set while the wait for session n is T3396, not just a pause."""

    @property
    def complete(self) -> bool:
        """Every session of the scenario is up."""
        wanted = (1 << len(self._ue.settings.dnns)) - 1 << 1
        return self._ue.state.sessions & wanted == wanted

    @property
    def busy(self) -> bool:
        """An establishment or a release is under way."""
        return self._running is not None

    def next_wanted(self) -> int | None:
        """The first session that may be asked for now."""
        state = self._ue.state
        for psi in range(1, len(self._ue.settings.dnns) + 1):
            known = state.sessions | state.barred_sessions
            if not known >> psi & 1 and not self._timers.runs(_wait_for(psi)):
                return psi
        return None

    def establish(self, psi: int, now: float) -> None:
        """Begins the establishment of session `psi`."""
        dnn = self._ue.settings.dnns[psi - 1]
        self._psi = psi
        self._running = running = Running(pdu_session(dnn), attempt_establishment(self._ue, psi, dnn), now)
        self._observer.attempt_started(self._ue.state.index, running.procedure, now)
        self._after(running.begin(lambda step: self._perform(step, now)), now)

    def renew(self, psi: int, now: float) -> None:
        """Has session `psi` released (6.4.3); it is then asked for again, as every session that is missing."""
        if self._running is not None:  # another session is being established: this one is released locally
            self._gone(psi, now)
            return
        self._psi = psi
        self._releasing = True
        self._running = running = Running(SESSION_RELEASE, attempt_release(self._ue, psi), now)
        self._observer.attempt_started(self._ue.state.index, running.procedure, now)
        self._after(running.begin(lambda step: self._perform(step, now)), now)

    def abandon(self, why: str, now: float) -> None:
        """The UE is no longer registered: no session, no wait for one."""
        if self._running is not None:
            running, self._running = self._running, None
            running.attempt.close()
            self._releasing = False
            self._timers.stop(T3580.name, T3582.name)
            self._observer.attempt_ended(self._ue.state.index, running.procedure, running.started, now, why)
        for psi in range(1, len(self._ue.settings.dnns) + 1):
            self._timers.stop(_wait_for(psi))
            self._t3396_ended(psi, now)
        self._ue.state.sessions = 0

    def heard(self, message: DlNasTransport, now: float) -> None:
        """A protected DL NAS TRANSPORT (5.4.5.3.3)."""
        if message.cause is not None:
            if self._running is not None and message.pdu_session_id == self._psi:
                self._advance(Heard(message, True), now)
            return
        payload = decode_5gsm(message.payload)
        match payload:
            case Unreadable(cause):
                self._complain(message.pdu_session_id, message.payload, cause, now)
            case PduSessionReleaseCommand(psi) as command:
                if self._releasing and psi == self._psi:
                    self._advance(Heard(command, True), now)
                else:
                    self._released(command, now)
            case PduSessionEstablishmentAccept(psi, pti) | PduSessionEstablishmentReject(psi, pti):
                if self._running is not None and psi == pti == self._psi:
                    self._advance(Heard(payload, True), now)
                else:
                    self._say(psi, FivegsmStatus(psi, pti, FivegsmCause.PTI_MISMATCH), now)  # 7.3.1
            case FivegsmStatus(psi) | PduSessionReleaseReject(psi):
                if self._running is not None and psi == self._psi:  # 6.5.3: the procedure is aborted
                    self._advance(Heard(payload, True), now)
            case _:
                psi, pti = payload[0], payload[1]
                self._say(psi, FivegsmStatus(psi, pti, _NOT_COMPATIBLE_WITH_STATE), now)

    # --- inside -----------------------------------------------------------------------------------------------------

    def _perform(self, step: Step, now: float) -> None:
        match step:
            case Start(timer):
                self._timers.start(timer.name, now + timer.seconds, lambda now: self._advance(Expired(timer), now))
            case Stop(timer):
                self._timers.stop(timer.name)
            case Send(message):
                self._owner.send_on_connection(message, now)

    def _advance(self, event: Event, now: float) -> None:
        if self._running is not None:
            self._after(self._running.take(event, lambda step: self._perform(step, now)), now)

    def _after(self, outcome: SessionOutcome | None, now: float) -> None:
        """What follows when the attempt has ended."""
        if outcome is None or self._running is None:
            return
        running, psi, releasing = self._running, self._psi, self._releasing
        self._running = None
        self._releasing = False
        self._timers.stop(T3580.name, T3582.name)
        index = self._ue.state.index
        if releasing:
            failure = None if isinstance(outcome, Succeeded) else f"{T3582.name} expired"
            self._observer.attempt_ended(index, running.procedure, running.started, now, failure)
            self._gone(psi, now)
            return
        if isinstance(outcome, Succeeded):
            self._observer.attempt_ended(index, running.procedure, running.started, now, None)
        else:
            failure, reported = _described(outcome)
            self._observer.attempt_ended(index, running.procedure, running.started, now, failure)
            if reported:
                self._observer.rejected(index, failure, True, now)
            self._wait(psi, outcome, now)
        self._owner.sessions_changed(now)

    def _gone(self, psi: int, now: float) -> None:
        """The session is released here, whatever the network thinks of it."""
        self._ue.state.sessions &= ~(1 << psi)
        self._owner.sessions_changed(now)

    def _wait(self, psi: int, failure: SessionFailure, now: float) -> None:
        """Until the rules let the UE ask for this session again."""
        match self._profile.adapt(session_failed(failure), self._ue.rng):
            case Retry(after_s, timer):
                jitter_s = self._ue.rng.uniform(0, self._ue.settings.retry_jitter_s)
                if timer:
                    self._t3396 |= 1 << psi
                    self._observer.waiting(T3396.name, 1, now)

                def try_again(now: float) -> None:
                    self._t3396_ended(psi, now)
                    self._owner.sessions_changed(now)

                self._timers.start(_wait_for(psi), now + after_s + jitter_s, try_again)
            case Never():
                self._ue.state.barred_sessions |= 1 << psi

    def _t3396_ended(self, psi: int, now: float) -> None:
        if self._t3396 >> psi & 1:
            self._t3396 &= ~(1 << psi)
            self._observer.waiting(T3396.name, -1, now)

    def _released(self, command: PduSessionReleaseCommand, now: float) -> None:
        """The network releases a session (6.3.3): complete, and ask again unless a back-off timer forbids it."""
        psi, pti, cause, back_off = command
        if not self._ue.state.session_active(psi):
            self._say(psi, FivegsmStatus(psi, pti, FivegsmCause.INVALID_PDU_SESSION_IDENTITY), now)
            return
        self._ue.state.sessions &= ~(1 << psi)
        self._say(psi, PduSessionReleaseComplete(psi, pti), now)
        if cause is not FivegsmCause.REACTIVATION_REQUESTED and 1 <= psi <= len(self._ue.settings.dnns):
            self._wait(psi, SessionRejected(cause, back_off), now)
        self._owner.sessions_changed(now)

    def _complain(self, psi: int, payload: bytes, cause: FivegmmCause, now: float) -> None:
        """7.4, 7.5.1 for 5GSM; too short to have a transaction identity is ignored (7.2.2)."""
        if len(payload) > 3:
            self._say(psi, FivegsmStatus(psi & 0xFF, payload[2], FivegsmCause(int(cause))), now)

    def _say(self, psi: int, message: FivegsmMessage, now: float) -> None:
        self._owner.send_on_connection(transport(self._ue, psi, encode(message)), now)


def _wait_for(psi: int) -> str:
    """The name of the wait before session `psi` is asked for again: T3396, or a pause of the upper layers."""
    return f"session {psi}"


def _described(outcome: SessionFailure) -> tuple[str, bool]:
    """How the attempt failed in words, and whether that was a reject."""
    match outcome:
        case SessionRejected(cause):
            return f"5GSM #{int(cause)}", True
        case NotForwarded(cause):
            return f"5GMM #{int(cause)}", True
    return f"{T3580.name} expired", False
