"""Messages to octets, and the answer to a request with what it has to copy (RFC 3261 8.2.6)."""

from collections.abc import Iterable, Mapping
from typing import Final

from protocols.sip.messages import Headers, Message, Request, Response, Unreadable

REASONS: Final[Mapping[int, str]] = {
    100: "Trying",
    200: "OK",
    202: "Accepted",
    305: "Use Proxy",
    400: "Bad Request",
    401: "Unauthorized",
    403: "Forbidden",
    404: "Not Found",
    405: "Method Not Allowed",
    407: "Proxy Authentication Required",
    408: "Request Timeout",
    420: "Bad Extension",
    421: "Extension Required",
    423: "Interval Too Brief",
    439: "First Hop Lacks Outbound Support",
    480: "Temporarily Unavailable",
    481: "Call/Transaction Does Not Exist",
    483: "Too Many Hops",
    486: "Busy Here",
    488: "Not Acceptable Here",
    494: "Security Agreement Required",
    500: "Server Internal Error",
    501: "Not Implemented",
    503: "Service Unavailable",
    504: "Server Time-out",
    505: "Version Not Supported",
    513: "Message Too Large",
    600: "Busy Everywhere",
    603: "Decline",
}
"""Reason phrases of RFC 3261 clause 21, RFC 3329 (421 is 3261's, 494) and RFC 5626 (439)."""

_COPIED: Final = frozenset(("Via", "From", "To", "Call-ID", "CSeq", "Timestamp"))


def encode(message: Message) -> bytes:
    """The octets of a message, Content-Length included.

    A line end inside of a header value is a programmer's mistake: ValueError.
    """
    first, second, headers, body = message
    start = f"{first} {second} SIP/2.0" if type(message) is Request else f"SIP/2.0 {first} {second}"
    text = "".join([f"{name}: {value}\r\n" for name, value in headers])
    text = f"{start}\r\n{text}Content-Length: {len(body)}\r\n\r\n"
    lines = len(headers) + 3
    if text.count("\n") != lines or text.count("\r") != lines:
        raise ValueError("a line end inside of a header value")
    return text.encode("utf-8", "surrogateescape") + body


def answer(
    request: Request | Unreadable,
    status: int,
    to_tag: str | None = None,
    fields: Iterable[tuple[str, str]] = (),
    body: bytes = b"",
    reason: str | None = None,
) -> Response:
    """A response to `request`: its Via, From, To, Call-ID and CSeq, `to_tag` if To has none yet, then `fields`.

    100 has no tag of its own, every other response has one (8.2.6.2).
    """
    copied = [field for field in request.headers if field[0] in _COPIED]
    if to_tag is not None:
        copied = [(name, _tagged(value, to_tag)) if name == "To" else (name, value) for name, value in copied]
    return Response(status, REASONS.get(status, "") if reason is None else reason, Headers((*copied, *fields)), body)


def _tagged(to: str, tag: str) -> str:
    behind = to[to.rfind(">") + 1 :]
    return to if ";tag=" in behind.replace(" ", "").lower() else f"{to};tag={tag}"
