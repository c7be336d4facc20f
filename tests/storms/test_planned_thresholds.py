"""Plan, run, check: the thresholds that were planned for a network, run on the wire against that network's UDM.

Slow: each storm takes half a minute and more. At 1:100, windows of 12 s are worth 1 000 pairs; docs/planning.md has
the figures.
"""

from pathlib import Path

import pytest
from small_storms import shipped, storm_of, strategy

from regstorm.measures.overload_windows import overload_windows
from regstorm.planning.plan import make_plan
from regstorm.planning.planned_strategy import planned_strategy
from regstorm.records import counters
from regstorm.records.sources import topology
from regstorm.records.storm_plan import StormPlan

pytestmark = pytest.mark.slow
SAMPLE = 100
LAB, _ = topology("lab")
[UDM] = LAB.udms
PAIRS_PER_UE = 13


def planned(name, network=LAB, place=0):
    one = planned_strategy(network, make_plan(network).sets[place], strategy(name))
    assert one is not None
    return one


def at_rate(one, ues_per_s):
    return one.model_copy(update={"gate": one.gate.model_copy(update={"ues_per_s": ues_per_s})})


def storm(under, prepare=lambda storm: None, for_s=3600.0):
    scenario = shipped("outage_return_5gc")
    assert scenario.core.udm.capacity_pairs_per_s == UDM.capacity_pairs_per_s
    outage = scenario.outage.model_copy(update={"recovery_within_s": for_s})
    scenario = scenario.model_copy(update={"outage": outage})
    return storm_of(StormPlan(scenario, under.sampled(SAMPLE), seed=1, sample=SAMPLE, out=Path()), prepare)


def windows(one):
    offered = one.timeline.column(counters.UDM_OFFERED, one.timeline.outage_end_s)
    return overload_windows(offered, UDM.capacity_pairs_per_s / SAMPLE)


@pytest.mark.parametrize("name", ["precise", "tiered"])
def test_planned_thresholds_keep_the_udm_under_its_limit(name):
    one = storm(planned(name))

    assert one.log.share_back == 1
    assert windows(one).in_overload == 0
    assert one.timeline.total(counters.REFUSED_FIRST) > 0  # the gate was needed


def test_30_per_cent_above_the_limit_overloads_under_precise_and_is_forgiven_under_tiered():
    too_much = 1.3 * UDM.capacity_pairs_per_s / PAIRS_PER_UE
    precise, tiered = (storm(at_rate(planned(name), too_much)) for name in ("precise", "tiered"))

    assert windows(precise).share_in_overload > 0.25
    assert windows(precise).share_in_overload > 1.5 * windows(tiered).share_in_overload
    assert windows(tiered).peak_load < 1.15
    assert tiered.log.recovery_s(0.99) < 600  # the queues behind the door shed newcomers, and finish who is admitted
    assert precise.log.recovery_s(0.99) > 1.5 * tiered.log.recovery_s(0.99)
