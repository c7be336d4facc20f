"""Where the wire and the simulator differ: the same storm on both, one field changed at a time.

    python bench/engines.py                                                     the changes below
    python bench/engines.py --strategy precise --set online.inactivity_s=2      one of one's own
    python bench/engines.py --strategy tiered                                   none
    python bench/engines.py --strategy precise --seeds 24                       as many seeds as tell it from chance

`outage_return` at 1:500, three seeds each from 11 on, in lockstep. Buckets are raised to their least depth, on both
engines alike. Printed are T50, T90 and T99 with their means and the standard errors of these, and the counters whose
sums differ by more than 8 %, by more than three standard deviations of a count, and by more than the seeds differ among
themselves. Storms of single seeds are chaotic: what stands here is to be looked into, not yet wrong.
"""

import argparse
from math import sqrt
from pathlib import Path
from statistics import mean, stdev
from typing import NamedTuple

from regstorm.drivers.wire_storm import WireStorm
from regstorm.records import sources
from regstorm.records.storm_plan import StopFlag, StormPlan
from regstorm.simulator.run import Storm

SAMPLE = 500
FIRST_SEED = 11
SHARES = {"T50": 0.5, "T90": 0.9, "T99": 0.99}
ONLY_ON_THE_WIRE = ("node.", "upf.", "protocol.")
IN_THOUSANDTHS = "_milli_"
"""Work: it follows what was dropped, and is no count."""
CHANGES = (
    ("precise", []),
    ("precise_reject", []),
    ("tiered", []),
    ("guided", ["population.unprotected=0.3"]),
    ("tiered", ["core.sbc.share_of_amf=0.5"]),
    ("precise", ["core.sbc.share_of_amf=0.5", "population.p_cscfs_exhausted=reregister"]),
    ("tiered", ["outage.amf_context=lost"]),
    ("precise", ["core.bus.retries=0", "core.bus.timeout_s=0.5"]),
    ("tiered", ["core.ims.expires_s=300"]),
    ("precise", ["online.inactivity_s=2"]),
)


class Outcome(NamedTuple):
    """Of one storm."""

    recovery_s: dict[str, float | None]
    counts: dict[str, int]
    """Without levels, which are no counts."""


def outcome(storm):
    timeline = storm.timeline
    counts = {name: total for name in timeline.columns() if (total := timeline.total(name))}
    return Outcome({label: storm.log.recovery_s(share) for label, share in SHARES.items()}, counts)


def on_the_wire(scenario, strategy, seed):
    storm = WireStorm(StormPlan(scenario, strategy, seed, SAMPLE, Path()))
    population = storm.scenario.population
    for _ in range(population.outage_ues):
        storm.seats.take_outage()
    for _ in range(population.online_ues):
        storm.seats.take_online()
    try:
        storm.run(lambda progress: None, StopFlag())
    finally:
        storm.close()
    return outcome(storm)


def simulated(scenario, strategy, seed):
    storm = Storm(scenario.sampled(SAMPLE), strategy, seed)
    while not storm.over:
        storm.run_second()
    storm.timeline.close(float(storm.second))
    return outcome(storm)


def differing(wire, sim):
    """(standard deviations, counter, counts on the wire, counts simulated), the largest first."""
    rows = []
    for name in set().union(*(one.counts for one in (*wire, *sim))):
        ours, theirs = ([one.counts.get(name, 0) for one in storms] for storms in (wire, sim))
        most, apart = max(sum(ours), sum(theirs)), abs(sum(ours) - sum(theirs))
        among_seeds = max(max(ours) - min(ours), max(theirs) - min(theirs))
        far = apart > 0.08 * most and apart > 3 * sqrt(most) and apart > 1.2 * among_seeds
        if far and not name.startswith(ONLY_ON_THE_WIRE) and IN_THOUSANDTHS not in name:
            rows.append((apart / sqrt(most), name, ours, theirs))
    return sorted(rows, reverse=True)


def seconds(storms, label):
    times_s = [one.recovery_s[label] for one in storms]
    each = " ".join("–" if one is None else f"{one:.0f}" for one in times_s)
    if None in times_s or len(times_s) == 1:
        return each
    return f"{each} ({mean(times_s):.1f} ± {stdev(times_s) / sqrt(len(times_s)):.1f})"


def compare(name, changes, seeds):
    scenario, _ = sources.scenario("outage_return", changes)
    strategy = sources.strategy(name)[0].sampled(SAMPLE)
    wire = [on_the_wire(scenario, strategy, seed) for seed in seeds]
    sim = [simulated(scenario, strategy, seed) for seed in seeds]
    print(f"{name} {' '.join(changes)}")
    for label in SHARES:
        print(f"    {label}: wire {seconds(wire, label)} s, simulated {seconds(sim, label)} s")
    for deviations, counter, ours, theirs in differing(wire, sim):
        print(f"    {deviations:5.1f} σ  {counter}: wire {ours}, simulated {theirs}", flush=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--strategy")
    parser.add_argument("--set", action="append", default=[], dest="changes")
    parser.add_argument("--seeds", type=int, default=3)
    asked = parser.parse_args()
    seeds = range(FIRST_SEED, FIRST_SEED + asked.seeds)
    for name, changes in [(asked.strategy, asked.changes)] if asked.strategy else CHANGES:
        compare(name, changes, seeds)


if __name__ == "__main__":
    main()
