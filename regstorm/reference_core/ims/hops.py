"""What every proxy does to a message that passes it: Via on and off, Max-Forwards (RFC 3261 16.6, 16.7)."""

from collections.abc import Iterable

from protocols.sip.fields import BRANCH_COOKIE
from protocols.sip.grammar import delta_seconds
from protocols.sip.messages import Headers, Request, Response

MOST_HOPS = 70
"""Max-Forwards of a request that has none (RFC 3261 8.1.1.6)."""


class Hop:
    """One element on the way; gives each request a branch of its own."""

    __slots__ = ("_number", "_prefix", "host")

    def __init__(self, node: str, host: str) -> None:
        """`node` makes the branches of this element differ from those of others; `host` stands in Via."""
        self.host = host
        self._prefix = f"{BRANCH_COOKIE}{node}"
        self._number = 0

    def via(self, transport: str = "TCP") -> tuple[str, str]:
        """The header field for the next request."""
        self._number += 1
        return "Via", f"SIP/2.0/{transport} {self.host};branch={self._prefix}{self._number}"

    def tag(self) -> str:
        """A tag for the next response or request of this element."""
        self._number += 1
        return f"{self._prefix[len(BRANCH_COOKIE) :]}{self._number}"

    def forwarded(self, request: Request, fields: Iterable[tuple[str, str]] = ()) -> Request:
        """The request one hop further, with `fields` in front."""
        left = hops_left(request)
        headers = request.headers.replaced("Max-Forwards", str(left - 1)).before((self.via(), *fields))
        return request.having(headers)


def hops_left(request: Request) -> int:
    """What Max-Forwards allows; 0: it must not be forwarded any more (483)."""
    left = delta_seconds(request.headers.first("Max-Forwards"))
    return MOST_HOPS if left is None else left


def returned(response: Response) -> Response:
    """The response one hop back: without the Via that `forwarded` put on."""
    headers = response.headers
    own = next((n for n, field in enumerate(headers) if field[0] == "Via"), None)
    if own is None:
        return response
    return response.having(Headers((*headers[:own], *headers[own + 1 :])))
