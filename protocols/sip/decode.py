"""Octets to messages: `decode(data)` reads any octets and never raises.

A datagram is one message; in a stream framing.py cuts the messages out, with the same `read_head`. Only what a
message is made of is looked at: start line, header lines, length. What a header means is read when it is asked for.
"""

import re
from typing import Final, NamedTuple

from protocols.sip.messages import Headers, Request, Response, Unreadable
from protocols.sip.names import KNOWN, canonical, is_token

BAD_REQUEST: Final = 400
VERSION_NOT_SUPPORTED: Final = 505

_FOLD: Final = re.compile(r"[ \t]*+\r\n[ \t]++")
_USUAL: Final = {spelling: name for spelling, name in KNOWN.items() if name != "Content-Length"}

_LENGTH: Final = re.compile(r"[0-9]{1,9}")
_STATUS: Final = re.compile(r"[1-6][0-9][0-9]")
_VERSION: Final = re.compile(r"SIP/[0-9]+\.[0-9]+", re.IGNORECASE)


class Malformed(Exception):
    """Why some octets are no message, as the `Unreadable` to hand out."""

    def __init__(self, status: int, why: str, headers: Headers = Headers()) -> None:  # noqa: B008 - frozen
        super().__init__(why)
        self.unreadable = Unreadable(status, why, headers)


class Head(NamedTuple):
    """All of a message except its body. A response has status and reason instead of method and URI."""

    method: str | None
    uri: str
    status: int
    headers: Headers
    length: int | None

    def message(self, body: bytes) -> Request | Response:
        """The message, with its body."""
        if self.method is None:
            return Response(self.status, self.uri, self.headers, body)
        return Request(self.method, self.uri, self.headers, body)


def decode(data: bytes) -> Request | Response | Unreadable:
    """The message in a datagram (RFC 3261 18.3: octets beyond Content-Length are no part of it)."""
    head_octets, blank, body = data.partition(b"\r\n\r\n")
    if not head_octets.strip(b"\r\n") and body:  # line ends before a start line are ignored (7.5)
        return decode(data.lstrip(b"\r\n"))
    if not blank:
        return Unreadable(BAD_REQUEST, "no empty line after the header fields")
    try:
        head = read_head(head_octets)
    except Malformed as malformed:
        return malformed.unreadable
    length = head.length
    if length is not None and length != len(body):
        if length > len(body):
            return Unreadable(BAD_REQUEST, "Content-Length is larger than the body", head.headers)
        body = body[:length]
    return head.message(body)


def read_head(octets: bytes) -> Head:
    """Start line and header fields, without the empty line behind them; `Malformed` if they are none."""
    text = octets.decode("utf-8", "surrogateescape")
    if text[:1] in "\r\n":
        text = text.lstrip("\r\n")
    headers, length, wrong = None, None, None
    lines = text.split("\r\n")
    if text.count("\n") == len(lines) - 1 == text.count("\r"):
        headers, length = _usual_headers(lines)
    if headers is None:
        lines = _FOLD.sub(" ", text).split("\r\n")
        headers, length, wrong = _unusual_headers(lines[1:])
    start = lines[0]
    if wrong is not None:
        raise Malformed(BAD_REQUEST, wrong, headers)
    if start[:8].upper() == "SIP/2.0 ":
        status, _, reason = start[8:].partition(" ")
        if not _STATUS.fullmatch(status) or "\r" in reason or "\n" in reason:
            raise Malformed(BAD_REQUEST, "no status line", headers)
        return Head(None, reason, int(status), headers, length)
    return _request_head(start, headers, length)


def _request_head(start: str, headers: Headers, length: int | None) -> Head:
    method, _, rest = start.partition(" ")
    uri, _, version = rest.partition(" ")
    known = version == "SIP/2.0" or _VERSION.fullmatch(version)
    if not known or not uri.isprintable() or not uri or not is_token(method):
        raise Malformed(BAD_REQUEST, "no request line", headers)
    if version != "SIP/2.0" and version.upper() != "SIP/2.0":
        raise Malformed(VERSION_NOT_SUPPORTED, f"version {version}", headers)
    return Head(method, uri, 0, headers, length)


def _usual_headers(lines: list[str]) -> tuple[Headers | None, int | None]:
    """The header fields and Content-Length if every line behind the first is spelled the way most senders do.

    A folded line starts with white space, so that no name is found in it.
    """
    last = lines[-1]
    length: int | None = None
    end = len(lines)
    if last.startswith("Content-Length: ") and _LENGTH.fullmatch(last, 16):
        length, end = int(last[16:]), end - 1
    try:
        split = [line.split(": ", 1) for line in lines[1:end]]
        return Headers([(_USUAL[name], value.strip(" \t")) for name, value in split]), length
    except (KeyError, ValueError):
        return None, None


def _unusual_headers(lines: list[str]) -> tuple[Headers, int | None, str | None]:
    """The header fields, Content-Length apart, and what is wrong with them if anything is."""
    fields: list[tuple[str, str]] = []
    length: int | None = None
    wrong: str | None = None
    for line in lines:
        spelled, colon, value = line.partition(":")
        name = KNOWN.get(spelled) or canonical(spelled)
        value = value.strip(" \t")
        if not colon or name is None or "\n" in line or "\r" in line:
            wrong = wrong or "no header field"
        elif name != "Content-Length":
            fields.append((name, value))
        elif not _LENGTH.fullmatch(value) or length not in (None, int(value)):
            wrong = wrong or "no Content-Length"
        else:
            length = int(value)
    return Headers(fields), length, wrong
