"""NGAP at the AMF: set-up, IDs, releases, resets, lost associations (TS 38.413 8.3, 8.6, 8.7, 10.6)."""

import pytest
from core_rig import LOCATION, PLMN, Gnb, Rig, Ue, kinds

from protocols.identities import Plmn
from protocols.nas5g import messages as nas
from protocols.nas5g.encode import encode
from protocols.ngap import causes
from protocols.ngap import messages as ngap
from regstorm.records.operations import Nf


def error(cause, amf_ue_id=None, ran_ue_id=None):
    return ngap.ErrorIndication(amf_ue_id, ran_ue_id, cause)


def nothing_runs(rig):
    """No connection, no procedure, no call that waits."""
    contexts = rig.core.amf.contexts.all()
    return rig.core.connections == 0 and not any(list(ue.tasks()) for ue in contexts)


def test_ng_setup_names_the_amf_and_its_capacity():
    rig = Rig()
    answer = Gnb(rig, 2).set_up()
    assert answer.guami == rig.core.identity.guami
    assert answer.relative_capacity == 255
    assert answer.slices == (nas.Snssai(1),)


def test_a_gnb_of_another_plmn_is_turned_away():
    rig = Rig()
    gnb = Gnb(rig, 2)
    gnb.send(ngap.NgSetupRequest(Plmn("262", "01"), 2, "gnb", 1, (nas.Snssai(1),)), 0)
    assert gnb.take() == [ngap.NgSetupFailure(causes.UNKNOWN_PLMN_OR_SNPN)]


def test_before_ng_setup_nothing_else_is_understood():
    rig = Rig()
    gnb = Gnb(rig, 2)
    gnb.send(ngap.InitialUeMessage(1, b"\x7e\x00\x41", LOCATION))
    assert gnb.take() == [error(causes.MESSAGE_NOT_COMPATIBLE_WITH_RECEIVER_STATE)]
    assert rig.core.connections == 0


def test_a_message_that_only_an_amf_sends_is_an_error():
    rig = Rig()
    rig.gnb.send(ngap.DownlinkNasTransport(65_536, 1, b"\x7e\x00\x44"))
    assert rig.gnb.take() == [error(causes.MESSAGE_NOT_COMPATIBLE_WITH_RECEIVER_STATE)]


@pytest.mark.parametrize(
    ("criticality", "answered"),
    [
        ("00", [error(causes.ABSTRACT_SYNTAX_ERROR_REJECT)]),
        ("40", []),  # ignore
        ("80", [error(causes.ABSTRACT_SYNTAX_ERROR_IGNORE_AND_NOTIFY)]),
    ],
)
def test_an_unknown_procedure_is_answered_as_its_criticality_says_and_harms_nobody(criticality, answered):
    """TS 38.413 10.3.4.1: reject and notify are told by ERROR INDICATION, ignore is not; the connections stay."""
    rig = Rig()
    ue = Ue(rig)
    ue.register()
    rig.gnb.take()
    rig.gnb.send_octets(bytes.fromhex(f"00fe{criticality}03000000"))
    assert rig.gnb.take() == answered
    assert rig.core.connections == 1


def test_an_unknown_amf_ue_id_is_told():
    rig = Rig()
    rig.gnb.send(ngap.UplinkNasTransport(70_000, 3, b"\x7e\x00\x57", LOCATION))
    assert rig.gnb.take() == [error(causes.UNKNOWN_LOCAL_UE_NGAP_ID, 70_000, 3)]


def test_an_inconsistent_pair_of_ids_ends_the_connection():
    rig = Rig()
    ue = Ue(rig)
    ue.register()
    rig.gnb.send(ngap.UplinkNasTransport(ue.amf_ue_id, ue.ran_ue_id + 1, b"\x7e\x00\x57", LOCATION))
    assert rig.gnb.take() == [error(causes.INCONSISTENT_REMOTE_UE_NGAP_ID, ue.amf_ue_id, ue.ran_ue_id + 1)]
    assert nothing_runs(rig)


