"""Nudm operations out of HTTP requests, at the door: whatever a request is, it becomes a call or a problem.

For every call that the core makes `call_of` undoes nudm_requests.request_of, but for what no message carries: who asks,
and the DNN where a session is deregistered.
"""

from collections.abc import Callable, Mapping
from typing import Any, Final, NamedTuple
from urllib.parse import parse_qs, unquote

from protocols.identities import Suci
from regstorm.records import operations as ops
from regstorm.records.operations import Operation
from regstorm.reference_core.backend.http_messages import Problem, Request
from regstorm.reference_core.backend.nudm_json import BadJson, JsonObject
from regstorm.reference_core.backend.nudm_requests import (
    ACCESS,
    PRIORITY,
    SDM,
    SESSIONS,
    SUBSCRIPTION_OF_AMF,
    SUBSCRIPTIONS,
    SUBSCRIPTIONS_OF_SMF,
    TRACE,
    TRACE_PARENT,
    UEAU,
    UECM,
)
from regstorm.reference_core.backend.priorities import class_of
from regstorm.reference_core.bus import Call
from regstorm.reference_core.payloads import (
    AmfRegistration,
    AuthenticationInfo,
    AuthEvent,
    Resynchronisation,
    SmData,
    SmfRegistration,
)


class _Asked(NamedTuple):
    """What a path and a body ask for, before anybody has looked at the fields of either."""

    subject: str
    rest: tuple[str, ...]
    query: Mapping[str, list[str]]
    body: bytes

    def json(self) -> JsonObject:
        return JsonObject.of(self.body)


Read = tuple[Operation, Any]


def call_of(request: Request) -> Call | Problem:
    """The call that a request makes, whatever the request is; `Problem` if it makes none."""
    path, _, query = request.path.partition("?")
    service, subject, rest = _cut(path)
    readers = _readers(service, rest)
    if readers is None or not subject:
        return Problem(404, "RESOURCE_URI_STRUCTURE_NOT_FOUND")
    read = readers.get(request.method)
    if read is None:
        return Problem(405, "METHOD_NOT_ALLOWED", allow=", ".join(readers))
    try:
        operation, payload = read(_Asked(subject, rest, _query(query), request.body))
    except BadJson as bad:
        return Problem(400, bad.cause, bad.where)
    except _NoSuchResource:
        return Problem(404, "RESOURCE_URI_STRUCTURE_NOT_FOUND")
    return Call(operation, subject, payload, class_of(_number(request.field(PRIORITY))), _procedure(request))


def _readers(service: str, rest: tuple[str, ...]) -> dict[str, Callable[[_Asked], Read]] | None:
    """Those of a resource, by method; None: there is no such resource."""
    for depth in (2, 1):
        found = _READERS.get((service, *rest[:depth]))
        if found is not None and (len(rest) <= depth or (len(rest) == depth + 1 and rest[depth - 1] in _HAVE_CHILDREN)):
            return found
    return None


class _NoSuchResource(Exception):
    """The path goes on where there is nothing."""


def _cut(path: str) -> tuple[str, str, tuple[str, ...]]:
    """Service with version, subject, and the segments behind it."""
    parts = path.split("/")
    if len(parts) < 5 or parts[0]:
        return "", "", ()
    return f"/{parts[1]}/{parts[2]}/", unquote(parts[3]), tuple(parts[4:])


def _query(query: str) -> Mapping[str, list[str]]:
    try:
        return parse_qs(query, max_num_fields=32) if query else {}
    except ValueError:  # too many
        return {}


def _number(text: str | None) -> int | None:
    return int(text) if text is not None and len(text) <= 2 and text.isascii() and text.isdigit() else None


def _procedure(request: Request) -> int:
    """The number behind a traceparent of ours; 0 if there is none."""
    trace = request.field(TRACE)
    if trace is None or len(trace) != 55 or not trace.startswith("00-") or trace[36:52] != TRACE_PARENT:
        return 0
    try:
        return int(trace[3:35], 16)
    except ValueError:
        return 0


def _read_generate_auth_data(asked: _Asked) -> Read:
    said = asked.json()
    suci = Suci.from_text(asked.subject)
    if suci is None and asked.subject.startswith("suci-"):
        raise BadJson("MANDATORY_IE_INCORRECT", "supiOrSuci")
    again = said.maybe_inner("resynchronizationInfo")
    resynchronisation = None if again is None else Resynchronisation(again.octets("rand", 16), again.octets("auts", 14))
    return ops.GENERATE_AUTH_DATA, AuthenticationInfo(suci, said.text("servingNetworkName"), resynchronisation)


