"""NAS transport and UE context messages, compiled (TS 38.413 9.2.2 and 9.2.5).

For each message: its template, a function that takes the message apart into flat fields for it, and one that puts a
message together from what the template read (None if the values are none: a PLMN with a digit above nine).
"""

from functools import partial
from typing import Any

from protocols.identities import STmsi
from protocols.ngap import declared
from protocols.ngap import messages as m
from protocols.ngap.compiling import (
    AMF_ID,
    COUNTS,
    IDS,
    MAX_COMPILED_ITEMS,
    RAN_ID,
    SESSION,
    TUNNEL,
    Compiled,
    Values,
    build_with_items,
    flat,
    grouped,
    numbered,
    plain,
    resources,
    tunnels,
)
from protocols.ngap.values import plmn_octets, plmn_of, security_bitmaps, security_capability
from protocols.template import Bits, Kind, Octets, Static, Template

_PLMN = Octets()
_LOCATION: dict[str, Kind] = {"plmn": _PLMN, "cell": Bits(36), "tac": Bits(24)}
_RRC_ROOT_CAUSES = 10
_RRC_CAUSES = tuple(m.RrcCause)

# --- NAS transport -------------------------------------------------------------------------------------------

_INITIAL_UE_FIELDS: dict[str, Kind] = {
    "ran": RAN_ID,
    "nas": Octets(),
    **_LOCATION,
    "rrc_cause": Bits(4, 0, _RRC_ROOT_CAUSES - 1),
}


def _build_initial_ue(set_id: int, pointer: int, tmsi: int, **fields: Any) -> bytes:
    return declared.initial_ue_message(**fields, s_tmsi=(set_id, pointer, tmsi))


_INITIAL_UE = Template(declared.initial_ue_message, **_INITIAL_UE_FIELDS)
_INITIAL_UE_S_TMSI = Template(_build_initial_ue, **_INITIAL_UE_FIELDS, set_id=Bits(10), pointer=Bits(6), tmsi=Bits(32))
_UPLINK = Template(declared.uplink_nas_transport, **IDS, nas=Octets(), **_LOCATION)
_DOWNLINK = Template(declared.downlink_nas_transport, **IDS, nas=Octets())


def _encode_initial_ue(message: m.InitialUeMessage) -> bytes:
    ran, nas, (plmn, cell, tac), rrc_cause, s_tmsi = message
    octets = plmn_octets(plmn)
    if rrc_cause >= _RRC_ROOT_CAUSES:
        return declared.initial_ue_message(ran, nas, octets, cell, tac, rrc_cause, s_tmsi)
    if s_tmsi is None:
        return _INITIAL_UE.encode(ran, nas, octets, cell, tac, rrc_cause)
    return _INITIAL_UE_S_TMSI.encode(ran, nas, octets, cell, tac, rrc_cause, *s_tmsi)


def _make_initial_ue(values: Values) -> m.InitialUeMessage | None:
    ran, nas, octets, cell, tac, rrc_cause, *s_tmsi = values
    plmn = plmn_of(octets)
    if plmn is None:
        return None
    location = m.UserLocation(plmn, cell, tac)
    identity = STmsi(*s_tmsi) if s_tmsi else None
    return m.InitialUeMessage(ran, nas, location, _RRC_CAUSES[rrc_cause], identity)


def _encode_uplink(message: m.UplinkNasTransport) -> bytes:
    amf, ran, nas, (plmn, cell, tac) = message
    return _UPLINK.encode(amf, ran, nas, plmn_octets(plmn), cell, tac)


def _make_uplink(values: Values) -> m.UplinkNasTransport | None:
    amf, ran, nas, octets, cell, tac = values
    plmn = plmn_of(octets)
    return None if plmn is None else m.UplinkNasTransport(amf, ran, nas, m.UserLocation(plmn, cell, tac))


# --- UE context ----------------------------------------------------------------------------------------------

_GUAMI: dict[str, Kind] = {"region": Bits(8), "set_id": Bits(10), "pointer": Bits(6)}
_SECURITY: dict[str, Kind] = {"nr_ea": Bits(7), "nr_ia": Bits(7), "eutra_ea": Bits(7), "eutra_ia": Bits(7)}


def _build_context_setup(amf: int, ran: int, slices: Any, key: bytes, nas: bytes, **fields: Any) -> bytes:
    guami = tuple(fields.pop(name) for name in ("plmn", *_GUAMI))
    security = tuple(fields.pop(name) for name in _SECURITY)
    sessions = list(grouped(tuple(fields.values()), len(SESSION)))
    return declared.initial_context_setup_request(amf, ran, guami, slices, security, key, nas, sessions)


_CONTEXT_SETUP = [
    Template(
        _build_context_setup,
        **IDS,
        plmn=_PLMN,
        **_GUAMI,
        slices=Static(),
        **_SECURITY,
        key=Octets(),
        nas=Octets(),
        **numbered(count, **SESSION),
    )
    for count in COUNTS
]
_CONTEXT_SETUP_RESPONSE = [
    Template(
        partial(build_with_items, declared.initial_context_setup_response, len(TUNNEL)),
        **IDS,
        **numbered(count, **TUNNEL),
    )
    for count in COUNTS
]
_CONTEXT_SETUP_FAILURE = Template(declared.initial_context_setup_failure, **IDS, cause=Static())
_RELEASE_REQUEST = Template(declared.ue_context_release_request, **IDS, cause=Static())
_RELEASE_COMMAND = Template(declared.ue_context_release_command, **IDS, cause=Static())
_RELEASE_COMMAND_SHORT = Template(partial(declared.ue_context_release_command, ran=None), amf=AMF_ID, cause=Static())
_RELEASE_COMPLETE = Template(declared.ue_context_release_complete, **IDS)


