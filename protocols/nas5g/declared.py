"""Every message built by pycrate from named values: the reference that encode.py is held against.

It costs 40 µs to 2 ms a message, so only start-up (warm.py), tests and benchmarks call it. Here alone values go into
pycrate, as structured as it takes them; a routing indicator goes in as octets, because pycrate leaves out the fillers
of one with less than four digits.
"""

from collections.abc import Callable, Mapping
from typing import Any, Final

from pycrate_mobile.NAS5G import parse_NAS5G
from pycrate_mobile.TS24501_FGMM import FGMMSecProtNASMessage, FGMMTypeClasses
from pycrate_mobile.TS24501_FGSM import FGSMTypeClasses

from protocols.identities import (
    Guti,
    Imeisv,
    MobileIdentity,
    NoIdentity,
    OtherIdentity,
    Plmn,
    STmsi,
    Suci,
    bcd_digits,
    bcd_octets,
)
from protocols.nas5g import messages as m
from protocols.timers import CodedTimer

_PROFILE_A: Final = 1


def declare(message: m.Message | m.Protected) -> Any:
    """The message as a pycrate element."""
    if isinstance(message, m.Protected):
        values: dict[str, Any] = {
            "5GMMHeaderSec": {"SecHdr": message.header_type},
            "MAC": message.mac,
            "Seqn": message.sequence,
            "NASMessage": message.inner,
        }
        return FGMMSecProtNASMessage(val=values)
    number, values_of = _DECLARATIONS[type(message)]
    present = {name: value for name, value in values_of(message).items() if value is not None}
    if number in FGMMTypeClasses:
        return FGMMTypeClasses[number](val=present)
    session: Any = message
    header = {"PDUSessID": session.pdu_session_id, "PTI": session.pti}
    return FGSMTypeClasses[number](val={"5GSMHeader": header, **present})


def build(message: m.Message | m.Protected) -> bytes:
    """The octets of a message as pycrate makes them."""
    octets: bytes = declare(message).to_bytes()
    return octets


def parse(octets: bytes) -> Any:
    """The pycrate element of octets that were built here; containers stay octets. Not for octets from a peer."""
    element, error = parse_NAS5G(octets, inner=False)
    if error:
        raise ValueError(f"pycrate: #{error} for {octets.hex()}")
    return element


# --- what the values look like to pycrate -------------------------------------------------------------------------

Values = Mapping[str, Any]


def _plmn(plmn: Plmn) -> str:
    return plmn.mcc + plmn.mnc


def _suci_output(suci: Suci) -> Any:
    digits = bcd_digits(suci.output)
    if suci.scheme == 0 and digits is not None and bcd_octets(digits) == suci.output:
        return digits
    if suci.scheme == _PROFILE_A and len(suci.output) > 40:
        parts = suci.output[:32], suci.output[32:-8], suci.output[-8:]
        return dict(zip(("ECCEphemPK", "CipherText", "MAC"), parts, strict=True))
    return suci.output


def identity_values(identity: MobileIdentity) -> Any:
    """The 5GS mobile identity as pycrate wants it: a dictionary, or octets for what it cannot express."""
    match identity:
        case Guti(plmn, region, set_id, pointer, tmsi):
            temporary = {"AMFSetID": set_id, "AMFPtr": pointer, "5GTMSI": tmsi}
            return {"Type": 2, "PLMN": _plmn(plmn), "AMFRegionID": region, **temporary}
        case STmsi(set_id, pointer, tmsi):
            return {"Type": 4, "AMFSetID": set_id, "AMFPtr": pointer, "5GTMSI": tmsi}
        case Suci(plmn, routing_indicator, scheme, key_id, _):
            values = {
                "PLMN": _plmn(plmn),
                "RoutingInd": bcd_octets(routing_indicator.ljust(4, "f")),
                "ProtSchemeID": scheme,
                "HNPKID": key_id,
                "Output": _suci_output(identity),
            }
            return {"Type": 1, "Fmt": 0, "Value": values}
        case Imeisv(digits):
            return {"Type": 5, "Digits": digits}
        case NoIdentity():
            return {"Type": 0}
        case OtherIdentity(octets):
            return octets


def _timer(timer: CodedTimer | None) -> Values | None:
    return None if timer is None else {"Unit": timer.octet >> 5, "Value": timer.octet & 31}


