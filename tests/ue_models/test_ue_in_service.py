"""A UE in service: sessions, service requests, updates, deregistration (TS 24.501 5.5.1.3, 5.5.2, 5.6.1, 6.4.1)."""

import pytest
from scripted_network import PLMN, Network, t2, t3

from protocols.causes import FivegmmCause, FivegsmCause
from protocols.identities import Guti, STmsi, Suci
from protocols.nas5g.decode import decode_5gsm
from protocols.nas5g.encode import encode
from protocols.nas5g.messages import (
    DeregistrationAccept,
    DeregistrationRequest,
    DlNasTransport,
    FivegsmStatus,
    IdentityRequest,
    IdentityType,
    NetworkDeregistrationAccept,
    NetworkDeregistrationRequest,
    PduSessionEstablishmentRequest,
    PduSessionReleaseCommand,
    PduSessionReleaseComplete,
    RegistrationComplete,
    RegistrationReject,
    RegistrationRequest,
    RegistrationType,
    ServiceAccept,
    ServiceReject,
    ServiceRequest,
    ServiceType,
    UlNasTransport,
)
from protocols.ngap.messages import RrcCause, UeContextReleaseRequest
from protocols.timers import DEACTIVATED3, ZERO3
from ue_models.settings import UeSettings
from ue_models.ue_state import Mm


@pytest.fixture
def network():
    network = Network()
    network.provision()
    return network


def asks(network, kind=ServiceType.DATA):
    assert network.ue.request_service(kind, network.now)
    return network.hear()


def refuse(network, cause, t3346=None, protected=True):
    network.say(ServiceReject(FivegmmCause(cause), t3346), protected)
    network.release()


# --- service request --------------------------------------------------------------------------------------------------


def test_a_provisioned_ue_is_in_service_and_idle(network):
    assert network.ue.in_service
    assert network.notes.service == [(True, 0.0)]
    assert (network.state.mm, network.state.connected) == (Mm.REGISTERED, False)


def test_a_service_request_brings_its_sessions_back_and_the_gnb_lets_go_after_inactivity(network):
    request = asks(network)
    assert request.identity == STmsi(1, 1, network.prior.guti.tmsi)
    assert request.uplink_data_status == request.pdu_session_status == b"\x06\x00"
    network.set_up_context(ServiceAccept())
    assert network.notes.ended[-1] == ("5G service request", None)
    network.sent.clear()
    network.run(9.9)
    assert not network.sent
    network.run(0.1)
    assert isinstance(network.pop(), UeContextReleaseRequest)
    network.release()
    assert network.ue.in_service


def test_the_gnb_counts_inactivity_from_the_last_message(network):
    asks(network)
    network.set_up_context(ServiceAccept())
    network.run(6.0)
    network.say(IdentityRequest(IdentityType.SUCI), protected=True)
    network.hear()
    network.run(9.9)
    assert not network.sent
    network.run(0.2)
    assert isinstance(network.pop(), UeContextReleaseRequest)


def test_a_session_that_the_network_lost_is_asked_for_again(network):
    asks(network)
    network.set_up_context(ServiceAccept(pdu_session_status=b"\x02\x00"))
    assert not network.ue.in_service
    assert network.accept_session() == "ims"
    assert network.ue.in_service


def test_a_refused_service_request_waits_for_t3346_and_then_asks_again(network):
    asks(network)
    refuse(network, 22, t2(60))
    assert network.ue.in_service
    assert not network.ue.request_service(ServiceType.DATA, network.now)
    after_s, request = network.until_attempt()
    assert after_s == pytest.approx(60)
    assert request.kind is ServiceType.DATA


def test_a_paging_is_answered_although_t3346_runs_and_stops_it(network):
    asks(network)
    refuse(network, 22, t2(600))
    assert network.ue.page(network.now)
    first = network.next_ngap()
    assert first.rrc_cause is RrcCause.MT_ACCESS
    assert network.notes.waits() == {}


