"""What every transport promises (regstorm/drivers/association.py); the same tests run over each."""

import random
import socket
import struct
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

import pytest

from regstorm.drivers.association import MESSAGE_LIMIT, CloseReason, NoHandler
from regstorm.drivers.framed import HEADER, FramedAssociation, FramedTransport
from regstorm.drivers.memory import MemoryTransport
from regstorm.drivers.tcp import TcpAssociation, TcpTransport

NOW = 12.5
TRANSPORTS: dict[str, Callable[..., FramedTransport]] = {"tcp": TcpTransport, "memory": MemoryTransport}


@dataclass
class Ear:
    """Notes what one end hears."""

    end: FramedAssociation
    messages: list[tuple[bytes, int, int]] = field(default_factory=list)
    ends: list[CloseReason] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.end.on_message = self._message
        self.end.on_closed = self._closed

    def _message(self, data: bytes, stream: int, ppid: int, now: float) -> None:
        assert now == NOW
        assert not self.ends, "a message after the end"
        self.messages.append((data, stream, ppid))

    def _closed(self, reason: CloseReason, now: float) -> None:
        assert now == NOW
        self.ends.append(reason)


class Wiring:
    """A transport with a listener, and a hand that pumps what the tests want pumped."""

    def __init__(self, transport: FramedTransport) -> None:
        self.transport = transport
        self.listener = transport.listen(lambda association: None)
        self.pairs: list[tuple[FramedAssociation, FramedAssociation]] = []

    def connect(self) -> tuple[FramedAssociation, FramedAssociation]:
        near = self.transport.connect(self.listener.address)
        while (far := self.listener.accept()) is None:
            assert not near.wait_readable(0.001), "refused"
        self.pairs.append((near, far))
        return near, far

    def pair(self) -> tuple[Ear, Ear]:
        near, far = self.connect()
        return Ear(near), Ear(far)

    def settle(self) -> None:
        """Pumps until everything sent has been heard, and every end that one side knows of is known to both."""
        for near, far in self.pairs:
            busy = True
            while busy:
                before = near.wire_received + far.wire_received
                for end in (near, far):
                    end.flush()
                    end.receive()
                    end.dispatch(NOW)
                busy = under_way(near, far) or under_way(far, near)
                if busy and before == near.wire_received + far.wire_received:
                    (far if under_way(near, far) else near).wait_readable(0.001)


def under_way(end: FramedAssociation, peer: FramedAssociation) -> bool:
    if peer.reason is not None:
        return False
    return end.reason is not None or end.queued_octets > 0 or peer.wire_received != end.wire_sent


def put(end: FramedAssociation, octets: bytes) -> None:
    """Puts octets on the wire past the framing."""
    assert end._write(octets) == len(octets)
    end.wire_sent += len(octets)


def hear_the_end(ear: Ear) -> None:
    while ear.end.reason is None:
        assert ear.end.wait_readable(5)
        ear.end.flush()
        ear.end.receive()
    ear.end.dispatch(NOW)


@pytest.fixture(params=TRANSPORTS)
def transport(request: pytest.FixtureRequest) -> Callable[..., FramedTransport]:
    return TRANSPORTS[request.param]


@pytest.fixture
def wiring(transport: Callable[..., FramedTransport]) -> Iterator[Wiring]:
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
    far.end.send(data, stream=65535, ppid=60)
    wiring.settle()
    assert far.messages == [(data, 3, 18)]
    assert near.messages == [(data, 65535, 60)]


def test_messages_arrive_in_the_order_in_which_they_were_sent(wiring):
    near, far = wiring.pair()
    rng = random.Random(1)
    sent = [(rng.randbytes(rng.choice((1, 40, 300, 60_000))), rng.randrange(16), 60) for _ in range(300)]
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
    assert near.end.queued_octets == 60 + 3 * HEADER.size
    wiring.settle()
    assert near.end.queued_octets == 0
    assert (near.end.counters.sent, near.end.counters.sent_octets) == (3, 60)
    assert (far.end.counters.received, far.end.counters.received_octets) == (3, 60)
    assert far.end.wire_received == near.end.wire_sent == 60 + 3 * HEADER.size


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
            near.end.send(f"up {n} {k}".encode(), stream=n)
            far.end.send(f"down {n} {k}".encode(), stream=n)
    wiring.settle()
    for n, (near, far) in enumerate(pairs):
        assert far.messages == [(f"up {n} {k}".encode(), n, 60) for k in range(5)]
        assert near.messages == [(f"down {n} {k}".encode(), n, 60) for k in range(5)]


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
    for _ in range(9):
        near.end.send(bytes(100))
    assert near.end.reason is None
    near.end.send(bytes(100))
    assert near.end.reason is CloseReason.OVERFLOW
    assert near.ends == []  # send never calls back
    assert near.end.queued_octets == 0
    assert near.end.counters.discarded_octets == 9 * 108
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


