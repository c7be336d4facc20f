"""The fence: what the small readers leave over is read here by pycrate, one element at a time.

The only place that decodes with pycrate. Whatever goes wrong inside, and with hostile octets anything may, comes out
as Malformed. Only known elements of known messages get here, and only if they hold an extension or a branch that the
small readers do not know; decode.py counts them.
"""

from collections.abc import Callable, Mapping
from typing import Any

from pycrate_asn1dir import NGAP
from pycrate_core.charpy import Charpy

from protocols.identities import Plmn, STmsi
from protocols.nas5g.messages import Snssai
from protocols.ngap import messages as m
from protocols.ngap.aper import Malformed
from protocols.ngap.causes import SEMANTIC_ERROR
from protocols.ngap.declared_elements import CAUSE_GROUPS, TIMES_TO_WAIT_S, enumeration_place
from protocols.ngap.element_parts import checked_plmn
from protocols.ngap.elements import overload_action, rrc_cause
from protocols.ngap.values import security_capability

_IES: Any = NGAP.NGAP_IEs
_CAUSES = {branch: (group, type_name) for group, (branch, type_name) in CAUSE_GROUPS.items()}

Fields = Mapping[str, Any]


def read_by_reference(type_name: str, content: bytes) -> Any:
    """The value of an element as elements.py would give it. Raises Malformed, nothing else."""
    try:
        element = getattr(_IES, type_name.replace("-", "_"))
        octets = Charpy(content)
        element.from_aper(octets)
        if octets.len_bit() >= 8:
            raise Malformed("goes on after its end")
        return CONVERTERS[type_name](element.get_val())
    except Malformed:
        raise
    except Exception as error:
        raise Malformed(f"{type_name}: {type(error).__name__}") from None


def _snssai(fields: Fields) -> Snssai:
    sd = fields.get("sD")
    return Snssai(fields["sST"][0], None if sd is None else int.from_bytes(sd))


def _slices(items: list[Fields]) -> tuple[Snssai, ...]:
    return tuple(_snssai(item["s-NSSAI"]) for item in items)


def _cause(choice: tuple[str, str]) -> m.Cause:
    branch, name = choice
    if branch not in _CAUSES:
        raise Malformed("no such group of causes")
    group, type_name = _CAUSES[branch]
    return m.Cause(group, enumeration_place(type_name, name))


def _location(choice: tuple[str, Fields]) -> m.UserLocation:
    """NR or E-UTRA cells; a location without a cell (N3IWF and the like) is none for us."""
    branch, fields = choice
    cells = {
        "userLocationInformationNR": ("nR-CGI", "nRCellIdentity"),
        "userLocationInformationEUTRA": ("eUTRA-CGI", "eUTRACellIdentity"),
    }
    if branch not in cells:
        raise Malformed(f"{branch} has no cell", SEMANTIC_ERROR)
    cgi, identity = cells[branch]
    tai = fields["tAI"]
    plmn = checked_plmn(tai["pLMNIdentity"])
    return m.UserLocation(plmn, fields[cgi][identity][0], int.from_bytes(tai["tAC"]))


def _s_tmsi(fields: Fields) -> STmsi:
    return STmsi(fields["aMFSetID"][0], fields["aMFPointer"][0], int.from_bytes(fields["fiveG-TMSI"]))


def _guami(fields: Fields) -> m.Guami:
    names = ("aMFRegionID", "aMFSetID", "aMFPointer")
    return m.Guami(checked_plmn(fields["pLMNIdentity"]), *(fields[name][0] for name in names))


def _security_capabilities(fields: Fields) -> bytes:
    """Bitmaps longer than sixteen bits are of a later release: their first seven bits count."""
    names = (
        "nRencryptionAlgorithms",
        "nRintegrityProtectionAlgorithms",
        "eUTRAencryptionAlgorithms",
        "eUTRAintegrityProtectionAlgorithms",
    )
    nr_ea, nr_ia, eutra_ea, eutra_ia = (fields[name][0] >> fields[name][1] - 7 for name in names)
    return security_capability((nr_ea, nr_ia, eutra_ea, eutra_ia))


def _ue_ngap_ids(choice: tuple[str, Any]) -> tuple[int, int | None]:
    branch, value = choice
    if branch == "uE-NGAP-ID-pair":
        return value["aMF-UE-NGAP-ID"], value["rAN-UE-NGAP-ID"]
    if branch == "aMF-UE-NGAP-ID":
        return value, None
    raise Malformed("no UE NGAP IDs")


def _connections(items: list[Fields]) -> tuple[tuple[int | None, int | None], ...]:
    return tuple((item.get("aMF-UE-NGAP-ID"), item.get("rAN-UE-NGAP-ID")) for item in items)


