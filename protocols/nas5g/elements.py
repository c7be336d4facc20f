"""The IEs that have an inside: 5GS mobile identity, S-NSSAI and NSSAI, DNN (TS 24.501 9.11.3.4, 9.11.2.8, 9.11.3.37).

Values to octets and back. Whoever decodes gets `Malformed` #96 from a mobile identity that breaks its own format, and
None from any other IE that does, because those are optional and then count as not present (TS 24.501 7.7.1).
What repeats in a storm (PLMN, routing indicator, NSSAI, DNN) is remembered, up to a bound that no peer can push.
"""

from functools import lru_cache
from typing import Final

from protocols.identities import Guti, Imeisv, MobileIdentity, NoIdentity, OtherIdentity, Plmn, STmsi, Suci
from protocols.nas5g.messages import IdentityType, Snssai
from protocols.nas5g.walkers import invalid

_REMEMBERED: Final = 1024

_SWAP_DIGITS: Final = bytes((octet & 15) << 4 | octet >> 4 for octet in range(256))
"""Exchanges the half octets: BCD strings have the first digit of each pair in the lower half."""

_new = tuple.__new__  # builds a named tuple at half the cost of calling its class

# --- 5GS mobile identity ------------------------------------------------------------------------------------------


def identity_octets(identity: MobileIdentity) -> bytes:
    """The contents of a 5GS mobile identity IE. ValueError if a part does not fit its field."""
    match identity:
        case Guti(plmn, region, set_id, pointer, tmsi):
            if set_id >> 10 or pointer >> 6 or tmsi >> 32:
                raise ValueError(f"out of range: {identity}")
            return b"\xf2" + plmn_octets(plmn) + _packed(region, set_id, pointer, tmsi).to_bytes(7, "big")
        case STmsi(set_id, pointer, tmsi):
            if pointer >> 6 or tmsi >> 32:
                raise ValueError(f"out of range: {identity}")
            return b"\xf4" + _packed(0, set_id, pointer, tmsi).to_bytes(6, "big")
        case Suci(plmn, routing_indicator, scheme, key_id, output):
            if scheme >> 4:
                raise ValueError(f"out of range: {identity}")
            return b"\x01" + plmn_octets(plmn) + _routing_octets(routing_indicator) + bytes((scheme, key_id)) + output
        case Imeisv(digits):
            if len(digits) != 16 or not digits.isdecimal():
                raise ValueError(f"not sixteen digits: {digits!r}")
            return bytes.fromhex("5" + digits + "f").translate(_SWAP_DIGITS)
        case NoIdentity():
            return b"\x00"
        case OtherIdentity(octets):
            return octets


def identity_from(octets: bytes) -> MobileIdentity:
    """The identity in a 5GS mobile identity IE's contents; `Malformed` if it breaks its own format."""
    if not octets:
        raise invalid("empty mobile identity")
    kind = octets[0] & 7
    if kind == IdentityType.GUTI:
        return _guti(octets)
    if kind == IdentityType.SUCI:
        return _suci(octets)
    if kind == IdentityType.S_TMSI:
        return _s_tmsi(octets)
    if kind == IdentityType.IMEISV:
        return _imeisv(octets)
    return NoIdentity() if kind == IdentityType.NONE else OtherIdentity(octets)


def guti_from(octets: bytes | None) -> Guti | None:
    """A 5G-GUTI as optional IE."""
    if octets is None or len(octets) != 11 or octets[0] & 7 != IdentityType.GUTI:
        return None
    plmn = plmn_from(octets[1:4])
    return None if plmn is None else _guti(octets)


def _packed(region: int, set_id: int, pointer: int, tmsi: int) -> int:
    return region << 48 | set_id << 38 | pointer << 32 | tmsi


def _guti(octets: bytes) -> Guti:
    plmn = plmn_from(octets[1:4])
    if plmn is None or len(octets) != 11:
        raise invalid("5G-GUTI of a wrong length or PLMN")
    rest = int.from_bytes(octets[4:], "big")
    return _new(Guti, (plmn, rest >> 48, rest >> 38 & 1023, rest >> 32 & 63, rest & 0xFFFFFFFF))


def _s_tmsi(octets: bytes) -> STmsi:
    if len(octets) != 7:
        raise invalid("5G-S-TMSI of a wrong length")
    rest = int.from_bytes(octets[1:], "big")
    return _new(STmsi, (rest >> 38, rest >> 32 & 63, rest & 0xFFFFFFFF))


def _suci(octets: bytes) -> Suci | OtherIdentity:
    if octets[0] & 0x70:
        return OtherIdentity(octets)  # SUPI format NAI, GCI or GLI
    plmn = plmn_from(octets[1:4])
    routing_indicator = _routing_from(octets[4:6])
    if plmn is None or routing_indicator is None or len(octets) < 9:
        raise invalid("SUCI of a wrong length, PLMN or routing indicator")
    return _new(Suci, (plmn, routing_indicator, octets[6] & 15, octets[7], octets[8:]))


