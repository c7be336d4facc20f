"""The NGAP messages, declared: one builder each, slow and right, by pycrate (TS 38.413 clause 9.2).

What each message carries is said here and nowhere else; encode.py compiles most of these builders into templates.
Builders take flat fields as they stand on the wire (a PLMN as three octets, an enumeration by its place). pycrate's
classes are shared mutable objects: nothing may yield between set_val and to_aper.
"""

from collections.abc import Sequence
from typing import Any

from pycrate_asn1dir import NGAP

from protocols.ngap.messages import Cause, CauseGroup
from protocols.ngap.tables import KINDS, MESSAGES

_IES: Any = NGAP.NGAP_IEs
_PDU: Any = NGAP.NGAP_PDU_Descriptions.NGAP_PDU

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
_RRC_CAUSES = enumeration_names("RRCEstablishmentCause")
_OVERLOAD_ACTIONS = enumeration_names("OverloadAction")


def _encode(name: str, **values: Any) -> bytes:
    """A PDU with the given elements (by ASN.1 type name, `-` written as `_`), in the order of the specification."""
    entry = MESSAGES[name]
    elements = [
        {"id": element.id, "criticality": element.criticality, "value": (element.type, value)}
        for element in entry.elements
        if (value := values.get(element.type.replace("-", "_"))) is not None
    ]
    body = (name, {"protocolIEs": elements})
    head = {"procedureCode": entry.procedure, "criticality": entry.criticality, "value": body}
    _PDU.set_val((KINDS[entry.kind], head))
    octets: bytes = _PDU.to_aper()
    return octets


def _encode_element(type_name: str, value: Any) -> bytes:
    """A value of one ASN.1 type on its own, as the content of a container."""
    element = getattr(_IES, type_name)
    element.set_val(value)
    octets: bytes = element.to_aper()
    return octets


# --- elements ------------------------------------------------------------------------------------------------


def _cause(cause: Cause) -> tuple[str, str]:
    """A cause that this release does not know is coded too: it may be the echo of a peer's."""
    branch, type_name = CAUSE_GROUPS[cause.group]
    names = _CAUSE_NAMES[cause.group]
    if cause.value < 0:
        raise ValueError(f"no cause: {cause}")
    if cause.value < len(names):
        return branch, names[cause.value]
    return branch, f"{_UNKNOWN}{cause.value - enumeration_roots(type_name)}"


def _location(plmn: bytes, cell: int, tac: int) -> tuple[str, Any]:
    cgi = {"pLMNIdentity": plmn, "nRCellIdentity": (cell, 36)}
    return "userLocationInformationNR", {"nR-CGI": cgi, "tAI": {"pLMNIdentity": plmn, "tAC": tac.to_bytes(3)}}


def _snssai(snssai: tuple[int, int | None]) -> dict[str, bytes]:
    sst, sd = snssai
    return {"sST": sst.to_bytes()} if sd is None else {"sST": sst.to_bytes(), "sD": sd.to_bytes(3)}


def _slices(slices: Sequence[tuple[int, int | None]]) -> list[Any]:
    return [{"s-NSSAI": _snssai(snssai)} for snssai in slices]


def _guami(plmn: bytes, region: int, set_id: int, pointer: int) -> dict[str, Any]:
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
    return _encode_element("PDUSessionResourceSetupRequestTransfer", {"protocolIEs": rows})


def _setup_response_transfer(address: bytes, teid: bytes) -> bytes:
    """9.3.4.2, for one flow."""
    flows = [{"qosFlowIdentifier": QOS_FLOW}]
    tunnel = {"uPTransportLayerInformation": _gtp_tunnel(address, teid), "associatedQosFlowList": flows}
    return _encode_element("PDUSessionResourceSetupResponseTransfer", {"dLQosFlowPerTNLInformation": tunnel})


