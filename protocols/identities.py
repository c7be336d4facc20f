"""Identities of a subscriber and of an AMF (TS 23.003 clauses 2.2B, 2.10; TS 24.501 9.11.3.4).

Values only: how they are coded inside a message is protocols.nas5g's business, how a SUPI is concealed
protocols.suci's. A SUPI is a `str` of the form `imsi-001010000000001`, as in TS 29.571.
"""

import re
from functools import lru_cache
from typing import Final, NamedTuple

_SWAP_NIBBLES: Final = bytes((octet & 15) << 4 | octet >> 4 for octet in range(256))
_IMSI_PREFIX: Final = "imsi-"
_NULL_SCHEME: Final = 0
_SUCI_TEXT: Final = re.compile(
    "suci-0-([0-9]{3})-([0-9]{2,3})-([0-9]{1,4})-"
    "(?:0-0-([0-9]+)|([1-9a-fA-F])-([1-9][0-9]?|1[0-9]{2}|2[0-4][0-9]|25[0-5])-((?:[0-9a-fA-F]{2})+))"
)


def bcd_octets(digits: str) -> bytes:
    """Digits as BCD, the first in the low half of the first octet, an odd last one filled up with F."""
    return bytes.fromhex(digits if len(digits) % 2 == 0 else digits + "f").translate(_SWAP_NIBBLES)


def bcd_digits(octets: bytes) -> str | None:
    """The digits in BCD octets without the fillers (F) at their end; None if there are others than digits, or none."""
    digits = octets.translate(_SWAP_NIBBLES).hex().rstrip("f")
    return digits if digits.isdecimal() else None


class Plmn(NamedTuple):
    """A PLMN identity; MCC and MNC are strings of digits (leading zeros count; an MNC has two or three)."""

    mcc: str
    mnc: str

    @property
    def octets(self) -> bytes:
        """Three octets, as in every NAS and NGAP message (TS 24.008 10.5.1.13; 001/01 is 00 F1 10)."""
        return _plmn_octets(self)

    @staticmethod
    def from_octets(octets: bytes) -> "Plmn | None":
        """The PLMN that three octets mean; None if they mean none."""
        return _plmn_from_octets(octets)


@lru_cache(maxsize=1024)
def _plmn_octets(plmn: Plmn) -> bytes:
    third = plmn.mnc[2:] or "f"
    return bcd_octets(plmn.mcc + third + plmn.mnc[:2])


@lru_cache(maxsize=1024)
def _plmn_from_octets(octets: bytes) -> Plmn | None:
    nibbles = octets.translate(_SWAP_NIBBLES).hex()
    mcc, mnc = nibbles[:3], nibbles[4:] + nibbles[3:4].rstrip("f")
    return Plmn(mcc, mnc) if len(octets) == 3 and (mcc + mnc).isdecimal() else None


class Suci(NamedTuple):
    """A concealed SUPI of format IMSI. `output` is the scheme output as octets (BCD digits for the null scheme)."""

    plmn: Plmn
    routing_indicator: str
    scheme: int
    key_id: int
    output: bytes

    def text(self) -> str:
        """As in `supiOrSuci` on the service-based interfaces (TS 29.571 5.3.2): `suci-0-001-01-0-0-0-0000000001`."""
        msin = bcd_digits(self.output) if self.scheme == _NULL_SCHEME else None
        output = self.output.hex() if msin is None else msin
        home = f"{self.plmn.mcc}-{self.plmn.mnc}-{self.routing_indicator}"
        return f"suci-0-{home}-{self.scheme}-{self.key_id}-{output}"

    @staticmethod
    def from_text(text: str) -> "Suci | None":
        """The SUCI that `text` writes; None if it writes none of format IMSI."""
        written = _SUCI_TEXT.fullmatch(text)
        if written is None:
            return None
        mcc, mnc, routing, null_output, scheme, key_id, output = written.groups()
        if null_output is not None:
            return Suci(Plmn(mcc, mnc), routing, _NULL_SCHEME, 0, bcd_octets(null_output))
        return Suci(Plmn(mcc, mnc), routing, int(scheme, 16), int(key_id), bytes.fromhex(output))


class Guti(NamedTuple):
    """A 5G-GUTI: PLMN, AMF Region (8 bits), AMF Set (10), AMF Pointer (6), 5G-TMSI (32)."""

    plmn: Plmn
    region: int
    set_id: int
    pointer: int
    tmsi: int

    def s_tmsi(self) -> "STmsi":
        """The short form for use within the AMF Set (TS 23.003 2.11)."""
        return STmsi(self.set_id, self.pointer, self.tmsi)


class STmsi(NamedTuple):
    """A 5G-S-TMSI: what a SERVICE REQUEST and an INITIAL UE MESSAGE carry of the GUTI."""

    set_id: int
    pointer: int
    tmsi: int


class Imeisv(NamedTuple):
    """An IMEISV, sixteen digits."""

    digits: str


class NoIdentity(NamedTuple):
    """The UE has none of the wanted kind."""


class OtherIdentity(NamedTuple):
    """A mobile identity that this code does not read (SUPI format NAI, MAC address, …): its octets as they came."""

    octets: bytes


MobileIdentity = Suci | Guti | STmsi | Imeisv | NoIdentity | OtherIdentity


def supi(plmn: Plmn, msin: str) -> str:
    """The SUPI of an MSIN in its home network: `imsi-001010000000001`."""
    return _IMSI_PREFIX + plmn.mcc + plmn.mnc + msin


def imsi_of(supi: str) -> str:
    """The digits of a SUPI of type IMSI; ValueError if it is of another type."""
    digits = supi.removeprefix(_IMSI_PREFIX)
    if digits == supi or not digits.isdecimal():
        raise ValueError(f"{supi!r} is no SUPI of type IMSI")
    return digits


def msin_of(supi: str, plmn: Plmn) -> str:
    """The MSIN of a subscriber of this home network; ValueError if it is none of its subscribers."""
    digits, home = imsi_of(supi), plmn.mcc + plmn.mnc
    if not digits.startswith(home) or digits == home:
        raise ValueError(f"{supi!r} is no subscriber of {plmn.mcc}/{plmn.mnc}")
    return digits[len(home) :]


@lru_cache(maxsize=1024)
def serving_network_name(plmn: Plmn) -> str:
    """What binds 5G-AKA keys to the serving network (TS 24.501 9.12.1): `5G:mnc001.mcc001.3gppnetwork.org`."""
    return f"5G:mnc{plmn.mnc:0>3}.mcc{plmn.mcc}.3gppnetwork.org"
