"""The UDM's answers as HTTP responses, and back (TS 29.503 6.1, 6.2, 6.3; errors 29.500 5.2.7.2, 29.503 6.x.7.3).

`response_of` writes at the door, `answer_of` reads at the consumer: a record of payloads.py, or `Failed` with the cause
that the problem details name. A response that cannot be read counts as an error of the server.
"""

from collections.abc import Callable
from typing import Any, Final, NamedTuple
from urllib.parse import quote

import orjson

from regstorm.records import operations as ops
from regstorm.records.operations import Operation
from regstorm.reference_core.backend.http_messages import JSON, Problem, Response, cause_in
from regstorm.reference_core.backend.nudm_json import BadJson, JsonObject, snssai_json, snssai_key
from regstorm.reference_core.backend.nudm_requests import (
    ACCESS,
    SDM,
    SESSIONS,
    SUBSCRIPTION_OF_AMF,
    SUBSCRIPTIONS,
    SUBSCRIPTIONS_OF_SMF,
    UEAU,
    UECM,
    Api,
)
from regstorm.reference_core.bus import CONGESTED, Answer, Call, Failed
from regstorm.reference_core.payloads import AmData, Done, HomeVector, SmData, SmfSelectionData

_STATUS_OF: Final = {
    "USER_NOT_FOUND": 404,
    "AUTHENTICATION_REJECTED": 403,
    "DNN_NOT_ALLOWED": 403,
    CONGESTED: 503,
}
_UNREADABLE: Final = "UNREADABLE_RESPONSE"
"""Ours: no cause of 3GPP says that an answer made no sense."""


# --- at the door ---------------------------------------------------------------------------------------------------


class Context(NamedTuple):
    """What an answer is given to."""

    call: Call
    body: bytes
    """The request's: what is created has the representation that was sent."""
    api: Api

    @property
    def who(self) -> str:
        """The subject, as a segment of a path."""
        return quote(self.call.subject, safe="")


def response_of(answer: Answer, call: Call, body: bytes, api: Api) -> Response:
    """The HTTP response of what the UDM has answered to `call`, whose request had `body`."""
    if isinstance(answer, Failed):
        return Problem(_STATUS_OF.get(answer.why, 500), answer.why).response()
    return _WRITERS[call.operation](answer, Context(call, body, api))


def _json(body: Any) -> Response:
    return Response(200, (("content-type", JSON),), orjson.dumps(body))


def _created(location: str, body: bytes) -> Response:
    return Response(201, (("content-type", JSON), ("location", location)), body)


def _vector(answer: HomeVector, to: Context) -> Response:
    vector = {
        "avType": "5G_HE_AKA",
        "rand": answer.rand.hex(),
        "xresStar": answer.xres_star.hex(),
        "autn": answer.autn.hex(),
        "kausf": answer.kausf.hex(),
    }
    return _json({"authType": "5G_AKA", "authenticationVector": vector, "supi": answer.supi})


def _event_kept(answer: Done, to: Context) -> Response:
    return _created(f"{UEAU}{to.who}/auth-events/1", to.body)


def _amf_registered(answer: Done, to: Context) -> Response:
    return _created(f"{UECM}{to.who}/registrations/{ACCESS}", to.body)


def _smf_registered(answer: Done, to: Context) -> Response:
    return _created(f"{UECM}{to.who}/registrations/{SESSIONS}/{to.call.payload.pdu_session_id}", to.body)


def _am_data(answer: AmData, to: Context) -> Response:
    return _json(_am_data_json(answer))


def _am_data_json(answer: AmData) -> dict[str, Any]:
    return {"nssai": {"defaultSingleNssais": [snssai_json(one) for one in answer.slices]}}


def _selection(answer: SmfSelectionData, to: Context) -> Response:
    infos = {snssai_key(to.api.slice): {"dnnInfos": [{"dnn": dnn} for dnn in answer.dnns]}}
    return _json({"subscribedSnssaiInfos": infos})


def _sm_data(answer: SmData, to: Context) -> Response:
    return _json([_sm_data_json(answer, to.api)])


def _sm_data_json(answer: SmData, api: Api) -> dict[str, Any]:
    configuration = {
        "pduSessionTypes": {"defaultSessionType": "IPV4"},
        "sscModes": {"defaultSscMode": "SSC_MODE_1"},
    }
    return {"singleNssai": snssai_json(api.slice), "dnnConfigurations": {answer.dnn: configuration}}


def _no_sessions(answer: Done, to: Context) -> Response:
    return _json({"pduSessions": {}})


def _subscribed(answer: Done, to: Context) -> Response:
    return _subscription(to, None)


def _subscribed_amf_with_data(answer: AmData, to: Context) -> Response:
    return _subscription(to, {"amData": _am_data_json(answer)})


