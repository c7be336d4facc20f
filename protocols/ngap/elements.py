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
from protocols.ngap.declared_elements import CAUSE_GROUPS, TIMES_TO_WAIT_S, enumeration_roots
from protocols.ngap.element_parts import (
    read_connections,
    read_enumerated,
    read_gtp_tunnel,
    read_guami,
    read_name,
    read_plmn,
    read_slices,
    read_snssai,
)
from protocols.ngap.values import security_capability

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


# --- elements ------------------------------------------------------------------------------------------------


def _cause(reader: Reader) -> m.Cause:
    """9.3.1.2."""
    group = reader.bits(3)
    if group >= len(_CAUSE_ROOTS):
        raise Malformed("no such group of causes")
    return m.Cause(m.CauseGroup(group), read_enumerated(reader, _CAUSE_ROOTS[group]))


def _location(reader: Reader) -> m.UserLocation:
    """9.3.1.16 with NR user location information; the PLMN is that of the TAI."""
    if reader.choice(2, width=2) != 1:
        raise Beyond
    has_time_stamp = reader.is_plain(optional=2)
    reader.is_plain(optional=1)
    read_plmn(reader)
    reader.align()
    cell = reader.bits(36)
    reader.is_plain(optional=1)
    location = m.UserLocation(read_plmn(reader), cell, reader.aligned(3))
    if has_time_stamp:
        reader.octets(4)
    return location


def rrc_cause(place: int) -> m.RrcCause:
    """By its place in the enumeration; a value of a later release counts as not available."""
    return _RRC_CAUSES.get(place, m.RrcCause.NOT_AVAILABLE)


def _rrc_cause(reader: Reader) -> m.RrcCause:
    return rrc_cause(read_enumerated(reader, _RRC_ROOT_CAUSES))


def _s_tmsi(reader: Reader) -> STmsi:
    reader.is_plain(optional=1)
    return STmsi(reader.bits(10), reader.bits(6), reader.aligned(4))


def _allowed_nssai(reader: Reader) -> tuple[Snssai, ...]:
    slices = []
    for _ in range(reader.bits(3) + 1):
        reader.is_plain(optional=1)
        slices.append(read_snssai(reader))
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
        return reader.integer(3, most=5), reader.integer(2, most=4)
    return reader.integer(3, most=5), None


def _reset_type(reader: Reader) -> tuple[tuple[int | None, int | None], ...]:
    """9.2.6.11: nothing for the whole interface, else the connections."""
    if reader.choice(2, width=2) == 0:
        read_enumerated(reader, 1)
        return ()
    return read_connections(reader)


def _overload_action(reader: Reader) -> m.OverloadAction:
    reader.choice(1, width=1)
    return overload_action(read_enumerated(reader, len(m.OverloadAction)))


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
    place = read_enumerated(reader, len(TIMES_TO_WAIT_S))
    return TIMES_TO_WAIT_S[place] if place < len(TIMES_TO_WAIT_S) else None


def _global_ran_node(reader: Reader) -> tuple[Plmn, int]:
    """9.3.1.5, a gNB: its PLMN and its ID, 22 to 32 bits."""
    reader.choice(1, width=2)
    reader.is_plain(optional=1)
    plmn = read_plmn(reader)
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
            read_plmn(reader)
            slices = read_slices(reader)
            found = found or (tac, slices)
    assert found is not None
    return found


def _served_guami(reader: Reader) -> m.Guami:
    """9.2.6.2: of all served GUAMIs the first."""
    guamis = []
    for _ in range(reader.aligned(1) + 1):
        has_backup = reader.is_plain(optional=2)
        guamis.append(read_guami(reader))
        if has_backup:
            read_name(reader)
    return guamis[0]


def _supported_slices(reader: Reader) -> tuple[Snssai, ...]:
    """9.2.6.2: of all supported PLMNs the first one's slices."""
    lists = []
    for _ in range(reader.bits(4) + 1):
        reader.is_plain(optional=1)
        read_plmn(reader)
        lists.append(read_slices(reader))
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
        items.append((id_, nas, read_snssai(reader), reader.octet_string()))
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
    tunnel = read_gtp_tunnel(reader)
    for _ in range(reader.bits(6) + 1):
        has_mapping = reader.is_plain(optional=2)
        reader.no_extension()
        reader.bits(6)
        if has_mapping:
            read_enumerated(reader, 2)
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
            "AMFName": read_name,
            "Cause": _cause,
            "FiveG-S-TMSI": _s_tmsi,
            "GlobalRANNodeID": _global_ran_node,
            "GUAMI": read_guami,
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
            "RANNodeName": read_name,
            "RelativeAMFCapacity": lambda reader: reader.aligned(1),
            "ResetType": _reset_type,
            "RRCEstablishmentCause": _rrc_cause,
            "SecurityKey": lambda reader: reader.octets(32),
            "ServedGUAMIList": _served_guami,
            "SupportedTAList": _supported_tas,
            "TimeToWait": _time_to_wait_s,
            "TrafficLoadReductionIndication": _percentage,
            "UE-associatedLogicalNG-connectionList": read_connections,
            "UE-NGAP-IDs": _ue_ngap_ids,
            "UESecurityCapabilities": _security_capabilities,
            "UPTransportLayerInformation": read_gtp_tunnel,
            "UserLocationInformation": _location,
        }.items()
    },
}
