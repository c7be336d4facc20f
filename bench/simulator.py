"""What a simulated storm costs: CPU time and peak memory of its process, and what came out.

    python bench/simulator.py                               tiered, precise, guided, self_protection at 1:10
    python bench/simulator.py --strategy tiered --sample 1  one of them at full size

`outage_return`, seed 1, each in a process of its own, without its record and report. The loop at the end says how fast
the machine was meanwhile: two storms compare only if it took as long beside both.
"""

import argparse
import gc
import resource
import subprocess
import sys
import time

from regstorm.records import sources
from regstorm.simulator.run import Storm

STRATEGIES = ("tiered", "precise", "guided", "self_protection")
MB = 1024


def cpu_of_a_loop_s():
    began_s = time.process_time()
    total = 0
    for number in range(10_000_000):
        total += number & 7
    return time.process_time() - began_s


def measure(strategy, sample):
    scenario, _ = sources.scenario("outage_return", [])
    played, _ = sources.strategy(strategy)
    began_s = time.process_time()
    gc.disable()  # as regstorm.simulator.run does
    storm = Storm(scenario.sampled(sample), played.sampled(sample), 1)
    while not storm.over:
        storm.run_second()
    cpu_s = time.process_time() - began_s
    t99_s = storm.log.recovery_s(0.99)
    print(
        f"{strategy}, 1:{sample}: {cpu_s:.1f} s of CPU, {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // MB} MB,"
        f" {storm.second} scenario seconds; {storm.log.share_back:.1%} back,"
        f" T99 {'not reached' if t99_s is None else f'{t99_s:.1f} s'}; the loop {cpu_of_a_loop_s():.2f} s",
        flush=True,
    )


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--strategy", choices=STRATEGIES)
    parser.add_argument("--sample", type=int, default=10)
    asked = parser.parse_args()
    if asked.strategy:
        measure(asked.strategy, asked.sample)
        return
    for strategy in STRATEGIES:
        command = [sys.executable, __file__, "--strategy", strategy, "--sample", str(asked.sample)]
        subprocess.run(command, check=True)


if __name__ == "__main__":
    main()
