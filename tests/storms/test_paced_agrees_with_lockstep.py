"""The paced clock plays the same storm as the lockstep clock: chance and wall time move a run a little, not the story.

The same comparison by hand, one line for each run: python bench/agreement.py
"""

import json
from pathlib import Path
from statistics import median

import pytest
from small_storms import shipped, storm_of, strategy

from regstorm.drivers.paced_storm import PacedStorm
from regstorm.measures.verdict import HARMLESS_LATENESS_S
from regstorm.records.storm_plan import StopFlag, StormPlan

SAMPLE, SPEED, SEEDS = 400, 30.0, (1, 2, 3)


def paced(plan):
    storm = PacedStorm(plan)
    try:
        for _ in range(storm.scenario.population.outage_ues):
            storm.seats.take_outage()
        for _ in range(storm.scenario.population.online_ues):
            storm.seats.take_online()
        return storm, storm.run(lambda progress: None, StopFlag())
    finally:
        storm.close()


@pytest.mark.slow
def test_t50_and_t90_of_paced_and_lockstep_agree_within_ten_percent():
    seen = {"lockstep": [], "paced": []}
    for seed in SEEDS:
        plan = StormPlan(
            shipped("outage_return_5gc"), strategy("tiered"), seed, SAMPLE, Path(), clock="paced", speed=SPEED
        )
        seen["lockstep"].append(storm_of(plan).log)
        storm, end = paced(plan)
        assert end.why is None
        assert end.lateness.p99_s <= HARMLESS_LATENESS_S, "the machine was too busy to judge"
        seen["paced"].append(storm.log)
    for share in (0.5, 0.9):
        lockstep, other = (median(log.recovery_s(share) for log in seen[clock]) for clock in ("lockstep", "paced"))
        assert other == pytest.approx(lockstep, rel=0.1), json.dumps([share, lockstep, other])
