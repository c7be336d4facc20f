"""A 5G NAS security context: what one side knows of keys and NAS COUNTs, and how it protects messages with them
(TS 24.501 4.4 and 9.1; TS 33.501 6.4).

Knows the outer header and nothing of what is inside. Each side of an association holds its own instance. Octets from
a peer never raise: they are `Unprotected` or `Rejected`. NIA0 and NIA2, NEA0 and NEA2; the access is 3GPP.
"""

import hmac
from collections.abc import Sequence
from enum import IntEnum
from typing import Final, NamedTuple

from protocols.aka import k_gnb, k_nas_enc, k_nas_int
from protocols.nas_ciphers import Nea2, Nia2, bearer_direction

NULL_ALGORITHM: Final = 0
AES_ALGORITHM: Final = 2
SUPPORTED_ALGORITHMS: Final = (NULL_ALGORITHM, AES_ALGORITHM)
"""5G-EA and 5G-IA numbers that this code computes (TS 24.501 9.11.3.34)."""

MAXIMUM_COUNT: Final = (1 << 24) - 1
"""NAS COUNT is an overflow counter of 16 bits and a sequence number of 8 (TS 24.501 4.4.3.1)."""

_EPD_5GMM: Final = 0x7E
_HEADER_OCTETS: Final = 7
_BEARER_3GPP: Final = 1
_UPLINK: Final = bearer_direction(_BEARER_3GPP, 0)
_DOWNLINK: Final = bearer_direction(_BEARER_3GPP, 1)
_NULL_MAC: Final = bytes(4)


class Side(IntEnum):
    """Whose context it is: a UE sends uplink, the network downlink."""

    UE = 0
    NETWORK = 1


class HeaderType(IntEnum):
    """Security header type (TS 24.501 9.3.1)."""

    PLAIN = 0
    INTEGRITY = 1
    CIPHERED = 2
    NEW_CONTEXT = 3
    NEW_CONTEXT_CIPHERED = 4


_CIPHERED: Final = frozenset((HeaderType.CIPHERED, HeaderType.NEW_CONTEXT_CIPHERED))


class Unprotected(NamedTuple):
    """A message whose MAC and NAS COUNT are right."""

    plain: bytes
    header_type: int
    nas_count: int


class Rejected(NamedTuple):
    """A message that must not be trusted, and why."""

    why: str


class Algorithms(NamedTuple):
    """What the network selects: 5G-EA and 5G-IA numbers."""

    ciphering: int
    integrity: int


AES: Final = Algorithms(AES_ALGORITHM, AES_ALGORITHM)
"""128-5G-EA2 and 128-5G-IA2."""


def choose_algorithms(
    capability: bytes, ciphering_preference: Sequence[int], integrity_preference: Sequence[int]
) -> Algorithms | None:
    """The first of each list that the UE has too (TS 33.501 6.7.1.1); None if there is none (5GMM #23).

    `capability` is the UE security capability without its header: 5G-EA, 5G-IA, … (TS 24.501 9.11.3.54), bit 8 of
    each octet standing for algorithm 0.
    """
    if len(capability) < 2:
        return None
    ciphering = _first_common(capability[0], ciphering_preference)
    integrity = _first_common(capability[1], integrity_preference)
    return None if ciphering is None or integrity is None else Algorithms(ciphering, integrity)


def _first_common(bits: int, preference: Sequence[int]) -> int | None:
    return next((number for number in preference if bits & 0x80 >> number), None)


