"""The IMS side of the simulator's UEs: when they register, renew, wait and go elsewhere (TS 24.229 5.1.1).

Nothing is decided here: what a failure means and which P-CSCF is asked next say ue_models.ims_rules, as the UE's
profile takes them. Here stand the attempts, without SIP: a request is repeated by Timer E until its final response or
Timer F (RFC 3261 17.1.2, with the timers of Gm).

ims_requests.py  the attempt under way and its requests
ims_ues.py       what its end means: the binding, the next registration, which P-CSCF
"""

from typing import Final

from regstorm.simulator import events
from regstorm.simulator.ims_population import IDLE, INITIAL, MESSAGE, RENEWAL
from regstorm.simulator.ims_requests import NAMES, ImsRequests
from regstorm.simulator.population import Ue
from ue_models import ims_rules
from ue_models.ims_rules import (
    RETRY_AFTER,
    RFC_5626,
    Again,
    Ask,
    AskLater,
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

WAITS: Final = ("", RETRY_AFTER, RFC_5626)


class ImsUes(ImsRequests):
    """Of the whole population. All calls take `now` in scenario seconds, never decreasing."""

    # --- the scenario ------------------------------------------------------------------------------------------------

    def begin(self, now: float) -> None:
        """Everybody is registered since before the run, somewhere between registration and renewal."""
        for ue in self._ues:
            self._keep_binding(ue, now - self._rng.random() * self._renew_after_s)

    # --- what the UE asks --------------------------------------------------------------------------------------------

    def is_registered(self, ue: Ue) -> bool:
        """A binding stands, as far as the UE knows."""
        return bool(self._bound[ue.index])

    def in_full_service(self, ue: Ue) -> bool:
        """Registered, and both application servers hold the registration, which the UE does not know."""
        return bool(self._bound[ue.index] and ue.ims_served)

    def holds_packet(self, ue: Ue) -> bool:
        """A request waits for a connection."""
        return bool(self._held[ue.index])

    # --- the session -------------------------------------------------------------------------------------------------

    def session_up(self, ue: Ue, now: float) -> None:
        """The ims session is up, with a new address: the UE registers."""
        self._up[ue.index] = True
        ue.ims_bound = ue.ims_challenged_at_sbc = False
        self._p_cscf[ue.index] = self._in_vain[ue.index] = 0
        self._plan(ue, self._answer_s(), "", now)

    def session_down(self, ue: Ue, now: float) -> None:
        """The ims session is gone, and with it all that went over it; the binding is forgotten."""
        if not self._up[ue.index]:
            return
        self._up[ue.index] = self._held[ue.index] = False
        self._abort(ue, now)
        self._cancel_plan(ue, now)
        self._renewal_due[ue.index] = False
        self._renews[ue.index] = False
        self._bound[ue.index] = False
        self._owner.ims_changed(ue, now)

    def send_message(self, ue: Ue, now: float) -> None:
        """A user's short message, if it may be sent now."""
        barred = self._barred.until_s(ue.index)[self._p_cscf[ue.index]] > now
        if not ue.ims_runs and self._bound[ue.index] and self._up[ue.index] and not barred:
            self._begin(ue, MESSAGE, now)

    # --- ends of attempts --------------------------------------------------------------------------------------------

    def _ended(self, ue: Ue, failure: Failure | None, now: float) -> None:
        kind = ue.ims_runs
        ue.ims_runs = IDLE
        told = None if failure is None else described(failure)
        self._observer.attempt_ended(ue.index, NAMES[kind], None, now, told)
        if failure is None:
            self._succeeded(ue, kind, now)
        else:
            if isinstance(failure, Refused):
                self._observer.rejected(ue.index, described(failure), False, now)
            heard = ue.profile.ims_heard(failure)
            if kind == MESSAGE:
                self._message_failed(ue, heard, now)
            else:
                self._registration_failed(ue, kind, heard, now)
        if self._renewal_due[ue.index]:
            self._renew(ue, now)

    def _succeeded(self, ue: Ue, kind: int, now: float) -> None:
        if kind == MESSAGE:
            return
        self._renewal_failed[ue.index] = False
        self._failures[ue.index] = self._in_vain[ue.index] = 0
        self._bound[ue.index] = True
        self._keep_binding(ue, now)
        self._owner.ims_changed(ue, now)

    def _registration_failed(self, ue: Ue, kind: int, failure: Failure, now: float) -> None:
        """What the rules say, as the profile takes it. A binding that there is stands until it expires."""
        renewing = kind == RENEWAL
        standing = Standing(self._failures[ue.index], renewing, bool(self._renewal_failed[ue.index]))
        verdict = ue.profile.adapt_ims(ims_rules.registration_failed(failure, self._rng, standing))
        if isinstance(verdict, Again):
            self._asks_longer[ue.index] = True
            self._begin(ue, kind, now)
            return
        self._failures[ue.index] = min(self._failures[ue.index] + 1, 255)
        self._renewal_failed[ue.index] |= renewing
        match verdict:
            case Wait(after_s, timer, bars):
                if bars:
                    self._bar(ue, now + after_s)
                if bars and not ue.profile.waits_at_p_cscf:
                    self._go_on(ue, now)
                else:
                    self._plan(ue, after_s, timer, now)
            case NextPCscf():
                self._lose(ue, f"IMS {described(failure)}", now)
                self._go_on(ue, now)
            case Stop():
                self._lose(ue, f"IMS {described(failure)}", now)
                self._cancel_plan(ue, now)

    def _message_failed(self, ue: Ue, failure: Failure, now: float) -> None:
        """The message is lost; Retry-After bars the P-CSCF for other requests as well, a dead one is left."""
        if isinstance(failure, Refused) and failure.retry_after_s is not None:
            self._bar(ue, now + failure.retry_after_s)
        if ims_rules.message_lost_binding(failure):
            self._lose(ue, f"IMS {described(failure)}", now)
            if isinstance(failure, TimerF):
                self._go_on(ue, now)

    def deregistered_in_ims(self, ue: Ue, now: float) -> bool:
        """NOTIFY, "deactivated": the UE registers anew (5.1.1.7)."""
        if not self._up[ue.index] or not self._owner.has_connection(ue, now):
            return False
        if self._bound[ue.index]:
            self._abort(ue, now)
            self._lose(ue, "IMS deregistered by the network", now)
        return True

    # --- the binding -------------------------------------------------------------------------------------------------

    def core_registered(self, ue: Ue, until_s: float) -> None:
        """The S-CSCF keeps the registration until then; whether the UE hears of it or not, it will expire there."""
        if not self._clock[ue.index]:
            self._wake_at(ue, until_s)

    def _keep_binding(self, ue: Ue, since_s: float) -> None:
        """The binding was granted at `since_s`: when it is renewed, and when it ends if that fails."""
        self._bound_since_s[ue.index] = since_s
        self._renews[ue.index] = True
        self._wake_at(ue, since_s + self._renew_after_s)

    def _wake_at(self, ue: Ue, due_s: float) -> None:
        self._clock[ue.index] = self._heap.at(due_s, events.IMS_CLOCK, ue.index)

    def clock(self, index: int, now: float, number: int) -> None:
        """Time to renew; or a binding ends, in the core before at the UE."""
        ue = self._ues[index]
        if number != self._clock[ue.index]:
            return
        self._clock[ue.index] = 0
        if self._renews[ue.index] and self._bound_since_s[ue.index] + self._renew_after_s <= now:
            self._renews[ue.index] = False
            self._renew(ue, now)
        if 0 < self._core.known_until_s[ue.index] <= now:
            self._core.expire(ue, now)
        if self._bound[ue.index] and self._bound_since_s[ue.index] + self._granted_s <= now:
            self._lose(ue, "IMS binding expired", now)
        since_s, known_until_s = self._bound_since_s[ue.index], self._core.known_until_s[ue.index]
        dues = [since_s + self._renew_after_s] if self._renews[ue.index] else []
        dues += [since_s + self._granted_s] if self._bound[ue.index] else []
        dues += [known_until_s] if known_until_s else []
        if dues and not self._clock[ue.index]:
            self._wake_at(ue, max(now, min(dues)))

    def _renew(self, ue: Ue, now: float) -> None:
        """Re-registration (5.1.1.4.1); after the attempt that runs, if one does."""
        self._renewal_due[ue.index] = ue.ims_runs != IDLE
        if not ue.ims_runs and self._bound[ue.index] and not self._planned[ue.index]:
            self._begin(ue, RENEWAL, now)

    def _lose(self, ue: Ue, why: str, now: float) -> None:
        """No binding any more: the UE registers anew, at once if nothing is planned."""
        was = bool(self._bound[ue.index])
        self._bound[ue.index] = self._renewal_due[ue.index] = False
        self._renews[ue.index] = False
        self._owner.ims_changed(ue, now)
        if was:
            self._observer.registration_lost(ue.index, why, now)
        if self._up[ue.index] and not self._planned[ue.index] and not ue.ims_runs:
            self._plan(ue, 0.0, "", now)

    # --- the next registration ---------------------------------------------------------------------------------------

    def _bar(self, ue: Ue, until_s: float) -> None:
        """Its P-CSCF is not asked before then."""
        self._barred.bar(ue.index, self._p_cscf[ue.index], until_s)

    def _go_on(self, ue: Ue, now: float) -> None:
        """This P-CSCF was asked in vain: the next of the list."""
        self._in_vain[ue.index] |= 1 << self._p_cscf[ue.index]
        self._plan(ue, self._answer_s(), "", now)

    def _plan(self, ue: Ue, after_s: float, timer: str, now: float) -> None:
        """An initial registration then; supersedes what was planned."""
        self._cancel_plan(ue, now)
        if timer:
            self._waits_on[ue.index] = WAITS.index(timer)
            self._observer.waiting(timer, 1, now)
        due_s = now + after_s + self._rng.random() * self._jitter_s
        self._planned[ue.index] = self._heap.at(due_s, events.IMS_SEEK, ue.index)

    def _cancel_plan(self, ue: Ue, now: float) -> None:
        self._planned[ue.index] = 0
        if self._waits_on[ue.index]:
            self._observer.waiting(WAITS[self._waits_on[ue.index]], -1, now)
            self._waits_on[ue.index] = 0

    def seek(self, index: int, now: float, number: int) -> None:
        """The wait is over: whom to ask."""
        ue = self._ues[index]
        if number != self._planned[ue.index]:
            return
        self._cancel_plan(ue, now)
        if ue.ims_runs:  # a message is on its way
            self._plan(ue, self._answer_s(), "", now)
            return
        barred_until_s = self._barred.until_s(ue.index)
        match choose(self._p_cscf[ue.index], self._in_vain[ue.index], barred_until_s, now):
            case Ask(p_cscf):
                self._p_cscf[ue.index] = p_cscf
                self._renews[ue.index] = False
                self._begin(ue, INITIAL, now)
            case AskLater(p_cscf, at_s):
                self._p_cscf[ue.index] = p_cscf
                self._plan(ue, at_s - now, RETRY_AFTER, now)
            case _:
                self._in_vain[ue.index] = 0
                free_at_s = min(barred_until_s)
                if self._bound[ue.index] and free_at_s > now:  # not given up for a refused renewal
                    self._plan(ue, free_at_s - now, RETRY_AFTER, now)
                    return
                self._owner.ims_exhausted(ue, ue.profile.recourse, now)
