"""Front door: decides about every uplink message before it costs the core anything.

A message whose class is gated takes a token or is refused; every other message passes without one. Which classes
are gated is the difference between the strategies: all of them, or only those that bring new UEs in. A refused first
message is rejected at once, with guidance when to return. A refused follow-up is dropped (then the network's own
retransmission asks again) or its procedure is rejected, as the strategy says. Classes that no network refuses pass
always (TS 23.501 5.19.7.2, TS 24.501 5.3.9).
"""

from collections.abc import Hashable, Set
from dataclasses import dataclass, field
from random import Random
from typing import Final, Literal

from protocols.timers import GprsTimer2
from regstorm.overload.restriction import Restriction
from regstorm.overload.retry_guidance import RetryGuidance
from regstorm.overload.tiers import TierTable
from regstorm.overload.token_bucket import TokenBucket
from regstorm.records.message_classes import NEVER_REFUSED, MessageClass
from regstorm.records.strategy import Gate

FollowUpAction = Literal["drop", "reject"]


@dataclass(frozen=True, slots=True)
class Admit:
    """The message goes on."""

    on_probation: bool = False
    """Only until its sender has been authenticated: then the door is asked again, and a reject can be protected."""


@dataclass(frozen=True, slots=True)
class Refused:
    """The message goes no further."""

    first: bool
    """It was the first message of a procedure; else a follow-up of one that had been admitted."""
    action: FollowUpAction
    """What its sender notices: nothing, or a reject with 5GMM #22."""


Decision = Admit | Refused

ADMIT: Final = Admit()
ON_PROBATION: Final = Admit(on_probation=True)
REFUSED_FIRST: Final = Refused(first=True, action="reject")


def gated_classes(gate: Gate, tiers: TierTable) -> frozenset[MessageClass]:
    """The classes that take a token.

    `every_uplink_message`: all that may be refused at all. `first_messages`: initial registrations, and whatever the
    strategy's tiers put beside or behind them.
    """
    refusable = frozenset(MessageClass) - NEVER_REFUSED
    if gate.counts == "every_uplink_message":
        return refusable
    if len(tiers) == 1:
        return frozenset({MessageClass.INITIAL_REGISTRATION})
    newcomers = tiers.tier(MessageClass.INITIAL_REGISTRATION)
    return frozenset(one for one in refusable if tiers.tier(one) >= newcomers)


@dataclass(slots=True)
class FrontDoor:
    """Gate, tiers and guidance of one network function. Without a gate everybody is admitted."""

    gate: TokenBucket | None
    gated: Set[MessageClass]
    tiers: TierTable
    guidance: RetryGuidance
    follow_up: FollowUpAction = "drop"
    restriction: Restriction | None = None
    """Who may register at all."""
    _refused_follow_up: Refused = field(init=False)

    def __post_init__(self) -> None:
        self._refused_follow_up = Refused(first=False, action=self.follow_up)

    @classmethod
    def open(cls, rng: Random) -> "FrontDoor":
        """A door that refuses nobody, with one tier and no T3346."""
        return cls(None, frozenset(), TierTable(), RetryGuidance(None, rng))

    def decide(
        self,
        now: float,
        message_class: MessageClass,
        first: bool,
        sender: Hashable | None = None,
        protected: bool = True,
        probation: bool = False,
    ) -> Decision:
        """Once for each uplink message; `first` of its procedure or a follow-up of an admitted one.

        This door does not look at who the sender is (None: not known) unless users are barred, nor at whether a
        reject could be protected. `probation`: who asks can hold a registration after its authentication.
        """
        if (
            self.restriction is not None
            and message_class is MessageClass.INITIAL_REGISTRATION
            and not self.restriction.lets_in(sender, now)
        ):
            return REFUSED_FIRST
        if self.gate is None or message_class not in self.gated or self.gate.admits(now):
            return ADMIT
        return REFUSED_FIRST if first else self._refused_follow_up

    def after_probation(self, now: float, sender: Hashable) -> Decision:
        """The sender of a message that was let in on probation has been authenticated."""
        return ADMIT

    def tier(self, message_class: MessageClass) -> int:
        """Where the message stands in the queues behind the door."""
        return self.tiers.tier(message_class)

    def observe(self, load: float, now: float) -> None:
        """Once a second: the load of what is behind the door, as a share of capacity. This door does not mind."""

    def draw_t3346(self, now: float = 0.0, sender: Hashable | None = None, protected: bool = True) -> GprsTimer2 | None:
        """The T3346 of one reject to `sender`; None: without."""
        return self.guidance.draw_t3346()

    def draw_retry_after_s(self) -> int | None:
        """The Retry-After of one 503; None: without."""
        return self.guidance.draw_retry_after_s()
