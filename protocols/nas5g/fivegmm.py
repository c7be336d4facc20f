"""Octets to 5GMM messages, one function each (TS 24.501 8.2).

A walker finds the IEs, and these functions say what their octets mean. They raise `Malformed` for what TS 24.501 7.5
and 7.7 make an error of the whole message; decode.py, which calls them, turns that into `Unreadable`.
"""

from collections.abc import Callable
from typing import Final

from protocols.causes import FivegmmCause
from protocols.nas5g import messages as m
from protocols.nas5g.elements import (
    at_least,
    dnn_from,
    guti_from,
    identity_from,
    imeisv_from,
    new,
    nssai_from,
    snssai_from,
    timer2_from,
    timer3_from,
)
from protocols.nas5g.encode import IMEISV_REQUESTED, N1_SM
from protocols.nas5g.tables import FIVEGMM
from protocols.nas5g.walkers import Malformed, compile_walker, invalid

_CAUSES: Final = tuple(FivegmmCause(octet) for octet in range(256))

_REGISTRATION_COMPLETE_MESSAGE: Final = m.RegistrationComplete()
_AUTHENTICATION_REJECT_MESSAGE: Final = m.AuthenticationReject()
_DEREGISTRATION_ACCEPT_MESSAGE: Final = m.DeregistrationAccept()
_NETWORK_DEREGISTRATION_ACCEPT_MESSAGE: Final = m.NetworkDeregistrationAccept()


def _ngksi(half: int) -> int:
    """ "No key is available" whatever the type of security context says (9.11.3.32)."""
    return m.NO_KEY if half & 7 == m.NO_KEY else half


# --- registration -------------------------------------------------------------------------------------------------

_REGISTRATION_REQUEST = compile_walker(
    FIVEGMM[65], "NAS_KSI", "5GSRegType", "5GSID", "UESecCap", "NSSAI", "PDUSessStat", "NASContainer"
)
_REGISTRATION_ACCEPT = compile_walker(
    FIVEGMM[66], "5GSRegResult", "GUTI", "5GSTAIList", "AllowedNSSAI", "5GSNetFeat", "PDUSessStat", "T3512", "T3502"
)
_REGISTRATION_COMPLETE = compile_walker(FIVEGMM[67])
_REGISTRATION_REJECT = compile_walker(FIVEGMM[68], "5GMMCause", "T3346", "T3502")

_REGISTRATION_TYPES: Final = (
    m.RegistrationType.INITIAL,  # 0 and 5 (SNPN onboarding), 7 (disaster roaming initial): not offered here
    m.RegistrationType.INITIAL,
    m.RegistrationType.MOBILITY,
    m.RegistrationType.PERIODIC,
    m.RegistrationType.EMERGENCY,
    m.RegistrationType.INITIAL,
    m.RegistrationType.MOBILITY,  # disaster roaming mobility
    m.RegistrationType.INITIAL,
)
"""By value (9.11.3.7): "All other values are unused and shall be interpreted as initial registration"."""


def _registration_request(data: bytes) -> m.RegistrationRequest:
    ksi, kind, identity, capability, nssai, status, container = _REGISTRATION_REQUEST(data)
    return new(
        m.RegistrationRequest,
        (
            _REGISTRATION_TYPES[kind & 7],
            identity_from(identity),
            _ngksi(ksi),
            kind > 7,
            at_least(capability, 2),
            nssai_from(nssai),
            at_least(status, 2),
            container or None,
        ),
    )


def _registration_accept(data: bytes) -> m.RegistrationAccept:
    result, guti, tai_list, nssai, features, status, t3512, t3502 = _REGISTRATION_ACCEPT(data)
    if not result:
        raise invalid("empty 5GS registration result")
    return new(
        m.RegistrationAccept,
        (
            guti_from(guti),
            at_least(tai_list, 7),
            nssai_from(nssai),
            timer3_from(t3512),
            timer2_from(t3502),
            at_least(status, 2),
            result[0] & 7,
            at_least(features, 1),
        ),
    )


def _registration_complete(data: bytes) -> m.RegistrationComplete:
    _REGISTRATION_COMPLETE(data)
    return _REGISTRATION_COMPLETE_MESSAGE


def _registration_reject(data: bytes) -> m.RegistrationReject:
    cause, t3346, t3502 = _REGISTRATION_REJECT(data)
    return new(m.RegistrationReject, (_CAUSES[cause], timer2_from(t3346), timer2_from(t3502)))


# --- identity, authentication, security ---------------------------------------------------------------------------

