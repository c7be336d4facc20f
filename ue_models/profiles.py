"""How obedient a UE is: where it departs from rules.py.

A profile changes what the UE hears (does it believe T3346?), what it makes of a rule's verdict, and how long it waits
for an answer. Every profile keeps the rest of the protocol.
"""

from dataclasses import dataclass
from random import Random
from typing import Final

from ue_models import ims_rules
from ue_models.ims_rules import Recourse
from ue_models.rules import Failure, Never, Next, Rejected, Retry, ToEutra
from ue_models.timers import T3502, T3510, T3511, T3517, Timer

BROKEN_BY_RESELECTION: Final = frozenset({T3502.name, T3511.name})
"""What a power cycle or another cell ends. Not T3346: it is kept through both (5.3.9: "t1 − t", or t1 where the time
off is not known), nor T3247. This is scenario S1b, "idle UEs retry early": it breaks T3502 and leaves T3346 alone."""


@dataclass(frozen=True, slots=True)
class Profile:
    """One kind of behaviour. The defaults are those of an obedient UE."""

    name: str
    believes_t3346: bool = True
    restless_mean_s: float | None = None
    """Mean time to the next re-selection or power cycle while the UE waits (exponential)."""
    every_s: float | None = None
    """Tries again this long after every failure, whatever timer the rules name; sooner where they allow it."""
    patience_s: float | None = None
    """Gives up waiting for an answer after this time, if the guard timer is longer."""
    gives_up: bool = True
    """A hard cause ends its attempts."""
    believes_retry_after: bool = True
    recourse: Recourse = Recourse.NEW_SESSION
    """What it does when all P-CSCFs were asked in vain."""
    waits_at_p_cscf: bool = False
    """Refused with Retry-After it waits for that time and asks the same P-CSCF again, instead of another at once."""

    def heard(self, failure: Failure) -> Failure:
        """The failure as this UE understands it: an unbelieved T3346 is as good as absent."""
        if not self.believes_t3346 and isinstance(failure, Rejected):
            return failure._replace(t3346=None)
        return failure

    def adapt(self, verdict: Next, rng: Random) -> Next:
        """What this UE does where the rules say `verdict`."""
        if self.every_s is not None:
            if isinstance(verdict, Retry):
                return Retry(min(self.every_s, verdict.after_s), "", verdict.attempts, verdict.forget)
            if isinstance(verdict, Never | ToEutra) and not self.gives_up:
                return Retry(self.every_s, "", 0, verdict.forget)
        if self.restless_mean_s is not None and isinstance(verdict, Retry) and verdict.timer in BROKEN_BY_RESELECTION:
            early_s = rng.expovariate(1 / self.restless_mean_s)
            if early_s < verdict.after_s:  # power-on resets the counter (5.5.1.2.1)
                return Retry(early_s, verdict.timer, 0, verdict.forget)
        return verdict

    def ims_heard(self, failure: ims_rules.Failure) -> ims_rules.Failure:
        """The same for IMS: an unbelieved Retry-After is as good as absent."""
        return failure if self.believes_retry_after else ims_rules.without_retry_after(failure)

    def adapt_ims(self, verdict: ims_rules.Next) -> ims_rules.Next:
        """The same for IMS: what this UE does where ims_rules say `verdict`."""
        if self.every_s is not None:
            if isinstance(verdict, ims_rules.Wait):
                return ims_rules.Wait(min(self.every_s, verdict.after_s), "")
            if isinstance(verdict, ims_rules.Stop) and not self.gives_up:
                return ims_rules.Wait(self.every_s, "")
        return verdict

    def guard_s(self, timer: Timer) -> float:
        """How long this UE waits for an answer."""
        if self.patience_s is not None and timer in (T3510, T3517):
            return min(self.patience_s, timer.seconds)
        return timer.seconds


OBEDIENT: Final = Profile("obedient")
IGNORES_T3346: Final = Profile("ignores_t3346", believes_t3346=False)
IGNORES_RETRY_AFTER: Final = Profile("ignores_retry_after", believes_retry_after=False)


def restless(mean_s: float) -> Profile:
    """Re-selects or power cycles after `mean_s` on average, and then tries early."""
    return Profile("restless", restless_mean_s=mean_s)


def impatient(every_s: float) -> Profile:
    """Tries every `every_s`, answered or not, until it is registered or met by a hard cause."""
    return Profile("impatient", every_s=every_s, patience_s=every_s)


def endless(every_s: float) -> Profile:
    """Tries again `every_s` after every failure, whatever the cause. It does wait for an answer (T3510)."""
    return Profile("endless", every_s=every_s, gives_up=False)
