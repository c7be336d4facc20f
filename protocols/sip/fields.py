"""What single header fields say, as values, read when somebody asks (RFC 3261 clause 20; RFC 3327, 3329, 3608, 7315).

`X.read(text)` reads one header value (of a list: one element, see `Headers.listed`) and is None if it breaks the
grammar; `x.text()` writes it. The functions at the end look into a message. Challenges and credentials are in
authentication.py.
"""

import re
from functools import lru_cache
from typing import Final, NamedTuple

from protocols.sip.grammar import (
    NO_PARAMETERS,
    Parameters,
    comment,
    delta_seconds,
    leading_seconds,
    parameters,
    quoted,
    unquoted,
)
from protocols.sip.messages import Headers, Message, Request
from protocols.sip.names import is_token

BRANCH_COOKIE: Final = "z9hG4bK"
"""How the branch of an RFC 3261 element starts (8.1.1.7)."""
DEFAULT_PORT: Final = 5060
ANY_CONTACT: Final = "*"
"""The Contact that takes all bindings away (10.2.2)."""

_REMEMBERED: Final = 512
"""Readings of Via, CSeq and addresses each, by text: everybody on a request's way looks into the same ones."""

_HOST: Final = r"(\[[0-9A-Fa-f:.]++\]|[A-Za-z0-9._-]++)"
_PORT: Final = r"(?:[ \t]*+:[ \t]*+([0-9]{1,5}))?+"
_VIA: Final = re.compile(
    rf"SIP[ \t]*+/[ \t]*+2\.0[ \t]*+/[ \t]*+([A-Za-z0-9-]++)[ \t]++{_HOST}{_PORT}[ \t]*+(?:;(.*+))?", re.I
)
_ADDRESS: Final = re.compile(r'[ \t]*+(?:("(?:[^"\\]++|\\.)*+")|([^"<>]*+))[ \t]*+<([^<>]++)>[ \t]*+(?:;(.*+))?')
_SIP_URI: Final = re.compile(
    rf"(sips?):(?:([^@<> \t]++)@)?+{_HOST}(?::([0-9]{{1,5}}))?+(?:;([^?]*+))?+(?:\?.*+)?", re.I
)
_BARE_URI: Final = re.compile(r'\*|[^<>":\s]++:[^<>"\s]*+')
_CSEQ: Final = re.compile(r"([0-9]{1,10})[ \t]++([^ \t]++)")


class Via(NamedTuple):
    """One hop of the way back (20.42)."""

    transport: str
    host: str
    port: int | None = None
    parameters: Parameters = NO_PARAMETERS

    @staticmethod
    @lru_cache(_REMEMBERED)
    def read(text: str) -> "Via | None":
        found = _VIA.fullmatch(text)
        behind = parameters(found[4] or "") if found else None
        if found is None or behind is None:
            return None
        return Via(found[1].upper(), found[2], int(found[3]) if found[3] else None, behind)

    @property
    def branch(self) -> str | None:
        return self.parameters.get("branch")

    @property
    def sent_by(self) -> str:
        """Host and port in the form in which two of them are compared."""
        return f"{self.host.lower()}:{DEFAULT_PORT if self.port is None else self.port}"

    def text(self) -> str:
        port = "" if self.port is None else f":{self.port}"
        return f"SIP/2.0/{self.transport} {self.host}{port}{self.parameters.text()}"


class SipUri(NamedTuple):
    """A `sip:` or `sips:` URI (19.1), without its header part. `user` includes a password, as it stands."""

    host: str
    user: str | None = None
    port: int | None = None
    parameters: Parameters = NO_PARAMETERS
    scheme: str = "sip"

    @staticmethod
    def read(text: str) -> "SipUri | None":
        found = _SIP_URI.fullmatch(text)
        behind = parameters(found[5] or "") if found else None
        if found is None or behind is None:
            return None
        return SipUri(found[3], found[2], int(found[4]) if found[4] else None, behind, found[1].lower())

    def text(self) -> str:
        user = "" if self.user is None else f"{self.user}@"
        port = "" if self.port is None else f":{self.port}"
        return f"{self.scheme}:{user}{self.host}{port}{self.parameters.text()}"


class Address(NamedTuple):
    """An element of From, To, Contact, Path, Route, Service-Route, P-Associated-URI … (20.10): where, and its tail."""

    uri: str
    parameters: Parameters = NO_PARAMETERS
    display: str | None = None

    @staticmethod
    @lru_cache(_REMEMBERED)
    def read(text: str) -> "Address | None":
        if "<" not in text:  # then all parameters are the header's (20.10)
            uri, _, tail = text.strip(" \t").partition(";")
            uri = uri.strip(" \t")
            behind = parameters(tail)
            return Address(uri, behind) if behind is not None and _BARE_URI.fullmatch(uri) else None
        found = _ADDRESS.fullmatch(text)
        behind = parameters(found[4] or "") if found else None
        if found is None or behind is None:
            return None
        display = unquoted(found[1]) if found[1] else found[2].strip(" \t") or None
        return Address(found[3], behind, display)

    @property
    def tag(self) -> str | None:
        return self.parameters.get("tag")

    @property
    def expires_s(self) -> int | None:
        """The expires parameter of a Contact."""
        return delta_seconds(self.parameters.get("expires"))

    def text(self) -> str:
        if self.uri == ANY_CONTACT:
            return ANY_CONTACT
        display = "" if self.display is None else f"{quoted(self.display)} "
        return f"{display}<{self.uri}>{self.parameters.text()}"


