"""The same seed gives the same record, byte for byte; another seed another one."""

import pytest
from small_storms import plan, scenario, storm_of


@pytest.mark.parametrize("under", ["self_protection", "precise", "tiered"])
def test_the_same_seed_gives_the_same_timeline_byte_for_byte(under):
    one = scenario(ues=60, online=30, pairs_per_s=20, arrivals_s=10)
    first, again = (storm_of(plan(one, under)).timeline.csv() for _ in range(2))
    assert first == again


def test_another_seed_gives_another_timeline():
    one = scenario(ues=60, online=30, pairs_per_s=20, arrivals_s=10)
    assert storm_of(plan(one, seed=1)).timeline.csv() != storm_of(plan(one, seed=2)).timeline.csv()
