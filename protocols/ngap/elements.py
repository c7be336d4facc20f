"""Strict small readers: the content of one NGAP element to its value (TS 38.413 clause 9.4.5).

Each takes the octets of an element and returns what the messages hold; it raises Malformed for what is no encoding
and Beyond for what it leaves to the reference decoder. decode.py says which element of which message it wants.
"""

from collections.abc import Callable
from typing import Any

from protocols.identities import Plmn, STmsi
from protocols.nas5g.messages import Snssai
from protocols.ngap import messages as m
from protocols.ngap.aper import Beyond, Malformed, Reader, length_prefixed
from protocols.ngap.causes import SEMANTIC_ERROR
from protocols.ngap.declared import CAUSE_GROUPS, TIMES_TO_WAIT_S, enumeration_roots
from protocols.ngap.values import plmn_of, security_capability

_CAUSE_ROOTS = [enumeration_roots(type_name) for _, type_name in CAUSE_GROUPS.values()]
_RRC_ROOT_CAUSES = enumeration_roots("RRCEstablishmentCause")
_RRC_CAUSES = {int(cause): cause for cause in m.RrcCause}

# --- UE NGAP IDs and NAS-PDU: in every message, so without a Reader -------------------------------------------


def _ue_id(content: bytes, shift: int) -> int:
    """An integer with its number of octets, less one, in the first bits of the first octet."""
    size = len(content) - 2
    if size < 0 or content[0] != size << shift or (size and not content[1]):
        raise Malformed("no UE NGAP ID")
    return int.from_bytes(content[1:], "big")


def read_amf_ue_id(content: bytes) -> int:
    """9.3.3.1, 0 to 2^40 - 1."""
    if len(content) > 6:
        raise Malformed("no AMF UE NGAP ID")
    return _ue_id(content, 5)


def read_ran_ue_id(content: bytes) -> int:
    """9.3.3.2, 0 to 2^32 - 1."""
    if len(content) > 5:
        raise Malformed("no RAN UE NGAP ID")
    return _ue_id(content, 6)


def read_nas(content: bytes) -> bytes:
    """9.3.3.4."""
    nas, end = length_prefixed(content, 0)
    if end != len(content):
        raise Malformed("octets after the NAS-PDU")
    return nas


# --- parts ---------------------------------------------------------------------------------------------------


def checked_plmn(octets: bytes) -> Plmn:
    """The PLMN identity of three octets; Malformed if a digit is none."""
    plmn = plmn_of(octets)
    if plmn is None:
        raise Malformed(f"no PLMN: {octets.hex()}", SEMANTIC_ERROR)
    return plmn


def _plmn(reader: Reader) -> Plmn:
    return checked_plmn(reader.octets(3))


def _enumerated(reader: Reader, roots: int) -> int:
    """The place of a value in an extensible enumeration with `roots` values before its extension marker."""
    if reader.bits(1):
        if reader.bits(1):
            raise Malformed("enumeration far beyond its extension marker")
        return roots + reader.bits(6)
    place = reader.bits((roots - 1).bit_length())
    if place >= roots:
        raise Malformed("no such value in the enumeration")
    return place


def _name(reader: Reader) -> str:
    """PrintableString (SIZE (1..150, ...))."""
    reader.no_extension()
    size = reader.bits(8) + 1
    octets = reader.octets(size)
    if size > 150 or not octets.isascii():
        raise Malformed("no name")
    return octets.decode("ascii")


def _snssai(reader: Reader) -> Snssai:
    has_sd = reader.is_plain(optional=2)
    sst = reader.bits(8)
    return Snssai(sst, reader.aligned(3) if has_sd else None)


def _slices(reader: Reader) -> tuple[Snssai, ...]:
    """SliceSupportList: 1 to 1024."""
    slices = []
    for _ in range(reader.aligned(2) + 1):
        reader.is_plain(optional=1)
        slices.append(_snssai(reader))
    return tuple(slices)


def _guami(reader: Reader) -> m.Guami:
    reader.is_plain(optional=1)
    return m.Guami(_plmn(reader), reader.bits(8), reader.bits(10), reader.bits(6))