class CSeq(NamedTuple):
    """Number, below 2³¹, and method (20.16)."""

    number: int
    method: str

    @staticmethod
    @lru_cache(_REMEMBERED)
    def read(text: str) -> "CSeq | None":
        found = _CSEQ.fullmatch(text)
        if found is None or int(found[1]) >= 2**31 or not is_token(found[2]):
            return None
        return CSeq(int(found[1]), found[2])

    def text(self) -> str:
        return f"{self.number} {self.method}"


class RetryAfter(NamedTuple):
    """How long not to ask again, in seconds; how long there will be an answer then; a remark (20.33)."""

    seconds: int
    duration_s: int | None = None
    comment: str | None = None

    @staticmethod
    def read(text: str) -> "RetryAfter | None":
        """The leading number counts, whatever follows it: a broken tail is no reason to ask again at once."""
        seconds, tail = leading_seconds(text)
        if seconds is None:
            return None
        remark, tail = comment(tail)
        behind = parameters(tail) or NO_PARAMETERS
        return RetryAfter(seconds, delta_seconds(behind.get("duration")), remark)

    def text(self) -> str:
        remark = "" if self.comment is None else " (" + re.sub(r"([()\\])", r"\\\1", self.comment) + ")"
        duration = "" if self.duration_s is None else f";duration={self.duration_s}"
        return f"{self.seconds}{remark}{duration}"


class SecurityMechanism(NamedTuple):
    """An element of Security-Client, Security-Server, Security-Verify (RFC 3329 2.2): `ipsec-3gpp;alg=…`."""

    name: str
    parameters: Parameters = NO_PARAMETERS

    @staticmethod
    def read(text: str) -> "SecurityMechanism | None":
        name, _, tail = text.partition(";")
        behind = parameters(tail)
        name = name.strip(" \t")
        return SecurityMechanism(name, behind) if behind is not None and is_token(name) else None

    def text(self) -> str:
        return self.name + self.parameters.text()


# --- what a message says ------------------------------------------------------------------------------------------


def top_via(message: Message) -> Via | None:
    """The first Via, None if there is none or it is broken."""
    vias = message.headers.first("Via")
    if vias is None:
        return None
    if "," not in vias:
        return Via.read(vias)
    return Via.read(message.headers.listed("Via")[0]) if message.headers.listed("Via") else None


def cseq(message: Message) -> CSeq | None:
    """CSeq, None if there is none or it is broken."""
    text = message.headers.first("CSeq")
    return None if text is None else CSeq.read(text)


def address(message: Message, name: str) -> Address | None:
    """The address in From or To, or the first one in another header field."""
    text = message.headers.first(name)
    return None if text is None else Address.read(text)


def addresses(message: Message, name: str) -> tuple[Address, ...]:
    """All addresses of a header, in order; broken ones are left out."""
    found = map(Address.read, message.headers.listed(name))
    return tuple(one for one in found if one is not None)


def security_mechanisms(message: Message, name: str) -> tuple[SecurityMechanism, ...]:
    """All mechanisms of Security-Client, -Server or -Verify, in order; broken ones are left out."""
    found = map(SecurityMechanism.read, message.headers.listed(name))
    return tuple(one for one in found if one is not None)


def retry_after(message: Message) -> RetryAfter | None:
    """Retry-After, None if there is none or it does not start with a number."""
    text = message.headers.first("Retry-After")
    return None if text is None else RetryAfter.read(text)


def expires_s(message: Message) -> int | None:
    """Expires, None if there is none or it is no number."""
    return delta_seconds(message.headers.first("Expires"))


def min_expires_s(message: Message) -> int | None:
    """Min-Expires of a 423, None if there is none or it is no number."""
    return delta_seconds(message.headers.first("Min-Expires"))


def contact_expires_s(message: Message, contact: Address) -> int | None:
    """For how long a binding is asked or granted: the parameter of the Contact before the header (10.2.1.1)."""
    own = contact.expires_s
    return expires_s(message) if own is None else own


def flaw(request: Request) -> str | None:
    """Why a request has to be answered with 400: a header that every request has is missing or broken (8.1.1)."""
    headers: Headers = request.headers
    if top_via(request) is None:
        return "Via"
    if headers.first("Call-ID") is None:
        return "Call-ID"
    number = cseq(request)
    if number is None or number.method != request.method:
        return "CSeq"
    sender = address(request, "From")
    if sender is None or address(request, "To") is None:
        return "From or To"
    return None
