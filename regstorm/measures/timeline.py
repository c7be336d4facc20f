"""Timeline: every counter per scenario second, as a run leaves it in timeline.csv.

Second 0 is the start of the run. A counter's value is what was counted within the second; a level (gauge) is what it
was at the end of the second, carried forward through seconds in which nothing happened. Columns stand in the order
of records.counters, whether they were counted or not, then sub-counters by name: the same run gives the same bytes.
A total and its sub-counters are counted separately by whoever counts; nothing is added up here.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from math import ceil, floor

from regstorm.records import counters

SECOND = "second"
"""The first column: the scenario second that the row is about."""

CATALOGUE: tuple[str, ...] = tuple(
    value for name, value in vars(counters).items() if name.isupper() and isinstance(value, str)
)
"""Every name of records.counters, in the order of that file."""

_TAKEN: dict[str, int] = {}
"""Instead of a second that another process keeps."""


class Timeline:
    """A Tally (records.ports). `now` never decreases over all calls."""

    def __init__(self, outage_end_s: float) -> None:
        self.outage_end_s = outage_end_s
        """Where recovery begins, on the clock of the rows."""
        self._counted: list[dict[str, int]] = []
        self._sampled: list[dict[str, int]] = []
        self._levels: defaultdict[str, int] = defaultdict(int)
        self._this_second: defaultdict[str, int] = defaultdict(int)
        self._totals: defaultdict[str, int] = defaultdict(int)
        """Of the complete seconds: whoever watches a storm asks for them all the time."""
        self._next_second = 1.0
        self._taken = 0

    def count(self, name: str, now: float, amount: int = 1) -> None:
        """Adds `amount` to counter `name` in the second of `now`."""
        if now >= self._next_second:
            self.advance(now)
        self._this_second[name] += amount

    def count_each(self, names: Iterable[str], now: float) -> None:
        """Adds one to several counters."""
        if now >= self._next_second:
            self.advance(now)
        counts = self._this_second
        for name in names:
            counts[name] += 1

    def gauge(self, name: str, change: int, since_s: float | None = None) -> None:
        """Changes a level in the second that was last counted in or advanced to.

        `since_s`: when it changed. Time has come to there, or it is learned later: then seconds that are complete, and
        here still, are put right.
        """
        if since_s is not None:
            if since_s >= self._next_second:
                self.advance(since_s)
            elif since_s < self._next_second - 1.0:
                self._put_right(name, change, since_s)
        self._levels[name] += change

    def gauge_each(self, names: Iterable[str], change: int, now: float) -> None:
        """Time has come to `now`, and several levels change."""
        if now >= self._next_second:
            self.advance(now)
        levels = self._levels
        for name in names:
            levels[name] += change

    def advance(self, now: float) -> None:
        """Time has come to `now`: the seconds before it are complete."""
        while self._next_second <= now:
            self._append(dict(self._this_second), dict(self._levels))
            self._this_second.clear()
            self._next_second += 1.0

    @property
    def complete(self) -> int:
        """Seconds that are complete."""
        return len(self._counted)

    def levels_under(self, name: str) -> list[str]:
        """What stands behind the dot in levels `name`.x, sorted."""
        prefix = f"{name}."
        return sorted(one.removeprefix(prefix) for one in self._levels if one.startswith(prefix))

    def take_seconds(self, until: int | None = None) -> tuple[int, list[tuple[dict[str, int], dict[str, int]]]]:
        """What was counted, and the levels, in each complete second not taken yet (before `until`), and the number of
        the first one: for another process, which keeps them. Here they are forgotten, but for totals and levels.
        """
        first, behind = self._taken, self.complete if until is None else min(self.complete, until)
        taken = list(zip(self._counted[first:behind], self._sampled[first:behind], strict=True))
        self._counted[first:behind] = self._sampled[first:behind] = [_TAKEN] * len(taken)
        self._taken += len(taken)
        return first, taken

    def close(self, end_s: float) -> None:
        """The run ends at `end_s`: its last second, begun or not, gets its row."""
        self.advance(ceil(end_s))

    def level(self, name: str) -> int:
        """A level as it is now."""
        return self._levels.get(name, 0)

    def has(self, name: str) -> bool:
        """Something was counted or sampled under `name` or a sub-counter of it."""
        return any(one == name or one.startswith(f"{name}.") for one in self._names())

    def total(self, name: str) -> int:
        """All that was counted under `name`."""
        return self._totals.get(name, 0) + self._this_second.get(name, 0)

    def subtotals(self, name: str) -> dict[str, int]:
        """The totals of the sub-counters of `name`, by what stands behind its dot, sorted."""
        prefix = f"{name}."
        found = sorted(one for one in self._names() if one.startswith(prefix) and one not in CATALOGUE)
        return {one.removeprefix(prefix): self.total(one) for one in found}

    def column(self, name: str, begin_s: float = 0.0) -> list[int]:
        """One column of the rows, from the first second that begins at `begin_s` or later."""
        of = self._sampled if name in self._levels else self._counted
        return [second.get(name, 0) for second in of[ceil(begin_s) :]]

    def columns(self) -> list[str]:
        """The header, without the second."""
        return [*CATALOGUE, *sorted(self._names() - set(CATALOGUE))]

    def rows(self) -> Iterator[list[int]]:
        """One row per complete second: the second, then the values in the order of `columns`."""
        names = self.columns()
        is_level = [name in self._levels for name in names]
        for second, (counted, sampled) in enumerate(zip(self._counted, self._sampled, strict=True)):
            yield [
                second,
                *((sampled if level else counted).get(name, 0) for name, level in zip(names, is_level, strict=True)),
            ]

    def csv(self) -> str:
        """The whole of timeline.csv."""
        lines = [",".join([SECOND, *self.columns()])]
        lines += [",".join(map(str, row)) for row in self.rows()]
        return "\n".join(lines) + "\n"

    def _names(self) -> set[str]:
        return set(self._levels).union(self._this_second, self._totals)

    def _put_right(self, name: str, change: int, since_s: float) -> None:
        for levels in self._sampled[max(floor(since_s), self._taken) :]:
            levels[name] = levels.get(name, 0) + change

    def _append(self, counted: dict[str, int], sampled: dict[str, int]) -> None:
        self._counted.append(counted)
        self._sampled.append(sampled)
        for name, amount in counted.items():
            self._totals[name] += amount
