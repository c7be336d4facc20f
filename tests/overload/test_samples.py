"""How small a sample may be."""

import pytest

from regstorm.overload.samples import largest_sample
from regstorm.records.scenario import Scenario
from regstorm.records.strategy import Gate, Strategy

LABORATORY = Scenario.model_validate(
    {
        "name": "laboratory",
        "title": "200 000 users",
        "population": {"outage_ues": 200_000, "online_ues": 0},
        "core": {"udm": {"capacity_pairs_per_s": 8700}},
    }
)


def with_gate(**gate) -> Strategy:
    return Strategy(name="gated", title="", summary="", gate=Gate(counts="first_messages", **gate))


def test_without_a_gate_any_sample_is_like_the_whole():
    assert largest_sample(LABORATORY, Strategy(name="open", title="", summary="")) is None


@pytest.mark.parametrize(
    ("gate", "largest"),
    [
        ({}, 214),  # 0.8 · 8700 / 13 = 535 UEs/s, 2 s deep: 1071 UEs, or five at 1:214
        ({"depth_s": 0.2}, 21),
        ({"least_depth_ues": 50}, 21),
        ({"ues_per_s": 100}, 40),
        ({"ues_per_s": 1}, 1),
    ],
)
def test_a_sample_may_be_so_small_that_the_bucket_still_holds_its_least_ues(gate, largest):
    assert largest_sample(LABORATORY, with_gate(**gate)) == largest


def with_ims(**core) -> Scenario:
    population = {"outage_ues": 200_000, "online_ues": 0, "ims": True}
    udm = {"capacity_pairs_per_s": 8700}
    settings = {"name": "laboratory", "title": "200 000 users", "population": population, "core": {"udm": udm} | core}
    return Scenario.model_validate(settings)


@pytest.mark.parametrize(
    ("core", "largest"),
    [
        ({}, 111),  # 0.8 · 8700 / 25 = 278 UEs/s, 2 s deep
        ({"sbc": {"share_of_amf": 0.5}}, 55),
        ({"sbcs": [{"name": "west", "share": 0.25}, {"name": "east", "share": 0.75}]}, 27),
    ],
)
def test_the_buckets_of_the_sbcs_limit_it_as_well(core, largest):
    assert largest_sample(with_ims(**core), with_gate()) == largest
