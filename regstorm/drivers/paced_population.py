"""The population of a storm on the paced clock, whole or a share of it, against a core in another process.

Puts a Population on a clock of wall time, with its script and its books. Does not know the core's side: whoever runs
the storm tells the core about the outage, for the same scenario second. Several of these, in several processes, make
one storm if their shares make one population; their books are added up by regstorm.measures.merged.
"""

from collections.abc import Callable, Iterable
from math import floor, inf

from regstorm.drivers.association import Address, Association, Transport
from regstorm.drivers.attempts_cap import AttemptsCap
from regstorm.drivers.full_service import FullServiceToldLater
from regstorm.drivers.lockstep import Ended
from regstorm.drivers.paced import PacedClock
from regstorm.drivers.pauses import collect_as_usual, keep_pauses_short
from regstorm.drivers.people import People
from regstorm.drivers.population import Population
from regstorm.drivers.ue_seats import WHOLE, CredentialsOf, Share, TraceOf, go_on, untraced
from regstorm.measures.domains import Domains
from regstorm.measures.merged import Second, ServiceChange, ToldServiceLog
from regstorm.measures.timeline import Timeline
from regstorm.measures.ue_counts import AttemptListener, UeCounts
from regstorm.records.ports import UeObserver
from regstorm.records.scenario import Scenario
from regstorm.records.storm_plan import ATTEMPTS_CAP


def _nobody_watches(now: float) -> None:
    """The progress hook of a population that others watch."""


class PacedPopulation:
    """UEs take their seats first (`seats`), then `get_ready`, then `run`."""

    def __init__(
        self,
        scenario: Scenario,
        seed: int,
        speed: float,
        core: Address,
        transport: Transport,
        attempts: AttemptListener | None = None,
        share: Share = WHOLE,
        trace_of: TraceOf = untraced,
        attempts_per_wall_s: float = ATTEMPTS_CAP,
        credentials_of: CredentialsOf | None = None,
    ) -> None:
        """`scenario` is that of the sample; `core` is where it listens for gNBs."""
        self.scenario = scenario
        self.begun = False
        self._closed = False
        outage = scenario.outage
        self.until_s = outage.last_end_s + outage.recovery_within_s
        self.clock = PacedClock(speed, self._time_passes)
        self.timeline = Timeline(outage.end_s)
        self.log = ToldServiceLog.of(scenario)
        self.ue_counts = UeCounts(self.timeline, self.log, attempts, Domains.of(scenario, self.timeline, self.log))
        self.full_service = FullServiceToldLater(self.ue_counts) if self._core_has_a_say() else None
        """Who joins what UEs and core know; None: UEs know it all."""
        self._core = core
        self._transport = transport
        self.on_progress: Callable[[float], None] = _nobody_watches
        self.cap = AttemptsCap(attempts_per_wall_s, speed, self.clock, self.timeline)
        self._trace_of, self._credentials_of = trace_of, credentials_of
        self.population: People = self._people(seed, share)
        self.seats = self.population.seats

    def get_ready(self, breathe: Callable[[], None] = go_on) -> None:
        """Everybody is in service since before: keys are derived, before the clock runs."""
        self.population.in_service_since_before(0.0, breathe)
        keep_pauses_short()

    def run(self, zero: float, finished: Callable[[], bool] = lambda: False) -> Ended:
        """From second 0, at time of day `zero`, to the end of the script, until `finished` or until `stop`. Others of
        this process go on meanwhile."""
        for link in self.population.links:
            self.clock.at(0.0, link.connect)
        outage = self.scenario.outage
        for begins_s in outage.beginnings_s:
            self.clock.at(begins_s, self._outage_begins)
            self.clock.at(begins_s + outage.lasts_s, self._outage_ends)
        self.clock.begin(zero)
        self.begun = True
        return self.clock.run(self.until_s, finished)

    def stop(self) -> None:
        """run() returns soon."""
        self.clock.stop()

    def core_holds(self, through_s: float, changes: Iterable[tuple[float, int, bool]]) -> None:
        """Whose registration both application servers hold now or no longer, up to that second (control.Service)."""
        if self.full_service is not None:
            self.full_service.core_told(through_s, changes)

    def close_books(self, ended_s: float | None = None) -> float:
        """The second that has begun gets its row; returns when it ended, in scenario seconds. After run().

        `ended_s`: when that was, if the core has been asked for its last words meanwhile.
        """
        if ended_s is None:
            ended_s = self.clock.time_s
        self._closed = True
        self.timeline.close(ended_s)
        if self.full_service is not None:
            self.full_service.finish()
        return ended_s

    def untold_seconds(self) -> tuple[int, list[Second]]:
        """The first second not told yet, and those complete from it on: UEs and core have had their say about them."""
        if not self._closed:
            self.timeline.advance(self.clock.time_s)
        through_s = inf if self.full_service is None else max(0.0, self.full_service.through_s)
        first, seconds = self.timeline.take_seconds(None if through_s == inf else floor(through_s))
        return first, list(seconds)

    def untold_changes(self) -> list[ServiceChange]:
        """Changes of service not told yet."""
        return self.log.take_changes()

    def close(self) -> None:
        """Lets go of the associations."""
        self.population.close()
        self.clock.close()
        collect_as_usual()

    def _core_has_a_say(self) -> bool:
        """It tells of full service: it is ours, and has IMS."""
        return self.scenario.population.ims

    def _observer(self) -> UeObserver:
        return self.ue_counts if self.full_service is None else self.full_service

    def leave(self) -> None:
        """Before the end: a core that is not ours is left as it was found. Ours ends with the storm."""

    def _people(self, seed: int, share: Share) -> People:
        return Population(
            self.scenario,
            seed,
            self.clock,
            self._dial,
            self._observer(),
            share,
            self.cap,
            self._trace_of,
            credentials_of=self._credentials_of,
        )

    def _outage_begins(self, now: float) -> None:
        self.population.outage_begins(now)

    def _outage_ends(self, now: float) -> None:
        self.population.outage_ends(now)

    def _dial(self, number: int, now: float) -> Association:
        return self.clock.connect(self._transport, self._core)

    def _time_passes(self, now: float) -> None:
        self.timeline.advance(self.clock.time_s)
        self.on_progress(now)
