"""Strict small readers for the parts that several NGAP elements are made of (TS 38.413 clause 9.4.5)."""

from protocols.identities import Plmn
from protocols.nas5g.messages import Snssai
from protocols.ngap.aper import Malformed, Reader
from protocols.ngap.causes import SEMANTIC_ERROR
from protocols.ngap.messages import Guami
from protocols.ngap.values import plmn_of


def checked_plmn(octets: bytes) -> Plmn:
    """The PLMN identity of three octets; Malformed if a digit is none."""
    plmn = plmn_of(octets)
    if plmn is None:
        raise Malformed(f"no PLMN: {octets.hex()}", SEMANTIC_ERROR)
    return plmn


def read_plmn(reader: Reader) -> Plmn:
    return checked_plmn(reader.octets(3))


def read_enumerated(reader: Reader, roots: int) -> int:
    """The place of a value in an extensible enumeration with `roots` values before its extension marker."""
    if reader.bits(1):
        if reader.bits(1):
            raise Malformed("enumeration far beyond its extension marker")
        return roots + reader.bits(6)
    place = reader.bits((roots - 1).bit_length())
    if place >= roots:
        raise Malformed("no such value in the enumeration")
    return place


def read_name(reader: Reader) -> str:
    """PrintableString (SIZE (1..150, ...))."""
    reader.no_extension()
    size = reader.bits(8) + 1
    octets = reader.octets(size)
    if size > 150 or not octets.isascii():
        raise Malformed("no name")
    return octets.decode("ascii")


def read_snssai(reader: Reader) -> Snssai:
    has_sd = reader.is_plain(optional=2)
    sst = reader.bits(8)
    return Snssai(sst, reader.aligned(3) if has_sd else None)


def read_slices(reader: Reader) -> tuple[Snssai, ...]:
    """SliceSupportList: 1 to 1024."""
    slices = []
    for _ in range(reader.aligned(2) + 1):
        reader.is_plain(optional=1)
        slices.append(read_snssai(reader))
    return tuple(slices)


def read_guami(reader: Reader) -> Guami:
    reader.is_plain(optional=1)
    return Guami(read_plmn(reader), reader.bits(8), reader.bits(10), reader.bits(6))


def read_gtp_tunnel(reader: Reader) -> tuple[bytes, bytes]:
    """Address and TEID of UPTransportLayerInformation."""
    reader.choice(1, width=1)
    reader.is_plain(optional=1)
    reader.no_extension()
    address_bits = reader.bits(8) + 1
    if address_bits % 8 or address_bits > 160:
        raise Malformed("no transport layer address", SEMANTIC_ERROR)
    return reader.octets(address_bits // 8), reader.octets(4)


def read_connections(reader: Reader) -> tuple[tuple[int | None, int | None], ...]:
    """UE-associatedLogicalNG-connectionList: 1 to 65536."""
    pairs = []
    more = True
    while more:
        count, more = reader.block()
        for _ in range(count):
            present = reader.is_plain(optional=3)
            amf = reader.integer(3, most=5) if present & 4 else None
            pairs.append((amf, reader.integer(2, most=4) if present & 2 else None))
    if not pairs:
        raise Malformed("no connections in the list")
    return tuple(pairs)
