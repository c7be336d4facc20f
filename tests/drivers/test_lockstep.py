"""The lockstep clock: nothing is late, and the same seed gives the same record."""

import random
import socket
from collections.abc import Callable

import pytest

from regstorm.drivers import lockstep
from regstorm.drivers.association import CloseReason
from regstorm.drivers.framed import HEADER, FramedAssociation, FramedTransport
from regstorm.drivers.lockstep import Ended, LockstepClock, NeverEnding, OctetsMissing
from regstorm.drivers.memory import MemoryTransport
from regstorm.drivers.tcp import TcpAssociation, TcpTransport


class Network:
    """A clock, a listener, and a record of everything that any end hears."""

    def __init__(self, transport: FramedTransport, clock: LockstepClock | None = None) -> None:
        self.clock = clock or LockstepClock()
        self.transport = transport
        self.record: list[tuple[object, ...]] = []
        self.fars: list[FramedAssociation] = []
        self.nears: list[FramedAssociation] = []
        self.answer: Callable[[FramedAssociation, bytes, float], None] = lambda end, data, now: None
        self.listener = transport.listen(self._accepted)

    def connect(self) -> FramedAssociation:
        near = self.clock.connect(self.transport, self.listener)
        self.nears.append(near)
        self._record(f"near {len(self.nears)}", near)
        return near

    def _accepted(self, far: FramedAssociation) -> None:
        self.fars.append(far)
        self._record(f"far {len(self.fars)}", far)

    def _record(self, name: str, end: FramedAssociation) -> None:
        def on_message(data: bytes, stream: int, ppid: int, now: float) -> None:
            self.record.append((now, name, data, stream, ppid))
            self.answer(end, data, now)

        end.on_message = on_message
        end.on_closed = lambda reason, now: self.record.append((now, name, str(reason)))

    def close(self) -> None:
        for end in self.nears + self.fars:
            end.cut()
        self.listener.close()


@pytest.fixture(params=[TcpTransport, MemoryTransport], ids=["tcp", "memory"])
def network(request: pytest.FixtureRequest):
    network = Network(request.param())
    yield network
    network.close()


# ---- time


def test_time_jumps_from_one_due_time_to_the_next():
    clock, seen = LockstepClock(), []
    for due_s in (3600.0, 0.25, 10.0):
        clock.at(due_s, seen.append)
    assert clock.run(until_s=1e9) is Ended.IDLE
    assert seen == [0.25, 10.0, 3600.0]
    assert clock.now == 3600.0
    assert (clock.actions, clock.instants) == (3, 3)


def test_a_run_ends_after_the_instant_until_s_and_can_go_on():
    clock, seen = LockstepClock(), []
    for due_s in (1.0, 2.0, 3.0):
        clock.at(due_s, seen.append)
    assert clock.run(until_s=2.0) is Ended.UNTIL
    assert seen == [1.0, 2.0]
    assert clock.run(until_s=2.5) is Ended.UNTIL
    assert clock.now == 2.5
    assert clock.run(until_s=9.0) is Ended.IDLE
    assert seen == [1.0, 2.0, 3.0]


def test_a_run_ends_as_soon_as_the_caller_has_seen_enough():
    clock, seen = LockstepClock(), []
    for due_s in (1.0, 2.0, 3.0):
        clock.at(due_s, seen.append)
    assert clock.run(until_s=9.0, finished=lambda: len(seen) == 2) is Ended.FINISHED
    assert clock.now == 2.0


def test_stop_is_honoured_between_instants(network):
    near = network.connect()
    clock = network.clock
    clock.at(1.0, lambda now: (clock.stop(), near.send(b"still delivered")))
    clock.at(1.0, lambda now: near.send(b"this too"))
    clock.at(2.0, lambda now: near.send(b"not in this run"))
    assert clock.run(until_s=9.0) is Ended.STOPPED
    assert [entry[2] for entry in network.record] == [b"still delivered", b"this too"]
    assert clock.now == 1.0
    assert clock.run(until_s=9.0) is Ended.IDLE
    assert network.record[-1][:3] == (2.0, "far 1", b"not in this run")


def test_progress_is_reported_by_wall_time(monkeypatch):
    wall_s = iter(n * 0.05 for n in range(1, 1000))
    monkeypatch.setattr(lockstep.time, "monotonic", lambda: next(wall_s))
    seen: list[float] = []
    clock = LockstepClock(progress=seen.append)
    for n in range(12):
        clock.at(float(n), lambda now: None)
    clock.run(until_s=99)
    assert seen == [1.0, 5.0, 9.0]


def test_an_exception_of_a_handler_ends_the_run(network):
    def fail(end: FramedAssociation, data: bytes, now: float) -> None:
        raise KeyError("a mistake")

    network.answer = fail
    network.connect().send(b"x")
    with pytest.raises(KeyError, match="a mistake"):
        network.clock.run(until_s=1.0)


# ---- octets


