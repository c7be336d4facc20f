"""Initial registration seen from the network: call flows with real octets (TS 24.501 5.5.1.2, 5.4)."""

from core_rig import CAPABILITY, PLMN, SEED, Rig, Ue, kinds, session_messages

from protocols.aka import UsimSqn
from protocols.credentials import home_network_private_keys
from protocols.identities import Guti, NoIdentity, Suci
from protocols.nas5g import messages as nas
from protocols.nas5g.encode import encode
from protocols.ngap import causes
from protocols.ngap import messages as ngap
from protocols.suci import conceal_profile_a, home_network_key
from regstorm.records.scenario import Network


def test_a_stranger_is_authenticated_secured_and_accepted():
    rig = Rig()
    ue = Ue(rig)
    heard = ue.register()
    assert kinds(heard) == [
        "AuthenticationRequest",
        "SecurityModeCommand",
        "InitialContextSetupRequest",
        "RegistrationAccept",
    ]
    assert heard[2].amf_ue_id == 65_536
    assert heard[2].key == ue.security.k_gnb(0)
    assert heard[3].features == b"\x01"  # IMS voice over PS session over 3GPP access, or no phone registers for IMS
    assert ue.plain_downlinks == 1  # the challenge; everything after it is protected


def test_every_accept_brings_a_new_guti_and_the_old_one_is_valid_until_it_is_completed():
    rig = Rig()
    ue = Ue(rig)
    ue.register()
    first = ue.guti
    ue.go_idle()
    ue.connect(ue.registration_request())
    accept = ue.follow(2.0, answers=3)[-1]  # everything is answered but the accept
    assert accept.guti not in (None, first)
    contexts = rig.core.amf.contexts
    assert contexts.by_tmsi(first.tmsi) is contexts.by_tmsi(accept.guti.tmsi) is not None
    ue.react(accept)
    rig.run()
    assert contexts.by_tmsi(first.tmsi) is None
    assert contexts.by_tmsi(accept.guti.tmsi) is not None


def test_null_algorithms_are_used_when_the_network_wants_them():
    rig = Rig(network=Network(ciphering="null", integrity="null"))
    ue = Ue(rig)
    command = ue.register()[1]
    assert (command.ciphering, command.integrity) == (0, 0)
    assert rig.core.amf.contexts.by_supi(ue.card.supi).registered


def test_a_ue_without_a_common_algorithm_is_rejected_with_cause_23():
    rig = Rig()
    ue = Ue(rig)
    ue.connect(ue.registration_request()._replace(security_capability=b"\x40\x40"))
    heard = ue.follow(2.0)
    assert heard[-2] == nas.RegistrationReject(23)
    assert kinds(heard)[-1] == "UeContextReleaseCommand"
    assert rig.core.connections == 0


def test_an_unknown_subscriber_is_rejected_with_cause_3():
    rig = Rig(population=1)
    ue = Ue(rig, index=5)
    heard = ue.register()
    assert nas.RegistrationReject(3) in heard
    assert rig.core.connections == 0


def test_a_suci_of_no_known_scheme_is_rejected():
    rig = Rig()
    ue = Ue(rig)
    ue.suci = Suci(PLMN, "0", 9, 0, b"\x01\x02\x03")
    assert nas.RegistrationReject(3) in ue.register()


def test_a_ue_that_does_not_say_who_it_is_is_rejected_with_cause_9():
    rig = Rig()
    ue = Ue(rig)
    ue.suci = NoIdentity()
    ue.connect(ue.registration_request())
    heard = ue.follow(1.0)
    assert nas.RegistrationReject(9) in heard


def test_a_wrong_answer_to_the_challenge_is_rejected_without_a_confirmation_at_the_udm():
    rig = Rig()
    ue = Ue(rig)
    ue.connect(ue.registration_request())
    rig.run()
    ue.hear()
    ue.send(nas.AuthenticationResponse(bytes(16)))
    heard = ue.follow(1.0)
    assert kinds(heard) == ["AuthenticationReject", "UeContextReleaseCommand"]
    assert rig.pairs()["N13"] == 1


def test_a_second_synch_failure_in_a_row_ends_in_authentication_reject():
    rig = Rig()
    ue = Ue(rig)
    ue.sqn = UsimSqn(1 << 40)
    ue.connect(ue.registration_request())
    for _ in range(2):
        rig.run()
        (challenge,) = ue.hear()
        ue.sqn = UsimSqn(ue.sqn.highest + (1 << 20))  # a USIM that is never content
        ue.send(ue.challenge_answer(challenge))
    assert kinds(ue.follow(1.0)) == ["AuthenticationReject", "UeContextReleaseCommand"]
    assert rig.pairs()["N13"] == 2


