"""How much memory a generator's process takes: Locust users, UEs registered with both sessions, their timers.

    python bench/memory.py                   50 000 and 200 000 UEs, each in a process of its own
    python bench/memory.py 50000             one of them

Two thirds are the outage group, one third the online group, as in the shipped scenario. Resident memory is read before
anybody has sent, and again when the whole outage group has lost its registration, has tried in vain and waits.
"""

import os
import subprocess
import sys
import time

from locust.env import Environment

from regstorm.drivers.paced_population import PacedPopulation
from regstorm.drivers.tcp import TcpTransport
from regstorm.locust.parked import OnlineUe, OutageUe, attach_hub
from regstorm.locust.seating import Seating, everybody_seated
from regstorm.locust.statistics import AttemptStatistics
from regstorm.records.scenario import Scenario

SIZES = (50_000, 200_000)
PAGE = os.sysconf("SC_PAGE_SIZE")


def resident_mb():
    with open("/proc/self/statm") as statm:
        return int(statm.read().split()[1]) * PAGE / 1e6


def measure(ues):
    online = ues // 3
    scenario = Scenario.model_validate(
        {
            "name": "memory",
            "title": "How much memory UEs take",
            "population": {"outage_ues": ues - online, "online_ues": online},
            "core": {"udm": {"capacity_pairs_per_s": 1e6}},
        }
    )
    environment = Environment(user_classes=[OutageUe, OnlineUe])
    empty_mb, began_s = resident_mb(), time.process_time()
    listener = TcpTransport().listen(lambda association: None)
    population = PacedPopulation(scenario, 1, 1.0, listener.address, TcpTransport(), AttemptStatistics(environment))
    attach_hub(environment, Seating(population.seats))
    everybody_seated(environment, scenario.population)
    population.get_ready()
    ready_mb, ready_s = resident_mb(), time.process_time() - began_s
    for ue in population.seats.outage_group:
        ue.lose_coverage(0.0)
        ue.return_to_coverage(0.0)
    waiting_mb = resident_mb()
    print(
        f"{ues} UEs: {ready_mb:.0f} MB resident, {(ready_mb - empty_mb) * 1e3 / ues:.2f} kB for each UE"
        f" ({empty_mb:.0f} MB without any), {ready_s:.0f} s of CPU to seat them;"
        f" {waiting_mb:.0f} MB with the outage group waiting to try again",
        flush=True,
    )


def main():
    if len(sys.argv) > 1:
        measure(int(sys.argv[1]))
        os._exit(0)  # nobody needs to take down a population one by one
    for ues in SIZES:
        subprocess.run([sys.executable, __file__, str(ues)], check=True)


if __name__ == "__main__":
    main()
