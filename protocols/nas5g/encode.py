"""Messages to octets: `encode(message)` gives the plain NAS-5GS PDU of any message of messages.py.

Every encoder here puts a message's fields into the form in which they stand on the wire and hands them to a writer
generated from pycrate's table of that message. Byte-identity with pycrate (declared.py) is checked at start-up
(warm.py) and by the tests. The defaults that a message's value does not carry (SSC mode, QoS, …) stand in constants.
"""

from collections.abc import Callable
from typing import Any, Final

from protocols.nas5g import messages as m
from protocols.nas5g.elements import dnn_octets, identity_octets, imeisv_octets, nssai_octets, snssai_octets
from protocols.nas5g.tables import FIVEGMM, FIVEGSM
from protocols.nas5g.writers import OCTET, compile_writer
from protocols.timers import CodedTimer

ACCESS_3GPP: Final = 1
"""Access type (TS 24.501 9.11.2.1A)."""
N1_SM: Final = 1
"""Payload container type "N1 SM information" (9.11.3.40)."""
IMEISV_REQUESTED: Final = 1
"""IMEISV request (TS 24.008 10.5.5.10)."""
CONTAINER_REQUESTED: Final = b"\x02"
"""Additional 5G security information, RINMR: retransmission of the initial NAS message (9.11.3.12)."""
FULL_DATA_RATE: Final = b"\xff\xff"
"""Integrity protection maximum data rate, both ways (9.11.4.7)."""
IPV4: Final = 1
"""PDU session type and PDU address type IPv4 (9.11.4.11, 9.11.4.10)."""
SSC_MODE_1: Final = 1
"""9.11.4.16."""
DEFAULT_QOS_RULE: Final = bytes.fromhex("01 0006 31 31 01 01 ff 01")
"""Rule 1, new and default: all packets both ways, precedence 255, QFI 1 (9.11.4.13)."""
DEFAULT_QOS_FLOW: Final = bytes.fromhex("01 20 41 01 01 09")
"""QoS flow description of QFI 1: new, 5QI 9 (9.11.4.12)."""
DEFAULT_AMBR: Final = bytes.fromhex("06 03e8 06 03e8")
"""Session AMBR: 1 000 × 1 Mbit/s down and up (9.11.4.14)."""


def encode(message: m.Message | m.Protected) -> bytes:
    """The octets of a message, not protected (a `Protected` with its header as it stands).

    A field that its IE cannot carry is a programmer's mistake: LookupError, ValueError or OverflowError.
    """
    return _ENCODERS[type(message)](message)


def _timer(timer: CodedTimer | None) -> bytes | None:
    return None if timer is None else OCTET[timer[0]]


# --- registration -------------------------------------------------------------------------------------------------

_REGISTRATION_REQUEST = compile_writer(
    FIVEGMM[65], "NAS_KSI", "5GSRegType", "5GSID", "UESecCap", "NSSAI", "PDUSessStat", "NASContainer"
)
_REGISTRATION_ACCEPT = compile_writer(
    FIVEGMM[66], "5GSRegResult", "GUTI", "5GSTAIList", "AllowedNSSAI", "5GSNetFeat", "PDUSessStat", "T3512", "T3502"
)
_REGISTRATION_COMPLETE = compile_writer(FIVEGMM[67])
_REGISTRATION_REJECT = compile_writer(FIVEGMM[68], "5GMMCause", "T3346", "T3502")


def _registration_request(message: m.RegistrationRequest) -> bytes:
    kind, identity, ngksi, follow_on, capability, nssai, status, container = message
    return _REGISTRATION_REQUEST(
        ngksi, kind | follow_on << 3, identity_octets(identity), capability, nssai_octets(nssai), status, container
    )


def _registration_accept(message: m.RegistrationAccept) -> bytes:
    guti, tai_list, allowed_nssai, t3512, t3502, status, result, features = message
    return _REGISTRATION_ACCEPT(
        OCTET[result],
        None if guti is None else identity_octets(guti),
        tai_list,
        nssai_octets(allowed_nssai),
        features,
        status,
        _timer(t3512),
        _timer(t3502),
    )


def _registration_reject(message: m.RegistrationReject) -> bytes:
    cause, t3346, t3502 = message
    return _REGISTRATION_REJECT(cause, _timer(t3346), _timer(t3502))


# --- identity, authentication, security ---------------------------------------------------------------------------

