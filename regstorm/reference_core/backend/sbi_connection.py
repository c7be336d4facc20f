"""One HTTP/2 connection, what its two ends share (RFC 9113): octets in, events and octets out.

h2 keeps the protocol's state. Here: messages put together from frames, bodies that wait for the peer's window, and what
happens when the peer breaks the protocol: the connection error of RFC 9113 5.4.1 (a GOAWAY goes out, then it is over).
After a GOAWAY of the peer it is over as well: h2 sends nothing more, and what is unanswered stays so.
"""

from contextlib import suppress
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from h2 import events as h2_events
from h2.config import H2Configuration
from h2.connection import H2Connection
from h2.errors import ErrorCodes
from h2.exceptions import ProtocolError
from h2.settings import SettingCodes, Settings

from regstorm.reference_core.backend.http_messages import Fields

BODY_LIMIT: Final = 64 * 1024
"""Octets of one message's body (assumed; the largest of Nudm has some hundred)."""
BODIES_LIMIT: Final = 4 * 1024 * 1024
"""Octets of bodies that are not complete, on one connection (assumed)."""
STREAMS_AT_ONCE: Final = 16_384
"""What one end lets the other open (assumed: more than a storm lets wait within a consumer's patience)."""
_HEADER_LIST_LIMIT: Final = 16 * 1024
_STREAM_WINDOW: Final = 64 * 1024 - 1
_CONNECTION_WINDOW: Final = 16 * 1024 * 1024

RawFields = list[tuple[bytes, bytes]]


class Alive(NamedTuple):
    """The peer has answered a PING."""


class Over(NamedTuple):
    """The connection is of no use any more. `peer_broke_it`: it violated the protocol."""

    why: str
    peer_broke_it: bool


class StreamGone(NamedTuple):
    """The peer, or the protocol, has given a stream up (RST_STREAM)."""

    stream: int


class Whole(NamedTuple):
    """A message is complete; `fields` with its pseudo-header fields."""

    stream: int
    fields: RawFields
    body: bytes


Event = Whole | StreamGone | Alive | Over


@dataclass(slots=True)
class _Incoming:
    fields: RawFields
    body: bytearray = field(default_factory=bytearray)


