"""The UEs of the simulator: how they come back, and when they try again (TS 24.501 5.5.1.2).

Nothing is decided here: what a failure means and when the next attempt is due say ue_models.rules, as the UE's
profile takes them. Here stand the attempts, without bytes: T3510 runs from REGISTRATION REQUEST to its answer.
"""

from typing import Final

from protocols.causes import FivegmmCause
from protocols.timers import GprsTimer2
from regstorm.records import procedures
from regstorm.simulator import events
from regstorm.simulator.chain import ANONYMOUS, DEREGISTRATION, KNOWN, UNKNOWN_GUTI
from regstorm.simulator.ims_requests import ImsOwner
from regstorm.simulator.population import (
    AWAY,
    DEREGISTERED,
    ESTABLISHING,
    IDLE,
    IN_SERVICE,
    LACKS_SESSION,
    LEAVING,
    OWES_COMPLETE,
    OWES_STAGE,
    PERIODIC_UPDATE,
    REGISTERING,
    SERVICE_REQUEST,
    STOPPED,
    Ue,
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
from ue_models.timers import RETRANSMISSIONS, T3247, T3346, T3510, T3517, T3521

E_UTRA: Final = "E-UTRA"
"""What a UE that left NG-RAN is said to wait on."""

_COVERAGE_LOST: Final = "coverage lost"
_EXHAUSTED: Final = "IMS P-CSCFs exhausted"


class Ues(RegisteredUes):
    """Both groups of UEs."""

    # --- the scenario ------------------------------------------------------------------------------------------------

    def begin(self, now: float) -> None:
        """Everybody is in service since before the run; T3512 of each is somewhere in its course."""
        for ue in self._ues:
            self._observer.service_changed(ue.index, True, now)
            self._await_operation(ue, now)
            self._start_t3512(ue, now + self._rng.random() * self._t3512_s)
        if self.ims is not None:
            self.ims.begin(now)

    def outage_begins(self, _: int, now: float, number: int) -> None:
        """The cells of the outage group are gone; if the AMF has restarted, it knows nobody."""
        for ue in self._population.outage_group:
            self._lose_coverage(ue, now)
            if self._core.ims is not None:
                self._core.ims.forget(ue, now)
        self._core.lose_contexts(everybody=self._loses_contexts)

    def outage_ends(self, _: int, now: float, number: int) -> None:
        """The cells are back, and their UEs find them one after the other."""
        for ue in self._population.outage_group:
            self._heap.at(now + self._rng.random() * self._arrivals_s, events.RETURN, ue.index)

    def returns(self, index: int, now: float, number: int) -> None:
        """The UE finds its cell again: initial registration, unless T3346 or T3247 still runs."""
        ue = self._ues[index]
        if ue.phase != AWAY:
            return
        ue.phase = DEREGISTERED
        self._registration_attempts[ue.index] = self._service_attempts[ue.index] = 0
        if not ue.waits_on:
            self._register(ue, now)

    def _lose_coverage(self, ue: Ue, now: float) -> None:
        """T3346 and T3247 go on (TS 24.501 5.3.9, 5.3.20); a UE that has given up for good stays as it is."""
        if ue.phase == STOPPED:
            return
        self._abort(ue, _COVERAGE_LOST, now)
        if WAITS[ue.waits_on] not in (T3346.name, T3247.name):
            self._stop_waiting(ue, now)
        self._operation[ue.index] = 0
        self._leave_connection(ue, now)
        self._deregister(ue, _COVERAGE_LOST, AWAY, now)

    # --- initial registration ----------------------------------------------------------------------------------------

    def _register(self, ue: Ue, now: float) -> None:
        ue.phase = REGISTERING
        self._core.connect(ue)
        if not ue.has_guti:
            ue.chain = ANONYMOUS
        else:
            ue.chain = KNOWN if ue.shares_context else UNKNOWN_GUTI
        ue.stage = 0
        self._t3512_until_s[ue.index] = 0.0
        self._observer.attempt_started(ue.index, procedures.REGISTRATION, now)
        self._start_guard(ue, ue.profile.guard_s(T3510), now)
        self._core.uplink(ue, 0, now)

    def asked(self, ue: Ue, stage: int, now: float) -> None:
        """The network waits for the uplink message of `stage`."""
        if ue.phase == REGISTERING:
            ue.stage = stage
            self._owe(ue, OWES_STAGE, now)

    def registered(self, ue: Ue, stage: int, now: float) -> None:
        """REGISTRATION ACCEPT: complete it, and ask for the first session in the same breath."""
        if ue.phase != REGISTERING:  # repeated by T3550: the first COMPLETE was lost
            if now < ue.idle_at_s:
                self._stay_connected(ue, now)
                self._owe(ue, OWES_COMPLETE, now)
            return
        self._stop_guard(ue)
        ue.has_guti = True
        self._registration_attempts[ue.index] = self._service_attempts[ue.index] = self._hard_rejects[ue.index] = 0
        self._observer.attempt_ended(ue.index, procedures.REGISTRATION, None, now, None)
        self._stay_connected(ue, now)
        self._owe(ue, OWES_COMPLETE, now)
        ue.phase = LACKS_SESSION
        self._resume(ue, now)

    # --- failures of 5GMM attempts -----------------------------------------------------------------------------------

    def guard_expired(self, place: int, now: float, number: int) -> None:
        """T3510, T3517 or T3521: the UE gives up and leaves the connection, but for T3521."""
        ue = self._guards_in_order[place].over(now)
        if ue is not None:
            ue.guard = None
            if ue.asks == LEAVING:
                self._t3521_expired(ue, now)
                return
            timer = T3517 if ue.asks == SERVICE_REQUEST else T3510
            self._failed(ue, NoAnswer(), f"{timer.name} expired", now)

    def released(self, ue: Ue, now: float) -> None:
        """The network has released the connection without an answer."""
        if ue.asks == LEAVING:
            self._left(ue, "lower layer failure", now)  # 5.5.2.2.6 b
        elif ue.phase == REGISTERING or ue.asks:
            self._failed(ue, LowerLayerFailure(), "lower layer failure", now)
        else:
            ue.owes = ue.answer = 0
            ue.idle_at_s = 0.0
            self._resume(ue, now)

    def rejected(self, ue: Ue, cause: FivegmmCause, t3346: GprsTimer2 | None, protected: bool, now: float) -> None:
        """REGISTRATION REJECT or SERVICE REJECT."""
        if ue.phase == REGISTERING or ue.asks:
            self._failed(ue, Rejected(cause, t3346, protected), f"5GMM #{int(cause)}", now)

    def _failed(self, ue: Ue, failure: Failure, why: str, now: float) -> None:
        """Tells of it, leaves the connection, and does what the rules say, as the profile takes them."""
        what = ue.asks
        ue.asks = IDLE
        self._unsent[ue.index] = False
        self._stop_guard(ue)
        name = NAMES[what] if what else procedures.REGISTRATION
        self._observer.attempt_ended(ue.index, name, None, now, why)
        if isinstance(failure, Rejected):
            self._observer.rejected(ue.index, why, failure.protected, now)
        self._leave_connection(ue, now)
        self._retries[ue.index] = what
        profile = ue.profile
        self._follow(ue, profile.adapt(self._verdict(ue, what, profile.heard(failure)), self._rng), why, now)

    def _verdict(self, ue: Ue, what: int, failure: Failure) -> Next:
        attempts = (
            self._service_attempts[ue.index] if what == SERVICE_REQUEST else self._registration_attempts[ue.index]
        )
        standing = Standing(attempts, self._t3502_s, self._hard_rejects[ue.index], bool(self._eutra[ue.index]))
        if what == SERVICE_REQUEST:
            return rules.service_request_failed(failure, self._rng, standing)
        if what == PERIODIC_UPDATE:
            return rules.registration_update_failed(failure, self._rng, standing)
        return rules.initial_registration_failed(failure, self._rng, standing)

    def _follow(self, ue: Ue, verdict: Next, why: str, now: float) -> None:
        """Puts a verdict of the rules into effect."""
        if isinstance(verdict, Retry):
            if verdict.timer == T3247.name:
                self._hard_rejects[ue.index] += 1
            if ue.phase not in REGISTERED or verdict.forget:
                self._deregister(ue, why, DEREGISTERED, now)
                self._registration_attempts[ue.index] = verdict.attempts
            elif self._retries[ue.index] == SERVICE_REQUEST:
                self._service_attempts[ue.index] = verdict.attempts
            else:
                self._registration_attempts[ue.index] = verdict.attempts
            if verdict.forget:
                ue.has_guti = False
            self._wait(ue, verdict.after_s, verdict.timer, now)
        elif isinstance(verdict, RegisterAnew):
            self._deregister(ue, why, DEREGISTERED, now)
            if verdict.forget:
                ue.has_guti = False
            self._wait(ue, 0.0, "", now)
        elif isinstance(verdict, Never | ToEutra):
            self._deregister(ue, why, STOPPED, now)
            if isinstance(verdict, ToEutra):
                self._observer.waiting(E_UTRA, 1, now)
        elif isinstance(verdict, GiveUp):
            self._start_t3512(ue, now + self._t3512_s)

    def retry_due(self, index: int, now: float, number: int) -> None:
        """The wait is over: the next attempt."""
        ue = self._ues[index]
        if number != self._next_attempt[ue.index]:
            return
        self._stop_waiting(ue, now)
        if ue.phase == DEREGISTERED:
            self._register(ue, now)
        elif ue.phase in REGISTERED and not ue.asks:
            self._ask(ue, self._retries[ue.index], now, bool(self._for_data[ue.index]))

    # --- every P-CSCF asked in vain ----------------------------------------------------------------------------------

    def _ims_owner(self) -> ImsOwner:
        return self

    def ims_exhausted(self, ue: Ue, recourse: Recourse, now: float) -> None:
        """It is the 5GS that is asked again: a new session, a new registration, or none here any more."""
        match recourse:
            case Recourse.NEW_SESSION:
                self._release_ims_session(ue, now)
            case Recourse.REREGISTER if not ue.asks:
                ue.asks = LEAVING
                self._leaving[ue.index] = 0
                self._observer.attempt_started(ue.index, procedures.DEREGISTRATION, now)
                self._send_deregistration(ue, now)
            case Recourse.REREGISTER:  # something else is under way: the registration is given up locally
                self._abort(ue, _EXHAUSTED, now)
                self._stop_waiting(ue, now)
                self._follow(ue, RegisterAnew(forget=False), _EXHAUSTED, now)
            case Recourse.TO_EUTRA:
                self._abort(ue, _EXHAUSTED, now)
                self._leave_connection(ue, now)
                self._follow(ue, ToEutra(), _EXHAUSTED, now)

    # --- a deregistration that is meant to be followed by a registration (TS 24.501 5.5.2.2) -------------------------

    def _send_deregistration(self, ue: Ue, now: float) -> None:
        self._leaving[ue.index] += 1
        self._start_guard(ue, T3521.seconds, now)
        if now >= ue.idle_at_s:
            self._core.connect(ue)
            self._has_resources[ue.index] = False
        self._stay_connected(ue, now)
        self._core.uplink(ue, DEREGISTRATION, now)

    def _t3521_expired(self, ue: Ue, now: float) -> None:
        """The request again, four times; then the UE is deregistered locally."""
        if self._leaving[ue.index] <= RETRANSMISSIONS:
            self._send_deregistration(ue, now)
        else:
            self._left(ue, f"{T3521.name} expired", now)

    def deregistered(self, ue: Ue, now: float) -> None:
        """DEREGISTRATION ACCEPT."""
        if ue.asks == LEAVING:
            self._left(ue, None, now)

    def _left(self, ue: Ue, failure: str | None, now: float) -> None:
        """Deregistered by its own wish, with the network's accept or locally; it registers again at once."""
        self._stop_guard(ue)
        ue.asks = IDLE
        self._observer.attempt_ended(ue.index, procedures.DEREGISTRATION, None, now, failure)
        self._leave_connection(ue, now)
        self._deregister(ue, None, DEREGISTERED, now)
        self._wait(ue, 0.0, "", now)

    # --- ends --------------------------------------------------------------------------------------------------------

    def _abort(self, ue: Ue, why: str, now: float) -> None:
        """Ends the 5GMM attempt under way from outside."""
        if ue.guard is not None:
            name = NAMES[ue.asks] if ue.asks else procedures.REGISTRATION
            self._observer.attempt_ended(ue.index, name, None, now, why)
        self._unsent[ue.index] = False
        self._stop_guard(ue)
        ue.asks = IDLE

    def _deregister(self, ue: Ue, why: str | None, phase: int, now: float) -> None:
        """Enters 5GMM-DEREGISTERED; tells if a registration, or full service, is lost thereby. None: as it wished."""
        before = ue.phase
        if before not in REGISTERED:
            ue.phase = phase
            return
        if before == ESTABLISHING:
            why_session = why if phase == AWAY else "aborted"
            self._observer.attempt_ended(ue.index, self._session_name(ue), None, now, why_session)
        ue.phase = phase
        self._t3512_until_s[ue.index] = 0.0
        self._abandon_sessions(ue, now)
        if before == IN_SERVICE:
            self._tell_service(ue, now)
        if why is not None:
            self._observer.registration_lost(ue.index, why, now)
