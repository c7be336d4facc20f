"""PDU session resource messages, compiled (TS 38.413 9.2.1); arranged like compiled_contexts.py."""

from functools import partial
from typing import Any

from protocols.ngap import declared
from protocols.ngap import messages as m
from protocols.ngap.compiling import (
    COUNTS,
    IDS,
    MAX_COMPILED_ITEMS,
    SESSION,
    TUNNEL,
    Compiled,
    Values,
    build_with_items,
    flat,
    grouped,
    numbered,
    resources,
    tunnels,
)
from protocols.template import Bits, Octets, Template


def _build_setup_response(amf: int, ran: int, **items: Any) -> bytes:
    tunnels = list(grouped(tuple(items.values()), len(TUNNEL)))
    return declared.pdu_session_resource_setup_response(amf, ran, tunnels, ())


def _build_release_command(amf: int, ran: int, nas: bytes, **ids: int) -> bytes:
    return declared.pdu_session_resource_release_command(amf, ran, tuple(ids.values()), nas)


def _build_release_response(amf: int, ran: int, **ids: int) -> bytes:
    return declared.pdu_session_resource_release_response(amf, ran, tuple(ids.values()))


_SETUP_REQUEST = [
    Template(
        partial(build_with_items, declared.pdu_session_resource_setup_request, len(SESSION)),
        **IDS,
        **numbered(count, **SESSION),
    )
    for count in COUNTS
]
_SETUP_RESPONSE = [Template(_build_setup_response, **IDS, **numbered(count, **TUNNEL)) for count in COUNTS]
_SESSION_RELEASE = [
    Template(_build_release_command, **IDS, nas=Octets(), **numbered(count, id=Bits(8))) for count in COUNTS
]
_SESSION_RELEASE_RESPONSE = [
    Template(_build_release_response, **IDS, **numbered(count, id=Bits(8))) for count in COUNTS
]


def _encode_setup_request(message: m.PduSessionResourceSetupRequest) -> bytes:
    amf, ran, sessions = message
    if len(sessions) > MAX_COMPILED_ITEMS:
        return declared.pdu_session_resource_setup_request(amf, ran, sessions)
    return _SETUP_REQUEST[len(sessions)].encode(amf, ran, *flat(sessions))


def _make_setup_request(values: Values) -> m.PduSessionResourceSetupRequest:
    return m.PduSessionResourceSetupRequest(values[0], values[1], resources(values, 2))


def _encode_setup_response(message: m.PduSessionResourceSetupResponse) -> bytes:
    amf, ran, sessions, failed = message
    if failed or len(sessions) > MAX_COMPILED_ITEMS:
        return declared.pdu_session_resource_setup_response(amf, ran, sessions, failed)
    return _SETUP_RESPONSE[len(sessions)].encode(amf, ran, *flat(sessions))


def _make_setup_response(values: Values) -> m.PduSessionResourceSetupResponse:
    return m.PduSessionResourceSetupResponse(values[0], values[1], tunnels(values, 2))


def _encode_session_release(message: m.PduSessionResourceReleaseCommand) -> bytes:
    amf, ran, ids, nas = message
    if len(ids) > MAX_COMPILED_ITEMS:
        return declared.pdu_session_resource_release_command(amf, ran, ids, nas)
    return _SESSION_RELEASE[len(ids)].encode(amf, ran, nas, *ids)


def _make_session_release(values: Values) -> m.PduSessionResourceReleaseCommand:
    amf, ran, nas, *ids = values
    return m.PduSessionResourceReleaseCommand(amf, ran, tuple(ids), nas)


def _encode_session_release_response(message: m.PduSessionResourceReleaseResponse) -> bytes:
    amf, ran, ids = message
    if len(ids) > MAX_COMPILED_ITEMS:
        return declared.pdu_session_resource_release_response(amf, ran, ids)
    return _SESSION_RELEASE_RESPONSE[len(ids)].encode(amf, ran, *ids)


def _make_session_release_response(values: Values) -> m.PduSessionResourceReleaseResponse:
    amf, ran, *ids = values
    return m.PduSessionResourceReleaseResponse(amf, ran, tuple(ids))


ENCODERS: dict[type[Any], Any] = {
    m.PduSessionResourceSetupRequest: _encode_setup_request,
    m.PduSessionResourceSetupResponse: _encode_setup_response,
    m.PduSessionResourceReleaseCommand: _encode_session_release,
    m.PduSessionResourceReleaseResponse: _encode_session_release_response,
}

COMPILED: dict[str, tuple[Compiled, ...]] = {
    "PDUSessionResourceSetupRequest": tuple(Compiled(item, _make_setup_request) for item in _SETUP_REQUEST),
    "PDUSessionResourceSetupResponse": tuple(Compiled(item, _make_setup_response) for item in _SETUP_RESPONSE),
    "PDUSessionResourceReleaseCommand": tuple(Compiled(item, _make_session_release) for item in _SESSION_RELEASE),
    "PDUSessionResourceReleaseResponse": tuple(
        Compiled(item, _make_session_release_response) for item in _SESSION_RELEASE_RESPONSE
    ),
}
