"""The UEs of the simulator: what they send, how long they wait, and when they try again (TS 24.501).

Nothing is decided here: what a failure means and when the next attempt is due say ue_models.rules, as the UE's
profile takes them. Here stand the attempts themselves, without bytes: T3510 from REGISTRATION REQUEST to its answer,
T3517, T3580 with its repetitions, the answers a UE owes, the connection that an idle base station releases.
"""

from random import Random
from typing import Final

from protocols.causes import FivegmmCause
from protocols.timers import GprsTimer2, GprsTimer3
from regstorm.records import procedures
from regstorm.records.ports import UeObserver
from regstorm.records.scenario import Scenario
from regstorm.simulator import events
from regstorm.simulator.chain import ANONYMOUS, KNOWN, UNKNOWN_GUTI, Chains, Stage
from regstorm.simulator.core import PERIODIC_UPDATE as PERIODIC_UPDATE_MESSAGE
from regstorm.simulator.core import SERVICE_REQUEST as SERVICE_REQUEST_MESSAGE
from regstorm.simulator.core import Core
from regstorm.simulator.engine import EventHeap
from regstorm.simulator.population import (
    AWAY,
    DEREGISTERED,
    ESTABLISHING,
    IDLE,
    IN_SERVICE,
    LACKS_SESSION,
    OWES_COMPLETE,
    OWES_SESSION,
    OWES_STAGE,
    PERIODIC_UPDATE,
    REGISTERING,
    SERVICE_REQUEST,
    STOPPED,
    Population,
)
from ue_models import rules
from ue_models.rules import (
    Failure,
    GiveUp,
    LowerLayerFailure,
    Never,
    Next,
    NoAnswer,
    NotForwarded,
    RegisterAnew,
    Rejected,
    Retry,
    SessionFailure,
    Standing,
    ToEutra,
)
from ue_models.timers import (
    RETRANSMISSIONS,
    T3247,
    T3346,
    T3396,
    T3502,
    T3510,
    T3511,
    T3517,
    T3525,
    T3580,
)

E_UTRA: Final = "E-UTRA"
"""What a UE that left NG-RAN is said to wait on."""

WAITS: Final = ("", T3346.name, T3502.name, T3511.name, T3525.name, T3247.name)
"""The 5GMM timers before a next attempt, by the index that the population keeps; 0 is a mere pause, or none."""

_REGISTERED: Final = frozenset({ESTABLISHING, LACKS_SESSION, IN_SERVICE})
_COVERAGE_LOST: Final = "coverage lost"


