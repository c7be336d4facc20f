"""REGISTRATION COMPLETE got lost: UE and AMF must not come to disagree on the GUTI (TS 24.501 5.5.1.2.8 c).

And a UE that was taken for another by its GUTI can say who it is (5.4.1.3.5).
"""

from core_rig import Rig, Ue, kinds

from protocols.nas5g import messages as nas
from protocols.ngap import causes
from protocols.ngap import messages as ngap
from regstorm.records.strategy import Gate, Strategy

WHOLE = ["AuthenticationRequest", "SecurityModeCommand", "InitialContextSetupRequest", "RegistrationAccept"]


def lose_radio(ue):
    ue.send_ngap(ngap.UeContextReleaseRequest, causes.RADIO_CONNECTION_WITH_UE_LOST)
    ue.follow(0.5)


def idle_ue(rig):
    ue = Ue(rig)
    ue.register()
    ue.go_idle()
    return ue


def take_accept_whose_completion_gets_lost(ue):
    """Registers; the UE takes the GUTI of the accept, the AMF hears nothing of it."""
    ue.connect(ue.registration_request())
    accept = ue.follow(2.0, answers=3)[-1]
    ue.guti = accept.guti
    ue.security.uplink_count += 1
    lose_radio(ue)


def miss_accept(ue):
    """Registers; the accept does not reach the UE."""
    ue.connect(ue.registration_request())
    heard = ue.follow(2.0, answers=3)
    assert kinds(heard) == WHOLE
    lose_radio(ue)


def test_a_new_guti_in_a_verified_message_is_the_ues_and_the_old_one_is_void():
    rig = Rig()
    ue = idle_ue(rig)
    old = ue.guti
    take_accept_whose_completion_gets_lost(ue)
    contexts = rig.core.amf.contexts
    assert contexts.by_tmsi(old.tmsi) is contexts.by_tmsi(ue.guti.tmsi) is not None
    ue.connect(nas.ServiceRequest(ue.security.ngksi, nas.ServiceType.SIGNALLING, ue.guti.s_tmsi()))
    rig.run(0.1)
    assert contexts.by_tmsi(old.tmsi) is None
    assert contexts.by_tmsi(ue.guti.tmsi).guti == ue.guti


def test_a_guti_that_was_taken_in_silence_outlives_the_next_offer():
    rig = Rig()
    ue = idle_ue(rig)
    take_accept_whose_completion_gets_lost(ue)
    miss_accept(ue)
    assert kinds(ue.register()) == WHOLE


def test_a_guti_that_was_never_taken_is_void_after_the_next_offer_and_the_old_one_is_not():
    rig = Rig()
    ue = idle_ue(rig)
    miss_accept(ue)
    (offered,) = {one.next_guti for one in rig.core.amf.contexts.all()}
    miss_accept(ue)
    assert rig.core.amf.contexts.by_tmsi(offered.tmsi) is None
    assert kinds(ue.register()) == WHOLE


def test_a_refused_message_tells_as_well_which_guti_the_ue_uses():
    rig = Rig(Strategy(name="s", title="", summary="", gate=Gate(counts="first_messages", share_of_capacity=1e-6)))
    ue = idle_ue(rig)
    old = ue.guti
    take_accept_whose_completion_gets_lost(ue)
    while rig.core.amf.env.door.gate.admits(rig.agenda.now):
        pass
    plain_so_far = ue.plain_downlinks
    assert kinds(ue.register()) == ["RegistrationReject", "UeContextReleaseCommand"]
    assert ue.plain_downlinks == plain_so_far  # a T3346 that is not protected would not be believed
    assert rig.core.amf.contexts.by_tmsi(old.tmsi) is None
    assert rig.core.amf.contexts.by_tmsi(ue.guti.tmsi).guti == ue.guti


def test_a_wrong_answer_of_a_ue_known_by_its_guti_brings_its_suci_and_a_new_challenge():
    rig = Rig()
    ue = idle_ue(rig)
    ue.connect(ue.registration_request())
    rig.run()
    ue.hear()
    ue.send(nas.AuthenticationResponse(bytes(16)))
    rig.run()
    assert ue.hear() == [nas.IdentityRequest(nas.IdentityType.SUCI)]
    ue.send(nas.IdentityResponse(ue.suci))
    assert kinds(ue.follow(2.0)) == WHOLE


def test_a_second_wrong_answer_ends_in_authentication_reject():
    rig = Rig()
    ue = idle_ue(rig)
    ue.connect(ue.registration_request())
    rig.run()
    ue.hear()
    ue.send(nas.AuthenticationResponse(bytes(16)))
    rig.run()
    ue.hear()
    ue.send(nas.IdentityResponse(ue.suci))
    rig.run()
    ue.hear()
    ue.send(nas.AuthenticationResponse(bytes(16)))
    assert kinds(ue.follow(1.0)) == ["AuthenticationReject", "UeContextReleaseCommand"]


def test_a_ue_that_turns_out_to_be_another_leaves_no_trace_under_the_first_name():
    rig = Rig()
    ue, other = idle_ue(rig), Ue(rig, 1)
    ue.connect(ue.registration_request())
    rig.run()
    ue.hear()
    ue.send(nas.AuthenticationResponse(bytes(16)))
    rig.run()
    ue.hear()
    mistaken, ue.card, ue.suci, ue.sqn = ue.card, other.card, other.suci, other.sqn
    ue.send(nas.IdentityResponse(ue.suci))
    assert kinds(ue.follow(2.0)) == WHOLE
    contexts = rig.core.amf.contexts
    assert contexts.by_supi(mistaken.supi) is None
    assert contexts.by_supi(other.card.supi).registered
