"""The elements of NGAP messages, declared: values as pycrate takes them (TS 38.413 clause 9.3).

Used by declared.py, which says in which message they go.
"""

from collections.abc import Sequence
from typing import Any

from pycrate_asn1dir import NGAP

from protocols.ngap.messages import Cause, CauseGroup

_IES: Any = NGAP.NGAP_IEs

CAUSE_GROUPS = {
    CauseGroup.RADIO_NETWORK: ("radioNetwork", "CauseRadioNetwork"),
    CauseGroup.TRANSPORT: ("transport", "CauseTransport"),
    CauseGroup.NAS: ("nas", "CauseNas"),
    CauseGroup.PROTOCOL: ("protocol", "CauseProtocol"),
    CauseGroup.MISC: ("misc", "CauseMisc"),
}
TIMES_TO_WAIT_S = (1, 2, 5, 10, 20, 60)
AMBR_BIT_PER_S = 1_000_000_000  # assumed: no scenario depends on throughput
DEFAULT_5QI = 9  # non-GBR, the default bearer's QoS (TS 23.501 table 5.7.4-1)
QOS_FLOW = 1  # assumed: one flow for each session
MAX_CONNECTIONS = 16383  # TS 38.413 allows 65536, but pycrate 0.8.1 does not fragment lists

Session = tuple[int, Any, bytes, bytes, bytes]  # PDU session id, S-NSSAI, UPF address, TEID, NAS
Tunnel = tuple[int, bytes, bytes]  # PDU session id, gNB address, TEID


def enumeration_names(type_name: str) -> tuple[str, ...]:
    """The names of an ASN.1 enumeration, in order."""
    return tuple(str(name) for name in getattr(_IES, type_name.replace("-", "_"))._cont)


def enumeration_roots(type_name: str) -> int:
    """How many values an ASN.1 enumeration has before its extension marker."""
    enumeration = getattr(_IES, type_name.replace("-", "_"))
    return len(enumeration._cont) - len(enumeration._ext or ())


_UNKNOWN = "_ext_"  # pycrate's name for a value of a later release, with its place behind the extension marker


def enumeration_place(type_name: str, name: str) -> int:
    """The place of a value in an ASN.1 enumeration, by its name."""
    if name.startswith(_UNKNOWN):
        return enumeration_roots(type_name) + int(name.removeprefix(_UNKNOWN))
    return enumeration_names(type_name).index(name)


_CAUSE_NAMES = {group: enumeration_names(type_name) for group, (_, type_name) in CAUSE_GROUPS.items()}
RRC_CAUSES = enumeration_names("RRCEstablishmentCause")
OVERLOAD_ACTIONS = enumeration_names("OverloadAction")


def encode_element(type_name: str, value: Any) -> bytes:
    """A value of one ASN.1 type on its own, as the content of a container."""
    element = getattr(_IES, type_name)
    element.set_val(value)
    octets: bytes = element.to_aper()
    return octets


def cause_value(cause: Cause) -> tuple[str, str]:
    """A cause that this release does not know is coded too: it may be the echo of a peer's."""
    branch, type_name = CAUSE_GROUPS[cause.group]
    names = _CAUSE_NAMES[cause.group]
    if cause.value < 0:
        raise ValueError(f"no cause: {cause}")
    if cause.value < len(names):
        return branch, names[cause.value]
    return branch, f"{_UNKNOWN}{cause.value - enumeration_roots(type_name)}"


def location_value(plmn: bytes, cell: int, tac: int) -> tuple[str, Any]:
    cgi = {"pLMNIdentity": plmn, "nRCellIdentity": (cell, 36)}
    return "userLocationInformationNR", {"nR-CGI": cgi, "tAI": {"pLMNIdentity": plmn, "tAC": tac.to_bytes(3)}}


def snssai_value(snssai: tuple[int, int | None]) -> dict[str, bytes]:
    sst, sd = snssai
    return {"sST": sst.to_bytes()} if sd is None else {"sST": sst.to_bytes(), "sD": sd.to_bytes(3)}


def slices_value(slices: Sequence[tuple[int, int | None]]) -> list[Any]:
    return [{"s-NSSAI": snssai_value(snssai)} for snssai in slices]


