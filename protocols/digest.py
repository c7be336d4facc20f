"""Digest authentication with MD5 (RFC 2617) and AKAv1-MD5 (RFC 3310), both sides, as pure functions.

AKAv1-MD5 is digest whose nonce carries RAND and AUTN and whose password is RES, as octets: RES is no text, and any of
its octets may be zero. How challenges and credentials stand in a header is protocols.sip.authentication's business,
what RAND and AUTN mean is that of protocols.aka and protocols.milenage.
"""

import base64
import binascii
import hashlib
import hmac
from typing import Final, NamedTuple

MD5: Final = "MD5"
AKAV1_MD5: Final = "AKAv1-MD5"
AUTH: Final = "auth"
"""The quality of protection that covers method and URI."""

NO_PASSWORD: Final = b""
"""The password of an answer with AUTS (RFC 3310 3.4)."""

_RAND_AND_AUTN: Final = 32
_AUTS: Final = 14
_MOST_COUNT: Final = 0xFFFFFFFF


class Challenge(NamedTuple):
    """What a server asks (RFC 2617 3.2.1). `ck` and `ik` (hex) go from S-CSCF to P-CSCF only (TS 24.229 5.4.1.2.1)."""

    realm: str
    nonce: str
    algorithm: str = MD5
    qop: tuple[str, ...] = ()
    opaque: str | None = None
    stale: bool = False
    ck: str | None = None
    ik: str | None = None


class Credentials(NamedTuple):
    """What a client answers (RFC 2617 3.2.2). The first REGISTER of IMS has an empty nonce and an empty response.

    `auts` is base64 (RFC 3310 3.2); `nonce_count` is None without qop; `integrity_protected` is what a P-CSCF adds
    (TS 24.229 5.2.2).
    """

    username: str
    realm: str
    nonce: str
    uri: str
    response: str
    algorithm: str | None = None
    qop: str | None = None
    nonce_count: int | None = None
    cnonce: str | None = None
    opaque: str | None = None
    auts: str | None = None
    integrity_protected: str | None = None


# --- the nonce of AKA (RFC 3310 3.2) -------------------------------------------------------------------------------


def aka_nonce(rand: bytes, autn: bytes, server_data: bytes = b"") -> str:
    """The nonce that carries a vector's RAND and AUTN (16 octets each), and whatever the server adds."""
    return base64.b64encode(rand + autn + server_data).decode("ascii")


def rand_and_autn(nonce: str) -> tuple[bytes, bytes] | None:
    """RAND and AUTN in a nonce, None if it carries none."""
    octets = _base64(nonce)
    return (octets[:16], octets[16:32]) if octets is not None and len(octets) >= _RAND_AND_AUTN else None


def auts_of(credentials: Credentials) -> bytes | None:
    """The 14 octets of AUTS, None if there is none or it is something else (hexadecimal, say)."""
    octets = None if credentials.auts is None else _base64(credentials.auts)
    return octets if octets is not None and len(octets) == _AUTS else None


def _base64(text: str) -> bytes | None:
    try:
        return base64.b64decode(text.encode("ascii"), validate=True)
    except (binascii.Error, UnicodeEncodeError):
        return None


# --- response (RFC 2617 3.2.2.1–3.2.2.3) ---------------------------------------------------------------------------


def digest_response(
    username: str,
    realm: str,
    password: bytes,
    method: str,
    uri: str,
    nonce: str,
    qop: str | None = None,
    nonce_count: int | None = None,
    cnonce: str | None = None,
) -> str:
    """The request-digest, in hex. Without qop it is that of RFC 2069."""
    ha1 = _md5(_octets(f"{username}:{realm}:") + password)
    ha2 = _md5(_octets(f"{method}:{uri}"))
    if qop is None:
        return _md5(_octets(f"{ha1}:{nonce}:{ha2}"))
    return _md5(_octets(f"{ha1}:{nonce}:{nonce_count or 0:08x}:{cnonce or ''}:{qop}:{ha2}"))


def _md5(octets: bytes) -> str:
    return hashlib.md5(octets, usedforsecurity=False).hexdigest()  # the algorithm is the protocol's choice


def _octets(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")


# --- client --------------------------------------------------------------------------------------------------------


def unchallenged(username: str, realm: str, uri: str, algorithm: str | None = None) -> Credentials:
    """What the first REGISTER carries, so that the network knows the private identity (TS 24.229 5.1.1.2.1)."""
    return Credentials(username, realm, nonce="", uri=uri, response="", algorithm=algorithm)


def answered(
    challenge: Challenge,
    username: str,
    password: bytes,
    method: str,
    uri: str,
    nonce_count: int = 1,
    cnonce: str = "",
) -> Credentials:
    """The answer to a challenge: `password` is RES for AKAv1-MD5, the password's octets for MD5.

    With qop the client counts its requests under one nonce from 1 and draws a cnonce; without, both are unused.
    """
    qop = AUTH if AUTH in challenge.qop else None
    count, client = (nonce_count, cnonce) if qop else (None, None)
    response = digest_response(username, challenge.realm, password, method, uri, challenge.nonce, qop, count, client)
    return Credentials(
        username,
        challenge.realm,
        challenge.nonce,
        uri,
        response,
        challenge.algorithm,
        qop,
        count,
        client,
        challenge.opaque,
    )


def synchronisation_failed(challenge: Challenge, username: str, uri: str, auts: bytes) -> Credentials:
    """The answer when the USIM finds SQN not fresh: AUTS and an empty response (RFC 3310 3.4, TS 24.229 5.1.1.5.3)."""
    return Credentials(
        username,
        challenge.realm,
        challenge.nonce,
        uri,
        response="",
        algorithm=challenge.algorithm,
        opaque=challenge.opaque,
        auts=base64.b64encode(auts).decode("ascii"),
    )


def network_not_authentic(challenge: Challenge, username: str, uri: str) -> Credentials:
    """The answer when MAC in AUTN is wrong: an empty response and no AUTS (TS 24.229 5.1.1.5.3)."""
    return Credentials(
        username, challenge.realm, challenge.nonce, uri, "", challenge.algorithm, opaque=challenge.opaque
    )


# --- server --------------------------------------------------------------------------------------------------------


def verifies(credentials: Credentials, password: bytes, method: str) -> bool:
    """Whether the response proves the password. That the nonce is ours and the URI is meant, the caller checks."""
    if credentials.qop not in (None, AUTH) or not credentials.response:
        return False
    if credentials.qop is not None and (credentials.nonce_count is None or credentials.cnonce is None):
        return False
    expected = digest_response(
        credentials.username,
        credentials.realm,
        password,
        method,
        credentials.uri,
        credentials.nonce,
        credentials.qop,
        credentials.nonce_count,
        credentials.cnonce,
    )
    return hmac.compare_digest(expected.encode(), _octets(credentials.response.lower()))


class NonceCount:
    """The server's side of the nonce count of one nonce: a count that does not grow is a replay (RFC 2617 3.2.2)."""

    __slots__ = ("highest",)

    def __init__(self) -> None:
        self.highest = 0

    def accepts(self, count: int | None) -> bool:
        """True and remembered, or False and nothing changed. Call it for a response that verifies, no other."""
        if count is None or not self.highest < count <= _MOST_COUNT:
            return False
        self.highest = count
        return True
