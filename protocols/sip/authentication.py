"""Digest challenges and credentials in their header fields (RFC 3261 20.7, 20.44; RFC 2617 3.2; RFC 3310 3).

Reading is generous: folding is gone already, the order is free, values may be quoted or not, and a header field that
holds several challenges (which RFC 3261 7.3.1 forbids and peers send) is read as several. Schemes other than Digest
are passed over.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Final

from protocols.digest import AKAV1_MD5, MD5, Challenge, Credentials
from protocols.sip.grammar import quoted, unquoted
from protocols.sip.messages import Message

AUTHORIZATION: Final = "Authorization"
WWW_AUTHENTICATE: Final = "WWW-Authenticate"

_PREFERENCE: Final = (AKAV1_MD5, MD5)
"""A UE takes AKA if it is offered (TS 24.229 5.1.1.5)."""

_PAIR: Final = re.compile(
    r"[ \t]*+(?:([A-Za-z0-9.!%*_+`'~-]++)[ \t]++)?+"  # a scheme, in front of its first parameter
    r"([A-Za-z0-9.!%*_+`'~-]++)[ \t]*+=[ \t]*+"
    r'("(?:[^"\\]++|\\.)*+"|[^", \t]*+)[ \t]*+(?:,[ \t,]*+|$)',
    re.DOTALL,
)
_USUAL: Final = re.compile(r'Digest (?:[a-z-]++=(?:"[^"\\]*+"|[A-Za-z0-9-]++)(?:, |\Z))++')
_USUAL_PAIR: Final = re.compile(r'([a-z-]++)=(?:"([^"\\]*+)"|([A-Za-z0-9-]++))')
"""One digest scheme the way most senders write it."""
_COUNT: Final = re.compile(r"[0-9A-Fa-f]{8}")


def _schemes(text: str) -> Iterator[tuple[str, Mapping[str, str]]]:
    """Every scheme in a header value with its parameters; ends where the grammar is broken."""
    if _USUAL.fullmatch(text):
        usual: dict[str, str] = {}
        for name, in_quotes, token in _USUAL_PAIR.findall(text):
            usual.setdefault(name, in_quotes or token)
        yield "digest", usual
        return
    scheme: str | None = None
    pairs: dict[str, str] = {}
    at = 0
    while at < len(text) and (found := _PAIR.match(text, at)) is not None:
        if found[1] is not None:
            if scheme is not None:
                yield scheme, pairs
            scheme, pairs = found[1].lower(), {}
        if scheme is None:
            return
        pairs.setdefault(found[2].lower(), unquoted(found[3]))
        at = found.end()
    if scheme is not None and at == len(text):
        yield scheme, pairs


def read_challenges(text: str) -> list[Challenge]:
    """The digest challenges in one header value."""
    return [
        Challenge(
            realm=said["realm"],
            nonce=said["nonce"],
            algorithm=said.get("algorithm", MD5),
            qop=tuple(one.strip(" \t") for one in said["qop"].split(",")) if said.get("qop") else (),
            opaque=said.get("opaque"),
            stale=said.get("stale", "").lower() == "true",
            ck=said.get("ck"),
            ik=said.get("ik"),
        )
        for scheme, said in _schemes(text)
        if scheme == "digest" and "realm" in said and "nonce" in said
    ]


def challenges(response: Message) -> list[Challenge]:
    """All digest challenges of a 401, in order."""
    fields = response.headers.every(WWW_AUTHENTICATE)
    return [challenge for field in fields for challenge in read_challenges(field)]


def chosen(offered: list[Challenge]) -> Challenge | None:
    """The challenge to answer: AKA before MD5, None if there is neither."""
    for algorithm in _PREFERENCE:
        for challenge in offered:
            if challenge.algorithm.lower() == algorithm.lower():
                return challenge
    return None


def read_credentials(text: str) -> Credentials | None:
    """The digest credentials in one header value, None if there are none or they are broken."""
    for scheme, said in _schemes(text):
        needed = [said.get(name) for name in ("username", "realm", "nonce", "uri", "response")]
        count = said.get("nc")
        if scheme != "digest" or None in needed or (count is not None and not _COUNT.fullmatch(count)):
            return None
        username, realm, nonce, uri, response = (one or "" for one in needed)
        return Credentials(
            username,
            realm,
            nonce,
            uri,
            response,
            algorithm=said.get("algorithm"),
            qop=said.get("qop"),
            nonce_count=None if count is None else int(count, 16),
            cnonce=said.get("cnonce"),
            opaque=said.get("opaque"),
            auts=said.get("auts"),
            integrity_protected=said.get("integrity-protected"),
        )
    return None


def credentials(request: Message) -> Credentials | None:
    """The digest credentials of a request, None if it has none or they are broken."""
    text = request.headers.first(AUTHORIZATION)
    return None if text is None else read_credentials(text)


def challenge_text(challenge: Challenge) -> str:
    """The value of a WWW-Authenticate header field."""
    parts = [f"realm={quoted(challenge.realm)}", f"nonce={quoted(challenge.nonce)}"]
    parts.append(f"algorithm={challenge.algorithm}")
    if challenge.qop:
        parts.append(f"qop={quoted(','.join(challenge.qop))}")
    if challenge.opaque is not None:
        parts.append(f"opaque={quoted(challenge.opaque)}")
    if challenge.stale:
        parts.append("stale=true")
    keys = (("ck", challenge.ck), ("ik", challenge.ik))
    parts += [f"{name}={quoted(key)}" for name, key in keys if key is not None]
    return "Digest " + ", ".join(parts)


def credentials_text(credentials: Credentials) -> str:
    """The value of an Authorization header field."""
    username, realm, nonce, uri, response, algorithm, qop, count, cnonce, opaque, auts, protected = credentials
    text = (
        f"Digest username={quoted(username)}, realm={quoted(realm)}, nonce={quoted(nonce)}, "
        f"uri={quoted(uri)}, response={quoted(response)}"
    )
    if algorithm is not None:
        text += f", algorithm={algorithm}"
    if qop is not None:
        text += f", qop={qop}"
    if count is not None:
        text += f", nc={count:08x}"
    rest = (("cnonce", cnonce), ("opaque", opaque), ("auts", auts), ("integrity-protected", protected))
    return text + "".join([f", {name}={quoted(value)}" for name, value in rest if value is not None])
