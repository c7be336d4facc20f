"""One UE: owns its state, runs attempts, keeps the timers, tells the observer (TS 24.501 clause 5).

What an attempt says is procedures/, when the next one is due is rules.py as the UE's profile takes it, and how
octets travel is the base station's. Here the three are joined. Nothing in here reads a clock.
"""

from functools import partial
from random import Random

from protocols.credentials import PriorContext
from protocols.nas5g.messages import (
    DlNasTransport,
    FivegmmMessage,
    NetworkDeregistrationAccept,
    NetworkDeregistrationRequest,
    RegistrationAccept,
    RegistrationComplete,
    RegistrationType,
    ServiceType,
)
from protocols.nas_security import AES, Algorithms
from regstorm.records import procedures as names
from regstorm.records.ports import Agenda, UeObserver
from ue_models import rules
from ue_models.attempt_runner import Running
from ue_models.nas_connection import NasConnection
from ue_models.nas_link import Discarded, read
from ue_models.next_attempt import Kind, NextAttempt
from ue_models.procedures.common import answer
from ue_models.procedures.deregistration import attempt_deregistration
from ue_models.procedures.initial_registration import attempt_initial_registration
from ue_models.procedures.registration_update import attempt_registration_update
from ue_models.procedures.service_request import attempt_service_request
from ue_models.procedures.steps import (
    Attempt,
    ConnectionLost,
    Event,
    Expired,
    Heard,
    Outcome,
    Receive,
    Send,
    SendInitial,
    Start,
    Step,
    Stop,
    Succeeded,
    Ue,
)
from ue_models.profiles import Profile
from ue_models.radio import BaseStation
from ue_models.rules import (
    SESSION_PAUSE_S,
    AuthenticationRefused,
    Failure,
    GiveUp,
    Never,
    Next,
    RegisterAnew,
    Rejected,
    Retry,
    ToEutra,
)
from ue_models.settings import UeSettings
from ue_models.timer_set import TimerSet
from ue_models.timers import T3247, T3346, T3510, T3512, T3516, T3517, T3519, T3520, T3521, T3540, Timer
from ue_models.ue_sessions import UeSessions
from ue_models.ue_state import Mm, Substate, UeState, UpdateStatus
from ue_models.verdicts import after_failure, described

E_UTRA = "E-UTRA"
"""What a UE that left NG-RAN is said to wait on."""

_OPERATION = "operation"
_OF_ATTEMPT = (T3510.name, T3517.name, T3520.name, T3521.name)
_UPDATE_PROCEDURES = {
    RegistrationType.MOBILITY: names.MOBILITY_UPDATE,
    RegistrationType.PERIODIC: names.PERIODIC_UPDATE,
}


