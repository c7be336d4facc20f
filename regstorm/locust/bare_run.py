"""What a storm without Locust's command line and web page has of Locust, on either clock: an environment, and a record.

Locust's own figures are in the record (`locust`), so that whoever trusts them can compare.
"""

import logging
from collections.abc import Mapping
from typing import Any

import orjson
from locust.env import Environment

from regstorm.drivers.traces import Traces, write_traces
from regstorm.locust.parked import OnlineUe, OutageUe
from regstorm.locust.statistics import totals
from regstorm.measures.run_record import HowItRan, Measured, document, run_entry
from regstorm.records.files import write_whole
from regstorm.records.storm_plan import StormPlan


def bare_environment() -> Environment:
    """For the users of one storm."""
    logging.getLogger("locust").setLevel(logging.ERROR)  # it warns of high spawn rates; seats cost nothing
    return Environment(user_classes=[OutageUe, OnlineUe], catch_exceptions=False)


def leave_record(
    plan: StormPlan,
    how: HowItRan,
    measured: Measured,
    environment: Environment,
    traces: Traces,
    more: Mapping[str, Any] | None = None,
) -> None:
    """run.json, timeline.csv and traces in the run directory; `more` stands beside what every run has."""
    record = document(plan.scenario, plan.sample, [run_entry(plan, how, measured)])
    record["runs"][0]["locust"] = totals(environment)
    record["runs"][0].update(more or {})  # type: ignore[typeddict-item]
    write_traces(plan.out, traces.lines())
    write_whole(plan.out / "timeline.csv", measured.timeline.csv().encode())
    write_whole(plan.out / "run.json", orjson.dumps(record, option=orjson.OPT_INDENT_2) + b"\n")
