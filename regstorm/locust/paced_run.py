"""A storm on the paced clock as a Locust run without a web page: what `regstorm run --clock paced` starts.

As lockstep_run.py, but in wall time times speed, and with the core in a process of its own. For the web page and for
several workers there is locustfiles/storm_5gc.py.
"""

from collections.abc import Callable

from locust.env import Environment

from regstorm.drivers.paced_storm import PacedEnd, PacedStorm
from regstorm.locust.bare_run import bare_environment, leave_record
from regstorm.locust.parked import attach_hub, detach_hub
from regstorm.locust.seating import Seating, everybody_seated
from regstorm.locust.statistics import AttemptStatistics
from regstorm.measures.run_record import HowItRan, Measured
from regstorm.records.storm_plan import Progress, StopFlag, StormPlan


def run_storm(plan: StormPlan, on_progress: Callable[[Progress], None], stop: StopFlag) -> bool:
    """Runs `plan` and writes run.json and timeline.csv into its run directory; marked partial if it was cut short.

    False: it was cut short by something that went wrong (the record says what), not by `stop`. CoreUnusable if it
    could not begin.
    """
    environment = bare_environment()
    storm = PacedStorm(plan, AttemptStatistics(environment))
    attach_hub(environment, Seating(storm.seats))
    try:
        runner = everybody_seated(environment, storm.scenario.population)
        end = storm.run(on_progress, stop)
        _write(plan, storm, end, environment)
        runner.quit()
    finally:
        storm.close()
        detach_hub(environment)
    return end.why is None or stop.is_set()


def _write(plan: StormPlan, storm: PacedStorm, end: PacedEnd, environment: Environment) -> None:
    how = HowItRan(
        engine="wire",
        clock="paced",
        ended_s=end.ended_s,
        speed=plan.speed,
        complete=end.why is None,
        why=end.why,
        lateness_p99_s=round(end.lateness.p99_s, 4),
    )
    lateness = {
        "events": end.lateness.events,
        "p50_s": round(end.lateness.p50_s, 4),
        "p99_s": round(end.lateness.p99_s, 4),
        "max_s": round(end.lateness.max_s, 4),
    }
    more = {"lateness": lateness, "attempts_delayed": storm.cap.delayed}
    leave_record(plan, how, Measured(storm.timeline, storm.log, storm.ue_counts), environment, storm.traces, more)
