"""Test subscribers: their credentials, and the contexts that they and the network kept from before an outage.

Everything is computed from a seed and the subscriber's index, so that the UE side and the core side each make their
own copy and nothing has to be sent. These are test keys: whoever knows the seed knows them all. Never use them in a
network that carries real subscribers.
"""

import base64
import hmac
from functools import lru_cache
from math import gcd
from typing import Final, NamedTuple

from protocols.identities import Guti, Plmn, imsi_of, supi
from protocols.suci import HomeNetworkKey, home_network_key

_IMSI_DIGITS: Final = 15
_AMF_FIELD: Final = b"\x80\x00"  # the separation bit, as every vector for 5G carries it (TS 33.102 annex H)
_TMSIS: Final = (1 << 32) - 1  # all ones are no TMSI (TS 23.003 2.4)
_NGKSIS: Final = 7  # 0–6; 7 is "no key is available" (TS 24.501 9.11.3.32)
_HOME_KEY_ID: Final = 1
_EARLIER_MESSAGES: Final = 200  # assumed: NAS messages in each direction before the outage, at most
_RES_OCTETS: Final = 8  # what MILENAGE gives (TS 35.206 4.1)
_FIRST_PRIOR_ADDRESS: Final = 0x0AC00000  # 10.192.0.0
_PRIOR_ADDRESSES: Final = 1 << 22
_PRIOR_SESSIONS: Final = 4


class Credentials(NamedTuple):
    """What USIM and UDM share. `sqn` (48 bits) is the last sequence number used; `amf_field` goes into AUTN."""

    supi: str
    k: bytes
    opc: bytes
    amf_field: bytes
    sqn: int


class PriorContext(NamedTuple):
    """What UE and AMF both kept: the GUTI and a native security context; the counts are those of the next messages."""

    guti: Guti
    ngksi: int
    kamf: bytes
    uplink_count: int
    downlink_count: int


def supi_of(index: int, plmn: Plmn) -> str:
    """The SUPI of a test subscriber: index 0 has the MSIN 0…01."""
    digits = _IMSI_DIGITS - len(plmn.mcc + plmn.mnc)
    msin = str(index + 1)
    if index < 0 or len(msin) > digits:
        raise ValueError(f"no test subscriber has the index {index}")
    return supi(plmn, msin.zfill(digits))


def index_of(supi: str, plmn: Plmn) -> int | None:
    """Whose SUPI it is: the inverse of `supi_of`; None if it is no test subscriber's."""
    try:
        digits = imsi_of(supi)
    except ValueError:
        return None
    home = plmn.mcc + plmn.mnc
    if len(digits) != _IMSI_DIGITS or not digits.startswith(home):
        return None
    index = int(digits[len(home) :]) - 1
    return index if index >= 0 else None


def credentials(seed: int, index: int, plmn: Plmn) -> Credentials:
    """The test credentials of a subscriber."""
    keys = _derived(seed, "credentials", index)
    start = int.from_bytes(_derived(seed, "sqn", index)[:2])  # SEQs differ, so that a mix-up of subscribers shows
    return Credentials(supi_of(index, plmn), keys[:16], keys[16:], _AMF_FIELD, sqn=start << 5)


def prior_context(seed: int, index: int, plmn: Plmn, region: int, set_id: int, pointer: int) -> PriorContext:
    """The context from before the outage; no two subscribers of a seed have the same 5G-TMSI."""
    factor, offset = _tmsi_permutation(seed)
    counts = _derived(seed, "counts", index)
    return PriorContext(
        guti=Guti(plmn, region, set_id, pointer, (index * factor + offset) % _TMSIS),
        ngksi=counts[0] % _NGKSIS,
        kamf=_derived(seed, "kamf", index),
        uplink_count=counts[1] % _EARLIER_MESSAGES,
        downlink_count=counts[2] % _EARLIER_MESSAGES,
    )


class PriorBinding(NamedTuple):
    """What UE and S-CSCF both kept of an IMS registration: the digest that the next REGISTER continues.

    `res` (8 octets) is the password to `nonce`, `nonce_count` the last count used (RFC 3310, RFC 2617 3.2.2).
    """

    nonce: str
    res: bytes
    nonce_count: int


def prior_binding(seed: int, index: int) -> PriorBinding:
    """The IMS registration from before the outage. Its nonce has the form of AKA's: RAND and AUTN in base64."""
    nonce = base64.b64encode(_derived(seed, "ims nonce", index)).decode()
    return PriorBinding(nonce, _derived(seed, "ims res", index)[:_RES_OCTETS], nonce_count=1)


def prior_address(index: int, pdu_session_id: int) -> int:
    """The IPv4 address of a session from before the outage, as a number: in 10.192.0.0/10, two bits for the session."""
    offset = index << 2 | pdu_session_id - 1
    if not 1 <= pdu_session_id <= _PRIOR_SESSIONS or offset >= _PRIOR_ADDRESSES:
        raise ValueError(f"no address for session {pdu_session_id} of subscriber {index}")
    return _FIRST_PRIOR_ADDRESS + offset


def home_network_private_keys(seed: int) -> dict[int, bytes]:
    """The X25519 private keys for `suci.deconceal`, by key identifier."""
    return {_HOME_KEY_ID: _derived(seed, "home network", 0)}


@lru_cache(maxsize=16)
def home_network_public_key(seed: int) -> HomeNetworkKey:
    """The public key that every USIM of the home network holds, for `suci.conceal_profile_a`."""
    return home_network_key(_HOME_KEY_ID, home_network_private_keys(seed)[_HOME_KEY_ID])


def _derived(seed: int, purpose: str, index: int) -> bytes:
    """32 octets that belong to a purpose and a subscriber: HMAC-SHA-256 keyed by the seed."""
    return hmac.digest(f"test keys {seed}".encode(), f"{purpose} {index}".encode(), "sha256")


@lru_cache(maxsize=16)
def _tmsi_permutation(seed: int) -> tuple[int, int]:
    """Factor and offset of i ↦ factor · i + offset, which is one-to-one as the factor has no divisor in common."""
    octets = _derived(seed, "tmsi", 0)
    factor = int.from_bytes(octets[:4]) % _TMSIS
    while gcd(factor, _TMSIS) != 1:
        factor += 1
    return factor, int.from_bytes(octets[4:8])