def _reset_type(choice: tuple[str, Any]) -> tuple[tuple[int | None, int | None], ...]:
    branch, value = choice
    if branch == "partOfNG-Interface":
        return _connections(value)
    if branch == "nG-Interface":
        return ()
    raise Malformed("no such reset type")


def _overload_action(choice: tuple[str, str]) -> m.OverloadAction:
    _, name = choice
    return overload_action(enumeration_place("OverloadAction", name))


def _global_ran_node(choice: tuple[str, Fields]) -> tuple[Plmn, int]:
    """Any RAN node's PLMN and ID; the IDs are of different lengths and may coincide."""
    _, fields = choice
    (id_,) = (value for name, value in fields.items() if name in ("gNB-ID", "ngENB-ID", "n3IWF-ID"))
    return checked_plmn(fields["pLMNIdentity"]), int(id_[1][0])


def _supported_tas(items: list[Fields]) -> tuple[int, tuple[Snssai, ...]]:
    first = items[0]
    return int.from_bytes(first["tAC"]), _slices(first["broadcastPLMNList"][0]["tAISliceSupportList"])


def _gtp_tunnel(choice: tuple[str, Fields]) -> tuple[bytes, bytes]:
    _, fields = choice
    address, bits = fields["transportLayerAddress"]
    if bits % 8:
        raise Malformed("no transport layer address", SEMANTIC_ERROR)
    return int(address).to_bytes(bits // 8), fields["gTP-TEID"]


def _response_transfer(fields: Fields) -> tuple[bytes, bytes]:
    return _gtp_tunnel(fields["dLQosFlowPerTNLInformation"]["uPTransportLayerInformation"])


def _transfer(value: Any) -> bytes:
    """The octets of a transfer, which pycrate has looked into if it could."""
    if isinstance(value, bytes):
        return value
    type_name, content = value
    element = getattr(_IES, type_name.replace("-", "_"))
    element.set_val(content)
    octets: bytes = element.to_aper()
    return octets


def _setup_items(items: list[Fields]) -> tuple[Any, ...]:
    transfer = "pDUSessionResourceSetupRequestTransfer"
    return tuple(
        (
            item["pDUSessionID"],
            item.get("nAS-PDU", item.get("pDUSessionNAS-PDU", b"")),
            _snssai(item["s-NSSAI"]),
            _transfer(item[transfer]),
        )
        for item in items
    )


def _transfer_items(items: list[Fields]) -> tuple[Any, ...]:
    """Items of an id and one transfer, whatever its name."""
    return tuple(
        (item["pDUSessionID"], next(_transfer(item[name]) for name in item if name.endswith("Transfer")))
        for item in items
    )


def _time_to_wait_s(name: str) -> int | None:
    place = enumeration_place("TimeToWait", name)
    return TIMES_TO_WAIT_S[place] if place < len(TIMES_TO_WAIT_S) else None


def _as_it_is(value: Any) -> Any:
    return value


CONVERTERS: dict[str, Callable[[Any], Any]] = {
    "AMF-UE-NGAP-ID": _as_it_is,
    "AMFName": _as_it_is,
    "AllowedNSSAI": _slices,
    "Cause": _cause,
    "FiveG-S-TMSI": _s_tmsi,
    "GUAMI": _guami,
    "GlobalRANNodeID": _global_ran_node,
    "NAS-PDU": _as_it_is,
    "OverloadResponse": _overload_action,
    "PDUSessionResourceFailedToSetupListSURes": _transfer_items,
    "PDUSessionResourceReleasedListRelRes": _transfer_items,
    "PDUSessionResourceSetupListCxtReq": _setup_items,
    "PDUSessionResourceSetupListCxtRes": _transfer_items,
    "PDUSessionResourceSetupListSUReq": _setup_items,
    "PDUSessionResourceSetupListSURes": _transfer_items,
    "PDUSessionResourceSetupResponseTransfer": _response_transfer,
    "PDUSessionResourceToReleaseListRelCmd": _transfer_items,
    "PLMNSupportList": lambda items: _slices(items[0]["sliceSupportList"]),
    "RAN-UE-NGAP-ID": _as_it_is,
    "RANNodeName": _as_it_is,
    "RRCEstablishmentCause": lambda name: rrc_cause(enumeration_place("RRCEstablishmentCause", name)),
    "RelativeAMFCapacity": _as_it_is,
    "ResetType": _reset_type,
    "SecurityKey": lambda bits: bits[0].to_bytes(32),
    "ServedGUAMIList": lambda items: _guami(items[0]["gUAMI"]),
    "SupportedTAList": _supported_tas,
    "TimeToWait": _time_to_wait_s,
    "TrafficLoadReductionIndication": _as_it_is,
    "UE-NGAP-IDs": _ue_ngap_ids,
    "UE-associatedLogicalNG-connectionList": _connections,
    "UESecurityCapabilities": _security_capabilities,
    "UPTransportLayerInformation": _gtp_tunnel,
    "UserLocationInformation": _location,
}
