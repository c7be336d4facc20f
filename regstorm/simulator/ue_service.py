"""Registered UEs of the simulator: their PDU sessions, and what users in service do (TS 24.501 5.5.1.3, 5.6.1, 6.4.1).

Sessions are asked for one after the other; T3580 repeats a request four times. A UE whose connection is gone asks for
one by a service request first. Users in service do that for their data, or update their registration.
"""

from typing import Final

from protocols.causes import FivegmmCause
from protocols.timers import GprsTimer3
from regstorm.records import procedures
from regstorm.simulator import events
from regstorm.simulator.chain import PERIODIC_UPDATE as PERIODIC_UPDATE_MESSAGE
from regstorm.simulator.chain import SERVICE_REQUEST as SERVICE_REQUEST_MESSAGE
from regstorm.simulator.population import (
    ESTABLISHING,
    IDLE,
    IN_SERVICE,
    LACKS_SESSION,
    OWES_RELEASE,
    OWES_RELEASED,
    OWES_SESSION,
    PERIODIC_UPDATE,
    SERVICE_REQUEST,
    Ue,
)
from regstorm.simulator.ue_side import UeSide
from ue_models import rules
from ue_models.rules import NoAnswer, NotForwarded, Retry, SessionFailure
from ue_models.timers import RETRANSMISSIONS, T3396, T3510, T3517, T3580, T3582

REGISTERED: Final = frozenset({ESTABLISHING, LACKS_SESSION, IN_SERVICE})
NAMES: Final = ("", procedures.SERVICE_REQUEST, procedures.PERIODIC_UPDATE, procedures.DEREGISTRATION)
"""Of what a registered UE asks for."""
_UE_MASK: Final = (1 << events.UE_BITS) - 1
_MESSAGES: Final = (0, SERVICE_REQUEST_MESSAGE, PERIODIC_UPDATE_MESSAGE)