def test_an_answer_to_a_message_before_the_shutdown_still_arrives(wiring):
    near, far = wiring.pair()
    far.end.on_message = lambda data, stream, ppid, now: far.end.send(b"answer to " + data)
    near.end.send(b"question")
    near.end.shutdown()
    wiring.settle()
    assert near.messages == [(b"answer to question", 0, 60)]
    assert far.ends == near.ends == [CloseReason.SHUTDOWN]


def test_both_sides_may_shut_down_at_the_same_time(wiring):
    near, far = wiring.pair()
    near.end.send(b"up")
    near.end.shutdown()
    far.end.send(b"down")
    far.end.shutdown()
    wiring.settle()
    assert far.messages == [(b"up", 0, 60)]
    assert near.messages == [(b"down", 0, 60)]
    assert far.ends == near.ends == [CloseReason.SHUTDOWN]


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


def test_abort_in_the_middle_of_a_message_is_a_loss_for_the_peer(wiring):
    near, far = wiring.pair()
    near.end.outbox_limit = 64 * 1024 * 1024
    for _ in range(400):
        near.end.send(bytes(60_000))
    near.end.flush()
    taken = near.end.wire_sent
    assert taken % 60_008, "the wire happened to fill up between two messages: choose another size"
    near.end.abort()
    wiring.settle()
    assert near.ends == [CloseReason.ABORT]
    assert far.ends == [CloseReason.LOST]
    assert len(far.messages) <= taken // 60_008


def test_half_a_message_is_never_completed_by_the_word_of_the_abort(wiring, monkeypatch):
    near, far = wiring.pair()
    write = near.end._write
    monkeypatch.setattr(near.end, "_write", lambda octets: write(octets[:9]) if len(octets) > 9 else 0)
    near.end.send(b"four")
    near.end.flush()  # takes nine of twelve octets, then no more
    monkeypatch.setattr(near.end, "_write", write)
    near.end.abort()
    wiring.settle()
    assert far.messages == []
    assert far.ends == [CloseReason.LOST]


def test_a_message_that_arrived_before_the_abort_is_told_before_it(wiring):
    near, far = wiring.pair()
    near.end.send(b"on the wire")
    near.end.flush()
    near.end.abort()
    wiring.settle()
    assert far.messages == [(b"on the wire", 0, 60)]
    assert far.ends == [CloseReason.ABORT]


def test_a_cut_is_a_loss_for_both_sides(wiring):
    near, far = wiring.pair()
    near.end.send(b"never arrives")
    near.end.cut()
    wiring.settle()
    assert far.messages == []
    assert near.ends == far.ends == [CloseReason.LOST]


def test_a_connection_to_where_nobody_listens_is_refused(wiring):
    wiring.listener.close()
    end = wiring.transport.connect(wiring.listener.address)
    ear = Ear(end)
    end.send(b"hello?")
    hear_the_end(ear)
    assert ear.ends == [CloseReason.REFUSED]
    assert end.counters.sends_after_close + end.counters.sent == 1


def test_an_association_that_nobody_accepted_is_lost_when_its_listener_closes(wiring):
    end = wiring.transport.connect(wiring.listener.address)
    ear = Ear(end)
    wiring.listener.close()
    hear_the_end(ear)
    assert ear.ends == [CloseReason.LOST]


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


def test_an_abort_of_an_end_that_was_lost_unheard_hears_the_loss_and_no_message(wiring):
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
    assert far.ends == [CloseReason.LOST]


