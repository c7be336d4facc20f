"""Nudm operations as HTTP requests (TS 29.503: UEAU 6.3, UECM 6.2, SDM 6.1; paths as in the Rel-18 OpenAPI).

`request_of` writes what a consumer asks; what the door makes of it is nudm_calls.py. A procedure's number travels as a
trace (W3C Trace Context), so that the door's books are as complete as in process; the message class as
3gpp-Sbi-Message-Priority (TS 29.500 6.8.2).
"""

from collections.abc import Callable
from typing import Any, Final, NamedTuple
from urllib.parse import quote
from uuid import NAMESPACE_DNS, uuid5

import orjson

from protocols.identities import Plmn
from protocols.nas5g.messages import Snssai
from protocols.ngap.messages import Guami
from regstorm.records import operations as ops
from regstorm.records.operations import Nf, Operation
from regstorm.reference_core.backend.http_messages import JSON, MERGE_PATCH, Fields, Request
from regstorm.reference_core.backend.nudm_json import snssai_json
from regstorm.reference_core.backend.priorities import PRIORITY_OF
from regstorm.reference_core.bus import Call
from regstorm.reference_core.payloads import (
    AmfRegistration,
    AuthenticationInfo,
    AuthEvent,
    SmData,
    SmfRegistration,
)

PRIORITY: Final = "3gpp-sbi-message-priority"
TRACE: Final = "traceparent"
UEAU, UECM, SDM = "/nudm-ueau/v1/", "/nudm-uecm/v1/", "/nudm-sdm/v2/"
SUBSCRIPTION_OF_AMF, SUBSCRIPTIONS_OF_SMF = "am", "sm-"
"""Identities of SDM subscriptions: the UDM's own choice, one for the AMF and one for each DNN of the SMF."""
SUBSCRIPTIONS: Final = "sdm-subscriptions"
ACCESS: Final = "amf-3gpp-access"
SESSIONS: Final = "smf-registrations"
_BEFORE_TIME: Final = "1970-01-01T00:00:00Z"
"""`timeStamp` of an AuthEvent: scenario seconds are no time of day."""
TRACE_PARENT: Final = "0000000000000001"


class Api(NamedTuple):
    """What stands in every message of one network."""

    plmn: Plmn
    slice: Snssai
    guami: Guami

    def instance(self, nf: Nf) -> str:
        """The NF instance identity of a function (TS 29.571 5.3.2)."""
        return _INSTANCES[nf]

    def authority(self, nf: Nf) -> str:
        """The host name of a function (TS 23.003 28.3.2)."""
        return f"{nf.lower()}.5gc.mnc{self.plmn.mnc:0>3}.mcc{self.plmn.mcc}.3gppnetwork.org"


_INSTANCES: Final = {nf: str(uuid5(NAMESPACE_DNS, f"{nf.lower()}.5gc.regstorm.example")) for nf in Nf}

Written = tuple[str, str, Any]
"""Method, path, and the body as JSON; None: none."""


def request_of(call: Call, api: Api) -> Request:
    """The HTTP request of a call."""
    method, path, body = _WRITERS[call.operation](call, quote(call.subject, safe=""), api)
    fields: Fields = ((PRIORITY, str(PRIORITY_OF[call.message_class])),)
    if call.procedure:
        fields += ((TRACE, f"00-{call.procedure:032x}-{TRACE_PARENT}-01"),)
    if body is None:
        return Request(method, path, fields)
    media = MERGE_PATCH if method == "PATCH" else JSON
    return Request(method, path, (*fields, ("content-type", media)), orjson.dumps(body))


def _generate_auth_data(call: Call, who: str, api: Api) -> Written:
    info: AuthenticationInfo = call.payload
    body = {"servingNetworkName": info.serving_network, "ausfInstanceId": api.instance(Nf.AUSF)}
    if info.resynchronisation is not None:
        rand, auts = info.resynchronisation
        body["resynchronizationInfo"] = {"rand": rand.hex(), "auts": auts.hex()}  # type: ignore[assignment]
    return "POST", f"{UEAU}{who}/security-information/generate-auth-data", body


def _auth_events(call: Call, who: str, api: Api) -> Written:
    event: AuthEvent = call.payload
    body = {
        "nfInstanceId": api.instance(Nf.AUSF),
        "success": event.success,
        "timeStamp": _BEFORE_TIME,
        "authType": "5G_AKA",
        "servingNetworkName": event.serving_network,
    }
    return "POST", f"{UEAU}{who}/auth-events", body


def _register_amf(call: Call, who: str, api: Api) -> Written:
    registration: AmfRegistration = call.payload
    body = {
        "amfInstanceId": api.instance(Nf.AMF),
        "deregCallbackUri": f"http://{registration.amf}/namf-callback/v1/{who}/dereg-notify",
        "guami": _guami_json(api.guami),
        "ratType": "NR",
    }
    return "PUT", f"{UECM}{who}/registrations/{ACCESS}", body