def _read_auth_event(asked: _Asked) -> Read:
    said = asked.json()
    return ops.CONFIRM_AUTHENTICATION, AuthEvent(said.text("servingNetworkName"), said.flag("success"))


def _read_register_amf(asked: _Asked) -> Read:
    said = asked.json()
    said.text("amfInstanceId")
    said.inner("guami")
    host = said.text("deregCallbackUri").partition("://")[2].partition("/")[0]
    return ops.REGISTER_AMF, AmfRegistration(host)


def _read_deregister_amf(asked: _Asked) -> Read:
    if not asked.json().maybe_flag("purgeFlag"):
        raise BadJson("MANDATORY_IE_INCORRECT", "purgeFlag")  # the only modification that this core knows
    return ops.DEREGISTER_AMF, None


def _read_nothing(operation: Operation) -> Callable[[_Asked], Read]:
    return lambda asked: (operation, None)


def _read_sm_data(asked: _Asked) -> Read:
    """Without a DNN it would be the data of all (6.1.3.8.3.1); this core's SMF always names one."""
    dnns = asked.query.get("dnn")
    if not dnns:
        raise BadJson("MANDATORY_QUERY_PARAM_MISSING", "dnn")
    return ops.GET_SM_DATA, SmData(dnns[0])


def _read_subscription(asked: _Asked) -> Read:
    if len(asked.rest) != 1:
        raise _NoSuchResource
    said = asked.json()
    with_data = said.maybe_flag("immediateReport")
    resources = [one.rpartition("/")[2] for one in said.texts("monitoredResourceUris")]
    if "sm-data" in resources:
        operation = ops.SUBSCRIBE_SMF_WITH_DATA if with_data else ops.SUBSCRIBE_SMF
        return operation, SmData(said.text("dnn"))
    if "am-data" not in resources:
        raise BadJson("MANDATORY_IE_INCORRECT", "monitoredResourceUris")
    return ops.SUBSCRIBE_AMF_WITH_DATA if with_data else ops.SUBSCRIBE_AMF, None


def _read_unsubscription(asked: _Asked) -> Read:
    if len(asked.rest) != 2:
        raise _NoSuchResource
    identity = unquote(asked.rest[1])
    if identity == SUBSCRIPTION_OF_AMF:
        return ops.UNSUBSCRIBE_AMF, None
    if identity.startswith(SUBSCRIPTIONS_OF_SMF):
        return ops.UNSUBSCRIBE_SMF, SmData(identity.removeprefix(SUBSCRIPTIONS_OF_SMF))
    raise _NoSuchResource


def _read_register_smf(asked: _Asked) -> Read:
    said = asked.json()
    session = said.number("pduSessionId")
    if session != _session_in(asked):
        raise BadJson("MANDATORY_IE_INCORRECT", "pduSessionId")
    return ops.REGISTER_SMF, SmfRegistration(session, said.text("dnn"))


def _read_deregister_smf(asked: _Asked) -> Read:
    return ops.DEREGISTER_SMF, SmfRegistration(_session_in(asked), "")


def _session_in(asked: _Asked) -> int:
    """The session that the path names (TS 29.571: 0 to 255)."""
    segment = asked.rest[2] if len(asked.rest) == 3 else ""
    if not segment.isascii() or not segment.isdigit() or len(segment) > 3 or int(segment) > 255:
        raise _NoSuchResource
    return int(segment)


_READERS: Final[dict[tuple[str, ...], dict[str, Callable[[_Asked], Read]]]] = {
    (UEAU, "security-information", "generate-auth-data"): {"POST": _read_generate_auth_data},
    (UEAU, "auth-events"): {"POST": _read_auth_event},
    (UECM, "registrations", ACCESS): {"PUT": _read_register_amf, "PATCH": _read_deregister_amf},
    (UECM, "registrations", SESSIONS): {"PUT": _read_register_smf, "DELETE": _read_deregister_smf},
    (SDM, "am-data"): {"GET": _read_nothing(ops.GET_AM_DATA)},
    (SDM, "smf-select-data"): {"GET": _read_nothing(ops.GET_SMF_SELECTION)},
    (SDM, "ue-context-in-smf-data"): {"GET": _read_nothing(ops.GET_UE_CONTEXT_IN_SMF)},
    (SDM, "sm-data"): {"GET": _read_sm_data},
    (SDM, SUBSCRIPTIONS): {"POST": _read_subscription, "DELETE": _read_unsubscription},
}
_HAVE_CHILDREN: Final = (SESSIONS, SUBSCRIPTIONS)
"""Resources below which there is one more level."""
