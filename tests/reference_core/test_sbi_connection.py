"""HTTP/2 with prior knowledge: requests, responses, windows, limits, resets, what ends a connection (RFC 9113)."""

import pytest
from h2.config import H2Configuration
from h2.connection import H2Connection
from h2.errors import ErrorCodes
from h2.events import ConnectionTerminated, StreamReset
from h2.settings import SettingCodes

from regstorm.reference_core.backend.http_messages import Problem, Request, Response
from regstorm.reference_core.backend.sbi_client import Answered, SbiClient, Unanswered
from regstorm.reference_core.backend.sbi_connection import BODIES_LIMIT, BODY_LIMIT, Alive, Over
from regstorm.reference_core.backend.sbi_server import Asked, SbiServer, Withdrawn

GET = Request("GET", "/nudm-sdm/v2/imsi-1/am-data", (("3gpp-sbi-message-priority", "5"),))


class Connected:
    """A client and a server whose octets cross when the test says so."""

    def __init__(self):
        self.client, self.server = SbiClient("udm", "AMF"), SbiServer()
        self.at_client, self.at_server = [], []
        self.cross()

    def cross(self):
        """Everything that either end has to say arrives."""
        while True:
            there, back = self.client.octets(), self.server.octets()
            if not there and not back:
                return
            self.at_server += self.server.receive(there)
            self.at_client += self.client.receive(back)

    def asked(self):
        told, self.at_server = self.at_server, []
        return [one for one in told if isinstance(one, Asked)]


class Peer:
    """Somebody else at the other end, as h2 itself has it."""

    def __init__(self, client_side, **settings):
        self.h2 = H2Connection(H2Configuration(client_side=client_side, header_encoding="utf-8"))
        self.h2.initiate_connection()
        if settings:
            self.h2.update_settings({SettingCodes[name]: value for name, value in settings.items()})
        self.events = []

    def cross(self, end):
        told = []
        while True:
            there, back = self.h2.data_to_send(), end.octets()
            if not there and not back:
                return told
            told += end.receive(there)
            self.events += self.h2.receive_data(back)

    def get(self, stream, **fields):
        pseudo = {":method": "GET", ":scheme": "http", ":authority": "udm", ":path": "/"} | fields
        self.h2.send_headers(stream, list(pseudo.items()), end_stream=True)


def test_a_request_reaches_the_server_and_its_response_comes_back():
    both = Connected()
    number = both.client.request(GET)
    both.cross()
    (asked,) = both.asked()
    assert asked.request.method == "GET"
    assert asked.request.path == GET.path
    assert asked.request.field("3gpp-sbi-message-priority") == "5"
    assert asked.request.field("user-agent") == "AMF"
    both.server.respond(asked.stream, Response(200, (("content-type", "application/json"),), b"{}"))
    both.cross()
    assert both.at_client == [Answered(number, Response(200, (("content-type", "application/json"),), b"{}"))]


def test_answers_may_come_in_any_order():
    both = Connected()
    first, second = both.client.request(GET), both.client.request(GET)
    both.cross()
    for asked in reversed(both.asked()):
        both.server.respond(asked.stream, Response(204))
        both.cross()
    assert [one.number for one in both.at_client] == [second, first]


def test_a_problem_is_answered_with_its_details():
    both = Connected()
    both.client.request(GET)
    both.cross()
    both.server.respond(both.asked()[0].stream, Problem(404, "USER_NOT_FOUND"))
    both.cross()
    assert both.at_client[0].response.status == 404


def test_a_body_larger_than_the_window_arrives_whole():
    both = Connected()
    body = b"x" * (BODY_LIMIT - 1)
    both.client.request(Request("POST", "/", (), body))
    both.client.request(Request("POST", "/", (), body))
    both.cross()
    assert [one.request.body for one in both.asked()] == [body, body]


def test_a_response_waits_for_the_window_of_its_consumer():
    peer, server = Peer(True, INITIAL_WINDOW_SIZE=10), SbiServer()
    peer.cross(server)
    peer.get(1)
    (asked,) = peer.cross(server)
    server.respond(asked.stream, Response(200, (), b"0123456789abc"))
    peer.cross(server)
    assert _data(peer) == b"0123456789"
    peer.h2.increment_flow_control_window(100, stream_id=1)
    peer.cross(server)
    assert _data(peer) == b"0123456789abc"


def _data(peer):
    return b"".join(one.data for one in peer.events if type(one).__name__ == "DataReceived")


def test_what_the_peer_does_not_allow_at_once_waits_its_turn():
    client, peer = SbiClient("udm", "AMF"), Peer(False, MAX_CONCURRENT_STREAMS=2)
    peer.cross(client)
    numbers = [client.request(GET) for _ in range(3)]
    peer.cross(client)
    assert client.waiting == 1
    streams = [one.stream_id for one in peer.events if type(one).__name__ == "RequestReceived"]
    assert len(streams) == 2
    peer.h2.send_headers(streams[0], [(":status", "204")], end_stream=True)
    assert [one.number for one in peer.cross(client)] == numbers[:1]
    assert client.waiting == 0


