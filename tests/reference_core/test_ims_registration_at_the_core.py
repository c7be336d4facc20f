"""Registration in IMS as a UE with a USIM sees it, octet by octet (TS 24.229 5.1.1, 5.2.2, 5.4.1)."""

import base64

from core_rig import SEED, Ue
from ims_rig import DOMAIN, PCSCF, REGISTRAR, ImsRig, SipUe

from protocols.aka import UsimSqn, next_sqn
from protocols.credentials import prior_address, prior_binding
from protocols.digest import AKAV1_MD5, AUTH, Challenge, answered, network_not_authentic, rand_and_autn
from protocols.ims_aka import ImsAnswer, answer_ims_challenge
from protocols.milenage import Milenage
from protocols.sip.authentication import challenges
from protocols.sip.fields import addresses, contact_expires_s, min_expires_s
from protocols.sip.messages import Request, Response
from regstorm.records.core_settings import Ims


def test_the_first_register_is_challenged_and_the_keys_stay_in_the_network():
    ue = SipUe(ImsRig())
    response = ue.ask(ue.register())
    (challenge,) = challenges(response)
    assert response.status == 401
    assert (challenge.algorithm, challenge.realm, challenge.qop) == (AKAV1_MD5, DOMAIN, (AUTH,))
    assert challenge.ck is None
    assert challenge.ik is None


def test_the_answer_to_the_challenge_brings_binding_service_route_and_identity():
    ue = SipUe(ImsRig())
    response = ue.reach_service()
    (contact,) = addresses(response, "Contact")
    assert response.status == 200
    assert contact_expires_s(response, contact) == 3600
    assert response.headers.first("Service-Route") == f"<sip:orig@scscf.{DOMAIN}:5060;lr>"
    assert response.headers.first("P-Associated-URI") == f"<{ue.public}>"
    assert response.headers.first("Path") == f"<sip:term@{PCSCF[0]}:{PCSCF[1]};lr>"


def test_a_response_bears_only_the_via_of_the_ue_and_goes_where_the_request_came_from():
    rig = ImsRig()
    ue = SipUe(rig)
    ue.send(ue.register(), to=("10.2.0.2", 5060))
    rig.run(1)
    ((_, source),) = rig.mail[ue.here]
    (response,) = ue.hear()
    assert source == ("10.2.0.2", 5060)
    (via,) = response.headers.every("Via")
    assert via.startswith(f"SIP/2.0/UDP {ue.here[0]}:5060;")


def test_full_service_needs_both_application_servers():
    rig = ImsRig()
    ue = SipUe(rig)
    told = []
    rig.ims.service_changed = lambda supi, served, now: told.append((supi, served))
    response = ue.ask(ue.register())
    response = ue.ask(ue.register(authorization=ue.answer_to(response)), seconds=0.05)
    assert response.status == 200
    assert not rig.ims.serves(ue.supi)
    rig.run(1)
    assert rig.ims.serves(ue.supi)
    assert told == [(ue.supi, True)]
    rig.ims.ip_sm_gw.forget(ue.supi)
    rig.ims._look_again(ue.supi, rig.agenda.now)
    assert not rig.ims.serves(ue.supi)
    assert told[1:] == [(ue.supi, False)]


def test_a_shorter_expiry_is_granted_and_a_too_short_one_is_told_the_least():
    ue = SipUe(ImsRig(ims=Ims(min_expires_s=300)))
    brief = ue.ask(ue.register(expires=60))
    assert (brief.status, min_expires_s(brief)) == (423, 300)
    granted = ue.reach_service(expires=600)
    assert contact_expires_s(granted, addresses(granted, "Contact")[0]) == 600


def test_a_reregistration_counts_on_and_is_not_challenged():
    rig = ImsRig()
    ue = SipUe(rig)
    ue.reach_service()
    again = answered(ue.challenge, ue.private, ue.res, "REGISTER", REGISTRAR, 2, "c")
    assert ue.ask(ue.register(authorization=again)).status == 200
    assert rig.tally["ims.reregistered"] == 1
    assert rig.tally["ims.challenges"] == 1


def test_a_registration_that_nobody_renews_expires_and_everybody_hears_it():
    rig = ImsRig()
    ue = SipUe(rig)
    ue.reach_service()
    rig.run(3700)
    assert rig.tally["ims.deregistered.expired"] == 1
    assert not rig.ims.serves(ue.supi)
    assert not rig.ims.tas.holds(ue.supi)
    assert len(rig.ims.scscf.registrations) == 0


def test_a_renewed_registration_outlives_its_first_expiry():
    rig = ImsRig()
    ue = SipUe(rig)
    ue.reach_service()
    rig.run(3000)
    ue.ask(ue.register(authorization=ue.credentials))
    rig.run(700)
    assert rig.ims.serves(ue.supi)


def test_a_user_leaves_and_is_a_newcomer_afterwards():
    rig = ImsRig()
    ue = SipUe(rig)
    ue.reach_service()
    assert ue.ask(ue.deregister()).status == 200
    assert not rig.ims.serves(ue.supi)
    assert rig.tally["ims.deregistered.user"] == 1
    assert ue.ask(ue.register()).status == 401