def _deregister_amf(call: Call, who: str, api: Api) -> Written:
    return "PATCH", f"{UECM}{who}/registrations/{ACCESS}", {"guami": _guami_json(api.guami), "purgeFlag": True}


def _guami_json(guami: Guami) -> dict[str, Any]:
    amf_id = guami.region << 16 | guami.set_id << 6 | guami.pointer
    return {"plmnId": _plmn_json(guami.plmn), "amfId": f"{amf_id:06x}"}


def _plmn_json(plmn: Plmn) -> dict[str, str]:
    return {"mcc": plmn.mcc, "mnc": plmn.mnc}


def _get(what: str) -> Callable[[Call, str, Api], Written]:
    return lambda call, who, api: ("GET", f"{SDM}{who}/{what}", None)


def _get_sm_data(call: Call, who: str, api: Api) -> Written:
    wanted: SmData = call.payload
    return "GET", f"{SDM}{who}/sm-data?dnn={quote(wanted.dnn, safe='')}", None


def _subscribe_amf(call: Call, who: str, api: Api) -> Written:
    return "POST", f"{SDM}{who}/{SUBSCRIPTIONS}", _subscription(Nf.AMF, who, api, ("am-data",))


def _subscribe_amf_with_data(call: Call, who: str, api: Api) -> Written:
    wanted = ("am-data", "smf-select-data", "ue-context-in-smf-data")
    return "POST", f"{SDM}{who}/{SUBSCRIPTIONS}", _subscription(Nf.AMF, who, api, wanted) | {"immediateReport": True}


def _subscribe_smf(call: Call, who: str, api: Api) -> Written:
    body = _subscription(Nf.SMF, who, api, ("sm-data",))
    return (
        "POST",
        f"{SDM}{who}/{SUBSCRIPTIONS}",
        body | {"dnn": call.payload.dnn, "singleNssai": snssai_json(api.slice)},
    )


def _subscribe_smf_with_data(call: Call, who: str, api: Api) -> Written:
    method, path, body = _subscribe_smf(call, who, api)
    return method, path, body | {"immediateReport": True}


def _subscription(consumer: Nf, who: str, api: Api, resources: tuple[str, ...]) -> dict[str, Any]:
    return {
        "nfInstanceId": api.instance(consumer),
        "callbackReference": f"http://{consumer.lower()}/callback/v1/{who}/sdm-notify",
        "monitoredResourceUris": [f"{SDM}{who}/{one}" for one in resources],
    }


def _unsubscribe_amf(call: Call, who: str, api: Api) -> Written:
    return "DELETE", f"{SDM}{who}/{SUBSCRIPTIONS}/{SUBSCRIPTION_OF_AMF}", None


def _unsubscribe_smf(call: Call, who: str, api: Api) -> Written:
    return "DELETE", f"{SDM}{who}/{SUBSCRIPTIONS}/{quote(SUBSCRIPTIONS_OF_SMF + call.payload.dnn, safe='')}", None


def _register_smf(call: Call, who: str, api: Api) -> Written:
    registration: SmfRegistration = call.payload
    body = {
        "smfInstanceId": api.instance(Nf.SMF),
        "pduSessionId": registration.pdu_session_id,
        "singleNssai": snssai_json(api.slice),
        "dnn": registration.dnn,
        "plmnId": _plmn_json(api.plmn),
    }
    return "PUT", f"{UECM}{who}/registrations/{SESSIONS}/{registration.pdu_session_id}", body


def _deregister_smf(call: Call, who: str, api: Api) -> Written:
    return "DELETE", f"{UECM}{who}/registrations/{SESSIONS}/{call.payload.pdu_session_id}", None


_WRITERS: Final[dict[Operation, Callable[[Call, str, Api], Written]]] = {
    ops.GENERATE_AUTH_DATA: _generate_auth_data,
    ops.CONFIRM_AUTHENTICATION: _auth_events,
    ops.REGISTER_AMF: _register_amf,
    ops.DEREGISTER_AMF: _deregister_amf,
    ops.GET_AM_DATA: _get("am-data"),
    ops.GET_SMF_SELECTION: _get("smf-select-data"),
    ops.GET_UE_CONTEXT_IN_SMF: _get("ue-context-in-smf-data"),
    ops.SUBSCRIBE_AMF: _subscribe_amf,
    ops.SUBSCRIBE_AMF_WITH_DATA: _subscribe_amf_with_data,
    ops.UNSUBSCRIBE_AMF: _unsubscribe_amf,
    ops.GET_SM_DATA: _get_sm_data,
    ops.SUBSCRIBE_SMF: _subscribe_smf,
    ops.SUBSCRIBE_SMF_WITH_DATA: _subscribe_smf_with_data,
    ops.UNSUBSCRIBE_SMF: _unsubscribe_smf,
    ops.REGISTER_SMF: _register_smf,
    ops.DEREGISTER_SMF: _deregister_smf,
}