_IDENTITY_REQUEST = compile_writer(FIVEGMM[91], "5GSIDType")
_IDENTITY_RESPONSE = compile_writer(FIVEGMM[92], "5GSID")
_AUTHENTICATION_REQUEST = compile_writer(FIVEGMM[86], "NAS_KSI", "ABBA", "RAND", "AUTN")
_AUTHENTICATION_RESPONSE = compile_writer(FIVEGMM[87], "RES")
_AUTHENTICATION_FAILURE = compile_writer(FIVEGMM[89], "5GMMCause", "AUTS")
_AUTHENTICATION_REJECT = compile_writer(FIVEGMM[88])
_SECURITY_MODE_COMMAND = compile_writer(FIVEGMM[93], "NASSecAlgo", "NAS_KSI", "UESecCap", "IMEISVReq", "Add5GSecInfo")
_SECURITY_MODE_COMPLETE = compile_writer(FIVEGMM[94], "IMEISV", "NASContainer")
_SECURITY_MODE_REJECT = compile_writer(FIVEGMM[95], "5GMMCause")


def _authentication_request(message: m.AuthenticationRequest) -> bytes:
    return _AUTHENTICATION_REQUEST(*message)


def _security_mode_command(message: m.SecurityModeCommand) -> bytes:
    ngksi, ciphering, integrity, capability, imeisv_requested, container_requested = message
    if ciphering >> 4 or integrity >> 4:
        raise ValueError(f"no algorithms: {ciphering}, {integrity}")
    return _SECURITY_MODE_COMMAND(
        ciphering << 4 | integrity,
        ngksi,
        capability,
        IMEISV_REQUESTED if imeisv_requested else None,
        CONTAINER_REQUESTED if container_requested else None,
    )


def _security_mode_complete(message: m.SecurityModeComplete) -> bytes:
    imeisv, container = message
    return _SECURITY_MODE_COMPLETE(None if imeisv is None else imeisv_octets(imeisv), container)


# --- service, deregistration, transport, status -------------------------------------------------------------------

_SERVICE_REQUEST = compile_writer(
    FIVEGMM[76], "ServiceType", "NAS_KSI", "5GSID", "ULDataStat", "PDUSessStat", "NASContainer"
)
_SERVICE_REJECT = compile_writer(FIVEGMM[77], "5GMMCause", "T3346")
_SERVICE_ACCEPT = compile_writer(FIVEGMM[78], "PDUSessStat")
_DEREGISTRATION_REQUEST = compile_writer(FIVEGMM[69], "NAS_KSI", "DeregistrationType", "5GSID")
_DEREGISTRATION_ACCEPT = compile_writer(FIVEGMM[70])
_NETWORK_DEREGISTRATION_REQUEST = compile_writer(FIVEGMM[71], "DeregistrationType", "5GMMCause", "T3346")
_NETWORK_DEREGISTRATION_ACCEPT = compile_writer(FIVEGMM[72])
_FIVEGMM_STATUS = compile_writer(FIVEGMM[100], "5GMMCause")
_UL_NAS_TRANSPORT = compile_writer(
    FIVEGMM[103], "PayloadContainerType", "PayloadContainer", "PDUSessID", "RequestType", "SNSSAI", "DNN"
)
_DL_NAS_TRANSPORT = compile_writer(
    FIVEGMM[104], "PayloadContainerType", "PayloadContainer", "PDUSessID", "5GMMCause", "BackOffTimer"
)


def _service_request(message: m.ServiceRequest) -> bytes:
    ngksi, kind, identity, uplink_data, status, container = message
    return _SERVICE_REQUEST(kind, ngksi, identity_octets(identity), uplink_data, status, container)


def _service_reject(message: m.ServiceReject) -> bytes:
    cause, t3346 = message
    return _SERVICE_REJECT(cause, _timer(t3346))


def _deregistration_request(message: m.DeregistrationRequest) -> bytes:
    ngksi, switch_off, identity = message
    return _DEREGISTRATION_REQUEST(ngksi, switch_off << 3 | ACCESS_3GPP, identity_octets(identity))


def _network_deregistration_request(message: m.NetworkDeregistrationRequest) -> bytes:
    reregistration_required, cause, t3346 = message
    return _NETWORK_DEREGISTRATION_REQUEST(reregistration_required << 2 | ACCESS_3GPP, cause, _timer(t3346))


def _ul_nas_transport(message: m.UlNasTransport) -> bytes:
    payload, pdu_session_id, request_type, snssai, dnn = message
    return _UL_NAS_TRANSPORT(
        N1_SM,
        payload,
        pdu_session_id,
        request_type,
        None if snssai is None else snssai_octets(snssai),
        None if dnn is None else dnn_octets(dnn),
    )


def _dl_nas_transport(message: m.DlNasTransport) -> bytes:
    payload, pdu_session_id, cause, back_off = message
    return _DL_NAS_TRANSPORT(N1_SM, payload, pdu_session_id, cause, _timer(back_off))


# --- 5GSM ---------------------------------------------------------------------------------------------------------