def test_a_request_that_waits_can_be_withdrawn():
    client, peer = SbiClient("udm", "AMF"), Peer(False, MAX_CONCURRENT_STREAMS=1)
    peer.cross(client)
    client.request(GET)
    client.withdraw(client.request(GET))
    assert client.waiting == 0


def test_a_withdrawn_request_resets_its_stream_and_the_server_forgets_it():
    both = Connected()
    number = both.client.request(GET)
    both.cross()
    (asked,) = both.asked()
    both.client.withdraw(number)
    both.cross()
    assert both.at_server == [Withdrawn(asked.stream)]
    assert both.server.unanswered == 0
    both.server.respond(asked.stream, Response(200))
    both.cross()
    assert both.at_client == []


def test_a_stream_that_the_server_resets_is_unanswered():
    client, peer = SbiClient("udm", "AMF"), Peer(False)
    peer.cross(client)
    number = client.request(GET)
    peer.cross(client)
    peer.h2.reset_stream(1, ErrorCodes.REFUSED_STREAM)
    assert peer.cross(client) == [Unanswered(number)]
    assert not client.over


def test_a_ping_is_answered_beside_the_requests():
    both = Connected()
    both.client.ping()
    both.cross()
    assert both.at_client == [Alive()]


def test_a_goaway_ends_the_connection_without_blame():
    client, peer = SbiClient("udm", "AMF"), Peer(False)
    peer.cross(client)
    client.request(GET)
    peer.cross(client)
    peer.h2.close_connection()
    (over,) = client.receive(peer.h2.data_to_send())
    assert isinstance(over, Over)
    assert not over.peer_broke_it
    assert client.over
    assert client.receive(b"whatever") == []


PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
WRONG = {
    "HEADERS that are no HPACK": b"\0\0\4\1\4\0\0\0\1\xff\xff\xff\xff",
    "a window that grows by nothing": b"\0\0\0\4\0\0\0\0\0" + b"\0\0\4\x08\0\0\0\0\0\0\0\0\0",
    "DATA on a stream that nobody opened": b"\0\0\0\4\0\0\0\0\0" + b"\0\0\1\0\1\0\0\0\7x",
    "a PING of three octets": b"\0\0\3\6\0\0\0\0\0abc",
}


@pytest.mark.parametrize("what", WRONG)
def test_whoever_breaks_the_protocol_is_told_by_goaway_and_the_connection_is_over(what):
    server = SbiServer()
    server.octets()
    (*_, over) = server.receive(PREFACE + WRONG[what])
    assert over.peer_broke_it
    assert server.over
    assert b"\0\0\x08\x07\0\0\0\0\0" in server.octets()  # the header of a GOAWAY frame
    assert server.receive(PREFACE) == []


def test_whoever_does_not_begin_with_the_preface_is_cut_off():
    server = SbiServer()
    (over,) = server.receive(b"GET / HTTP/1.1\r\nhost: udm\r\n\r\n")  # 3.4: a GOAWAY may be omitted
    assert over.peer_broke_it
    assert server.over


def test_a_body_beyond_all_measure_resets_its_stream_only():
    peer, server = Peer(True), SbiServer()
    peer.cross(server)
    peer.h2.send_headers(1, [(":method", "POST"), (":scheme", "http"), (":authority", "udm"), (":path", "/")])
    for _ in range(1 + BODY_LIMIT // 16384):
        peer.h2.send_data(1, bytes(16384))
        peer.cross(server)
        if any(isinstance(one, StreamReset) for one in peer.events):
            break
    (reset,) = [one for one in peer.events if isinstance(one, StreamReset)]
    assert reset.error_code is ErrorCodes.ENHANCE_YOUR_CALM
    assert not server.over
    peer.get(3)
    assert isinstance(peer.cross(server)[-1], Asked)


def test_bodies_that_never_end_cannot_fill_the_memory():
    peer, server = Peer(True), SbiServer()
    peer.cross(server)
    streams = range(1, 2 + 2 * (BODIES_LIMIT // 60_000), 2)
    for stream in streams:
        peer.h2.send_headers(stream, [(":method", "POST"), (":scheme", "http"), (":authority", "udm"), (":path", "/")])
        for _ in range(4):
            peer.h2.send_data(stream, bytes(15_000))
        peer.cross(server)
    resets = [one.stream_id for one in peer.events if isinstance(one, StreamReset)]
    assert resets
    assert len(resets) < len(streams) / 10
    assert not server.over


def test_a_server_tells_its_limits_before_anything_else():
    peer, server = Peer(True), SbiServer()
    peer.cross(server)
    assert peer.h2.remote_settings.max_concurrent_streams == 16_384
    assert not any(isinstance(one, ConnectionTerminated) for one in peer.events)
