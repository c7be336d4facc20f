"""Retry guidance: what a refused UE is told about its next attempt.

T3346 is drawn uniformly from the strategy's window, so that refused UEs do not return together. The information
element is a GPRS timer 2, which knows whole minutes only beyond 62 s; the draw is therefore dithered before it is
coded, which keeps the mean and the spread. Retry-After of SIP is in seconds and needs no such coding. Without a
window the reject carries no timer, and a UE falls back to T3511 and T3502 (TS 24.501 5.3.9, 5.5.1.2.5) or to the
back-off of RFC 5626 4.5: the worst setting known.
"""

from dataclasses import dataclass
from random import Random

from protocols.timers import GprsTimer2
from regstorm.records.strategy import T3346Window


@dataclass(frozen=True, slots=True)
class RetryGuidance:
    """Draws the T3346 of each reject."""

    window: T3346Window | None
    rng: Random

    def draw_t3346(self) -> GprsTimer2 | None:
        """The timer for one reject with 5GMM #22; None: the reject carries none."""
        if self.window is None:
            return None
        seconds = self.rng.uniform(self.window.low_s, self.window.high_s)
        return GprsTimer2.of(seconds, self.rng.random())

    def draw_retry_after_s(self) -> int | None:
        """The Retry-After of one 503, spread over the same window but in whole seconds; None: it carries none.

        A UE obeys it to the second (RFC 3261 20.33), so all of the spread has to come from here.
        """
        if self.window is None:
            return None
        return round(self.rng.uniform(self.window.low_s, self.window.high_s))