def test_another_gnb_cannot_touch_a_connection():
    rig = Rig()
    ue = Ue(rig)
    ue.register()
    stranger = Gnb(rig, 2)
    stranger.set_up()
    stranger.send(ngap.UeContextReleaseRequest(ue.amf_ue_id, ue.ran_ue_id, causes.USER_INACTIVITY))
    stranger.send(ngap.NgReset(causes.MISC_UNSPECIFIED, ((ue.amf_ue_id, ue.ran_ue_id),)), 0)
    assert kinds(stranger.take()) == ["ErrorIndication", "NgResetAcknowledge"]
    assert rig.core.connections == 1


def test_a_ran_ue_id_that_is_in_use_ends_the_connection_that_has_it():
    rig = Rig()
    ue = Ue(rig)
    ue.register()
    Ue(rig, 1).connect(Ue(rig, 1).registration_request(), ran_ue_id=ue.ran_ue_id)
    assert rig.gnb.take() == [error(causes.INCONSISTENT_REMOTE_UE_NGAP_ID, ue.amf_ue_id, ue.ran_ue_id)]
    assert nothing_runs(rig)
    other = Ue(rig, 1)
    other.connect(other.registration_request(), ran_ue_id=ue.ran_ue_id)
    assert "RegistrationAccept" in kinds(other.follow(2.0))


def test_an_inactive_ue_is_released_and_keeps_its_registration():
    rig = Rig()
    ue = Ue(rig)
    ue.reach_full_service()
    (command,) = ue.go_idle()
    assert command.cause == causes.USER_INACTIVITY
    assert nothing_runs(rig)
    context = rig.core.amf.contexts.by_supi(ue.card.supi)
    assert context.registered
    assert sorted(context.sessions) == [1, 2]


def test_a_release_in_the_middle_of_a_registration_aborts_it_and_cancels_its_calls():
    rig = Rig()
    ue = Ue(rig)
    ue.connect(ue.registration_request())
    rig.run(0.015)  # the AUSF has been asked, the UDM not yet
    (connection,) = rig.core.amf.n2.associations()[0].connections.values()
    ue.amf_ue_id = connection.amf_ue_id
    ue.send_ngap(ngap.UeContextReleaseRequest, causes.RADIO_CONNECTION_WITH_UE_LOST)
    assert kinds(ue.follow(60.0, step_s=1.0)) == ["UeContextReleaseCommand"]
    assert nothing_runs(rig)
    assert rig.tally["udm.served"] == 1  # work already under way is done all the same
    assert rig.tally["udm.pairs_without_service"] == 1


def test_uplink_messages_that_cross_a_release_are_ignored():
    rig = Rig()
    ue = Ue(rig)
    ue.register()
    ue.send_ngap(ngap.UeContextReleaseRequest, causes.USER_INACTIVITY)
    ue.request_session(1, "internet")
    rig.run()
    assert kinds(rig.gnb.take()) == ["UeContextReleaseCommand"]
    assert rig.tally["udm.served.N10"] == 0


def test_a_reset_of_the_interface_drops_everything():
    rig = Rig(population=5)
    for index in range(5):
        ue = Ue(rig, index)
        ue.connect(ue.registration_request())
    rig.run(0.5)
    rig.gnb.take()
    rig.gnb.send(ngap.NgReset(causes.MISC_UNSPECIFIED), 0)
    assert rig.gnb.take() == [ngap.NgResetAcknowledge()]
    assert nothing_runs(rig)


def test_a_partial_reset_drops_what_it_lists_by_either_id():
    rig = Rig(population=3)
    ues = [Ue(rig, index) for index in range(3)]
    for ue in ues:
        ue.register()
    listed = ((ues[0].amf_ue_id, None), (None, ues[1].ran_ue_id), (99_999, 1))
    rig.gnb.send(ngap.NgReset(causes.MISC_UNSPECIFIED, listed), 0)
    assert rig.gnb.take() == [ngap.NgResetAcknowledge(listed)]
    assert rig.core.connections == 1


