"""How many full registrations per second two processes carry on the paced clock, and what each costs.

    python bench/paced.py                                400, 800 and 1600 registrations/s, 60 s each
    python bench/paced.py --rate 400 --seconds 60        one of them
    python bench/paced.py --rate 400 --transport sctp    over kernel SCTP, where there is one
    python bench/paced.py --ims --rate 300               full service: IMS too, 25 pairs
    python bench/paced.py --ims --rate 100 --backend wire    … asked for over HTTP/2 and Diameter

Open loop: UEs are switched on at seeded random instants, whatever became of those before. Each is unknown to the
core and sends its SUCI: authentication, security mode, GUTI, two PDU sessions, 13 UDM pairs; after ten idle seconds
its gNB has it released. Generator here, core in a process of its own, 20 gNBs with an association each. With --ims
each UE goes on through its ims session: REGISTER, challenge, REGISTER, two third-party registrations, 25 pairs.

The core's capacities are set out of the way and its hops to 1 ms, UEs answer at once: what is measured is the two
programs, not the model. Latency runs from the instant at which a UE was to be switched on until both its sessions are
up, with --ims until both application servers hold its registration in IMS as well. CPU is that of the whole process,
idle turns of the event loop included, from second 0 on.
"""

import argparse
import subprocess
import sys
import time
from random import Random

from protocols.nas5g.messages import Snssai
from protocols.nas5g.warm import warm as warm_nas
from protocols.ngap.warm import warm as warm_ngap
from regstorm.drivers.core_link import CoreChild
from regstorm.drivers.core_process import raise_file_limit
from regstorm.drivers.full_service import FullServiceToldLater
from regstorm.drivers.lateness import Lateness
from regstorm.drivers.paced import PacedClock
from regstorm.drivers.pauses import keep_pauses_short
from regstorm.drivers.population import Population
from regstorm.drivers.transports import transport_named
from regstorm.records.scenario import Scenario
from regstorm.records.strategy import Strategy

RATES = (400, 800, 1600)
RATES_WITH_IMS = (300,)
SEED = 1
GNBS = 20
LEAD_S, TAIL_S = 0.5, 5.0  # before the first registration, and after the last one was due
SETTLE_S = 2.0  # for NG Setup, before registrations begin


class Watcher:
    """A UeObserver that times full service from the due time and notes what failed."""

    def __init__(self):
        self.due_s = {}
        self.latencies_s = []
        self.failures = {}
        self.began = 0

    def attempt_started(self, ue, procedure, now):
        self.began += procedure == "5G registration"

    def attempt_ended(self, ue, procedure, started, now, failure):
        if failure is not None:
            self.failures[f"{procedure}: {failure}"] = self.failures.get(f"{procedure}: {failure}", 0) + 1

    def rejected(self, ue, cause, protected, now):
        pass

    def service_changed(self, ue, in_service, now):
        if in_service and ue in self.due_s:
            self.latencies_s.append(now - self.due_s.pop(ue))

    def registration_lost(self, ue, why, now):
        pass

    def waiting(self, timer, change, now):
        pass


