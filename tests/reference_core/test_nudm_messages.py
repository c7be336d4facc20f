"""Nudm on HTTP: what each operation looks like, and that the door reads what the consumer wrote (TS 29.503)."""

import orjson
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from protocols.identities import Plmn, Suci
from protocols.nas5g.messages import Snssai
from protocols.ngap.messages import Guami
from protocols.suci import conceal
from regstorm.records import operations as ops
from regstorm.records.message_classes import MessageClass
from regstorm.records.operations import Nf
from regstorm.reference_core.backend.http_messages import Problem, Request, Response
from regstorm.reference_core.backend.nudm_answers import answer_of, response_of
from regstorm.reference_core.backend.nudm_calls import call_of
from regstorm.reference_core.backend.nudm_requests import Api, request_of
from regstorm.reference_core.bus import CONGESTED, Call, Failed
from regstorm.reference_core.payloads import (
    AmData,
    AmfRegistration,
    AuthenticationInfo,
    AuthEvent,
    Done,
    HomeVector,
    Resynchronisation,
    SmData,
    SmfRegistration,
    SmfSelectionData,
)

PLMN = Plmn("001", "01")
API = Api(PLMN, Snssai(1, 0x0000A1), Guami(PLMN, 1, 1, 0))
SUPI = "imsi-001010000000007"
SNN = "5G:mnc001.mcc001.3gppnetwork.org"
VECTOR = HomeVector(SUPI, b"r" * 16, b"a" * 16, b"x" * 16, b"k" * 32)

OPERATIONS = {
    ops.GENERATE_AUTH_DATA: (AuthenticationInfo(None, SNN), VECTOR),
    ops.CONFIRM_AUTHENTICATION: (AuthEvent(SNN, True), Done()),
    ops.REGISTER_AMF: (AmfRegistration("regstorm-amf"), Done()),
    ops.DEREGISTER_AMF: (None, Done()),
    ops.GET_AM_DATA: (None, AmData((Snssai(1), Snssai(2, 0xABCDEF)))),
    ops.GET_SMF_SELECTION: (None, SmfSelectionData(("internet", "ims"))),
    ops.GET_UE_CONTEXT_IN_SMF: (None, Done()),
    ops.SUBSCRIBE_AMF: (None, Done()),
    ops.SUBSCRIBE_AMF_WITH_DATA: (None, AmData((Snssai(1),))),
    ops.UNSUBSCRIBE_AMF: (None, Done()),
    ops.GET_SM_DATA: (SmData("internet"), SmData("internet")),
    ops.SUBSCRIBE_SMF: (SmData("ims"), Done()),
    ops.SUBSCRIBE_SMF_WITH_DATA: (SmData("ims"), SmData("ims")),
    ops.UNSUBSCRIBE_SMF: (SmData("ims"), Done()),
    ops.REGISTER_SMF: (SmfRegistration(2, "ims"), Done()),
    ops.DEREGISTER_SMF: (SmfRegistration(2, ""), Done()),
}


def test_every_operation_of_the_udm_has_its_message():
    assert set(OPERATIONS) == {one for one in vars(ops).values() if _of_udm(one)}


def _of_udm(one):
    return isinstance(one, ops.Operation) and one.server is Nf.UDM and one is not ops.HEARTBEAT


@pytest.mark.parametrize("operation", OPERATIONS, ids=lambda one: one.name)
def test_the_door_reads_the_call_that_the_consumer_made(operation):
    payload, _ = OPERATIONS[operation]
    call = Call(operation, SUPI, payload, MessageClass.PERIODIC_UPDATE, 1234)
    assert call_of(request_of(call, API)) == call


@pytest.mark.parametrize("operation", OPERATIONS, ids=lambda one: one.name)
def test_the_consumer_reads_the_answer_that_the_udm_gave(operation):
    payload, answer = OPERATIONS[operation]
    call = Call(operation, SUPI, payload)
    request = request_of(call, API)
    assert answer_of(response_of(answer, call_of(request), request.body, API), operation) == answer


@pytest.mark.parametrize("message_class", MessageClass)
def test_a_message_class_survives_as_a_priority(message_class):
    call = Call(ops.GET_AM_DATA, SUPI, None, message_class)
    assert call_of(request_of(call, API)).message_class is message_class


def test_a_consumer_that_says_no_priority_is_treated_like_a_first_message():
    call = call_of(Request("GET", f"/nudm-sdm/v2/{SUPI}/am-data"))
    assert (call.message_class, call.procedure) == (MessageClass.INITIAL_REGISTRATION, 0)