def _setup_items(sessions: Sequence[Session], nas_name: str) -> list[Any]:
    """The items of a setup list; the NAS-PDU has another name in each of the two lists."""
    items = []
    for id_, snssai, address, teid, nas in sessions:
        item: dict[str, Any] = {"pDUSessionID": id_, "s-NSSAI": _snssai(snssai)}
        item["pDUSessionResourceSetupRequestTransfer"] = _setup_request_transfer(address, teid)
        items.append({**item, nas_name: nas} if nas else item)
    return items


def _response_items(tunnels: Sequence[Tunnel]) -> list[Any] | None:
    name = "pDUSessionResourceSetupResponseTransfer"
    return [
        {"pDUSessionID": id_, name: _setup_response_transfer(address, teid)} for id_, address, teid in tunnels
    ] or None


def _connections(pairs: Sequence[tuple[int | None, int | None]]) -> list[Any]:
    if len(pairs) > MAX_CONNECTIONS:
        raise ValueError(f"{len(pairs)} connections in one message; pycrate codes {MAX_CONNECTIONS}")
    names = ("aMF-UE-NGAP-ID", "rAN-UE-NGAP-ID")
    return [{name: id_ for name, id_ in zip(names, pair, strict=True) if id_ is not None} for pair in pairs]


def _bitmaps(nr_ea: int, nr_ia: int, eutra_ea: int, eutra_ia: int) -> dict[str, Any]:
    """9.3.1.86: seven algorithms, first bit is algorithm 1 (the null algorithm has none), nine bits reserved."""
    return {
        "nRencryptionAlgorithms": (nr_ea << 9, 16),
        "nRintegrityProtectionAlgorithms": (nr_ia << 9, 16),
        "eUTRAencryptionAlgorithms": (eutra_ea << 9, 16),
        "eUTRAintegrityProtectionAlgorithms": (eutra_ia << 9, 16),
    }


# --- interface management ------------------------------------------------------------------------------------


def ng_setup_request(plmn: bytes, gnb_id: int, name: str, tac: int, slices: Sequence[tuple[int, int | None]]) -> bytes:
    """9.2.6.1."""
    broadcast = {"pLMNIdentity": plmn, "tAISliceSupportList": _slices(slices)}
    return _encode(
        "NGSetupRequest",
        GlobalRANNodeID=("globalGNB-ID", {"pLMNIdentity": plmn, "gNB-ID": ("gNB-ID", (gnb_id, 24))}),
        RANNodeName=name or None,
        SupportedTAList=[{"tAC": tac.to_bytes(3), "broadcastPLMNList": [broadcast]}],
        PagingDRX="v128",
    )


def ng_setup_response(
    name: str,
    guami: tuple[bytes, int, int, int],
    relative_capacity: int,
    slices: Sequence[tuple[int, int | None]],
) -> bytes:
    """9.2.6.2; the PLMN supported is that of the GUAMI."""
    return _encode(
        "NGSetupResponse",
        AMFName=name,
        ServedGUAMIList=[{"gUAMI": _guami(*guami)}],
        RelativeAMFCapacity=relative_capacity,
        PLMNSupportList=[{"pLMNIdentity": guami[0], "sliceSupportList": _slices(slices)}],
    )


def ng_setup_failure(cause: Cause, time_to_wait_s: int | None) -> bytes:
    """9.2.6.3."""
    wait = None if time_to_wait_s is None else f"v{time_to_wait_s}s"
    return _encode("NGSetupFailure", Cause=_cause(cause), TimeToWait=wait)


def ng_reset(cause: Cause, connections: Sequence[tuple[int | None, int | None]]) -> bytes:
    """9.2.6.11; no connections means all."""
    part = ("partOfNG-Interface", _connections(connections))
    return _encode("NGReset", Cause=_cause(cause), ResetType=part if connections else ("nG-Interface", "reset-all"))


def ng_reset_acknowledge(connections: Sequence[tuple[int | None, int | None]]) -> bytes:
    """9.2.6.12."""
    return _encode("NGResetAcknowledge", UE_associatedLogicalNG_connectionList=_connections(connections) or None)