def _snssai(snssai: m.Snssai | None) -> Values | None:
    if snssai is None:
        return None
    return {"SST": snssai.sst} if snssai.sd is None else {"SST": snssai.sst, "SD": snssai.sd}


def _nssai(nssai: tuple[m.Snssai, ...]) -> Any:
    return [{"SNSSAI": _snssai(snssai)} for snssai in nssai] or None


def _identity_or_none(identity: MobileIdentity | None) -> Any:
    return None if identity is None else identity_values(identity)


# --- 5GMM ---------------------------------------------------------------------------------------------------------


def _registration_request(message: m.RegistrationRequest) -> Values:
    return {
        "NAS_KSI": message.ngksi,
        "5GSRegType": {"FOR": int(message.follow_on), "Value": int(message.kind)},
        "5GSID": identity_values(message.identity),
        "UESecCap": message.security_capability,
        "NSSAI": _nssai(message.requested_nssai),
        "PDUSessStat": message.pdu_session_status,
        "NASContainer": message.container,
    }


def _registration_accept(message: m.RegistrationAccept) -> Values:
    return {
        "5GSRegResult": {"Value": message.result},
        "GUTI": _identity_or_none(message.guti),
        "5GSTAIList": message.tai_list,
        "AllowedNSSAI": _nssai(message.allowed_nssai),
        "5GSNetFeat": message.features,
        "PDUSessStat": message.pdu_session_status,
        "T3512": _timer(message.t3512),
        "T3502": _timer(message.t3502),
    }


def _registration_reject(message: m.RegistrationReject) -> Values:
    return {"5GMMCause": int(message.cause), "T3346": _timer(message.t3346), "T3502": _timer(message.t3502)}


def _authentication_request(message: m.AuthenticationRequest) -> Values:
    return {"NAS_KSI": message.ngksi, "ABBA": message.abba, "RAND": message.rand, "AUTN": message.autn}


def _security_mode_command(message: m.SecurityModeCommand) -> Values:
    return {
        "NASSecAlgo": {"CiphAlgo": message.ciphering, "IntegAlgo": message.integrity},
        "NAS_KSI": message.ngksi,
        "UESecCap": message.replayed_capability,
        "IMEISVReq": 1 if message.imeisv_requested else None,
        "Add5GSecInfo": {"RINMR": 1} if message.container_requested else None,
    }


def _security_mode_complete(message: m.SecurityModeComplete) -> Values:
    imeisv = None if message.imeisv is None else Imeisv(message.imeisv)
    return {"IMEISV": _identity_or_none(imeisv), "NASContainer": message.container}


def _service_request(message: m.ServiceRequest) -> Values:
    return {
        "NAS_KSI": message.ngksi,
        "ServiceType": int(message.kind),
        "5GSID": identity_values(message.identity),
        "ULDataStat": message.uplink_data_status,
        "PDUSessStat": message.pdu_session_status,
        "NASContainer": message.container,
    }


def _deregistration_request(message: m.DeregistrationRequest) -> Values:
    kind = {"SwitchOff": int(message.switch_off), "AccessType": 1}
    return {"NAS_KSI": message.ngksi, "DeregistrationType": kind, "5GSID": identity_values(message.identity)}


def _network_deregistration_request(message: m.NetworkDeregistrationRequest) -> Values:
    return {
        "DeregistrationType": {"ReregistrationRequired": int(message.reregistration_required), "AccessType": 1},
        "5GMMCause": None if message.cause is None else int(message.cause),
        "T3346": _timer(message.t3346),
    }


def _ul_nas_transport(message: m.UlNasTransport) -> Values:
    return {
        "PayloadContainerType": 1,
        "PayloadContainer": message.payload,
        "PDUSessID": message.pdu_session_id,
        "RequestType": message.request_type,
        "SNSSAI": _snssai(message.snssai),
        "DNN": message.dnn,
    }


def _dl_nas_transport(message: m.DlNasTransport) -> Values:
    return {
        "PayloadContainerType": 1,
        "PayloadContainer": message.payload,
        "PDUSessID": message.pdu_session_id,
        "5GMMCause": None if message.cause is None else int(message.cause),
        "BackOffTimer": _timer(message.back_off),
    }


