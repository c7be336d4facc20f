"""Timelines as curves: minutes since the end of the outage, full-size figures, median and range over the seeds."""

from collections.abc import Sequence
from dataclasses import dataclass

import pandas as pd

from regstorm.measures.overload_windows import window_s
from reports.comparison import Group
from reports.run_directory import Run


@dataclass(frozen=True)
class Curve:
    """A value over time, the median of the seeds between the lowest and the highest."""

    minutes: list[float]
    low: list[float | None]
    middle: list[float | None]
    high: list[float | None]

    def __len__(self) -> int:
        return len(self.minutes)

    @property
    def has_range(self) -> bool:
        return self.low != self.high


def level(group: Group, counter: str, step_s: int = 5) -> Curve:
    """A level (UEs in service). A run that ended early because everybody was back keeps its last value."""
    return _curve([_relative(run, run.column(counter))[::step_s] * run.sample for run in group.runs], hold=True)


def cumulated(group: Group, counter: str, step_s: int = 5) -> Curve:
    """A counter added up over time. A run that ended early keeps its last value."""
    series = [_relative(run, run.column(counter).cumsum())[::step_s] * run.sample for run in group.runs]
    return _curve(series, hold=True)


def rate(group: Group, counter: str, width_s: int) -> Curve:
    """A counter as a rate per second, averaged over windows of `width_s`."""
    series = []
    for run in group.runs:
        counted = _relative(run, run.column(counter)) * run.sample
        windows = (counted.index // width_s + 0.5) * width_s  # a window stands at its middle
        series.append(counted.groupby(windows).mean())
    return _curve(series, hold=False)


def load_window_s(runs: Sequence[Run]) -> int:
    """The window over which load is shown: the widest that any of `runs` needs (measures.overload_windows)."""
    capacities = [run.capacity_pairs_per_s for run in runs if run.capacity_pairs_per_s]
    return max((window_s(capacity) for capacity in capacities), default=10)


def _relative(run: Run, column: pd.Series) -> pd.Series:
    """`column` by seconds since the end of the outage."""
    return pd.Series(column.to_numpy(dtype=float), index=column.index.to_numpy(dtype=float) - run.outage_ends_s)


def _curve(series: Sequence[pd.Series], hold: bool) -> Curve:
    together = pd.concat(series, axis=1).sort_index() if series else pd.DataFrame()
    if hold:
        together = together.ffill()
    return Curve(
        minutes=[round(float(second) / 60, 3) for second in together.index],
        low=_numbers(together.min(axis=1)),
        middle=_numbers(together.median(axis=1)),
        high=_numbers(together.max(axis=1)),
    )


def _numbers(values: pd.Series) -> list[float | None]:
    return [None if pd.isna(value) else round(float(value), 2) for value in values]
