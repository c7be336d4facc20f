"""Header fields that several nodes on a message's way look into.

In one process a header value is the same text at every node that a request passes: the last readings are remembered,
those of credentials here, those of addresses where they are read (protocols.sip.fields).
"""

from functools import lru_cache
from typing import Final

from protocols.digest import Credentials
from protocols.sip.authentication import AUTHORIZATION, read_credentials
from protocols.sip.fields import ANY_CONTACT, address, expires_s
from protocols.sip.messages import Request

_REMEMBERED: Final = 512
"""A few hundred requests are under way at a time."""

_credentials = lru_cache(_REMEMBERED)(read_credentials)


def credentials(request: Request) -> Credentials | None:
    """The digest credentials, None if there are none or they are broken."""
    text = request.headers.first(AUTHORIZATION)
    return None if text is None else _credentials(text)


def identity(request: Request, name: str) -> str:
    """The public identity in To or From: a SIP URI without parameters, or '' if there is none."""
    found = address(request, name)
    return "" if found is None else found.uri.partition(";")[0]


def wished_expiry_s(request: Request) -> int | None:
    """For how long a REGISTER asks (RFC 3261 10.2.1.1); 0 for `Contact: *`, None if it does not say."""
    contact = address(request, "Contact")
    if contact is None:
        return None
    if contact.uri == ANY_CONTACT:
        return 0
    own = contact.expires_s
    return expires_s(request) if own is None else own
