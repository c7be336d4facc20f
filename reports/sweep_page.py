"""The page of a sweep: its figures, the same as tables, and how it was made. Reads what sweep.json says."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined, select_autoescape
from markupsafe import Markup
from plotly.offline import get_plotlyjs

from regstorm.records.files import write_whole
from reports import wording
from reports.pages import safe_script
from reports.sweep_charts import charts, tornado_table
from reports.sweep_document import Spot, bars, spots, strategies

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
    head = [*document["fields"], "strategy", "T50", "T99", "back", "attempts", "wasted", "online failed", "UDM dropped"]
    width = len(document["fields"]) + 1 + BRIEF if brief else len(head)
    return [NamedTable("", head[:width], [_cells(spot)[:width] for spot in spots(document)])]


def _cells(spot: Spot) -> list[str]:
    name = [*spot.values.values(), spot.strategy]
    if not spot.known:
        return [*name, "", spot.t99(), *[""] * 5]
    return [
        *name,
        wording.duration(spot.median("t50_s")),
        spot.t99(),
        wording.percent(spot.median("share_back")),
        wording.ratio(spot.median("attempts_per_success")),
        wording.percent(spot.median("wasted_work")),
        wording.count(spot.median("online_failed")),
        wording.percent(spot.median("udm_dropped_share")),
    ]


def headline(document: dict[str, Any]) -> str:
    """One sentence."""
    played = sum(row["complete"] for row in document["rows"])
    if played < len(document["rows"]):
        return f"PARTIAL: {played} of {len(document['rows'])} storms were played to their end."
    if document["kind"] == "tornado":
        said = [f"under {name} it is {bars(document, name)[0].assumption}" for name in strategies(document)]
        return f"What moves T99 most: {wording.listed(said)}."
    reached = [spot for spot in spots(document) if spot.median("t99_s") is not None]
    if not reached:
        return f"99 % of the users came back in none of {len(spots(document))} cases."
    best = min(reached, key=lambda spot: spot.median("t99_s") or 0.0)
    where = ", ".join(f"{field} {value}" for field, value in best.values.items())
    return (
        f"99 % of the users came back in {len(reached)} of {len(spots(document))} cases, "
        f"fastest under {best.strategy} with {where}: {best.t99()}."
    )


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
        tables=tables(document),
        charts=charts(document),
        plotly=Markup(safe_script(get_plotlyjs())),
    )
    write_whole(where / PAGE, text)
    return where / PAGE
