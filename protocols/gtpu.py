"""GTP-U between gNB and UPF (TS 29.281): user packets in tunnels, and the few messages about tunnels and paths.

G-PDUs are written with the 8-octet header, without sequence number or extension header. They are read with both:
optional fields and extension headers are passed over. `decode` reads any octets and never raises.
"""

import struct
from typing import Final, NamedTuple

PORT: Final = 2152
"""UDP port of GTP-U (4.4.2)."""

_HEADER: Final = struct.Struct("!BBHI")  # version and flags, message type, length of what follows, TEID
_FLAGS: Final = 0x30  # version 1, protocol type GTP
_SEQUENCE_NUMBER: Final = 0x02
_VERSION_AND_TYPE: Final = 0xF0
_OPTIONAL: Final = 0x07  # extension header, sequence number or N-PDU number: all three fields are there (5.1)
_EXTENSION: Final = 0x04
_OPTIONAL_OCTETS: Final = 4

_ECHO_REQUEST, _ECHO_RESPONSE, _ERROR_INDICATION, _END_MARKER, _G_PDU = 1, 2, 26, 254, 255
_TEID_DATA_I, _PEER_ADDRESS, _RECOVERY = 16, 133, 14  # information elements (table 8.1-1)
_TEID_OCTETS: Final = 4


class GPdu(NamedTuple):
    """A user packet (5.1, message type 255)."""

    teid: int
    packet: bytes


class EchoRequest(NamedTuple):
    """Is the path alive (7.2.1)?"""

    sequence: int = 0


class EchoResponse(NamedTuple):
    """It is (7.2.2)."""

    sequence: int = 0


class ErrorIndication(NamedTuple):
    """A G-PDU came for a tunnel that does not exist: its TEID and the address that it was sent to (7.3.1)."""

    teid: int
    address: bytes


class EndMarker(NamedTuple):
    """No more packets will come through this tunnel (7.3.2)."""

    teid: int


class Unreadable(NamedTuple):
    """No message that this code reads."""

    why: str


Message = GPdu | EchoRequest | EchoResponse | ErrorIndication | EndMarker


def encode(message: Message) -> bytes:
    """The octets of a message; struct.error if a TEID has more than 32 bits."""
    match message:
        case GPdu(teid, packet):
            return _HEADER.pack(_FLAGS, _G_PDU, len(packet), teid) + packet
        case EchoRequest(sequence):
            return _numbered(_ECHO_REQUEST, sequence, b"")
        case EchoResponse(sequence):
            return _numbered(_ECHO_RESPONSE, sequence, bytes((_RECOVERY, 0)))
        case ErrorIndication(teid, address):
            elements = struct.pack("!BI", _TEID_DATA_I, teid) + struct.pack("!BH", _PEER_ADDRESS, len(address))
            return _numbered(_ERROR_INDICATION, 0, elements + address)
        case EndMarker(teid):
            return _HEADER.pack(_FLAGS, _END_MARKER, 0, teid)


def decode(data: bytes) -> Message | Unreadable:
    """The message in some octets."""
    if len(data) < _HEADER.size:
        return Unreadable("shorter than a header")
    flags, kind, length, teid = _HEADER.unpack_from(data)
    if flags & _VERSION_AND_TYPE != _FLAGS or length != len(data) - _HEADER.size:
        return Unreadable("another version, GTP', or a wrong length")
    start, sequence = _HEADER.size, 0
    if flags & _OPTIONAL:
        if length < _OPTIONAL_OCTETS:
            return Unreadable("optional fields missing")
        sequence = int.from_bytes(data[8:10])
        passed = _beyond_extensions(data) if flags & _EXTENSION else start + _OPTIONAL_OCTETS
        if passed is None:
            return Unreadable("extension header of a wrong length")
        start = passed
    body = data[start:]
    match kind:
        case 255:
            return GPdu(teid, body)
        case 1:
            return EchoRequest(sequence)
        case 2:
            return EchoResponse(sequence)
        case 26:
            return _error_indication(body)
        case 254:
            return EndMarker(teid)
    return Unreadable(f"message type {kind}")


def _numbered(kind: int, sequence: int, elements: bytes) -> bytes:
    """A message with a sequence number, as these have to have one (5.1); their TEID is 0."""
    length = _OPTIONAL_OCTETS + len(elements)
    return _HEADER.pack(_FLAGS | _SEQUENCE_NUMBER, kind, length, 0) + sequence.to_bytes(2) + b"\0\0" + elements


def _beyond_extensions(data: bytes) -> int | None:
    """Where the payload begins: a header starts with its length in fours and ends with the type of the next (5.2.1)."""
    at = _HEADER.size + _OPTIONAL_OCTETS
    following = data[at - 1]
    while following:
        if at >= len(data) or not data[at] or at + data[at] * 4 > len(data):
            return None
        at += data[at] * 4
        following = data[at - 1]
    return at


def _error_indication(body: bytes) -> ErrorIndication | Unreadable:
    """TEID Data I, then the peer's address; what follows is optional (7.3.1)."""
    address_at = 1 + _TEID_OCTETS + 3
    if len(body) < address_at or body[0] != _TEID_DATA_I or body[5] != _PEER_ADDRESS:
        return Unreadable("Error Indication without its elements")
    end = address_at + int.from_bytes(body[6:8])
    if end > len(body):
        return Unreadable("Error Indication without its elements")
    return ErrorIndication(int.from_bytes(body[1:5]), body[address_at:end])