def error_indication(amf: int | None, ran: int | None, cause: Cause | None) -> bytes:
    """9.2.6.13."""
    coded = None if cause is None else _cause(cause)
    return _encode("ErrorIndication", AMF_UE_NGAP_ID=amf, RAN_UE_NGAP_ID=ran, Cause=coded)


def overload_start(action: int | None, percentage: int | None) -> bytes:
    """9.2.6.14."""
    response = None if action is None else ("overloadAction", _OVERLOAD_ACTIONS[action])
    return _encode("OverloadStart", OverloadResponse=response, TrafficLoadReductionIndication=percentage)


def overload_stop() -> bytes:
    """9.2.6.15."""
    return _encode("OverloadStop")


# --- NAS transport -------------------------------------------------------------------------------------------


def initial_ue_message(
    ran: int,
    nas: bytes,
    plmn: bytes,
    cell: int,
    tac: int,
    rrc_cause: int,
    s_tmsi: tuple[int, int, int] | None = None,
) -> bytes:
    """9.2.5.1. A UE context is always asked for; without it an AMF may leave INITIAL CONTEXT SETUP out."""
    tmsi = None
    if s_tmsi is not None:
        set_id, pointer, number = s_tmsi
        tmsi = {"aMFSetID": (set_id, 10), "aMFPointer": (pointer, 6), "fiveG-TMSI": number.to_bytes(4)}
    return _encode(
        "InitialUEMessage",
        RAN_UE_NGAP_ID=ran,
        NAS_PDU=nas,
        UserLocationInformation=_location(plmn, cell, tac),
        RRCEstablishmentCause=_RRC_CAUSES[rrc_cause],
        FiveG_S_TMSI=tmsi,
        UEContextRequest="requested",
    )


def uplink_nas_transport(amf: int, ran: int, nas: bytes, plmn: bytes, cell: int, tac: int) -> bytes:
    """9.2.5.3."""
    location = _location(plmn, cell, tac)
    return _encode(
        "UplinkNASTransport",
        AMF_UE_NGAP_ID=amf,
        RAN_UE_NGAP_ID=ran,
        NAS_PDU=nas,
        UserLocationInformation=location,
    )


def downlink_nas_transport(amf: int, ran: int, nas: bytes) -> bytes:
    """9.2.5.2."""
    return _encode("DownlinkNASTransport", AMF_UE_NGAP_ID=amf, RAN_UE_NGAP_ID=ran, NAS_PDU=nas)


# --- UE context ----------------------------------------------------------------------------------------------


def initial_context_setup_request(
    amf: int,
    ran: int,
    guami: tuple[bytes, int, int, int],
    slices: Sequence[tuple[int, int | None]],
    security: tuple[int, int, int, int],
    key: bytes,
    nas: bytes,
    sessions: Sequence[Session],
) -> bytes:
    """9.2.2.1; the UE's aggregate rate is there if sessions are, as its condition says."""
    rate = {"uEAggregateMaximumBitRateDL": AMBR_BIT_PER_S, "uEAggregateMaximumBitRateUL": AMBR_BIT_PER_S}
    return _encode(
        "InitialContextSetupRequest",
        AMF_UE_NGAP_ID=amf,
        RAN_UE_NGAP_ID=ran,
        UEAggregateMaximumBitRate=rate if sessions else None,
        GUAMI=_guami(*guami),
        PDUSessionResourceSetupListCxtReq=_setup_items(sessions, "nAS-PDU") or None,
        AllowedNSSAI=_slices(slices),
        UESecurityCapabilities=_bitmaps(*security),
        SecurityKey=(int.from_bytes(key), 8 * len(key)),
        NAS_PDU=nas or None,
    )


def initial_context_setup_response(amf: int, ran: int, sessions: Sequence[Tunnel]) -> bytes:
    """9.2.2.2."""
    return _encode(
        "InitialContextSetupResponse",
        AMF_UE_NGAP_ID=amf,
        RAN_UE_NGAP_ID=ran,
        PDUSessionResourceSetupListCxtRes=_response_items(sessions),
    )