# --- what they look like ---------------------------------------------------------------------------------------------


def test_a_challenge_is_asked_for_by_suci_and_carries_auts_after_a_synchronisation_failure():
    suci = conceal(SUPI, PLMN)
    info = AuthenticationInfo(suci, SNN, Resynchronisation(b"R" * 16, b"A" * 14))
    call = Call(ops.GENERATE_AUTH_DATA, suci.text(), info)
    request = request_of(call, API)
    assert request.method == "POST"
    assert request.path == "/nudm-ueau/v1/suci-0-001-01-0-0-0-0000000007/security-information/generate-auth-data"
    body = orjson.loads(request.body)
    assert body["servingNetworkName"] == SNN
    assert body["resynchronizationInfo"] == {"rand": "52" * 16, "auts": "41" * 14}
    assert call_of(request) == call


def test_a_registration_of_the_amf_names_guami_and_callback():
    request = request_of(Call(ops.REGISTER_AMF, SUPI, AmfRegistration("amf1")), API)
    assert (request.method, request.path) == ("PUT", f"/nudm-uecm/v1/{SUPI}/registrations/amf-3gpp-access")
    body = orjson.loads(request.body)
    assert body["guami"] == {"plmnId": {"mcc": "001", "mnc": "01"}, "amfId": "010040"}
    assert body["deregCallbackUri"].startswith("http://amf1/")
    assert body["ratType"] == "NR"


def test_a_deregistration_of_the_amf_is_a_merge_patch_with_the_purge_flag():
    request = request_of(Call(ops.DEREGISTER_AMF, SUPI), API)
    assert (request.method, request.field("content-type")) == ("PATCH", "application/merge-patch+json")
    assert orjson.loads(request.body)["purgeFlag"] is True


def test_a_subscription_with_immediate_report_brings_the_data():
    call = Call(ops.SUBSCRIBE_SMF_WITH_DATA, SUPI, SmData("ims"))
    request = request_of(call, API)
    body = orjson.loads(request.body)
    assert body["immediateReport"] is True
    assert body["monitoredResourceUris"] == [f"/nudm-sdm/v2/{SUPI}/sm-data"]
    response = response_of(SmData("ims"), call, request.body, API)
    assert (response.status, response.field("location")) == (201, f"/nudm-sdm/v2/{SUPI}/sdm-subscriptions/sm-ims")
    assert orjson.loads(response.body)["report"]["smData"][0]["singleNssai"] == {"sst": 1, "sd": "0000a1"}


def test_what_is_created_has_the_representation_that_was_sent():
    sent = b'{"amfInstanceId":"a","deregCallbackUri":"http://b/c","guami":{},"ratType":"NR","pei":"imei-1"}'
    call = call_of(Request("PUT", f"/nudm-uecm/v1/{SUPI}/registrations/amf-3gpp-access", (), sent))
    response = response_of(Done(), call, sent, API)
    assert (response.status, response.body) == (201, sent)


# --- errors ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("why", "status"),
    [("USER_NOT_FOUND", 404), ("DNN_NOT_ALLOWED", 403), ("AUTHENTICATION_REJECTED", 403), ("SYSTEM_FAILURE", 500)],
)
def test_a_failure_travels_as_problem_details(why, status):
    response = response_of(Failed(why), Call(ops.GET_AM_DATA, SUPI), b"", API)
    assert (response.status, response.field("content-type")) == (status, "application/problem+json")
    assert orjson.loads(response.body) == {"status": status, "cause": why}
    assert answer_of(response, ops.GET_AM_DATA) == Failed(why)


def test_a_congested_door_answers_503_with_retry_after_and_the_consumer_takes_it_like_no_answer():
    response = response_of(Failed(CONGESTED), Call(ops.GET_AM_DATA, SUPI), b"", API)
    assert (response.status, response.field("retry-after")) == (503, "1")
    failed = answer_of(response, ops.GET_AM_DATA)
    assert failed == Failed("NF_CONGESTION")
    assert failed.of_transport


def test_too_many_requests_are_congestion_too_whatever_cause_they_name():
    assert answer_of(Problem(429, "NF_CONGESTION_RISK").response(), ops.GET_AM_DATA) == Failed(CONGESTED)


