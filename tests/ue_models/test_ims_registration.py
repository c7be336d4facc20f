"""Registration in IMS as a UE sees it: REGISTER, 401, REGISTER, 200, and what else may come (TS 24.229 5.1.1)."""

import pytest
from scripted_registrar import ADDRESS, P_CSCFS, Registrar

from protocols.aka import UsimSqn, next_sqn
from protocols.digest import auts_of, verifies
from protocols.sip.authentication import credentials
from protocols.sip.encode import encode
from protocols.sip.fields import cseq, flaw
from protocols.sip.messages import Headers, Request
from protocols.udp import read_udp
from regstorm.records import procedures
from ue_models.ims_rules import RETRY_AFTER, RFC_5626, Recourse
from ue_models.profiles import IGNORES_RETRY_AFTER, Profile, endless


def test_a_ue_registers_as_soon_as_its_ims_session_is_up():
    net = Registrar()
    net.session_up()
    first = net.hear()
    assert (net.datagram.source, net.datagram.destination) == ((ADDRESS, 5060), (P_CSCFS[0], 5060))
    assert flaw(first) is None
    assert first.uri == f"sip:{net.ims.domain}"
    assert first.headers.first("Expires") == "600000"
    given = credentials(first)
    assert (given.username, given.realm, given.nonce, given.response) == (net.ims.impi, net.ims.domain, "", "")
    net.challenge()
    second = net.hear()
    given = credentials(second)
    assert verifies(given, net.vector.xres, "REGISTER")
    assert (given.qop, given.nonce_count) == ("auth", 1)
    assert second.headers.first("Call-ID") == first.headers.first("Call-ID")
    assert (cseq(first).number, cseq(second).number) == (1, 2)
    assert not net.ue.registered
    net.accept()
    assert net.ue.registered
    assert net.changes == [True]
    assert net.book.ended == [(procedures.IMS_REGISTRATION, None)]


def test_the_answer_to_a_challenge_takes_the_ue_a_moment():
    net = Registrar()
    net.session_up()
    net.hear()
    asked = net.now
    net.challenge()
    net.hear()
    assert 0.05 <= net.sent_at - asked <= 0.15


def test_a_stale_challenge_is_answered_with_auts_and_a_fresh_one_accepted():
    net = Registrar()
    fresh = next_sqn(next_sqn(net.sqn))
    net.session_up()
    net.state.sqn = net.state.sqn.after(fresh)
    net.hear()
    net.challenge()
    resync = net.hear()
    assert credentials(resync).response == ""
    assert net.resynchronised(resync) == fresh
    net.challenge(next_sqn(fresh))
    assert verifies(credentials(net.hear()), net.vector.xres, "REGISTER")
    net.accept()
    assert net.ue.registered


def test_a_network_that_is_not_genuine_twice_is_left_for_the_other_p_cscf():
    net = Registrar()
    net.session_up()
    net.hear()
    net.challenge(spoilt=True)
    refused = credentials(net.hear())
    assert (refused.response, refused.auts) == ("", None)
    net.challenge(spoilt=True)
    net.hear()
    assert net.datagram.destination[0] == P_CSCFS[1]
    assert net.book.ended == [(procedures.IMS_REGISTRATION, "network not genuine")]


def test_a_network_whose_challenges_stay_stale_is_left_after_two():
    """TS 24.229 5.1.1.5.3: two invalid challenges in a row are answered, so that nobody resynchronises for ever."""
    net = Registrar()
    net.state.sqn = UsimSqn(net.sqn + (1 << 30))
    net.session_up()
    net.hear()
    net.challenge()
    assert auts_of(credentials(net.hear())) is not None
    net.challenge()
    net.hear()
    assert net.datagram.destination[0] == P_CSCFS[1]
    assert net.book.ended == [(procedures.IMS_REGISTRATION, "network not genuine")]


