"""What sweep.json says, by combination of values: medians and ranges over the seeds.

A T99 that was not reached is larger than any that was.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import inf
from statistics import median
from typing import Any

from reports import wording
from reports.figures import MUTED

Row = dict[str, Any]
VARIANT = "variant"
AS_IT_IS = "as it is"
SHARE = "share of the outage users back, %"
T99_MINUTES = "T99, minutes"


@dataclass(frozen=True)
class Spot:
    """One strategy with one combination of values, all seeds."""

    strategy: str
    values: dict[str, str]
    rows: tuple[Row, ...]

    @property
    def known(self) -> bool:
        """At least one seed came to its end."""
        return any(row["complete"] for row in self.rows)

    def median(self, name: str) -> float | None:
        """Of those seeds that came to their end; None: not reached, or nobody knows."""
        found = [inf if row[name] is None else float(row[name]) for row in self.rows if row["complete"]]
        middle = median(found) if found else inf
        return None if middle == inf else middle

    def range(self, name: str) -> tuple[float | None, float | None]:
        """Lowest and highest; None: not reached."""
        found = sorted(inf if row[name] is None else float(row[name]) for row in self.rows if row["complete"])
        low, high = (found[0], found[-1]) if found else (inf, inf)
        return (None if low == inf else low), (None if high == inf else high)

    def told(self, name: str, as_text: Callable[[float | None], str]) -> str:
        """`8.4 min`, or with the range of the seeds `8.4 min (8.1–9.0 min)`."""
        middle, low, high = (as_text(one) for one in (self.median(name), *self.range(name)))
        if low == high:
            return middle
        number, _, unit = low.partition(" ")
        same_unit = high.partition(" ")[2] == unit and high[:1].isdigit()
        return f"{middle} ({number}–{high})" if same_unit else f"{middle} ({low} to {high})"

    def t99(self) -> str:
        """`8.4 min`, `8.4 min (8.1–9.0 min)`, or how many are back."""
        if not self.known:
            return "not played"
        if self.median("t99_s") is None:
            return f"{wording.percent(self.median('share_back'))} back"
        return self.told("t99_s", wording.duration)

    @property
    def variant(self) -> str:
        """What sets it apart where changes are played one at a time."""
        return self.values[VARIANT] or AS_IT_IS


def spots(document: dict[str, Any]) -> list[Spot]:
    """In the order of the sweep."""
    found: dict[tuple[Any, ...], list[Row]] = {}
    for row in document["rows"]:
        found.setdefault((row["strategy"], *row["values"].items()), []).append(row)
    return [Spot(rows[0]["strategy"], dict(rows[0]["values"]), tuple(rows)) for rows in found.values()]


def strategies(document: dict[str, Any]) -> list[str]:
    """In the order of the sweep."""
    return [str(one["name"]) for one in document["strategies"]]


def values_of(found: Sequence[Spot], field: str) -> list[str]:
    """The values that `field` takes, in the order of the sweep."""
    return list(dict.fromkeys(spot.values[field] for spot in found))


def seed_bars(mine: Sequence[Spot], middle: Sequence[float | None], figure: str, unit: float) -> dict[str, Any] | None:
    """Bars from the lowest to the highest seed."""
    if all(len(spot.rows) == 1 for spot in mine):
        return None
    up, down = [], []
    for spot, value in zip(mine, middle, strict=True):
        low, high = (scaled(one, unit) for one in spot.range(figure))
        up.append(0.0 if value is None or high is None else high - value)
        down.append(0.0 if value is None or low is None else value - low)
    return {"type": "data", "array": up, "arrayminus": down, "symmetric": False, "color": MUTED}


def scaled(value: float | None, unit: float) -> float | None:
    """In `unit`; None stays None."""
    return None if value is None else round(value * unit, 3)


@dataclass(frozen=True)
class Bar:
    """An assumption of a tornado under one strategy."""

    assumption: str
    base: Spot
    spots: tuple[Spot, ...]
    end_s: float
    """When a storm is given up."""

    def t99_s(self, spot: Spot) -> float:
        """Not reached counts as the end of the recording: what prevents recovery stands on top."""
        found = spot.median("t99_s")
        return self.end_s if found is None else found

    @property
    def effect_s(self) -> float:
        """Between the lowest and the highest T99, the storm as it is among them."""
        found = [self.t99_s(spot) for spot in self.all_spots]
        return max(found) - min(found)

    @property
    def effect_on_share_back(self) -> float:
        """The same of the share back: it ranks where 99 % are never reached."""
        found = [spot.median("share_back") or 0.0 for spot in self.all_spots]
        return max(found) - min(found)

    @property
    def all_spots(self) -> tuple[Spot, ...]:
        """Those that were played, the storm as it is among them."""
        return tuple(spot for spot in (self.base, *self.spots) if spot.known)


def bars(document: dict[str, Any], strategy: str) -> list[Bar]:
    """Of one strategy, the largest effect first; none if the storm as it is was not played."""
    mine = [spot for spot in spots(document) if spot.strategy == strategy]
    base = next(spot for spot in mine if not spot.values["assumption"])
    if not base.known:
        return []
    end_s = float(document["scenario"]["outage"]["recovery_within_s"])
    names = [name for name in values_of(mine, "assumption") if name]
    found = [Bar(name, base, tuple(s for s in mine if s.values["assumption"] == name), end_s) for name in names]
    return sorted(found, key=lambda bar: (-bar.effect_s, -bar.effect_on_share_back))