def _cause(message: Any) -> Values:
    return {"5GMMCause": int(message.cause)}


# --- 5GSM ---------------------------------------------------------------------------------------------------------

_MATCH_ALL: Final = {"Dir": 3, "Id": 1, "PktFilter": [{"Type": 1}]}
_DEFAULT_RULE: Final = {
    "ID": 1,
    "OpCode": 1,
    "DQR": 1,
    "PktFilterList": [_MATCH_ALL],
    "Precedence": 255,
    "Flow": {"QFI": 1},
}
_DEFAULT_FLOW: Final = {"QFI": 1, "OpCode": 1, "E": 1, "Params": [{"Type": 1, "Content": 9}]}


def _establishment_request(message: m.PduSessionEstablishmentRequest) -> Values:
    return {
        "IntegrityProtMaxDataRate": b"\xff\xff",
        "PDUSessType": 1,
        "SSCMode": 1,
        "ExtProtConfig": message.pco,
    }


def _establishment_accept(message: m.PduSessionEstablishmentAccept) -> Values:
    return {
        "SSCMode": 1,
        "PDUSessType": 1,
        "QoSRules": [_DEFAULT_RULE],
        "SessAMBR": {"DLUnit": 6, "DL": 1000, "ULUnit": 6, "UL": 1000},
        "PDUAddress": {"Type": 1, "Addr": message.address},
        "SNSSAI": _snssai(message.snssai),
        "QoSFlowDesc": [_DEFAULT_FLOW],
        "ExtProtConfig": message.pco,
        "DNN": message.dnn,
    }


def _fivegsm_cause(message: Any) -> Values:
    return {"5GSMCause": None if message.cause is None else int(message.cause)}


def _fivegsm_cause_and_back_off(message: Any) -> Values:
    return {"5GSMCause": int(message.cause), "BackOffTimer": _timer(message.back_off)}


def _nothing(_: Any) -> Values:
    return {}


_DECLARATIONS: Final[dict[type[Any], tuple[int, Callable[[Any], Values]]]] = {
    m.RegistrationRequest: (65, _registration_request),
    m.RegistrationAccept: (66, _registration_accept),
    m.RegistrationComplete: (67, _nothing),
    m.RegistrationReject: (68, _registration_reject),
    m.DeregistrationRequest: (69, _deregistration_request),
    m.DeregistrationAccept: (70, _nothing),
    m.NetworkDeregistrationRequest: (71, _network_deregistration_request),
    m.NetworkDeregistrationAccept: (72, _nothing),
    m.ServiceRequest: (76, _service_request),
    m.ServiceReject: (77, lambda message: {**_cause(message), "T3346": _timer(message.t3346)}),
    m.ServiceAccept: (78, lambda message: {"PDUSessStat": message.pdu_session_status}),
    m.AuthenticationRequest: (86, _authentication_request),
    m.AuthenticationResponse: (87, lambda message: {"RES": message.res_star}),
    m.AuthenticationReject: (88, _nothing),
    m.AuthenticationFailure: (89, lambda message: {**_cause(message), "AUTS": message.auts}),
    m.IdentityRequest: (91, lambda message: {"5GSIDType": {"Value": int(message.wanted)}}),
    m.IdentityResponse: (92, lambda message: {"5GSID": identity_values(message.identity)}),
    m.SecurityModeCommand: (93, _security_mode_command),
    m.SecurityModeComplete: (94, _security_mode_complete),
    m.SecurityModeReject: (95, _cause),
    m.FivegmmStatus: (100, _cause),
    m.UlNasTransport: (103, _ul_nas_transport),
    m.DlNasTransport: (104, _dl_nas_transport),
    m.PduSessionEstablishmentRequest: (193, _establishment_request),
    m.PduSessionEstablishmentAccept: (194, _establishment_accept),
    m.PduSessionEstablishmentReject: (195, _fivegsm_cause_and_back_off),
    m.PduSessionReleaseRequest: (209, _fivegsm_cause),
    m.PduSessionReleaseReject: (210, _fivegsm_cause),
    m.PduSessionReleaseCommand: (211, _fivegsm_cause_and_back_off),
    m.PduSessionReleaseComplete: (212, _nothing),
    m.FivegsmStatus: (214, _fivegsm_cause),
}