def test_a_challenge_that_the_ue_cannot_answer_leads_to_the_other_p_cscf():
    net = Registrar()
    net.session_up()
    net.hear()
    net.challenge(algorithm="MD5")
    net.hear()
    assert net.datagram.destination[0] == P_CSCFS[1]


def test_challenges_without_end_are_left_for_the_other_p_cscf():
    net = Registrar()
    net.session_up()
    net.hear()
    for _ in range(3):
        net.challenge()
        net.hear()
    net.challenge()
    net.hear()
    assert net.datagram.destination[0] == P_CSCFS[1]
    assert net.book.rejects == [("SIP 401", False)]


def test_retry_after_bars_the_p_cscf_that_sent_it_and_the_other_is_asked_at_once():
    net = Registrar()  # TS 24.229 5.1.1.2.1: not "via the same IP-CAN and the same P-CSCF"
    net.session_up()
    net.hear()
    refused_at = net.now
    net.say(503, ("Retry-After", "120"))
    net.hear(within=0.2)
    assert net.sent_at - refused_at < 0.2
    assert net.datagram.destination[0] == P_CSCFS[1]
    assert net.book.waits() == {}


def test_when_every_p_cscf_refused_with_retry_after_the_profile_says_what_then():
    for recourse in Recourse:
        net = Registrar(Profile("test", recourse=recourse))
        net.session_up()
        for _ in P_CSCFS:
            net.hear()
            net.say(503, ("Retry-After", "120"))
        net.run(0.2)
        assert [one for one, _ in net.exhausted] == [recourse]


def test_retry_after_outlives_the_session_because_it_bars_the_p_cscf():
    net = Registrar()
    net.session_up()
    net.hear()
    first_refused_at = net.now
    net.say(503, ("Retry-After", "120"))
    net.hear()
    net.say(503, ("Retry-After", "180"))
    net.run(1)
    net.ue.session_down(net.now)
    net.session_up()
    net.silent(100)
    assert net.book.waits() == {RETRY_AFTER: 1}
    net.hear(within=20)
    assert net.sent_at == pytest.approx(first_refused_at + 120)
    assert net.datagram.destination[0] == P_CSCFS[0]


def test_a_ue_may_also_wait_and_ask_the_same_p_cscf_to_the_second():
    net = Registrar(Profile("test", waits_at_p_cscf=True))
    net.session_up()
    net.hear()
    refused_at = net.now
    net.say(503, ("Retry-After", "120 (overload);duration=600"))
    assert net.book.waits() == {RETRY_AFTER: 1}
    net.silent(119.9)
    net.hear(within=0.2)
    assert net.sent_at == pytest.approx(refused_at + 120)
    assert net.datagram.destination[0] == P_CSCFS[0]
    assert net.book.waits() == {}
    assert net.book.rejects == [("SIP 503", False)]


def test_a_ue_barred_at_one_p_cscf_may_ask_the_other():
    net = Registrar()
    net.session_up()
    net.hear()
    net.say(503, ("Retry-After", "1000"))
    net.ue.session_down(net.now)
    net.session_up()
    net.hear()
    assert net.datagram.destination[0] == P_CSCFS[1]
    net.say(503, ("Retry-After", "2000"))
    net.run(0.2)
    net.ue.session_down(net.now)
    assert net.book.waits() == {}
    net.session_up()
    net.silent(1.0)
    assert net.book.waits() == {RETRY_AFTER: 1}
    net.hear(within=1000)
    assert net.datagram.destination[0] == P_CSCFS[0]


def test_another_list_of_p_cscfs_is_a_new_start():
    net = Registrar()
    net.session_up()
    net.hear()
    net.say(503, ("Retry-After", "1000"))
    net.ue.session_down(net.now)
    net.p_cscfs = ("10.2.0.3",)
    net.session_up()
    net.hear()
    assert net.datagram.destination[0] == "10.2.0.3"


