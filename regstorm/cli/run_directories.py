"""Run directories as the commands keep them: one that is being filled, one that failed, several together.

A run.json exists before its storm begins and says that it is not complete; only the storm's own end replaces that.
"""

from collections.abc import Sequence
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from platform import python_version
from typing import Any

import orjson

from regstorm.records.files import BadFile, write_whole
from regstorm.records.run_record import SCHEMA
from regstorm.records.storm_plan import StormPlan
from reports.record_file import COMPARISON, RECORD, read_record

RUNNING = "running"
VERSIONS_OF = ("regstorm", "locust", "gevent", "pycrate")
SHARED = ("scenario", "ues", "online_ues", "pairs_per_registration", "lower_bound_s")
"""What compare.json says once for all its runs."""


def begin(plan: StormPlan) -> None:
    """Makes the run directory, with a run.json that says that the run goes on."""
    plan.out.mkdir(parents=True, exist_ok=True)
    _write(plan.out / RECORD, _incomplete(plan, RUNNING))


def describe(plan: StormPlan) -> None:
    """Adds to a finished run.json what the run was made of, where its writer left that out."""
    path = plan.out / RECORD
    document = read_record(path)
    for name, value in made_of(plan).items():
        _entry(document).setdefault(name, value)
    _write(path, document)


def fail(plan: StormPlan, why: str) -> None:
    """The storm did not end by itself: its run.json says so, whatever it says now."""
    path = plan.out / RECORD
    try:
        document = read_record(path)
    except BadFile:
        document = _incomplete(plan, why)
    document |= {"complete": False, "why": why}
    _entry(document).update({"complete": False, "why": why})
    _write(path, document)


def outcome(plan: StormPlan) -> tuple[bool, str]:
    """Whether the record says that the run is complete, and if not, why."""
    try:
        document = read_record(plan.out / RECORD)
    except BadFile as error:
        return False, str(error)
    entry = _entry(document)
    complete = entry.get("complete") is True and document.get("complete", True) is not False
    return complete, "" if complete else str(document.get("why") or entry.get("why") or "no reason recorded")


def write_comparison(where: Path, compared: Sequence[StormPlan], beside: Sequence[StormPlan]) -> None:
    """compare.json: what the runs share, then each run's record; extra runs stand apart, in `beside`."""
    documents = [read_record(plan.out / RECORD) for plan in compared]
    extra = [read_record(plan.out / RECORD) for plan in beside]
    entries = [_entry(document) for document in documents]
    together: dict[str, Any] = {"schema": SCHEMA}
    together |= {name: _first(documents, name) for name in SHARED}
    together["complete"] = all(entry.get("complete") is True for entry in entries)
    together["runs"] = entries
    together["beside"] = [_entry(document) for document in extra]
    together["directories"] = [plan.out.name for plan in (*compared, *beside)]
    _write(where / COMPARISON, together)


def made_of(plan: StormPlan) -> dict[str, Any]:
    """Settings, versions and command: what somebody needs to run the same again."""
    return {
        "label": plan.label,
        "command": plan.command,
        "versions": _versions(),
        "settings": {
            "scenario": plan.scenario.model_dump(mode="json", by_alias=True),
            "strategy": plan.strategy.model_dump(mode="json", by_alias=True),
            "scenario_path": plan.scenario_path,
            "strategy_path": plan.strategy_path,
        },
    }


def _incomplete(plan: StormPlan, why: str) -> dict[str, Any]:
    sampled = plan.scenario.sampled(plan.sample)
    entry = {
        "strategy": plan.strategy.name,
        "engine": plan.engine,
        "clock": plan.clock if plan.engine == "wire" else None,
        "speed": plan.speed if plan.engine == "wire" and plan.clock == "paced" else None,
        "seed": plan.seed,
        "sample": plan.sample,
        "complete": False,
        "why": why,
    }
    return {
        "schema": SCHEMA,
        "scenario": plan.scenario.name,
        "ues": sampled.population.outage_ues,
        "online_ues": sampled.population.online_ues,
        "complete": False,
        "why": why,
        "runs": [entry | made_of(plan)],
    }


def _entry(document: dict[str, Any]) -> dict[str, Any]:
    """The record of the one run in a run.json."""
    runs = document.get("runs")
    return runs[0] if isinstance(runs, list) and runs and isinstance(runs[0], dict) else document


def _first(documents: Sequence[dict[str, Any]], name: str) -> Any:
    return next((document[name] for document in documents if document.get(name) is not None), None)


def _versions() -> dict[str, str]:
    found = {"python": python_version()}
    for package in VERSIONS_OF:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            continue
    return found


def _write(path: Path, document: dict[str, Any]) -> None:
    write_whole(path, orjson.dumps(document, option=orjson.OPT_INDENT_2) + b"\n")
