"""A core in a process of its own: it listens, counts, obeys, and never outlives whoever needs it.

Real processes and sockets; every wait has an end, and every process that is killed here is killed by its id.
"""

import os
import signal
import socket
import subprocess
import sys
import time
from contextlib import contextmanager

import gevent
import pytest

from regstorm.cli.main import main
from regstorm.drivers.core_link import CoreChild, CoreLink, CoreUnusable
from regstorm.drivers.paced import PacedClock
from regstorm.drivers.population import Population
from regstorm.drivers.tcp import TcpTransport
from regstorm.measures.service_log import ServiceLog
from regstorm.measures.timeline import Timeline
from regstorm.measures.ue_counts import UeCounts
from regstorm.records.scenario import Scenario
from regstorm.records.strategy import Strategy

PATIENCE_S = 20.0
NO_CONTROL = Strategy(name="none", title="none", summary="none")


def a_scenario(ues, **more):
    return Scenario.model_validate(
        {
            "name": "small",
            "title": "A storm for a test",
            "population": {"outage_ues": ues, "online_ues": 0, **more.pop("population", {})},
            "core": {"udm": {"capacity_pairs_per_s": 1e6}},
            **more,
        }
    )


def is_alive(pid):
    """The process runs; one that has ended and was not waited for does not."""
    try:
        with open(f"/proc/{pid}/stat") as stat:
            return stat.read().rpartition(")")[2].split()[0] not in ("Z", "X")
    except OSError:
        return False


def wait_until(holds):
    until = time.monotonic() + PATIENCE_S
    while not holds():
        assert time.monotonic() < until, "it did not come about"
        gevent.sleep(0.02)


class Books:
    """What a core has told."""

    def __init__(self):
        self.seconds = {}
        self.lost = []

    def told(self, first, seconds):
        for number, (counted, _) in enumerate(seconds, first):
            assert number not in self.seconds
            self.seconds[number] = counted

    def total(self, name):
        return sum(counted.get(name, 0) for counted in self.seconds.values())


@contextmanager
def a_core():
    books = Books()
    child = CoreChild(books.told, books.lost.append)
    try:
        yield child, books
    finally:
        child.end()
        assert not is_alive(child.pid)


class Network:
    """A population on a clock, against a core's process."""

    def __init__(self, child, scenario, speed=20.0, provisioned=0):
        self.clock = PacedClock(speed)
        self.log = ServiceLog(scenario.population.outage_ues, 0, 0.0)
        self.counts = UeCounts(Timeline(0.0), self.log)
        address = child.link.set_up(scenario, NO_CONTROL, 1, provisioned, 0)
        transport = TcpTransport()
        self.population = Population(
            scenario, 1, self.clock, lambda number, now: self.clock.connect(transport, address), self.counts
        )
        self.ues = [self.population.seats.take_outage() for _ in range(scenario.population.outage_ues)]
        zero = time.time()
        child.link.begin(zero, speed)
        self.clock.begin(zero)
        for link in self.population.links:
            self.clock.at(0.0, link.connect)

    def run(self, seconds, finished=lambda: False):
        self.clock.run(self.clock.time_s + seconds, finished)

    def close(self):
        self.population.close()
        self.clock.close()


def test_a_registration_with_both_sessions_is_thirteen_pairs_in_the_core_s_books():
    with a_core() as (child, books):
        network = Network(child, a_scenario(3))
        for ue in network.ues:
            network.clock.at(1.0, ue.power_on)
        network.run(60.0, lambda: network.log.back == 3)
        network.run(1.0)  # the SMF's subscriptions at the UDM come after its answer
        ended = child.link.stop(network.clock.now)
        network.close()
        assert network.log.back == 3
        assert ended is not None
        assert books.total("udm.served") == 39
        assert sorted(books.seconds) == list(range(len(books.seconds)))
        wait_until(lambda: not is_alive(child.pid))  # a child does one storm
        assert books.lost == []


@pytest.mark.slow
def test_an_outage_in_the_core_takes_the_registrations_that_it_was_told_to_take():
    with a_core() as (child, books):
        network = Network(child, a_scenario(2), provisioned=2)
        network.population.in_service_since_before(0.0)
        child.link.outage(2, at_s=2.0)
        network.clock.at(2.0, network.population.outage_begins)
        network.clock.at(4.0, network.population.outage_ends)
        network.run(120.0, lambda: network.clock.now > 5 and all(ue.in_service for ue in network.ues))
        child.link.stop(network.clock.now)
        network.close()
        assert all(ue.in_service for ue in network.ues)
        assert books.total("udm.served.N13") >= 4  # authenticated anew: the core had let go of both


@pytest.mark.slow
def test_an_amf_that_a_command_takes_away_hangs_up_and_serves_again_when_it_is_given_back():
    with a_core() as (child, _):
        network = Network(child, a_scenario(1))
        gnb = network.population.links[0].gnb
        network.run(PATIENCE_S, lambda: gnb.ready)

        child.link.capacity(("amf",), 0.0)
        network.run(PATIENCE_S, lambda: not gnb.ready)
        assert not gnb.ready

        child.link.capacity(("amf",), 1.0)
        network.run(PATIENCE_S, lambda: gnb.ready)  # it has tried every five seconds
        network.close()
        assert gnb.ready