def test_without_retry_after_the_wait_is_that_of_rfc_5626_and_doubles():
    net = Registrar()
    net.session_up()
    net.hear()
    waits = []
    for _ in range(3):
        refused_at = net.now
        net.say(500)
        assert net.book.waits() == {RFC_5626: 1}
        net.hear(within=300)
        waits.append(net.sent_at - refused_at)
    assert 30 <= waits[0] <= 60
    assert 60 <= waits[1] <= 120
    assert 120 <= waits[2] <= 240


def test_a_ue_that_ignores_retry_after_backs_off_instead():
    net = Registrar(IGNORES_RETRY_AFTER)
    net.session_up()
    net.hear()
    net.say(503, ("Retry-After", "3600"))
    assert net.book.waits() == {RFC_5626: 1}
    net.hear(within=60)


def test_an_endless_ue_asks_again_whatever_it_was_told():
    net = Registrar(endless(0.3))
    net.session_up()
    net.hear()
    net.say(503, ("Retry-After", "3600"))
    net.hear(within=0.4)
    net.say(403)
    net.hear(within=0.4)


def test_an_unanswered_register_is_sent_eleven_times_and_then_the_other_p_cscf_is_asked():
    net = Registrar()
    net.session_up()
    net.hear()
    began = net.now
    assert net.unanswered() == 11
    net.hear()
    assert net.sent_at - began == pytest.approx(128, abs=0.3)
    assert net.datagram.destination[0] == P_CSCFS[1]
    assert net.book.ended == [(procedures.IMS_REGISTRATION, "Timer F expired")]


def test_when_every_p_cscf_was_asked_in_vain_the_profile_says_what_then():
    for recourse in Recourse:
        net = Registrar(Profile("test", recourse=recourse))
        net.session_up()
        for _ in P_CSCFS:
            net.hear()
            net.unanswered()
        net.run(1.0)
        assert [one for one, _ in net.exhausted] == [recourse]
        net.ue.session_down(net.now)
        net.session_up()
        net.hear()
        assert net.datagram.destination[0] == P_CSCFS[0]


def test_a_provisional_response_slows_the_retransmissions_down():
    net = Registrar()
    net.session_up()
    net.hear()
    net.say(100)
    net.run(18.5)
    assert len(net.packets) == 2  # Timer E fired at 2 s, as before, and then every T2
    net.packets.clear()
    net.challenge()
    net.hear()


def test_an_interval_too_brief_is_asked_for_again_at_once():
    net = Registrar()
    net.ims.wished_s = 60
    net.session_up()
    assert net.hear().headers.first("Expires") == "60"
    net.say(423, ("Min-Expires", "1800"))
    assert net.hear().headers.first("Expires") == "1800"
    assert net.book.waits() == {}


def test_forbidden_ends_it_until_the_next_ims_session():
    net = Registrar()
    net.session_up()
    net.hear()
    net.say(403)
    net.silent(4000)
    net.ue.session_down(net.now)
    net.session_up()
    net.hear()


def test_without_a_p_cscf_there_is_nobody_to_ask():
    net = Registrar(p_cscfs=())
    net.session_up()
    net.silent(100)


# --- the binding -----------------------------------------------------------------------------------------------------


def test_a_binding_is_renewed_in_time_under_the_same_call_id_with_the_next_nonce_count():
    net = Registrar()
    net.register(expires_s=3600)
    granted_at, call_id, number = net.now, net.request.headers.first("Call-ID"), cseq(net.request).number
    renewal = net.hear(within=3001)
    assert net.sent_at == granted_at + 3000
    assert renewal.headers.first("Call-ID") == call_id
    assert cseq(renewal).number == number + 1
    given = credentials(renewal)
    assert given.nonce_count == 2
    assert verifies(given, net.vector.xres, "REGISTER")
    net.accept(expires_s=1000)
    net.hear(within=501)
    assert net.changes == [True]
    assert [name for name, _ in net.book.ended] == [procedures.IMS_REGISTRATION, procedures.IMS_REREGISTRATION]


