"""What IEs hold: 5GS mobile identity, S-NSSAI and NSSAI, DNN, timers (TS 24.501 9.11.3.4, 9.11.2.8, 9.11.3.37, …).

Values to octets and back. Whoever decodes gets `Malformed` #96 from a mobile identity that breaks its own format, and
None from any other IE that does, because those are optional and then count as not present (TS 24.501 7.7.1).
What repeats in a storm (PLMN, routing indicator, NSSAI, DNN) is remembered, up to a bound that no peer can push.
"""

from collections.abc import Callable
from functools import lru_cache
from typing import Any, Final

from protocols.identities import (
    Guti,
    Imeisv,
    MobileIdentity,
    NoIdentity,
    OtherIdentity,
    Plmn,
    STmsi,
    Suci,
    bcd_digits,
    bcd_octets,
)
from protocols.nas5g.messages import Snssai
from protocols.nas5g.walkers import Malformed, invalid
from protocols.timers import GprsTimer2, GprsTimer3

_REMEMBERED: Final = 1024

new = tuple.__new__
"""Builds a named tuple at half the cost of calling its class; the values have to be in order and complete."""

_TIMERS2: Final = tuple(GprsTimer2(octet) for octet in range(256))
_TIMERS3: Final = tuple(GprsTimer3(octet) for octet in range(256))

# --- optional IEs of one or a few octets --------------------------------------------------------------------------


def at_least(octets: bytes | None, length: int) -> bytes | None:
    """An optional IE shorter than it may be counts as not present (TS 24.501 7.7.1)."""
    return octets if octets is not None and len(octets) >= length else None


def timer2_from(octets: bytes | None) -> GprsTimer2 | None:
    """A GPRS timer 2 as optional IE."""
    return _TIMERS2[octets[0]] if octets else None


def timer3_from(octets: bytes | None) -> GprsTimer3 | None:
    """A GPRS timer 3 as optional IE."""
    return _TIMERS3[octets[0]] if octets else None


# --- 5GS mobile identity ------------------------------------------------------------------------------------------


def identity_octets(identity: MobileIdentity) -> bytes:
    """The contents of a 5GS mobile identity IE. ValueError if a part does not fit its field."""
    return _IDENTITY_WRITERS[type(identity)](identity)


def identity_from(octets: bytes) -> MobileIdentity:
    """The identity in a 5GS mobile identity IE's contents; `Malformed` if it breaks its own format."""
    if not octets:
        raise invalid("empty mobile identity")
    return _IDENTITY_READERS[octets[0] & 7](octets)


def guti_from(octets: bytes | None) -> Guti | None:
    """A 5G-GUTI as optional IE."""
    if not octets or octets[0] & 7 != _TYPE_GUTI:
        return None
    try:
        return _read_guti(octets)
    except Malformed:
        return None


def imeisv_octets(digits: str) -> bytes:
    """The contents of a mobile identity IE with an IMEISV."""
    if len(digits) != 16 or not digits.isdecimal():
        raise ValueError(f"not sixteen digits: {digits!r}")
    return bcd_octets("5" + digits)


def imeisv_from(octets: bytes) -> str | None:
    """The digits of an IMEISV, None if the octets hold another identity or break the format."""
    digits = bcd_digits(octets)  # the first is no digit of it: type of identity, odd or even
    if digits is None or len(octets) != 9 or len(digits) != 17 or digits[0] != "5":
        return None
    return digits[1:]


_TYPE_GUTI: Final = 2
"""Type of identity in bits 3 to 1 of the first octet (table 9.11.3.4.1); the readers below stand in its order."""


def _write_suci(suci: Suci) -> bytes:
    plmn, routing_indicator, scheme, key_id, output = suci
    if scheme >> 4:
        raise ValueError(f"out of range: {suci}")
    return b"\x01" + plmn.octets + _routing_octets(routing_indicator) + bytes((scheme, key_id)) + output


