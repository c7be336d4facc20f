"""How far the paced clock's story is from that of the lockstep clock: recovery times of both, and their medians.

python bench/agreement.py [sample] [speed] [seeds]         400, 30 and 3 by default
"""

import sys
from pathlib import Path
from statistics import median

from regstorm.drivers.paced_storm import PacedStorm
from regstorm.drivers.wire_storm import WireStorm
from regstorm.records.files import read
from regstorm.records.scenario import Scenario
from regstorm.records.storm_plan import StopFlag, StormPlan
from regstorm.records.strategy import Strategy

ROOT = Path(__file__).parent.parent
SHARES = (0.5, 0.9, 0.99)


def run(kind, plan):
    storm = kind(plan)
    try:
        for _ in range(storm.scenario.population.outage_ues):
            storm.seats.take_outage()
        for _ in range(storm.scenario.population.online_ues):
            storm.seats.take_online()
        end = storm.run(lambda progress: None, StopFlag())
    finally:
        storm.close()
    lateness = f"  lateness p99 {end.lateness.p99_s:.3f} s" if kind is PacedStorm else ""
    times = [storm.log.recovery_s(share) for share in SHARES]
    print(f"{kind.__name__:10}  seed {plan.seed}  " + "  ".join(f"{t:6.1f}" for t in times) + lateness, flush=True)
    return times


def main():
    sample, speed, seeds = (float(word) for word in [*sys.argv[1:], *("400", "30", "3")[len(sys.argv) - 1 :]])
    scenario = read(ROOT / "scenarios" / "outage_return_5gc.yaml", Scenario)
    strategy = read(ROOT / "strategies" / "tiered.yaml", Strategy)
    print("T50, T90 and T99 in scenario seconds")
    medians = []
    for kind in (WireStorm, PacedStorm):
        runs = [
            run(kind, StormPlan(scenario, strategy, seed, int(sample), Path(), clock="paced", speed=speed))
            for seed in range(1, int(seeds) + 1)
        ]
        medians.append([median(times) for times in zip(*runs, strict=True)])
    for share, lockstep, paced in zip(SHARES, *medians, strict=True):
        print(f"T{100 * share:g}: {lockstep:.1f} s in lockstep, {paced:.1f} s paced ({paced / lockstep - 1:+.1%})")


if __name__ == "__main__":
    main()
