"""The same scenario, strategy and sample on the wire and in the simulator: the figures are the same but for chance.

Medians of three seeds at 1:200 of the laboratory case.
"""

from dataclasses import replace
from statistics import median

import pytest
from small_storms import plan, shipped, storm_of

from regstorm.simulator.run import Storm

SAMPLE = 200
SEEDS = (1, 2, 3)


def on_the_wire(under, seed, shares):
    storm = storm_of(replace(plan(shipped("outage_return_5gc"), under, seed), sample=SAMPLE))
    return [storm.log.recovery_s(share) for share in shares]


def in_the_simulator(under, seed, shares):
    of_plan = plan(shipped("outage_return_5gc"), under, seed)
    storm = Storm(of_plan.scenario.sampled(SAMPLE), of_plan.strategy.sampled(SAMPLE), seed)
    while not storm.over:
        storm.run_second()
    return [storm.log.recovery_s(share) for share in shares]


@pytest.mark.slow
@pytest.mark.parametrize("under", ["precise", "tiered"])
def test_t50_and_t90_of_wire_and_simulator_are_within_a_tenth(under):
    shares = (0.5, 0.9)
    wire = [on_the_wire(under, seed, shares) for seed in SEEDS]
    simulated = [in_the_simulator(under, seed, shares) for seed in SEEDS]
    for position, share in enumerate(shares):
        real, played = (median(times[position] for times in found) for found in (wire, simulated))
        assert played == pytest.approx(real, rel=0.1), f"{share:.0%} back: {real} s on the wire, {played} s simulated"
