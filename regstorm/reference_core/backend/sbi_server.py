"""The producer's end of an HTTP/2 connection: requests in, responses out (prior knowledge, RFC 9113 3.3)."""

from typing import NamedTuple

from regstorm.reference_core.backend.http_messages import Problem, Request, Response
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


class Asked(NamedTuple):
    """A request; its answer goes to `respond` under the same stream."""

    stream: int
    request: Request


class Withdrawn(NamedTuple):
    """The consumer does not wait for an answer any more."""

    stream: int


ServerEvent = Asked | Withdrawn | Alive | Over


class SbiServer:
    """One connection of one consumer."""

    def __init__(self) -> None:
        self._connection = SbiConnection(client_side=False)
        self._open: set[int] = set()
        """Streams that wait for an answer."""

    @property
    def over(self) -> bool:
        """Nothing can be answered any more."""
        return self._connection.over

    @property
    def unanswered(self) -> int:
        """Requests that wait for an answer."""
        return len(self._open)

    def octets(self) -> bytes:
        """What is to be sent."""
        return self._connection.octets()

    def receive(self, octets: bytes) -> list[ServerEvent]:
        """What these octets come to. No octets raise anything."""
        told: list[ServerEvent] = []
        for event in self._connection.receive(octets):
            match event:
                case Whole(stream, fields, body):
                    self._open.add(stream)
                    told.append(Asked(stream, _request(fields, body)))
                case StreamGone(stream):
                    if stream in self._open:
                        self._open.discard(stream)
                        told.append(Withdrawn(stream))
                case _:
                    told.append(event)
        return told

    def respond(self, stream: int, response: Response | Problem) -> None:
        """Answers a request; harmless if its consumer has gone."""
        if stream not in self._open or self.over:
            return
        self._open.discard(stream)
        said = response.response() if isinstance(response, Problem) else response
        fields: RawFields = [(b":status", b"%d" % said.status), *raw(said.fields)]
        self._connection.send(stream, fields, said.body)


def _request(fields: RawFields, body: bytes) -> Request:
    pseudo, others = parted(fields)
    return Request(_text(pseudo, b":method"), _text(pseudo, b":path"), others, body)


def _text(pseudo: dict[bytes, bytes], name: bytes) -> str:
    return pseudo.get(name, b"").decode("ascii", "replace")