_ESTABLISHMENT_REQUEST = compile_writer(
    FIVEGSM[193], "IntegrityProtMaxDataRate", "PDUSessType", "SSCMode", "ExtProtConfig"
)
_ESTABLISHMENT_ACCEPT = compile_writer(
    FIVEGSM[194],
    "SSCMode",
    "PDUSessType",
    "QoSRules",
    "SessAMBR",
    "PDUAddress",
    "SNSSAI",
    "QoSFlowDesc",
    "ExtProtConfig",
    "DNN",
)
_ESTABLISHMENT_REJECT = compile_writer(FIVEGSM[195], "5GSMCause", "BackOffTimer")
_RELEASE_REQUEST = compile_writer(FIVEGSM[209], "5GSMCause")
_RELEASE_REJECT = compile_writer(FIVEGSM[210], "5GSMCause")
_RELEASE_COMMAND = compile_writer(FIVEGSM[211], "5GSMCause", "BackOffTimer")
_RELEASE_COMPLETE = compile_writer(FIVEGSM[212])
_FIVEGSM_STATUS = compile_writer(FIVEGSM[214], "5GSMCause")


def _establishment_request(message: m.PduSessionEstablishmentRequest) -> bytes:
    pdu_session_id, pti, pco = message
    return _ESTABLISHMENT_REQUEST(pdu_session_id, pti, FULL_DATA_RATE, IPV4, SSC_MODE_1, pco)


def _establishment_accept(message: m.PduSessionEstablishmentAccept) -> bytes:
    pdu_session_id, pti, address, dnn, snssai, pco = message
    if len(address) != 4:
        raise ValueError(f"no IPv4 address: {address!r}")
    return _ESTABLISHMENT_ACCEPT(
        pdu_session_id,
        pti,
        SSC_MODE_1,
        IPV4,
        DEFAULT_QOS_RULE,
        DEFAULT_AMBR,
        OCTET[IPV4] + address,
        None if snssai is None else snssai_octets(snssai),
        DEFAULT_QOS_FLOW,
        pco,
        dnn_octets(dnn),
    )


def _establishment_reject(message: m.PduSessionEstablishmentReject) -> bytes:
    pdu_session_id, pti, cause, back_off = message
    return _ESTABLISHMENT_REJECT(pdu_session_id, pti, cause, _timer(back_off))


def _release_command(message: m.PduSessionReleaseCommand) -> bytes:
    pdu_session_id, pti, cause, back_off = message
    return _RELEASE_COMMAND(pdu_session_id, pti, cause, _timer(back_off))


def _protected(message: m.Protected) -> bytes:
    header_type, mac, sequence, inner = message
    if len(mac) != 4:
        raise ValueError(f"no MAC: {mac!r}")
    return b"\x7e" + OCTET[header_type] + mac + OCTET[sequence] + inner


_ENCODERS: Final[dict[type[Any], Callable[[Any], bytes]]] = {
    m.RegistrationRequest: _registration_request,
    m.RegistrationAccept: _registration_accept,
    m.RegistrationComplete: lambda _: _REGISTRATION_COMPLETE(),
    m.RegistrationReject: _registration_reject,
    m.IdentityRequest: lambda message: _IDENTITY_REQUEST(message.wanted),
    m.IdentityResponse: lambda message: _IDENTITY_RESPONSE(identity_octets(message.identity)),
    m.AuthenticationRequest: _authentication_request,
    m.AuthenticationResponse: lambda message: _AUTHENTICATION_RESPONSE(message.res_star),
    m.AuthenticationFailure: lambda message: _AUTHENTICATION_FAILURE(*message),
    m.AuthenticationReject: lambda _: _AUTHENTICATION_REJECT(),
    m.SecurityModeCommand: _security_mode_command,
    m.SecurityModeComplete: _security_mode_complete,
    m.SecurityModeReject: lambda message: _SECURITY_MODE_REJECT(message.cause),
    m.ServiceRequest: _service_request,
    m.ServiceAccept: lambda message: _SERVICE_ACCEPT(message.pdu_session_status),
    m.ServiceReject: _service_reject,
    m.DeregistrationRequest: _deregistration_request,
    m.DeregistrationAccept: lambda _: _DEREGISTRATION_ACCEPT(),
    m.NetworkDeregistrationRequest: _network_deregistration_request,
    m.NetworkDeregistrationAccept: lambda _: _NETWORK_DEREGISTRATION_ACCEPT(),
    m.UlNasTransport: _ul_nas_transport,
    m.DlNasTransport: _dl_nas_transport,
    m.FivegmmStatus: lambda message: _FIVEGMM_STATUS(message.cause),
    m.PduSessionEstablishmentRequest: _establishment_request,
    m.PduSessionEstablishmentAccept: _establishment_accept,
    m.PduSessionEstablishmentReject: _establishment_reject,
    m.PduSessionReleaseRequest: lambda message: _RELEASE_REQUEST(*message),
    m.PduSessionReleaseReject: lambda message: _RELEASE_REJECT(*message),
    m.PduSessionReleaseCommand: _release_command,
    m.PduSessionReleaseComplete: lambda message: _RELEASE_COMPLETE(*message),
    m.FivegsmStatus: lambda message: _FIVEGSM_STATUS(*message),
    m.Protected: _protected,
}