def guami_value(plmn: bytes, region: int, set_id: int, pointer: int) -> dict[str, Any]:
    bits = {"aMFRegionID": (region, 8), "aMFSetID": (set_id, 10), "aMFPointer": (pointer, 6)}
    return {"pLMNIdentity": plmn, **bits}


def _gtp_tunnel(address: bytes, teid: bytes) -> tuple[str, Any]:
    bits = (int.from_bytes(address), 8 * len(address))
    return "gTPTunnel", {"transportLayerAddress": bits, "gTP-TEID": teid}


def _setup_request_transfer(address: bytes, teid: bytes) -> bytes:
    """9.3.4.1, for an IPv4 session with one non-GBR flow."""
    arp = {
        "priorityLevelARP": 8,
        "pre-emptionCapability": "shall-not-trigger-pre-emption",
        "pre-emptionVulnerability": "not-pre-emptable",
    }
    characteristics = ("nonDynamic5QI", {"fiveQI": DEFAULT_5QI})
    qos = {"qosCharacteristics": characteristics, "allocationAndRetentionPriority": arp}
    ambr = {
        "pDUSessionAggregateMaximumBitRateDL": AMBR_BIT_PER_S,
        "pDUSessionAggregateMaximumBitRateUL": AMBR_BIT_PER_S,
    }
    elements = (
        (130, ("PDUSessionAggregateMaximumBitRate", ambr)),
        (139, ("UPTransportLayerInformation", _gtp_tunnel(address, teid))),
        (134, ("PDUSessionType", "ipv4")),
        (
            136,
            ("QosFlowSetupRequestList", [{"qosFlowIdentifier": QOS_FLOW, "qosFlowLevelQosParameters": qos}]),
        ),
    )
    rows = [{"id": id_, "criticality": "reject", "value": value} for id_, value in elements]
    return encode_element("PDUSessionResourceSetupRequestTransfer", {"protocolIEs": rows})


def _setup_response_transfer(address: bytes, teid: bytes) -> bytes:
    """9.3.4.2, for one flow."""
    flows = [{"qosFlowIdentifier": QOS_FLOW}]
    tunnel = {"uPTransportLayerInformation": _gtp_tunnel(address, teid), "associatedQosFlowList": flows}
    return encode_element("PDUSessionResourceSetupResponseTransfer", {"dLQosFlowPerTNLInformation": tunnel})


def setup_items(sessions: Sequence[Session], nas_name: str) -> list[Any]:
    """The items of a setup list; the NAS-PDU has another name in each of the two lists."""
    items = []
    for id_, snssai, address, teid, nas in sessions:
        item: dict[str, Any] = {"pDUSessionID": id_, "s-NSSAI": snssai_value(snssai)}
        item["pDUSessionResourceSetupRequestTransfer"] = _setup_request_transfer(address, teid)
        items.append({**item, nas_name: nas} if nas else item)
    return items


def response_items(tunnels: Sequence[Tunnel]) -> list[Any] | None:
    name = "pDUSessionResourceSetupResponseTransfer"
    return [
        {"pDUSessionID": id_, name: _setup_response_transfer(address, teid)} for id_, address, teid in tunnels
    ] or None


def connections_value(pairs: Sequence[tuple[int | None, int | None]]) -> list[Any]:
    if len(pairs) > MAX_CONNECTIONS:
        raise ValueError(f"{len(pairs)} connections in one message; pycrate codes {MAX_CONNECTIONS}")
    names = ("aMF-UE-NGAP-ID", "rAN-UE-NGAP-ID")
    return [{name: id_ for name, id_ in zip(names, pair, strict=True) if id_ is not None} for pair in pairs]


def bitmaps_value(nr_ea: int, nr_ia: int, eutra_ea: int, eutra_ia: int) -> dict[str, Any]:
    """9.3.1.86: seven algorithms, first bit is algorithm 1 (the null algorithm has none), nine bits reserved."""
    return {
        "nRencryptionAlgorithms": (nr_ea << 9, 16),
        "nRintegrityProtectionAlgorithms": (nr_ia << 9, 16),
        "eUTRAencryptionAlgorithms": (eutra_ea << 9, 16),
        "eUTRAintegrityProtectionAlgorithms": (eutra_ia << 9, 16),
    }