BAD = {
    "/": (404, "RESOURCE_URI_STRUCTURE_NOT_FOUND"),
    "": (404, "RESOURCE_URI_STRUCTURE_NOT_FOUND"),
    "/nudm-sdm/v2/imsi-1": (404, "RESOURCE_URI_STRUCTURE_NOT_FOUND"),
    "/nudm-sdm/v9/imsi-1/am-data": (404, "RESOURCE_URI_STRUCTURE_NOT_FOUND"),
    "/nudm-sdm/v2/imsi-1/am-data/more": (404, "RESOURCE_URI_STRUCTURE_NOT_FOUND"),
    "/nudm-sdm/v2//am-data": (404, "RESOURCE_URI_STRUCTURE_NOT_FOUND"),
    "/nudm-sdm/v2/imsi-1/sm-data": (400, "MANDATORY_QUERY_PARAM_MISSING"),
}


@pytest.mark.parametrize("path", BAD)
def test_a_path_that_leads_nowhere_is_a_problem(path):
    problem = call_of(Request("GET", path))
    assert (problem.status, problem.cause) == BAD[path]


def test_a_method_that_a_resource_does_not_have_is_refused_with_those_it_has():
    problem = call_of(Request("DELETE", f"/nudm-uecm/v1/{SUPI}/registrations/amf-3gpp-access"))
    assert problem.status == 405
    assert problem.response().field("allow") == "PUT, PATCH"


BODIES = {
    b"": ("INVALID_MSG_FORMAT", "body"),
    b"[1]": ("INVALID_MSG_FORMAT", "body"),
    b"{}": ("MANDATORY_IE_MISSING", "servingNetworkName"),
    b'{"servingNetworkName":5}': ("MANDATORY_IE_INCORRECT", "servingNetworkName"),
    b'{"servingNetworkName":"a","resynchronizationInfo":{"rand":"00","auts":"00"}}': (
        "MANDATORY_IE_INCORRECT",
        "resynchronizationInfo/rand",
    ),
}


@pytest.mark.parametrize("body", BODIES)
def test_a_body_without_what_it_must_have_is_a_problem_that_names_it(body):
    path = f"/nudm-ueau/v1/{SUPI}/security-information/generate-auth-data"
    problem = call_of(Request("POST", path, (), body))
    assert (problem.status, problem.cause, problem.detail) == (400, *BODIES[body])


@pytest.mark.parametrize("session", ["", "x", "-1", "256", "1/2"])
def test_a_session_that_is_no_number_leads_nowhere(session):
    problem = call_of(Request("DELETE", f"/nudm-uecm/v1/{SUPI}/registrations/smf-registrations/{session}"))
    assert problem.status == 404


def test_an_answer_that_makes_no_sense_is_a_failure_of_the_server():
    for body in (
        b"",
        b"[]",
        b'{"nssai":{"defaultSingleNssais":[5]}}',
        b'{"nssai":{"defaultSingleNssais":[{"sst":999}]}}',
    ):
        assert answer_of(Response(200, (), body), ops.GET_AM_DATA) == Failed("UNREADABLE_RESPONSE")


# --- anything --------------------------------------------------------------------------------------------------------

TEXT = st.text(st.characters(max_codepoint=0x7F), max_size=12)
SEGMENTS = st.sampled_from(
    ["nudm-sdm", "v2", "nudm-uecm", "v1", "nudm-ueau", "registrations", "smf-registrations", "sdm-subscriptions", "1"]
)


@settings(max_examples=200, deadline=None)
@given(
    st.sampled_from(["GET", "PUT", "POST", "PATCH", "DELETE"]),
    st.lists(st.one_of(SEGMENTS, TEXT), max_size=8),
    TEXT,
    st.one_of(st.binary(max_size=20), st.recursive(st.none() | st.text(max_size=4), st.lists).map(orjson.dumps)),
)
def test_any_request_becomes_a_call_or_a_problem(method, segments, query, body):
    read = call_of(Request(method, "/" + "/".join(segments) + "?" + query, (("traceparent", query),), body))
    assert isinstance(read, Call | Problem)


@settings(max_examples=100, deadline=None)
@given(st.sampled_from(list(OPERATIONS)), st.integers(100, 599), st.binary(max_size=60))
def test_any_response_becomes_an_answer(operation, status, body):
    answer_of(Response(status, (), body), operation)


@given(st.text(max_size=40))
def test_any_text_is_a_suci_or_none(text):
    assert Suci.from_text(text) is None or text.startswith("suci-0-")


def test_a_suci_reads_as_it_was_written():
    for one in (conceal(SUPI, PLMN), Suci(PLMN, "12", 1, 27, b"\x01\x02" * 30)):
        assert Suci.from_text(one.text()) == one
