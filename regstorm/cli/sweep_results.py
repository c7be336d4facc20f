"""What a sweep leaves: sweep.json with a row for each cell, sweep.csv with the same, sweep.html.

sweep.json stands in the directory from the start and says what is swept; a sweep goes on only where it says the same.
"""

import csv
import io
from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any, Literal, NamedTuple

import orjson

from regstorm.cli import run_directories
from regstorm.cli.sweep_cells import Cell
from regstorm.records.files import BadFile, write_whole
from regstorm.records.run_record import SCHEMA
from regstorm.records.scenario import Scenario
from regstorm.records.strategy import Strategy
from reports.record_file import RECORD, read_record

RESULTS, TABLE = "sweep.json", "sweep.csv"
FIGURES: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("t50_s", ("recovery", "t50_s")),
    ("t90_s", ("recovery", "t90_s")),
    ("t99_s", ("recovery", "t99_s")),
    ("t100_s", ("recovery", "t100_s")),
    ("share_back", ("recovery", "share_back")),
    ("share_back_10_min", ("recovery", "share_back_10_min")),
    ("share_back_arrived", ("recovery", "share_back_arrived")),
    ("back_after_minute_12", ("back_after_minute_12", "users")),
    ("lower_bound_s", ("lower_bound_s",)),
    ("efficiency", ("efficiency",)),
    ("attempts_per_success", ("attempts_per_success",)),
    ("wasted_work", ("wasted_work",)),
    ("online_failed", ("online_failed",)),
    ("online_dropped", ("online_dropped",)),
    ("refused_first", ("refused_first",)),
    ("refused_follow_ups", ("refused_follow_ups",)),
    ("udm_dropped_share", ("udm", "dropped_share")),
    ("udm_share_in_overload", ("udm", "share_in_overload")),
    ("udm_served_share", ("udm", "load_served_in_backlog")),
    ("waiting_ue_minutes", ("waiting_ue_minutes",)),
)
"""Column and its place in a run's record."""


DERIVED = ("t99_lower_bounds", "offered_load", "goodput")
Row = dict[str, Any]
Kind = Literal["grid", "variants", "tornado"]


class Sweep(NamedTuple):
    """What is swept."""

    kind: Kind
    scenario: Scenario
    strategies: Sequence[Strategy]
    fields: Sequence[str]
    """Columns of the values."""
    seeds: Sequence[int]
    sample: int
    cells: Sequence[Cell]
    command: str

    @property
    def storms(self) -> list[Cell]:
        """The first cell of each storm: what changes nothing in a tornado shares that of the storm as it is."""
        found: dict[Path, Cell] = {}
        for cell in self.cells:
            found.setdefault(cell.plan.out, cell)
        return list(found.values())

    def document(self) -> dict[str, Any]:
        """Two sweeps of which this says the same have the same cells."""
        return {
            "schema": SCHEMA,
            "kind": self.kind,
            "version": version("regstorm"),
            "scenario": self.scenario.model_dump(mode="json", by_alias=True),
            "strategies": [one.model_dump(mode="json", by_alias=True) for one in self.strategies],
            "fields": list(self.fields),
            "seeds": list(self.seeds),
            "sample": self.sample,
            "cells": [[cell.plan.out.name, *cell.values.values()] for cell in self.cells],
            "command": self.command,
        }


def prepare(where: Path, sweep: Sweep) -> None:
    """Makes the directory ready. Raises BadFile if something else is in it."""
    path, wanted = where / RESULTS, sweep.document()
    if path.is_file():
        found = read_record(path)
        differs = [name for name, value in wanted.items() if found.get(name) != value and name != "command"]
        if differs:
            raise BadFile(f"--out {where}: holds another sweep ({', '.join(differs)} differ), expected a new directory")
        return
    if where.is_file():
        raise BadFile(f"--out {where}: expected a directory, found a file")
    try:
        where.mkdir(parents=True, exist_ok=True)
        if any(where.iterdir()):
            raise BadFile(f"--out {where}: expected a new directory, or one of the same sweep")
    except OSError as error:
        raise BadFile(f"--out {where}: cannot be made: {error.strerror}") from None
    write_whole(path, orjson.dumps(wanted | {"complete": False, "rows": []}, option=orjson.OPT_INDENT_2) + b"\n")


def is_there(cell: Cell) -> bool:
    """It has been played to its end."""
    return (cell.plan.out / RECORD).is_file() and run_directories.outcome(cell.plan)[0]


def write(where: Path, sweep: Sweep) -> dict[str, Any]:
    """Collects what the cells say and writes sweep.json and sweep.csv."""
    rows = [_row(cell) for cell in sweep.cells]
    document = sweep.document() | {"complete": all(row["complete"] for row in rows), "rows": rows}
    write_whole(where / RESULTS, orjson.dumps(document, option=orjson.OPT_INDENT_2) + b"\n")
    write_whole(where / TABLE, _csv(sweep.fields, rows))
    return document


def _row(cell: Cell) -> Row:
    complete, why = run_directories.outcome(cell.plan)
    row: Row = {"strategy": cell.plan.strategy.name, "seed": cell.plan.seed, "values": dict(cell.values)}
    row |= {"complete": complete, "why": why}
    [entry] = read_record(cell.plan.out / RECORD)["runs"] if (cell.plan.out / RECORD).is_file() else [{}]
    row |= {name: _look_up(entry, path) if complete else None for name, path in FIGURES}
    nominal_s = entry.get("lower_bound_nominal_s", row["lower_bound_s"]) if complete else None
    return row | _derived(row, nominal_s, cell.plan.scenario.outage.arrivals_s)


def _derived(row: Row, nominal_s: float | None, arrivals_s: float) -> Row:
    """T99 in lower bounds; what arrives, and what gets through meanwhile, as shares of what the back end can finish.

    These shares are of the scenario's capacity, whatever incidents take of it: `nominal_s` is its lower bound.
    """
    bound_s, t99_s, back = (row[name] for name in ("lower_bound_s", "t99_s", "share_back_arrived"))
    if bound_s is None or nominal_s is None:
        return dict.fromkeys(DERIVED)
    offered = nominal_s / arrivals_s
    values = (None if t99_s is None else t99_s / bound_s, offered, None if back is None else back * offered)
    return {name: None if value is None else round(value, 4) for name, value in zip(DERIVED, values, strict=True)}


def _look_up(entry: Any, path: Sequence[str]) -> Any:
    for name in path:
        entry = entry.get(name) if isinstance(entry, dict) else None
    return entry


def _csv(fields: Sequence[str], rows: Sequence[Row]) -> str:
    text = io.StringIO()
    columns = ["strategy", *fields, "seed", "complete", *(name for name, _ in FIGURES), *DERIVED]
    table = csv.writer(text, lineterminator="\n")
    table.writerow(columns)
    for row in rows:
        table.writerow([(row["values"] | row).get(name, "") for name in columns])
    return text.getvalue()
