"""5G-AKA and the keys that come of it (TS 33.501 6.1.3.2 and annex A; TS 33.102 6.3 and annex C).

Both sides of the procedure, each as pure functions: the home network makes vectors and resynchronises, the USIM and
ME answer a challenge. Does not know messages, or where the sequence numbers are kept between two calls.
"""

import hashlib
import hmac
from typing import Final, NamedTuple

from protocols.identities import imsi_of
from protocols.milenage import Milenage

ABBA: Final = b"\x00\x00"
"""The anti-bidding-down parameter of this release (TS 33.501 A.7.1)."""

IND_BITS: Final = 5
"""SQN = SEQ ‖ IND; 5 bits of IND are an array of 32 sequence numbers in the USIM (TS 33.102 C.3)."""

SEQ_DELTA: Final = 1 << 28
"""Δ: how far ahead SEQ may be, so that a forged vector cannot exhaust the sequence numbers (TS 33.102 C.2.1, C.3)."""

_SQN_SPAN: Final = 1 << 48
_IND_MASK: Final = (1 << IND_BITS) - 1
_SEPARATION_BIT: Final = 0x80
_AMF_OF_RESYNCHRONISATION: Final = b"\x00\x00"
_ACCESS_3GPP: Final = 1
_NAS_ENCRYPTION, _NAS_INTEGRITY = 1, 2

_SHA256_BLOCK: Final = 64
_INNER_PAD: Final = bytes(octet ^ 0x36 for octet in range(256))
_OUTER_PAD: Final = bytes(octet ^ 0x5C for octet in range(256))
"""As tables for bytes.translate: each octet of a key xored with the pad (RFC 2104)."""


# --- keys (annex A) ------------------------------------------------------------------------------------------------


def kdf(key: bytes, fc: int, *parameters: bytes) -> bytes:
    """The key derivation function of TS 33.220 B.2: 32 octets."""
    text = bytes((fc,)) + b"".join([parameter + len(parameter).to_bytes(2) for parameter in parameters])
    return _hmac_sha256(key, text)


def _hmac_sha256(key: bytes, text: bytes) -> bytes:
    """HMAC-SHA-256 (RFC 2104) with a key of at most one block; half as dear as a context of the library's HMAC, of
    which a registration needs fifteen.
    """
    block = key.ljust(_SHA256_BLOCK, b"\0")
    inner = hashlib.sha256(block.translate(_INNER_PAD) + text).digest()
    return hashlib.sha256(block.translate(_OUTER_PAD) + inner).digest()


def k_ausf(ck: bytes, ik: bytes, snn: str, sqn_xor_ak: bytes) -> bytes:
    """K_AUSF (A.2)."""
    return kdf(ck + ik, 0x6A, snn.encode(), sqn_xor_ak)


def res_star(ck: bytes, ik: bytes, snn: str, rand: bytes, res: bytes) -> bytes:
    """RES* of the UE, XRES* of the home network (A.4): 16 octets."""
    return kdf(ck + ik, 0x6B, snn.encode(), rand, res)[16:]


def hres_star(rand: bytes, res_star: bytes) -> bytes:
    """HRES* of the SEAF, HXRES* of the AUSF (A.5): 16 octets."""
    return hashlib.sha256(rand + res_star).digest()[16:]


def k_seaf(kausf: bytes, snn: str) -> bytes:
    """K_SEAF (A.6)."""
    return kdf(kausf, 0x6C, snn.encode())


def k_amf(kseaf: bytes, supi: str, abba: bytes = ABBA) -> bytes:
    """K_AMF (A.7); a SUPI of type IMSI enters as its digits."""
    return kdf(kseaf, 0x6D, imsi_of(supi).encode(), abba)


def k_nas_enc(kamf: bytes, algorithm: int) -> bytes:
    """K_NASenc for a 5G-EA number (A.8): 16 octets."""
    return kdf(kamf, 0x69, bytes((_NAS_ENCRYPTION,)), bytes((algorithm,)))[16:]


def k_nas_int(kamf: bytes, algorithm: int) -> bytes:
    """K_NASint for a 5G-IA number (A.8): 16 octets."""
    return kdf(kamf, 0x69, bytes((_NAS_INTEGRITY,)), bytes((algorithm,)))[16:]


def k_gnb(kamf: bytes, uplink_count: int) -> bytes:
    """K_gNB for 3GPP access from the uplink NAS COUNT of the message that started the procedure (A.9)."""
    return kdf(kamf, 0x6E, uplink_count.to_bytes(4), bytes((_ACCESS_3GPP,)))


# --- home network --------------------------------------------------------------------------------------------------


class Vector(NamedTuple):
    """A 5G home environment authentication vector (TS 33.501 6.1.3.2.0)."""

    rand: bytes
    autn: bytes
    xres_star: bytes
    kausf: bytes


def next_sqn(sqn: int) -> int:
    """The sequence number of the next vector: SEQ one higher, the same IND, as there is one serving network.

    TS 33.102 C.1.1.2 (not time-based); C.1.2 leaves the choice of IND to the operator.
    """
    return (sqn + (1 << IND_BITS)) % _SQN_SPAN


