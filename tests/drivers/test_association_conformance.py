"""What every transport promises (regstorm/drivers/association.py); the same tests run over each."""

import random
from collections.abc import Callable, Iterator

import pytest
from association_rig import NOW, TRANSPORTS, Ear, Wiring, broken_off, hear_the_end, top_stream

from regstorm.drivers.association import MESSAGE_LIMIT, CloseReason, NoHandler, Transport


@pytest.fixture(params=TRANSPORTS)
def transport(request: pytest.FixtureRequest) -> Callable[..., Transport]:
    return TRANSPORTS[request.param]


@pytest.fixture
def wiring(transport: Callable[..., Transport]) -> Iterator[Wiring]:
    wiring = Wiring(transport())
    yield wiring
    for near, far in wiring.pairs:
        near.cut()
        far.cut()
    wiring.listener.close()


# ---- messages


@pytest.mark.parametrize("size", [1, 7, 8, 9, 1452, 4096, 60_000, MESSAGE_LIMIT])
def test_a_message_arrives_whole_with_its_stream_and_ppid(wiring, size):
    near, far = wiring.pair()
    data = random.Random(size).randbytes(size)
    near.end.send(data, stream=3, ppid=18)
    last = top_stream(far.end)
    far.end.send(data, stream=last, ppid=60)
    wiring.settle()
    assert far.messages == [(data, 3, 18)]
    assert near.messages == [(data, last, 60)]


def test_messages_arrive_in_the_order_in_which_they_were_sent(wiring):
    near, far = wiring.pair()
    rng = random.Random(1)
    sent = [(rng.randbytes(rng.choice((1, 40, 300, 9_000))), rng.randrange(16), 60) for _ in range(300)]
    for data, stream, ppid in sent:
        near.end.send(data, stream, ppid)
        if rng.random() < 0.1:
            wiring.settle()
    wiring.settle()
    assert far.messages == sent


def test_both_sides_count_what_they_sent_and_heard(wiring):
    near, far = wiring.pair()
    for size in (10, 20, 30):
        near.end.send(bytes(size))
    assert near.end.queued_octets >= 60
    wiring.settle()
    assert near.end.queued_octets == 0
    assert (near.end.counters.sent, near.end.counters.sent_octets) == (3, 60)
    assert (far.end.counters.received, far.end.counters.received_octets) == (3, 60)


def test_sending_and_receiving_call_nobody_back_before_dispatch(wiring):
    near, far = wiring.pair()
    near.end.send(b"early")
    near.end.flush()
    while not far.end.receive():
        far.end.wait_readable(1)
    assert far.messages == []
    far.end.dispatch(NOW)
    assert far.messages == [(b"early", 0, 60)]


def test_an_end_wakes_its_clock_once_until_it_is_attended(wiring):
    near, _ = wiring.pair()
    calls = []
    near.end.woken = lambda: calls.append("woken")
    near.end.send(b"one")
    near.end.send(b"two")
    assert calls == ["woken"]
    near.end.attended()
    near.end.flush()
    near.end.send(b"three")
    assert calls == ["woken", "woken"]


@pytest.mark.parametrize("data", [b"", bytes(MESSAGE_LIMIT + 1)], ids=["empty", "too long"])
def test_a_message_that_no_frame_can_hold_is_a_mistake_of_the_program(wiring, data):
    near, _ = wiring.pair()
    with pytest.raises(ValueError, match="octets"):
        near.end.send(data)


def test_a_stream_or_ppid_beyond_16_bits_is_a_mistake_of_the_program(wiring):
    near, _ = wiring.pair()
    with pytest.raises(ValueError, match="16 bits"):
        near.end.send(b"x", stream=65536)
    with pytest.raises(ValueError, match="16 bits"):
        near.end.send(b"x", ppid=-1)


def test_a_message_without_a_handler_is_a_mistake_of_the_program(wiring):
    near, _ = wiring.connect()
    near.send(b"anybody?")
    with pytest.raises(NoHandler):
        wiring.settle()


def test_a_hundred_associations_keep_to_themselves(wiring):
    pairs = [wiring.pair() for _ in range(100)]
    for n, (near, far) in enumerate(pairs):
        for k in range(5):
            near.end.send(f"up {n} {k}".encode(), stream=n % 16)
            far.end.send(f"down {n} {k}".encode(), stream=n % 16)
    wiring.settle()
    for n, (near, far) in enumerate(pairs):
        assert far.messages == [(f"up {n} {k}".encode(), n % 16, 60) for k in range(5)]
        assert near.messages == [(f"down {n} {k}".encode(), n % 16, 60) for k in range(5)]


# ---- back-pressure


def test_what_a_reader_leaves_lying_waits_in_the_outbox_and_arrives_later(wiring):
    near, far = wiring.pair()
    near.end.outbox_limit = 64 * 1024 * 1024
    total, data = 0, bytes(60_000)
    while near.end.flush():  # the reader does not read: some time the wire is full
        near.end.send(data, stream=total % 7)
        total += 1
        assert total < 1000
    assert near.end.queued_octets > 0
    near.end.send(b"last")
    wiring.settle()
    assert near.end.queued_octets == 0
    assert [len(message[0]) for message in far.messages] == [60_000] * total + [4]


