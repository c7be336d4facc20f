"""NG Setup, registrations with two PDU sessions, a lost association and the way back, over kernel SCTP, paced.

Collected where the kernel has SCTP. First everything is in one process, so that one clock drives both halves; every
message crosses the kernel. Then the same with the core in a process of its own.
"""

from functools import partial

from protocols.nas5g.messages import Snssai
from protocols.nas5g.warm import warm as warm_nas
from protocols.ngap.warm import warm as warm_ngap
from regstorm.drivers.core_side import CoreHalf
from regstorm.drivers.paced import PacedClock
from regstorm.drivers.paced_storm import PacedStorm
from regstorm.drivers.population import Population
from regstorm.drivers.sctp import SctpTransport
from regstorm.measures.service_log import ServiceLog
from regstorm.measures.timeline import Timeline
from regstorm.measures.ue_counts import UeCounts
from regstorm.records import counters
from regstorm.records.core_settings import Core, Udm
from regstorm.records.population import Outage
from regstorm.records.population import Population as PopulationSettings
from regstorm.records.scenario import Scenario
from regstorm.records.storm_plan import StopFlag, StormPlan
from regstorm.records.strategy import Strategy

SEED = 1
OUTAGE_ENDS_S = 2.0
STORY = Scenario(
    name="twenty_return",
    title="Twenty UEs of four gNBs return",
    population=PopulationSettings(outage_ues=20, online_ues=5, ues_per_gnb=5),
    outage=Outage(begins_s=1, lasts_s=1, arrivals_s=1, calm_after_s=1),
    core=Core(udm=Udm(capacity_pairs_per_s=10_000)),
)
STRATEGY = Strategy(name="none", title="None", summary="Nobody is refused.")


class Storm:
    """Both halves on one clock."""

    def __init__(self) -> None:
        self.clock = PacedClock(speed=2)
        self.timeline = Timeline(OUTAGE_ENDS_S)
        self.log = ServiceLog(20, 5, OUTAGE_ENDS_S)
        transport = SctpTransport()
        listen = partial(self.clock.listen, transport)
        self.core_half = CoreHalf(STORY, STRATEGY, SEED, self.clock, self.timeline, listen)
        counts = UeCounts(self.timeline, self.log)
        address = self.core_half.side.listener.address
        self.population = Population(
            STORY, SEED, self.clock, lambda number, now: self.clock.connect(transport, address), counts
        )

    def run(self) -> None:
        seats, population = self.population.seats, self.population
        for _ in range(20):
            seats.take_outage()
        for _ in range(5):
            seats.take_online()
        self.core_half.provision(20, 5)
        population.in_service_since_before(0.0)
        for link in population.links:
            self.clock.at(0.0, link.connect)
        self.clock.at(1.0, self._outage_begins)
        self.clock.at(OUTAGE_ENDS_S, population.outage_ends)
        self.clock.run(30.0, lambda: self.log.back == 20)
        self.clock.run(self.clock.now + 1.0)  # what the core does behind the last UE's back

    def _outage_begins(self, now: float) -> None:
        self.population.outage_begins(now)
        self.core_half.outage_begins(20, now)

    def close(self) -> None:
        self.population.close()
        self.core_half.close()
        self.clock.close()


def test_sctp_carries_ng_setup_registrations_and_the_return_after_an_outage():
    warm_nas()
    warm_ngap((Snssai(STORY.network.sst),))
    storm = Storm()
    storm.run()
    assert storm.log.back == 20
    total = storm.timeline.total
    assert total(counters.REG_INIT_SUCC) == 20
    assert total(counters.UDM_SERVED) == 20 * 13
    assert storm.timeline.subtotals(counters.UDM_SERVED) == {"N13": 40, "N8": 100, "N10": 120}
    gnbs = [link.gnb for link in storm.population.links]
    assert all(gnb.ready for gnb in gnbs)
    assert storm.core_half.side.associations == len(gnbs) == 5
    assert {gnb.faults.ngap_unreadable + gnb.faults.errors_indicated for gnb in gnbs} == {0}
    storm.close()


def test_sctp_joins_a_generator_and_a_core_in_two_processes(tmp_path):
    plan = StormPlan(STORY, STRATEGY, SEED, 1, tmp_path, clock="paced", speed=2, transport="sctp")
    storm = PacedStorm(plan)
    for _ in range(20):
        storm.seats.take_outage()
    for _ in range(5):
        storm.seats.take_online()
    try:
        end = storm.run(lambda progress: None, StopFlag())
        assert end.why is None
        assert storm.log.back == 20
        assert storm.timeline.total(counters.UDM_SERVED) == 20 * 13
    finally:
        storm.close()
