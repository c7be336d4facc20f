"""HTTP requests and responses as values, and the problem details that an error carries (TS 29.571 5.2.4.1).

Field names are lower case, as HTTP/2 has them (RFC 9113 8.2.1). How they become frames: sbi_connection.py.
"""

from typing import Final, NamedTuple

import orjson

JSON: Final = "application/json"
MERGE_PATCH: Final = "application/merge-patch+json"
PROBLEM: Final = "application/problem+json"

RETRY_AFTER_S: Final = 1
"""What a congested door asks for (RFC 9110 10.2.3 has whole seconds): the least that can be said, assumed."""

Fields = tuple[tuple[str, str], ...]


class Request(NamedTuple):
    """One request; `path` with its query."""

    method: str
    path: str
    fields: Fields = ()
    body: bytes = b""

    def field(self, name: str) -> str | None:
        """The first value of a header field."""
        return next((value for one, value in self.fields if one == name), None)


class Response(NamedTuple):
    """One response."""

    status: int
    fields: Fields = ()
    body: bytes = b""

    def field(self, name: str) -> str | None:
        """The first value of a header field."""
        return next((value for one, value in self.fields if one == name), None)


class Problem(NamedTuple):
    """Why a request was not served."""

    status: int
    cause: str
    detail: str = ""
    allow: str = ""
    """With 405: the methods that there are."""

    def response(self) -> Response:
        """With Retry-After where the server is congested (TS 29.500 6.4.3, RFC 6585 4)."""
        said = {"status": self.status, "cause": self.cause}
        if self.detail:
            said["detail"] = self.detail
        fields: Fields = (("content-type", PROBLEM),)
        if self.status in (429, 503):
            fields += (("retry-after", str(RETRY_AFTER_S)),)
        if self.allow:
            fields += (("allow", self.allow),)
        return Response(self.status, fields, orjson.dumps(said))


def cause_in(response: Response) -> str:
    """The cause that a response's problem details name; the status where they name none."""
    try:
        said = orjson.loads(response.body)
    except orjson.JSONDecodeError:
        said = None
    cause = said.get("cause") if isinstance(said, dict) else None
    return cause if isinstance(cause, str) else f"HTTP {response.status}"
