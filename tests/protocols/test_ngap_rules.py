"""What NGAP says beyond coding: unknown and missing elements, other legal encodings, values at their bounds."""

import pytest
from ngap_samples import PDU, decode_with_pycrate
from pycrate_asn1dir import NGAP

from protocols.identities import Plmn, STmsi
from protocols.nas5g.messages import Snssai
from protocols.ngap import causes
from protocols.ngap import messages as m
from protocols.ngap.declared_elements import CAUSE_GROUPS, enumeration_names, enumeration_roots
from protocols.ngap.decode import Counters, _decode_walking, decode
from protocols.ngap.encode import SHAPES_BY_PREFIX, encode
from protocols.ngap.values import security_bitmaps, security_capability
from protocols.ngap.warm import warm

AMF, RAN = 70_000, 80_000
PLMN = Plmn("001", "01")
LOCATION = m.UserLocation(PLMN, 0x123456789, 0x000ABC)
INITIAL = m.InitialUeMessage(RAN, b"\x7e\x00\x41", LOCATION)
RESPONSE = m.InitialContextSetupResponse(AMF, RAN)
PLMN_OCTETS = b"\x00\xf1\x10"
TAI = {"pLMNIdentity": PLMN_OCTETS, "tAC": b"\x00\x0a\xbc"}
REJECT, IGNORE, NOTIFY = 0x00, 0x40, 0x80


def changed(message, change):
    """The PDU of a message after `change` did something to pycrate's list of its elements."""
    PDU.from_aper(encode(message))
    kind, body = PDU.get_val()
    name, sequence = body["value"]
    elements = [dict(element) for element in sequence["protocolIEs"]]
    body = {**body, "value": (name, {"protocolIEs": change(elements)})}
    PDU.set_val((kind, body))
    return PDU.to_aper()


def with_element(message, *new, **replaced):
    """The PDU of a message with values replaced by ASN.1 type name (`-` as `_`) and elements appended."""

    def change(elements):
        for element in elements:
            type_name, _ = element["value"]
            key = type_name.replace("-", "_")
            if key in replaced:
                element["value"] = (type_name, replaced[key])
        return [*elements, *new]

    return changed(message, change)


def without(message, id_):
    return changed(message, lambda elements: [element for element in elements if element["id"] != id_])


def with_raw_element(pdu, id_, criticality, content):
    """A short PDU with one more element at its end, octet by octet."""
    body = pdu[4:]
    count = int.from_bytes(body[1:3]) + 1
    element = id_.to_bytes(2) + bytes((criticality, len(content))) + content
    body = body[:1] + count.to_bytes(2) + body[3:] + element
    assert pdu[3] < 128
    assert len(body) < 128
    return pdu[:3] + bytes((len(body),)) + body


def element(id_, type_name, value, criticality="ignore"):
    return {"id": id_, "criticality": criticality, "value": (type_name, value)}


# --- abstract syntax errors (10.3) ---------------------------------------------------------------------------


def test_a_reset_without_reset_type_is_rejected():
    result = decode(bytes.fromhex("00140009000001000f40020080"))
    assert isinstance(result, m.Unreadable)
    assert result.cause == causes.ABSTRACT_SYNTAX_ERROR_REJECT
    assert "ResetType" in result.why


def test_an_unknown_element_is_skipped_unless_its_criticality_is_reject():
    pdu = encode(RESPONSE)
    for criticality in (IGNORE, NOTIFY):
        assert decode(with_raw_element(pdu, 65_000, criticality, b"\x01\x02")) == RESPONSE
    rejected = decode(with_raw_element(pdu, 65_000, REJECT, b"\x01\x02"))
    assert isinstance(rejected, m.Unreadable)
    assert rejected.cause == causes.ABSTRACT_SYNTAX_ERROR_REJECT
    assert (rejected.amf_ue_id, rejected.ran_ue_id) == (AMF, RAN)


@pytest.mark.parametrize("id_", [85, 38, 121, 90])
def test_each_missing_mandatory_element_of_an_initial_ue_message_is_rejected(id_):
    result = decode(without(INITIAL, id_))
    assert isinstance(result, m.Unreadable)
    assert result.cause == causes.ABSTRACT_SYNTAX_ERROR_REJECT


def test_an_element_that_comes_twice_makes_a_falsely_constructed_message():
    result = decode(with_raw_element(encode(RESPONSE), 85, IGNORE, b"\x00\x01"))
    assert isinstance(result, m.Unreadable)
    assert result.cause == causes.ABSTRACT_SYNTAX_ERROR_FALSELY_CONSTRUCTED_MESSAGE


