"""The timers of the network side: 6 s, four retransmissions, the end at the fifth expiry (TS 24.501 table 10.2.2)."""

import pytest
from core_rig import Rig, Ue, kinds, session_messages

from protocols.nas5g import messages as nas
from protocols.nas5g.encode import encode
from regstorm.records.core_settings import Amf


def silent_after(rig, ue, answers):
    """The UE answers so many messages of its registration and then nothing more."""
    ue.connect(ue.registration_request())
    return ue.follow(1.0, answers=answers)


@pytest.mark.parametrize(
    ("keep", "answers", "timer", "message"),
    [
        (True, 0, "T3570", "IdentityRequest"),
        (False, 0, "T3560", "AuthenticationRequest"),
        (False, 1, "T3560", "SecurityModeCommand"),
    ],
)
def test_an_unanswered_message_is_sent_five_times_and_then_the_connection_is_released(keep, answers, timer, message):
    rig = Rig()
    ue = Ue(rig)
    if keep:
        ue.keep_context()  # the AMF does not have it
    heard = silent_after(rig, ue, answers)
    if message == "SecurityModeCommand":
        rig.gnb.received.clear()  # repetitions carry new NAS COUNTs; here only their number is of interest
    rig.run(23.5)
    again = rig.gnb.take() if message == "SecurityModeCommand" else ue.hear()
    assert len(again) == 4
    if message != "SecurityModeCommand":
        assert kinds(heard + again) == [message] * 5
    rig.run(6.0)
    assert kinds(rig.gnb.take()) == ["UeContextReleaseCommand"]
    assert rig.tally[f"amf.nas_retransmissions.{timer}"] == 4
    assert rig.tally["amf.abandoned_procedures"] == 1


def test_a_repeated_security_mode_command_is_protected_with_the_next_count():
    rig = Rig()
    ue = Ue(rig)
    silent_after(rig, ue, answers=1)
    rig.run(6.0)
    (again,) = rig.gnb.received
    assert again.nas[1] == 3
    assert again.nas[6] == 1  # sequence number


def test_an_accept_that_is_not_completed_is_repeated_and_leaves_the_ue_registered():
    rig = Rig()
    ue = Ue(rig)
    silent_after(rig, ue, answers=3)
    rig.run(30.0)
    heard = ue.hear()
    assert kinds(heard) == ["RegistrationAccept"] * 4 + ["UeContextReleaseCommand"]
    assert rig.tally["amf.nas_retransmissions.T3550"] == 4
    context = rig.core.amf.contexts.by_supi(ue.card.supi)
    assert context.registered  # TS 24.501 5.5.1.2.8 c


def test_an_amf_that_repeats_nothing_ends_the_procedure_at_the_first_expiry():
    rig = Rig(amf=Amf(nas_retransmissions=0))
    ue = Ue(rig)
    assert kinds(silent_after(rig, ue, answers=0)) == ["AuthenticationRequest"]
    rig.run(6.0)
    assert kinds(rig.gnb.take()) == ["UeContextReleaseCommand"]
    assert rig.tally["amf.nas_retransmissions"] == 0


def test_answers_in_time_stop_the_timers():
    rig = Rig()
    ue = Ue(rig)
    ue.reach_full_service()
    rig.run(120.0)
    assert rig.tally["amf.nas_retransmissions"] == 0
    assert rig.gnb.received == []


def test_a_network_deregistration_is_guarded_by_t3522():
    rig = Rig()
    ue = Ue(rig)
    ue.reach_full_service()
    rig.core.deregister(0, True, rig.agenda.now)
    heard = ue.follow(31.0, answers=0)
    assert kinds(heard) == ["NetworkDeregistrationRequest"] * 5 + ["UeContextReleaseCommand"]
    assert rig.tally["amf.nas_retransmissions.T3522"] == 4
    assert not rig.core.amf.contexts.by_supi(ue.card.supi).registered


def test_a_network_deregistration_that_is_accepted_ends_the_registration():
    rig = Rig()
    ue = Ue(rig)
    ue.reach_full_service()
    rig.core.deregister(0, False, rig.agenda.now)
    rig.run(0.1)
    assert kinds(ue.hear()) == ["NetworkDeregistrationRequest"]
    ue.send(nas.NetworkDeregistrationAccept())
    assert kinds(ue.follow(1.0)) == ["UeContextReleaseCommand"]
    assert rig.tally["amf.nas_retransmissions"] == 0
    assert rig.core.smf.sessions == 0


def test_an_idle_ue_is_deregistered_by_the_network_without_a_word():
    rig = Rig()
    rig.core.provision([0])
    rig.core.deregister(0, True, 0.0)
    rig.run(1.0)
    assert not rig.core.amf.contexts.by_supi(Ue(rig).card.supi).registered
    assert rig.pairs() == {"N13": 0, "N8": 2, "N10": 4}


def release(ue, psi=1):
    ue.send(nas.UlNasTransport(encode(nas.PduSessionReleaseRequest(psi, 9)), psi))


def test_a_session_is_released_by_command_and_completion():
    rig = Rig()
    ue = Ue(rig)
    ue.reach_full_service()
    release(ue)
    heard = ue.follow(0.5)
    assert kinds(heard)[0] == "PduSessionResourceReleaseCommand"
    assert session_messages(heard) == [nas.PduSessionReleaseCommand(1, 9, 36)]
    ue.send(nas.UlNasTransport(encode(nas.PduSessionReleaseComplete(1, 9)), 1))
    rig.run(60.0)
    assert rig.core.smf.sessions == 1
    assert rig.tally["smf.nas_retransmissions.T3592"] == 0
    assert rig.pairs()["N10"] == 8  # registration and subscription of one session withdrawn


def test_an_unanswered_release_command_is_repeated_by_the_smf():
    rig = Rig()
    ue = Ue(rig)
    ue.reach_full_service()
    release(ue)
    heard = ue.follow(81.0, step_s=1.0)
    assert session_messages(heard) == [nas.PduSessionReleaseCommand(1, 9, 36)] * 5
    assert rig.tally["smf.nas_retransmissions.T3592"] == 4
    assert rig.core.smf.sessions == 1


def test_a_gnb_that_does_not_set_resources_up_loses_the_session_only():
    rig = Rig()
    ue = Ue(rig)
    ue.register()
    ue.request_session(1, "internet")
    ue.follow(12.0, answers=0)
    assert rig.core.smf.sessions == 0
    assert rig.core.amf.contexts.by_supi(ue.card.supi).registered
    assert rig.tally["udm.pairs_without_service"] == 2
    ue.request_session(1, "internet")
    assert "PduSessionResourceSetupRequest" in kinds(ue.follow(1.0))
