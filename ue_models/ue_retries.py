"""What a UE does next: after a failed attempt, after a deregistration, after an emergency.

The rules say what follows (rules.py), the UE's profile how it takes that (profiles.py); here it is put into effect.
"""

from protocols.nas5g.messages import (
    NetworkDeregistrationAccept,
    NetworkDeregistrationRequest,
    RegistrationType,
    ServiceType,
)
from ue_models import rules
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
from ue_models.timers import T3247, T3346, T3540
from ue_models.ue_attempts import Attempting
from ue_models.ue_state import Mm, Substate, UpdateStatus
from ue_models.verdicts import after_failure

E_UTRA = "E-UTRA"
"""What a UE that left NG-RAN is said to wait on."""


class Retrying(Attempting):
    """Plans the next attempt, or none."""

    __slots__ = ()

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
        self._unsent = ()
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

    # --- deregistrations ----------------------------------------------------------------------------------------------

    def _deregistered(self, now: float) -> None:
        """The UE's own deregistration is over, answered or not."""
        state = self.state
        self._wanted = False
        self._sessions.abandon("aborted", now)
        if self._next.waits_on != T3346.name:
            self._next.cancel(now)
        self._stop_operating()
        state.enter(Mm.DEREGISTERED)
        self._update_service(now)
        self._connection.await_release(self._resume, now)

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

    # --- emergencies --------------------------------------------------------------------------------------------------

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