def calm_scenario(ues, ims):
    roomy = {"capacity_messages_per_s": 1e6}
    return Scenario.model_validate(
        {
            "name": "bench",
            "title": "Full registrations, nothing in their way",
            "population": {"outage_ues": ues, "online_ues": 0, "ues_per_gnb": -(-ues // GNBS), "ims": ims},
            "online": {"every_s": 1e6},
            "ue": {"answer_s": {"low": 0, "high": 0}},
            "core": {
                "udm": {"capacity_pairs_per_s": 1e6},
                "amf": roomy,
                "sbc": roomy,
                "ims": {"cscf": roomy, "application_server": roomy},
                "bus": {"hop_s": 0.001},
            },
        }
    )


def run(rate, seconds, transport_name, ims, backend):
    raise_file_limit()
    warm_nas()
    warm_ngap((Snssai(1),))
    scenario = calm_scenario(round(rate * seconds), ims)
    watcher = Watcher()
    full_service = FullServiceToldLater(watcher)
    observer = full_service if ims else watcher
    pairs = [0]

    def counted(first, told):
        pairs[0] += sum(second.get("udm.served", 0) for second, _ in told)

    def lost(why):
        raise SystemExit(why)

    core = CoreChild(counted, lost, transport=transport_name, on_service=full_service.core_told)
    clock = PacedClock()
    try:
        calm = Strategy(name="none", title="none", summary="none")
        address = core.link.set_up(scenario, calm, SEED, 0, 0, backend=backend)
        transport = transport_named(transport_name)
        population = Population(scenario, SEED, clock, lambda number, now: clock.connect(transport, address), observer)
        switch_on(population, clock, watcher, rate, seconds)
        keep_pauses_short()
        zero = time.time() + LEAD_S
        core.link.begin(zero, 1.0)
        clock.begin(zero)
        for link in population.links:
            clock.at(0.0, link.connect)
        cpu_s = time.process_time()
        clock.run(SETTLE_S + seconds + TAIL_S)
        cpu_s = time.process_time() - cpu_s
        ended = core.link.stop(clock.now)
        full_service.finish()
        report(rate, seconds, transport_name, watcher, clock, cpu_s, ended, pairs[0])
        population.close()
    finally:
        clock.close()
        core.end()


def switch_on(population, clock, watcher, rate, seconds):
    """Every UE at an instant of its own; the clock measures how late it keeps it."""
    chance = Random(SEED)
    for _ in range(round(rate * seconds)):  # in no order: at any time all gNBs are busy
        due_s = SETTLE_S + chance.uniform(0, seconds)
        ue = population.seats.take_outage()
        watcher.due_s[ue.index] = due_s
        clock.at(due_s, ue.power_on)


def report(rate, seconds, transport_name, watcher, clock, cpu_s, ended, pairs):
    done = sorted(watcher.latencies_s)
    if not done:
        raise SystemExit("nobody has registered")

    def ms(share):
        return 1e3 * done[min(len(done) - 1, int(share * len(done)))]

    wall_s = SETTLE_S + seconds + TAIL_S
    late, core_late = clock.lateness, ended.lateness_max_s
    core_lateness = Lateness()
    core_lateness.add(ended.lateness, core_late)
    print(
        f"{rate:5.0f}/s offered for {seconds:g} s over {transport_name}: {len(done)} of {watcher.began} registered"
        f" ({len(done) / seconds:.0f}/s), {pairs / len(done):.2f} pairs each; "
        f"latency p50 {ms(0.5):.0f} ms, p99 {ms(0.99):.0f} ms, max {1e3 * done[-1]:.0f} ms; "
        f"lateness p99 {1e3 * late.p99_s:.1f} ms here, {1e3 * core_lateness.p99_s:.1f} ms in the core"
    )
    print(
        f"        CPU per registration {1e3 * cpu_s / len(done):.2f} ms here ({cpu_s / wall_s:.0%} of a core), "
        f"{1e3 * ended.cpu_s / len(done):.2f} ms in the core ({ended.cpu_s / wall_s:.0%}); "
        f"{clock.turns / wall_s:.0f} turns/s; failures {watcher.failures or 'none'}",
        flush=True,
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--rate", type=float)
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--ims", action="store_true", help="full service")
    parser.add_argument("--backend", default="in_process", choices=("in_process", "wire"))
    parser.add_argument("--transport", default="tcp", choices=("tcp", "sctp"))
    arguments = parser.parse_args()
    if arguments.rate:
        run(arguments.rate, arguments.seconds, arguments.transport, arguments.ims, arguments.backend)
        return
    for rate in (
        RATES_WITH_IMS if arguments.ims else RATES
    ):  # each in a process of its own: no load inherits another's memory
        command = [sys.executable, __file__, "--rate", str(rate), "--seconds", str(arguments.seconds)]
        command += ["--transport", arguments.transport, *(["--ims"] if arguments.ims else [])]
        command += ["--backend", arguments.backend]
        subprocess.run(command, check=True)


if __name__ == "__main__":
    main()
