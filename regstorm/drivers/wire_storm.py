"""One storm on the wire in lockstep: population, core and strategy in one process, every message over a real
association.

Puts the two halves together, gives them a clock and associations, and makes the outage happen.

The script of a run, in scenario seconds: all UEs are registered and in service from before (contexts from the seed);
calm; at `outage.begins_s` the outage group's gNBs lose their associations, and its registrations count as gone on both
sides; after `lasts_s` the gNBs come back, and the UEs return one by one within `arrivals_s`; the same `every_s` if the
outage strikes several times; the run ends `calm_after_s` after the last UE is back, or `recovery_within_s` after the
end of the (last) outage.
"""

import time
from collections.abc import Callable
from functools import partial

from regstorm.drivers.association import Association
from regstorm.drivers.backend_doors import lockstep_doors
from regstorm.drivers.backend_wire import BackEndOnWire
from regstorm.drivers.core_side import CoreHalf
from regstorm.drivers.full_service import FullService
from regstorm.drivers.lockstep import Ended, LockstepClock
from regstorm.drivers.pcap import Capture
from regstorm.drivers.pcap_n3 import attach_n3
from regstorm.drivers.population import Population, calm_again
from regstorm.drivers.progress import progress_of
from regstorm.drivers.tcp import TcpListener, TcpTransport
from regstorm.drivers.traces import traces_of
from regstorm.drivers.warming import warm_codecs
from regstorm.measures.domains import Domains
from regstorm.measures.service_log import ServiceLog
from regstorm.measures.timeline import Timeline
from regstorm.measures.ue_counts import AttemptListener, UeCounts
from regstorm.records.ports import UeObserver
from regstorm.records.storm_plan import Progress, StopFlag, StormPlan


class WireStorm:
    """A storm that is ready to run. UEs take their seats first (`seats`), then `run`."""

    def __init__(self, plan: StormPlan, attempts: AttemptListener | None = None) -> None:
        self.seed = plan.seed
        self._later = plan.later
        self.traces = traces_of(plan)
        self.scenario = scenario = plan.scenario.sampled(plan.sample)
        warm_codecs(scenario.network)
        outage = scenario.outage
        self.until_s = outage.last_end_s + outage.recovery_within_s
        self._on_progress: Callable[[Progress], None] | None = None
        self._stop: StopFlag | None = None
        self._began_wall_s = 0.0
        self.clock = LockstepClock(self._progress)
        self.timeline = Timeline(outage.end_s)
        self.log = ServiceLog.of(scenario)
        self.ue_counts = UeCounts(self.timeline, self.log, attempts, Domains.of(scenario, self.timeline, self.log))
        self._capture = Capture(plan.pcap) if plan.pcap is not None else None
        self._transport = TcpTransport()
        self._core_half = CoreHalf(scenario, plan.strategy, plan.seed, self.clock, self.timeline, self._listen)
        self.core = self._core_half.core
        self._backend = self._backend_on_wire() if plan.backend == "wire" else None
        self.population = Population(
            scenario,
            plan.seed,
            self.clock,
            self.dial,
            self._observer(),
            trace_of=self.traces.of,
            dial_n3=self._dial_n3,
        )
        self.seats = self.population.seats

    def run(self, on_progress: Callable[[Progress], None], stop: StopFlag) -> Ended:
        """Runs to the end of the script, or until `stop` is set."""
        self._on_progress, self._stop = on_progress, stop
        self._began_wall_s = time.monotonic()
        for link in self.population.links:
            self.clock.at(0.0, link.connect)
        self.clock.at(0.0, self._everybody_is_in_service)
        outage = self.scenario.outage
        for begins_s in outage.beginnings_s:
            self.clock.at(begins_s, self._outage_begins)
            self.clock.at(begins_s + outage.lasts_s, self.population.outage_ends)
        self._schedule_incidents()
        ended = self.clock.run(self.until_s, self._calm_again)
        self.timeline.close(self.clock.now)
        return ended

    def close(self) -> None:
        """Lets go of sockets and files."""
        self.population.close()
        self._core_half.close()
        if self._backend is not None:
            self._backend.close()
        if self._capture is not None:
            self._capture.close()

    def _observer(self) -> UeObserver:
        """Who hears of the UEs: with IMS the core has a say in what full service is."""
        ims = self.core.ims
        if ims is None:
            return self.ue_counts
        full_service = FullService(self.ue_counts)
        full_service.follow(ims, self.core.identity.plmn)
        return full_service

    # ---- the script

    def _everybody_is_in_service(self, now: float) -> None:
        seats = self.seats
        self._core_half.start(now)
        self._core_half.provision(len(seats.outage_group), len(seats.online_group))
        self.population.in_service_since_before(now)

    def _outage_begins(self, now: float) -> None:
        self.population.outage_begins(now)
        self._core_half.outage_begins(len(self.seats.outage_group), now)

    def _schedule_incidents(self) -> None:
        for incident in self.scenario.incidents:
            if incident.capacity is not None:
                change = partial(self._core_half.take_capacity, incident.nodes, incident.capacity)
                self.clock.at(incident.at_s, change)
        for at_s, strategy in self._later:
            self.clock.at(at_s, partial(self.core.take_strategy, strategy))

    def _calm_again(self) -> bool:
        """Asked after every instant."""
        return calm_again(self.log, self.clock.now, self.scenario.outage.calm_after_s)

    # ---- set-up and progress

    def _backend_on_wire(self) -> BackEndOnWire:
        doors = lockstep_doors(self.clock, self._capture)
        return BackEndOnWire(self.core, self.clock, self.timeline, self.seed, doors)

    def _listen(self, on_association: Callable[[Association], None]) -> TcpListener:
        self._listener = self._transport.listen(on_association)
        return self._listener

    def dial(self, number: int, now: float) -> Association:
        """An association to the core of this storm, for gNB `number` or for whoever else wants to talk to it."""
        near = self.clock.connect(self._transport, self._listener)
        far = self.clock.peer(near)
        if self._capture is not None and far is not None:
            self._capture.attach(number, near, far, now)
        return near

    def _dial_n3(self, number: int, now: float) -> Association:
        """A path for user packets."""
        near = self.clock.connect(self._transport, self._listener)
        far = self.clock.peer(near)
        if self._capture is not None and far is not None:
            attach_n3(self._capture, number, near, far)
        return near

    def _progress(self, now: float) -> None:
        if self._stop is not None and self._stop.is_set():
            self.clock.stop()
        if self._on_progress is not None:
            wall_s = time.monotonic() - self._began_wall_s
            self._on_progress(progress_of(self.scenario, self.timeline, self.log, now, self.until_s, wall_s))