def _write_guti(guti: Guti) -> bytes:
    plmn, region, set_id, pointer, tmsi = guti
    if set_id >> 10 or pointer >> 6 or tmsi >> 32:
        raise ValueError(f"out of range: {guti}")
    rest = region << 48 | set_id << 38 | pointer << 32 | tmsi
    return b"\xf2" + plmn.octets + rest.to_bytes(7, "big")


def _write_s_tmsi(s_tmsi: STmsi) -> bytes:
    set_id, pointer, tmsi = s_tmsi
    if pointer >> 6 or tmsi >> 32:
        raise ValueError(f"out of range: {s_tmsi}")
    return b"\xf4" + (set_id << 38 | pointer << 32 | tmsi).to_bytes(6, "big")


_IDENTITY_WRITERS: Final[dict[type[Any], Callable[[Any], bytes]]] = {
    Suci: _write_suci,
    Guti: _write_guti,
    STmsi: _write_s_tmsi,
    Imeisv: lambda imeisv: imeisv_octets(imeisv.digits),
    NoIdentity: lambda _: b"\x00",
    OtherIdentity: lambda other: other.octets,
}


def _read_nothing(_: bytes) -> NoIdentity:
    return NoIdentity()


def _read_suci(octets: bytes) -> Suci | OtherIdentity:
    if octets[0] & 0x70:
        return OtherIdentity(octets)  # SUPI format NAI, GCI or GLI
    plmn = Plmn.from_octets(octets[1:4])
    routing_indicator = _routing_from(octets[4:6])
    if plmn is None or routing_indicator is None or len(octets) < 9:
        raise invalid("SUCI of a wrong length, PLMN or routing indicator")
    return new(Suci, (plmn, routing_indicator, octets[6] & 15, octets[7], octets[8:]))


def _read_guti(octets: bytes) -> Guti:
    plmn = Plmn.from_octets(octets[1:4])
    if plmn is None or len(octets) != 11:
        raise invalid("5G-GUTI of a wrong length or PLMN")
    rest = int.from_bytes(octets[4:], "big")
    return new(Guti, (plmn, rest >> 48, rest >> 38 & 1023, rest >> 32 & 63, rest & 0xFFFFFFFF))


def _read_s_tmsi(octets: bytes) -> STmsi:
    if len(octets) != 7:
        raise invalid("5G-S-TMSI of a wrong length")
    rest = int.from_bytes(octets[1:], "big")
    return new(STmsi, (rest >> 38, rest >> 32 & 63, rest & 0xFFFFFFFF))


def _read_imeisv(octets: bytes) -> Imeisv:
    digits = imeisv_from(octets)
    if digits is None:
        raise invalid("IMEISV without sixteen digits")
    return new(Imeisv, (digits,))


_IDENTITY_READERS: Final[tuple[Callable[[bytes], MobileIdentity], ...]] = (
    _read_nothing,
    _read_suci,
    _read_guti,
    OtherIdentity,  # IMEI
    _read_s_tmsi,
    _read_imeisv,
    OtherIdentity,  # MAC address
    OtherIdentity,  # EUI-64
)


# --- routing indicator ------------------------------------------------------------------------------------------------


@lru_cache(_REMEMBERED)
def _routing_octets(routing_indicator: str) -> bytes:
    """One to four digits, filled up with F."""
    if len(routing_indicator) > 4 or not (routing_indicator or "0").isdecimal():
        raise ValueError(f"no routing indicator: {routing_indicator!r}")
    return bcd_octets(routing_indicator.ljust(4, "f"))


@lru_cache(_REMEMBERED)
def _routing_from(octets: bytes) -> str | None:
    """One to four digits; none at all (all F) is let pass, other than digits is None."""
    return "" if octets == b"\xff\xff" else bcd_digits(octets)


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
        label = octets[p + 1 : end]
        if not 1 <= octets[p] <= 63 or end > len(octets) or b"." in label:
            return None
        labels.append(label)
        p = end
    dnn = b".".join(labels)
    return dnn.decode("ascii") if labels and dnn.isascii() else None
