"""Overload: a server was offered more than it can do.

Seen over windows worth at least 1000 pairs of capacity (one second at full size, twelve at 1/100 of 8700 pairs/s):
over less, chance alone takes a small sample above its limit. Windows follow each other from the end of the outage;
what is left at the end and is shorter than a window is not judged.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil

PAIRS_PER_WINDOW = 1000
LIMIT = 1.0
"""Offered load, as a share of capacity, above which a window is in overload."""


@dataclass(frozen=True, slots=True)
class OverloadWindows:
    """What the windows of a run show."""

    window_s: int
    windows: int
    in_overload: int
    peak_load: float | None
    """The highest offered load of a window, as a share of capacity. None: the run was shorter than a window."""

    @property
    def seconds_in_overload(self) -> int:
        """Seconds of the windows in overload."""
        return self.in_overload * self.window_s

    @property
    def share_in_overload(self) -> float:
        """Of all windows."""
        return self.in_overload / self.windows if self.windows else 0.0


def window_s(capacity_pairs_per_s: float) -> int:
    """Whole seconds that are worth at least `PAIRS_PER_WINDOW` of capacity."""
    return max(1, ceil(PAIRS_PER_WINDOW / capacity_pairs_per_s))


def overload_windows(
    offered: Sequence[int], capacity_pairs_per_s: float, by_second: Sequence[float] = ()
) -> OverloadWindows:
    """`offered`: pairs per second, from the end of the outage. `by_second`: capacity in each second, if it changed."""
    width = window_s(capacity_pairs_per_s)
    loads = []
    for start in range(0, len(offered) - width + 1, width):
        whole = sum(by_second[start : start + width]) if by_second else width * capacity_pairs_per_s
        if whole > 0:  # a server that is down is offered nothing
            loads.append(sum(offered[start : start + width]) / whole)
    return OverloadWindows(
        window_s=width,
        windows=len(loads),
        in_overload=sum(load > LIMIT for load in loads),
        peak_load=max(loads, default=None),
    )


def load_in_backlog(
    pairs: Sequence[int], back: Sequence[int], outage_ues: int, capacity_pairs_per_s: Sequence[float]
) -> float | None:
    """Mean load, as a share of capacity, over the seconds that ended with outage UEs not yet back.

    All by second, from the end of the outage. None: there was no such second with any capacity.
    """
    in_backlog = [place for place, ues in enumerate(back) if ues < outage_ues]
    whole = sum(capacity_pairs_per_s[place] for place in in_backlog)
    return sum(pairs[place] for place in in_backlog) / whole if whole > 0 else None
