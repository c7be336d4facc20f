"""One storm on the wire: population, core and strategy in one process, every message over a real association.

Puts the machines together, gives them a clock and associations, and makes the outage happen. Decides nothing about
overload (regstorm.overload) or retries (ue_models.rules); counts through regstorm.measures.

The script of a run, in scenario seconds: all UEs are registered and in service from before (contexts from the seed);
calm; at `outage.begins_s` the outage group's gNBs lose their associations, and its registrations count as gone on both
sides; after `lasts_s` the gNBs come back, and the UEs return one by one within `arrivals_s`; the run ends
`calm_after_s` after the last UE is back, or `recovery_within_s` after the end of the outage.
"""

import time
from collections.abc import Callable
from random import Random

from protocols.credentials import home_network_private_keys
from protocols.identities import Plmn
from protocols.nas5g.messages import Snssai
from regstorm.drivers.lockstep import Ended, LockstepClock
from regstorm.drivers.n2 import CoreSide, GnbLink
from regstorm.drivers.pcap import Capture
from regstorm.drivers.tcp import TcpTransport
from regstorm.drivers.ue_seats import UeSeats
from regstorm.measures.service_log import ServiceLog
from regstorm.measures.timeline import Timeline
from regstorm.measures.ue_counts import AttemptListener, UeCounts
from regstorm.records import counters
from regstorm.records.storm_plan import Progress, StopFlag, StormPlan
from regstorm.reference_core.core import ReferenceCore
from ue_models.gnb import Gnb


class WireStorm:
    """A storm that is ready to run. UEs take their seats first (`seats`), then `run`."""

    def __init__(self, plan: StormPlan, attempts: AttemptListener | None = None) -> None:
        self.seed = plan.seed
        self.scenario = scenario = plan.scenario.sampled(plan.sample)
        population, outage, network = scenario.population, scenario.outage, scenario.network
        self._outage_end_s = outage.begins_s + outage.lasts_s
        self.until_s = self._outage_end_s + outage.recovery_within_s
        self._on_progress: Callable[[Progress], None] | None = None
        self._stop: StopFlag | None = None
        self._began_wall_s = 0.0
        self.clock = LockstepClock(self._progress)
        self.timeline = Timeline(self._outage_end_s)
        self.log = ServiceLog(population.outage_ues, population.online_ues, self._outage_end_s)
        self.ue_counts = UeCounts(self.timeline, self.log, attempts)
        self._capture = Capture(plan.pcap) if plan.pcap is not None else None
        self.core = ReferenceCore(
            scenario.core,
            network,
            plan.strategy,
            agenda=self.clock,
            rng=self.stream_of_chance("core"),
            tally=self.timeline,
            seed=plan.seed,
            population=population.outage_ues + population.online_ues,
            authenticate=outage.authenticate,
            home_private_keys=home_network_private_keys(plan.seed),
        )
        self._core_side = CoreSide(self.core, self.clock, TcpTransport())
        plmn = Plmn(network.mcc, network.mnc)
        self._outage_links = self._gnb_links(plmn, first=0, ues=population.outage_ues)
        self._online_links = self._gnb_links(plmn, first=len(self._outage_links), ues=population.online_ues)
        self.seats = UeSeats(self, _gnbs_of(self._outage_links), _gnbs_of(self._online_links))

    def stream_of_chance(self, name: str) -> Random:
        """A random generator of its own for each part, so that one part's draws do not shift another's."""
        return Random(f"{self.seed} {name}")

    def run(self, on_progress: Callable[[Progress], None], stop: StopFlag) -> Ended:
        """Runs to the end of the script, or until `stop` is set."""
        self._on_progress, self._stop = on_progress, stop
        self._began_wall_s = time.monotonic()
        outage = self.scenario.outage
        for link in self._outage_links + self._online_links:
            self.clock.at(0.0, link.connect)
        self.clock.at(0.0, self._everybody_is_in_service)
        self.clock.at(outage.begins_s, self._outage_begins)
        self.clock.at(self._outage_end_s, self._outage_ends)
        ended = self.clock.run(self.until_s, self._calm_again)
        self.timeline.close(self.clock.now)
        return ended

    def close(self) -> None:
        """Lets go of sockets and files."""
        for link in self._outage_links + self._online_links:
            link.close()
        self._core_side.close()
        if self._capture is not None:
            self._capture.close()

    # ---- the script

    def _everybody_is_in_service(self, now: float) -> None:
        self.core.start(now)
        self.core.provision(range(len(self.seats)))
        self.seats.in_service_since_before(now)

    def _outage_begins(self, now: float) -> None:
        outage_group = self.seats.outage_group
        for link in self._outage_links:
            link.cut(now)
        for ue in outage_group:
            ue.lose_coverage(now)
        self.core.deregister_implicitly(range(len(outage_group)), now)
        if self.scenario.outage.amf_context == "lost":
            self.core.lose_contexts(now)

    def _outage_ends(self, now: float) -> None:
        for link in self._outage_links:
            link.connect(now)
        chance = self.stream_of_chance("arrivals")
        for ue in self.seats.outage_group:
            self.clock.at(now + chance.uniform(0, self.scenario.outage.arrivals_s), ue.return_to_coverage)

    def _calm_again(self) -> bool:
        """Asked after every instant: everybody has been back for long enough."""
        if self.log.back < self.log.outage_ues:
            return False
        last_back_s = self.log.recovery_s(1.0)
        assert last_back_s is not None
        return self.clock.now >= self._outage_end_s + last_back_s + self.scenario.outage.calm_after_s

    # ---- set-up

    def _gnb_links(self, plmn: Plmn, first: int, ues: int) -> list[GnbLink]:
        network, per_gnb = self.scenario.network, self.scenario.population.ues_per_gnb
        links = []
        for number in range(first, first + -(-ues // per_gnb)):
            link = GnbLink(number, self.clock, TcpTransport(), self._core_side, self._capture)
            link.gnb = Gnb(
                gnb_id=number + 1,
                plmn=plmn,
                tac=network.tac,
                slices=(Snssai(network.sst),),
                agenda=self.clock,
                rng=self.stream_of_chance(f"gNB {number}"),
                send=link.send,
                observer=self.ue_counts,
                inactivity_s=self.scenario.online.inactivity_s,
            )
            links.append(link)
        return links

    def _progress(self, now: float) -> None:
        if self._stop is not None and self._stop.is_set():
            self.clock.stop()
        if self._on_progress is None:
            return
        self._on_progress(
            Progress(
                scenario_s=now,
                until_s=self.until_s,
                in_service=self.timeline.level(counters.OUTAGE_IN_SERVICE)
                + self.timeline.level(counters.ONLINE_IN_SERVICE),
                back=self.log.back,
                outage_ues=self.log.outage_ues,
                refused=self.timeline.total(counters.REFUSED_FIRST) + self.timeline.total(counters.REFUSED_FOLLOW_UP),
                udm_load=self._udm_load(),
                wall_s=time.monotonic() - self._began_wall_s,
            )
        )

    def _udm_load(self) -> float | None:
        """Offered over the last ten complete seconds, as a share of capacity."""
        offered = self.timeline.column(counters.UDM_OFFERED)[-10:]
        if not offered:
            return None
        return sum(offered) / len(offered) / self.scenario.core.udm.capacity_pairs_per_s


def _gnbs_of(links: list[GnbLink]) -> list[Gnb]:
    return [link.gnb for link in links if link.gnb is not None]