def test_auts_with_a_wrong_mac_ends_in_authentication_reject():
    rig = Rig()
    ue = Ue(rig)
    ue.connect(ue.registration_request())
    rig.run()
    ue.hear()
    ue.send(nas.AuthenticationFailure(21, bytes(14)))
    assert kinds(ue.follow(1.0)) == ["AuthenticationReject", "UeContextReleaseCommand"]


def test_a_mac_failure_brings_the_identity_and_a_new_challenge_and_a_second_one_the_end():
    rig = Rig()
    ue = Ue(rig)
    ue.connect(ue.registration_request())
    rig.run()
    ue.hear()
    ue.send(nas.AuthenticationFailure(20))
    rig.run()
    assert ue.hear() == [nas.IdentityRequest(nas.IdentityType.SUCI)]
    ue.send(nas.IdentityResponse(ue.suci))
    rig.run()
    assert kinds(ue.hear()) == ["AuthenticationRequest"]
    ue.send(nas.AuthenticationFailure(20))
    assert kinds(ue.follow(1.0)) == ["AuthenticationReject", "UeContextReleaseCommand"]


def test_a_key_set_that_is_in_use_is_replaced_by_another():
    rig = Rig()
    ue = Ue(rig)
    ue.connect(ue.registration_request())
    rig.run()
    (first,) = ue.hear()
    ue.send(nas.AuthenticationFailure(71))
    rig.run()
    (second,) = ue.hear()
    assert second.ngksi != first.ngksi


def test_a_security_mode_reject_ends_the_procedure_and_the_connection():
    rig = Rig()
    ue = Ue(rig)
    ue.connect(ue.registration_request())
    ue.follow(0.5, answers=1)
    ue.secured = False
    ue.send(nas.SecurityModeReject(24))
    assert kinds(ue.follow(1.0)) == ["UeContextReleaseCommand"]
    assert rig.core.connections == 0


def test_a_service_request_in_the_container_of_security_mode_complete_changes_nothing():
    rig = Rig()
    ue = Ue(rig)
    ue.connect(ue.registration_request())
    ue.follow(0.5, answers=1)
    strange = encode(nas.ServiceRequest(0, nas.ServiceType.DATA, Guti(PLMN, 1, 1, 0, 5).s_tmsi()))
    ue.send(nas.SecurityModeComplete(container=strange), 4)
    assert "RegistrationAccept" in kinds(ue.follow(2.0))


def test_a_ue_that_registers_on_a_new_connection_loses_the_old_one():
    rig = Rig()
    ue = Ue(rig)
    ue.reach_full_service()
    old_amf_id = ue.amf_ue_id
    ue.connect(ue.registration_request())
    rig.run(0.1)
    (command,) = [one for one in rig.gnb.received if isinstance(one, ngap.UeContextReleaseCommand)]
    assert command.amf_ue_id == old_amf_id
    rig.gnb.received.remove(command)
    rig.gnb.send(ngap.UeContextReleaseComplete(old_amf_id, command.ran_ue_id))
    assert "RegistrationAccept" in kinds(ue.follow(2.0))
    assert rig.core.connections == 1


def test_a_subscriber_who_comes_back_with_its_suci_replaces_its_old_self():
    rig = Rig()
    ue = Ue(rig)
    ue.reach_full_service()
    old_tmsi, old_amf_id = ue.guti.tmsi, ue.amf_ue_id
    ue.guti, ue.security = None, None
    ue.connect(ue.registration_request())
    assert "RegistrationAccept" in kinds(ue.follow(2.0))
    assert rig.core.amf.contexts.by_tmsi(old_tmsi) is None
    released = [one.amf_ue_id for one in rig.gnb.take(ngap.UeContextReleaseCommand)]
    assert released == [old_amf_id]


def test_the_same_request_again_on_the_same_connection_is_continued_with():
    rig = Rig()
    ue = Ue(rig)
    request = ue.registration_request()
    ue.connect(request)
    rig.run()
    (challenge,) = ue.hear()
    ue.send(request)
    rig.run()
    assert ue.hear() == []
    ue.react(challenge)
    assert "RegistrationAccept" in kinds(ue.follow(2.0))
    assert rig.pairs()["N13"] == 2