_IDENTITY_REQUEST = compile_walker(FIVEGMM[91], "5GSIDType")
_IDENTITY_RESPONSE = compile_walker(FIVEGMM[92], "5GSID")
_AUTHENTICATION_REQUEST = compile_walker(FIVEGMM[86], "NAS_KSI", "ABBA", "RAND", "AUTN")
_AUTHENTICATION_RESPONSE = compile_walker(FIVEGMM[87], "RES")
_AUTHENTICATION_FAILURE = compile_walker(FIVEGMM[89], "5GMMCause", "AUTS")
_AUTHENTICATION_REJECT = compile_walker(FIVEGMM[88])
_SECURITY_MODE_COMMAND = compile_walker(FIVEGMM[93], "NASSecAlgo", "NAS_KSI", "UESecCap", "IMEISVReq", "Add5GSecInfo")
_SECURITY_MODE_COMPLETE = compile_walker(FIVEGMM[94], "IMEISV", "NASContainer")
_SECURITY_MODE_REJECT = compile_walker(FIVEGMM[95], "5GMMCause")

_IDENTITY_TYPES: Final = (m.IdentityType.SUCI, *(m.IdentityType(value) for value in range(1, 8)))
"""By value (9.11.3.3); 0 is unused there and read as SUCI."""


def _identity_request(data: bytes) -> m.IdentityRequest:
    (wanted,) = _IDENTITY_REQUEST(data)
    return new(m.IdentityRequest, (_IDENTITY_TYPES[wanted & 7],))


def _identity_response(data: bytes) -> m.IdentityResponse:
    (identity,) = _IDENTITY_RESPONSE(data)
    return new(m.IdentityResponse, (identity_from(identity),))


def _conditional(why: str) -> Malformed:
    return Malformed(FivegmmCause.CONDITIONAL_IE_ERROR, why)


def _authentication_request(data: bytes) -> m.AuthenticationRequest:
    ksi, abba, rand, autn = _AUTHENTICATION_REQUEST(data)
    if len(abba) < 2:
        raise invalid("ABBA of less than two octets")
    if rand is None or autn is None or len(autn) != 16:
        raise _conditional("no RAND and AUTN: not 5G-AKA")
    return new(m.AuthenticationRequest, (_ngksi(ksi), abba, rand, autn))


def _authentication_response(data: bytes) -> m.AuthenticationResponse:
    (res_star,) = _AUTHENTICATION_RESPONSE(data)
    if not res_star:
        raise _conditional("no RES*: not 5G-AKA")
    return new(m.AuthenticationResponse, (res_star,))


def _authentication_failure(data: bytes) -> m.AuthenticationFailure:
    cause, auts = _AUTHENTICATION_FAILURE(data)
    return new(m.AuthenticationFailure, (_CAUSES[cause], at_least(auts, 14)))


def _authentication_reject(data: bytes) -> m.AuthenticationReject:
    _AUTHENTICATION_REJECT(data)
    return _AUTHENTICATION_REJECT_MESSAGE


def _security_mode_command(data: bytes) -> m.SecurityModeCommand:
    algorithms, ksi, capability, imeisv, additional = _SECURITY_MODE_COMMAND(data)
    if len(capability) < 2:
        raise invalid("replayed UE security capability of less than two octets")
    return new(
        m.SecurityModeCommand,
        (
            _ngksi(ksi),
            algorithms >> 4,
            algorithms & 15,
            capability,
            imeisv is not None and imeisv & 7 == IMEISV_REQUESTED,
            bool(additional) and bool(additional[0] & 2),
        ),
    )


def _security_mode_complete(data: bytes) -> m.SecurityModeComplete:
    imeisv, container = _SECURITY_MODE_COMPLETE(data)
    digits = None if imeisv is None else imeisv_from(imeisv)
    return new(m.SecurityModeComplete, (digits, container or None))


def _security_mode_reject(data: bytes) -> m.SecurityModeReject:
    (cause,) = _SECURITY_MODE_REJECT(data)
    return new(m.SecurityModeReject, (_CAUSES[cause],))


# --- service, deregistration, transport, status -------------------------------------------------------------------

_SERVICE_REQUEST = compile_walker(
    FIVEGMM[76], "ServiceType", "NAS_KSI", "5GSID", "ULDataStat", "PDUSessStat", "NASContainer"
)
_SERVICE_REJECT = compile_walker(FIVEGMM[77], "5GMMCause", "T3346")
_SERVICE_ACCEPT = compile_walker(FIVEGMM[78], "PDUSessStat")
_DEREGISTRATION_REQUEST = compile_walker(FIVEGMM[69], "NAS_KSI", "DeregistrationType", "5GSID")
_DEREGISTRATION_ACCEPT = compile_walker(FIVEGMM[70])
_NETWORK_DEREGISTRATION_REQUEST = compile_walker(FIVEGMM[71], "DeregistrationType", "5GMMCause", "T3346")
_NETWORK_DEREGISTRATION_ACCEPT = compile_walker(FIVEGMM[72])
_FIVEGMM_STATUS = compile_walker(FIVEGMM[100], "5GMMCause")
_UL_NAS_TRANSPORT = compile_walker(
    FIVEGMM[103], "PayloadContainerType", "PayloadContainer", "PDUSessID", "RequestType", "SNSSAI", "DNN"
)
_DL_NAS_TRANSPORT = compile_walker(
    FIVEGMM[104], "PayloadContainerType", "PayloadContainer", "PDUSessID", "5GMMCause", "BackOffTimer"
)