# ---- a peer that does not keep to the framing


@pytest.mark.parametrize(
    "octets",
    [
        HEADER.pack(MESSAGE_LIMIT + 1, 0, 60) + b"x",
        HEADER.pack(0xFFFFFFFF, 0, 60),
        HEADER.pack(0, 0, 60),
        HEADER.pack(0, 0, 2),
        b"GET / HTTP/1.1\r\nHost: core\r\n\r\n",
    ],
    ids=["too long", "far too long", "unknown word", "acknowledges a shutdown nobody asked for", "HTTP"],
)
def test_what_is_no_frame_ends_the_association_after_the_messages_before_it(wiring, octets):
    near, far = wiring.pair()
    put(near.end, HEADER.pack(3, 1, 60) + b"yes" + octets)
    wiring.settle()
    assert far.messages == [(b"yes", 1, 60)]
    assert far.ends == [CloseReason.PROTOCOL]
    assert near.ends == [CloseReason.ABORT]


def test_frames_may_arrive_octet_by_octet(wiring):
    near, far = wiring.pair()
    for octet in HEADER.pack(2, 1, 60) + b"ab" + HEADER.pack(1, 2, 60) + b"c":
        put(near.end, bytes([octet]))
        wiring.settle()
    assert far.messages == [(b"ab", 1, 60), (b"c", 2, 60)]


def test_random_octets_never_raise(wiring):
    rng = random.Random(7)
    for _ in range(100):
        near, far = wiring.pair()
        put(near.end, rng.choice((b"", HEADER.pack(0, 0, 1))) + rng.randbytes(rng.randrange(1, 200)))
        near.end.cut()
        wiring.settle()
        assert len(far.ends) == 1


# ---- what only a socket can do


@pytest.fixture
def raw_peer() -> Iterator[tuple[socket.socket, Ear]]:
    listener = TcpTransport().listen(lambda association: None)
    peer = socket.create_connection(listener.address)
    end = listener.accept()
    assert isinstance(end, TcpAssociation)
    yield peer, Ear(end)
    end.cut()
    peer.close()
    listener.close()


def test_tcp_a_peer_whose_process_dies_is_lost_after_its_last_message(raw_peer):
    peer, ear = raw_peer
    peer.sendall(HEADER.pack(4, 0, 60) + b"last" + HEADER.pack(4, 0, 60) + b"ha")
    peer.close()
    hear_the_end(ear)
    assert ear.messages == [(b"last", 0, 60)]
    assert ear.ends == [CloseReason.LOST]


def test_tcp_a_reset_without_a_word_is_a_loss(raw_peer):
    peer, ear = raw_peer
    peer.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    peer.close()
    hear_the_end(ear)
    assert ear.ends == [CloseReason.LOST]


def test_tcp_a_half_closed_peer_is_lost(raw_peer):
    peer, ear = raw_peer
    peer.shutdown(socket.SHUT_WR)
    hear_the_end(ear)
    assert ear.ends == [CloseReason.LOST]
    assert peer.recv(10) == b""


def test_tcp_a_write_to_a_peer_that_is_gone_hears_its_last_words_first(raw_peer):
    peer, ear = raw_peer
    peer.sendall(HEADER.pack(3, 0, 60) + b"bye" + HEADER.pack(0, 0, 3))
    peer.close()
    for _ in range(5):  # the first write is answered by a reset, a later one fails
        ear.end.send(bytes(1000))
        ear.end.flush()
    hear_the_end(ear)
    assert ear.messages == [(b"bye", 0, 60)]
    assert ear.ends == [CloseReason.ABORT]


def test_tcp_an_abort_over_unread_octets_closes_in_order_so_that_its_word_is_heard(raw_peer):
    peer, ear = raw_peer
    peer.sendall(b"never read")
    assert ear.end.wait_readable(5)
    ear.end.abort()
    assert peer.recv(100) == HEADER.pack(0, 0, 3)
    assert peer.recv(100) == b""  # FIN, not RST


def test_tcp_the_descriptor_serves_a_watcher_until_the_end(raw_peer):
    _, ear = raw_peer
    assert ear.end.fileno() >= 0
    ear.end.abort()
    assert ear.end.fileno() == -1
