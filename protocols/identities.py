"""Identities of a subscriber and of an AMF (TS 23.003 clauses 2.2B, 2.10; TS 24.501 9.11.3.4).

Values only: how they are coded inside a message is protocols.nas5g's business, how a SUPI is concealed protocols.suci's.
A SUPI is a `str` of the form `imsi-001010000000001`, as in TS 29.571.
"""

from typing import NamedTuple


class Plmn(NamedTuple):
    """A PLMN identity; MCC and MNC are strings of digits (leading zeros count; an MNC has two or three)."""

    mcc: str
    mnc: str


class Suci(NamedTuple):
    """A concealed SUPI of format IMSI. `output` is the scheme output as octets (BCD digits for the null scheme)."""

    plmn: Plmn
    routing_indicator: str
    scheme: int
    key_id: int
    output: bytes


class Guti(NamedTuple):
    """A 5G-GUTI: PLMN, AMF Region (8 bits), AMF Set (10), AMF Pointer (6), 5G-TMSI (32)."""

    plmn: Plmn
    region: int
    set_id: int
    pointer: int
    tmsi: int


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
