"""Plan, run, check in the simulator; slow: several seconds a storm. The same on the wire: tests/storms."""

import pytest

from regstorm.measures.overload_windows import overload_windows
from regstorm.planning.plan import make_plan
from regstorm.planning.planned_strategy import planned_strategy
from regstorm.records import counters
from regstorm.records.sources import scenario, strategy, topology
from regstorm.simulator.run import Storm

pytestmark = pytest.mark.slow
SAMPLE = 100
PAIRS_PER_UE = 13


def simulated(name, times_the_limit=None):
    """Loads of the UDM in windows worth 1 000 pairs, and T99: at the planned rate, or at a multiple of the limit."""
    lab, _ = topology("lab")
    capacity = lab.udms[0].capacity_pairs_per_s
    planned = planned_strategy(lab, make_plan(lab).sets[0], strategy(name)[0])
    assert planned is not None
    assert planned.gate is not None
    if times_the_limit is not None:
        gate = planned.gate.model_copy(update={"ues_per_s": times_the_limit * capacity / PAIRS_PER_UE})
        planned = planned.model_copy(update={"gate": gate})
    storm = Storm(scenario("outage_return_5gc")[0].sampled(SAMPLE), planned.sampled(SAMPLE), seed=1)
    while not storm.over:
        storm.run_second()
    storm.timeline.close(float(storm.second))
    offered = storm.timeline.column(counters.UDM_OFFERED, storm.outage_end_s)
    return overload_windows(offered, capacity / SAMPLE), storm.log.recovery_s(0.99)


@pytest.mark.parametrize("name", ["precise", "tiered"])
def test_planned_thresholds_keep_the_simulated_udm_under_its_limit(name):
    loads, t99_s = simulated(name)
    assert loads.in_overload == 0
    assert t99_s is not None


def test_30_per_cent_above_the_limit_overloads_the_simulated_udm_under_precise_and_is_forgiven_under_tiered():
    (precise, precise_t99_s), (tiered, tiered_t99_s) = (simulated(name, 1.3) for name in ("precise", "tiered"))
    assert precise.share_in_overload > 0.25
    assert precise.share_in_overload > 1.5 * tiered.share_in_overload
    assert tiered_t99_s < 600
    assert precise_t99_s > 1.5 * tiered_t99_s
