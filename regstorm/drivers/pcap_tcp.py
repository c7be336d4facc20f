"""Connections of the back end in a capture: TCP with handshake, sequence numbers and end, between addresses of its own.

What one read brought is written as segments of an MTU of 1500, when it was told to the end that received it; there are
no segments without data but those of the handshake and the end, and no retransmissions. The window is scaled to its
largest, so that nothing that was in flight looks as if it overran it.
"""

from ipaddress import IPv4Address
from struct import Struct
from typing import Final

from regstorm.drivers.association import Association, CloseReason
from regstorm.drivers.pcap import Capture
from regstorm.records.operations import Nf

SEGMENT_OCTETS: Final = 1460
_IPV4: Final = b"\x08\x00"
_IP: Final = Struct("!BBHHHBBH4s4s")
_TCP: Final = Struct("!HHIIBBHHH")
_PSEUDO: Final = Struct("!4s4sBBH")
_DONT_FRAGMENT, _TTL, _TCP_PROTOCOL = 0x4000, 64, 6
_FIN, _SYN, _RST, _PSH, _ACK = 1, 2, 4, 8, 16
_MSS_AND_LARGEST_WINDOW_SCALE: Final = bytes.fromhex("020405b4 0303 0e 01")
_WINDOW: Final = 0xFFFF

Endpoint = tuple[str, int]


PORT_OF: Final = {Nf.UDM: 80, Nf.HSS: 3868}
"""Those of `http` (RFC 9110 4.2.1; TS 29.500 names no other) and Diameter (RFC 6733 2.1): a dissector looks there."""
_FIRST_PORT: Final = 49152


def address_of(nf: Nf) -> str:
    """Of a function of the core, in a capture only."""
    return f"10.3.0.{1 + list(Nf).index(nf)}"


def attach_tcp(
    capture: Capture, near: Association, far: Association, client: Nf, server: Nf, nth: int, now: float
) -> None:
    """Captures the connection `nth` of `client`: `near` is its end, `far` that of `server`."""
    here = address_of(client), _FIRST_PORT + nth % 16384
    both = _Connection(capture, here, (address_of(server), PORT_OF[server]), now)
    near.tap = _Tap(both, sender=both.server, own=both.client)
    far.tap = _Tap(both, sender=both.client, own=both.server)


class _Sender:
    """One direction."""

    def __init__(self, source: Endpoint, destination: Endpoint, first: int) -> None:
        self.next = first
        """The sequence number of the next octet."""
        self._source, self._destination = IPv4Address(source[0]).packed, IPv4Address(destination[0]).packed
        self._ports = source[1], destination[1]
        self._ethernet = b"\x02\x00" + self._destination + b"\x02\x00" + self._source + _IPV4

    def segment(self, flags: int, acknowledged: int, data: bytes = b"", options: bytes = b"") -> bytes:
        """A packet; SYN and FIN take a sequence number too (RFC 9293 3.4)."""
        offset = (20 + len(options)) // 4 << 4
        header = _TCP.pack(*self._ports, self.next, acknowledged, offset, flags, _WINDOW, 0, 0)
        whole = header + options + data
        pseudo = _PSEUDO.pack(self._source, self._destination, 0, _TCP_PROTOCOL, len(whole))
        checksum = _checksum(pseudo + whole)
        self.next = (self.next + len(data) + bool(flags & (_SYN | _FIN))) & 0xFFFFFFFF
        return self._ethernet + self._ip(len(whole)) + whole[:16] + checksum + whole[18:]

    def _ip(self, octets: int) -> bytes:
        fields = (0x45, 0, 20 + octets, 0, _DONT_FRAGMENT, _TTL, _TCP_PROTOCOL)
        header = _IP.pack(*fields, 0, self._source, self._destination)
        return header[:10] + _checksum(header) + header[12:]


def _checksum(octets: bytes) -> bytes:
    """RFC 1071: 2¹⁶ is 1 modulo 2¹⁶ − 1, so that the sum of all words is the number itself modulo that."""
    return (0xFFFF - int.from_bytes(octets + bytes(len(octets) % 2), "big") % 0xFFFF).to_bytes(2, "big")


class _Connection:
    """Both directions of one connection."""

    def __init__(self, capture: Capture, client: Endpoint, server: Endpoint, now: float) -> None:
        self._capture = capture
        self._over = False
        self.client = _Sender(client, server, client[1] << 12)
        self.server = _Sender(server, client, client[1] << 12 | 0x800)
        handshake = _MSS_AND_LARGEST_WINDOW_SCALE
        capture.write(self.client.segment(_SYN, 0, options=handshake), now)
        capture.write(self.server.segment(_SYN | _ACK, self.client.next, options=handshake), now)
        capture.write(self.client.segment(_ACK, self.server.next), now)

    def data(self, sender: _Sender, octets: bytes, now: float) -> None:
        """These have arrived."""
        other = self._other(sender)
        for at in range(0, len(octets), SEGMENT_OCTETS):
            part = octets[at : at + SEGMENT_OCTETS]
            self._capture.write(sender.segment(_PSH | _ACK, other.next, part), now)

    def closed(self, own: _Sender, reason: CloseReason, ended_here: bool, now: float) -> None:
        """One end heard that it is over; the first to hear decides what the file shows. A loss shows nothing."""
        if self._over:
            return
        self._over = True
        first = own if ended_here else self._other(own)
        second = self._other(first)
        match reason:
            case CloseReason.SHUTDOWN:
                self._capture.write(first.segment(_FIN | _ACK, second.next), now)
                self._capture.write(second.segment(_FIN | _ACK, first.next), now)
                self._capture.write(first.segment(_ACK, second.next), now)
            case CloseReason.ABORT | CloseReason.OVERFLOW | CloseReason.PROTOCOL:
                self._capture.write(first.segment(_RST | _ACK, second.next), now)

    def _other(self, sender: _Sender) -> _Sender:
        return self.server if sender is self.client else self.client


class _Tap:
    """At one end: what arrives there was sent by the other."""

    def __init__(self, both: _Connection, sender: _Sender, own: _Sender) -> None:
        self._both, self._sender, self._own = both, sender, own

    def message(self, data: bytes, stream: int, ppid: int, now: float) -> None:
        """See association.Tap."""
        self._both.data(self._sender, data, now)

    def closed(self, reason: CloseReason, ended_here: bool, now: float) -> None:
        """See association.Tap."""
        self._both.closed(self._own, reason, ended_here, now)