def test_what_an_action_sends_arrives_in_the_same_instant(network):
    near = network.connect()
    network.clock.at(1.5, lambda now: near.send(b"hello", stream=2))
    network.clock.at(1.6, lambda now: network.record.append((now, "next instant")))
    network.clock.run(until_s=9.0)
    assert network.record == [(1.5, "far 1", b"hello", 2, 60), (1.6, "next instant")]


def test_what_was_sent_before_the_run_arrives_at_its_beginning(network):
    network.connect().send(b"early")
    assert network.clock.run(until_s=9.0) is Ended.IDLE
    assert network.record == [(0.0, "far 1", b"early", 0, 60)]


def test_an_answer_to_an_answer_takes_no_time(network):
    def count_down(end: FramedAssociation, data: bytes, now: float) -> None:
        if data[0]:
            end.send(bytes([data[0] - 1]))

    network.answer = count_down
    near = network.connect()
    network.clock.at(1.0, lambda now: near.send(bytes([4])))
    network.clock.run(until_s=9.0)
    assert [(entry[0], entry[1], entry[2][0]) for entry in network.record] == [
        (1.0, "far 1", 4),
        (1.0, "near 1", 3),
        (1.0, "far 1", 2),
        (1.0, "near 1", 1),
        (1.0, "far 1", 0),
    ]


def test_a_message_that_schedules_for_now_is_served_before_time_moves_on(network):
    near = network.connect()
    clock, record = network.clock, network.record
    network.answer = lambda end, data, now: clock.at(now, lambda now: record.append((now, "scheduled")))
    clock.at(1.0, lambda now: near.send(b"x"))
    clock.at(1.0 + 1e-9, lambda now: record.append((now, "a moment later")))
    clock.run(until_s=9.0)
    assert [entry[:2] for entry in record] == [
        (1.0, "far 1"),
        (1.0, "scheduled"),
        (1.0 + 1e-9, "a moment later"),
    ]


def test_ends_are_served_in_order_of_creation_whoever_sent_first(network):
    nears = [network.connect() for _ in range(4)]

    def action(now: float) -> None:
        for n in (2, 0, 3, 1, 2):
            nears[n].send(bytes([n]))

    network.clock.at(1.0, action)
    network.clock.run(until_s=9.0)
    assert [entry[2][0] for entry in network.record] == [0, 1, 2, 2, 3]


def test_ten_megabytes_in_one_instant_arrive_in_it(network):
    near = network.connect()
    near.outbox_limit = 64 * 1024 * 1024
    network.clock.at(1.0, lambda now: [near.send(bytes([n]) * 60_000) for n in range(170)])
    network.clock.run(until_s=9.0)
    assert [(entry[0], entry[2][0], len(entry[2])) for entry in network.record] == [
        (1.0, n, 60_000) for n in range(170)
    ]


def test_an_idle_association_is_never_touched(network, monkeypatch):
    nears = [network.connect() for _ in range(20)]
    idle = [end for end in network.nears + network.fars if end not in (nears[7], network.fars[7])]
    for end in idle:
        for verb in ("flush", "receive", "dispatch"):
            monkeypatch.setattr(end, verb, lambda *_: pytest.fail("an idle end was served"))
    for n in range(50):
        network.clock.at(float(n), lambda now: nears[7].send(b"x"))
    network.clock.run(until_s=99)
    assert len(network.record) == 50


def test_octets_that_never_arrive_fail_the_run_and_say_whose(monkeypatch):
    network = Network(TcpTransport(), LockstepClock(patience_s=0.02))
    near = network.connect()
    monkeypatch.setattr(network.fars[0], "_read", lambda: None)
    near.send(bytes(92))
    with pytest.raises(OctetsMissing, match=r"end 2: 0 of 100 octets arrived"):
        network.clock.run(until_s=1.0)
    network.close()


@pytest.mark.parametrize("loop", ["actions", "messages"])
def test_a_loop_that_takes_no_time_is_a_mistake_that_ends_the_run(loop):
    network = Network(MemoryTransport(), LockstepClock(instant_limit=200))
    near = network.connect()
    if loop == "messages":
        network.answer = lambda end, data, now: end.send(data)
        near.send(b"ping")
    else:

        def again(now: float) -> None:
            network.clock.at(now, again)

        network.clock.at(1.0, again)
    with pytest.raises(NeverEnding, match="200 times"):
        network.clock.run(until_s=9.0)


# ---- associations come and go


def test_a_cut_is_heard_at_both_ends_in_the_same_instant_and_loses_what_was_not_yet_sent(network):
    near = network.connect()

    def action(now: float) -> None:
        near.send(b"lost")
        network.fars[0].send(b"lost too")
        near.cut()

    network.clock.at(1.0, action)
    network.clock.run(until_s=9.0)
    assert sorted(network.record) == [(1.0, "far 1", "lost"), (1.0, "near 1", "lost")]


