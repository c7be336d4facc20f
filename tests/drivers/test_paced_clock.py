"""The paced clock: scenario time is wall time times a speed. Fast speeds, so that nothing here takes long."""

import gevent
import pytest

from regstorm.drivers.association import CloseReason
from regstorm.drivers.lockstep import Ended
from regstorm.drivers.paced import PacedClock
from regstorm.drivers.tcp import TcpTransport


class HandWall:
    """Wall time that passes a little whenever somebody looks, and in leaps when told to."""

    def __init__(self, step_s=1e-5):
        self.now_s, self.step_s = 1000.0, step_s

    def __call__(self):
        self.now_s += self.step_s
        return self.now_s


@pytest.fixture
def clock():
    made = PacedClock(speed=1000.0)
    yield made
    made.close()


def test_actions_are_called_in_order_of_their_due_times_and_never_before_them(clock):
    told = []
    for due_s in (7.0, 3.0, 5.0, 3.0):
        clock.at(due_s, lambda now, due_s=due_s: told.append((due_s, now)))
    assert clock.run(until_s=10.0) is Ended.UNTIL
    assert [due_s for due_s, _ in told] == [3.0, 3.0, 5.0, 7.0]
    assert all(now >= due_s for due_s, now in told)
    assert clock.now >= 10.0


def test_a_cancelled_action_is_not_called(clock):
    told = []
    clock.at(2.0, told.append).cancel()
    clock.run(until_s=4.0)
    assert told == []
    assert clock.waiting == 0


def test_what_is_due_after_the_end_stays(clock):
    told = []
    clock.at(20.0, told.append)
    clock.run(until_s=5.0)
    assert told == []
    clock.run(until_s=25.0)
    assert len(told) == 1


def test_the_run_ends_when_its_condition_holds(clock):
    told = []
    clock.at(3.0, told.append)
    assert clock.run(until_s=1e9, finished=lambda: bool(told)) is Ended.FINISHED


def test_lateness_is_counted_from_the_due_time_of_each_event():
    wall = HandWall()
    clock = PacedClock(speed=10.0, wall=wall)

    def busy(now):
        wall.now_s += 0.05  # half a scenario second in one action

    clock.at(0.01, busy)
    clock.at(0.02, lambda now: None)
    clock.at(0.03, lambda now: None)
    clock.run(until_s=1.0, finished=lambda: clock.waiting == 0)
    assert clock.lateness.events == 3
    assert 0.48 < clock.lateness.max_s < 0.52
    assert clock.lateness.p99_s == pytest.approx(0.49, rel=0.15)


def test_whoever_schedules_into_the_past_because_it_is_behind_is_seen_to_be_late():
    wall = HandWall()
    clock = PacedClock(wall=wall)

    def arrival(now, due_s=0.0):
        wall.now_s += 0.02  # each takes longer than the gap to the next one
        if due_s < 0.1:
            clock.at(due_s + 0.01, lambda now, due_s=due_s + 0.01: arrival(now, due_s))

    clock.at(0.0, arrival)
    clock.run(until_s=1.0, finished=lambda: clock.waiting == 0)
    assert clock.lateness.max_s == pytest.approx(0.1, rel=0.2)  # ten arrivals, each 10 ms further behind


def test_a_time_of_day_in_the_future_holds_actions_back_until_then(clock):
    import time

    began_s = time.monotonic()
    told = []
    clock.begin(time.time() + 0.03)
    clock.at(0.0, told.append)
    clock.run(until_s=1e9, finished=lambda: bool(told))
    assert time.monotonic() - began_s >= 0.025


def test_other_greenlets_run_while_the_clock_is_overloaded(clock):
    turns = 0

    def onlooker():
        nonlocal turns
        while True:
            turns += 1
            gevent.sleep(0)

    def busy(now):
        clock.at(now, busy)  # there is always something to do at once

    watching = gevent.spawn(onlooker)
    clock.at(0.0, busy)
    clock.run(until_s=30.0)
    watching.kill()
    assert turns >= 3


def test_stop_ends_an_overloaded_run(clock):
    def busy(now):
        clock.at(now, busy)

    clock.at(0.0, busy)
    gevent.spawn_later(0.005, clock.stop)
    assert clock.run(until_s=1e9) is Ended.STOPPED


def test_stop_ends_a_resting_run(clock):
    gevent.spawn_later(0.005, clock.stop)
    assert clock.run(until_s=1e9) is Ended.STOPPED


def test_an_error_in_an_action_reaches_whoever_runs_the_clock(clock):
    def wrong(now):
        raise LookupError("a mistake")

    clock.at(1.0, wrong)
    with pytest.raises(LookupError):
        clock.run(until_s=5.0)


def echo(far):
    far.on_message = lambda data, stream, ppid, now: far.send(data, stream, ppid)


def test_requests_are_answered_in_order_however_many_and_long_they_are(clock):
    listener = clock.listen(TcpTransport(), echo)
    near = clock.connect(TcpTransport(), listener.address)
    heard, ends = [], []
    near.on_message = lambda data, stream, ppid, now: heard.append(data)
    near.on_closed = lambda reason, now: ends.append(reason)
    sent = [bytes([n % 256]) * (1 + 97 * n) for n in range(300)]  # 4 MB: more than the kernel takes at once
    near.outbox_limit = 64 * 1024 * 1024
    clock.at(1.0, lambda now: [near.send(data) for data in sent])
    clock.run(until_s=1e9, finished=lambda: len(heard) == len(sent))
    assert heard == sent
    near.shutdown()
    clock.run(until_s=1e9, finished=lambda: bool(ends))
    assert ends == [CloseReason.SHUTDOWN]
    listener.close()


def test_a_refused_connection_is_told_as_such(clock):
    listener = TcpTransport().listen(echo)
    listener.close()
    near = clock.connect(TcpTransport(), listener.address)
    ends = []
    near.on_closed = lambda reason, now: ends.append(reason)
    clock.run(until_s=1e9, finished=lambda: bool(ends))
    assert ends == [CloseReason.REFUSED]


def test_a_descriptor_that_is_used_again_belongs_to_the_new_association_only(clock):
    listener = clock.listen(TcpTransport(), echo)
    heard = []

    def call(number):
        near = clock.connect(TcpTransport(), listener.address)

        def answered(data, stream, ppid, now):
            heard.append(data)
            near.abort()
            if number < 50:
                call(number + 1)  # very likely on the descriptor that has just been closed

        near.on_message = answered
        near.send(b"%d" % number)

    call(1)
    clock.run(until_s=60_000, finished=lambda: len(heard) == 50)
    assert heard == [b"%d" % number for number in range(1, 51)]
    listener.close()


def test_many_ends_get_their_turn_each(clock):
    talkative = []

    def accepted(far):
        far.on_message = lambda data, stream, ppid, now: talkative.append(data)

    listener = clock.listen(TcpTransport(), accepted)
    ends = [clock.connect(TcpTransport(), listener.address) for _ in range(8)]
    for number, end in enumerate(ends):
        for _ in range(200):
            end.send(bytes([number]))
    clock.run(until_s=1e9, finished=lambda: len(talkative) == 1600)
    first_of_each = [talkative.index(bytes([number])) for number in range(8)]
    assert max(first_of_each) < 600  # nobody has to wait until another one has said everything
    listener.close()


def test_an_end_without_a_descriptor_is_refused_at_once(clock):
    from regstorm.drivers.memory import MemoryTransport

    transport = MemoryTransport()
    transport.listen(echo, ("memory", 1))
    with pytest.raises(TypeError, match="needs real sockets"):
        clock.connect(transport, ("memory", 1))