def test_a_second_ng_setup_erases_the_connections_of_the_first():
    rig = Rig()
    Ue(rig).register()
    rig.gnb.set_up()
    assert nothing_runs(rig)


@pytest.mark.parametrize("answers", [0, 1, 2, 3, 4])
def test_a_lost_association_leaves_nothing_of_its_procedures(answers):
    rig = Rig()
    ue = Ue(rig)
    ue.connect(ue.registration_request())
    ue.follow(1.0, answers=answers)
    if answers == 4:
        ue.request_session(1, "internet")
        rig.run(0.01)
    rig.core.association_lost(1, "lost", rig.agenda.now)
    assert nothing_runs(rig)
    sent = len(rig.gnb.received)
    rig.run(120.0)
    assert len(rig.gnb.received) == sent
    assert rig.tally["amf.nas_retransmissions"] == 0
    rig.core.receive(1, b"\x00", 0, rig.agenda.now)  # a straggler of the old association


def test_a_thousand_aborted_registrations_leave_no_context():
    rig = Rig(population=1000)
    for index in range(1000):
        ue = Ue(rig, index)
        ue.connect(ue.registration_request())
    rig.run(0.5)
    assert rig.core.connections == 1000
    rig.core.association_lost(1, "abort", rig.agenda.now)
    assert nothing_runs(rig)
    assert len(rig.core.amf.contexts) == 0
    assert rig.core.ledger.pending == 0


def test_a_gnb_that_comes_back_is_served_again():
    rig = Rig()
    ue = Ue(rig)
    ue.reach_full_service()
    rig.core.association_lost(1, "lost", rig.agenda.now)
    gnb = Gnb(rig, 2)
    gnb.set_up()
    ue.gnb = gnb
    ue.connect(ue.registration_request())
    assert "RegistrationAccept" in kinds(ue.follow(2.0))


def test_a_failed_context_setup_ends_the_registration():
    rig = Rig()
    ue = Ue(rig)
    ue.connect(ue.registration_request())
    heard = ue.follow(1.0, answers=2)
    assert "InitialContextSetupRequest" in kinds(heard)
    ue.send_ngap(ngap.InitialContextSetupFailure, causes.RADIO_RESOURCES_NOT_AVAILABLE)
    assert kinds(ue.follow(1.0)) == ["UeContextReleaseCommand"]
    assert nothing_runs(rig)


def test_an_error_indication_about_a_connection_ends_it_without_an_answer():
    rig = Rig()
    ue = Ue(rig)
    ue.register()
    rig.gnb.send(ngap.ErrorIndication(ue.amf_ue_id, ue.ran_ue_id, causes.UNKNOWN_LOCAL_UE_NGAP_ID))
    assert rig.gnb.take() == []
    assert nothing_runs(rig)


def test_signalling_of_a_ue_goes_out_on_the_stream_on_which_it_came():
    rig = Rig()
    rig.gnb.streams.clear()
    ue = Ue(rig)
    rig.gnb.send(ngap.InitialUeMessage(4, encode(ue.registration_request()), LOCATION), stream=7)
    rig.run(0.5)
    assert rig.gnb.streams == [7]


def test_a_service_request_sets_up_the_resources_that_are_asked_for():
    rig = Rig()
    ue = Ue(rig)
    ue.reach_full_service()
    ue.go_idle()
    ue.connect(
        nas.ServiceRequest(ue.security.ngksi, nas.ServiceType.DATA, ue.guti.s_tmsi(), uplink_data_status=b"\x04\x00")
    )
    request, accept = ue.follow(1.0)
    assert [one.pdu_session_id for one in request.sessions] == [2]
    assert accept == nas.ServiceAccept(b"\x06\x00")
    assert request.key == ue.security.k_gnb(ue.security.uplink_count - 1)