class UeMachine:
    """A UE on one base station. All calls take `now` in scenario seconds, never decreasing."""

    __slots__ = (
        "_connection",
        "_covered",
        "_gnb",
        "_in_service",
        "_kind",
        "_next",
        "_observer",
        "_profile",
        "_running",
        "_sessions",
        "_timers",
        "_ue",
        "_unsent",
        "_wanted",
        "state",
    )

    def __init__(
        self,
        state: UeState,
        profile: Profile,
        settings: UeSettings,
        gnb: BaseStation,
        agenda: Agenda,
        rng: Random,
        observer: UeObserver,
    ) -> None:
        self.state = state
        self._ue = Ue(state, settings, rng)
        self._profile = profile
        self._gnb = gnb
        self._observer = observer
        self._timers = self._timer_set(agenda)
        self._connection = self._nas_connection(agenda)
        self._next = NextAttempt(self._ue, self._timers, observer, self._begin_planned)
        self._sessions = UeSessions(self._ue, self, profile, self._timers, observer)
        self._running: Running[Outcome] | None = None
        self._kind: Kind | None = None
        """What the attempt under way is an attempt of; None is a deregistration."""
        self._unsent: list[FivegmmMessage] = []
        self._covered = True
        self._wanted = True
        """It registers of itself: not after a deregistration or a hard cause, until the next power-on."""
        self._in_service = False

    # --- its parts: whoever records what a UE does puts others in their place (traced_ue.py) ------------------------

    def _timer_set(self, agenda: Agenda) -> TimerSet:
        return TimerSet(agenda)

    def _nas_connection(self, agenda: Agenda) -> NasConnection:
        return NasConnection(self._ue, self, self._gnb, agenda, self._timers)

    # --- what a composer calls --------------------------------------------------------------------------------------

    @property
    def index(self) -> int:
        """Its place in the population."""
        return self.state.index

    @property
    def in_service(self) -> bool:
        """Registered, every session of the scenario up."""
        return self._in_service

    @property
    def wants_service(self) -> bool:
        """It will try of itself, sooner or later; not so after a deregistration or a hard cause."""
        return self._wanted

    @property
    def running_timers(self) -> tuple[str, ...]:
        """The names of the timers that run."""
        return self._timers.running

    @property
    def waits_on(self) -> str | None:
        """The timer that forbids the next attempt, "" for a mere pause, None if none is planned."""
        return self._next.waits_on

    def provision(self, prior: PriorContext, now: float = 0.0, algorithms: Algorithms = AES) -> None:
        """Registered since before the run, both sessions up, 5GMM-IDLE; its T3512 is somewhere in its course."""
        state = self.state
        state.restore(prior, algorithms)
        state.enter(Mm.REGISTERED_INITIATED)
        state.enter(Mm.REGISTERED)
        state.update_status = UpdateStatus.UPDATED
        for psi in range(1, len(self._ue.settings.dnns) + 1):
            state.sessions |= 1 << psi
        self._start_t3512(now, self._ue.rng.random())
        self._update_service(now)

    def power_on(self, now: float) -> None:
        """Switched on in coverage: the counters are reset and the UE registers (5.5.1.2.1)."""
        if self.state.mm is Mm.NULL:
            self.state.enter(Mm.DEREGISTERED)
        self._wanted = True
        self.return_to_coverage(now)

    def return_to_coverage(self, now: float) -> None:
        """A cell is found again: initial registration, unless T3346 or T3247 still runs."""
        self._covered = True
        state = self.state
        if self._running is not None or state.registered or not self._wanted:
            return
        state.enter(Mm.DEREGISTERED)
        state.registration_attempts = state.service_attempts = 0
        if self._next.held:
            if not state.high_priority:
                return
        else:
            self._next.cancel(now)
        self._register(now)

    def lose_coverage(self, now: float) -> None:
        """The cell is gone: what runs is aborted, the registration is lost. T3346 and T3247 go on (5.3.9, 5.3.20)."""
        self._covered = False
        if not self._next.held:
            self._next.cancel(now)
        self._timers.stop(_OPERATION)
        self._abort("coverage lost", now)
        self._connection.leave(now)
        if self.state.mm is not Mm.NULL:
            self._deregister("coverage lost", Substate.NO_CELL_AVAILABLE, now)

    def start_operating(self, now: float) -> None:
        """The operations of a user begin: one every `operations_every_s` on average, exponential."""
        if not self._timers.runs(_OPERATION):
            pause_s = self._ue.rng.expovariate(1 / self._ue.settings.operations_every_s)
            self._timers.start(_OPERATION, now + pause_s, self._operate)

    def update(self, kind: RegistrationType, now: float) -> bool:
        """Mobility or periodic registration update; False if it may not begin now."""
        if not self._may_begin(registered=True):
            return False
        procedure = _UPDATE_PROCEDURES[kind]
        self._begin(procedure, attempt_registration_update(self._ue, kind), kind, now)
        return True

    def request_service(self, kind: ServiceType, now: float) -> bool:
        """Service request from 5GMM-IDLE; False if it may not begin now."""
        paged = kind is ServiceType.MOBILE_TERMINATED
        emergency = kind in (ServiceType.EMERGENCY, ServiceType.EMERGENCY_FALLBACK)
        if self.state.connected or self.state.guti is None:
            return False
        if not self._may_begin(registered=True, paged=paged, emergency=emergency):
            return False
        self._begin(names.SERVICE_REQUEST, attempt_service_request(self._ue, kind), kind, now)
        return True

    def page(self, now: float) -> bool:
        """A paging: stops T3346 and is answered (5.6.2.2.1)."""
        return self.request_service(ServiceType.MOBILE_TERMINATED, now)

    def register_for_emergency(self, now: float) -> bool:
        """Emergency registration of a UE that is not registered; no back-off holds it (5.5.1.2.7 a)."""
        if not self._may_begin(registered=False, emergency=True):
            return False
        kind = RegistrationType.EMERGENCY
        self._begin(names.EMERGENCY_REGISTRATION, attempt_initial_registration(self._ue, kind), kind, now)
        return True

    def deregister(self, now: float, switch_off: bool = False) -> bool:
        """Deregistration; T3346 does not forbid it (5.3.9)."""
        if not self._may_begin(registered=True, leaving=True):
            return False
        self._begin(names.DEREGISTRATION, attempt_deregistration(self._ue, switch_off), None, now)
        if switch_off:
            self.state.enter(Mm.NULL)
        return True

    # --- what the base station calls --------------------------------------------------------------------------------

    def downlink(self, nas: bytes, now: float) -> None:
        """A NAS message from the network, whatever it is."""
        heard = read(self.state, nas, self._ue.settings.null_integrity_accepted)
        if isinstance(heard, Discarded):
            self._gnb.discarded(heard.why, now)
        else:
            self._hear(heard, now)

    def _hear(self, heard: Heard, now: float) -> None:
        match heard:
            case Heard(DlNasTransport() as message, True):
                if self.state.registered:
                    self._sessions.heard(message, now)
            case Heard(NetworkDeregistrationRequest() as request, True):
                self._deregistered_by_network(request, now)
            case _ if self._running is not None:
                self._advance(heard, now)
            case _:
                self._answer_alone(heard, now)

    def released(self, now: float) -> None:
        """The connection is gone: 5GMM-IDLE."""
        if not self.state.connected:
            return
        self._connection.closed()
        if self._running is not None:
            self._advance(ConnectionLost(), now)
        elif self.state.registered:
            if self._kind is RegistrationType.EMERGENCY:
                self._emergency_ended(now)
            else:
                self._resume(now)

    # --- what the sessions call -------------------------------------------------------------------------------------

    def send_on_connection(self, message: FivegmmMessage, now: float) -> None:
        """Sends now if connected; else once a service request has brought a connection."""
        if self.state.connected:
            self._connection.say(message, now)
            return
        self._unsent = [message]
        if self._next.waits_on is None:
            self.request_service(ServiceType.SIGNALLING, now)

    def sessions_changed(self, now: float) -> None:
        """A session came up, went down, or may be asked for again."""
        self._update_service(now)
        self._resume(now)

    # --- attempts ---------------------------------------------------------------------------------------------------

    def _may_begin(
        self, *, registered: bool, emergency: bool = False, paged: bool = False, leaving: bool = False
    ) -> bool:
        """No attempt is under way, the state is right, and no timer forbids it (5.3.9; 5.1.3.2.1.3.3, 5.6.1.7)."""
        state = self.state
        if self._running is not None or not self._covered or state.registered is not registered:
            return False
        if not registered and state.mm is not Mm.DEREGISTERED:
            return False
        if self._next.waits_on in (None, T3346.name):
            return rules.may_start(
                t3346_runs=self._next.waits_on is not None,
                emergency=emergency,
                high_priority=state.high_priority,
                paged=paged,
                leaving=leaving,
            )
        return emergency or paged or leaving  # T3511, T3502, T3525, T3247: what is planned comes first

    def _register(self, now: float) -> None:
        if self._may_begin(registered=False):
            kind = RegistrationType.INITIAL
            self._begin(names.REGISTRATION, attempt_initial_registration(self._ue, kind), kind, now)

    def _begin(
        self,
        procedure: str,
        attempt: Attempt[Outcome],
        kind: Kind | None,
        now: float,
    ) -> None:
        """Starts an attempt. Whatever was planned is superseded, except that an emergency leaves a back-off alone."""
        if kind is not RegistrationType.EMERGENCY and kind is not None:
            self._next.cancel(now)
        if not self.state.registered:
            self._connection.leave(now)  # an initial registration has a connection of its own
        self._timers.stop(T3512.name)
        self._kind = kind
        self._running = running = Running(procedure, attempt, now)
        self._observer.attempt_started(self.index, procedure, now)
        self._after(running.begin(lambda step: self._perform(step, now)), now)

    def _advance(self, event: Event, now: float) -> None:
        running = self._running
        if running is not None:
            self._after(running.take(event, lambda step: self._perform(step, now)), now)

    def _answer_alone(self, heard: Heard, now: float) -> None:
        """A request of the network while no 5GMM procedure of the UE runs."""
        if isinstance(heard.message, RegistrationAccept) and self.state.registered:
            self.state.accept_registration(heard.message)  # T3550 expired: our COMPLETE did not arrive (5.5.1.2.8 c)
            self._connection.say(RegistrationComplete(), now)
            return
        answering = answer(self._ue, heard, None, None)
        try:
            while True:
                self._perform(next(answering), now)
        except StopIteration as end:
            if not end.value:
                self._connection.leave(now)
                self._resume(now)

    def _perform(self, step: Step, now: float) -> None:
        match step:
            case Send(message):
                self._connection.say(message, now)
            case Start(timer):
                self._timers.start(timer.name, now + self._profile.guard_s(timer), partial(self._expired, timer))
            case Stop(timer):
                self._timers.stop(timer.name)
            case SendInitial():
                if not self._connection.begin(step, now) and self._running is not None:
                    self._running.connection_refused = True
            case Receive():
                raise ValueError("RECEIVE is not performed")

    def _expired(self, timer: Timer, now: float) -> None:
        match timer:
            case _ if timer is T3516:
                self.state.challenge = None
            case _ if timer is T3519:
                self.state.suci = None
            case _ if self._running is not None:
                self._advance(Expired(timer), now)
            case _:  # T3520 without a procedure of the UE: the network is not genuine (5.4.1.3.7)
                self._connection.leave(now)
                self._resume(now)

    def _abort(self, why: str, now: float) -> None:
        """Ends what runs from outside."""
        running, self._running = self._running, None
        if running is not None:
            running.attempt.close()
            self._timers.stop(*_OF_ATTEMPT)
            self._observer.attempt_ended(self.index, running.procedure, running.started, now, why)
        self._sessions.abandon(why, now)

    # --- ends of attempts -------------------------------------------------------------------------------------------

    def _after(self, outcome: Outcome | None, now: float) -> None:
        """What follows when the attempt has ended."""
        running = self._running
        if outcome is None or running is None:
            return
        self._running = None
        self._timers.stop(*_OF_ATTEMPT)
        failure = None if isinstance(outcome, Succeeded) else described(outcome, self._kind)
        self._observer.attempt_ended(self.index, running.procedure, running.started, now, failure)
        if self._kind is None:
            self._deregistered(now)
        elif isinstance(outcome, Succeeded):
            self._succeeded(now)
        else:
            self._failed(outcome, failure or "", now)

    def _succeeded(self, now: float) -> None:
        if self._kind is RegistrationType.EMERGENCY:
            return
        unsent, self._unsent = self._unsent, []
        if self.state.connected:
            for message in unsent:
                self._connection.say(message, now)
        self._update_service(now)
        self._resume(now)

    def _failed(self, outcome: Failure, failure: str, now: float) -> None:
        """Tells of the reject, leaves the connection, and does what the rules say, as the profile takes them."""
        if isinstance(outcome, Rejected | AuthenticationRefused):
            self._observer.rejected(self.index, failure, outcome.protected, now)
            self._connection.await_release(self._resume, now)
        else:
            self._connection.leave(now)
        verdict = self._profile.adapt(
            after_failure(self._kind, self._profile.heard(outcome), self.state, self._ue.rng), self._ue.rng
        )
        self._unsent = []
        self._follow(verdict, failure, now)

    def _follow(self, verdict: Next, why: str, now: float) -> None:
        """Puts a verdict of the rules into effect."""
        match verdict:
            case Retry() as retry:
                self._plan(retry, why, now)
            case RegisterAnew(forget):
                self._deregister(why, Substate.NORMAL_SERVICE, now)
                if forget:
                    self.state.forget()
                self._connection.leave(now)
                self._next.plan(Retry(0.0, "", 0), RegistrationType.INITIAL, now)
            case Never(forget) | ToEutra(forget):
                left = isinstance(verdict, ToEutra)
                self._wanted = False
                self._deregister(why, Substate.PLMN_SEARCH if left else Substate.LIMITED_SERVICE, now)
                self.state.update_status = UpdateStatus.ROAMING_NOT_ALLOWED
                if forget:
                    self.state.forget()
                if left:
                    self._observer.waiting(E_UTRA, 1, now)
            case GiveUp():
                if self.state.registered:
                    self.state.enter(Mm.REGISTERED)
                    if self._sessions.next_wanted() is not None:
                        self._next.plan(Retry(SESSION_PAUSE_S, "", 0), ServiceType.SIGNALLING, now)
                    self._after_idle(now)
                else:
                    attempting = Substate.ATTEMPTING_REGISTRATION if self._wanted else Substate.LIMITED_SERVICE
                    self.state.enter(Mm.DEREGISTERED, attempting)
                    self._resume_registering(now)

    def _plan(self, retry: Retry, why: str, now: float) -> None:
        """The state while the UE waits, and the wait."""
        state, kind = self.state, self._kind
        if retry.timer == T3247.name:
            state.hard_rejects += 1
        stays = state.registered and not retry.forget
        if not stays:
            self._deregister(why, Substate.ATTEMPTING_REGISTRATION, now)
        elif isinstance(kind, ServiceType):
            state.enter(Mm.REGISTERED)
            state.service_attempts = retry.attempts
        else:
            state.enter(Mm.REGISTERED, Substate.ATTEMPTING_REGISTRATION_UPDATE)
            state.registration_attempts = retry.attempts
        if not isinstance(kind, ServiceType):
            state.registration_attempts = retry.attempts
            state.update_status = UpdateStatus.NOT_UPDATED
        if retry.forget:
            state.forget()
        self._next.plan(retry, kind if stays and kind is not None else RegistrationType.INITIAL, now)

    def _deregister(self, why: str, substate: Substate, now: float) -> None:
        """Enters 5GMM-DEREGISTERED; tells if a registration is lost thereby."""
        state = self.state
        lost = state.registered
        self._sessions.abandon("aborted", now)
        self._timers.stop(T3512.name)
        state.updating = False
        if state.mm is not Mm.DEREGISTERED:
            state.enter(Mm.DEREGISTERED, substate)
        else:
            state.substate = substate
        self._update_service(now)
        if lost:
            self._observer.registration_lost(self.index, why, now)

    def _deregistered(self, now: float) -> None:
        """The UE's own deregistration is over, answered or not."""
        state = self.state
        self._wanted = False
        self._sessions.abandon("aborted", now)
        if self._next.waits_on != T3346.name:
            self._next.cancel(now)
        self._timers.stop(_OPERATION)
        state.enter(Mm.DEREGISTERED)
        self._update_service(now)
        self._connection.await_release(self._resume, now)

    def _emergency_ended(self, now: float) -> None:
        """The emergency registration ends with its connection; the UE goes back to what it was about."""
        self._kind = RegistrationType.INITIAL
        substate = Substate.NORMAL_SERVICE if self._wanted else Substate.LIMITED_SERVICE
        self._deregister("emergency services ended", substate, now)
        self._resume_registering(now)

    def _resume_registering(self, now: float) -> None:
        """After an emergency: what was planned may have come due meanwhile."""
        if self._wanted and self._next.waits_on is None:
            self._next.plan(Retry(0.0, "", 0), RegistrationType.INITIAL, now)

    def _deregistered_by_network(self, request: NetworkDeregistrationRequest, now: float) -> None:
        """5.5.2.3: accept, and register again if asked to; a cause counts as in a reject."""
        if not self.state.registered:
            return
        again, cause, t3346 = request
        self._connection.say(NetworkDeregistrationAccept(), now)
        self._abort("deregistered by the network", now)
        why = "deregistered by the network" if cause is None else f"5GMM #{int(cause)}"
        self._next.cancel(now)
        verdict = rules.deregistered_by_network(cause, t3346, again, self._ue.rng, self.state.standing())
        self._kind = RegistrationType.INITIAL
        if isinstance(verdict, RegisterAnew):  # after the answer has gone out and the network has released (5.5.2.3.2)
            self._deregister(why, Substate.NORMAL_SERVICE, now)
            if verdict.forget:
                self.state.forget()
            verdict = Retry(T3540.seconds, "", 0)
            self._next.plan(verdict, RegistrationType.INITIAL, now)
            return
        if isinstance(verdict, Retry):
            self._deregister(why, Substate.ATTEMPTING_REGISTRATION, now)
        self._follow(verdict, why, now)

    # --- of itself --------------------------------------------------------------------------------------------------

    def _begin_planned(self, now: float) -> None:
        """The wait is over: the next attempt, if it is still wanted."""
        if not self._covered or not self._wanted:
            return
        kind = self._next.kind
        if not self.state.registered:
            self._register(now)
        elif isinstance(kind, ServiceType):
            self.request_service(kind, now)
        elif kind is not RegistrationType.INITIAL:
            self.update(kind, now)

    def _resume(self, now: float) -> None:
        """What a UE does of itself once nothing else is under way: missing sessions, else T3512 when idle."""
        state = self.state
        if self._running is not None or not state.registered or self._kind is RegistrationType.EMERGENCY:
            return
        wanted = None if self._sessions.busy else self._sessions.next_wanted()
        if wanted is not None and state.connected:
            self._sessions.establish(wanted, now)
        elif wanted is not None and self._next.waits_on is None:
            self.request_service(ServiceType.SIGNALLING, now)
        else:
            self._after_idle(now)

    def _after_idle(self, now: float) -> None:
        if not self.state.connected and not self._timers.runs(T3512.name):
            self._start_t3512(now)

    def _start_t3512(self, now: float, share: float = 1.0) -> None:
        """T3512 runs in 5GMM-IDLE (5.3.7); zero and deactivated mean no periodic update."""
        if self.state.t3512_s:
            self._timers.start(T3512.name, now + share * self.state.t3512_s, self._t3512_expired)

    def _t3512_expired(self, now: float) -> None:
        self.update(RegistrationType.PERIODIC, now)

    def _operate(self, now: float) -> None:
        """One operation of the user, if the UE is idle and free to begin; and when the next one is due."""
        self.start_operating(now)
        if not self._in_service or self.state.connected or self._next.waits_on is not None:
            return
        if self._ue.rng.random() < self._ue.settings.periodic_update_share:
            self.update(RegistrationType.PERIODIC, now)
        else:
            self.request_service(ServiceType.DATA, now)

    def _update_service(self, now: float) -> None:
        """Tells when full service is gained or lost; a user in service operates."""
        in_service = self.state.registered and self._sessions.complete
        if in_service is not self._in_service:
            self._in_service = in_service
            self._observer.service_changed(self.index, in_service, now)
            if in_service:
                self.start_operating(now)
