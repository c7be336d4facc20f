"""Header names: any spelling and the compact forms to the one spelling that this code uses (RFC 3261 7.3.1, 7.3.3).

Names that are not listed get capital letters at the start of each word, so that looking one up is always a
comparison of two strings.
"""

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Final

_COMPACT: Final = {
    "a": "Accept-Contact",
    "b": "Referred-By",
    "c": "Content-Type",
    "d": "Request-Disposition",
    "e": "Content-Encoding",
    "f": "From",
    "i": "Call-ID",
    "j": "Reject-Contact",
    "k": "Supported",
    "l": "Content-Length",
    "m": "Contact",
    "o": "Event",
    "r": "Refer-To",
    "s": "Subject",
    "t": "To",
    "u": "Allow-Events",
    "v": "Via",
    "x": "Session-Expires",
    "y": "Identity",
}
"""The compact forms that IANA lists for SIP."""

_USUAL: Final = (
    "Accept",
    "Allow",
    "Authentication-Info",
    "Authorization",
    "CSeq",
    "Call-Info",
    "Date",
    "Error-Info",
    "Expires",
    "In-Reply-To",
    "MIME-Version",
    "Max-Forwards",
    "Min-Expires",
    "P-Access-Network-Info",
    "P-Asserted-Identity",
    "P-Associated-URI",
    "P-Called-Party-ID",
    "P-Charging-Function-Addresses",
    "P-Charging-Vector",
    "P-Preferred-Identity",
    "P-Visited-Network-ID",
    "Path",
    "Proxy-Authenticate",
    "Proxy-Authorization",
    "Proxy-Require",
    "RAck",
    "RSeq",
    "Reason",
    "Record-Route",
    "Require",
    "Retry-After",
    "Route",
    "SIP-ETag",
    "SIP-If-Match",
    "Security-Client",
    "Security-Server",
    "Security-Verify",
    "Server",
    "Service-Route",
    "Subscription-State",
    "Timestamp",
    "Unsupported",
    "User-Agent",
    "WWW-Authenticate",
    "Warning",
)

_BY_LOWER: Final = {name.lower(): name for name in (*_USUAL, *_COMPACT.values())} | _COMPACT

KNOWN: Final[Mapping[str, str]] = {
    spelling: name for lower, name in _BY_LOWER.items() for spelling in (lower, lower.upper(), name)
}
"""The usual spellings; `canonical` knows the others."""

_TOKEN: Final = re.compile(r"[A-Za-z0-9.!%*_+`'~-]+")


def is_token(text: str) -> bool:
    """Whether `text` is a token (RFC 3261 25.1): a method, a header name, a parameter name."""
    return _TOKEN.fullmatch(text) is not None


@lru_cache(maxsize=1024)
def canonical(name: str) -> str | None:
    """The one spelling of a header name, None if it is none. White space may stand before the colon (7.3.1)."""
    name = name.rstrip(" \t")
    if not is_token(name):
        return None
    lower = name.lower()
    return _BY_LOWER.get(lower) or "-".join(word.capitalize() for word in lower.split("-"))
