"""SIP messages as values (RFC 3261 clause 7).

Header names are in the spelling of names.py, header values are the text after the colon, unfolded. Content-Length is
no header here: it belongs to the octets, encode.py writes it and decode.py and framing.py obey it.
"""

from collections.abc import Iterable
from typing import NamedTuple

from protocols.sip.grammar import listed


class Headers(tuple[tuple[str, str], ...]):
    """Header fields in their order, as (name, value). Frozen; the methods that change one return another."""

    __slots__ = ()

    def first(self, name: str) -> str | None:
        """The value of the first header field of this name."""
        for key, value in self:
            if key == name:
                return value
        return None

    def every(self, name: str) -> list[str]:
        """The values of all header fields of this name."""
        return [value for key, value in self if key == name]

    def listed(self, name: str) -> list[str]:
        """The elements of a header that is a list, however they are spread over header fields (RFC 3261 7.3.1)."""
        return [element for key, value in self if key == name for element in listed(value)]

    def replaced(self, name: str, value: str) -> "Headers":
        """With this value in place of the first header field of this name, and no other of this name."""
        fields: list[tuple[str, str]] = []
        placed = False
        for field in self:
            if field[0] != name:
                fields.append(field)
            elif not placed:
                fields.append((name, value))
                placed = True
        return Headers(fields if placed else [*fields, (name, value)])

    def without(self, name: str) -> "Headers":
        """Without the header fields of this name."""
        return Headers(field for field in self if field[0] != name)

    def before(self, fields: Iterable[tuple[str, str]]) -> "Headers":
        """With `fields` in front: a proxy's own Via, Path or Route comes first."""
        return Headers((*fields, *self))

    def after(self, fields: Iterable[tuple[str, str]]) -> "Headers":
        """With `fields` at the end."""
        return Headers((*self, *fields))


class Request(NamedTuple):
    """A request: `REGISTER sip:ims.example SIP/2.0`."""

    method: str
    uri: str
    headers: Headers
    body: bytes = b""

    def having(self, headers: Headers) -> "Request":
        """The same request with other header fields."""
        return Request(self.method, self.uri, headers, self.body)


class Response(NamedTuple):
    """A response: `SIP/2.0 401 Unauthorized`."""

    status: int
    reason: str
    headers: Headers
    body: bytes = b""

    def having(self, headers: Headers) -> "Response":
        """The same response with other header fields."""
        return Response(self.status, self.reason, headers, self.body)


class Unreadable(NamedTuple):
    """No SIP message. `status` is the answer that RFC 3261 wants if it was a request, and `headers` what could be
    read of it, enough to send that answer if there is a Via (encode.answer)."""

    status: int
    why: str
    headers: Headers = Headers()


Message = Request | Response
