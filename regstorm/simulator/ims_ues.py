"""The IMS side of the simulator's UEs: when they register, renew, wait and go elsewhere (TS 24.229 5.1.1).

Nothing is decided here: what a failure means and which P-CSCF is asked next say ue_models.ims_rules, as the UE's
profile takes them. Here stand the attempts, without SIP: a request is repeated by Timer E until its final response or
Timer F (RFC 3261 17.1.2, with the timers of Gm).

ims_requests.py  the attempt under way and its requests
ims_ues.py       what its end means: the binding, the next registration, which P-CSCF
"""

from typing import Final

from regstorm.records.procedures import IMS_MESSAGE, IMS_REGISTRATION, IMS_REREGISTRATION
from regstorm.simulator import events
from regstorm.simulator.ims_population import IDLE, INITIAL, MESSAGE, P_CSCFS, RENEWAL
from regstorm.simulator.ims_requests import ImsRequests
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

NAMES: Final = ("", IMS_REGISTRATION, IMS_REREGISTRATION, IMS_MESSAGE)
WAITS: Final = ("", RETRY_AFTER, RFC_5626)


class ImsUes(ImsRequests):
    """Of the whole population. All calls take `now` in scenario seconds, never decreasing."""

    # --- the scenario ------------------------------------------------------------------------------------------------

    def begin(self, now: float) -> None:
        """Everybody is registered since before the run, somewhere between registration and renewal."""
        population, renew_s = self._population, ims_rules.reregister_after_s(self._granted_s)
        for ue in range(population.size):
            self._keep_binding(ue, now - self._rng.random() * renew_s)

    # --- what the UE asks --------------------------------------------------------------------------------------------

    def is_registered(self, ue: int) -> bool:
        """A binding stands, as far as the UE knows."""
        return bool(self._population.registered[ue])

    def in_full_service(self, ue: int) -> bool:
        """Registered, and both application servers hold the registration, which the UE does not know."""
        return bool(self._population.registered[ue] and self._population.served[ue])

    def holds_packet(self, ue: int) -> bool:
        """A request waits for a connection."""
        return bool(self._population.held[ue])

    # --- the session -------------------------------------------------------------------------------------------------

    def session_up(self, ue: int, now: float) -> None:
        """The ims session is up, with a new address: the UE registers."""
        population = self._population
        population.up[ue] = 1
        population.bound[ue] = population.challenged_at_sbc[ue] = 0
        population.p_cscf[ue] = population.in_vain[ue] = 0
        self._plan(ue, self._answer_s(), "", now)

    def session_down(self, ue: int, now: float) -> None:
        """The ims session is gone, and with it all that went over it; the binding is forgotten."""
        population = self._population
        if not population.up[ue]:
            return
        population.up[ue] = population.held[ue] = 0
        self._abort(ue, now)
        self._cancel_plan(ue, now)
        population.renew_at[ue] = population.renewal_due[ue] = 0
        population.registered[ue] = 0
        self._owner.ims_changed(ue, now)

    def send_message(self, ue: int, now: float) -> None:
        """A user's short message, if it may be sent now."""
        population = self._population
        barred = population.barred_until[population.p_cscf[ue]][ue] > now
        if not population.runs[ue] and population.registered[ue] and population.up[ue] and not barred:
            self._begin(ue, MESSAGE, now)

    # --- ends of attempts --------------------------------------------------------------------------------------------

    def _ended(self, ue: int, failure: Failure | None, now: float) -> None:
        population = self._population
        kind = population.runs[ue]
        population.runs[ue] = IDLE
        told = None if failure is None else described(failure)
        self._observer.attempt_ended(ue, NAMES[kind], population.began[ue], now, told)
        if failure is None:
            self._succeeded(ue, kind, now)
        else:
            if isinstance(failure, Refused):
                self._observer.rejected(ue, described(failure), False, now)
            heard = self._profile(ue).ims_heard(failure)
            if kind == MESSAGE:
                self._message_failed(ue, heard, now)
            else:
                self._registration_failed(ue, kind, heard, now)
        if population.renewal_due[ue]:
            self._renew(ue, now)

    def _succeeded(self, ue: int, kind: int, now: float) -> None:
        if kind == MESSAGE:
            return
        population = self._population
        population.failures[ue] = population.in_vain[ue] = population.renewal_failed[ue] = 0
        population.registered[ue] = 1
        self._keep_binding(ue, now)
        self._owner.ims_changed(ue, now)

    def _registration_failed(self, ue: int, kind: int, failure: Failure, now: float) -> None:
        """What the rules say, as the profile takes it. A binding that there is stands until it expires."""
        population, renewing = self._population, kind == RENEWAL
        standing = Standing(population.failures[ue], renewing, bool(population.renewal_failed[ue]))
        verdict = self._profile(ue).adapt_ims(ims_rules.registration_failed(failure, self._rng, standing))
        if isinstance(verdict, Again):
            population.asks_longer[ue] = 1
            self._begin(ue, kind, now)
            return
        population.failures[ue] = min(population.failures[ue] + 1, 255)
        population.renewal_failed[ue] |= renewing
        match verdict:
            case Wait(after_s, timer, bars):
                if bars:
                    population.barred_until[population.p_cscf[ue]][ue] = now + after_s
                if bars and not self._profile(ue).waits_at_p_cscf:
                    self._go_on(ue, now)
                else:
                    self._plan(ue, after_s, timer, now)
            case NextPCscf():
                self._lose(ue, f"IMS {described(failure)}", now)
                self._go_on(ue, now)
            case Stop():
                self._lose(ue, f"IMS {described(failure)}", now)
                self._cancel_plan(ue, now)

    def _message_failed(self, ue: int, failure: Failure, now: float) -> None:
        """The message is lost; Retry-After bars the P-CSCF for other requests as well, a dead one is left."""
        population = self._population
        if isinstance(failure, Refused) and failure.retry_after_s is not None:
            population.barred_until[population.p_cscf[ue]][ue] = now + failure.retry_after_s
        if ims_rules.message_lost_binding(failure):
            self._lose(ue, f"IMS {described(failure)}", now)
            if isinstance(failure, TimerF):
                self._go_on(ue, now)

    def deregistered_in_ims(self, ue: int, now: float) -> bool:
        """NOTIFY, "deactivated": the UE registers anew (5.1.1.7)."""
        if not self._population.up[ue] or not self._owner.has_connection(ue, now):
            return False
        if self._population.registered[ue]:
            self._abort(ue, now)
            self._lose(ue, "IMS deregistered by the network", now)
        return True

    # --- the binding -------------------------------------------------------------------------------------------------

    def core_registered(self, ue: int, until_s: float) -> None:
        """The S-CSCF keeps the registration until then; whether the UE hears of it or not, it will expire there."""
        if not self._population.clock[ue]:
            self._wake_at(ue, until_s)

    def _keep_binding(self, ue: int, since_s: float) -> None:
        """The binding was granted at `since_s`: when it is renewed, and when it ends if that fails."""
        population = self._population
        population.renew_at[ue] = since_s + ims_rules.reregister_after_s(self._granted_s)
        population.bound_until[ue] = since_s + self._granted_s
        self._wake_at(ue, population.renew_at[ue])

    def _wake_at(self, ue: int, due_s: float) -> None:
        self._population.clock[ue] = self._heap.at(due_s, events.IMS_CLOCK, ue)

    def clock(self, ue: int, now: float, number: int) -> None:
        """Time to renew; or a binding ends, in the core before at the UE."""
        population = self._population
        if number != population.clock[ue]:
            return
        population.clock[ue] = 0
        if population.renew_at[ue] and population.renew_at[ue] <= now:
            population.renew_at[ue] = 0
            self._renew(ue, now)
        if population.known[ue] and population.known_until[ue] <= now:
            self._core.expire(ue, now)
        if population.registered[ue] and population.bound_until[ue] <= now:
            self._lose(ue, "IMS binding expired", now)
        dues = [population.renew_at[ue]] if population.renew_at[ue] else []
        dues += [population.bound_until[ue]] if population.registered[ue] else []
        dues += [population.known_until[ue]] if population.known[ue] else []
        if dues and not population.clock[ue]:
            self._wake_at(ue, max(now, min(dues)))

    def _renew(self, ue: int, now: float) -> None:
        """Re-registration (5.1.1.4.1); after the attempt that runs, if one does."""
        population = self._population
        population.renewal_due[ue] = population.runs[ue] != IDLE
        if not population.runs[ue] and population.registered[ue] and not population.planned[ue]:
            self._begin(ue, RENEWAL, now)

    def _lose(self, ue: int, why: str, now: float) -> None:
        """No binding any more: the UE registers anew, at once if nothing is planned."""
        population = self._population
        was = population.registered[ue]
        population.registered[ue] = population.renewal_due[ue] = 0
        population.renew_at[ue] = 0
        self._owner.ims_changed(ue, now)
        if was:
            self._observer.registration_lost(ue, why, now)
        if population.up[ue] and not population.planned[ue] and not population.runs[ue]:
            self._plan(ue, 0.0, "", now)

    # --- the next registration ---------------------------------------------------------------------------------------

    def _go_on(self, ue: int, now: float) -> None:
        """This P-CSCF was asked in vain: the next of the list."""
        self._population.in_vain[ue] |= 1 << self._population.p_cscf[ue]
        self._plan(ue, self._answer_s(), "", now)

    def _plan(self, ue: int, after_s: float, timer: str, now: float) -> None:
        """An initial registration then; supersedes what was planned."""
        self._cancel_plan(ue, now)
        population = self._population
        if timer:
            population.waits_on[ue] = WAITS.index(timer)
            self._observer.waiting(timer, 1, now)
        due_s = now + after_s + self._rng.random() * self._jitter_s
        population.planned[ue] = self._heap.at(due_s, events.IMS_SEEK, ue)

    def _cancel_plan(self, ue: int, now: float) -> None:
        population = self._population
        population.planned[ue] = 0
        if population.waits_on[ue]:
            self._observer.waiting(WAITS[population.waits_on[ue]], -1, now)
            population.waits_on[ue] = 0

    def seek(self, ue: int, now: float, number: int) -> None:
        """The wait is over: whom to ask."""
        population = self._population
        if number != population.planned[ue]:
            return
        self._cancel_plan(ue, now)
        if population.runs[ue]:  # a message is on its way
            self._plan(ue, self._answer_s(), "", now)
            return
        barred = [population.barred_until[one][ue] for one in range(P_CSCFS)]
        match choose(population.p_cscf[ue], population.in_vain[ue], barred, now):
            case Ask(p_cscf):
                population.p_cscf[ue] = p_cscf
                population.renew_at[ue] = 0
                self._begin(ue, INITIAL, now)
            case AskLater(p_cscf, at_s):
                population.p_cscf[ue] = p_cscf
                self._plan(ue, at_s - now, RETRY_AFTER, now)
            case _:
                population.in_vain[ue] = 0
                free_at_s = min(barred)
                if population.registered[ue] and free_at_s > now:  # not given up for a refused renewal
                    self._plan(ue, free_at_s - now, RETRY_AFTER, now)
                    return
                self._owner.ims_exhausted(ue, self._profile(ue).recourse, now)