def _imeisv(octets: bytes) -> Imeisv:
    digits = octets.translate(_SWAP_DIGITS).hex()[1:17]
    if len(octets) != 9 or not digits.isdecimal():
        raise invalid("IMEISV without sixteen digits")
    return Imeisv(digits)


# --- digits -------------------------------------------------------------------------------------------------------


@lru_cache(_REMEMBERED)
def plmn_octets(plmn: Plmn) -> bytes:
    """MCC and MNC as three octets; the third digit of a two-digit MNC is F (9.11.3.4, figure 9.11.3.4.1)."""
    mcc, mnc = plmn
    if len(mcc) != 3 or len(mnc) not in (2, 3) or not (mcc + mnc).isdecimal():
        raise ValueError(f"no PLMN: {plmn}")
    third = mnc[2] if len(mnc) == 3 else "f"
    return bytes.fromhex(mcc[1] + mcc[0] + third + mcc[2] + mnc[1] + mnc[0])


@lru_cache(_REMEMBERED)
def plmn_from(octets: bytes) -> Plmn | None:
    """The PLMN in three octets, None if these are no digits."""
    digits = octets.translate(_SWAP_DIGITS).hex()
    mcc, mnc = digits[:3], digits[4:6] + digits[3:4].replace("f", "")
    return Plmn(mcc, mnc) if len(octets) == 3 and (mcc + mnc).isdecimal() else None


@lru_cache(_REMEMBERED)
def _routing_octets(routing_indicator: str) -> bytes:
    if len(routing_indicator) > 4 or not (routing_indicator or "0").isdecimal():
        raise ValueError(f"no routing indicator: {routing_indicator!r}")
    return bytes.fromhex(routing_indicator.ljust(4, "f")).translate(_SWAP_DIGITS)


@lru_cache(_REMEMBERED)
def _routing_from(octets: bytes) -> str | None:
    """One to four digits; none at all (all F) is let pass."""
    digits = octets.translate(_SWAP_DIGITS).hex().rstrip("f")
    return digits if (digits or "0").isdecimal() else None


# --- slices and DNNs ----------------------------------------------------------------------------------------------


@lru_cache(_REMEMBERED)
def snssai_octets(snssai: Snssai) -> bytes:
    """SST, and SD if there is one, without the length."""
    return bytes((snssai.sst,)) + (b"" if snssai.sd is None else snssai.sd.to_bytes(3, "big"))


@lru_cache(_REMEMBERED)
def snssai_from(octets: bytes) -> Snssai | None:
    """SST and SD; what a slice is mapped to in the home network is not read (lengths 2, 5 and 8)."""
    if len(octets) in (1, 2):
        return Snssai(octets[0])
    if len(octets) in (4, 5, 8):
        return Snssai(octets[0], int.from_bytes(octets[1:4], "big"))
    return None


@lru_cache(_REMEMBERED)
def nssai_octets(nssai: tuple[Snssai, ...]) -> bytes | None:
    """The slices, each with its length; None if there are none (the IE is then left out)."""
    return b"".join(bytes((len(one),)) + one for one in map(snssai_octets, nssai)) or None


@lru_cache(_REMEMBERED)
def nssai_from(octets: bytes | None) -> tuple[Snssai, ...]:
    """The slices of a requested or allowed NSSAI, none if one of them breaks the format."""
    slices: list[Snssai] = []
    p = 0
    while octets and p < len(octets):
        end = p + 1 + octets[p]
        snssai = snssai_from(octets[p + 1 : end])
        if snssai is None or end > len(octets):
            return ()
        slices.append(snssai)
        p = end
    return tuple(slices)


@lru_cache(_REMEMBERED)
def dnn_octets(dnn: str) -> bytes:
    """Labels, each with its length (TS 23.003 9.1)."""
    labels = [label.encode("ascii") for label in dnn.split(".")]
    if not all(1 <= len(label) <= 63 for label in labels):
        raise ValueError(f"no DNN: {dnn!r}")
    return b"".join(bytes((len(label),)) + label for label in labels)


@lru_cache(_REMEMBERED)
def dnn_from(octets: bytes | None) -> str | None:
    """The DNN with dots between its labels, None if it is absent or no sequence of ASCII labels."""
    labels: list[bytes] = []
    p = 0
    while octets and p < len(octets):
        end = p + 1 + octets[p]
        if end == p + 1 or end > len(octets):
            return None
        labels.append(octets[p + 1 : end])
        p = end
    dnn = b".".join(labels)
    return dnn.decode("ascii") if labels and dnn.isascii() else None
