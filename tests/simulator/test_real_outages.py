"""Scenarios with the shape of real outages show what was reported of them, as small samples."""

from pathlib import Path

import pytest
from simulated_storms import run

from regstorm.records import counters
from regstorm.records.files import read
from regstorm.records.scenario import Scenario
from regstorm.records.strategy import Strategy
from regstorm.simulator.run import Storm

ROOT = Path(__file__).parents[2]


def storm_at_its_beginning(scenario: str, strategy: str, seed: int, sample: int) -> Storm:
    story = read(ROOT / "scenarios" / f"{scenario}.yaml", Scenario)
    under = read(ROOT / "strategies" / f"{strategy}.yaml", Strategy)
    return Storm(story.sampled(sample), under.sampled(sample), seed)


def storm_of(scenario: str, strategy: str, seed: int = 1, sample: int = 200) -> Storm:
    return run(storm_at_its_beginning(scenario, strategy, seed, sample))


def run_until(storm: Storm, second: int) -> Storm:
    while storm.second < second:
        storm.run_second()
    return storm


def users_in_service(storm: Storm) -> int:
    return storm.timeline.level(counters.OUTAGE_IN_SERVICE) + storm.timeline.level(counters.ONLINE_IN_SERVICE)


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


@pytest.mark.slow
def test_kddis_users_all_return_and_the_faulty_nodes_bring_the_congestion_afterwards_unless_renewals_go_first():
    """Self-protection sheds renewals, which become registrations; tiers let them pass."""
    alone = storm_at_its_beginning("kddi_2022", "self_protection", 1, 4000)
    everybody = alone.scenario.population.outage_ues + alone.scenario.population.online_ues
    assert users_in_service(run_until(alone, 3000)) == everybody
    assert users_in_service(run_until(alone, 4800)) < 0.97 * everybody

    tiered = storm_at_its_beginning("kddi_2022", "tiered", 1, 4000)
    assert users_in_service(run_until(tiered, 6000)) == everybody  # until the nodes are isolated
    # their users find out at their next renewal, 50 min later at most, and the other nodes take them
    assert users_in_service(run_until(tiered, 10_800)) > 0.99 * everybody


@pytest.mark.slow
def test_t_mobiles_region_is_out_for_hours_under_self_protection_and_back_in_a_quarter_of_an_hour_with_tiers():
    """Alone at 1:1000; at 1:2000 one seed in three brings nearly all of its hundred users back."""
    alone, tiered = storm_of("t_mobile_2020", "self_protection", sample=1000), storm_of("t_mobile_2020", "tiered")
    assert alone.log.share_back < 0.75
    assert alone.timeline.total(counters.UDM_DROPPED) > alone.timeline.total(counters.UDM_SERVED)
    assert tiered.log.recovery_s(0.99) < 900