@pytest.mark.parametrize("how", ["abort", "shutdown"])
@pytest.mark.parametrize("by_far", [False, True])
def test_every_ending_is_heard_at_both_ends_in_the_same_instant(network, how, by_far):
    near = network.connect()
    network.clock.at(1.0, lambda now: getattr(network.fars[0] if by_far else near, how)())
    network.clock.run(until_s=9.0)
    assert sorted(network.record) == [(1.0, "far 1", how), (1.0, "near 1", how)]


def test_a_base_station_connects_again_when_it_hears_of_a_loss(network):
    near = network.connect()

    def connect_again(reason: CloseReason, now: float) -> None:
        network.connect().send(f"after {reason}".encode())

    near.on_closed = connect_again
    network.clock.at(1.0, lambda now: near.cut())
    network.clock.run(until_s=9.0)
    assert network.record == [(1.0, "far 1", "lost"), (1.0, "far 2", b"after lost", 0, 60)]


def test_a_connection_to_a_closed_listener_is_refused_in_the_same_instant(network):
    network.clock.at(1.0, lambda now: (network.listener.close(), network.connect().send(b"hello?")))
    network.clock.run(until_s=9.0)
    assert network.record == [(1.0, "near 1", "refused")]


def test_an_association_that_is_over_is_forgotten(network):
    near = network.connect()
    assert network.clock.peer(near) is network.fars[0]
    near.abort()
    network.clock.run(until_s=1.0)
    assert network.clock.peer(near) is None


def test_a_stranger_at_the_listener_is_turned_away_and_disturbs_nobody():
    network = Network(TcpTransport())
    stranger = socket.create_connection(network.listener.address)
    near = network.connect()
    network.clock.at(1.0, lambda now: near.send(b"mine"))
    network.clock.run(until_s=9.0)
    assert network.record == [(1.0, "far 1", b"mine", 0, 60)]
    with pytest.raises(ConnectionResetError):
        stranger.recv(1)
    stranger.close()
    network.close()


# ---- the same record


class DawdlingAssociation(TcpAssociation):
    """TCP through a kernel that takes little at a time, splits where it likes, and delivers when it likes."""

    mood = random.Random(99)

    def _write(self, octets: memoryview | bytes) -> int:
        if len(octets) == HEADER.size:  # a last word goes whole or not at all: test_association_conformance.py
            return super()._write(octets)
        return super()._write(octets[: self.mood.choice((0, 1, 7, 60, 4000))])

    def _read(self) -> bytes | None:
        if self._socket is None or self.mood.random() < 0.4:
            return None
        try:
            return self._socket.recv(self.mood.choice((1, 8, 9, 1000)))
        except BlockingIOError:
            return None
        except OSError as error:
            raise self._broken(error) from error


class DawdlingTransport(TcpTransport):
    def listen(self, on_association, address=None):
        listener = super().listen(on_association, address)
        accept = listener.accept
        listener.accept = lambda: self._dawdling(accept())
        return listener

    def connect(self, address):
        return self._dawdling(super().connect(address))

    @staticmethod
    def _dawdling(end):
        if end is not None:
            end.__class__ = DawdlingAssociation
        return end


def random_storm(transport: FramedTransport, seed: int) -> list[tuple[object, ...]]:
    """Ten base stations that talk, answer, schedule, cut, abort, shut down and return, at random but seeded."""
    rng = random.Random(seed)
    network = Network(transport)
    clock = network.clock

    def answer(end: FramedAssociation, data: bytes, now: float) -> None:
        if rng.random() < 0.6:
            end.send(rng.randbytes(rng.randrange(1, 200)), stream=rng.randrange(4))
        if rng.random() < 0.05:
            clock.at(now + rng.choice((0.0, 0.5)), lambda now: end.send(b"later"))
        if rng.random() < 0.02:
            rng.choice((end.abort, end.shutdown, end.cut))()

    def talk(n: int) -> Callable[[float], None]:
        def action(now: float) -> None:
            if network.nears[n].reason is not None:
                network.nears[n] = clock.connect(network.transport, network.listener)
                network._record(f"near {n} of {now}", network.nears[n])
            for _ in range(rng.randrange(4)):
                network.nears[n].send(rng.randbytes(rng.randrange(1, 500)), stream=n)
            clock.at(now + rng.choice((0.1, 0.25, 1.0)), action)

        return action

    network.answer = answer
    for n in range(10):
        network.connect()
        clock.at(0.1 * n, talk(n))
    clock.run(until_s=8.0)
    network.close()
    return network.record


def test_the_same_seed_gives_the_same_record_over_tcp():
    first = random_storm(TcpTransport(), seed=3)
    assert len(first) > 500
    assert {"lost", "abort", "shutdown"} <= {entry[2] for entry in first}
    assert random_storm(TcpTransport(), seed=3) == first
    assert random_storm(TcpTransport(), seed=4) != first


def test_the_record_does_not_depend_on_the_transport():
    assert random_storm(TcpTransport(), seed=5) == random_storm(MemoryTransport(), seed=5)


def test_the_record_does_not_depend_on_when_the_kernel_delivers():
    assert random_storm(DawdlingTransport(), seed=6) == random_storm(MemoryTransport(), seed=6)
