"""Token bucket: the precise limit of a front door.

Tokens arrive at `rate` per second and at most `depth` of them are kept. Each request takes its cost or is refused;
a refusal takes nothing. It never looks at who asks: the front door decides who is asked at all.
"""

from dataclasses import dataclass, field
from typing import Self


@dataclass(slots=True)
class TokenBucket:
    """Over any time t it admits at most rate · t + depth. Full at the start."""

    rate: float
    """Tokens per second."""
    depth: float
    """Tokens kept at most."""
    _tokens: float = field(init=False)
    _as_of: float = field(init=False, default=0.0)

    def __post_init__(self) -> None:
        if self.rate <= 0 or self.depth <= 0:
            raise ValueError(f"a bucket needs a rate and a depth above zero, not {self.rate} and {self.depth}")
        self._tokens = self.depth

    @classmethod
    def for_ues(cls, rate: float, depth_s: float, messages_per_ue: float, least_depth_ues: float) -> Self:
        """A bucket of `depth_s` seconds of tokens, never shallower than the messages of `least_depth_ues` UEs.

        At 1/100 of the size a fifth of a second is one token: the floor keeps a small sample like the whole.
        """
        return cls(rate, max(rate * depth_s, least_depth_ues * messages_per_ue))

    def set_rate(self, now: float, rate: float) -> None:
        """Another rate from `now` on; what is in the bucket stays."""
        self._tokens = min(self.depth, self._tokens + (now - self._as_of) * self.rate)
        self._as_of = now
        self.rate = rate

    def admits(self, now: float, cost: float = 1.0, leave: float = 0.0) -> bool:
        """True and `cost` tokens fewer, of which `leave` must remain; or False and nothing changed.

        `now` in seconds, never decreasing.
        """
        tokens = self._tokens + (now - self._as_of) * self.rate
        if tokens > self.depth:
            tokens = self.depth
        self._as_of = now
        if tokens < cost + leave:
            self._tokens = tokens
            return False
        self._tokens = tokens - cost
        return True
