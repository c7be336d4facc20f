"""The same scenario, strategy and sample on the wire and in the simulator: the figures are the same but for chance.

The laboratory case with IMS and its 5GC part alone. T50 and T90 are medians of five seeds; T99, which hangs on the last
hundredth, is held against what the simulator itself scatters over ten seeds.
"""

from dataclasses import replace
from statistics import median

import pytest
from small_storms import plan, shipped, storm_of

from regstorm.simulator.run import Storm

SEEDS = range(1, 6)
SEEDS_OF_RANGE = range(1, 11)
SHARES = (0.5, 0.9, 0.99)
CASES = [("outage_return_5gc", 200), ("outage_return", 400)]
"""At 1:400 the bucket's floor of five UEs is in force, in both engines alike."""


def on_the_wire(scenario, sample, under, seed):
    storm = storm_of(replace(plan(shipped(scenario), under, seed), sample=sample))
    return [storm.log.recovery_s(share) for share in SHARES]


def in_the_simulator(scenario, sample, under, seed):
    of_plan = plan(shipped(scenario), under, seed)
    storm = Storm(of_plan.scenario.sampled(sample), of_plan.strategy.sampled(sample), seed)
    while not storm.over:
        storm.run_second()
    return [storm.log.recovery_s(share) for share in SHARES]


@pytest.mark.slow
@pytest.mark.parametrize(("scenario", "sample"), CASES)
@pytest.mark.parametrize("under", ["precise", "tiered"])
def test_wire_and_simulator_bring_users_back_at_the_same_time(scenario, sample, under):
    wire = [on_the_wire(scenario, sample, under, seed) for seed in SEEDS]
    simulated = [in_the_simulator(scenario, sample, under, seed) for seed in SEEDS_OF_RANGE]
    for position, share in enumerate(SHARES[:2]):
        real = median(times[position] for times in wire)
        played = median(times[position] for times in simulated[: len(SEEDS)])
        assert played == pytest.approx(real, rel=0.1), f"{share:.0%} back: {real} s on the wire, {played} s simulated"
    t99_s = [times[2] for times in simulated]
    assert min(t99_s) <= median(times[2] for times in wire) <= max(t99_s)
