"""Messages in a byte stream: the length stands in the header (RFC 6733 3).

Octets come in, whole messages go out for decode. Once the framing is `broken`, nobody can tell where the next message
starts, and whoever owns the connection closes it.
"""

from typing import Final

from protocols.diameter.decode import HEADER_OCTETS

LARGEST_MESSAGE: Final = 1024 * 1024
"""Octets (assumed; a service profile or a subscription has a few thousand). The header could say 16 MiB."""


class StreamFraming:
    """The receiving half of one connection."""

    __slots__ = ("_buffer", "broken")

    def __init__(self) -> None:
        self._buffer = bytearray()
        self.broken = False

    def feed(self, octets: bytes) -> list[bytes]:
        """The messages that are complete now that `octets` have arrived."""
        found: list[bytes] = []
        if self.broken:
            return found
        buffer = self._buffer
        buffer += octets
        at = 0
        while len(buffer) - at >= 4:
            length = int.from_bytes(buffer[at + 1 : at + 4], "big")
            if buffer[at] != 1 or not HEADER_OCTETS <= length <= LARGEST_MESSAGE or length & 3:
                self.broken = True
                buffer.clear()
                return found
            if len(buffer) - at < length:
                break
            found.append(bytes(buffer[at : at + length]))
            at += length
        del buffer[:at]
        return found