@pytest.mark.parametrize(
    ("head", "cause"),
    [
        ("00fe00", causes.ABSTRACT_SYNTAX_ERROR_REJECT),  # no such procedure
        ("00fe40", causes.ABSTRACT_SYNTAX_ERROR_IGNORE_AND_NOTIFY),
        ("000c00", causes.ABSTRACT_SYNTAX_ERROR_REJECT),  # HANDOVER PREPARATION, which we do not speak
        ("200f40", causes.ABSTRACT_SYNTAX_ERROR_IGNORE_AND_NOTIFY),  # INITIAL UE MESSAGE has no outcome
    ],
)
def test_a_procedure_that_is_not_ours_is_unreadable_with_a_cause_by_its_criticality(head, cause):
    result = decode(bytes.fromhex(head) + b"\x03\x00\x00\x00")
    assert isinstance(result, m.Unreadable)
    assert result.cause == cause


@pytest.mark.parametrize("pdu", ["", "00", "0015", "00150003", "ff", "60150003000000", "0015010300000000"])
def test_what_is_no_pdu_at_all_is_a_transfer_syntax_error(pdu):
    result = decode(bytes.fromhex(pdu))
    assert isinstance(result, m.Unreadable)
    assert result.cause == causes.TRANSFER_SYNTAX_ERROR


def test_a_plmn_with_a_digit_above_nine_is_a_semantic_error():
    result = decode(encode(INITIAL).replace(PLMN_OCTETS, b"\x0b\xf1\x10"))
    assert isinstance(result, m.Unreadable)
    assert result.cause == causes.SEMANTIC_ERROR
    assert result.ran_ue_id == RAN


# --- other peers' encodings ----------------------------------------------------------------------------------


def test_a_location_with_a_time_stamp_is_read_without_the_fence():
    cgi = {"pLMNIdentity": PLMN_OCTETS, "nRCellIdentity": (LOCATION.cell, 36)}
    stamped = ("userLocationInformationNR", {"nR-CGI": cgi, "tAI": TAI, "timeStamp": b"\x01\x02\x03\x04"})
    counters = Counters()
    assert decode(with_element(INITIAL, UserLocationInformation=stamped), counters) == INITIAL
    assert counters == Counters(walked=1)


def test_a_location_in_e_utra_is_read_behind_the_fence():
    cgi = {"pLMNIdentity": PLMN_OCTETS, "eUTRACellIdentity": (0x1234567, 28)}
    location = ("userLocationInformationEUTRA", {"eUTRA-CGI": cgi, "tAI": TAI})
    counters = Counters()
    result = decode(with_element(INITIAL, UserLocationInformation=location), counters)
    assert result == INITIAL._replace(location=LOCATION._replace(cell=0x1234567))
    assert counters == Counters(walked=1, fenced=1)


def test_a_location_without_a_cell_is_unreadable():
    location = (
        "userLocationInformationN3IWF-with-PortNumber",
        {"iPAddress": (0x0A000001, 32), "portNumber": b"\x00\x01"},
    )
    result = decode(with_element(INITIAL, UserLocationInformation=location))
    assert isinstance(result, m.Unreadable)
    assert result.cause == causes.SEMANTIC_ERROR


def test_elements_that_we_do_not_read_are_skipped():
    nssai = [{"s-NSSAI": {"sST": b"\x01"}}]
    extra = (element(3, "AMFSetID", (5, 10)), element(0, "AllowedNSSAI", nssai, "reject"))
    assert decode(with_element(INITIAL, *extra)) == INITIAL


def test_a_gnb_id_of_any_length_and_several_tracking_areas_are_read():
    request = m.NgSetupRequest(PLMN, 0x12345, "gnb", 7, (Snssai(1), Snssai(2, 3)))
    for bits in (22, 24, 32):
        node = ("globalGNB-ID", {"pLMNIdentity": PLMN_OCTETS, "gNB-ID": ("gNB-ID", (0x12345, bits))})
        assert decode(with_element(request, GlobalRANNodeID=node)) == request
    broadcast = [
        {"pLMNIdentity": PLMN_OCTETS, "tAISliceSupportList": [{"s-NSSAI": {"sST": b"\x01"}}]},
        {"pLMNIdentity": b"\x99\xf9\x09", "tAISliceSupportList": [{"s-NSSAI": {"sST": b"\x05"}}] * 20},
    ]
    areas = [{"tAC": tac.to_bytes(3), "broadcastPLMNList": broadcast} for tac in (7, 8, 9)]
    assert decode(with_element(request, SupportedTAList=areas)) == request._replace(slices=(Snssai(1),))


