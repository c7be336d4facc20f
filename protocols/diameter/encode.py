"""Messages to octets, and answers to requests (RFC 6733 3, 6.2)."""

from struct import Struct
from typing import Final

from protocols.diameter import avps as a
from protocols.diameter.layouts import RawAvp
from protocols.diameter.messages import LAYOUTS, Content, Message, Other, Unreadable
from protocols.diameter.numbers import Application, ResultCode

REQUEST: Final = 0x80
PROXIABLE: Final = 0x40
ERROR: Final = 0x20
RETRANSMITTED: Final = 0x10

_VERSION_1: Final = 1 << 24
_HEADER: Final = Struct(">LLLLL")
_LARGEST: Final = 0xFFFFFF

_session_id = a.SESSION_ID.octets
_origin_host = a.ORIGIN_HOST.octets
_origin_realm = a.ORIGIN_REALM.octets
_destination_host = a.DESTINATION_HOST.octets
_destination_realm = a.DESTINATION_REALM.octets


def encode(message: Message) -> bytes:
    """The octets of a message. Session-Id comes first, as 8.8 wants; the bits of the header follow from the content.

    A field that its AVP cannot carry is a programmer's mistake: ValueError, struct.error or AttributeError.
    """
    content, hop_by_hop, end_to_end, host, realm, session, to_realm, to_host, retransmitted, others = message
    layout = LAYOUTS.get(type(content))
    if layout is None:
        command, application, is_request = _numbers_of(content)
        avps = b""
    else:
        command, application, is_request = layout.command, layout.application, layout.is_request
        avps = layout.write(content)
    body = b"".join(
        (
            b"" if session is None else _session_id(session),
            _origin_host(host),
            _origin_realm(realm),
            b"" if to_host is None else _destination_host(to_host),
            b"" if to_realm is None else _destination_realm(to_realm),
            avps,
            *[other.octets() for other in others],
        )
    )
    length = 20 + len(body)
    if length > _LARGEST:
        raise ValueError(f"{length} octets are too many for a Diameter message")
    flags = PROXIABLE if application else 0
    if is_request:
        flags |= REQUEST | RETRANSMITTED if retransmitted else REQUEST
    elif is_protocol_error(content, others):
        flags |= ERROR
    return _HEADER.pack(_VERSION_1 | length, flags << 24 | command, application, hop_by_hop, end_to_end) + body


def _numbers_of(content: Content) -> tuple[int, int, bool]:
    if not isinstance(content, Other):
        raise TypeError(f"{type(content).__name__} is no Diameter command")
    return content


def is_protocol_error(content: Content, others: tuple[RawAvp, ...] = ()) -> bool:
    """Whether an answer reports a protocol error, and so has the E bit (7.1.3). That of an `Other` is in `others`."""
    if not isinstance(content, Other):
        result = content[0]
        return isinstance(result, ResultCode) and result.is_protocol_error
    results = [other.data for other in others if (other.vendor, other.code) == (0, a.RESULT_CODE.code)]
    return any(ResultCode(int.from_bytes(data[:4], "big")).is_protocol_error for data in results)


def answer_to(
    request: Message, content: Content, origin_host: str, origin_realm: str, others: tuple[RawAvp, ...] = ()
) -> Message:
    """The answer to a request: its identifiers, its session and its Proxy-Info (6.2)."""
    back = tuple(one for one in request.others if (one.vendor, one.code) == (0, a.PROXY_INFO.code))
    return Message(
        content,
        request.hop_by_hop,
        request.end_to_end,
        origin_host,
        origin_realm,
        request.session_id,
        others=back + others,
    )


def refusal(unreadable: Unreadable, origin_host: str, origin_realm: str) -> Message | None:
    """The answer to a request that could not be read; None if it was none, or not even its header could be read."""
    header = unreadable.header
    if header is None or not header.is_request:
        return None
    result = RawAvp(a.RESULT_CODE.code, int(unreadable.result).to_bytes(4, "big"))
    content = Other(header.command, header.application, is_request=False)
    return Message(
        content,
        header.hop_by_hop,
        header.end_to_end,
        origin_host,
        origin_realm,
        unreadable.session_id,
        others=(result,),
    )


def unsupported(message: Message) -> RawAvp | None:
    """An AVP with the M bit that this code does not know: the answer is AVP_UNSUPPORTED with `failed_avp` (7.1.5)."""
    for other in message.others:
        if other.mandatory and (int(other.vendor) << 32 | other.code) not in a.KNOWN:
            return other
    return None


def failed_avp(culprit: RawAvp) -> RawAvp:
    """Failed-AVP around the AVP that an answer complains about (7.5)."""
    return RawAvp(a.FAILED_AVP.code, culprit.octets())


def is_base(message: Message) -> bool:
    """Whether a message is between two peers, and not passed on by agents."""
    layout = LAYOUTS.get(type(message.content))
    application = layout.application if layout is not None else _numbers_of(message.content)[1]
    return application == Application.BASE