def test_sessions_that_the_ue_has_lost_are_forgotten():
    rig = Rig()
    ue = Ue(rig)
    ue.reach_full_service()
    ue.go_idle()
    ue.connect(ue.registration_request(nas.RegistrationType.PERIODIC, pdu_session_status=b"\x02\x00"))
    (accept,) = ue.follow(1.0)
    assert accept.guti is None
    assert accept.pdu_session_status == b"\x02\x00"
    assert list(rig.core.amf.contexts.by_supi(ue.card.supi).sessions) == [1]


def test_a_mobility_update_brings_a_new_guti():
    rig = Rig()
    ue = Ue(rig)
    ue.reach_full_service()
    old = ue.guti
    ue.go_idle()
    ue.connect(ue.registration_request(nas.RegistrationType.MOBILITY))
    assert kinds(ue.follow(1.0)) == ["RegistrationAccept"]
    assert ue.guti != old
    assert rig.core.amf.contexts.by_tmsi(old.tmsi) is None
    assert ue.guti.plmn == PLMN


def test_a_session_asked_for_after_an_update_brings_the_context_to_the_gnb():
    rig = Rig()
    ue = Ue(rig)
    ue.reach_full_service()
    ue.go_idle()
    ue.connect(ue.registration_request(nas.RegistrationType.PERIODIC))
    ue.follow(0.5)
    ue.request_session(1, "internet")
    heard = ue.follow(1.0)
    assert kinds(heard) == ["InitialContextSetupRequest", "DlNasTransport"]
    assert rig.pairs()["N10"] == 9


def test_a_connection_on_which_nothing_was_ever_said_is_released_when_the_ue_has_given_up():
    rig = Rig()
    rig.core.bus.take_out_of_service(Nf.AUSF)
    ue = Ue(rig)
    ue.connect(ue.registration_request())
    rig.run(25.0)
    assert rig.gnb.take() == []  # the AMF is silent, and T3510 has run out long ago
    rig.run(5.0)
    (command,) = rig.gnb.take()
    assert isinstance(command, ngap.UeContextReleaseCommand)
    rig.gnb.send(ngap.ErrorIndication(command.amf_ue_id, command.ran_ue_id, causes.UNKNOWN_LOCAL_UE_NGAP_ID))
    assert nothing_runs(rig)
    assert rig.tally["protocol.errors"] == 0


def test_online_users_learn_of_a_restart_by_cause_9():
    rig = Rig()
    ue = Ue(rig)
    ue.reach_full_service()
    rig.core.lose_contexts(rig.agenda.now)
    assert nothing_runs(rig)
    ue.request_session(3, "internet")
    assert rig.gnb.take() == [error(causes.UNKNOWN_LOCAL_UE_NGAP_ID, ue.amf_ue_id, ue.ran_ue_id)]
    ue.connect(nas.ServiceRequest(ue.security.ngksi, nas.ServiceType.DATA, ue.guti.s_tmsi()))
    assert ue.follow(1.0)[0] == nas.ServiceReject(9)


def test_an_outage_in_the_middle_of_a_registration_leaves_nothing():
    rig = Rig()
    ue = Ue(rig)
    ue.reach_full_service()
    ue.go_idle()
    ue.connect(ue.registration_request())
    rig.run(0.05)
    rig.core.deregister_implicitly([0], rig.agenda.now)
    rig.run(60.0)
    assert nothing_runs(rig)
    assert rig.core.smf.sessions == 0


def test_a_function_that_dies_in_the_middle_of_a_session_ends_it_and_nothing_else():
    rig = Rig()
    ue = Ue(rig)
    ue.register()
    ue.request_session(1, "internet")
    rig.run(0.2)
    rig.core.bus.take_out_of_service(Nf.SMF)
    ue.send_ngap(ngap.PduSessionResourceSetupResponse, (), (1,))
    rig.run(60.0)
    context = rig.core.amf.contexts.by_supi(ue.card.supi)
    assert list(context.tasks()) == []
    assert context.registered
    assert rig.tally["amf.abandoned_procedures"] == 1
    assert rig.tally["udm.pairs_without_service"] == 2
