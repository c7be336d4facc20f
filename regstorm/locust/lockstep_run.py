"""A storm on the lockstep clock as a Locust run: the population are Locust users, attempts go to its statistics.

Locust spawns the whole population in one batch, each user a parked seat; then the clock runs in this greenlet until
the storm is over. Locust's own figures are in the record (`locust`), so that whoever trusts them can compare.
"""

import logging
from collections.abc import Callable

import orjson
from locust.env import Environment
from locust.runners import LocalRunner

from regstorm.drivers.lockstep import Ended
from regstorm.drivers.wire_storm import WireStorm
from regstorm.locust.parked import OnlineUe, OutageUe, ParkedUe, attach_hub, detach_hub
from regstorm.locust.statistics import AttemptStatistics, totals
from regstorm.measures.run_record import HowItRan, Measured, document, run_entry
from regstorm.records.files import write_whole
from regstorm.records.storm_plan import Progress, StopFlag, StormPlan


def run_storm(plan: StormPlan, on_progress: Callable[[Progress], None], stop: StopFlag) -> None:
    """Runs `plan` and writes run.json and timeline.csv into its run directory; marked partial if `stop` was set."""
    logging.getLogger("locust").setLevel(logging.WARNING)
    environment = Environment(user_classes=[OutageUe, OnlineUe], catch_exceptions=False)
    storm = WireStorm(plan, AttemptStatistics(environment))
    attach_hub(environment, _Seating(storm))
    try:
        runner = _everybody_seated(environment, storm)
        ended = storm.run(on_progress, stop)
        _write(plan, storm, ended, environment)
        runner.quit()
    finally:
        storm.close()
        detach_hub(environment)


class _Seating:
    """Gives every parked user its UE, in the order in which Locust makes them."""

    def __init__(self, storm: WireStorm) -> None:
        self._seats = storm.seats

    def admit(self, user: ParkedUe) -> None:
        user.ue = self._seats.take_online() if isinstance(user, OnlineUe) else self._seats.take_outage()

    def release(self, user: ParkedUe) -> None:
        user.ue = None


def _everybody_seated(environment: Environment, storm: WireStorm) -> LocalRunner:
    population = storm.scenario.population
    OutageUe.fixed_count, OnlineUe.fixed_count = population.outage_ues, population.online_ues
    ues = population.outage_ues + population.online_ues
    runner = environment.create_local_runner()
    runner.start(ues, spawn_rate=ues)
    runner.spawning_greenlet.join()
    if runner.user_count != ues:
        raise RuntimeError(f"Locust has {runner.user_count} users of {ues}")
    return runner


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
    write_whole(plan.out / "timeline.csv", storm.timeline.csv().encode())
    write_whole(plan.out / "run.json", orjson.dumps(record, option=orjson.OPT_INDENT_2) + b"\n")