def test_a_silent_network_is_asked_five_times_and_then_once_per_t3525(network):
    asks(network)
    network.run(15 * 5 + 75 * 2 - 1)
    assert network.notes.starts("5G service request") == [0, 15, 30, 45, 60, 135, 210]
    assert network.ue.in_service


@pytest.mark.parametrize(("cause", "identity"), [(9, Suci), (10, Guti)])
def test_a_forgotten_ue_registers_anew(network, cause, identity):
    asks(network)
    refuse(network, cause, protected=False)
    request = network.hear()
    assert isinstance(request, RegistrationRequest)
    assert request.kind is RegistrationType.INITIAL
    assert isinstance(request.identity, identity)
    assert network.notes.lost == [f"5GMM #{cause}"]
    assert [in_service for in_service, _ in network.notes.service] == [True, False]


def test_a_service_request_refused_for_another_cause_changes_nothing(network):
    asks(network)
    refuse(network, 22)
    assert network.ue.in_service
    assert network.silence(1000.0)


# --- operations -------------------------------------------------------------------------------------------------------


def test_an_online_user_does_service_requests_and_periodic_updates_by_share():
    settings = UeSettings(PLMN, operations_every_s=60.0, periodic_update_share=0.25, answer_s=(0.1, 0.1))
    network = Network(settings=settings)
    network.provision()
    kinds = []
    for _ in range(200):
        request = network.hear(2000.0)
        kinds.append(type(request))
        if isinstance(request, ServiceRequest):
            network.set_up_context(ServiceAccept())
        else:
            network.accept(tmsi=None)
        network.release()
    assert 30 < kinds.count(RegistrationRequest) < 70
    assert 200 * 50 < network.now < 200 * 75


def test_a_periodic_update_comes_54_minutes_after_the_ue_went_idle():
    network = Network()
    network.ue.power_on(0.0)
    network.register()
    idle_since = network.now
    request = network.hear(4000.0)
    assert request.kind is RegistrationType.PERIODIC
    assert network.now - idle_since == pytest.approx(3240)
    network.accept(tmsi=None)
    assert network.notes.ended[-1] == ("5G periodic update", None)


@pytest.mark.parametrize("lacks", [False, True])
def test_an_update_asks_to_follow_on_if_a_session_is_to_be_asked_for_next(network, lacks):
    """Else the network releases the connection with its accept, and the session's first request was lost."""
    if lacks:
        network.ue.state.sessions = 0
    assert network.ue.update(RegistrationType.PERIODIC, network.now)
    assert network.hear().follow_on is lacks


def test_the_networks_t3512_is_used_and_zero_means_never():
    for t3512, expected in ((t3(600), 600), (ZERO3, None), (DEACTIVATED3, None)):
        network = Network()
        network.remember()
        network.ue.return_to_coverage(0.0)
        network.hear()
        network.accept(t3512=t3512)
        network.hear()
        network.accept_session()
        network.accept_session()
        network.release()
        if expected is None:
            assert network.silence(100_000.0)
        else:
            assert network.until_attempt()[0] == pytest.approx(expected)


def test_a_mobility_update_is_retried_as_such_and_keeps_the_guti(network):
    assert network.ue.update(RegistrationType.MOBILITY, network.now)
    assert network.hear().kind is RegistrationType.MOBILITY
    network.say(RegistrationReject(FivegmmCause(98)), protected=True)
    network.release()
    after_s, request = network.until_attempt()
    assert after_s == pytest.approx(10)
    assert (request.kind, type(request.identity)) == (RegistrationType.MOBILITY, Guti)
    assert network.ue.in_service


# --- sessions ---------------------------------------------------------------------------------------------------------


@pytest.fixture
def registered():
    network = Network()
    network.remember()
    network.ue.return_to_coverage(0.0)
    network.hear()
    network.accept()
    assert network.hear() == RegistrationComplete()
    return network


