"""Whether a storm that goes on leaves memory behind: half an hour in wall time, with an outage every five minutes.

    python bench/soak.py                             30 minutes, 6 outages, about 50 registrations/s on average
    python bench/soak.py --minutes 4 --every 60      a short trial

What `regstorm run --clock paced` starts is started here: a generator (Locust users, statistics and all) and the core in
a process of its own, over TCP. Of each outage's users all come back before the next one: at a bottleneck under the
strategy `tiered`, so that some are refused and wait, while users in service go on with what they do. Resident memory of
both processes is read every ten seconds.

The first third is for settling: what a storm needs while all of its users are at work it takes once. Exit code 1 if
either process is later more than 5 % above the highest figure of the first third, or if the storm did not end well.
"""

import argparse
import os
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

import orjson

from regstorm.cli.storm_process import plan_as_json, progress_from
from regstorm.records.files import read
from regstorm.records.scenario import Scenario
from regstorm.records.storm_plan import StormPlan
from regstorm.records.strategy import Strategy

ROOT = Path(__file__).parent.parent
PAGE = os.sysconf("SC_PAGE_SIZE")
SAMPLE_EVERY_S = 10.0
FIRST_OUTAGE_S, LASTS_S = 10.0, 15.0
ARRIVING = 0.6  # of the time between two outages, in which its users come back; the rest is for those who are refused
BOTTLENECK = 0.9  # of what comes in that time the AMF's gate lets pass
GATE = 0.8  # the gate's share of the UDM's capacity, in strategies/tiered.yaml
GROWTH_ALLOWED = 0.05


def scenario_of(minutes, every_s, rate):
    """`rate` registrations per second on average, over the whole time."""
    ues = round(rate * every_s)
    busiest = rate / ARRIVING
    return Scenario.model_validate(
        {
            "name": "soak",
            "title": "An outage after the other",
            "population": {"outage_ues": ues, "online_ues": ues // 4},
            "online": {"every_s": 120},
            "outage": {
                "begins_s": FIRST_OUTAGE_S,
                "lasts_s": LASTS_S,
                "arrivals_s": ARRIVING * every_s,
                "repeats": max(1, round(minutes * 60 / every_s)),
                "every_s": every_s,
                "recovery_within_s": every_s - LASTS_S - FIRST_OUTAGE_S,
                "calm_after_s": every_s,
            },
            "core": {"udm": {"capacity_pairs_per_s": 13 * BOTTLENECK * busiest / GATE}},
        }
    )


def start(plan):
    """The generator's process; its core is its child."""
    generator = subprocess.Popen(
        [sys.executable, "-m", "regstorm.cli.storm_process"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    generator.stdin.write(plan_as_json(plan).decode())
    generator.stdin.close()
    return generator


def core_of(generator):
    """The core's process id, once there is one."""
    while generator.poll() is None:
        children = Path(f"/proc/{generator.pid}/task/{generator.pid}/children").read_text().split()
        for pid in children:
            if b"core_process" in Path(f"/proc/{pid}/cmdline").read_bytes():
                return int(pid)
        time.sleep(0.1)
    raise SystemExit("the generator ended before it had a core")


def resident_mb(pid):
    """None once the process is gone."""
    try:
        return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * PAGE / 1e6
    except (OSError, IndexError):
        return None


def follow(generator, latest):
    """In a thread: what the storm says about itself."""
    for line in generator.stdout:
        latest.append(progress_from(line))
        del latest[:-1]


def watch(generator, core):
    """(minute of the storm, MB of the generator, MB of the core), until the storm is over."""
    latest, samples = [], []
    threading.Thread(target=follow, args=(generator, latest), daemon=True).start()
    until_s = -1.0
    while generator.poll() is None:
        mine, its = resident_mb(generator.pid), resident_mb(core)
        if latest and mine and its and latest[0].scenario_s > until_s:  # else it writes its record by now
            told = latest[0]
            until_s = told.scenario_s
            samples.append((told.scenario_s / 60, mine, its))
            print(
                f"{told.scenario_s / 60:6.1f} min  generator {mine:6.1f} MB  core {its:6.1f} MB  "
                f"in service {told.in_service:6d}  refused {told.refused:6d}",
                flush=True,
            )
        time.sleep(SAMPLE_EVERY_S)
    return samples


def judge(samples, minutes):
    """Prints what became of each process after the first third; True if both stayed flat."""
    settled = minutes / 3
    flat = True
    for name, place in (("generator", 1), ("core", 2)):
        before = max(sample[place] for sample in samples if sample[0] <= settled)
        later = [(sample[0], sample[place]) for sample in samples if sample[0] > settled]
        growth = max(mb for _, mb in later) / before - 1
        flat = flat and growth <= GROWTH_ALLOWED
        print(
            f"{name}: highest {before:.1f} MB until minute {settled:g}, {max(mb for _, mb in later):.1f} MB after it"
            f" ({growth:+.1%}), {later[-1][1]:.1f} MB at the end; slope after it {1e3 * slope(later):+.0f} kB/min"
        )
    return flat


def slope(points):
    """Of the straight line with the least squares."""
    mean_x, mean_y = (sum(column) / len(points) for column in zip(*points, strict=True))
    return sum((x - mean_x) * (y - mean_y) for x, y in points) / sum((x - mean_x) ** 2 for x, _ in points)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--minutes", type=float, default=30.0)
    parser.add_argument("--every", type=float, default=300.0, help="seconds from one outage to the next")
    parser.add_argument("--rate", type=float, default=50.0, help="registrations per second on average")
    arguments = parser.parse_args()
    scenario = scenario_of(arguments.minutes, arguments.every, arguments.rate)
    strategy = read(ROOT / "strategies" / "tiered.yaml", Strategy)
    with tempfile.TemporaryDirectory() as out:
        plan = StormPlan(scenario, strategy, 1, 1, Path(out), clock="paced", speed=1.0)
        generator = start(plan)
        try:
            samples = watch(generator, core_of(generator))
        finally:
            generator.terminate()
            code = generator.wait()
        run = orjson.loads((Path(out) / "run.json").read_bytes())["runs"][0]
    tried = run["locust"]["5G registration"]
    registered = tried["attempts"] - tried["failures"]
    print(
        f"{run['ended_s'] / 60:.1f} min, {scenario.outage.repeats} outages: {registered} registrations"
        f" ({registered / run['ended_s']:.1f}/s), {tried['failures']} attempts more were refused or lost;"
        f" lateness p99 {1e3 * run['lateness_p99_s']:.1f} ms"
    )
    flat = judge(samples, arguments.minutes)
    sys.exit(0 if flat and code == 0 and run["complete"] else 1)


if __name__ == "__main__":
    main()