def test_a_served_guami_with_a_backup_name_is_read():
    response = m.NgSetupResponse("amf", m.Guami(PLMN, 1, 2, 3), 10, (Snssai(1),))
    guami = {"pLMNIdentity": PLMN_OCTETS, "aMFRegionID": (1, 8), "aMFSetID": (2, 10), "aMFPointer": (3, 6)}
    served = [{"gUAMI": guami, "backupAMFName": "amf-2"}, {"gUAMI": {**guami, "aMFPointer": (4, 6)}}]
    assert decode(with_element(response, ServedGUAMIList=served)) == response


def setup_response_with(**more):
    """A PDU SESSION RESOURCE SETUP RESPONSE whose transfer carries more than ours does."""
    tunnel = ("gTPTunnel", {"transportLayerAddress": (0x0A000001, 32), "gTP-TEID": b"\x01\x02\x03\x04"})
    flows = [{"qosFlowIdentifier": flow, "qosFlowMappingIndication": "ul"} for flow in (1, 5, 9)]
    first = {"uPTransportLayerInformation": tunnel, "associatedQosFlowList": flows}
    transfer = NGAP.NGAP_IEs.PDUSessionResourceSetupResponseTransfer
    transfer.set_val({"dLQosFlowPerTNLInformation": first, **more})
    item = {"pDUSessionID": 5, "pDUSessionResourceSetupResponseTransfer": transfer.to_aper()}
    message = m.PduSessionResourceSetupResponse(AMF, RAN, (m.PduSessionTunnel(5, bytes(4), bytes(4)),))
    return with_element(message, PDUSessionResourceSetupListSURes=[item])


def test_a_response_transfer_with_several_flows_is_read_without_the_fence():
    counters = Counters()
    result = decode(setup_response_with(), counters)
    assert result.sessions == (m.PduSessionTunnel(5, b"\x0a\x00\x00\x01", b"\x01\x02\x03\x04"),)
    assert counters == Counters(walked=1)


def test_a_response_transfer_with_a_security_result_is_read_behind_the_fence():
    security = {"integrityProtectionResult": "performed", "confidentialityProtectionResult": "not-performed"}
    counters = Counters()
    result = decode(setup_response_with(securityResult=security), counters)
    assert result.sessions == (m.PduSessionTunnel(5, b"\x0a\x00\x00\x01", b"\x01\x02\x03\x04"),)
    assert counters == Counters(walked=1, fenced=1)


def test_an_ipv6_address_of_a_tunnel_has_sixteen_octets():
    tunnel = m.PduSessionTunnel(1, bytes(range(16)), b"\x01\x02\x03\x04")
    response = m.InitialContextSetupResponse(AMF, RAN, (tunnel,))
    assert decode(encode(response)) == response


def test_element_extensions_are_read_behind_the_fence():
    message = m.InitialUeMessage(RAN, b"\x7e\x00\x41", LOCATION, s_tmsi=STmsi(1, 2, 3))
    cgi = {"pLMNIdentity": PLMN_OCTETS, "nRCellIdentity": (LOCATION.cell, 36)}
    pscell = {
        "id": 149,
        "criticality": "ignore",
        "extensionValue": ("NGRAN-CGI", ("nR-CGI", {"pLMNIdentity": PLMN_OCTETS, "nRCellIdentity": (1, 36)})),
    }
    location = ("userLocationInformationNR", {"nR-CGI": cgi, "tAI": TAI, "iE-Extensions": [pscell]})
    counters = Counters()
    assert decode(with_element(message, UserLocationInformation=location), counters) == message
    assert counters == Counters(walked=1, fenced=1)


# --- bounds --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("amf", [0, 1, 255, 256, 65_535, 65_536, (1 << 40) - 1])
@pytest.mark.parametrize("ran", [0, 255, 256, 65_536, (1 << 32) - 1])
def test_ue_ngap_ids_of_every_length_are_coded(amf, ran):
    message = m.UeContextReleaseComplete(amf, ran)
    assert decode(encode(message)) == message
    assert _decode_walking(encode(message), Counters()) == message


@pytest.mark.parametrize(("amf", "ran"), [(1 << 40, 1), (1, 1 << 32), (-1, 1)])
def test_ue_ngap_ids_out_of_range_are_refused(amf, ran):
    with pytest.raises(Exception):  # noqa: B017, PT011 - pycrate's own exception or OverflowError
        encode(m.UeContextReleaseComplete(amf, ran))


@pytest.mark.parametrize("length", [127, 128, 4096, 4097, 16_383, 16_384, 70_000])
def test_a_nas_pdu_of_any_length_is_coded(length):
    message = m.DownlinkNasTransport(AMF, RAN, bytes(length))
    assert decode(encode(message)) == message