def _encode_context_setup(message: m.InitialContextSetupRequest) -> bytes:
    amf, ran, (plmn, region, set_id, pointer), slices, capability, key, nas, sessions = message
    guami = (plmn_octets(plmn), region, set_id, pointer)
    bitmaps = security_bitmaps(capability)
    if len(sessions) > MAX_COMPILED_ITEMS:
        return declared.initial_context_setup_request(amf, ran, guami, slices, bitmaps, key, nas, sessions)
    template = _CONTEXT_SETUP[len(sessions)]
    return template.encode(amf, ran, *guami, slices, *bitmaps, key, nas, *flat(sessions))


def _make_context_setup(values: Values) -> m.InitialContextSetupRequest | None:
    amf, ran, octets, region, set_id, pointer, slices, nr_ea, nr_ia, eutra_ea, eutra_ia, key, nas = values[:13]
    plmn = plmn_of(octets)
    if plmn is None:
        return None
    capability = security_capability((nr_ea, nr_ia, eutra_ea, eutra_ia))
    guami = m.Guami(plmn, region, set_id, pointer)
    sessions = resources(values, 13)
    return m.InitialContextSetupRequest(amf, ran, guami, slices, capability, key, nas, sessions)


def _encode_context_setup_response(message: m.InitialContextSetupResponse) -> bytes:
    amf, ran, sessions = message
    if not sessions:
        return _CONTEXT_SETUP_RESPONSE[0].encode(amf, ran)
    if len(sessions) > MAX_COMPILED_ITEMS:
        return declared.initial_context_setup_response(amf, ran, sessions)
    return _CONTEXT_SETUP_RESPONSE[len(sessions)].encode(amf, ran, *flat(sessions))


def _make_context_setup_response(values: Values) -> m.InitialContextSetupResponse:
    return m.InitialContextSetupResponse(values[0], values[1], tunnels(values, 2))


def _make_context_setup_response_alone(values: Values) -> m.InitialContextSetupResponse:
    return m.InitialContextSetupResponse(*values)


def _encode_release_command(message: m.UeContextReleaseCommand) -> bytes:
    amf, ran, cause = message
    if ran is None:
        return _RELEASE_COMMAND_SHORT.encode(amf, cause)
    return _RELEASE_COMMAND.encode(amf, ran, cause)


def _make_release_command_short(values: Values) -> m.UeContextReleaseCommand:
    amf, cause = values
    return m.UeContextReleaseCommand(amf, None, cause)


ENCODERS: dict[type[Any], Any] = {
    m.InitialUeMessage: _encode_initial_ue,
    m.UplinkNasTransport: _encode_uplink,
    m.DownlinkNasTransport: lambda message: _DOWNLINK.encode(*message),
    m.InitialContextSetupRequest: _encode_context_setup,
    m.InitialContextSetupResponse: _encode_context_setup_response,
    m.InitialContextSetupFailure: lambda message: _CONTEXT_SETUP_FAILURE.encode(*message),
    m.UeContextReleaseRequest: lambda message: _RELEASE_REQUEST.encode(*message),
    m.UeContextReleaseCommand: _encode_release_command,
    m.UeContextReleaseComplete: lambda message: _RELEASE_COMPLETE.encode(*message),
}

COMPILED: dict[str, tuple[Compiled, ...]] = {
    "InitialUEMessage": (
        Compiled(_INITIAL_UE, _make_initial_ue),
        Compiled(_INITIAL_UE_S_TMSI, _make_initial_ue),
    ),
    "UplinkNASTransport": (Compiled(_UPLINK, _make_uplink),),
    "DownlinkNASTransport": (Compiled(_DOWNLINK, plain(m.DownlinkNasTransport)),),
    "InitialContextSetupRequest": tuple(Compiled(item, _make_context_setup) for item in _CONTEXT_SETUP),
    "InitialContextSetupResponse": (
        Compiled(_CONTEXT_SETUP_RESPONSE[0], _make_context_setup_response_alone),
        *(Compiled(item, _make_context_setup_response) for item in _CONTEXT_SETUP_RESPONSE[1:]),
    ),
    "InitialContextSetupFailure": (Compiled(_CONTEXT_SETUP_FAILURE, plain(m.InitialContextSetupFailure)),),
    "UEContextReleaseRequest": (Compiled(_RELEASE_REQUEST, plain(m.UeContextReleaseRequest)),),
    "UEContextReleaseCommand": (
        Compiled(_RELEASE_COMMAND, plain(m.UeContextReleaseCommand)),
        Compiled(_RELEASE_COMMAND_SHORT, _make_release_command_short),
    ),
    "UEContextReleaseComplete": (Compiled(_RELEASE_COMPLETE, plain(m.UeContextReleaseComplete)),),
}
