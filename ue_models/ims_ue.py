"""The IMS side of one UE: registers over the ims session, keeps the binding, sends messages (TS 24.229 5.1.1).

What an attempt says is procedures/ims_registration.py, when the next one is due is ims_rules.py as the profile takes
it. Here they are joined with the timers. How a packet travels is the owner's business, and what becomes of the 5GS when
every P-CSCF was asked in vain, too.

ims_attempts.py    the attempt under way, its requests, and what the network asks
ims_ue.py          what its end means: the binding, the next registration, which P-CSCF
"""

from typing import Final

from protocols.credentials import PriorBinding
from protocols.digest import AKAV1_MD5, AUTH, Challenge
from ue_models import ims_rules
from ue_models.ims_attempts import ImsAttempts, ImsOwner, Kind
from ue_models.ims_rules import (
    RETRY_AFTER,
    Again,
    Ask,
    AskLater,
    Exhausted,
    Failure,
    NextPCscf,
    Refused,
    Standing,
    Stop,
    TimerF,
    Wait,
    choose,
    described,
)

__all__ = ["ImsOwner", "ImsUe"]

_NEXT: Final = "IMS registration"
_RENEWAL: Final = "IMS re-registration"
_BINDING: Final = "IMS binding"

_CSEQ_BEFORE: Final = 2
"""Of a registration from before the run: one REGISTER and the answer to its challenge."""


