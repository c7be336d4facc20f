"""Guided door: a front door that knows how fast it may admit, how many are waiting, and who cannot be told to wait.

1. Its rate is a live credit (live_credit.py); only first messages of newcomers take it.
2. A refused user is told to return within a window sized to the backlog (backlog_window.py, backlog.py).
3. Who cannot be scheduled goes first: a user that comes early or late, and one whose reject cannot be protected, so
   that its T3346 would not be believed. While such a user was refused in the last second, others leave half of the
   bucket to them. A reject without protection carries no T3346: the user is back after T3511.
4. Who has had its turn in this storm comes last: when the backlog is short and the load is well below its target.
5. Pre-authentication: a user whose reject could not be protected is let in for the price of its authentication. Then
it is known, and it is admitted or told to wait like anyone; when it comes back its context is there. Without this, or
where a caller cannot do it, a tenth of such users is the most that rule 3 can bear.
"""

from collections.abc import Hashable
from dataclasses import dataclass, field
from typing import Final

from protocols.timers import GprsTimer2
from regstorm.overload.backlog import Backlog, Standing
from regstorm.overload.backlog_window import BacklogWindow
from regstorm.overload.front_door import ADMIT, ON_PROBATION, REFUSED_FIRST, Decision, FrontDoor, Refused
from regstorm.overload.live_credit import LiveCredit
from regstorm.overload.token_bucket import TokenBucket
from regstorm.records.message_classes import MessageClass

IGNORED: Final = Refused(first=True, action="drop")
UNSCHEDULED: Final = frozenset({Standing.EARLY, Standing.LATE})
PRESSING_S: Final = 1.0
"""How long others leave a part of the bucket after somebody who cannot be scheduled was refused."""
LAST_BELOW_TARGET: Final = 0.07
"""Who comes last needs a load this far below its target …"""
LAST_BACKLOG_S: Final = 2.0
"""… and a backlog of no more than so many seconds of credit."""


@dataclass(slots=True)
class GuidedDoor(FrontDoor):
    """A front door whose gate is live. `gate` must be a bucket that counts first messages."""

    credit: LiveCredit = field(kw_only=True)
    window: BacklogWindow = field(kw_only=True)
    backlog: Backlog = field(kw_only=True)
    reserve: float = field(kw_only=True)
    """Share of the bucket that is left to those who cannot be scheduled, while there are any."""
    probation_costs: float | None = field(kw_only=True, default=None)
    """Credit that an authentication takes, as a share of a whole registration; None: nobody is pre-authenticated."""
    _refused_somebody: bool = field(init=False, default=False)
    _pressing_until: float = field(init=False, default=-1.0)

    def observe(self, load: float, now: float) -> None:
        """Once a second: the load of what is behind the door, as a share of capacity."""
        self.credit.observe(load, self._refused_somebody)
        self._refused_somebody = False
        if self.gate is not None:
            self.gate.set_rate(now, self.credit.rate)

    def decide(
        self,
        now: float,
        message_class: MessageClass,
        first: bool,
        sender: Hashable | None = None,
        protected: bool = True,
        probation: bool = False,
    ) -> Decision:
        """Once for each uplink message. `sender` None: somebody whose name is not known."""
        gate = self.gate
        if gate is None or not first or message_class not in self.gated:
            return ADMIT
        self.backlog.advance(now)
        standing = Standing.NEW if sender is None else self.backlog.standing(sender, now)
        if standing is Standing.SERVED_EARLY:
            return IGNORED
        on_probation = probation and not protected and self.probation_costs is not None
        unscheduled = (not protected and not on_probation) or standing in UNSCHEDULED
        if (standing is not Standing.SERVED or self._has_room()) and gate.admits(
            now, 1.0, self._left(gate, unscheduled, now)
        ):
            if sender is not None:
                self.backlog.admitted(sender)
            return ADMIT
        self._refused_somebody = True
        if on_probation and gate.admits(now, self.probation_costs or 0.0):
            return ON_PROBATION
        if unscheduled:
            self._pressing_until = now + PRESSING_S
        return REFUSED_FIRST

    def after_probation(self, now: float, sender: Hashable) -> Decision:
        """It is known now: admitted for the rest of the price, or told to wait like anyone."""
        gate = self.gate
        self.backlog.advance(now)
        if gate is None or gate.admits(now, 1.0 - (self.probation_costs or 0.0), self._left(gate, False, now)):
            self.backlog.admitted(sender)
            return ADMIT
        self._refused_somebody = True
        return REFUSED_FIRST

    def draw_t3346(self, now: float = 0.0, sender: Hashable | None = None, protected: bool = True) -> GprsTimer2 | None:
        """The T3346 of one reject; its receiver is expected back from now on."""
        if not protected:
            return None
        timer = self.window.draw(self.backlog.size, self.credit.rate)
        if sender is not None:
            self.backlog.expect(sender, now + (timer.seconds or 0), now)
        return timer

    def _left(self, gate: TokenBucket, unscheduled: bool, now: float) -> float:
        """Tokens that this one must leave in the bucket."""
        return 0.0 if unscheduled or now > self._pressing_until else self.reserve * gate.depth

    def _has_room(self) -> bool:
        """For those who have had their turn."""
        credit = self.credit
        short = self.backlog.size <= LAST_BACKLOG_S * credit.rate
        return short and credit.load <= credit.rule.target - LAST_BELOW_TARGET