@pytest.mark.parametrize("count", [1, 4, 5, 256])
def test_a_setup_list_of_any_legal_length_is_coded(count):
    session = m.PduSessionResource(0, Snssai(1, 2), b"\x0a\x00\x00\x01", bytes(4), b"\x7e")
    sessions = tuple(session._replace(pdu_session_id=id_) for id_ in range(count))
    message = m.PduSessionResourceSetupRequest(AMF, RAN, sessions)
    assert decode(encode(message)) == message


@pytest.mark.parametrize("count", [1, 127, 128, 2000])
def test_a_reset_of_many_connections_is_coded(count):
    message = m.NgReset(causes.OM_INTERVENTION, tuple((AMF + n, RAN + n) for n in range(count)))
    assert decode(encode(message)) == message


def test_a_reset_acknowledge_of_the_most_connections_there_can_be_is_read():
    item = bytes.fromhex("28112233")  # a RAN UE NGAP ID alone, of three octets
    block = b"\xc4" + item * 65_536 + b"\x00"
    connection = (None, 0x112233)
    result = decode(b"\x20\x14\x00" + fragmented(b"\x00\x00\x01\x00\x6f\x40" + fragmented(block)))
    assert result == m.NgResetAcknowledge((connection,) * 65_536)


def fragmented(content):
    """Behind length determinants in fragments of 16K (X.691 11.9.3.8)."""
    parts = []
    while len(content) >= 1 << 14:
        parts.append(b"\xc1" + content[: 1 << 14])
        content = content[1 << 14 :]
    return b"".join(parts) + (0x8000 | len(content)).to_bytes(2) + content


@pytest.mark.parametrize("cause", list(m.RrcCause))
def test_every_rrc_establishment_cause_is_coded(cause):
    message = INITIAL._replace(rrc_cause=cause)
    assert decode(encode(message)) == message


@pytest.mark.parametrize("group", list(m.CauseGroup))
def test_a_cause_of_a_later_release_is_kept_and_can_be_echoed(group):
    _, type_name = CAUSE_GROUPS[group]
    last = enumeration_roots(type_name) + 63
    request = m.UeContextReleaseRequest(AMF, RAN, m.Cause(group, last))
    assert decode(encode(request)) == request
    assert _decode_walking(encode(request), Counters()) == request
    assert decode_with_pycrate(encode(request))[0] == request


def test_a_negative_cause_is_refused():
    with pytest.raises(ValueError, match="no cause"):
        encode(m.UeContextReleaseRequest(AMF, RAN, m.Cause(m.CauseGroup.NAS, -1)))


# --- values --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("capability", "bitmaps"),
    [
        ("e0e0", (0x60, 0x60, 0, 0)),  # 5G-EA0, 1, 2 and 5G-IA0, 1, 2: the null algorithms have no bit
        ("f0f0c080", (0x70, 0x70, 0x40, 0)),
        ("e060f0f00000", (0x60, 0x60, 0x70, 0x70)),  # octets after the fourth are spare
    ],
)
def test_nas_security_capabilities_become_bitmaps_without_the_null_algorithms(capability, bitmaps):
    assert security_bitmaps(bytes.fromhex(capability)) == bitmaps


def test_bitmaps_become_a_nas_capability_with_the_null_algorithms():
    assert security_capability((0x60, 0x60, 0, 0)).hex() == "e0e0"
    assert security_capability((0x70, 0x70, 0x40, 0)).hex() == "f0f0c080"


