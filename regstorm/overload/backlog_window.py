"""Backlog window: T3346 is drawn from a window that is as long as the backlog needs, and a little shorter.

With B users expected and r admitted per second the backlog takes B / r; the window is `factor` times that, so that the
door never runs empty, at least `low_s`, and at most `high_s`, so that everybody is asked anew before things have
changed much. A backlog so long that its users would ask more than `most_attempts` times stretches the window.
"""

from dataclasses import dataclass
from random import Random

from protocols.timers import GprsTimer2
from regstorm.records.strategy import BacklogWindow as Rule

SHORTEST_S = 2.0
"""Of a GPRS timer 2 that runs (TS 24.008 10.5.7.4)."""


@dataclass(frozen=True, slots=True)
class BacklogWindow:
    """Draws the T3346 of each reject."""

    rule: Rule
    rng: Random

    def window_s(self, backlog: int, ues_per_s: float) -> float:
        """Seconds over which refused users return."""
        rule = self.rule
        drained_in_s = backlog / ues_per_s
        longest_s = max(rule.high_s, 2 * drained_in_s / rule.most_attempts)
        return min(max(rule.factor * drained_in_s, rule.low_s), longest_s)

    def draw(self, backlog: int, ues_per_s: float) -> GprsTimer2:
        """The timer of one reject: coded in steps of 2 s up to 62 s, dithered whole minutes above."""
        seconds = self.window_s(backlog, ues_per_s) * (1.0 - self.rng.random())
        return GprsTimer2.of(max(SHORTEST_S, seconds), self.rng.random())
