"""PDU sessions of the simulator's UEs: asked for one after the other; the ims one released (TS 24.501 6.4.1, 6.4.3).

T3580 and T3582 repeat a request four times. A UE whose connection is gone sends one by a service request first.
"""

from abc import abstractmethod
from typing import Final

from protocols.causes import FivegmmCause
from protocols.timers import GprsTimer3
from regstorm.records import procedures
from regstorm.simulator import events
from regstorm.simulator.population import (
    ESTABLISHING,
    IN_SERVICE,
    LACKS_SESSION,
    OWES_RELEASE,
    OWES_RELEASED,
    OWES_SESSION,
    SERVICE_REQUEST,
    Ue,
)
from regstorm.simulator.ue_side import UeSide
from ue_models import rules
from ue_models.rules import NoAnswer, NotForwarded, Retry, SessionFailure
from ue_models.timers import RETRANSMISSIONS, T3396, T3580, T3582

_UE_MASK: Final = (1 << events.UE_BITS) - 1


class SessionUes(UeSide):
    """What registered UEs do for their sessions."""

    # --- sessions ----------------------------------------------------------------------------------------------------

    def _resume(self, ue: Ue, now: float) -> None:
        """What a registered UE does of itself once nothing else is under way: ask for a missing session, else idle."""
        if ue.asks:
            return
        if ue.phase == LACKS_SESSION and not self._releasing[ue.index]:
            if ue.sessions == self._population.sessions_wanted:
                self._enter_service(ue, now)
            elif (session := self._next_wanted(ue)) is not None:
                if now < ue.idle_at_s:
                    self._establish(ue, session, now)
                elif not self._next_attempt[ue.index]:
                    self._ask(ue, SERVICE_REQUEST, now)
                return
        if self.ims is not None and self.ims.holds_packet(ue):
            self.fetch_resources(ue, now)

    def _next_wanted(self, ue: Ue) -> int | None:
        """The first session that may be asked for now."""
        wanted = self._population.sessions_wanted & ~(
            ue.sessions | self._barred_sessions[ue.index] | self._paused_sessions[ue.index]
        )
        return (wanted & -wanted).bit_length() - 1 if wanted else None

    def _lacks_session(self, ue: Ue) -> bool:
        return bool(self._population.sessions_wanted & ~(ue.sessions | self._barred_sessions[ue.index]))

    def _establish(self, ue: Ue, session: int, now: float) -> None:
        ue.phase = ESTABLISHING
        ue.stage = self._first_session[ue.chain] + session
        self._repeats[ue.index] = 0
        self._observer.attempt_started(ue.index, self._session_name(ue), now)
        self._t3580.begin_anew(ue, now)
        self._owe(ue, OWES_SESSION, now)

    def t3580_expired(self, _: int, now: float, number: int) -> None:
        """The request again, four times."""
        ue = self._t3580.over(now)
        if ue is None:
            return
        if self._releasing[ue.index]:
            self._release_unanswered(ue, now)
        elif self._repeats[ue.index] < RETRANSMISSIONS:
            self._repeats[ue.index] += 1
            self._t3580.begin(ue, now)
            self._send_session_request(ue, now)
        else:
            self._session_failed(ue, NoAnswer(), f"{T3580.name} expired", now)
            self._resume(ue, now)

    def _send_session_request(self, ue: Ue, now: float) -> None:
        """Now if there is a connection, else once a service request has brought one."""
        if now < ue.idle_at_s:
            self._owe(ue, OWES_RELEASE if self._releasing[ue.index] else OWES_SESSION, now)
            return
        self._unsent[ue.index] = True
        if not self._next_attempt[ue.index] and not ue.asks:
            self._ask(ue, SERVICE_REQUEST, now)

    def session_accepted(self, ue: Ue, stage: int, now: float) -> None:
        """The session of `stage` is up."""
        if ue.phase != ESTABLISHING or ue.stage != stage:
            return
        self._t3580.end_if_it_runs(ue)
        ue.sessions |= 1 << stage - self._first_session[ue.chain]
        self._observer.attempt_ended(ue.index, self._session_name(ue), None, now, None)
        self._stay_connected(ue, now)
        ue.phase = LACKS_SESSION
        if self.ims is not None and stage - self._first_session[ue.chain] == self._ims_session:
            self._has_resources[ue.index] = True
            self.ims.session_up(ue, now)
        self._resume(ue, now)

    def session_returned(
        self, ue: Ue, stage: int, cause: FivegmmCause, back_off: GprsTimer3 | None, now: float
    ) -> None:
        """The UE's own 5GSM message came back (TS 24.501 5.4.5.3.3)."""
        self._stay_connected(ue, now)
        if ue.phase == ESTABLISHING and ue.stage == stage:
            why = f"5GMM #{int(cause)}"
            self._session_failed(ue, NotForwarded(cause, back_off), why, now)
            self._observer.rejected(ue.index, why, True, now)
            self._resume(ue, now)

    def _session_failed(self, ue: Ue, failure: SessionFailure, why: str, now: float) -> None:
        """Until the rules let the UE ask for this session again, it asks for another that it lacks."""
        self._observer.attempt_ended(ue.index, self._session_name(ue), None, now, why)
        session = ue.stage - self._first_session[ue.chain]
        ue.phase = LACKS_SESSION
        self._unsent[ue.index] = False
        self._t3580.end_if_it_runs(ue)
        verdict = ue.profile.adapt(rules.session_failed(failure), self._rng)
        if isinstance(verdict, Retry):
            if verdict.timer:
                self._backs_off[ue.index] |= 1 << session
                self._observer.waiting(T3396.name, 1, now)
            due_s = now + verdict.after_s + self._rng.random() * self._jitter_s
            self._paused_sessions[ue.index] |= 1 << session
            subject = session << events.UE_BITS | ue.index
            self._pauses[subject] = self._heap.at(due_s, events.SESSION_PAUSE, subject)
        else:
            self._barred_sessions[ue.index] |= 1 << session

    def pause_over(self, subject: int, now: float, number: int) -> None:
        """A session may be asked for again."""
        if number == self._pauses.get(subject):
            session, ue = subject >> events.UE_BITS, self._ues[subject & _UE_MASK]
            self._end_pause(ue, session, now)
            self._resume(ue, now)

    def _end_pause(self, ue: Ue, session: int, now: float) -> None:
        del self._pauses[session << events.UE_BITS | ue.index]
        self._paused_sessions[ue.index] &= ~(1 << session)
        if self._backs_off[ue.index] >> session & 1:
            self._backs_off[ue.index] &= ~(1 << session)
            self._observer.waiting(T3396.name, -1, now)

    def _abandon_sessions(self, ue: Ue, now: float) -> None:
        """The UE is no longer registered: no session, no wait for one."""
        if self._releasing[ue.index]:
            self._release_ended(ue, "aborted", now)
        self._unsent[ue.index] = False
        ue.sessions = 0
        self._t3580.end_if_it_runs(ue)
        for session in range(self._paused_sessions[ue.index].bit_length()):
            if self._paused_sessions[ue.index] >> session & 1:
                self._end_pause(ue, session, now)
        if self.ims is not None:
            self.ims.session_down(ue, now)

    # --- release of the ims session (TS 24.501 6.4.3) ----------------------------------------------------------------

    def _release_ims_session(self, ue: Ue, now: float) -> None:
        """It is then asked for again, as every session that is missing. While another is being established it is
        released here alone."""
        if ue.phase == ESTABLISHING:
            self._ims_session_gone(ue, now)
            return
        self._releasing[ue.index] = True
        self._repeats[ue.index] = 0
        self._observer.attempt_started(ue.index, procedures.SESSION_RELEASE, now)
        self._t3580.begin_anew(ue, now)
        self._send_session_request(ue, now)

    def _release_unanswered(self, ue: Ue, now: float) -> None:
        """T3582: the request again, four times."""
        if self._repeats[ue.index] < RETRANSMISSIONS:
            self._repeats[ue.index] += 1
            self._t3580.begin(ue, now)
            self._send_session_request(ue, now)
        else:
            self._release_ended(ue, f"{T3582.name} expired", now)
            self._ims_session_gone(ue, now)

    def session_released(self, ue: Ue, commanded: bool, now: float) -> None:
        """The answer to the request, whichever: the session is gone (6.4.3.4)."""
        self._stay_connected(ue, now)
        if not self._releasing[ue.index]:
            return
        if commanded:
            self._owe(ue, OWES_RELEASED, now)
        self._release_ended(ue, None, now)
        self._ims_session_gone(ue, now)

    def _release_ended(self, ue: Ue, failure: str | None, now: float) -> None:
        self._releasing[ue.index] = False
        self._unsent[ue.index] = False
        self._t3580.end_if_it_runs(ue)
        self._observer.attempt_ended(ue.index, procedures.SESSION_RELEASE, None, now, failure)

    def _ims_session_gone(self, ue: Ue, now: float) -> None:
        ue.sessions &= ~(1 << self._ims_session)
        if ue.phase == IN_SERVICE:
            ue.phase = LACKS_SESSION
        if self.ims is not None:
            self.ims.session_down(ue, now)
        self._tell_service(ue, now)
        self._resume(ue, now)

    def _session_name(self, ue: Ue) -> str:
        return self._session_names[self._chains[ue.chain][ue.stage].dnn or ""]

    # --- what follows from it ----------------------------------------------------------------------------------------

    @abstractmethod
    def _enter_service(self, ue: Ue, now: float) -> None:
        """Every session is up."""

    @abstractmethod
    def _tell_service(self, ue: Ue, now: float) -> None:
        """Full service, or no more. Harmless if it was so."""

    @abstractmethod
    def _ask(self, ue: Ue, what: int, now: float, for_data: bool = False) -> None:
        """A service request, for signalling or data, or a periodic update begins."""

    @abstractmethod
    def fetch_resources(self, ue: Ue, now: float) -> None:
        """A packet waits: a service request, unless something forbids it."""
