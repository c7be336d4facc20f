"""DRA gate: what passes towards one HSS on Cx and Sh, whoever admitted it at the front door.

The paper's last guard (its section 3.4): a limit of A(N) · X2 pairs/s by destination, for faults that routine
thresholds do not foresee. Counted by the second, as a DRA counts messages: in every second of the clock no more than
the limit, what it does not use is not kept (but for the fraction of a pair, so that the rate is met exactly). Above
that a request is answered at once with DIAMETER_TOO_BUSY (RFC 6733 7.1.3) and costs the HSS nothing.
"""

from collections.abc import Mapping
from math import floor

from regstorm.records.strategy import Strategy


class DraGate:
    """Towards one HSS. `now` never decreases."""

    __slots__ = ("_left", "_second", "pairs_per_s")

    def __init__(self, pairs_per_s: float) -> None:
        self.pairs_per_s = pairs_per_s
        self._second = -1
        self._left = 0

    def admits(self, now: float) -> bool:
        """One pair."""
        second = floor(now)
        if second > self._second:
            self._second = second
            self._left = floor((second + 1) * self.pairs_per_s) - floor(second * self.pairs_per_s)
        if not self._left:
            return False
        self._left -= 1
        return True


def gates(strategy: Strategy, capacities: Mapping[str, float]) -> list[DraGate]:
    """One towards each HSS, `capacities` being A(N) by name; none where the strategy has no limits."""
    dra = strategy.dra
    return [] if dra is None else [DraGate(dra.limit(name, capacity)) for name, capacity in capacities.items()]
