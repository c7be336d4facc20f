"""Octets to messages: `decode(data)` reads any octets and never raises.

A command that layouts know becomes its value; any other becomes `Other` with all its AVPs; what is no Diameter
message, or lacks what its command must have, becomes `Unreadable` with the Result-Code to answer.
"""

from struct import Struct
from typing import Any, Final

from protocols.diameter import avps as a
from protocols.diameter.encode import ERROR, PROXIABLE, REQUEST, RETRANSMITTED, is_protocol_error
from protocols.diameter.layouts import Found, Layout, Malformed, RawAvp, maybe, one, raw_avps, split
from protocols.diameter.messages import BY_NUMBERS, Content, Header, Message, Other, Unreadable
from protocols.diameter.numbers import ResultCode

HEADER_OCTETS: Final = 20

_read_header: Final = Struct(">LLLLL").unpack_from
_read_avp: Final = Struct(">LL").unpack_from
_ENVELOPE: Final = Layout(
    tuple,
    (
        one(a.ORIGIN_HOST),
        one(a.ORIGIN_REALM),
        maybe(a.SESSION_ID),
        maybe(a.DESTINATION_REALM),
        maybe(a.DESTINATION_HOST),
    ),
)


def decode(data: bytes) -> Message | Unreadable:
    """The message in `data`, whatever `data` is."""
    if len(data) < HEADER_OCTETS:
        return Unreadable(ResultCode.INVALID_MESSAGE_LENGTH, "too short for a header")
    first, second, application, hop_by_hop, end_to_end = _read_header(data)
    flags = second >> 24
    command = second & 0xFFFFFF
    is_request = flags & REQUEST != 0
    try:
        _check(first, flags, len(data))
        found = split(data, HEADER_OCTETS)
        envelope = _ENVELOPE.parts(found)
        content = _read_content(found, command, application, is_request)
        if application and not isinstance(content, Other):
            _check_session(envelope, content, is_request)
    except Malformed as malformed:
        header = Header(command, application, is_request, flags & PROXIABLE != 0, hop_by_hop, end_to_end)
        return Unreadable(malformed.result, malformed.why, header, _session_of(data))
    host, realm, session, to_realm, to_host = envelope
    again = is_request and flags & RETRANSMITTED != 0
    others: tuple[RawAvp, ...] = raw_avps(found) if found else ()
    return Message(content, hop_by_hop, end_to_end, host, realm, session, to_realm, to_host, again, others)


def _session_of(data: bytes) -> str | None:
    """The Session-Id of a message that cannot be read, if it is the first AVP (8.8) and whole."""
    if len(data) < HEADER_OCTETS + 8:
        return None
    code, word = _read_avp(data, HEADER_OCTETS)
    stop = HEADER_OCTETS + (word & 0xFFFFFF)
    if code != a.SESSION_ID.code or word >> 31 or not HEADER_OCTETS + 8 <= stop <= len(data):
        return None
    return data[HEADER_OCTETS + 8 : stop].decode("utf-8", "ignore")


def _check(first: int, flags: int, octets: int) -> None:
    if first >> 24 != 1:
        raise Malformed(ResultCode.UNSUPPORTED_VERSION, f"version {first >> 24}")
    if first & 0xFFFFFF != octets or octets & 3:
        raise Malformed(ResultCode.INVALID_MESSAGE_LENGTH, "not as long as it says, or no multiple of four")
    if flags & REQUEST and flags & ERROR:
        raise Malformed(ResultCode.INVALID_HDR_BITS, "a request with the E bit")


def _read_content(found: Found, command: int, application: int, is_request: bool) -> Content:
    layout = BY_NUMBERS.get((application, command, is_request))
    if layout is None:
        return Other(command, application, is_request)
    content: Content = layout.read(found)
    return content


def _check_session(envelope: list[Any], content: Content, is_request: bool) -> None:
    """A session has its Session-Id, except in an error that an agent reports; a request says where it wants to go."""
    if envelope[2] is None and (is_request or not is_protocol_error(content)):
        raise Malformed(ResultCode.MISSING_AVP, "Session-Id is missing")
    if is_request and envelope[3] is None:
        raise Malformed(ResultCode.MISSING_AVP, "Destination-Realm is missing")
