"""The run directory of a storm that Locust runs: begun, written, or marked as failed."""

import logging
from typing import Any

import orjson
from locust.env import Environment

from regstorm.locust.statistics import failures, totals
from regstorm.measures.run_record import HowItRan, Measured, document, run_entry
from regstorm.records.files import write_whole
from regstorm.records.run_record import SCHEMA, RunEntry
from regstorm.records.storm_plan import StormPlan
from reports import pages
from reports.record_file import RECORD, TIMELINE

log = logging.getLogger(__name__)


def begin(plan: StormPlan) -> None:
    """The record says that the run goes on, until its end replaces it."""
    _write(plan, _incomplete(plan, "running"))


def fail(plan: StormPlan, why: str) -> None:
    """The storm left nothing to measure."""
    _write(plan, _incomplete(plan, why))


def write(
    plan: StormPlan, how: HowItRan, measured: Measured, environment: Environment, workers_lost: list[str]
) -> RunEntry:
    """Record, timeline and report, with what Locust itself has counted."""
    entry = run_entry(plan, how, measured)
    record: dict[str, Any] = {**document(plan.scenario, plan.sample, [entry]), "complete": how.complete}
    if how.why is not None:
        record["why"] = how.why
    record["runs"][0] |= {
        "locust": totals(environment),
        "locust_failures": failures(environment),
        "workers_lost": workers_lost,
    }
    write_whole(plan.out / TIMELINE, measured.timeline.csv().encode())
    _write(plan, record)
    try:
        pages.write_page(pages.load([plan.out]), plan.out / pages.RUN_PAGE)
    except Exception:  # the figures are safe, and the page can be made again
        log.exception("no report page; try: regstorm report %s", plan.out)
    return entry


def _incomplete(plan: StormPlan, why: str) -> dict[str, Any]:
    sampled = plan.scenario.sampled(plan.sample)
    return {
        "schema": SCHEMA,
        "scenario": plan.scenario.name,
        "ues": sampled.population.outage_ues,
        "online_ues": sampled.population.online_ues,
        "complete": False,
        "why": why,
        "runs": [
            {
                "strategy": plan.strategy.name,
                "engine": "wire",
                "clock": plan.clock,
                "speed": plan.speed,
                "seed": plan.seed,
                "sample": plan.sample,
                "complete": False,
                "why": why,
                "command": plan.command,
            }
        ],
    }


def _write(plan: StormPlan, record: dict[str, Any]) -> None:
    write_whole(plan.out / RECORD, orjson.dumps(record, option=orjson.OPT_INDENT_2) + b"\n")