def test_a_renewal_may_be_challenged():
    net = Registrar()
    net.register()
    net.hear(within=3001)
    net.challenge()
    assert credentials(net.hear()).nonce_count == 1
    net.accept()
    assert net.ue.registered


def test_a_registration_from_before_is_renewed_with_the_digest_that_both_sides_kept():
    net = Registrar()
    net.provisioned(granted_s=3600.0, share=0.25)
    assert net.ue.registered
    renewal = net.hear(within=751)
    assert net.sent_at == 750
    given = credentials(renewal)
    assert (given.nonce, given.nonce_count) == (net.ims.challenge.nonce, 2)
    assert verifies(given, net.ims.res, "REGISTER")
    net.accept()
    assert net.ue.registered
    assert net.book.lost == []


def test_a_refused_renewal_leaves_the_binding_until_it_expires():
    net = Registrar()
    net.register()
    net.hear(within=3001)
    net.say(503, ("Retry-After", "100"))
    net.hear()
    assert net.datagram.destination[0] == P_CSCFS[1]
    net.say(503, ("Retry-After", "200"))
    net.silent(99)
    assert net.ue.registered
    assert net.exhausted == []  # what stands is not given up for a renewal that was refused
    anew = net.hear(within=2)
    assert credentials(anew).nonce == ""
    assert net.ue.registered
    net.challenge()
    net.hear()
    net.accept()
    assert net.changes == [True]
    assert net.book.lost == []


def test_a_binding_that_could_not_be_renewed_ends_when_it_expires():
    net = Registrar()
    net.register()
    net.hear(within=3001)
    renewal_due = net.sent_at
    net.say(503, ("Retry-After", "1000"))
    net.hear()
    net.say(503, ("Retry-After", "1000"))
    net.run(599 - (net.now - renewal_due))
    assert net.ue.registered
    net.run(2)
    assert not net.ue.registered
    assert net.changes == [True, False]
    assert net.book.lost == ["IMS binding expired"]
    net.hear(within=400)
    net.challenge()
    net.hear()
    net.accept()
    assert net.ue.registered


def test_an_unanswered_renewal_ends_the_registration_and_the_other_p_cscf_is_asked():
    net = Registrar()
    net.register()
    net.hear(within=3001)
    net.unanswered()
    assert net.book.lost == ["IMS Timer F expired"]
    assert credentials(net.hear()).nonce == ""
    assert net.datagram.destination[0] == P_CSCFS[1]


def test_a_restarted_s_cscf_gets_an_initial_registration_at_once():
    net = Registrar()
    net.register()
    net.hear(within=3001)
    body = b"<ims-3gpp><alternative-service><type>restoration</type><action>initial-registration</action>"
    net.say(504, ("Content-Type", "application/3gpp-ims+xml"), body=body)
    assert credentials(net.hear()).nonce == ""
    assert net.book.waits() == {}


def test_losing_the_session_loses_the_binding_and_what_was_planned():
    net = Registrar()
    net.register()
    net.ue.session_down(net.now)
    assert not net.ue.registered
    net.silent(4000)
    net.session_up()
    net.hear()
    net.ue.session_down(net.now)
    assert net.book.ended[-1] == (procedures.IMS_REGISTRATION, "aborted")
    net.silent(4000)


def test_a_ue_that_leaves_takes_its_binding_away_and_stays_away():
    net = Registrar()
    net.register()
    assert net.ue.deregister(net.now)
    assert net.hear().headers.first("Expires") == "0"
    net.accept(expires_s=0)
    assert not net.ue.registered
    assert net.book.lost == []
    net.silent(4000)


def test_a_network_that_ends_the_registration_gets_a_new_one():
    net = Registrar()
    net.register()
    net.send(_notify(net, "deactivated"))
    assert net.book.lost == ["IMS deregistered by the network"]
    assert b"200 OK" in _answered(net)
    net.hear()