class SecurityContext:
    """One side's 5G NAS security context.

    `uplink_count` and `downlink_count` are the NAS COUNTs of the next message in each direction: the next one to send,
    and the lowest one still accepted. NAS keys and AES contexts are made at their first use; `drop_ciphers` gives them
    back, which an idle UE should do (about 2 KiB). Other algorithms need a context of their own.
    """

    __slots__ = ("_nea", "_nia", "algorithms", "downlink_count", "kamf", "ngksi", "side", "uplink_count")

    def __init__(
        self,
        side: Side,
        ngksi: int,
        kamf: bytes,
        algorithms: Algorithms = AES,
        uplink_count: int = 0,
        downlink_count: int = 0,
    ) -> None:
        if not {*algorithms} <= {*SUPPORTED_ALGORITHMS}:
            raise ValueError(f"{algorithms} are not supported, only {SUPPORTED_ALGORITHMS}")
        self.side = side
        self.ngksi = ngksi
        self.kamf = kamf
        self.algorithms = algorithms
        self.uplink_count = uplink_count
        self.downlink_count = downlink_count
        self._nea: Nea2 | None = None
        self._nia: Nia2 | None = None

    def drop_ciphers(self) -> None:
        """Give back keys and AES contexts; the next message makes them anew."""
        self._nea = self._nia = None

    def k_gnb(self, uplink_count: int) -> bytes:
        """K_gNB from the NAS COUNT of the uplink message that started the procedure (TS 33.501 A.9)."""
        return k_gnb(self.kamf, uplink_count)

    # --- sending ----------------------------------------------------------------------------------------------------

    def protect(self, plain: bytes, header_type: int) -> bytes:
        """The protected message; takes the next NAS COUNT of this side's direction.

        A UE's initial NAS message has header type 1 and takes an uplink COUNT like any other (4.4.6).
        """
        direction = _UPLINK if self.side is Side.UE else _DOWNLINK
        count = self._take_count()
        body = self._apply_nea(count, direction, plain) if header_type in _CIPHERED else plain
        covered = bytes((count & 0xFF,)) + body
        return bytes((_EPD_5GMM, header_type)) + self._mac(count, direction, covered) + covered

    def cipher_container(self, container: bytes) -> bytes:
        """The value of the NAS message container in the initial NAS message that `protect` gets next (4.4.6)."""
        return self._apply_nea(self.uplink_count, _UPLINK, container)

    def _take_count(self) -> int:
        count = self.uplink_count if self.side is Side.UE else self.downlink_count
        if count > MAXIMUM_COUNT:
            raise OverflowError("NAS COUNT exhausted: a new authentication was due (TS 24.501 4.4.3.5)")
        if self.side is Side.UE:
            self.uplink_count = count + 1
        else:
            self.downlink_count = count + 1
        return count

    # --- receiving --------------------------------------------------------------------------------------------------

    def unprotect(self, data: bytes) -> Unprotected | Rejected:
        """What the other side protected, or why it is not trusted.

        NAS COUNT is estimated from the sequence number: the lowest one that is not below the next expected (4.4.3.1).
        A message that was accepted before is refused thereby. Only an accepted message moves the COUNT.
        """
        if len(data) <= _HEADER_OCTETS or data[0] != _EPD_5GMM:
            return Rejected("not a security protected 5GMM message")
        header_type = data[1]
        if not HeaderType.INTEGRITY <= header_type <= HeaderType.NEW_CONTEXT_CIPHERED:
            return Rejected("security header type not supported")
        direction = _DOWNLINK if self.side is Side.UE else _UPLINK
        count = self._estimated_count(data[6])
        if count > MAXIMUM_COUNT:
            return Rejected("NAS COUNT exhausted")
        covered = data[6:]
        if not hmac.compare_digest(self._mac(count, direction, covered), data[2:6]):
            return Rejected(self._reason_for_wrong_mac(count, direction, data))
        if self.side is Side.UE:
            self.downlink_count = count + 1
        else:
            self.uplink_count = count + 1
        body = covered[1:]
        plain = self._apply_nea(count, direction, body) if header_type in _CIPHERED else body
        return Unprotected(plain, header_type, count)

    def decipher_container(self, container: bytes, count: int) -> bytes:
        """The NAS message container of an initial NAS message; `count` is the `nas_count` of the message (4.4.6)."""
        return self._apply_nea(count, _UPLINK, container)

    def _estimated_count(self, sequence: int) -> int:
        expected = self.downlink_count if self.side is Side.UE else self.uplink_count
        return expected + (sequence - expected & 0xFF)

    def _reason_for_wrong_mac(self, count: int, direction: bytes, data: bytes) -> str:
        """A repeated message is told from a damaged one, because a run counts them apart."""
        earlier = count - 256
        replayed = earlier >= 0 and hmac.compare_digest(self._mac(earlier, direction, data[6:]), data[2:6])
        return "replayed" if replayed else "wrong MAC"

    # --- algorithms -------------------------------------------------------------------------------------------------

    def _mac(self, count: int, direction: bytes, covered: bytes) -> bytes:
        if self.algorithms.integrity == NULL_ALGORITHM:
            return _NULL_MAC  # and no replay protection with it (TS 33.501 D.1)
        if self._nia is None:
            self._nia = Nia2(k_nas_int(self.kamf, self.algorithms.integrity))
        return self._nia.mac(count, direction, covered)

    def _apply_nea(self, count: int, direction: bytes, octets: bytes) -> bytes:
        if self.algorithms.ciphering == NULL_ALGORITHM:
            return octets
        if self._nea is None:
            self._nea = Nea2(k_nas_enc(self.kamf, self.algorithms.ciphering))
        return self._nea.apply(count, direction, octets)
