"""A storm on the lockstep clock as a Locust run: the population are Locust users, attempts go to its statistics.

Locust spawns the whole population in one batch, each user a parked seat; then the clock runs in this greenlet until
the storm is over. Locust's own figures are in the record (`locust`), so that whoever trusts them can compare.
"""

import logging
from collections.abc import Callable

import orjson
from locust.env import Environment

from regstorm.drivers.lockstep import Ended
from regstorm.drivers.traces import write_traces
from regstorm.drivers.wire_storm import WireStorm
from regstorm.locust.parked import OnlineUe, OutageUe, attach_hub, detach_hub
from regstorm.locust.seating import Seating, everybody_seated
from regstorm.locust.statistics import AttemptStatistics, totals
from regstorm.measures.run_record import HowItRan, Measured, document, run_entry
from regstorm.records.files import write_whole
from regstorm.records.storm_plan import Progress, StopFlag, StormPlan


def run_storm(plan: StormPlan, on_progress: Callable[[Progress], None], stop: StopFlag) -> None:
    """Runs `plan` and writes run.json and timeline.csv into its run directory; marked partial if `stop` was set."""
    logging.getLogger("locust").setLevel(logging.ERROR)  # it warns of high spawn rates; seats cost nothing
    environment = Environment(user_classes=[OutageUe, OnlineUe], catch_exceptions=False)
    storm = WireStorm(plan, AttemptStatistics(environment))
    attach_hub(environment, Seating(storm.seats))
    try:
        runner = everybody_seated(environment, storm.scenario.population)
        ended = storm.run(on_progress, stop)
        _write(plan, storm, ended, environment)
        runner.quit()
    finally:
        storm.close()
        detach_hub(environment)


def _write(plan: StormPlan, storm: WireStorm, ended: Ended, environment: Environment) -> None:
    complete = ended is not Ended.STOPPED
    how = HowItRan(
        engine="wire",
        clock="lockstep",
        ended_s=storm.clock.now,
        complete=complete,
        why=None if complete else "interrupted",
    )
    entry = run_entry(plan, how, Measured(storm.timeline, storm.log, storm.ue_counts))
    record = document(plan.scenario, plan.sample, [entry])
    record["runs"][0]["locust"] = totals(environment)
    write_traces(plan.out, storm.traces.lines())
    write_whole(plan.out / "timeline.csv", storm.timeline.csv().encode())
    write_whole(plan.out / "run.json", orjson.dumps(record, option=orjson.OPT_INDENT_2) + b"\n")