def test_a_network_that_rejects_the_registration_for_good_does_not():
    net = Registrar()
    net.register()
    net.send(_notify(net, "rejected"))
    assert b"200 OK" in _answered(net)
    net.silent(4000)


def _notify(net, event):
    body = f'<reginfo><registration><contact state="terminated" event="{event}"/></registration></reginfo>'
    return _request(net, "NOTIFY", ("Event", "reg"), body=body.encode())


def _request(net, method, *fields, body=b""):
    via = ("Via", "SIP/2.0/UDP 10.2.0.1:5060;branch=z9hG4bKnet1")
    common = ("From", "<sip:net@x>;tag=1"), ("To", f"<{net.ims.impu}>"), ("Call-ID", "1"), ("CSeq", f"1 {method}")
    return encode(Request(method, net.ims.contact, Headers((via, ("Max-Forwards", "70"), *common, *fields)), body))


def _answered(net):
    return read_udp(net.packets.popleft()[1]).payload


# --- other requests --------------------------------------------------------------------------------------------------


def test_a_short_message_goes_by_the_route_of_the_registration():
    net = Registrar()
    net.register()
    assert net.ue.send_message(net.now)
    message = net.hear("MESSAGE")
    assert flaw(message) is None
    assert message.headers.listed("Route") == [
        f"<sip:{P_CSCFS[0]}:5060;lr>",
        f"<sip:scscf.{net.ims.domain}:5060;lr>",
    ]
    net.say(202)
    assert net.book.ended[-1] == (procedures.IMS_MESSAGE, None)


def test_a_refused_message_bars_the_p_cscf_for_the_next():
    net = Registrar()
    net.register()
    net.ue.send_message(net.now)
    net.hear("MESSAGE")
    net.say(503, ("Retry-After", "60"))
    assert net.ue.registered
    assert not net.ue.send_message(net.now)
    net.run(60)
    assert net.ue.send_message(net.now)


def test_an_unanswered_message_says_that_the_p_cscf_is_gone():
    net = Registrar()
    net.register()
    net.ue.send_message(net.now)
    net.hear("MESSAGE")
    net.unanswered()
    assert net.book.lost == ["IMS Timer F expired"]
    net.hear()
    assert net.datagram.destination[0] == P_CSCFS[1]


def test_a_renewal_that_falls_due_during_a_message_comes_after_it():
    net = Registrar()
    net.register()
    net.run(2999)
    net.ue.send_message(net.now)
    net.hear("MESSAGE")
    net.run(1.5)
    net.say(202)
    assert credentials(net.hear()).nonce_count == 2


def test_without_a_binding_there_is_no_message_and_nothing_to_leave():
    net = Registrar()
    net.session_up()
    assert not net.ue.send_message(net.now)
    assert not net.ue.deregister(net.now)


@pytest.mark.parametrize(("method", "status"), [("MESSAGE", b"200"), ("OPTIONS", b"200"), ("INVITE", b"501")])
def test_what_the_network_asks_is_answered_the_same_each_time(method, status):
    net = Registrar()
    net.register()
    net.send(_request(net, method))
    net.send(_request(net, method))
    first, second = _answered(net), _answered(net)
    assert first == second
    assert first.startswith(b"SIP/2.0 " + status)
    net.send(_request(net, "ACK"))
    assert not net.packets


def test_a_late_or_foreign_response_changes_nothing():
    net = Registrar()
    net.session_up()
    first = net.hear()
    net.challenge()
    net.hear()
    net.accept()
    net.say(503, ("Retry-After", "100"), to=first)
    net.say(503, ("Retry-After", "100"))
    assert net.ue.registered
    assert net.book.waits() == {}


@pytest.mark.parametrize("packet", [b"", b"\x45" * 40, bytes(30)])
def test_packets_that_are_none_are_counted(packet):
    net = Registrar()
    net.register()
    net.ue.packet(packet, net.now)
    net.send(b"SIP/2.0 nonsense\r\n\r\n")
    assert len(net.discarded) == 2
    assert net.ue.registered
