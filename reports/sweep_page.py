"""The page of a sweep: its figures, the same as tables, and how it was made. Reads what sweep.json says."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import inf
from pathlib import Path
from typing import Any, NamedTuple

from jinja2 import Environment, PackageLoader, StrictUndefined, select_autoescape
from markupsafe import Markup
from plotly.offline import get_plotlyjs

from regstorm.records.files import write_whole
from reports import wording
from reports.pages import safe_script
from reports.sweep_charts import charts
from reports.sweep_collapse import ends
from reports.sweep_document import AS_IT_IS, Spot, bars, spots, strategies
from reports.sweep_tornado import tornado_table

PAGE = "sweep.html"


@dataclass(frozen=True)
class NamedTable:
    """A table, ready to be written."""

    title: str
    head: Sequence[str]
    rows: Sequence[Sequence[str]]


BRIEF = 4
"""Figures of a case that fit into a terminal."""


def tables(document: dict[str, Any], brief: bool = False) -> list[NamedTable]:
    """Every case with its figures, or every assumption in order; `brief`: for a terminal."""
    if document["kind"] == "tornado":
        ranked = {strategy: tornado_table(bars(document, strategy)) for strategy in strategies(document)}
        return [NamedTable(f"What moves T99 under {name}", one.head, one.rows) for name, one in ranked.items()]
    columns = _COLUMNS[:BRIEF] if brief else _COLUMNS
    head = [*document["fields"], "strategy", *(one.head for one in columns)]
    return [NamedTable("", head, [_cells(spot, columns) for spot in spots(document)])]


def _in_lower_bounds(value: float | None) -> str:
    return "none" if value is None else wording.ratio(value)


class _Column(NamedTuple):
    head: str
    figure: str
    as_text: Callable[[float | None], str]


_COLUMNS = (
    _Column("T50", "t50_s", wording.duration),
    _Column("T99", "t99_s", wording.duration),
    _Column("back", "share_back", wording.percent),
    _Column("T99 / lower bound", "t99_lower_bounds", _in_lower_bounds),
    _Column("attempts", "attempts_per_success", wording.ratio),
    _Column("back at 10 min", "share_back_10_min", wording.percent),
    _Column("back after minute 12", "back_after_minute_12", wording.count),
    _Column("refused first", "refused_first", wording.count),
    _Column("refused follow-ups", "refused_follow_ups", wording.count),
    _Column("wasted", "wasted_work", wording.percent),
    _Column("UDM dropped", "udm_dropped_share", wording.percent),
    _Column("UDM in overload", "udm_share_in_overload", wording.percent),
    _Column("online failed", "online_failed", wording.count),
    _Column("online dropped", "online_dropped", wording.count),
)


def _cells(spot: Spot, columns: Sequence[_Column]) -> list[str]:
    name = [*(value or AS_IT_IS for value in spot.values.values()), spot.strategy]
    if not spot.known:
        return [*name, spot.t99(), *[""] * (len(columns) - 1)]
    return [*name, *(spot.told(one.figure, one.as_text) for one in columns)]


def headline(document: dict[str, Any]) -> str:
    """One sentence."""
    storms = {name: row["complete"] for (name, *_), row in zip(document["cells"], document["rows"], strict=True)}
    if not all(storms.values()):
        return f"PARTIAL: {sum(storms.values())} of {len(storms)} storms were played to their end."
    if document["kind"] == "tornado":
        first = {name: bars(document, name)[0].assumption for name in strategies(document)}
        said = [f"under {name} it is “{_without_unit(assumption)}”" for name, assumption in first.items()]
        return f"What moves T99 most: {wording.listed(said)}."
    if document["kind"] == "variants":
        said = [_most(document, name) for name in strategies(document)]
        return f"Alone, what moves T99 most: {wording.listed(said)}."
    reached = [spot for spot in spots(document) if spot.median("t99_s") is not None]
    if not reached:
        return f"99 % of the users came back in none of {len(spots(document))} cases."
    best = min(reached, key=lambda spot: spot.median("t99_s") or 0.0)
    where = ", ".join(f"{field} {value}" for field, value in best.values.items())
    return (
        f"99 % of the users came back in {len(reached)} of {len(spots(document))} cases, "
        f"fastest under {best.strategy} with {where}: {best.t99()}."
    )


def _without_unit(assumption: str) -> str:
    """`arrivals within, s` is `arrivals within`."""
    return assumption.partition(",")[0]


def _most(document: dict[str, Any], strategy: str) -> str:
    """`under tiered it is “no T3346” (51.7 min instead of 8.3 min)`."""
    base, *others = (spot for spot in spots(document) if spot.strategy == strategy)
    as_it_is_s = base.median("t99_s") or 0.0
    moves = [abs((spot.median("t99_s") or inf) - as_it_is_s) for spot in others]
    most = others[moves.index(max(moves))]
    said = [spot.t99().partition(" (")[0] for spot in (most, base)]
    return f"under {strategy} it is “{most.variant}” ({said[0]} instead of {said[1]})"


def write_page(document: dict[str, Any], where: Path) -> Path:
    """Writes the page into directory `where`; its path."""
    environment = Environment(
        loader=PackageLoader("reports"),
        autoescape=select_autoescape(["html", "j2"]),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    text = environment.get_template("sweep.html.j2").render(
        document=document,
        headline=headline(document),
        ends=ends(document),
        tables=tables(document),
        charts=charts(document),
        plotly=Markup(safe_script(get_plotlyjs())),
    )
    write_whole(where / PAGE, text)
    return where / PAGE
