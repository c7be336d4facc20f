"""Registered UEs of the simulator: their PDU sessions, and what users in service do (TS 24.501 5.5.1.3, 5.6.1, 6.4.1).

Sessions are asked for one after the other; T3580 repeats a request four times. A UE whose connection is gone asks for
one by a service request first. Users in service do that for their data, or update their registration.
"""

from typing import Final

from protocols.causes import FivegmmCause
from protocols.timers import GprsTimer3
from regstorm.records import procedures
from regstorm.simulator import events
from regstorm.simulator.core import PERIODIC_UPDATE as PERIODIC_UPDATE_MESSAGE
from regstorm.simulator.core import SERVICE_REQUEST as SERVICE_REQUEST_MESSAGE
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
)
from regstorm.simulator.ue_side import UeSide
from ue_models import rules
from ue_models.profiles import Profile
from ue_models.rules import NoAnswer, NotForwarded, Retry, SessionFailure
from ue_models.timers import RETRANSMISSIONS, T3396, T3510, T3517, T3580, T3582

REGISTERED: Final = frozenset({ESTABLISHING, LACKS_SESSION, IN_SERVICE})
NAMES: Final = ("", procedures.SERVICE_REQUEST, procedures.PERIODIC_UPDATE)
"""Of what a registered UE asks for."""
_UE_MASK: Final = (1 << events.UE_BITS) - 1
_MESSAGES: Final = (0, SERVICE_REQUEST_MESSAGE, PERIODIC_UPDATE_MESSAGE)


