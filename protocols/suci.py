"""Concealing a SUPI and finding it again: null-scheme and ECIES profile A (TS 33.501 annex C).

Knows SUPIs of type IMSI only. Knows no random numbers either: whoever conceals brings the ephemeral private key
(32 octets of its own generator), so that a run with the same seed sends the same SUCIs.
"""

import hashlib
import hmac
from collections.abc import Mapping
from typing import Final, NamedTuple

from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey, X25519PublicKey
from cryptography.hazmat.primitives.ciphers import Cipher
from cryptography.hazmat.primitives.ciphers.algorithms import AES128
from cryptography.hazmat.primitives.ciphers.modes import CTR

from protocols.identities import Plmn, Suci, bcd_digits, bcd_octets, msin_of, supi

NULL_SCHEME: Final = 0
PROFILE_A: Final = 1

_PUBLIC_KEY_OCTETS: Final = 32
_TAG_OCTETS: Final = 8
_IMSI_DIGITS: Final = 15


class HomeNetworkKey(NamedTuple):
    """What a USIM holds of the home network's profile A key: its identifier and the X25519 public key."""

    key_id: int
    public: bytes


class _EciesKeys(NamedTuple):
    encryption: bytes
    initial_counter: bytes
    mac: bytes


def home_network_key(key_id: int, private: bytes) -> HomeNetworkKey:
    """The USIM's half of the home network's key pair (X25519, `private` of 32 octets)."""
    return HomeNetworkKey(key_id, X25519PrivateKey.from_private_bytes(private).public_key().public_bytes_raw())


def conceal(supi: str, plmn: Plmn, routing_indicator: str = "0") -> Suci:
    """The SUCI by the null-scheme (C.2): the MSIN can be read by everybody."""
    return Suci(plmn, routing_indicator, NULL_SCHEME, 0, bcd_octets(msin_of(supi, plmn)))


def conceal_profile_a(
    supi: str, plmn: Plmn, home: HomeNetworkKey, ephemeral: bytes, routing_indicator: str = "0"
) -> Suci:
    """The SUCI by ECIES profile A (C.3.2, C.3.4.1); `ephemeral` is a fresh X25519 private key of 32 octets."""
    private = X25519PrivateKey.from_private_bytes(ephemeral)
    public = private.public_key().public_bytes_raw()
    keys = _ecies_keys(private.exchange(X25519PublicKey.from_public_bytes(home.public)), public)
    ciphertext = _aes_ctr(keys, bcd_octets(msin_of(supi, plmn)))
    output = public + ciphertext + _tag(keys, ciphertext)
    return Suci(plmn, routing_indicator, PROFILE_A, home.key_id, output)


def deconceal(suci: Suci, private_keys: Mapping[int, bytes]) -> str | None:
    """The SUPI (the SIDF's work, C.3.3), or None if the SUCI is damaged, forged or made with a key not held.

    `private_keys` are the home network's X25519 private keys by key identifier.
    """
    if suci.scheme == NULL_SCHEME:
        scheme_input: bytes | None = suci.output
    elif suci.scheme == PROFILE_A and suci.key_id in private_keys:
        scheme_input = _decrypt_profile_a(suci.output, private_keys[suci.key_id])
    else:
        return None
    msin = None if scheme_input is None else bcd_digits(scheme_input)
    if msin is None or len(suci.plmn.mcc + suci.plmn.mnc + msin) > _IMSI_DIGITS:
        return None
    return supi(suci.plmn, msin)


def _decrypt_profile_a(output: bytes, private: bytes) -> bytes | None:
    if len(output) <= _PUBLIC_KEY_OCTETS + _TAG_OCTETS:
        return None
    public = output[:_PUBLIC_KEY_OCTETS]
    ciphertext, tag = output[_PUBLIC_KEY_OCTETS:-_TAG_OCTETS], output[-_TAG_OCTETS:]
    try:
        shared = X25519PrivateKey.from_private_bytes(private).exchange(X25519PublicKey.from_public_bytes(public))
    except ValueError:  # a point of low order: the shared secret would be zero (RFC 7748 clause 6.1)
        return None
    keys = _ecies_keys(shared, public)
    return _aes_ctr(keys, ciphertext) if hmac.compare_digest(tag, _tag(keys, ciphertext)) else None


def _ecies_keys(shared: bytes, ephemeral_public: bytes) -> _EciesKeys:
    """ANSI X9.63 KDF with SHA-256; SharedInfo1 is the ephemeral public key (C.3.4.1). Two blocks of 32 octets."""
    stream = b"".join(
        hashlib.sha256(shared + counter.to_bytes(4, "big") + ephemeral_public).digest() for counter in (1, 2)
    )
    return _EciesKeys(encryption=stream[:16], initial_counter=stream[16:32], mac=stream[32:])


def _aes_ctr(keys: _EciesKeys, octets: bytes) -> bytes:
    return Cipher(AES128(keys.encryption), CTR(keys.initial_counter)).encryptor().update(octets)


def _tag(keys: _EciesKeys, ciphertext: bytes) -> bytes:
    return hmac.digest(keys.mac, ciphertext, "sha256")[:_TAG_OCTETS]
