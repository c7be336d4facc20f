"""The UEs of the simulator: how they come back, and when they try again (TS 24.501 5.5.1.2).

Nothing is decided here: what a failure means and when the next attempt is due say ue_models.rules, as the UE's
profile takes them. Here stand the attempts, without bytes: T3510 runs from REGISTRATION REQUEST to its answer.
"""

from typing import Final

from protocols.causes import FivegmmCause
from protocols.timers import GprsTimer2
from regstorm.records import procedures
from regstorm.simulator import events
from regstorm.simulator.chain import ANONYMOUS, KNOWN, UNKNOWN_GUTI
from regstorm.simulator.core import DEREGISTRATION
from regstorm.simulator.ims_requests import ImsOwner
from regstorm.simulator.population import (
    AWAY,
    DEREGISTERED,
    ESTABLISHING,
    IDLE,
    IN_SERVICE,
    LACKS_SESSION,
    OWES_COMPLETE,
    OWES_STAGE,
    PERIODIC_UPDATE,
    REGISTERING,
    SERVICE_REQUEST,
    STOPPED,
)
from regstorm.simulator.ue_service import NAMES, REGISTERED, RegisteredUes
from regstorm.simulator.ue_side import WAITS
from ue_models import rules
from ue_models.ims_rules import Recourse
from ue_models.rules import (
    Failure,
    GiveUp,
    LowerLayerFailure,
    Never,
    Next,
    NoAnswer,
    RegisterAnew,
    Rejected,
    Retry,
    Standing,
    ToEutra,
)
from ue_models.timers import T3247, T3346, T3510, T3517

E_UTRA: Final = "E-UTRA"
"""What a UE that left NG-RAN is said to wait on."""

_COVERAGE_LOST: Final = "coverage lost"
_EXHAUSTED: Final = "IMS P-CSCFs exhausted"


