"""NGAP messages to octets.

`encode` dispatches by type: what a storm sends often goes through a template, what is sent once for an association
or has arbitrarily many items through its declaration. Both give the same octets as pycrate.
"""

from typing import Any

from protocols.ngap import compiled_contexts, compiled_sessions, declared
from protocols.ngap import messages as m
from protocols.ngap.compiling import IDS, Compiled, plain
from protocols.ngap.tables import MESSAGES
from protocols.ngap.values import plmn_octets
from protocols.template import Shapes, Static, Template

_SETUP_FAILURE = Template(declared.ng_setup_failure, cause=Static(), time_to_wait_s=Static())
_RESET_ALL = Template(declared.ng_reset, cause=Static(), connections=Static())
_ERROR_INDICATION = Template(declared.error_indication, **IDS, cause=Static())
_OVERLOAD_START = Template(declared.overload_start, action=Static(), percentage=Static())
_OVERLOAD_STOP = declared.overload_stop()


def _encode_setup_request(message: m.NgSetupRequest) -> bytes:
    plmn, gnb_id, name, tac, slices = message
    return declared.ng_setup_request(plmn_octets(plmn), gnb_id, name, tac, slices)


def _encode_setup_response(message: m.NgSetupResponse) -> bytes:
    name, (plmn, region, set_id, pointer), relative_capacity, slices = message
    guami = (plmn_octets(plmn), region, set_id, pointer)
    return declared.ng_setup_response(name, guami, relative_capacity, slices)


def _encode_reset(message: m.NgReset) -> bytes:
    return declared.ng_reset(*message) if message.connections else _RESET_ALL.encode(*message)


def _encode_error(message: m.ErrorIndication) -> bytes:
    if message.amf_ue_id is None or message.ran_ue_id is None:
        return declared.error_indication(*message)
    return _ERROR_INDICATION.encode(*message)


_ENCODERS: dict[type[Any], Any] = {
    m.NgSetupRequest: _encode_setup_request,
    m.NgSetupResponse: _encode_setup_response,
    m.NgSetupFailure: lambda message: _SETUP_FAILURE.encode(*message),
    m.NgReset: _encode_reset,
    m.NgResetAcknowledge: lambda message: declared.ng_reset_acknowledge(*message),
    m.ErrorIndication: _encode_error,
    m.OverloadStart: lambda message: _OVERLOAD_START.encode(*message),
    m.OverloadStop: lambda message: _OVERLOAD_STOP,
    **compiled_contexts.ENCODERS,
    **compiled_sessions.ENCODERS,
}

_COMPILED: dict[str, tuple[Compiled, ...]] = {
    "NGSetupFailure": (Compiled(_SETUP_FAILURE, plain(m.NgSetupFailure)),),
    "NGReset": (Compiled(_RESET_ALL, plain(m.NgReset)),),
    "ErrorIndication": (Compiled(_ERROR_INDICATION, plain(m.ErrorIndication)),),
    "OverloadStart": (Compiled(_OVERLOAD_START, plain(m.OverloadStart)),),
    **compiled_contexts.COMPILED,
    **compiled_sessions.COMPILED,
}


def _shapes(members: tuple[Compiled, ...]) -> Shapes:
    """The shapes of several templates as one table, which grows as they learn."""
    shapes: Shapes = {}
    for template, make in members:
        template.share(shapes, make)
    return shapes


# the shapes that a PDU may have, by its first three octets
SHAPES_BY_PREFIX = {MESSAGES[name].prefix: _shapes(members) for name, members in _COMPILED.items()}


def encode(message: m.Message) -> bytes:
    """The PDU of a message. Values out of their range (IDs, lengths, digits) raise: they are the caller's mistake."""
    octets: bytes = _ENCODERS[type(message)](message)
    return octets