NAMED = {
    "CauseRadioNetwork": {
        "unspecified": causes.RADIO_NETWORK_UNSPECIFIED,
        "release-due-to-ngran-generated-reason": causes.RELEASE_DUE_TO_NGRAN_GENERATED_REASON,
        "release-due-to-5gc-generated-reason": causes.RELEASE_DUE_TO_5GC_GENERATED_REASON,
        "unknown-local-UE-NGAP-ID": causes.UNKNOWN_LOCAL_UE_NGAP_ID,
        "inconsistent-remote-UE-NGAP-ID": causes.INCONSISTENT_REMOTE_UE_NGAP_ID,
        "reduce-load-in-serving-cell": causes.REDUCE_LOAD_IN_SERVING_CELL,
        "user-inactivity": causes.USER_INACTIVITY,
        "radio-connection-with-ue-lost": causes.RADIO_CONNECTION_WITH_UE_LOST,
        "radio-resources-not-available": causes.RADIO_RESOURCES_NOT_AVAILABLE,
        "failure-in-radio-interface-procedure": causes.FAILURE_IN_RADIO_INTERFACE_PROCEDURE,
        "interaction-with-other-procedure": causes.INTERACTION_WITH_OTHER_PROCEDURE,
        "unknown-PDU-session-ID": causes.UNKNOWN_PDU_SESSION_ID,
        "multiple-PDU-session-ID-instances": causes.MULTIPLE_PDU_SESSION_ID_INSTANCES,
    },
    "CauseTransport": {
        "transport-resource-unavailable": causes.TRANSPORT_RESOURCE_UNAVAILABLE,
        "unspecified": causes.TRANSPORT_UNSPECIFIED,
    },
    "CauseNas": {
        "normal-release": causes.NORMAL_RELEASE,
        "authentication-failure": causes.AUTHENTICATION_FAILURE,
        "deregister": causes.DEREGISTER,
        "unspecified": causes.NAS_UNSPECIFIED,
    },
    "CauseProtocol": {
        "transfer-syntax-error": causes.TRANSFER_SYNTAX_ERROR,
        "abstract-syntax-error-reject": causes.ABSTRACT_SYNTAX_ERROR_REJECT,
        "abstract-syntax-error-ignore-and-notify": causes.ABSTRACT_SYNTAX_ERROR_IGNORE_AND_NOTIFY,
        "message-not-compatible-with-receiver-state": causes.MESSAGE_NOT_COMPATIBLE_WITH_RECEIVER_STATE,
        "semantic-error": causes.SEMANTIC_ERROR,
        "abstract-syntax-error-falsely-constructed-message": (causes.ABSTRACT_SYNTAX_ERROR_FALSELY_CONSTRUCTED_MESSAGE),
        "unspecified": causes.PROTOCOL_UNSPECIFIED,
    },
    "CauseMisc": {
        "control-processing-overload": causes.CONTROL_PROCESSING_OVERLOAD,
        "not-enough-user-plane-processing-resources": causes.NOT_ENOUGH_USER_PLANE_PROCESSING_RESOURCES,
        "hardware-failure": causes.HARDWARE_FAILURE,
        "om-intervention": causes.OM_INTERVENTION,
        "unknown-PLMN-or-SNPN": causes.UNKNOWN_PLMN_OR_SNPN,
        "unspecified": causes.MISC_UNSPECIFIED,
    },
}


def test_named_causes_have_the_places_of_their_names_in_the_asn1():
    named = {value for value in vars(causes).values() if isinstance(value, m.Cause)}
    assert named == {cause for names in NAMED.values() for cause in names.values()}
    for group, (type_name, names) in zip(m.CauseGroup, NAMED.items(), strict=True):
        for name, cause in names.items():
            assert cause == m.Cause(group, enumeration_names(type_name).index(name))


# --- start-up ------------------------------------------------------------------------------------------------


def test_after_warming_up_nothing_of_a_registration_is_learnt():
    slices = (Snssai(1, 0x010203),)
    warm(slices, transport=(30, 42), context=(48,), sessions=(71,))
    before = shapes()
    guami = m.Guami(PLMN, 9, 8, 7)
    session = m.PduSessionResource(5, slices[0], b"\x0a\x01\x02\x03", b"\x09\x09\x09\x09", bytes(71))
    flow = (
        INITIAL._replace(nas=bytes(30)),
        m.DownlinkNasTransport(AMF, RAN, bytes(42)),
        m.UplinkNasTransport(AMF, RAN, bytes(30), LOCATION),
        m.InitialContextSetupRequest(AMF, RAN, guami, slices, b"\xf0\x70", bytes(32), bytes(48)),
        m.InitialContextSetupResponse(AMF, RAN),
        m.PduSessionResourceSetupRequest(AMF, RAN, (session,)),
        m.PduSessionResourceSetupResponse(AMF, RAN, (m.PduSessionTunnel(5, bytes(4), bytes(4)),)),
        m.UeContextReleaseRequest(AMF, RAN, causes.USER_INACTIVITY),
        m.UeContextReleaseCommand(AMF, RAN, causes.NORMAL_RELEASE),
        m.UeContextReleaseComplete(AMF, RAN),
    )
    counters = Counters()
    for message in flow:
        decode(encode(message), counters)
    assert shapes() == before
    assert counters == Counters(templates=len(flow))


def shapes():
    return sum(len(same) for by_length in SHAPES_BY_PREFIX.values() for same in by_length.values())


def test_the_location_in_an_initial_ue_message_has_criticality_reject():
    """TS 38.413 9.2.5.1: User Location Information (121) is mandatory with criticality reject (00)."""
    assert bytes.fromhex("007900") in encode(INITIAL)
