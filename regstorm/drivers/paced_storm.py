"""One storm on the paced clock: the population here, the core in a process of its own, the same script as in lockstep.

Both processes have the same scenario second 0 and the same speed; each does its half of the script on its own clock.
What the core counts comes over the control socket, so that timeline and record are as complete as in lockstep.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass

from protocols.nas5g.messages import Snssai
from protocols.nas5g.warm import warm as warm_nas
from protocols.ngap.warm import warm as warm_ngap
from regstorm.drivers import control
from regstorm.drivers.core_link import CoreChild, CoreUnusable
from regstorm.drivers.core_process import raise_file_limit
from regstorm.drivers.lateness import Lateness
from regstorm.drivers.lockstep import Ended
from regstorm.drivers.paced_population import PacedPopulation
from regstorm.drivers.population import calm_again
from regstorm.drivers.progress import progress_of
from regstorm.drivers.traces import traces_of
from regstorm.drivers.transports import transport_named
from regstorm.measures.merged import MergedTimeline, Second
from regstorm.measures.ue_counts import AttemptListener
from regstorm.records.storm_plan import Progress, StopFlag, StormPlan

LEAD_S = 0.25  # wall time from the agreement on second 0 to second 0
UES, CORE = "ues", "core"
"""Who tells the timeline about its seconds."""


@dataclass(frozen=True, slots=True)
class PacedEnd:
    """How a paced run ended."""

    ended: Ended
    ended_s: float
    why: str | None
    """Why it is not complete."""
    lateness: Lateness
    """In scenario seconds, of both processes."""
    core: control.Ended | None
    """The core's last words; None if it had none."""


class PacedStorm:
    """A storm that is ready to run, with its core. UEs take their seats first (`seats`), then `run`."""

    def __init__(self, plan: StormPlan, attempts: AttemptListener | None = None) -> None:
        """Starts the core's process and sets it up. Raises CoreUnusable, SctpUnavailable."""
        raise_file_limit()
        n2 = transport_named(plan.transport)
        self.plan = plan
        self.traces = traces_of(plan)
        self.scenario = scenario = plan.scenario.sampled(plan.sample)
        self._core_lost: str | None = None
        self._on_progress: Callable[[Progress], None] = lambda progress: None
        self._stop = StopFlag()
        self._began_wall_s = 0.0
        self.core = CoreChild(
            self._core_seconds, self._core_is_lost, transport=plan.transport, on_service=self._core_service
        )
        try:
            address = self.core.link.set_up(
                scenario,
                plan.strategy,
                plan.seed,
                scenario.population.outage_ues,
                scenario.population.online_ues,
                backend=plan.backend,
            )
        except CoreUnusable:
            self.core.end()
            raise
        except BaseException:  # nobody waits for a core that is busy with its own set-up
            self.core.kill()
            raise
        self.population = PacedPopulation(
            scenario,
            plan.seed,
            plan.speed,
            address,
            n2,
            attempts,
            trace_of=self.traces.of,
            attempts_per_wall_s=plan.attempts_cap,
        )
        self.population.on_progress = self._progress
        self.timeline = MergedTimeline(scenario.outage.end_s, (UES, CORE))
        self.seats, self.log = self.population.seats, self.population.log
        self.ue_counts, self.cap = self.population.ue_counts, self.population.cap

    def run(self, on_progress: Callable[[Progress], None], stop: StopFlag) -> PacedEnd:
        """Runs to the end of the script, until `stop` is set, or until the core is lost."""
        self._on_progress, self._stop = on_progress, stop
        warm_nas()
        warm_ngap((Snssai(self.scenario.network.sst, self.scenario.network.sd),))
        self.population.get_ready()
        zero = time.time() + LEAD_S
        self.core.link.begin(zero, self.plan.speed)
        for begins_s in self.scenario.outage.beginnings_s:
            self.core.link.outage(self.scenario.population.outage_ues, begins_s)
        self.core.link.incidents(self.scenario, self.plan.later)
        self._began_wall_s = time.monotonic()
        return self._finish(self.population.run(zero, self._calm_again))

    def close(self) -> None:
        """Lets go of sockets, and of the core's process."""
        self.population.close()
        self.core.end()

    def _finish(self, ended: Ended) -> PacedEnd:
        ended_s = self.population.clock.time_s
        last_words = self.core.link.stop(ended_s)
        self.population.close_books(ended_s)
        self._tell_seconds()
        self.timeline.finish()
        lateness = self.population.clock.lateness
        if last_words is not None:
            lateness.add(last_words.lateness, last_words.lateness_max_s)
        why = self._core_lost or ("interrupted" if ended is Ended.STOPPED else None)
        return PacedEnd(ended, ended_s, why, lateness, last_words)

    def _calm_again(self) -> bool:
        """Asked after every turn."""
        return calm_again(self.log, self.population.clock.now, self.scenario.outage.calm_after_s)

    # ---- the core

    def _core_seconds(self, first: int, seconds: list[tuple[dict[str, int], dict[str, int]]]) -> None:
        told: list[Second] = list(seconds)
        self.timeline.tell(CORE, first, told)

    def _core_service(self, through_s: float, changes: list[tuple[float, int, bool]]) -> None:
        self.population.core_holds(through_s, changes)

    def _core_is_lost(self, why: str) -> None:
        self._core_lost = why
        self.population.stop()

    # ---- progress

    def _progress(self, now: float) -> None:
        self._tell_seconds()
        if self._stop.is_set():
            self.population.stop()
        wall_s = time.monotonic() - self._began_wall_s
        time_s, until_s = self.population.clock.time_s, self.population.until_s
        self._on_progress(progress_of(self.scenario, self.timeline, self.log, time_s, until_s, wall_s))

    def _tell_seconds(self) -> None:
        first, seconds = self.population.untold_seconds()
        self.timeline.tell(UES, first, seconds)
        self.population.untold_changes()  # nobody else keeps a service log