def generate_vector(milenage: Milenage, sqn: int, rand: bytes, amf_field: bytes, snn: str) -> Vector:
    """The UDM's work: a challenge with this SQN (48 bits), RAND (16 octets) and AMF field (separation bit set)."""
    (mac_a, _), keys = milenage.all(rand, sqn, amf_field)
    sqn_xor_ak = _xor(sqn.to_bytes(6), keys.ak)
    return Vector(
        rand=rand,
        autn=sqn_xor_ak + amf_field + mac_a,
        xres_star=res_star(keys.ck, keys.ik, snn, rand, keys.res),
        kausf=k_ausf(keys.ck, keys.ik, snn, sqn_xor_ak),
    )


def resynchronise(milenage: Milenage, rand: bytes, auts: bytes) -> int | None:
    """SQN_MS out of AUTS, or None if MAC-S is wrong (TS 33.102 6.3.5).

    Set SQN_HE to it, whether it is higher or lower, and make a new vector with `next_sqn`.
    """
    if len(auts) != 14:
        return None
    sqn_ms = int.from_bytes(_xor(auts[:6], milenage.f2345(rand).ak_star))
    mac_s = milenage.f1(rand, sqn_ms, _AMF_OF_RESYNCHRONISATION).mac_s
    return sqn_ms if hmac.compare_digest(mac_s, auts[6:]) else None


# --- USIM and ME ---------------------------------------------------------------------------------------------------


class UsimSqn(NamedTuple):
    """What a USIM remembers of sequence numbers (TS 33.102 C.2.2): the highest accepted one of each IND.

    `floor` stands for every IND that has not been used since; `UsimSqn(sqn)` is a USIM that accepted `sqn` last.
    """

    floor: int
    accepted: tuple[int, ...] = ()

    @property
    def highest(self) -> int:
        """SQN_MS, which goes into AUTS."""
        return max(self.floor, *self.accepted) if self.accepted else self.floor

    def accepts(self, sqn: int) -> bool:
        """SEQ is higher than the one stored for its IND, and at most Δ above the highest of all."""
        seq, ind = sqn >> IND_BITS, sqn & _IND_MASK
        stored = next((old for old in self.accepted if old & _IND_MASK == ind), self.floor)
        return stored >> IND_BITS < seq <= (self.highest >> IND_BITS) + SEQ_DELTA

    def after(self, sqn: int) -> "UsimSqn":
        """What is remembered once `sqn` has been accepted."""
        others = tuple(old for old in self.accepted if (old ^ sqn) & _IND_MASK)
        return UsimSqn(self.floor, (*others, sqn))


class Answer(NamedTuple):
    """The network is genuine: RES* to send, the keys, and what the USIM remembers from now on."""

    res_star: bytes
    kausf: bytes
    kseaf: bytes
    kamf: bytes
    sqn: UsimSqn


class MacFailure(NamedTuple):
    """MAC-A is wrong: AUTHENTICATION FAILURE #20 (TS 24.501 5.4.1.3.7 c)."""


class SeparationBitMissing(NamedTuple):
    """The vector was not made for 5G: AUTHENTICATION FAILURE #26 (TS 24.501 5.4.1.3.7 d)."""


class SynchFailure(NamedTuple):
    """SQN is not fresh: AUTHENTICATION FAILURE #21 with AUTS (TS 24.501 5.4.1.3.7 f)."""

    auts: bytes


def answer_challenge(
    milenage: Milenage, sqn_ms: UsimSqn, rand: bytes, autn: bytes, snn: str, supi: str, abba: bytes = ABBA
) -> Answer | MacFailure | SeparationBitMissing | SynchFailure:
    """The UE's work on RAND and AUTN (TS 33.501 6.1.3.2.0 steps 7–8, TS 33.102 6.3.3).

    RAND or AUTN of a wrong length is a MAC failure. The order is MAC, separation bit, SQN; only an Answer changes
    what the USIM remembers.
    """
    if len(rand) != 16 or len(autn) != 16:
        return MacFailure()
    sqn_xor_ak, amf_field, mac = autn[:6], autn[6:8], autn[8:]
    keys = milenage.f2345(rand)
    sqn = int.from_bytes(_xor(sqn_xor_ak, keys.ak))
    if not hmac.compare_digest(milenage.f1(rand, sqn, amf_field).mac_a, mac):
        return MacFailure()
    if not amf_field[0] & _SEPARATION_BIT:
        return SeparationBitMissing()
    if not sqn_ms.accepts(sqn):
        return SynchFailure(auts_of(milenage, rand, sqn_ms.highest, keys.ak_star))
    kausf = k_ausf(keys.ck, keys.ik, snn, sqn_xor_ak)
    kseaf = k_seaf(kausf, snn)
    return Answer(
        res_star=res_star(keys.ck, keys.ik, snn, rand, keys.res),
        kausf=kausf,
        kseaf=kseaf,
        kamf=k_amf(kseaf, supi, abba),
        sqn=sqn_ms.after(sqn),
    )


def auts_of(milenage: Milenage, rand: bytes, sqn_ms: int, ak_star: bytes) -> bytes:
    """AUTS: SQN_MS concealed, and MAC-S (TS 33.102 6.3.3)."""
    mac_s = milenage.f1(rand, sqn_ms, _AMF_OF_RESYNCHRONISATION).mac_s
    return _xor(sqn_ms.to_bytes(6), ak_star) + mac_s


def _xor(left: bytes, right: bytes) -> bytes:
    return (int.from_bytes(left) ^ int.from_bytes(right)).to_bytes(6)
