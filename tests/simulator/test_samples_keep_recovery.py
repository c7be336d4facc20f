"""A sample recovers when the full size does: K users stand for one, timers stay, and what changes is noise.

Held against `outage_return` at full size, medians of seeds 1 to 3, in seconds since the end of the outage:
`regstorm run outage_return --strategy STRATEGY --engine sim --sample 1 --repeat 3` (docs/model.md, Samples).
"""

from pathlib import Path
from statistics import median

import pytest
from simulated_storms import run

from regstorm.records.files import read
from regstorm.records.scenario import Scenario
from regstorm.records.strategy import Strategy
from regstorm.simulator.run import Storm

ROOT = Path(__file__).parents[2]
SHARES = (0.5, 0.9, 0.99)
AT_FULL_SIZE = {"precise": (412.8, 550.6, 631.0), "tiered": (210.6, 395.2, 498.4)}


def recovery(strategy: str, sample: int, seed: int) -> list[float]:
    """T50, T90 and T99."""
    story = read(ROOT / "scenarios" / "outage_return.yaml", Scenario)
    under = read(ROOT / "strategies" / f"{strategy}.yaml", Strategy)
    log = run(Storm(story.sampled(sample), under.sampled(sample), seed)).log
    times = [log.recovery_s(share) for share in SHARES]
    return [float("inf") if time is None else time for time in times]


@pytest.mark.slow
@pytest.mark.parametrize("strategy", ["precise", "tiered"])
def test_a_hundredth_recovers_within_12_per_cent_of_the_full_size(strategy):
    seeds = [recovery(strategy, 100, seed) for seed in (1, 2, 3)]
    medians = [median(of_a_share) for of_a_share in zip(*seeds, strict=True)]
    assert medians == pytest.approx(AT_FULL_SIZE[strategy], rel=0.12)


@pytest.mark.slow
def test_a_tenth_recovers_within_5_per_cent_of_the_full_size():
    assert recovery("tiered", 10, seed=1) == pytest.approx(AT_FULL_SIZE["tiered"], rel=0.05)
