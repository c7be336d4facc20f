"""Messages in a byte stream (RFC 3261 18.3) and the line ends between them that keep it alive (RFC 5626 4.4.1).

Does not know the connection: octets come in, messages go out. Once it is `broken`, nobody can tell where the next
message starts, and whoever owns the connection closes it.
"""

from typing import Final, NamedTuple

from protocols.sip.decode import BAD_REQUEST, Head, Malformed, read_head
from protocols.sip.messages import Request, Response, Unreadable

LARGEST_HEAD: Final = 64 * 1024
"""Octets of start line and header fields (assumed; an IMS REGISTER has one to three thousand)."""
LARGEST_BODY: Final = 1024 * 1024
"""Octets of body (assumed)."""

_PING: Final = b"\r\n\r\n"


class StreamEndpoint(NamedTuple):
    """An end of TCP connections, where an end of datagrams is a plain pair of address and port."""

    host: str
    port: int


class Ping(NamedTuple):
    """A double line end between messages: the peer wants a single one back (RFC 5626 3.5.1)."""


PONG: Final = b"\r\n"
"""The answer to a Ping. One that arrives is skipped."""


class StreamFraming:
    """The receiving half of one connection."""

    __slots__ = ("_buffer", "_head", "_searched", "broken")

    def __init__(self) -> None:
        self._buffer = bytearray()
        self._head: Head | None = None
        self._searched = 0
        self.broken = False

    def feed(self, octets: bytes) -> list[Request | Response | Unreadable | Ping]:
        """What is complete now that `octets` have arrived; the last item is an Unreadable if the stream broke."""
        found: list[Request | Response | Unreadable | Ping] = []
        if self.broken:
            return found
        self._buffer += octets
        try:
            while (item := self._next()) is not None:
                found.append(item)
        except Malformed as malformed:
            self.broken = True
            self._buffer.clear()
            found.append(malformed.unreadable)
        return found

    def _next(self) -> Request | Response | Ping | None:
        buffer = self._buffer
        if self._head is None:
            if (between := self._line_ends()) is not None:
                return between
            self._head = self._read_head()
        if self._head is None or len(buffer) < (length := self._head.length or 0):
            return None
        message = self._head.message(bytes(buffer[:length]))
        del buffer[:length]
        self._head = None
        return message

    def _line_ends(self) -> Ping | None:
        """Takes line ends off the front. A single one may be the first half of a Ping: it waits for what follows."""
        buffer = self._buffer
        if buffer.startswith(_PING):
            del buffer[: len(_PING)]
            return Ping()
        if buffer.startswith(PONG) and len(buffer) > 2 and buffer[2:4] != b"\r":
            del buffer[: len(PONG)]
            return self._line_ends()
        return None

    def _read_head(self) -> Head | None:
        """Takes the next start line and header fields off the front, once they are all there."""
        buffer = self._buffer
        end = buffer.find(b"\r\n\r\n", max(0, self._searched - 3))
        if end > LARGEST_HEAD or (end < 0 and len(buffer) > LARGEST_HEAD):
            raise Malformed(BAD_REQUEST, "header fields without an end")
        if end < 0:
            self._searched = len(buffer)
            return None
        self._searched = 0
        head = read_head(bytes(buffer[:end]))
        if (head.length or 0) > LARGEST_BODY:
            raise Malformed(BAD_REQUEST, "body too large", head.headers)
        del buffer[: end + 4]
        return head
