"""The NGAP messages, declared: one builder each, slow and right, by pycrate (TS 38.413 clause 9.2).

What each message carries is said here and nowhere else; encode.py compiles most of these builders into templates.
Builders take flat fields as they stand on the wire (a PLMN as three octets, an enumeration by its place). pycrate's
classes are shared mutable objects: nothing may yield between set_val and to_aper.
"""

from collections.abc import Sequence
from typing import Any

from pycrate_asn1dir import NGAP

from protocols.ngap.declared_elements import (
    AMBR_BIT_PER_S,
    OVERLOAD_ACTIONS,
    RRC_CAUSES,
    Session,
    Tunnel,
    bitmaps_value,
    cause_value,
    connections_value,
    encode_element,
    guami_value,
    location_value,
    response_items,
    setup_items,
    slices_value,
)
from protocols.ngap.messages import Cause
from protocols.ngap.tables import KINDS, MESSAGES

_PDU: Any = NGAP.NGAP_PDU_Descriptions.NGAP_PDU


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


# --- interface management ------------------------------------------------------------------------------------


def ng_setup_request(plmn: bytes, gnb_id: int, name: str, tac: int, slices: Sequence[tuple[int, int | None]]) -> bytes:
    """9.2.6.1."""
    broadcast = {"pLMNIdentity": plmn, "tAISliceSupportList": slices_value(slices)}
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
        ServedGUAMIList=[{"gUAMI": guami_value(*guami)}],
        RelativeAMFCapacity=relative_capacity,
        PLMNSupportList=[{"pLMNIdentity": guami[0], "sliceSupportList": slices_value(slices)}],
    )


def ng_setup_failure(cause: Cause, time_to_wait_s: int | None) -> bytes:
    """9.2.6.3."""
    wait = None if time_to_wait_s is None else f"v{time_to_wait_s}s"
    return _encode("NGSetupFailure", Cause=cause_value(cause), TimeToWait=wait)


def ng_reset(cause: Cause, connections: Sequence[tuple[int | None, int | None]]) -> bytes:
    """9.2.6.11; no connections means all."""
    part = ("partOfNG-Interface", connections_value(connections))
    return _encode(
        "NGReset", Cause=cause_value(cause), ResetType=part if connections else ("nG-Interface", "reset-all")
    )


def ng_reset_acknowledge(connections: Sequence[tuple[int | None, int | None]]) -> bytes:
    """9.2.6.12."""
    return _encode("NGResetAcknowledge", UE_associatedLogicalNG_connectionList=connections_value(connections) or None)


def error_indication(amf: int | None, ran: int | None, cause: Cause | None) -> bytes:
    """9.2.6.13."""
    coded = None if cause is None else cause_value(cause)
    return _encode("ErrorIndication", AMF_UE_NGAP_ID=amf, RAN_UE_NGAP_ID=ran, Cause=coded)


def overload_start(action: int | None, percentage: int | None) -> bytes:
    """9.2.6.14."""
    response = None if action is None else ("overloadAction", OVERLOAD_ACTIONS[action])
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
        UserLocationInformation=location_value(plmn, cell, tac),
        RRCEstablishmentCause=RRC_CAUSES[rrc_cause],
        FiveG_S_TMSI=tmsi,
        UEContextRequest="requested",
    )


def uplink_nas_transport(amf: int, ran: int, nas: bytes, plmn: bytes, cell: int, tac: int) -> bytes:
    """9.2.5.3."""
    location = location_value(plmn, cell, tac)
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
        GUAMI=guami_value(*guami),
        PDUSessionResourceSetupListCxtReq=setup_items(sessions, "nAS-PDU") or None,
        AllowedNSSAI=slices_value(slices),
        UESecurityCapabilities=bitmaps_value(*security),
        SecurityKey=(int.from_bytes(key), 8 * len(key)),
        NAS_PDU=nas or None,
    )


def initial_context_setup_response(amf: int, ran: int, sessions: Sequence[Tunnel]) -> bytes:
    """9.2.2.2."""
    return _encode(
        "InitialContextSetupResponse",
        AMF_UE_NGAP_ID=amf,
        RAN_UE_NGAP_ID=ran,
        PDUSessionResourceSetupListCxtRes=response_items(sessions),
    )


def initial_context_setup_failure(amf: int, ran: int, cause: Cause) -> bytes:
    """9.2.2.3."""
    return _encode("InitialContextSetupFailure", AMF_UE_NGAP_ID=amf, RAN_UE_NGAP_ID=ran, Cause=cause_value(cause))


def ue_context_release_request(amf: int, ran: int, cause: Cause) -> bytes:
    """9.2.2.4."""
    return _encode("UEContextReleaseRequest", AMF_UE_NGAP_ID=amf, RAN_UE_NGAP_ID=ran, Cause=cause_value(cause))


def ue_context_release_command(amf: int, ran: int | None, cause: Cause) -> bytes:
    """9.2.2.5, with both IDs or the AMF's alone."""
    pair = ("uE-NGAP-ID-pair", {"aMF-UE-NGAP-ID": amf, "rAN-UE-NGAP-ID": ran})
    ids = ("aMF-UE-NGAP-ID", amf) if ran is None else pair
    return _encode("UEContextReleaseCommand", UE_NGAP_IDs=ids, Cause=cause_value(cause))


def ue_context_release_complete(amf: int, ran: int) -> bytes:
    """9.2.2.6."""
    return _encode("UEContextReleaseComplete", AMF_UE_NGAP_ID=amf, RAN_UE_NGAP_ID=ran)


# --- PDU session resources -----------------------------------------------------------------------------------


def pdu_session_resource_setup_request(amf: int, ran: int, sessions: Sequence[Session]) -> bytes:
    """9.2.1.1."""
    items = setup_items(sessions, "pDUSessionNAS-PDU")
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
    transfer = encode_element("PDUSessionResourceSetupUnsuccessfulTransfer", cause)
    return _encode(
        "PDUSessionResourceSetupResponse",
        AMF_UE_NGAP_ID=amf,
        RAN_UE_NGAP_ID=ran,
        PDUSessionResourceSetupListSURes=response_items(sessions),
        PDUSessionResourceFailedToSetupListSURes=[{"pDUSessionID": id_, name: transfer} for id_ in failed] or None,
    )


def pdu_session_resource_release_command(amf: int, ran: int, ids: Sequence[int], nas: bytes) -> bytes:
    """9.2.1.3."""
    name = "pDUSessionResourceReleaseCommandTransfer"
    cause = {"cause": ("nas", "normal-release")}
    transfer = encode_element("PDUSessionResourceReleaseCommandTransfer", cause)
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
    transfer = encode_element("PDUSessionResourceReleaseResponseTransfer", {})
    return _encode(
        "PDUSessionResourceReleaseResponse",
        AMF_UE_NGAP_ID=amf,
        RAN_UE_NGAP_ID=ran,
        PDUSessionResourceReleasedListRelRes=[{"pDUSessionID": id_, name: transfer} for id_ in ids],
    )