@pytest.mark.slow
def test_a_strategy_switched_on_while_it_runs_refuses():
    from regstorm.records.strategy import Gate, Guidance

    closed = Strategy(
        name="closed",
        title="closed",
        summary="nearly closed",
        gate=Gate(counts="first_messages", share_of_capacity=1e-6, least_depth_ues=1),
        guidance=Guidance(),
    )
    with a_core() as (child, books):
        network = Network(child, a_scenario(6))
        network.clock.at(1.0, network.ues[0].power_on)
        network.run(60.0, lambda: network.ues[0].in_service)
        child.link.switch(closed)
        gevent.sleep(0.2)
        for ue in network.ues[1:]:
            network.clock.at(network.clock.time_s, ue.power_on)
        network.run(20.0)
        child.link.stop(network.clock.now)
        network.close()
        assert network.ues[0].in_service
        assert books.total("amf.refused_first") >= 4  # the bucket is one deep


@pytest.mark.slow
def test_1024_associations_dropped_in_mid_registration_leave_no_context_behind():
    scenario = a_scenario(
        1024, population={"ues_per_gnb": 1}, ue={"answer_s": {"low": 30, "high": 30}}, online={"inactivity_s": 600}
    )
    with a_core() as (child, books):
        network = Network(child, scenario, speed=1.0)
        network.run(PATIENCE_S, lambda: all(link.gnb.ready for link in network.population.links))
        for ue in network.ues:
            ue.power_on(network.clock.time_s)
        network.run(PATIENCE_S, lambda: books.total("amf.uplink_nas") == 1024)
        network.run(1.0)  # every UE has been asked for something and thinks about it
        assert all(link.gnb.connections == 1 for link in network.population.links)
        for link in network.population.links:
            link.cut(network.clock.now)
        network.run(1.0)
        ended = child.link.stop(network.clock.now)
        network.close()
        assert ended is not None
        assert ended.connections == ended.associations == 0
        assert books.total("amf.abandoned_procedures") == 1024


def test_a_core_that_is_killed_is_noticed_and_named():
    with a_core() as (child, books):
        network = Network(child, a_scenario(1))
        os.kill(child.pid, signal.SIGKILL)
        network.run(PATIENCE_S * 20, lambda: bool(books.lost))
        network.close()
        assert books.lost == [f"the core's process (pid {child.pid}) was killed by signal 9"]
        assert child.link.stop(1.0) is None


GENERATOR = """
import gevent
from regstorm.drivers.core_link import CoreChild
child = CoreChild(lambda first, seconds: None, print)
print(child.pid, flush=True)
gevent.sleep(60)
"""


@pytest.mark.parametrize("number", [signal.SIGKILL, pytest.param(signal.SIGTERM, marks=pytest.mark.slow)])
def test_a_core_whose_generator_is_killed_says_so_and_ends(number):
    generator = subprocess.Popen(
        [sys.executable, "-c", GENERATOR], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    core = int(generator.stdout.readline())
    assert is_alive(core)
    generator.send_signal(number)
    generator.wait(timeout=PATIENCE_S)
    wait_until(lambda: not is_alive(core))
    said = generator.stderr.read()  # ends when the core, which has inherited it, has ended too
    assert said.startswith("regstorm core: the generator")
    assert len(said.splitlines()) == 1


@pytest.mark.slow
def test_a_second_generator_is_refused_and_the_first_one_stays():
    with a_core() as (child, books):
        address = ("127.0.0.1", child.control_port)
        intruder = CoreLink(address, books.told, books.lost.append)
        with pytest.raises(CoreUnusable, match="another generator commands this core"):
            intruder.set_up(a_scenario(1), NO_CONTROL, 1, 0, 0)
        intruder.close()
        assert child.link.set_up(a_scenario(1), NO_CONTROL, 1, 0, 0)[0] == "127.0.0.1"


@pytest.mark.slow
def test_a_command_before_set_up_is_refused():
    with a_core() as (child, _):
        child.link.begin(time.time(), 1.0)
        with pytest.raises(CoreUnusable, match="set_up comes first"):
            child.link.set_up(a_scenario(1), NO_CONTROL, 1, 0, 0)


@pytest.mark.parametrize("option", ["--listen", "--control", "--sip-listen"])
def test_a_taken_port_is_one_line_and_exits_2(option, capsys):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        where = f"127.0.0.1:{taken.getsockname()[1]}"
        others = {"--listen": "127.0.0.1:0", "--control": "127.0.0.1:0"} | {option: where}
        words = [word for pair in others.items() for word in pair]
        assert main(["core", *words, "--set", "population.ims=true"]) == 2
    said = capsys.readouterr().err
    assert said == f"regstorm: {option} {where}: cannot listen there: Address already in use\n"


def test_an_sbc_without_ims_is_one_line_and_exits_2(capsys):
    without = ["--set", "population.ims=false"]
    assert main(["core", "--sip-listen", "127.0.0.1:0", *without]) == 2
    assert "has no IMS (--set population.ims=true)" in capsys.readouterr().err


def test_nobody_at_the_control_address_is_one_line():
    with socket.create_server(("127.0.0.1", 0)) as free:
        address = free.getsockname()[:2]
    with pytest.raises(CoreUnusable, match=f"no core answers at 127.0.0.1:{address[1]}"):
        CoreLink(address, lambda first, seconds: None, print)