class SbiConnection:
    """One end."""

    def __init__(self, client_side: bool) -> None:
        config = H2Configuration(
            client_side=client_side,
            header_encoding=None,
            validate_outbound_headers=False,
            normalize_outbound_headers=False,
        )
        self.over = False
        """Nothing can be sent any more."""
        self.h2 = H2Connection(config)
        self.h2.local_settings = Settings(
            client=client_side,
            initial_values={
                SettingCodes.ENABLE_PUSH: 0,
                SettingCodes.MAX_CONCURRENT_STREAMS: STREAMS_AT_ONCE,
                SettingCodes.INITIAL_WINDOW_SIZE: _STREAM_WINDOW,
                SettingCodes.MAX_HEADER_LIST_SIZE: _HEADER_LIST_LIMIT,
            },
        )
        self.h2.initiate_connection()
        self.h2.increment_flow_control_window(_CONNECTION_WINDOW)
        self._incoming: dict[int, _Incoming] = {}
        self._incomplete_octets = 0
        """Of all bodies in `_incoming`."""
        self._bodies: dict[int, bytes] = {}
        """What is left of bodies that wait for the peer's window."""

    def octets(self) -> bytes:
        """What is to be sent; asked for after every other call."""
        octets: bytes = self.h2.data_to_send()
        return octets

    def ping(self) -> None:
        """Asks whether the peer is alive (6.7)."""
        if not self.over:
            self.h2.ping(bytes(8))

    def receive(self, octets: bytes) -> list[Event]:
        """What these octets come to. No octets raise anything."""
        if self.over:
            return []
        try:
            happened = self.h2.receive_data(octets)
        except ProtocolError as error:
            return [self._break_off(str(error) or type(error).__name__)]
        told: list[Event] = []
        for one in happened:
            told += self._told_of(one)
            if self.over:
                break
        return told

    def _told_of(self, one: h2_events.Event) -> list[Event]:
        match one:
            case h2_events.RequestReceived() | h2_events.ResponseReceived():
                assert one.stream_id is not None
                self._incoming[one.stream_id] = _Incoming(one.headers)
            case h2_events.DataReceived():
                return self._take(one)
            case h2_events.StreamEnded():
                return self._complete(one.stream_id)
            case h2_events.StreamReset():
                return self._forget(one.stream_id)
            case h2_events.PingAckReceived():
                return [Alive()]
            case h2_events.WindowUpdated() | h2_events.RemoteSettingsChanged():
                self._send_bodies()
            case h2_events.ConnectionTerminated():
                self.over = True
                return [Over(f"GOAWAY {one.error_code!s}", peer_broke_it=False)]
        return []

    def _take(self, data: h2_events.DataReceived) -> list[Event]:
        stream = data.stream_id
        assert stream is not None
        if data.flow_controlled_length:
            with suppress(ProtocolError):  # a later frame of the same octets has closed the stream
                self.h2.acknowledge_received_data(data.flow_controlled_length, stream)
        incoming = self._incoming.get(stream)
        if incoming is None:
            return []
        part = data.data or b""
        incoming.body += part
        self._incomplete_octets += len(part)
        if len(incoming.body) <= BODY_LIMIT and self._incomplete_octets <= BODIES_LIMIT:
            return []
        self.reset(stream, ErrorCodes.ENHANCE_YOUR_CALM)
        return [StreamGone(stream)]

    def _complete(self, stream: int) -> list[Event]:
        incoming = self._taken(stream)
        return [] if incoming is None else [Whole(stream, incoming.fields, bytes(incoming.body))]

    def _taken(self, stream: int) -> _Incoming | None:
        incoming = self._incoming.pop(stream, None)
        if incoming is not None:
            self._incomplete_octets -= len(incoming.body)
        return incoming

    def _forget(self, stream: int) -> list[Event]:
        self._taken(stream)
        self._bodies.pop(stream, None)
        return [StreamGone(stream)]

    def reset(self, stream: int, error: ErrorCodes = ErrorCodes.CANCEL) -> None:
        """Gives a stream up; harmless if it is over."""
        self._taken(stream)
        self._bodies.pop(stream, None)
        if not self.over:
            with suppress(ProtocolError):  # the peer was first
                self.h2.reset_stream(stream, error)

    def _break_off(self, why: str) -> Over:
        """h2 has put the GOAWAY into what is to be sent."""
        self.over = True
        return Over(why, peer_broke_it=True)

    # ---- sending

    def send(self, stream: int, fields: RawFields, body: bytes) -> bool:
        """One message; `fields` begin with the pseudo-header fields. False: the stream does not allow it any more."""
        try:
            self.h2.send_headers(stream, fields, end_stream=not body)
        except ProtocolError:
            return False
        if body:
            self._bodies[stream] = body
            self._send_body(stream)
        return True

    def _send_bodies(self) -> None:
        for stream in list(self._bodies):
            self._send_body(stream)

    def _send_body(self, stream: int) -> None:
        """As much as the peer's windows allow (5.2)."""
        rest = self._bodies.pop(stream)
        with suppress(ProtocolError):  # a later frame of the same octets has closed the stream
            while rest:
                room = min(self.h2.local_flow_control_window(stream), self.h2.max_outbound_frame_size)
                if room <= 0:
                    self._bodies[stream] = rest
                    return
                self.h2.send_data(stream, rest[:room], end_stream=room >= len(rest))
                rest = rest[room:]


def raw(fields: Fields) -> RawFields:
    """Fields as octets."""
    return [(name.encode("ascii"), value.encode("ascii")) for name, value in fields]


def parted(fields: RawFields) -> tuple[dict[bytes, bytes], Fields]:
    """Pseudo-header fields apart from the others; octets beyond ASCII become question marks."""
    pseudo = {name: value for name, value in fields if name.startswith(b":")}
    others = tuple((_text(name), _text(value)) for name, value in fields if not name.startswith(b":"))
    return pseudo, others


def _text(octets: bytes) -> str:
    return octets.decode("ascii", "replace")