class RegisteredUes(UeSide):
    """What UEs do between their registration and its end."""

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
                elif not self._retry[ue.index]:
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
        if not self._retry[ue.index] and not ue.asks:
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

    def _enter_service(self, ue: Ue, now: float) -> None:
        ue.phase = IN_SERVICE
        self._tell_service(ue, now)
        if not self._operation[ue.index]:
            self._await_operation(ue, now)
        self._start_t3512(ue, (ue.idle_at_s or now) + self._t3512_s)

    def _tell_service(self, ue: Ue, now: float) -> None:
        """Full service: registered with every session, and in IMS as UE and core see it. Harmless if it was so."""
        served = ue.phase == IN_SERVICE
        if self.ims is not None:
            served = served and self.ims.in_full_service(ue)
        self._observer.service_changed(ue.index, served, now)

    def in_service(self, ue: Ue) -> bool:
        """Every session is up."""
        return ue.phase == IN_SERVICE

    def sessions_with_data(self, ue: Ue) -> int:
        """Of how many sessions its service request wants the resources (TS 24.501 5.6.1.2)."""
        return ue.sessions.bit_count() if self._for_data[ue.index] else 0

    # --- operations of users in service ------------------------------------------------------------------------------

    def _await_operation(self, ue: Ue, now: float) -> None:
        due_s = now + self._rng.expovariate(1 / self._online.every_s)
        self._operation[ue.index] = self._heap.at(due_s, events.OPERATION, ue.index)

    def operation_due(self, index: int, now: float, number: int) -> None:
        """One operation of the user, if the UE is idle and free to begin; and when the next one is due."""
        ue = self._ues[index]
        if number != self._operation[ue.index]:
            return
        self._await_operation(ue, now)
        ims = self.ims
        free = ue.phase == IN_SERVICE and not ue.asks and not self._retry[ue.index]
        if free and now >= ue.idle_at_s and (ims is None or ims.is_registered(ue)):
            drawn = self._rng.random()
            if drawn < self._online.periodic_update_share:
                self._ask(ue, PERIODIC_UPDATE, now)
            elif ims is not None and drawn >= 1 - self._online.message_share:
                ims.send_message(ue, now)
            else:
                self._ask(ue, SERVICE_REQUEST, now, for_data=True)

    def _start_t3512(self, ue: Ue, due_s: float) -> None:
        """T3512 runs in 5GMM-IDLE (TS 24.501 5.3.7); zero and deactivated mean no periodic update."""
        if self._t3512_s:
            self._t3512_until_s[ue.index] = due_s
            if not self._awaits_t3512[ue.index]:
                self._awaits_t3512[ue.index] = True
                self._heap.at(due_s, events.T3512, ue.index)

    def t3512_expired(self, index: int, now: float, number: int) -> None:
        """A periodic update, unless the UE may not begin one."""
        self._awaits_t3512[index] = False
        until_s = self._t3512_until_s[index]
        ue = self._ues[index]
        if until_s > now:
            self._start_t3512(ue, until_s)
        elif until_s and ue.phase in REGISTERED:
            self._t3512_until_s[index] = 0.0
            if not ue.asks and not self._retry[ue.index]:
                self._ask(ue, PERIODIC_UPDATE, now)

    def _ask(self, ue: Ue, what: int, now: float, for_data: bool = False) -> None:
        """A service request, for signalling or data, or a periodic update begins."""
        ue.asks = what
        self._for_data[ue.index] = for_data
        self._has_resources[ue.index] = False
        self._t3512_until_s[ue.index] = 0.0
        self._observer.attempt_started(ue.index, NAMES[what], now)
        profile = ue.profile
        self._start_guard(ue, profile.guard_s(T3517 if what == SERVICE_REQUEST else T3510), now)
        ue.owes = ue.answer = 0  # what was not sent went with the connection before
        self._core.connect(ue)
        self._stay_connected(ue, now)
        self._core.uplink(ue, _MESSAGES[what], now)

    def accepted(self, ue: Ue, now: float) -> None:
        """SERVICE ACCEPT, or the accept of a periodic update, which is released unless it asked to follow on."""
        what = ue.asks
        if not what:
            return
        ue.asks = IDLE
        self._stop_guard(ue)
        self._registration_attempts[ue.index] = self._service_attempts[ue.index] = 0
        self._observer.attempt_ended(ue.index, NAMES[what], None, now, None)
        if what == SERVICE_REQUEST or self._lacks_session(ue):
            self._stay_connected(ue, now)
        else:
            self._leave_connection(ue, now)
        self._start_t3512(ue, (ue.idle_at_s or now) + self._t3512_s)
        if self._unsent[ue.index] and what == SERVICE_REQUEST:
            self._unsent[ue.index] = False
            self._owe(ue, OWES_RELEASE if self._releasing[ue.index] else OWES_SESSION, now)
        if self.ims is not None and self._for_data[ue.index]:
            self._has_resources[ue.index] = True
            self.ims.connected(ue, now)
        self._resume(ue, now)

    # --- what the IMS side calls -------------------------------------------------------------------------------------

    def has_connection(self, ue: Ue, now: float) -> bool:
        """Packets can be sent and received now."""
        return now < ue.idle_at_s and ue.phase in REGISTERED and bool(self._has_resources[ue.index])

    def packet(self, ue: Ue, now: float) -> None:
        """One was sent or received: the base station's inactivity timer begins anew."""
        self._stay_connected(ue, now)

    def fetch_resources(self, ue: Ue, now: float) -> None:
        """A packet waits: a service request, unless something forbids it; while connected without resources it waits
        on."""
        if now < ue.idle_at_s:
            if not self._wakes[ue.index]:
                self._wakes[ue.index] = self._heap.at(ue.idle_at_s, events.IDLE, ue.index)
        elif ue.phase in REGISTERED and not ue.asks and not self._retry[ue.index]:
            self._ask(ue, SERVICE_REQUEST, now, for_data=True)

    def idle(self, index: int, now: float, number: int) -> None:
        """The base station has released the connection on which a packet waited, unless it was used meanwhile."""
        self._wakes[index] = 0
        ue = self._ues[index]
        if self.ims is not None and self.ims.holds_packet(ue):
            self._resume(ue, now)

    def ims_changed(self, ue: Ue, now: float) -> None:
        """Registered in IMS, or no longer, or still."""
        self._tell_service(ue, now)

    def core_service_changed(self, ue: Ue, now: float) -> None:
        """Both application servers hold it, or no more."""
        self._tell_service(ue, now)