def _subscribed_smf_with_data(answer: SmData, to: Context) -> Response:
    return _subscription(to, {"smData": [_sm_data_json(answer, to.api)]})


def _subscription(to: Context, report: dict[str, Any] | None) -> Response:
    kept = orjson.loads(to.body)
    payload = to.call.payload
    kept["subscriptionId"] = identity = SUBSCRIPTION_OF_AMF if payload is None else SUBSCRIPTIONS_OF_SMF + payload.dnn
    if report is not None:
        kept["report"] = report
    return _created(f"{SDM}{to.who}/{SUBSCRIPTIONS}/{quote(identity, safe='')}", orjson.dumps(kept))


def _no_content(answer: Done, to: Context) -> Response:
    return Response(204)


_WRITERS: Final[dict[Operation, Callable[[Any, Context], Response]]] = {
    ops.GENERATE_AUTH_DATA: _vector,
    ops.CONFIRM_AUTHENTICATION: _event_kept,
    ops.REGISTER_AMF: _amf_registered,
    ops.DEREGISTER_AMF: _no_content,
    ops.GET_AM_DATA: _am_data,
    ops.GET_SMF_SELECTION: _selection,
    ops.GET_UE_CONTEXT_IN_SMF: _no_sessions,
    ops.SUBSCRIBE_AMF: _subscribed,
    ops.SUBSCRIBE_AMF_WITH_DATA: _subscribed_amf_with_data,
    ops.UNSUBSCRIBE_AMF: _no_content,
    ops.GET_SM_DATA: _sm_data,
    ops.SUBSCRIBE_SMF: _subscribed,
    ops.SUBSCRIBE_SMF_WITH_DATA: _subscribed_smf_with_data,
    ops.UNSUBSCRIBE_SMF: _no_content,
    ops.REGISTER_SMF: _smf_registered,
    ops.DEREGISTER_SMF: _no_content,
}


# --- at the consumer -----------------------------------------------------------------------------------------------


def answer_of(response: Response, operation: Operation) -> Answer:
    """What a response says, whatever it is."""
    if response.status // 100 != 2:
        cause = cause_in(response)
        return Failed(CONGESTED if response.status in (429, 503) else cause)
    read = _READERS.get(operation)
    if read is None:
        return Done()
    try:
        return read(response.body)
    except BadJson:
        return Failed(_UNREADABLE)


def _read_vector(body: bytes) -> HomeVector:
    said = JsonObject.of(body)
    vector = said.inner("authenticationVector")
    return HomeVector(
        said.text("supi"),
        vector.octets("rand", 16),
        vector.octets("autn", 16),
        vector.octets("xresStar", 16),
        vector.octets("kausf", 32),
    )


def _read_am_data(body: bytes) -> AmData:
    return _am_data_in(JsonObject.of(body))


def _am_data_in(said: JsonObject) -> AmData:
    slices = said.inner("nssai").objects("defaultSingleNssais")
    return AmData(tuple(one.snssai() for one in slices))


def _read_selection(body: bytes) -> SmfSelectionData:
    """The DNNs of all slices."""
    infos = JsonObject.of(body).inner("subscribedSnssaiInfos")
    dnns = [one.text("dnn") for key in infos.names() for one in infos.inner(key).objects("dnnInfos")]
    return SmfSelectionData(tuple(dict.fromkeys(dnns)))


def _read_sm_data(body: bytes) -> SmData:
    # the body is a list, which JsonObject does not begin with
    return _sm_data_in(JsonObject.of(b'{"smData":' + body + b"}"))


def _sm_data_in(report: JsonObject) -> SmData:
    dnns = [dnn for one in report.objects("smData") for dnn in one.inner("dnnConfigurations").names()]
    if not dnns:
        raise BadJson("MANDATORY_IE_MISSING", "dnnConfigurations")
    return SmData(dnns[0])


def _read_am_report(body: bytes) -> AmData:
    return _am_data_in(JsonObject.of(body).inner("report").inner("amData"))


def _read_sm_report(body: bytes) -> SmData:
    return _sm_data_in(JsonObject.of(body).inner("report"))


_READERS: Final[dict[Operation, Callable[[bytes], Answer]]] = {
    ops.GENERATE_AUTH_DATA: _read_vector,
    ops.GET_AM_DATA: _read_am_data,
    ops.GET_SMF_SELECTION: _read_selection,
    ops.GET_SM_DATA: _read_sm_data,
    ops.SUBSCRIBE_AMF_WITH_DATA: _read_am_report,
    ops.SUBSCRIBE_SMF_WITH_DATA: _read_sm_report,
}
"""Operations whose answer has something to say; the others are done."""