class Ues(RegisteredUes):
    """Both groups of UEs."""

    # --- the scenario ------------------------------------------------------------------------------------------------

    def begin(self, now: float) -> None:
        """Everybody is in service since before the run; T3512 of each is somewhere in its course."""
        for ue in range(self._population.size):
            self._observer.service_changed(ue, True, now)
            self._await_operation(ue, now)
            self._start_t3512(ue, now + self._rng.random() * self._t3512_s)
        if self.ims is not None:
            self.ims.begin(now)

    def outage_begins(self, _: int, now: float, number: int) -> None:
        """The cells of the outage group are gone; if the AMF has restarted, it knows nobody."""
        for ue in range(self._population.outage_ues):
            self._lose_coverage(ue, now)
            if self._core.ims is not None:
                self._core.ims.forget(ue, now)
        self._core.lose_contexts(everybody=self._loses_contexts)

    def outage_ends(self, _: int, now: float, number: int) -> None:
        """The cells are back, and their UEs find them one after the other."""
        for ue in range(self._population.outage_ues):
            self._heap.at(now + self._rng.random() * self._arrivals_s, events.RETURN, ue)

    def returns(self, ue: int, now: float, number: int) -> None:
        """The UE finds its cell again: initial registration, unless T3346 or T3247 still runs."""
        population = self._population
        if population.phase[ue] != AWAY:
            return
        population.phase[ue] = DEREGISTERED
        population.registration_attempts[ue] = population.service_attempts[ue] = 0
        if not population.waits_on[ue]:
            self._register(ue, now)

    def _lose_coverage(self, ue: int, now: float) -> None:
        """T3346 and T3247 go on (TS 24.501 5.3.9, 5.3.20); a UE that has given up for good stays as it is."""
        population = self._population
        if population.phase[ue] == STOPPED:
            return
        self._abort(ue, _COVERAGE_LOST, now)
        if WAITS[population.waits_on[ue]] not in (T3346.name, T3247.name):
            self._stop_waiting(ue, now)
        population.operation[ue] = 0
        self._leave_connection(ue, now)
        self._deregister(ue, _COVERAGE_LOST, AWAY, now)

    # --- initial registration ----------------------------------------------------------------------------------------

    def _register(self, ue: int, now: float) -> None:
        population = self._population
        population.phase[ue] = REGISTERING
        if not population.has_guti[ue]:
            population.chain[ue] = ANONYMOUS
        else:
            population.chain[ue] = KNOWN if population.shares_context(ue) else UNKNOWN_GUTI
        population.stage[ue] = 0
        population.started[ue] = now
        population.t3512[ue] = 0
        self._observer.attempt_started(ue, procedures.REGISTRATION, now)
        self._start_guard(ue, T3510.seconds if not population.profile[ue] else self._guard_s(ue), now)
        self._core.connect(ue)
        self._core.uplink(ue, 0, now)

    def _guard_s(self, ue: int) -> float:
        population = self._population
        return population.profiles[population.profile[ue]].guard_s(T3510)

    def asked(self, ue: int, stage: int, now: float) -> None:
        """The network waits for the uplink message of `stage`."""
        population = self._population
        if population.phase[ue] == REGISTERING:
            population.stage[ue] = stage
            self._owe(ue, OWES_STAGE, now)

    def registered(self, ue: int, stage: int, now: float) -> None:
        """REGISTRATION ACCEPT: complete it, and ask for the first session in the same breath."""
        population = self._population
        if population.phase[ue] != REGISTERING:  # repeated by T3550: the first COMPLETE was lost
            if now < population.idle_at[ue]:
                self._owe(ue, OWES_COMPLETE, now)
            return
        population.guard[ue] = 0
        population.has_guti[ue] = 1
        population.registration_attempts[ue] = population.service_attempts[ue] = population.hard_rejects[ue] = 0
        self._observer.attempt_ended(ue, procedures.REGISTRATION, population.started[ue], now, None)
        self._stay_connected(ue, now)
        self._owe(ue, OWES_COMPLETE, now)
        population.phase[ue] = LACKS_SESSION
        self._resume(ue, now)

    # --- failures of 5GMM attempts -----------------------------------------------------------------------------------

    def guard_expired(self, ue: int, now: float, number: int) -> None:
        """T3510 or T3517: the UE gives up and leaves the connection."""
        population = self._population
        if number == population.guard[ue]:
            population.guard[ue] = 0
            timer = T3517 if population.asks[ue] == SERVICE_REQUEST else T3510
            self._failed(ue, NoAnswer(), f"{timer.name} expired", now)

    def released(self, ue: int, now: float) -> None:
        """The network has released the connection without an answer."""
        population = self._population
        if population.phase[ue] == REGISTERING or population.asks[ue]:
            self._failed(ue, LowerLayerFailure(), "lower layer failure", now)
        else:
            population.idle_at[ue] = now
            self._resume(ue, now)

    def rejected(self, ue: int, cause: FivegmmCause, t3346: GprsTimer2 | None, protected: bool, now: float) -> None:
        """REGISTRATION REJECT or SERVICE REJECT."""
        if self._population.phase[ue] == REGISTERING or self._population.asks[ue]:
            self._failed(ue, Rejected(cause, t3346, protected), f"5GMM #{int(cause)}", now)

    def _failed(self, ue: int, failure: Failure, why: str, now: float) -> None:
        """Tells of it, leaves the connection, and does what the rules say, as the profile takes them."""
        population = self._population
        what = population.asks[ue]
        population.asks[ue] = IDLE
        population.guard[ue] = population.unsent[ue] = 0
        name = NAMES[what] if what else procedures.REGISTRATION
        self._observer.attempt_ended(ue, name, population.started[ue], now, why)
        if isinstance(failure, Rejected):
            self._observer.rejected(ue, why, failure.protected, now)
        self._leave_connection(ue, now)
        population.retries[ue] = what
        profile = population.profiles[population.profile[ue]]
        self._follow(ue, profile.adapt(self._verdict(ue, what, profile.heard(failure)), self._rng), why, now)

    def _verdict(self, ue: int, what: int, failure: Failure) -> Next:
        population = self._population
        counter = population.service_attempts if what == SERVICE_REQUEST else population.registration_attempts
        standing = Standing(counter[ue], self._t3502_s, population.hard_rejects[ue], bool(population.eutra[ue]))
        if what == SERVICE_REQUEST:
            return rules.service_request_failed(failure, self._rng, standing)
        if what == PERIODIC_UPDATE:
            return rules.registration_update_failed(failure, self._rng, standing)
        return rules.initial_registration_failed(failure, self._rng, standing)

    def _follow(self, ue: int, verdict: Next, why: str, now: float) -> None:
        """Puts a verdict of the rules into effect."""
        population = self._population
        if isinstance(verdict, Retry):
            if verdict.timer == T3247.name:
                population.hard_rejects[ue] += 1
            if population.phase[ue] not in REGISTERED or verdict.forget:
                self._deregister(ue, why, DEREGISTERED, now)
                population.registration_attempts[ue] = verdict.attempts
            elif population.retries[ue] == SERVICE_REQUEST:
                population.service_attempts[ue] = verdict.attempts
            else:
                population.registration_attempts[ue] = verdict.attempts
            if verdict.forget:
                population.has_guti[ue] = 0
            self._wait(ue, verdict.after_s, verdict.timer, now)
        elif isinstance(verdict, RegisterAnew):
            self._deregister(ue, why, DEREGISTERED, now)
            if verdict.forget:
                population.has_guti[ue] = 0
            self._wait(ue, 0.0, "", now)
        elif isinstance(verdict, Never | ToEutra):
            self._deregister(ue, why, STOPPED, now)
            if isinstance(verdict, ToEutra):
                self._observer.waiting(E_UTRA, 1, now)
        elif isinstance(verdict, GiveUp):
            self._start_t3512(ue, now + self._t3512_s)

    def retry_due(self, ue: int, now: float, number: int) -> None:
        """The wait is over: the next attempt."""
        population = self._population
        if number != population.retry[ue]:
            return
        self._stop_waiting(ue, now)
        if population.phase[ue] == DEREGISTERED:
            self._register(ue, now)
        elif population.phase[ue] in REGISTERED and not population.asks[ue]:
            self._ask(ue, population.retries[ue], now)

    # --- every P-CSCF asked in vain ----------------------------------------------------------------------------------

    def _ims_owner(self) -> ImsOwner:
        return self

    def ims_exhausted(self, ue: int, recourse: Recourse, now: float) -> None:
        """It is the 5GS that is asked again: a new session, a new registration, or none here any more."""
        population = self._population
        match recourse:
            case Recourse.NEW_SESSION:
                self._release_ims_session(ue, now)
            case Recourse.REREGISTER if not population.asks[ue]:
                population.returns[ue] = 1
                if now >= population.idle_at[ue]:
                    self._core.connect(ue)
                    self._stay_connected(ue, now)
                self._core.uplink(ue, DEREGISTRATION, now)
            case Recourse.REREGISTER:  # something else is under way: the registration is given up locally
                self._abort(ue, _EXHAUSTED, now)
                self._stop_waiting(ue, now)
                self._follow(ue, RegisterAnew(forget=False), _EXHAUSTED, now)
            case Recourse.TO_EUTRA:
                self._abort(ue, _EXHAUSTED, now)
                self._leave_connection(ue, now)
                self._follow(ue, ToEutra(), _EXHAUSTED, now)

    def deregistered(self, ue: int, now: float) -> None:
        """DEREGISTRATION ACCEPT, of a deregistration that was meant to be followed by a registration."""
        if self._population.returns[ue]:
            self._population.returns[ue] = 0
            self._leave_connection(ue, now)
            self._follow(ue, RegisterAnew(forget=False), _EXHAUSTED, now)

    # --- ends --------------------------------------------------------------------------------------------------------

    def _abort(self, ue: int, why: str, now: float) -> None:
        """Ends the 5GMM attempt under way from outside."""
        population = self._population
        if population.guard[ue]:
            name = NAMES[population.asks[ue]] if population.asks[ue] else procedures.REGISTRATION
            self._observer.attempt_ended(ue, name, population.started[ue], now, why)
        population.guard[ue] = population.asks[ue] = population.unsent[ue] = 0

    def _deregister(self, ue: int, why: str, phase: int, now: float) -> None:
        """Enters 5GMM-DEREGISTERED; tells if a registration, or full service, is lost thereby."""
        population = self._population
        before = population.phase[ue]
        if before not in REGISTERED:
            population.phase[ue] = phase
            return
        if before == ESTABLISHING:
            name, started = self._session_name(ue), population.session_started[ue]
            self._observer.attempt_ended(ue, name, started, now, why if phase == AWAY else "aborted")
        population.phase[ue] = phase
        population.t3512[ue] = 0
        self._abandon_sessions(ue, now)
        if before == IN_SERVICE:
            self._tell_service(ue, now)
        self._observer.registration_lost(ue, why, now)
