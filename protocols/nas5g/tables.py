"""What each NAS-5GS message looks like: its IEs in order, their identifiers and formats (TS 24.501 clause 8).

Read once from pycrate's message classes, so that no table of clause 8 is copied by hand; `CORRECTIONS` lists
where pycrate differs from TS 24.501. Writers (writers.py) and walkers (walkers.py) are generated from these
tables. No pycrate object outlives the reading.
"""

from collections.abc import Mapping
from enum import Enum
from typing import Any, Final, NamedTuple

from pycrate_mobile.TS24007 import (
    Type1TV,
    Type1V,
    Type2,
    Type3TV,
    Type3V,
    Type4LV,
    Type4TLV,
    Type6LVE,
    Type6TLVE,
)
from pycrate_mobile.TS24501_FGMM import FGMMTypeClasses
from pycrate_mobile.TS24501_FGSM import FGSMTypeClasses


class Format(Enum):
    """Formats of IEs (TS 24.007 11.2.1.1): half octets, octets of fixed length, octets with a length."""

    HALF = "half octet"
    V = "V"
    LV = "LV"
    LV_E = "LV-E"
    HALF_TV = "TV, half octet each"
    TV = "TV"
    TLV = "TLV"
    TLV_E = "TLV-E"


class Element(NamedTuple):
    """One IE of a message. `iei` has 4 bits for HALF_TV; `length` in octets, where the format fixes it."""

    name: str
    format: Format
    iei: int = 0
    length: int = 0


class Table(NamedTuple):
    """One message: the octets before its first IE (5GSM: session and transaction identity are 0 there)."""

    name: str
    header: bytes
    mandatory: tuple[Element, ...]
    optional: tuple[Element, ...]


SPARE: Final = "spare"
"""The name of a half octet that is sent as zero and not read."""

CORRECTIONS: Final[Mapping[tuple[str, str], Element]] = {
    # pycrate gives no IEI at all (0); TS 24.501 8.3.3.6, 8.3.8.5
    ("5GSMPDUSessionEstabReject", "ReattemptInd"): Element("ReattemptInd", Format.TLV, 0x1D),
    ("5GSMPDUSessionModifReject", "ReattemptInd"): Element("ReattemptInd", Format.TLV, 0x1D),
    # pycrate has a whole octet 0A; TS 24.501 8.2.6.31 has the half octet A-
    ("5GMMRegistrationRequest", "N5GCInd"): Element("N5GCInd", Format.HALF_TV, 0xA),
}


def _element(ie: Any) -> Element:
    """One pycrate IE as plain data. Anything of another kind is a half octet of spare bits."""
    name: str = ie._name
    match ie:
        case Type1V():
            return Element(name, Format.HALF)
        case Type1TV():
            return Element(name, Format.HALF_TV, ie[0].get_val())
        case Type2():
            return Element(name, Format.TV, ie[0].get_val())
        case Type3V():
            return Element(name, Format.V, length=ie[0].get_bl() // 8)
        case Type3TV():
            return Element(name, Format.TV, ie[0].get_val(), ie[1].get_bl() // 8)
        case Type4LV():
            return Element(name, Format.LV)
        case Type4TLV():
            return Element(name, Format.TLV, ie[0].get_val())
        case Type6LVE():
            return Element(name, Format.LV_E)
        case Type6TLVE():
            return Element(name, Format.TLV_E, ie[0].get_val())
    if ie.get_bl() != 4:
        raise TypeError(f"{name}: a kind of IE that this file does not know")
    return Element(SPARE, Format.HALF)


_MANDATORY = (Format.HALF, Format.V, Format.LV, Format.LV_E)


def _table(message_class: Any) -> Table:
    message = message_class()
    header, *ies = list(message._content)
    name: str = message._name
    elements = [CORRECTIONS.get((name, ie._name)) or _element(ie) for ie in ies]
    return Table(
        name,
        header.to_bytes(),
        tuple(element for element in elements if element.format in _MANDATORY),
        tuple(element for element in elements if element.format not in _MANDATORY),
    )


FIVEGMM: Final[Mapping[int, Table]] = {number: _table(message) for number, message in FGMMTypeClasses.items()}
"""The 5GMM messages that pycrate defines, by message type."""

FIVEGSM: Final[Mapping[int, Table]] = {number: _table(message) for number, message in FGSMTypeClasses.items()}
"""The 5GSM messages that pycrate defines, by message type."""