def test_a_usim_that_is_ahead_brings_the_network_up_to_it():
    rig = ImsRig()
    ue = SipUe(rig)
    ahead = ue.sqn.highest
    for _ in range(1000):
        ahead = next_sqn(ahead)
    ue.sqn = UsimSqn(ahead)
    assert ue.reach_service().status == 200
    assert rig.tally["ims.resynchronisations"] == 1
    assert rig.tally["ims.challenges"] == 2


def test_auts_of_somebody_who_was_never_authenticated_brings_the_network_up_to_the_usim():
    """RFC 3310 3.4, TS 33.203 6.1.3: with an empty response, it is nobody's proof, and it is read all the same."""
    rig = ImsRig()
    ue = SipUe(rig)
    ue.sqn = UsimSqn(1 << 30)
    given = ue.answer_to(ue.ask(ue.register()))
    assert given.response == ""
    (challenge,) = challenges(ue.ask(ue.register(authorization=given)))
    rand, autn = rand_and_autn(challenge.nonce)
    fresh = answer_ims_challenge(Milenage(ue.card.k, ue.card.opc), ue.sqn, rand, autn)
    assert isinstance(fresh, ImsAnswer)
    # from the USIM's own number on, not so many further than the network's (TS 33.102 6.3.5)
    assert 1 << 30 < fresh.sqn.highest < (1 << 30) + (1 << 10)
    assert not rig.ims.serves(ue.supi)


def test_auts_in_hexadecimal_digits_is_none_and_the_user_is_forbidden():
    """RFC 3310 3.2 has it in base64: 14 octets are 20 signs, not 28."""
    rig = ImsRig()
    ue = SipUe(rig)
    ue.sqn = UsimSqn(1 << 30)
    given = ue.answer_to(ue.ask(ue.register()))
    spelt = base64.b64decode(given.auts).hex()
    assert ue.ask(ue.register(authorization=given._replace(auts=spelt))).status == 403
    assert rig.tally["ims.resynchronisations"] == 0


def test_a_usim_that_finds_every_challenge_stale_gets_two_new_ones_and_no_more():
    """TS 24.229 5.4.1.2.3: no loop of resynchronisations; what it cost is wasted, and the user can begin anew."""
    rig = ImsRig()
    ue = SipUe(rig)
    answers = [ue.ask(ue.register())]
    while answers[-1].status == 401:
        ue.sqn = UsimSqn(ue.sqn.highest + (1 << 20))  # a USIM that is never content
        answers.append(ue.ask(ue.register(authorization=ue.answer_to(answers[-1]))))
    assert [one.status for one in answers] == [401, 401, 401, 403]
    assert rig.tally["ims.resynchronisations"] == 2
    rig.run()
    assert (
        rig.tally["udm.pairs_without_service"] == rig.tally["udm.served.Cx"] == 7
    )  # UAR and MAR three times, and a last UAR
    assert ue.reach_service().status == 200


def test_challenges_of_5gs_and_ims_to_one_usim_do_not_disturb_each_other():
    rig = ImsRig()
    phone, ue = Ue(rig), SipUe(rig)
    early = ue.ask(ue.register())  # this challenge is answered only after the 5GS has challenged twice
    for _ in range(2):
        phone.sqn = ue.sqn
        assert "RegistrationAccept" in {type(one).__name__ for one in phone.register()}
        ue.sqn = phone.sqn
        phone.security = phone.guti = None
    assert ue.ask(ue.register(authorization=ue.answer_to(early))).status == 200
    phone.sqn = ue.sqn
    assert "RegistrationAccept" in {type(one).__name__ for one in phone.register()}
    assert rig.tally["ims.resynchronisations"] == 0


def test_a_wrong_answer_is_forbidden_and_so_is_none_at_all():
    rig = ImsRig()
    for index, spoil in enumerate((lambda ue, given: given._replace(response="0" * 32), _no_answer)):
        ue = SipUe(rig, index)
        response = ue.ask(ue.register())
        assert ue.ask(ue.register(authorization=spoil(ue, ue.answer_to(response)))).status == 403
    assert rig.tally["ims.authentication_failed"] == 2
    assert rig.tally["ims.registered"] == 0


def _no_answer(ue, given):
    return network_not_authentic(ue.challenge, ue.private, REGISTRAR)


def test_an_answer_that_was_given_once_proves_nothing_from_another_address():
    rig = ImsRig()
    ue, thief = SipUe(rig), SipUe(rig, address="10.128.9.9")
    ue.reach_service()
    replayed = thief.ask(thief.register(authorization=ue.credentials))
    assert replayed.status == 401


def test_what_a_ue_says_of_its_own_protection_is_not_believed():
    rig = ImsRig()
    ue, thief = SipUe(rig), SipUe(rig, address="10.128.9.9")
    ue.reach_service()
    boast = ue.credentials._replace(integrity_protected="yes")
    assert thief.ask(thief.register(authorization=boast)).status == 401


