"""What the private framing promises beyond other transports (regstorm/drivers/framed.py), over TCP and in memory."""

import random
import socket
import struct
from collections.abc import Callable, Iterator

import pytest
from association_rig import FRAMED, Ear, Wiring, hear_the_end

from regstorm.drivers.association import MESSAGE_LIMIT, CloseReason
from regstorm.drivers.framed import HEADER, FramedAssociation, FramedTransport
from regstorm.drivers.tcp import TcpAssociation, TcpTransport


def put(end: FramedAssociation, octets: bytes) -> None:
    """Puts octets on the wire past the framing."""
    assert end._write(octets) == len(octets)
    end.wire_sent += len(octets)


@pytest.fixture(params=FRAMED)
def transport(request: pytest.FixtureRequest) -> Callable[..., FramedTransport]:
    return FRAMED[request.param]


@pytest.fixture
def wiring(transport: Callable[..., FramedTransport]) -> Iterator[Wiring]:
    wiring = Wiring(transport())
    yield wiring
    for near, far in wiring.pairs:
        near.cut()
        far.cut()
    wiring.listener.close()


def test_octets_on_the_wire_are_those_of_messages_and_headers(wiring):
    near, far = wiring.pair()
    for size in (10, 20, 30):
        near.end.send(bytes(size))
    assert near.end.queued_octets == 60 + 3 * HEADER.size
    wiring.settle()
    assert far.end.wire_received == near.end.wire_sent == 60 + 3 * HEADER.size


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
