"""A storm on the lockstep clock as a Locust run: the population are Locust users, attempts go to its statistics.

Locust spawns the whole population in one batch, each user a parked seat; then the clock runs in this greenlet until
the storm is over.
"""

from collections.abc import Callable

from locust.env import Environment

from regstorm.drivers.lockstep import Ended
from regstorm.drivers.wire_storm import WireStorm
from regstorm.locust.bare_run import bare_environment, leave_record
from regstorm.locust.parked import attach_hub, detach_hub
from regstorm.locust.seating import Seating, everybody_seated
from regstorm.locust.statistics import AttemptStatistics
from regstorm.measures.run_record import HowItRan, Measured
from regstorm.records.storm_plan import Progress, StopFlag, StormPlan


def run_storm(plan: StormPlan, on_progress: Callable[[Progress], None], stop: StopFlag) -> None:
    """Runs `plan` and writes run.json and timeline.csv into its run directory; marked partial if `stop` was set."""
    environment = bare_environment()
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
    leave_record(plan, how, Measured(storm.timeline, storm.log, storm.ue_counts), environment, storm.traces)