def test_an_unanswered_session_request_is_repeated_after_16_s_on_a_connection_of_its_own(registered):
    first = registered.hear()
    registered.release()
    request = registered.hear(20.0)
    assert (request.kind, registered.now) == (ServiceType.SIGNALLING, pytest.approx(16.1, abs=0.2))
    registered.set_up_context(ServiceAccept())
    again = registered.hear()
    assert again == first
    assert decode_5gsm(again.payload) == PduSessionEstablishmentRequest(1, 1)


def test_t3580_repeats_four_times_and_its_fifth_expiry_ends_the_attempt(registered):
    for _ in range(5):
        request = registered.hear(17.0)
        while isinstance(request, ServiceRequest):
            registered.set_up_context(ServiceAccept())
            request = registered.hear(17.0)
        assert isinstance(request, UlNasTransport)
        registered.release()
    registered.run(16.0)
    assert registered.notes.ended[-1] == ("PDU session internet", "T3580 expired")


def test_the_request_of_a_session_attempt_that_has_ended_is_not_sent_any_more(registered):
    registered.hear()
    registered.release()
    assert isinstance(registered.hear(17.0), ServiceRequest)
    refuse(registered, FivegmmCause.CONGESTION, t2(600))
    registered.run(70.0)
    assert registered.notes.ended[-1] == ("PDU session internet", "T3580 expired")
    assert isinstance(registered.hear(600.0), ServiceRequest)
    registered.set_up_context(ServiceAccept())
    assert decode_5gsm(registered.hear().payload) == PduSessionEstablishmentRequest(1, 1)
    assert registered.silence(5.0)


def test_a_rejected_session_waits_for_t3396_while_the_other_is_established(registered):
    registered.reject_session(FivegsmCause.INSUFFICIENT_RESOURCES, t3(60))
    assert registered.notes.rejects == [("5GSM #26", True)]
    assert registered.notes.waits() == {"T3396": 1}
    assert registered.accept_session() == "ims"
    since = registered.now
    uplink = registered.hear(100.0)
    assert uplink.dnn == "internet"
    assert 55 < registered.now - since < 61
    assert registered.notes.waits() == {}


def test_a_ue_that_is_no_longer_registered_waits_for_no_session(registered):
    registered.reject_session(FivegsmCause.INSUFFICIENT_RESOURCES, t3(600))
    registered.ue.lose_coverage(registered.now)
    assert registered.notes.waits() == {}
    assert registered.notes.ended[-1] == ("PDU session ims", "coverage lost")


def test_a_session_with_a_deactivated_back_off_is_not_asked_for_again(registered):
    registered.reject_session(FivegsmCause.INSUFFICIENT_RESOURCES, DEACTIVATED3)
    assert registered.accept_session() == "ims"
    assert registered.silence(3000.0)
    assert not registered.ue.in_service


def test_a_session_request_that_came_back_with_22_waits_for_its_back_off(registered):
    uplink = registered.hear()
    registered.say(DlNasTransport(uplink.payload, 1, FivegmmCause.CONGESTION, t3(120)), protected=True)
    assert registered.notes.ended[-1] == ("PDU session internet", "5GMM #22")
    assert registered.notes.waits() == {"T3396": 1}


def test_a_released_session_is_completed_and_asked_for_again_if_reactivation_is_requested(registered):
    registered.accept_session()
    registered.accept_session()
    command = PduSessionReleaseCommand(1, 0, FivegsmCause.REACTIVATION_REQUESTED)
    registered.say(DlNasTransport(encode(command), 1), protected=True)
    assert not registered.ue.in_service
    assert decode_5gsm(registered.hear().payload) == PduSessionReleaseComplete(1, 0)
    assert registered.accept_session() == "internet"
    assert registered.ue.in_service