class RegisteredUes(UeSide):
    """What UEs do between their registration and its end."""

    # --- sessions ----------------------------------------------------------------------------------------------------

    def _resume(self, ue: int, now: float) -> None:
        """What a registered UE does of itself once nothing else is under way: ask for a missing session, else idle."""
        population = self._population
        if population.asks[ue]:
            return
        if population.phase[ue] != LACKS_SESSION or population.releasing[ue]:
            if self.ims is not None and self.ims.holds_packet(ue) and now >= population.idle_at[ue]:
                self.fetch_resources(ue, now)
            return
        if population.sessions[ue] == population.sessions_wanted:
            self._enter_service(ue, now)
            return
        session = self._next_wanted(ue)
        if session is None:
            return
        if now < population.idle_at[ue]:
            self._establish(ue, session, now)
        elif not population.retry[ue]:
            self._ask(ue, SERVICE_REQUEST, now)

    def _next_wanted(self, ue: int) -> int | None:
        """The first session that may be asked for now."""
        population = self._population
        known = population.sessions[ue] | population.barred_sessions[ue]
        for session, pauses in enumerate(population.pauses):
            if not known >> session & 1 and not pauses[ue]:
                return session
        return None

    def _establish(self, ue: int, session: int, now: float) -> None:
        population = self._population
        population.phase[ue] = ESTABLISHING
        population.stage[ue] = self._first_session[population.chain[ue]] + session
        population.repeats[ue] = 0
        population.session_started[ue] = now
        self._observer.attempt_started(ue, self._session_name(ue), now)
        population.t3580[ue] = self._heap.at(now + T3580.seconds, events.T3580, ue)
        self._owe(ue, OWES_SESSION, now)

    def t3580_expired(self, ue: int, now: float, number: int) -> None:
        """The request again, four times."""
        population = self._population
        if number != population.t3580[ue]:
            return
        if population.releasing[ue]:
            self._release_unanswered(ue, now)
        elif population.repeats[ue] < RETRANSMISSIONS:
            population.repeats[ue] += 1
            population.t3580[ue] = self._heap.at(now + T3580.seconds, events.T3580, ue)
            self._send_session_request(ue, now)
        else:
            self._session_failed(ue, NoAnswer(), f"{T3580.name} expired", now)
            self._resume(ue, now)

    def _send_session_request(self, ue: int, now: float) -> None:
        """Now if there is a connection, else once a service request has brought one."""
        population = self._population
        if now < population.idle_at[ue]:
            self._owe(ue, OWES_RELEASE if population.releasing[ue] else OWES_SESSION, now)
            return
        population.unsent[ue] = 1
        if not population.retry[ue] and not population.asks[ue]:
            self._ask(ue, SERVICE_REQUEST, now)

    def session_accepted(self, ue: int, stage: int, now: float) -> None:
        """The session of `stage` is up."""
        population = self._population
        if population.phase[ue] != ESTABLISHING or population.stage[ue] != stage:
            return
        population.t3580[ue] = 0
        population.sessions[ue] |= 1 << stage - self._first_session[population.chain[ue]]
        self._observer.attempt_ended(ue, self._session_name(ue), population.session_started[ue], now, None)
        self._stay_connected(ue, now)
        population.phase[ue] = LACKS_SESSION
        if self.ims is not None and stage - self._first_session[population.chain[ue]] == self._ims_session:
            self.ims.session_up(ue, now)
        self._resume(ue, now)

    def session_returned(
        self, ue: int, stage: int, cause: FivegmmCause, back_off: GprsTimer3 | None, now: float
    ) -> None:
        """The UE's own 5GSM message came back (TS 24.501 5.4.5.3.3)."""
        population = self._population
        self._stay_connected(ue, now)
        if population.phase[ue] == ESTABLISHING and population.stage[ue] == stage:
            why = f"5GMM #{int(cause)}"
            self._session_failed(ue, NotForwarded(cause, back_off), why, now)
            self._observer.rejected(ue, why, True, now)
            self._resume(ue, now)

    def _session_failed(self, ue: int, failure: SessionFailure, why: str, now: float) -> None:
        """Until the rules let the UE ask for this session again, it asks for another that it lacks."""
        population = self._population
        self._observer.attempt_ended(ue, self._session_name(ue), population.session_started[ue], now, why)
        session = population.stage[ue] - self._first_session[population.chain[ue]]
        population.phase[ue] = LACKS_SESSION
        population.t3580[ue] = population.unsent[ue] = 0
        profile = population.profiles[population.profile[ue]]
        verdict = profile.adapt(rules.session_failed(failure), self._rng)
        if isinstance(verdict, Retry):
            if verdict.timer:
                population.backs_off[ue] |= 1 << session
                self._observer.waiting(T3396.name, 1, now)
            due_s = now + verdict.after_s + self._rng.random() * self._jitter_s
            subject = session << events.UE_BITS | ue
            population.pauses[session][ue] = self._heap.at(due_s, events.SESSION_PAUSE, subject)
        else:
            population.barred_sessions[ue] |= 1 << session

    def pause_over(self, subject: int, now: float, number: int) -> None:
        """A session may be asked for again."""
        session, ue = subject >> events.UE_BITS, subject & _UE_MASK
        pauses = self._population.pauses[session]
        if number == pauses[ue]:
            pauses[ue] = 0
            self._stop_back_off(ue, session, now)
            self._resume(ue, now)

    def _stop_back_off(self, ue: int, session: int, now: float) -> None:
        population = self._population
        if population.backs_off[ue] >> session & 1:
            population.backs_off[ue] &= ~(1 << session)
            self._observer.waiting(T3396.name, -1, now)

    def _abandon_sessions(self, ue: int, now: float) -> None:
        """The UE is no longer registered: no session, no wait for one."""
        population = self._population
        if population.releasing[ue]:
            self._release_ended(ue, "aborted", now)
        population.t3580[ue] = population.unsent[ue] = population.sessions[ue] = 0
        for session, pauses in enumerate(population.pauses):
            pauses[ue] = 0
            self._stop_back_off(ue, session, now)
        if self.ims is not None:
            self.ims.session_down(ue, now)

    # --- release of the ims session (TS 24.501 6.4.3) ----------------------------------------------------------------

    def _release_ims_session(self, ue: int, now: float) -> None:
        """It is then asked for again, as every session that is missing. While another is being established it is
        released here alone."""
        population = self._population
        if population.phase[ue] == ESTABLISHING:
            self._ims_session_gone(ue, now)
            return
        population.releasing[ue] = 1
        population.repeats[ue] = 0
        population.session_started[ue] = now
        self._observer.attempt_started(ue, procedures.SESSION_RELEASE, now)
        population.t3580[ue] = self._heap.at(now + T3582.seconds, events.T3580, ue)
        self._send_session_request(ue, now)

    def _release_unanswered(self, ue: int, now: float) -> None:
        """T3582: the request again, four times."""
        population = self._population
        if population.repeats[ue] < RETRANSMISSIONS:
            population.repeats[ue] += 1
            population.t3580[ue] = self._heap.at(now + T3582.seconds, events.T3580, ue)
            self._send_session_request(ue, now)
        else:
            self._release_ended(ue, f"{T3582.name} expired", now)
            self._ims_session_gone(ue, now)

    def session_released(self, ue: int, commanded: bool, now: float) -> None:
        """The answer to the request, whichever: the session is gone (6.4.3.4)."""
        population = self._population
        self._stay_connected(ue, now)
        if not population.releasing[ue]:
            return
        if commanded:
            self._owe(ue, OWES_RELEASED, now)
        self._release_ended(ue, None, now)
        self._ims_session_gone(ue, now)

    def _release_ended(self, ue: int, failure: str | None, now: float) -> None:
        population = self._population
        population.releasing[ue] = 0
        population.t3580[ue] = population.unsent[ue] = 0
        name, began = procedures.SESSION_RELEASE, population.session_started[ue]
        self._observer.attempt_ended(ue, name, began, now, failure)

    def _ims_session_gone(self, ue: int, now: float) -> None:
        population = self._population
        population.sessions[ue] &= ~(1 << self._ims_session)
        if population.phase[ue] == IN_SERVICE:
            population.phase[ue] = LACKS_SESSION
        if self.ims is not None:
            self.ims.session_down(ue, now)
        self._tell_service(ue, now)
        self._resume(ue, now)

    def _session_name(self, ue: int) -> str:
        population = self._population
        return self._session_names[self._chains[population.chain[ue]][population.stage[ue]].dnn or ""]

    def _enter_service(self, ue: int, now: float) -> None:
        self._population.phase[ue] = IN_SERVICE
        self._tell_service(ue, now)
        if not self._population.operation[ue]:
            self._await_operation(ue, now)
        self._start_t3512(ue, self._population.idle_at[ue] + self._t3512_s)

    def _tell_service(self, ue: int, now: float) -> None:
        """Full service: registered with every session, and in IMS as UE and core see it. Harmless if it was so."""
        served = self._population.phase[ue] == IN_SERVICE
        if self.ims is not None:
            served = served and self.ims.in_full_service(ue)
        self._observer.service_changed(ue, served, now)

    def in_service(self, ue: int) -> bool:
        """Every session is up."""
        return self._population.phase[ue] == IN_SERVICE

    # --- operations of users in service ------------------------------------------------------------------------------

    def _await_operation(self, ue: int, now: float) -> None:
        due_s = now + self._rng.expovariate(1 / self._online.every_s)
        self._population.operation[ue] = self._heap.at(due_s, events.OPERATION, ue)

    def operation_due(self, ue: int, now: float, number: int) -> None:
        """One operation of the user, if the UE is idle and free to begin; and when the next one is due."""
        population = self._population
        if number != population.operation[ue]:
            return
        self._await_operation(ue, now)
        ims = self.ims
        free = population.phase[ue] == IN_SERVICE and not population.asks[ue] and not population.retry[ue]
        if free and now >= population.idle_at[ue] and (ims is None or ims.is_registered(ue)):
            drawn = self._rng.random()
            if drawn < self._online.periodic_update_share:
                self._ask(ue, PERIODIC_UPDATE, now)
            elif ims is not None and drawn >= 1 - self._online.message_share:
                ims.send_message(ue, now)
            else:
                self._ask(ue, SERVICE_REQUEST, now)

    def _start_t3512(self, ue: int, due_s: float) -> None:
        """T3512 runs in 5GMM-IDLE (TS 24.501 5.3.7); zero and deactivated mean no periodic update."""
        if self._t3512_s:
            self._population.t3512[ue] = self._heap.at(due_s, events.T3512, ue)

    def t3512_expired(self, ue: int, now: float, number: int) -> None:
        """A periodic update, unless the UE may not begin one."""
        population = self._population
        if number == population.t3512[ue] and population.phase[ue] in REGISTERED:
            population.t3512[ue] = 0
            if not population.asks[ue] and not population.retry[ue]:
                self._ask(ue, PERIODIC_UPDATE, now)

    def _ask(self, ue: int, what: int, now: float) -> None:
        """A service request or a periodic update begins."""
        population = self._population
        population.asks[ue] = what
        population.started[ue] = now
        population.t3512[ue] = 0
        self._observer.attempt_started(ue, NAMES[what], now)
        profile = population.profiles[population.profile[ue]]
        self._start_guard(ue, profile.guard_s(T3517 if what == SERVICE_REQUEST else T3510), now)
        self._core.connect(ue)
        self._stay_connected(ue, now)
        self._core.uplink(ue, _MESSAGES[what], now)

    def accepted(self, ue: int, now: float) -> None:
        """SERVICE ACCEPT, or the accept of a periodic update (whose connection is released at once)."""
        population = self._population
        what = population.asks[ue]
        if not what:
            return
        population.asks[ue] = IDLE
        population.guard[ue] = 0
        population.registration_attempts[ue] = population.service_attempts[ue] = 0
        self._observer.attempt_ended(ue, NAMES[what], population.started[ue], now, None)
        if what == SERVICE_REQUEST:
            self._stay_connected(ue, now)
        else:
            self._leave_connection(ue, now)
        self._start_t3512(ue, population.idle_at[ue] + self._t3512_s)
        if population.unsent[ue] and what == SERVICE_REQUEST:
            population.unsent[ue] = 0
            self._owe(ue, OWES_RELEASE if population.releasing[ue] else OWES_SESSION, now)
        if self.ims is not None and what == SERVICE_REQUEST:
            self.ims.connected(ue, now)
        self._resume(ue, now)

    # --- what the IMS side calls -------------------------------------------------------------------------------------

    def has_connection(self, ue: int, now: float) -> bool:
        """Packets can be sent and received now."""
        return now < self._population.idle_at[ue] and self._population.phase[ue] in REGISTERED

    def packet(self, ue: int, now: float) -> None:
        """One was sent or received: the base station's inactivity timer begins anew."""
        self._stay_connected(ue, now)

    def fetch_resources(self, ue: int, now: float) -> None:
        """A packet waits for a connection: a service request, unless something forbids it."""
        population = self._population
        if population.phase[ue] in REGISTERED and not population.asks[ue] and not population.retry[ue]:
            self._ask(ue, SERVICE_REQUEST, now)

    def profile_of(self, ue: int) -> Profile:
        """How it behaves."""
        return self._population.profiles[self._population.profile[ue]]

    def ims_changed(self, ue: int, now: float) -> None:
        """Registered in IMS, or no longer, or still."""
        self._tell_service(ue, now)

    def core_service_changed(self, ue: int, now: float) -> None:
        """Both application servers hold it, or no more."""
        self._tell_service(ue, now)