def test_another_request_on_the_same_connection_starts_again():
    rig = Rig()
    ue = Ue(rig)
    request = ue.registration_request()
    ue.connect(request)
    rig.run()
    ue.hear()
    ue.send(request._replace(follow_on=False))
    rig.run()
    (challenge,) = ue.hear()
    ue.react(challenge)
    assert "RegistrationAccept" in kinds(ue.follow(2.0))
    assert rig.tally["udm.pairs_without_service"] == 1


def forgotten_ue_up_to_its_security_mode_command(rig):
    """A UE whose context the AMF has lost, as far as SECURITY MODE COMPLETE, which it has not sent yet."""
    ue = Ue(rig)
    ue.keep_context()
    ue.connect(ue.registration_request())
    for message in ("IdentityRequest", "AuthenticationRequest"):
        rig.run(0.1)
        (heard,) = ue.hear()
        assert type(heard).__name__ == message
        ue.react(heard)
    rig.run(0.1)
    (command,) = ue.hear()
    return ue, command


def lose_radio(ue):
    ue.send_ngap(ngap.UeContextReleaseRequest, causes.RADIO_CONNECTION_WITH_UE_LOST)
    ue.follow(0.5)


def test_a_context_from_a_failed_attempt_is_found_by_the_guti_that_the_ue_still_has():
    rig = Rig(authenticate="when_needed")
    ue, command = forgotten_ue_up_to_its_security_mode_command(rig)
    ue.react(command)
    rig.run(0.02)
    lose_radio(ue)
    ue.connect(ue.registration_request())
    assert kinds(ue.follow(2.0))[:2] == ["InitialContextSetupRequest", "RegistrationAccept"]


def test_a_context_whose_acceptance_got_lost_is_known_when_the_ue_uses_it():
    rig = Rig(authenticate="when_needed")
    ue, _ = forgotten_ue_up_to_its_security_mode_command(rig)
    ue.security.uplink_count += 1  # its SECURITY MODE COMPLETE never arrives
    lose_radio(ue)
    ue.connect(ue.registration_request())
    assert kinds(ue.follow(2.0))[:2] == ["InitialContextSetupRequest", "RegistrationAccept"]
    assert rig.pairs()["N13"] == 2


def test_a_ue_that_never_took_the_new_context_is_identified_again():
    rig = Rig(authenticate="when_needed")
    ue, _ = forgotten_ue_up_to_its_security_mode_command(rig)
    ue.keep_context()
    lose_radio(ue)
    ue.connect(ue.registration_request())
    assert kinds(ue.follow(2.0))[:2] == ["IdentityRequest", "AuthenticationRequest"]


def test_an_emergency_registration_is_served_like_any_other():
    rig = Rig()
    ue = Ue(rig)
    ue.connect(ue.registration_request(nas.RegistrationType.EMERGENCY), ngap.RrcCause.EMERGENCY)
    assert "RegistrationAccept" in kinds(ue.follow(2.0))


def test_the_complete_request_travels_ciphered_in_the_container():
    rig = Rig(authenticate="when_needed")
    rig.core.provision([0])
    ue = Ue(rig)
    ue.keep_context()
    complete = encode(ue.registration_request(follow_on=False))
    cleartext = ue.registration_request()._replace(container=ue.security.cipher_container(complete))
    ue.connect(cleartext)
    heard = ue.follow(2.0)
    assert kinds(heard)[-1] == "UeContextReleaseCommand"  # "no follow-on request" was in the container
    assert rig.core.amf.contexts.by_supi(ue.card.supi).capability == CAPABILITY


def test_a_protected_suci_is_deconcealed_at_the_udm():
    private = home_network_private_keys(SEED)
    rig = Rig(home_private_keys=private)
    ue = Ue(rig)
    key_id, secret = next(iter(private.items()))
    ue.suci = conceal_profile_a(ue.card.supi, PLMN, home_network_key(key_id, secret), bytes(range(32)))
    assert "RegistrationAccept" in kinds(ue.register())
    assert rig.core.amf.contexts.by_supi(ue.card.supi).registered
    ue = Ue(rig, 1)
    ue.suci = Suci(PLMN, "0", 1, key_id, bytes(60))
    assert nas.RegistrationReject(3) in ue.register()


def test_a_session_that_is_established_anew_has_another_address():
    """With the same one an SBC took a user for the one whom it had challenged before; the simulator said otherwise."""
    rig = Rig()
    ue = Ue(rig)
    first, again = [], []
    ue.register()
    for heard in (first, again):
        ue.request_session(1, "internet")
        heard += [one.address for one in session_messages(ue.follow(1.0))]
    assert len(first) == len(again) == 1
    assert first != again
