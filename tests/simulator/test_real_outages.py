"""Scenarios with the shape of real outages show what was reported of them, at 1:200."""

from pathlib import Path

import pytest
from simulated_storms import run

from regstorm.records import counters
from regstorm.records.files import read
from regstorm.records.scenario import Scenario
from regstorm.records.strategy import Strategy
from regstorm.simulator.run import Storm

ROOT = Path(__file__).parents[2]


def storm_of(scenario: str, strategy: str, seed: int = 1) -> Storm:
    story = read(ROOT / "scenarios" / f"{scenario}.yaml", Scenario)
    under = read(ROOT / "strategies" / f"{strategy}.yaml", Strategy)
    return run(Storm(story.sampled(200), under.sampled(200), seed))


@pytest.mark.slow
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_a_restriction_lifted_at_once_brings_the_overload_back_and_one_lifted_in_steps_does_not(seed):
    relapse, steps = storm_of("docomo_2021", "release_at_once", seed), storm_of("docomo_2021", "release_in_steps", seed)
    assert relapse.log.share_back < 0.95
    assert relapse.timeline.total(counters.UDM_DROPPED) > relapse.timeline.total(counters.UDM_SERVED) / 4
    assert steps.log.share_back == 1.0
    assert steps.timeline.total(counters.UDM_DROPPED) < steps.timeline.total(counters.UDM_SERVED) / 100


@pytest.mark.slow
def test_a_staggered_return_needs_no_control():
    storm = storm_of("staggered_return", "self_protection")
    assert storm.log.share_back == 1.0
    assert storm.timeline.total(counters.UDM_DROPPED) == 0
    assert storm.timeline.total(counters.REG_INIT_REQ) == storm.scenario.population.outage_ues