_SERVICE_TYPES: Final = (
    *(m.ServiceType(value) for value in range(7)),
    *(m.ServiceType.SIGNALLING,) * 2,  # 7 and 8 "unused; shall be interpreted as signalling"
    *(m.ServiceType.DATA,) * 3,  # 9 to 11 likewise as data; 12 to 15 are reserved
)
"""By value (9.11.3.50)."""


def _service_request(data: bytes) -> m.ServiceRequest:
    kind, ksi, identity, uplink_data, status, container = _SERVICE_REQUEST(data)
    if kind > 11:
        raise invalid(f"service type {kind} is reserved")
    return new(
        m.ServiceRequest,
        (
            _ngksi(ksi),
            _SERVICE_TYPES[kind],
            identity_from(identity),
            at_least(uplink_data, 2),
            at_least(status, 2),
            container or None,
        ),
    )


def _service_accept(data: bytes) -> m.ServiceAccept:
    (status,) = _SERVICE_ACCEPT(data)
    return new(m.ServiceAccept, (at_least(status, 2),))


def _service_reject(data: bytes) -> m.ServiceReject:
    cause, t3346 = _SERVICE_REJECT(data)
    return new(m.ServiceReject, (_CAUSES[cause], timer2_from(t3346)))


def _deregistration_request(data: bytes) -> m.DeregistrationRequest:
    ksi, kind, identity = _DEREGISTRATION_REQUEST(data)
    return new(m.DeregistrationRequest, (_ngksi(ksi), kind > 7, identity_from(identity)))


def _deregistration_accept(data: bytes) -> m.DeregistrationAccept:
    _DEREGISTRATION_ACCEPT(data)
    return _DEREGISTRATION_ACCEPT_MESSAGE


def _network_deregistration_request(data: bytes) -> m.NetworkDeregistrationRequest:
    kind, cause, t3346 = _NETWORK_DEREGISTRATION_REQUEST(data)
    known_cause = None if cause is None else _CAUSES[cause]
    return new(m.NetworkDeregistrationRequest, (bool(kind & 4), known_cause, timer2_from(t3346)))


def _network_deregistration_accept(data: bytes) -> m.NetworkDeregistrationAccept:
    _NETWORK_DEREGISTRATION_ACCEPT(data)
    return _NETWORK_DEREGISTRATION_ACCEPT_MESSAGE


def _must_carry_n1_sm(kind: int, payload: bytes, pdu_session_id: int | None) -> None:
    """Of the payload container types only N1 SM information is read; its session identity is then mandatory."""
    if kind != N1_SM:
        raise Malformed(FivegmmCause.INFORMATION_ELEMENT_NOT_IMPLEMENTED, f"payload container type {kind}")
    if not payload:
        raise invalid("empty payload container")
    if pdu_session_id is None:
        raise _conditional("N1 SM information without PDU session ID")


def _ul_nas_transport(data: bytes) -> m.UlNasTransport:
    kind, payload, pdu_session_id, request_type, snssai, dnn = _UL_NAS_TRANSPORT(data)
    _must_carry_n1_sm(kind, payload, pdu_session_id)
    slice_ = None if snssai is None else snssai_from(snssai)
    return new(m.UlNasTransport, (payload, pdu_session_id, request_type, slice_, dnn_from(dnn)))


def _dl_nas_transport(data: bytes) -> m.DlNasTransport:
    kind, payload, pdu_session_id, cause, back_off = _DL_NAS_TRANSPORT(data)
    _must_carry_n1_sm(kind, payload, pdu_session_id)
    known_cause = None if cause is None else _CAUSES[cause]
    return new(m.DlNasTransport, (payload, pdu_session_id, known_cause, timer3_from(back_off)))


def _fivegmm_status(data: bytes) -> m.FivegmmStatus:
    (cause,) = _FIVEGMM_STATUS(data)
    return new(m.FivegmmStatus, (_CAUSES[cause],))


READERS: Final[dict[int, Callable[[bytes], m.FivegmmMessage]]] = {
    65: _registration_request,
    66: _registration_accept,
    67: _registration_complete,
    68: _registration_reject,
    69: _deregistration_request,
    70: _deregistration_accept,
    71: _network_deregistration_request,
    72: _network_deregistration_accept,
    76: _service_request,
    77: _service_reject,
    78: _service_accept,
    86: _authentication_request,
    87: _authentication_response,
    88: _authentication_reject,
    89: _authentication_failure,
    91: _identity_request,
    92: _identity_response,
    93: _security_mode_command,
    94: _security_mode_complete,
    95: _security_mode_reject,
    100: _fivegmm_status,
    103: _ul_nas_transport,
    104: _dl_nas_transport,
}