def _gtp_tunnel(reader: Reader) -> tuple[bytes, bytes]:
    """Address and TEID of UPTransportLayerInformation."""
    reader.choice(1, width=1)
    reader.is_plain(optional=1)
    reader.no_extension()
    address_bits = reader.bits(8) + 1
    if address_bits % 8 or address_bits > 160:
        raise Malformed("no transport layer address", SEMANTIC_ERROR)
    return reader.octets(address_bits // 8), reader.octets(4)


def _connections(reader: Reader) -> tuple[tuple[int | None, int | None], ...]:
    """UE-associatedLogicalNG-connectionList: 1 to 65536."""
    pairs = []
    more = True
    while more:
        count, more = reader.block()
        for _ in range(count):
            present = reader.is_plain(optional=3)
            amf = reader.integer(3) if present & 4 else None
            pairs.append((amf, reader.integer(2) if present & 2 else None))
    if not pairs:
        raise Malformed("no connections in the list")
    return tuple(pairs)


# --- elements ------------------------------------------------------------------------------------------------


def read_cause(reader: Reader) -> m.Cause:
    """9.3.1.2."""
    group = reader.bits(3)
    if group >= len(_CAUSE_ROOTS):
        raise Malformed("no such group of causes")
    return m.Cause(m.CauseGroup(group), _enumerated(reader, _CAUSE_ROOTS[group]))


def _location(reader: Reader) -> m.UserLocation:
    """9.3.1.16 with NR user location information; the PLMN is that of the TAI."""
    if reader.choice(2, width=2) != 1:
        raise Beyond
    has_time_stamp = reader.is_plain(optional=2)
    reader.is_plain(optional=1)
    _plmn(reader)
    reader.align()
    cell = reader.bits(36)
    reader.is_plain(optional=1)
    location = m.UserLocation(_plmn(reader), cell, reader.aligned(3))
    if has_time_stamp:
        reader.octets(4)
    return location


def rrc_cause(place: int) -> m.RrcCause:
    """By its place in the enumeration; a value of a later release counts as not available."""
    return _RRC_CAUSES.get(place, m.RrcCause.NOT_AVAILABLE)


def _rrc_cause(reader: Reader) -> m.RrcCause:
    return rrc_cause(_enumerated(reader, _RRC_ROOT_CAUSES))


def _s_tmsi(reader: Reader) -> STmsi:
    reader.is_plain(optional=1)
    return STmsi(reader.bits(10), reader.bits(6), reader.aligned(4))


def _allowed_nssai(reader: Reader) -> tuple[Snssai, ...]:
    slices = []
    for _ in range(reader.bits(3) + 1):
        reader.is_plain(optional=1)
        slices.append(_snssai(reader))
    return tuple(slices)


def _security_capabilities(reader: Reader) -> bytes:
    """9.3.1.86; of each bitmap the seven algorithms that NAS knows."""
    reader.is_plain(optional=1)
    bitmaps = []
    for _ in range(4):
        reader.no_extension()
        bitmaps.append(reader.bits(16) >> 9)
    nr_ea, nr_ia, eutra_ea, eutra_ia = bitmaps
    return security_capability((nr_ea, nr_ia, eutra_ea, eutra_ia))


def _ue_ngap_ids(reader: Reader) -> tuple[int, int | None]:
    if reader.choice(2, width=2) == 0:
        reader.is_plain(optional=1)
        return reader.integer(3), reader.integer(2)
    return reader.integer(3), None


def _reset_type(reader: Reader) -> tuple[tuple[int | None, int | None], ...]:
    """9.2.6.11: nothing for the whole interface, else the connections."""
    if reader.choice(2, width=2) == 0:
        _enumerated(reader, 1)
        return ()
    return _connections(reader)


def _overload_action(reader: Reader) -> m.OverloadAction:
    reader.choice(1, width=1)
    return overload_action(_enumerated(reader, len(m.OverloadAction)))


def overload_action(place: int) -> m.OverloadAction:
    """By its place in the enumeration; Malformed for one of a later release, because it steers what we do."""
    if place >= len(m.OverloadAction):
        raise Malformed("overload action of a later release")
    return m.OverloadAction(place)


def _percentage(reader: Reader) -> int:
    percentage = reader.bits(7) + 1
    if percentage > 99:
        raise Malformed("traffic load reduction above 99 %")
    return percentage


def _time_to_wait_s(reader: Reader) -> int | None:
    """None for a value of a later release."""
    place = _enumerated(reader, len(TIMES_TO_WAIT_S))
    return TIMES_TO_WAIT_S[place] if place < len(TIMES_TO_WAIT_S) else None


def _global_ran_node(reader: Reader) -> tuple[Plmn, int]:
    """9.3.1.5, a gNB: its PLMN and its ID, 22 to 32 bits."""
    reader.choice(1, width=2)
    reader.is_plain(optional=1)
    plmn = _plmn(reader)
    reader.choice(1, width=1)
    size = reader.bits(4) + 22
    if size > 32:
        raise Malformed("no gNB ID")
    reader.align()
    return plmn, reader.bits(size)


def _supported_tas(reader: Reader) -> tuple[int, tuple[Snssai, ...]]:
    """9.2.6.1: of all tracking areas the first one's TAC and the slices of its first PLMN."""
    found: tuple[int, tuple[Snssai, ...]] | None = None
    for _ in range(reader.aligned(1) + 1):
        reader.is_plain(optional=1)
        tac = reader.aligned(3)
        for _ in range(reader.bits(4) + 1):
            reader.is_plain(optional=1)
            _plmn(reader)
            slices = _slices(reader)
            found = found or (tac, slices)
    assert found is not None
    return found


def _served_guami(reader: Reader) -> m.Guami:
    """9.2.6.2: of all served GUAMIs the first."""
    guamis = []
    for _ in range(reader.aligned(1) + 1):
        has_backup = reader.is_plain(optional=2)
        guamis.append(_guami(reader))
        if has_backup:
            _name(reader)
    return guamis[0]


def _supported_slices(reader: Reader) -> tuple[Snssai, ...]:
    """9.2.6.2: of all supported PLMNs the first one's slices."""
    lists = []
    for _ in range(reader.bits(4) + 1):
        reader.is_plain(optional=1)
        _plmn(reader)
        lists.append(_slices(reader))
    return lists[0]


# --- lists of PDU sessions -----------------------------------------------------------------------------------

SetupItem = tuple[int, bytes, Snssai, bytes]  # PDU session id, NAS, S-NSSAI, transfer
TransferItem = tuple[int, bytes]  # PDU session id, transfer


def _setup_items(reader: Reader) -> tuple[SetupItem, ...]:
    items = []
    for _ in range(reader.aligned(1) + 1):
        has_nas = reader.is_plain(optional=2)
        id_ = reader.aligned(1)
        nas = reader.octet_string() if has_nas else b""
        items.append((id_, nas, _snssai(reader), reader.octet_string()))
    return tuple(items)


def _transfer_items(reader: Reader) -> tuple[TransferItem, ...]:
    items = []
    for _ in range(reader.aligned(1) + 1):
        reader.is_plain(optional=1)
        items.append((reader.aligned(1), reader.octet_string()))
    return tuple(items)


def _response_transfer(reader: Reader) -> tuple[bytes, bytes]:
    """PDUSessionResourceSetupResponseTransfer (9.3.4.2): address and TEID of the first tunnel."""
    if reader.is_plain(optional=4):
        raise Beyond
    reader.is_plain(optional=1)
    tunnel = _gtp_tunnel(reader)
    for _ in range(reader.bits(6) + 1):
        has_mapping = reader.is_plain(optional=2)
        reader.no_extension()
        reader.bits(6)
        if has_mapping:
            _enumerated(reader, 2)
    return tunnel


def _whole(read: Callable[[Reader], Any]) -> Callable[[bytes], Any]:
    """A reader of a part as a reader of a whole element, after which nothing follows."""

    def read_whole(content: bytes) -> Any:
        reader = Reader(content)
        value = read(reader)
        reader.end()
        return value

    return read_whole


READERS: dict[str, Callable[[bytes], Any]] = {
    "AMF-UE-NGAP-ID": read_amf_ue_id,
    "RAN-UE-NGAP-ID": read_ran_ue_id,
    "NAS-PDU": read_nas,
    **{
        type_name: _whole(read)
        for type_name, read in {
            "AllowedNSSAI": _allowed_nssai,
            "AMFName": _name,
            "Cause": read_cause,
            "FiveG-S-TMSI": _s_tmsi,
            "GlobalRANNodeID": _global_ran_node,
            "GUAMI": _guami,
            "OverloadResponse": _overload_action,
            "PDUSessionResourceFailedToSetupListSURes": _transfer_items,
            "PDUSessionResourceReleasedListRelRes": _transfer_items,
            "PDUSessionResourceSetupListCxtReq": _setup_items,
            "PDUSessionResourceSetupListCxtRes": _transfer_items,
            "PDUSessionResourceSetupListSUReq": _setup_items,
            "PDUSessionResourceSetupListSURes": _transfer_items,
            "PDUSessionResourceSetupResponseTransfer": _response_transfer,
            "PDUSessionResourceToReleaseListRelCmd": _transfer_items,
            "PLMNSupportList": _supported_slices,
            "RANNodeName": _name,
            "RelativeAMFCapacity": lambda reader: reader.aligned(1),
            "ResetType": _reset_type,
            "RRCEstablishmentCause": _rrc_cause,
            "SecurityKey": lambda reader: reader.octets(32),
            "ServedGUAMIList": _served_guami,
            "SupportedTAList": _supported_tas,
            "TimeToWait": _time_to_wait_s,
            "TrafficLoadReductionIndication": _percentage,
            "UE-associatedLogicalNG-connectionList": _connections,
            "UE-NGAP-IDs": _ue_ngap_ids,
            "UESecurityCapabilities": _security_capabilities,
            "UPTransportLayerInformation": _gtp_tunnel,
            "UserLocationInformation": _location,
        }.items()
    },
}