def test_an_outbox_that_would_outgrow_its_bound_ends_the_association(transport):
    wiring = Wiring(transport(outbox_limit=1000))
    near, far = wiring.pair()
    queued = 0
    while near.end.reason is None:
        queued = near.end.queued_octets
        near.end.send(bytes(120))
    assert 800 < queued <= 1000
    assert near.end.reason is CloseReason.OVERFLOW
    assert near.ends == []  # send never calls back
    assert near.end.queued_octets == 0
    assert near.end.counters.discarded_octets == queued
    near.end.send(b"more")
    wiring.settle()
    wiring.listener.close()
    assert near.end.counters.sends_after_close == 1
    assert near.ends == [CloseReason.OVERFLOW]
    assert far.ends == [CloseReason.ABORT]
    assert far.messages == []


# ---- endings


def test_shutdown_delivers_what_was_sent_and_then_ends_both_sides(wiring):
    near, far = wiring.pair()
    for n in range(50):
        near.end.send(bytes([n]) * 30_000)
    near.end.shutdown()
    near.end.send(b"too late")
    wiring.settle()
    assert [message[0][0] for message in far.messages] == list(range(50))
    assert near.end.counters.sends_after_close == 1
    assert far.ends == near.ends == [CloseReason.SHUTDOWN]
    assert near.end.ended_here
    assert not far.end.ended_here


def test_the_side_that_is_asked_may_ask_as_well_before_it_hears(wiring):
    near, far = wiring.pair()
    far.end.on_message = lambda data, stream, ppid, now: far.end.shutdown()
    near.end.send(b"go away")
    near.end.shutdown()
    wiring.settle()
    assert far.ends == near.ends == [CloseReason.SHUTDOWN]


def test_abort_loses_what_is_queued_and_tells_the_peer(wiring):
    near, far = wiring.pair()
    near.end.send(b"arrives")
    wiring.settle()
    near.end.send(b"is lost")
    far.end.send(b"is not heard")
    near.end.abort()
    assert near.ends == []  # abort never calls back
    wiring.settle()
    assert far.messages == [(b"arrives", 0, 60)]
    assert near.messages == []
    assert near.ends == far.ends == [CloseReason.ABORT]
    assert near.end.ended_here
    assert not far.end.ended_here


def test_abort_from_a_handler_silences_the_messages_behind_it(wiring):
    near, far = wiring.pair()

    def hang_up(data: bytes, stream: int, ppid: int, now: float) -> None:
        far.messages.append((data, stream, ppid))
        far.end.abort()

    far.end.on_message = hang_up
    near.end.send(b"first")
    near.end.send(b"second")
    wiring.settle()
    assert far.messages == [(b"first", 0, 60)]
    assert near.ends == far.ends == [CloseReason.ABORT]


def test_a_message_that_arrived_before_the_abort_is_told_before_it(wiring):
    near, far = wiring.pair()
    near.end.send(b"on the wire")
    near.end.flush()
    near.end.abort()
    wiring.settle()
    assert far.messages == [(b"on the wire", 0, 60)]
    assert far.ends == [CloseReason.ABORT]


def test_a_cut_is_a_loss_here_and_there_what_the_wire_can_say(wiring):
    near, far = wiring.pair()
    near.end.send(b"never arrives")
    near.end.cut()
    wiring.settle()
    assert far.messages == []
    assert near.ends == [CloseReason.LOST]
    assert far.ends == [broken_off(far.end)]


def test_a_connection_to_where_nobody_listens_is_refused(wiring):
    wiring.listener.close()
    end = wiring.transport.connect(wiring.listener.address)
    ear = Ear(end)
    end.send(b"hello?")
    hear_the_end(ear)
    assert ear.ends == [CloseReason.REFUSED]
    assert end.counters.sends_after_close + end.counters.sent == 1


def test_an_association_that_nobody_accepted_is_broken_off_when_its_listener_closes(wiring):
    end = wiring.transport.connect(wiring.listener.address)
    ear = Ear(end)
    wiring.listener.close()
    hear_the_end(ear)
    assert ear.ends == [broken_off(end)]


def test_closing_the_listener_leaves_standing_associations_alone(wiring):
    near, far = wiring.pair()
    wiring.listener.close()
    near.end.send(b"still here")
    wiring.settle()
    assert far.messages == [(b"still here", 0, 60)]


@pytest.mark.parametrize("how", ["shutdown", "abort", "cut"])
def test_the_end_is_told_once_however_often_it_is_asked_for(wiring, how):
    near, far = wiring.pair()
    for _ in range(3):
        getattr(near.end, how)()
    wiring.settle()
    for _ in range(2):
        near.end.abort()
        far.end.shutdown()
        far.end.cut()
        wiring.settle()
    assert len(near.ends) == len(far.ends) == 1


def test_an_abort_of_an_end_that_was_broken_off_unheard_hears_why_and_no_message(wiring):
    near, far = wiring.pair()
    near.end.send(b"unheard")
    near.end.flush()
    near.end.cut()
    while far.end.reason is None:
        far.end.wait_readable(1)
        far.end.receive()
    far.end.abort()
    far.end.dispatch(NOW)
    assert far.messages == []
    assert far.ends == [broken_off(far.end)]