class Ues:
    """Both groups of UEs. All calls take `now` in scenario seconds, never decreasing."""

    def __init__(
        self,
        scenario: Scenario,
        chains: Chains,
        population: Population,
        core: Core,
        heap: EventHeap,
        observer: UeObserver,
        rng: Random,
    ) -> None:
        self._population = population
        self._chains: tuple[tuple[Stage, ...], ...] = tuple(chain.stages for chain in chains.all)
        self._first_session = tuple(chain.first_session for chain in chains.all)
        self._session_names = {dnn: procedures.pdu_session(dnn) for dnn in scenario.network.dnns}
        self._core = core
        self._heap = heap
        self._observer = observer
        self._rng = rng
        self._answer_low_s, self._answer_high_s = scenario.ue.answer_s.low, scenario.ue.answer_s.high
        self._jitter_s = scenario.ue.retry_jitter_s
        self._online = scenario.online
        self._t3502_s = rules.t3502_in_force_s(GprsTimer2.of(scenario.core.amf.t3502_s))
        self._t3512_s = float(GprsTimer3.of(scenario.core.amf.t3512_s).seconds or 0)
        self._arrivals_s = scenario.outage.arrivals_s
        self._loses_contexts = scenario.outage.amf_context == "lost"

    # --- the scenario ------------------------------------------------------------------------------------------------

    def begin(self, now: float) -> None:
        """Everybody is in service since before the run; T3512 of each is somewhere in its course."""
        for ue in range(self._population.size):
            self._observer.service_changed(ue, True, now)
            self._await_operation(ue, now)
            self._start_t3512(ue, now + self._rng.random() * self._t3512_s)

    def outage_begins(self, _: int, now: float, number: int) -> None:
        """The cells of the outage group are gone; if the AMF has restarted, it knows nobody."""
        for ue in range(self._population.outage_ues):
            self._lose_coverage(ue, now)
        if self._loses_contexts:
            self._core.lose_contexts()

    def outage_ends(self, _: int, now: float, number: int) -> None:
        """The cells are back, and their UEs come one after the other."""
        population = self._population
        for ue in range(population.outage_ues):
            population.phase[ue] = DEREGISTERED
            population.registration_attempts[ue] = population.service_attempts[ue] = 0
            population.retry[ue] = self._heap.at(now + self._rng.random() * self._arrivals_s, events.RETRY, ue)

    def _lose_coverage(self, ue: int, now: float) -> None:
        population = self._population
        self._abort(ue, _COVERAGE_LOST, now)
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
            if self._chains[population.chain[ue]][stage].secures:
                population.out_of_step[ue] = 1
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
        population.stage[ue] = self._first_session[population.chain[ue]]
        self._resume(ue, now)

    # --- sessions ----------------------------------------------------------------------------------------------------

    def _resume(self, ue: int, now: float) -> None:
        """What a registered UE does of itself once nothing else is under way: ask for a missing session, else idle."""
        population = self._population
        if population.phase[ue] == LACKS_SESSION:
            if population.stage[ue] >= len(self._chains[population.chain[ue]]):
                self._enter_service(ue, now)
            elif population.session_timer[ue] or population.asks[ue]:
                return
            elif now < population.idle_at[ue]:
                self._establish(ue, now)
            elif not population.retry[ue]:
                self._ask(ue, SERVICE_REQUEST, now)

    def _establish(self, ue: int, now: float) -> None:
        population = self._population
        population.phase[ue] = ESTABLISHING
        population.repeats[ue] = 0
        population.session_started[ue] = now
        self._observer.attempt_started(ue, self._session_name(ue), now)
        population.session_timer[ue] = self._heap.at(now + T3580.seconds, events.SESSION_TIMER, ue)
        self._owe(ue, OWES_SESSION, now)

    def session_timer_expired(self, ue: int, now: float, number: int) -> None:
        """T3580: the request again, four times. Or a pause is over."""
        population = self._population
        if number != population.session_timer[ue]:
            return
        population.session_timer[ue] = 0
        if population.phase[ue] == LACKS_SESSION:
            self._stop_back_off(ue, now)
            self._resume(ue, now)
        elif population.repeats[ue] < RETRANSMISSIONS:
            population.repeats[ue] += 1
            population.session_timer[ue] = self._heap.at(now + T3580.seconds, events.SESSION_TIMER, ue)
            self._send_session_request(ue, now)
        else:
            self._session_failed(ue, NoAnswer(), f"{T3580.name} expired", now)

    def _send_session_request(self, ue: int, now: float) -> None:
        """Now if there is a connection, else once a service request has brought one."""
        population = self._population
        if now < population.idle_at[ue]:
            self._owe(ue, OWES_SESSION, now)
            return
        population.unsent[ue] = 1
        if not population.retry[ue] and not population.asks[ue]:
            self._ask(ue, SERVICE_REQUEST, now)

    def session_accepted(self, ue: int, stage: int, now: float) -> None:
        """The session of `stage` is up."""
        population = self._population
        if population.phase[ue] != ESTABLISHING or population.stage[ue] != stage:
            return
        population.session_timer[ue] = 0
        self._observer.attempt_ended(ue, self._session_name(ue), population.session_started[ue], now, None)
        self._stay_connected(ue, now)
        population.phase[ue] = LACKS_SESSION
        population.stage[ue] = stage + 1
        self._resume(ue, now)

    def session_returned(self, ue: int, cause: FivegmmCause, back_off: GprsTimer3 | None, now: float) -> None:
        """The UE's own 5GSM message came back (TS 24.501 5.4.5.3.3)."""
        if self._population.phase[ue] == ESTABLISHING:
            why = f"5GMM #{int(cause)}"
            self._stay_connected(ue, now)
            self._session_failed(ue, NotForwarded(cause, back_off), why, now)
            self._observer.rejected(ue, why, True, now)

    def _session_failed(self, ue: int, failure: SessionFailure, why: str, now: float) -> None:
        population = self._population
        self._observer.attempt_ended(ue, self._session_name(ue), population.session_started[ue], now, why)
        population.phase[ue] = LACKS_SESSION
        population.session_timer[ue] = population.unsent[ue] = 0
        profile = population.profiles[population.profile[ue]]
        verdict = profile.adapt(rules.session_failed(failure), self._rng)
        if isinstance(verdict, Retry):
            if verdict.timer:
                population.backs_off[ue] = 1
                self._observer.waiting(T3396.name, 1, now)
            due_s = now + verdict.after_s + self._rng.random() * self._jitter_s
            population.session_timer[ue] = self._heap.at(due_s, events.SESSION_TIMER, ue)
        else:  # barred for good: it stays registered without full service
            population.phase[ue] = STOPPED

    def _stop_back_off(self, ue: int, now: float) -> None:
        if self._population.backs_off[ue]:
            self._population.backs_off[ue] = 0
            self._observer.waiting(T3396.name, -1, now)

    def _session_name(self, ue: int) -> str:
        population = self._population
        return self._session_names[self._chains[population.chain[ue]][population.stage[ue]].dnn or ""]

    def _enter_service(self, ue: int, now: float) -> None:
        self._population.phase[ue] = IN_SERVICE
        self._observer.service_changed(ue, True, now)
        if not self._population.operation[ue]:
            self._await_operation(ue, now)
        self._start_t3512(ue, self._population.idle_at[ue] + self._t3512_s)

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
        free = population.phase[ue] == IN_SERVICE and not population.asks[ue] and not population.retry[ue]
        if free and now >= population.idle_at[ue]:
            periodic = self._rng.random() < self._online.periodic_update_share
            self._ask(ue, PERIODIC_UPDATE if periodic else SERVICE_REQUEST, now)

    def _start_t3512(self, ue: int, due_s: float) -> None:
        """T3512 runs in 5GMM-IDLE (TS 24.501 5.3.7); zero and deactivated mean no periodic update."""
        if self._t3512_s:
            self._population.t3512[ue] = self._heap.at(due_s, events.T3512, ue)

    def t3512_expired(self, ue: int, now: float, number: int) -> None:
        """A periodic update, unless the UE may not begin one."""
        population = self._population
        if number == population.t3512[ue] and population.phase[ue] in _REGISTERED:
            population.t3512[ue] = 0
            if not population.asks[ue] and not population.retry[ue]:
                self._ask(ue, PERIODIC_UPDATE, now)

    def _ask(self, ue: int, what: int, now: float) -> None:
        """A service request or a periodic update begins."""
        population = self._population
        population.asks[ue] = what
        population.started[ue] = now
        population.t3512[ue] = 0
        self._observer.attempt_started(ue, _NAMES[what], now)
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
        self._observer.attempt_ended(ue, _NAMES[what], population.started[ue], now, None)
        if what == SERVICE_REQUEST:
            self._stay_connected(ue, now)
        else:
            self._leave_connection(ue, now)
        self._start_t3512(ue, population.idle_at[ue] + self._t3512_s)
        if population.unsent[ue] and what == SERVICE_REQUEST:
            population.unsent[ue] = 0
            self._owe(ue, OWES_SESSION, now)
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
        name = _NAMES[what] if what else procedures.REGISTRATION
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
            if population.phase[ue] not in _REGISTERED or verdict.forget:
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

    # --- waiting, and trying again -----------------------------------------------------------------------------------

    def _wait(self, ue: int, after_s: float, timer: str, now: float) -> None:
        population = self._population
        if timer:
            population.waits_on[ue] = WAITS.index(timer)
            self._observer.waiting(timer, 1, now)
        due_s = now + after_s + self._rng.random() * self._jitter_s
        population.retry[ue] = self._heap.at(due_s, events.RETRY, ue)

    def _stop_waiting(self, ue: int, now: float) -> None:
        population = self._population
        population.retry[ue] = 0
        if population.waits_on[ue]:
            self._observer.waiting(WAITS[population.waits_on[ue]], -1, now)
            population.waits_on[ue] = 0

    def retry_due(self, ue: int, now: float, number: int) -> None:
        """The wait is over: the next attempt."""
        population = self._population
        if number != population.retry[ue]:
            return
        self._stop_waiting(ue, now)
        if population.phase[ue] == DEREGISTERED:
            self._register(ue, now)
        elif population.phase[ue] in _REGISTERED and not population.asks[ue]:
            self._ask(ue, population.retries[ue], now)

    # --- the connection ----------------------------------------------------------------------------------------------

    def _owe(self, ue: int, what: int, now: float) -> None:
        """An answer takes a while; what is owed meanwhile goes along."""
        population = self._population
        population.owes[ue] |= what
        if not population.answer[ue]:
            after_s = self._answer_low_s + (self._answer_high_s - self._answer_low_s) * self._rng.random()
            population.answer[ue] = self._heap.at(now + after_s, events.ANSWER, ue)

    def answers(self, ue: int, now: float, number: int) -> None:
        """What is owed goes out, in order."""
        population = self._population
        if number != population.answer[ue]:
            return
        population.answer[ue] = 0
        owes = population.owes[ue]
        population.owes[ue] = 0
        self._stay_connected(ue, now)
        if owes & OWES_STAGE:
            self._core.uplink(ue, population.stage[ue], now)
        if owes & OWES_COMPLETE:
            self._core.uplink(ue, self._first_session[population.chain[ue]] - 1, now)
        if owes & OWES_SESSION:
            self._core.uplink(ue, population.stage[ue], now)

    def _stay_connected(self, ue: int, now: float) -> None:
        """Something was sent: the base station's inactivity timer begins anew."""
        self._population.idle_at[ue] = now + self._online.inactivity_s

    def _leave_connection(self, ue: int, now: float) -> None:
        """Local release of the NAS signalling connection (TS 24.501 5.3.1.3)."""
        population = self._population
        population.owes[ue] = population.answer[ue] = 0
        population.idle_at[ue] = now
        self._core.disconnect(ue)

    # --- ends --------------------------------------------------------------------------------------------------------

    def _abort(self, ue: int, why: str, now: float) -> None:
        """Ends the 5GMM attempt under way from outside."""
        population = self._population
        if population.guard[ue]:
            name = _NAMES[population.asks[ue]] if population.asks[ue] else procedures.REGISTRATION
            self._observer.attempt_ended(ue, name, population.started[ue], now, why)
        population.guard[ue] = population.asks[ue] = population.unsent[ue] = 0

    def _deregister(self, ue: int, why: str, phase: int, now: float) -> None:
        """Enters 5GMM-DEREGISTERED; tells if a registration, or full service, is lost thereby."""
        population = self._population
        before = population.phase[ue]
        if before == ESTABLISHING:
            name, started = self._session_name(ue), population.session_started[ue]
            self._observer.attempt_ended(ue, name, started, now, why if phase == AWAY else "aborted")
        population.phase[ue] = phase
        population.session_timer[ue] = population.t3512[ue] = 0
        self._stop_back_off(ue, now)
        if before == IN_SERVICE:
            self._observer.service_changed(ue, False, now)
        if before in _REGISTERED:
            self._observer.registration_lost(ue, why, now)

    def _start_guard(self, ue: int, after_s: float, now: float) -> None:
        self._population.guard[ue] = self._heap.at(now + after_s, events.GUARD, ue)


_NAMES: Final = ("", procedures.SERVICE_REQUEST, procedures.PERIODIC_UPDATE)
_MESSAGES: Final = (0, SERVICE_REQUEST_MESSAGE, PERIODIC_UPDATE_MESSAGE)