class ImsUe(ImsAttempts):
    """All calls take `now` in scenario seconds, never decreasing."""

    __slots__ = ()

    # --- what the UE calls -------------------------------------------------------------------------------------------

    def provision(
        self, prior: PriorBinding, address: str, p_cscfs: tuple[str, ...], granted_s: float, share: float, now: float
    ) -> None:
        """Registered since before the run; `share` of the time until its re-registration is still to come."""
        ims = self.state
        ims.address = address
        ims.learn_p_cscfs(p_cscfs)
        ims.begin_dialogue(self.index)
        ims.challenge = Challenge(ims.domain, prior.nonce, AKAV1_MD5, (AUTH,))
        ims.res, ims.nonce_count = prior.res, prior.nonce_count
        ims.cseq, ims.granted_s, ims.registered = _CSEQ_BEFORE, granted_s, True
        self._up = True
        self._keep_binding(now - (1 - share) * ims_rules.reregister_after_s(granted_s))

    def session_up(self, address: str, p_cscfs: tuple[str, ...], now: float) -> None:
        """The ims session is up, with this address and these P-CSCFs: the UE registers."""
        self._up = True
        self.state.address = address
        self.state.learn_p_cscfs(p_cscfs)
        if p_cscfs:
            self._plan(self._answer_s(), "", now)

    def session_down(self, now: float) -> None:
        """The ims session is gone, and with it all that went over it; the binding is forgotten."""
        if not self._up:
            return
        self._up = False
        self._abort(now)
        self._cancel_plan(now)
        self._timers.stop(_RENEWAL, _BINDING)
        self._renewal_due = False
        self.state.lose_binding()

    def send_message(self, now: float) -> bool:
        """A user's short message; False if it may not be sent now."""
        return self._may_ask(now) and self._begin(Kind.MESSAGE, now)

    def deregister(self, now: float) -> bool:
        """Leaves IMS (5.1.1.6); False if it may not begin now. It registers again with the next ims session."""
        return self._may_ask(now) and self._begin(Kind.LEAVING, now)

    def _may_ask(self, now: float) -> bool:
        ims = self.state
        return not self.busy and ims.registered and self._up and ims.barred_until_s[ims.p_cscf] <= now

    # --- ends of attempts --------------------------------------------------------------------------------------------

    def _succeeded(self, kind: Kind, now: float) -> None:
        match kind:
            case Kind.INITIAL | Kind.RENEWAL:
                ims = self.state
                ims.failures = ims.in_vain = 0
                ims.renewal_failed = False
                self._keep_binding(now)
                self._owner.ims_changed(now)
            case Kind.LEAVING:
                self._leave(now)
            case Kind.MESSAGE:
                pass

    def _failed(self, kind: Kind, failure: Failure, now: float) -> None:
        failure = self._profile.ims_heard(failure)
        match kind:
            case Kind.INITIAL | Kind.RENEWAL:
                self._registration_failed(kind, failure, now)
            case Kind.LEAVING:
                self._leave(now)  # 5.1.1.6: whatever the answer, the UE considers itself de-registered
            case Kind.MESSAGE:
                self._message_failed(failure, now)

    def _registration_failed(self, kind: Kind, failure: Failure, now: float) -> None:
        """What the rules say, as the profile takes it. A binding that there is stands until it expires."""
        ims, renewing = self.state, kind is Kind.RENEWAL
        standing = Standing(ims.failures, renewing, ims.renewal_failed, ims.wished_s)
        verdict = self._profile.adapt_ims(ims_rules.registration_failed(failure, self._user.ue.rng, standing))
        if isinstance(verdict, Again):
            ims.wished_s = verdict.expires_s
            self._begin(kind, now)
            return
        ims.failures += 1
        ims.renewal_failed = ims.renewal_failed or renewing
        match verdict:
            case Wait(after_s, timer, bars):
                if bars:
                    ims.barred_until_s[ims.p_cscf] = now + after_s
                if bars and not self._profile.waits_at_p_cscf:
                    self._go_on(now)
                else:
                    self._plan(after_s, timer, now)
            case NextPCscf():
                self._lose(f"IMS {described(failure)}", now)
                self._go_on(now)
            case Stop():
                self._lose(f"IMS {described(failure)}", now)
                self._cancel_plan(now)

    def _message_failed(self, failure: Failure, now: float) -> None:
        """The message is lost; Retry-After bars the P-CSCF for other requests as well, a dead one is left."""
        ims = self.state
        if isinstance(failure, Refused) and failure.retry_after_s is not None:
            ims.barred_until_s[ims.p_cscf] = now + failure.retry_after_s
        if ims_rules.message_lost_binding(failure):
            self._lose(f"IMS {described(failure)}", now)
            if isinstance(failure, TimerF):
                self._go_on(now)

    def _deregistered_by_network(self, for_good: bool, now: float) -> None:
        if self.state.registered:
            self._abort(now)
            self._lose("IMS deregistered by the network", now)
            if for_good:
                self._cancel_plan(now)

    # --- the binding -------------------------------------------------------------------------------------------------

    def _keep_binding(self, since_s: float) -> None:
        """The binding was granted at `since_s`: when it is renewed, and when it ends if that fails."""
        granted_s = self.state.granted_s
        self._timers.start(_RENEWAL, since_s + ims_rules.reregister_after_s(granted_s), self._renew)
        self._timers.start(_BINDING, since_s + granted_s, self._expired)

    def _renew(self, now: float) -> None:
        """Re-registration (5.1.1.4.1); after the attempt that runs, if one does."""
        self._renewal_due = self.busy
        if not self.busy and self.state.registered and self._waits_on is None:
            self._begin(Kind.RENEWAL, now)

    def _expired(self, now: float) -> None:
        self._lose("IMS binding expired", now)

    def _lose(self, why: str, now: float) -> None:
        """No binding any more: the UE registers anew, at once if nothing is planned."""
        was = self.state.registered
        self._drop_binding(now)
        if was:
            self._observer.registration_lost(self.index, why, now)
        if self._up and self._waits_on is None and not self.busy:
            self._plan(0.0, "", now)

    def _leave(self, now: float) -> None:
        """De-registered because the UE wanted it so."""
        self._drop_binding(now)
        self._cancel_plan(now)

    def _drop_binding(self, now: float) -> None:
        self.state.lose_binding()
        self._timers.stop(_RENEWAL, _BINDING)
        self._renewal_due = False
        self._owner.ims_changed(now)

    # --- the next registration ---------------------------------------------------------------------------------------

    def _go_on(self, now: float) -> None:
        """This P-CSCF was asked in vain: the next of the list."""
        self.state.in_vain |= 1 << self.state.p_cscf
        self._plan(self._answer_s(), "", now)

    def _plan(self, after_s: float, timer: str, now: float) -> None:
        """An initial registration then; supersedes what was planned."""
        self._cancel_plan(now)
        self._waits_on = timer
        if timer:
            self._observer.waiting(timer, 1, now)
        ue = self._user.ue
        self._timers.start(_NEXT, now + after_s + ue.rng.uniform(0, ue.settings.retry_jitter_s), self._seek)

    def _cancel_plan(self, now: float) -> None:
        self._timers.stop(_NEXT)
        if self._waits_on:
            self._observer.waiting(self._waits_on, -1, now)
        self._waits_on = None

    def _seek(self, now: float) -> None:
        """The wait is over: whom to ask."""
        self._cancel_plan(now)
        ims = self.state
        if self.busy:  # a message is on its way
            self._plan(self._answer_s(), "", now)
            return
        match choose(ims.p_cscf, ims.in_vain, ims.barred_until_s, now):
            case Ask(p_cscf):
                ims.p_cscf = p_cscf
                self._timers.stop(_RENEWAL)
                self._begin(Kind.INITIAL, now)
            case AskLater(p_cscf, at_s):
                ims.p_cscf = p_cscf
                self._plan(at_s - now, RETRY_AFTER, now)
            case Exhausted():
                ims.in_vain = 0
                free_at_s = min(ims.barred_until_s, default=now)
                if ims.registered and free_at_s > now:  # a binding that stands is not given up for a refused renewal
                    self._plan(free_at_s - now, RETRY_AFTER, now)
                else:
                    self._owner.ims_exhausted(self._profile.recourse, now)