def test_a_stranger_and_a_borrowed_private_identity_are_forbidden():
    rig = ImsRig(population=2)
    stranger, borrower = SipUe(rig, 77), SipUe(rig, 0)
    borrower.private = SipUe(rig, 1).private
    assert stranger.ask(stranger.register()).status == 403
    assert borrower.ask(borrower.register()).status == 403


def test_an_unanswered_challenge_is_over_after_four_minutes_and_its_pairs_are_wasted():
    rig = ImsRig()
    ue = SipUe(rig)
    given = ue.answer_to(ue.ask(ue.register()))
    rig.run(240)
    assert rig.tally["ims.challenges_unanswered"] == 1
    assert rig.tally["udm.pairs_without_service"] == 2
    assert ue.ask(ue.register(authorization=given)).status == 401


def test_the_digest_of_a_registration_from_before_the_run_is_continued_without_a_challenge():
    rig = ImsRig()
    rig.core.provision([0])
    prior, address = prior_binding(SEED, 0), prior_address(0, 2)
    ue = SipUe(rig, address=".".join(map(str, address.to_bytes(4))))
    asked = Challenge(DOMAIN, prior.nonce, AKAV1_MD5, (AUTH,))
    given = answered(asked, ue.private, prior.res, "REGISTER", REGISTRAR, prior.nonce_count + 1, "c")
    assert rig.ims.serves(ue.supi)
    assert ue.ask(ue.register(authorization=given)).status == 200
    assert rig.ims_pairs() == (2, 0)


def test_the_outage_group_is_not_registered_afterwards():
    rig = ImsRig()
    rig.core.provision([0, 1])
    rig.core.deregister_implicitly([0], 0.0)
    gone, there = SipUe(rig, 0), SipUe(rig, 1)
    assert (rig.ims.serves(gone.supi), rig.ims.serves(there.supi)) == (False, True)
    assert gone.reach_service().status == 200
    rig.run(1)
    assert rig.ims_pairs() == (4, 8)


# --- other requests --------------------------------------------------------------------------------------------------


def test_a_short_message_of_a_user_in_service_is_accepted_and_costs_no_pair():
    rig = ImsRig()
    ue = SipUe(rig)
    ue.reach_service()
    rig.run(1)
    before = rig.pairs()
    assert ue.ask(ue.message()).status == 202
    assert rig.tally["ims.messages"] == 1
    assert rig.pairs() == before


def test_a_short_message_of_somebody_unknown_asks_for_an_initial_registration():
    ue = SipUe(ImsRig())
    response = ue.ask(ue.message())
    assert response.status == 504
    assert b"<action>initial-registration</action>" in response.body
    assert response.headers.first("Retry-After") is None


def test_options_are_answered_by_the_sbc_itself():
    rig = ImsRig()
    ue = SipUe(rig)
    assert ue.ask(ue.request("OPTIONS", f"sip:{PCSCF[0]}", f"sip:{PCSCF[0]}")).status == 200
    assert not rig.core.bus.calls


def test_what_the_core_does_not_do_is_said_so():
    rig = ImsRig()
    ue = SipUe(rig)
    ue.reach_service()
    response = ue.ask(ue.request("SUBSCRIBE", ue.public, ue.public))
    assert (response.status, response.headers.first("Allow")) == (405, "REGISTER, MESSAGE, OPTIONS")
    without_hops = ue.message()
    without_hops = without_hops._replace(headers=without_hops.headers.replaced("Max-Forwards", "0"))
    assert ue.ask(without_hops).status == 483


def test_a_message_for_a_user_is_located_at_the_hss_and_reaches_the_phone():
    rig = ImsRig()
    ue = SipUe(rig)
    ue.reach_service()
    rig.run(1)
    answers = []
    rig.deliver(ue, lambda answer, now: answers.append(answer.status))
    rig.run(0.5)
    (request,) = [one for one in ue.hear() if isinstance(one, Request)]
    ue.say(request)
    rig.run(0.5)
    assert answers == [200]
    assert rig.ims_pairs() == (5, 8)


def test_a_message_for_a_user_who_is_not_there_comes_back():
    rig = ImsRig()
    answers = []
    rig.deliver(SipUe(rig), lambda answer, now: answers.append(answer.status))
    rig.run(1)
    assert answers == [480]


# --- plain digest ----------------------------------------------------------------------------------------------------


def test_a_subscriber_with_a_password_registers_by_plain_digest():
    rig = ImsRig(ims=Ims(digest_password="secret"))
    ue = SipUe(rig)
    bare = ue.register()
    bare = bare._replace(headers=bare.headers.without("Authorization"))
    (challenge,) = challenges(ue.ask(bare))
    assert challenge.algorithm == "MD5"
    given = answered(challenge, ue.private, b"secret", "REGISTER", REGISTRAR, 1, "c")
    response = ue.ask(ue.register(authorization=given))
    assert isinstance(response, Response)
    assert response.status == 200
    rig.run(1)
    assert rig.ims.serves(ue.supi)