def test_the_release_of_a_session_that_is_not_there_is_answered_with_43(registered):
    registered.hear()
    command = PduSessionReleaseCommand(5, 0, FivegsmCause.REGULAR_DEACTIVATION)
    registered.say(DlNasTransport(encode(command), 5), protected=True)
    status = decode_5gsm(registered.hear().payload)
    assert status == FivegsmStatus(5, 0, FivegsmCause.INVALID_PDU_SESSION_IDENTITY)


# --- deregistration ---------------------------------------------------------------------------------------------------


def test_a_ue_that_deregisters_is_accepted_and_stays_away(network):
    assert network.ue.deregister(network.now)
    assert isinstance(network.hear(), DeregistrationRequest)
    network.say(DeregistrationAccept(), protected=True)
    network.release()
    assert network.state.mm is Mm.DEREGISTERED
    assert network.notes.ended[-1] == ("5G deregistration", None)
    assert network.silence(10_000.0)


def test_a_ue_that_deregisters_during_its_back_off_does_not_come_back_when_that_ends(network):
    asks(network)
    refuse(network, 22, t2(60))
    assert network.ue.deregister(network.now)
    assert isinstance(network.hear(), DeregistrationRequest)
    network.say(DeregistrationAccept(), protected=True)
    network.release()
    assert network.notes.waits() == {"T3346": 1}
    assert network.silence(10_000.0)
    network.ue.power_on(network.now)
    assert isinstance(network.hear(), RegistrationRequest)


def test_while_a_registration_update_waits_to_be_repeated_only_a_paging_is_served(network):
    network.ue.update(RegistrationType.MOBILITY, network.now)
    network.hear()
    network.say(RegistrationReject(FivegmmCause(98)), protected=True)
    network.release()
    assert not network.ue.request_service(ServiceType.DATA, network.now)
    assert network.ue.page(network.now)


def test_an_unanswered_deregistration_is_done_alone_after_five_t3521(network):
    network.ue.deregister(network.now)
    assert isinstance(network.hear(), DeregistrationRequest)
    network.run(15.0 * 5 - 0.1)
    assert network.state.mm is Mm.DEREGISTERED_INITIATED
    network.run(0.1)
    assert network.state.mm is Mm.DEREGISTERED
    assert network.notes.ended[-1] == ("5G deregistration", "T3521 expired")


def test_a_repeated_deregistration_request_is_as_protected_as_the_first(network):
    network.ue.deregister(network.now)
    network.hear()
    network.say(IdentityRequest(IdentityType.SUCI))  # the AMF is there, and has lost the context
    network.hear()
    assert isinstance(network.hear(16.0), DeregistrationRequest)
    assert network.ue.state.security.uplink_count == network.prior.uplink_count + 2


def test_switching_off_waits_for_nothing(network):
    network.ue.deregister(network.now, switch_off=True)
    assert network.hear().switch_off
    assert network.state.mm is Mm.NULL
    network.ue.power_on(network.now)
    assert isinstance(network.hear(), RegistrationRequest)


def test_the_network_deregisters_and_asks_for_a_new_registration(network):
    asks(network)
    network.set_up_context(ServiceAccept())
    network.say(NetworkDeregistrationRequest(reregistration_required=True), protected=True)
    assert network.hear() == NetworkDeregistrationAccept()
    network.release()
    assert network.notes.lost == ["deregistered by the network"]
    request = network.hear(20.0)
    assert isinstance(request, RegistrationRequest)


def test_lost_coverage_ends_the_registration_and_is_told(network):
    network.ue.lose_coverage(5.0)
    assert network.notes.lost == ["coverage lost"]
    assert network.notes.service == [(True, 0.0), (False, 5.0)]
    network.ue.return_to_coverage(10.0)
    request = network.hear()
    assert (request.kind, type(request.identity)) == (RegistrationType.INITIAL, Guti)


def test_a_lost_association_leaves_idle_ues_registered(network):
    network.gnb.association_lost("aborted", 5.0)
    assert network.ue.in_service
    assert network.notes.lost == []
