"""The consumer's end of an HTTP/2 connection: requests out, responses in (prior knowledge, RFC 9113 3.3).

What the peer's limit of concurrent streams does not allow waits here in order. Requests are known by a number of ours,
because a waiting one has no stream yet.
"""

from collections import deque
from typing import NamedTuple

from h2.exceptions import ProtocolError
from hpack import NeverIndexedHeaderTuple

from regstorm.reference_core.backend.http_messages import Request, Response
from regstorm.reference_core.backend.sbi_connection import (
    Alive,
    Over,
    RawFields,
    SbiConnection,
    StreamGone,
    Whole,
    parted,
    raw,
)


class Answered(NamedTuple):
    """The response to a request."""

    number: int
    response: Response


class Unanswered(NamedTuple):
    """The peer has given a request up."""

    number: int


ClientEvent = Answered | Unanswered | Alive | Over


class SbiClient:
    """One connection to one authority."""

    def __init__(self, authority: str, user_agent: str) -> None:
        """`user_agent`: the consumer's NF type (TS 29.500 5.2.2.2)."""
        self._connection = SbiConnection(client_side=True)
        self._same: RawFields = [(b":scheme", b"http"), (b":authority", authority.encode("ascii"))]
        self._agent: RawFields = [(b"user-agent", user_agent.encode("ascii"))]
        self._numbers = 0
        self._stream_of: dict[int, int] = {}
        self._number_of: dict[int, int] = {}
        self._waiting: deque[tuple[int, Request]] = deque()

    @property
    def over(self) -> bool:
        """Nothing can be asked any more."""
        return self._connection.over

    @property
    def waiting(self) -> int:
        """Requests that the peer has no room for yet."""
        return len(self._waiting)

    def octets(self) -> bytes:
        """What is to be sent."""
        return self._connection.octets()

    def ping(self) -> None:
        """Asks whether the peer is alive."""
        self._connection.ping()

    def request(self, request: Request) -> int:
        """Sends it, or keeps it until there is room; the number that its answer will have."""
        self._numbers += 1
        self._waiting.append((self._numbers, request))
        self._send_what_fits()
        return self._numbers

    def withdraw(self, number: int) -> None:
        """The answer is of no interest any more: resets its stream. Harmless if it has come."""
        stream = self._stream_of.pop(number, None)
        if stream is not None:
            del self._number_of[stream]
            self._connection.reset(stream)
            self._send_what_fits()
            return
        self._waiting = deque(one for one in self._waiting if one[0] != number)

    def receive(self, octets: bytes) -> list[ClientEvent]:
        """What these octets come to. No octets raise anything."""
        told: list[ClientEvent] = []
        for event in self._connection.receive(octets):
            match event:
                case Whole(stream, fields, body):
                    number = self._ended(stream)
                    if number is not None:
                        told.append(Answered(number, _response(fields, body)))
                case StreamGone(stream):
                    number = self._ended(stream)
                    if number is not None:
                        told.append(Unanswered(number))
                case _:
                    told.append(event)
        self._send_what_fits()
        return told

    def _ended(self, stream: int) -> int | None:
        number = self._number_of.pop(stream, None)
        if number is not None:
            del self._stream_of[number]
        return number

    def _send_what_fits(self) -> None:
        h2 = self._connection.h2
        while self._waiting and not self.over and len(self._number_of) < h2.remote_settings.max_concurrent_streams:
            number, request = self._waiting.popleft()
            path = NeverIndexedHeaderTuple(b":path", request.path.encode("ascii"))
            fields = [(b":method", request.method.encode()), *self._same, path]
            stream = self._next_stream()
            agent_and_fields = [*self._agent, *raw(request.fields)]
            if stream is None or not self._connection.send(stream, [*fields, *agent_and_fields], request.body):
                self._connection.over = True
                return
            self._stream_of[number] = stream
            self._number_of[stream] = number

    def _next_stream(self) -> int | None:
        """None: no stream identifiers are left (5.1.1)."""
        try:
            stream: int = self._connection.h2.get_next_available_stream_id()
        except ProtocolError:
            return None
        return stream


def _response(fields: RawFields, body: bytes) -> Response:
    pseudo, others = parted(fields)
    status = pseudo.get(b":status", b"")
    return Response(int(status) if status.isdigit() and len(status) == 3 else 0, others, body)
