"""Lateness: how long after its due time each event was worked on, kept as a histogram.

Buckets grow with the value, eight to an octave, so that a quantile is read to within 9 % over any range and a note
costs a fraction of a microsecond. Quantiles are the upper edge of their bucket: never told too small.
"""

from collections import defaultdict
from collections.abc import Mapping
from math import frexp, ldexp

PER_OCTAVE = 8
LEAST_S = 1e-5  # below it everything counts as punctual: less than the loop itself can tell


class Lateness:
    """Seconds of the clock that notes them."""

    __slots__ = ("_buckets", "events", "max_s")

    def __init__(self) -> None:
        self._buckets: defaultdict[int, int] = defaultdict(int)
        self.events = 0
        self.max_s = 0.0

    def note(self, late_s: float) -> None:
        """One event, `late_s` after it was due."""
        self.events += 1
        if late_s < LEAST_S:
            self._buckets[_PUNCTUAL] += 1
            return
        if late_s > self.max_s:
            self.max_s = late_s
        mantissa, exponent = frexp(late_s)  # mantissa from 0.5 to 1
        self._buckets[exponent * PER_OCTAVE + int((mantissa - 0.5) * 2 * PER_OCTAVE)] += 1

    def add(self, buckets: Mapping[int, int], max_s: float) -> None:
        """What another process has noted (its `buckets` and `max_s`)."""
        for bucket, events in buckets.items():
            self._buckets[bucket] += events
            self.events += events
        self.max_s = max(self.max_s, max_s)

    @property
    def buckets(self) -> dict[int, int]:
        """Events by bucket, for another process."""
        return dict(self._buckets)

    def quantile_s(self, share: float) -> float:
        """That share of all events was at most so late; 0 without any event."""
        wanted, seen = share * self.events, 0
        for bucket in sorted(self._buckets):
            seen += self._buckets[bucket]
            if seen >= wanted:
                return 0.0 if bucket == _PUNCTUAL else min(_upper_edge_s(bucket), self.max_s)
        return self.max_s

    @property
    def p50_s(self) -> float:
        """The median."""
        return self.quantile_s(0.5)

    @property
    def p99_s(self) -> float:
        """One event in a hundred was later."""
        return self.quantile_s(0.99)


_PUNCTUAL = -(1 << 20)


def _upper_edge_s(bucket: int) -> float:
    exponent, part = divmod(bucket, PER_OCTAVE)
    return ldexp(0.5 + (part + 1) / (2 * PER_OCTAVE), exponent)