def initial_context_setup_failure(amf: int, ran: int, cause: Cause) -> bytes:
    """9.2.2.3."""
    return _encode("InitialContextSetupFailure", AMF_UE_NGAP_ID=amf, RAN_UE_NGAP_ID=ran, Cause=_cause(cause))


def ue_context_release_request(amf: int, ran: int, cause: Cause) -> bytes:
    """9.2.2.4."""
    return _encode("UEContextReleaseRequest", AMF_UE_NGAP_ID=amf, RAN_UE_NGAP_ID=ran, Cause=_cause(cause))


def ue_context_release_command(amf: int, ran: int | None, cause: Cause) -> bytes:
    """9.2.2.5, with both IDs or the AMF's alone."""
    pair = ("uE-NGAP-ID-pair", {"aMF-UE-NGAP-ID": amf, "rAN-UE-NGAP-ID": ran})
    ids = ("aMF-UE-NGAP-ID", amf) if ran is None else pair
    return _encode("UEContextReleaseCommand", UE_NGAP_IDs=ids, Cause=_cause(cause))


def ue_context_release_complete(amf: int, ran: int) -> bytes:
    """9.2.2.6."""
    return _encode("UEContextReleaseComplete", AMF_UE_NGAP_ID=amf, RAN_UE_NGAP_ID=ran)


# --- PDU session resources -----------------------------------------------------------------------------------


def pdu_session_resource_setup_request(amf: int, ran: int, sessions: Sequence[Session]) -> bytes:
    """9.2.1.1."""
    items = _setup_items(sessions, "pDUSessionNAS-PDU")
    return _encode(
        "PDUSessionResourceSetupRequest",
        AMF_UE_NGAP_ID=amf,
        RAN_UE_NGAP_ID=ran,
        PDUSessionResourceSetupListSUReq=items,
    )


def pdu_session_resource_setup_response(amf: int, ran: int, sessions: Sequence[Tunnel], failed: Sequence[int]) -> bytes:
    """9.2.1.2; the cause of a failure is not told."""
    name = "pDUSessionResourceSetupUnsuccessfulTransfer"
    cause = {"cause": ("radioNetwork", "unspecified")}
    transfer = _encode_element("PDUSessionResourceSetupUnsuccessfulTransfer", cause)
    return _encode(
        "PDUSessionResourceSetupResponse",
        AMF_UE_NGAP_ID=amf,
        RAN_UE_NGAP_ID=ran,
        PDUSessionResourceSetupListSURes=_response_items(sessions),
        PDUSessionResourceFailedToSetupListSURes=[{"pDUSessionID": id_, name: transfer} for id_ in failed] or None,
    )


def pdu_session_resource_release_command(amf: int, ran: int, ids: Sequence[int], nas: bytes) -> bytes:
    """9.2.1.3."""
    name = "pDUSessionResourceReleaseCommandTransfer"
    cause = {"cause": ("nas", "normal-release")}
    transfer = _encode_element("PDUSessionResourceReleaseCommandTransfer", cause)
    return _encode(
        "PDUSessionResourceReleaseCommand",
        AMF_UE_NGAP_ID=amf,
        RAN_UE_NGAP_ID=ran,
        NAS_PDU=nas or None,
        PDUSessionResourceToReleaseListRelCmd=[{"pDUSessionID": id_, name: transfer} for id_ in ids],
    )


def pdu_session_resource_release_response(amf: int, ran: int, ids: Sequence[int]) -> bytes:
    """9.2.1.4."""
    name = "pDUSessionResourceReleaseResponseTransfer"
    transfer = _encode_element("PDUSessionResourceReleaseResponseTransfer", {})
    return _encode(
        "PDUSessionResourceReleaseResponse",
        AMF_UE_NGAP_ID=amf,
        RAN_UE_NGAP_ID=ran,
        PDUSessionResourceReleasedListRelRes=[{"pDUSessionID": id_, name: transfer} for id_ in ids],
    )
