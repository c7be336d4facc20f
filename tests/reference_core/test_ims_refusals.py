"""The SBC's door: what it counts, refuses, tells, absorbs; and what it makes of failures behind it."""

import pytest
from ims_rig import DOMAIN, PCSCF, REGISTRAR, ImsRig, SipUe

from protocols.digest import answered
from protocols.sip.encode import encode
from protocols.sip.fields import retry_after
from regstorm.records import sources
from regstorm.records.core_settings import Ims, ImsNode, Sbc, Shedding, Udm
from regstorm.records.operations import Nf
from regstorm.records.strategy import Gate, Guidance, Strategy

TIERS, _ = sources.strategy("tiered")


def narrow(counts="first_messages", tiers=TIERS.tiers, **guidance):
    """A gate that lets five UEs in (ten at the SBC, whose bucket is twice as deep) and then nearly nobody."""
    gate = Gate(counts=counts, share_of_capacity=1e-6 + 0.001, depth_s=0.001, least_depth_ues=1)
    return Strategy(name="narrow", title="", summary="", gate=gate, guidance=Guidance(**guidance), tiers=tiers)


def full(rig, messages=2):
    """As many newcomers as the door still lets in."""
    for index in range(90, 90 + messages):
        ue = SipUe(rig, index)
        ue.ask(ue.register())
    return rig


def small_udm():
    return Udm(capacity_pairs_per_s=25)


# --- refusals --------------------------------------------------------------------------------------------------------


def test_a_refused_newcomer_gets_503_with_a_retry_after_of_the_window():
    rig = full(ImsRig(strategy=narrow(), udm=small_udm()))
    answers = []
    for index in range(20):
        ue = SipUe(rig, index)
        answers.append(ue.ask(ue.register(), seconds=0.05))
    waits = [retry_after(one).seconds for one in answers]
    assert {one.status for one in answers} == {503}
    assert all(30 <= wait <= 180 for wait in waits)
    assert len(set(waits)) > 10
    assert rig.tally["sbc.refused_first"] == 20


def test_without_guidance_a_503_says_nothing_of_when_to_return():
    rig = full(ImsRig(strategy=narrow(t3346=None), udm=small_udm()))
    ue = SipUe(rig)
    assert retry_after(ue.ask(ue.register())) is None


def test_a_refused_newcomer_costs_nothing_behind_the_door():
    rig = full(ImsRig(strategy=narrow(), udm=small_udm()))
    before = rig.core.bus.calls.total()
    ue = SipUe(rig)
    ue.ask(ue.register())
    assert rig.core.bus.calls.total() == before


def test_with_tiers_answers_to_challenges_pass_a_door_that_is_shut():
    rig = ImsRig(strategy=narrow(), udm=small_udm())
    ue = SipUe(rig)
    response = ue.ask(ue.register())
    full(rig)
    assert ue.ask(ue.register(authorization=ue.answer_to(response))).status == 200
    assert rig.tally["sbc.refused_follow_up"] == 0


def test_with_tiers_users_in_service_pass_a_door_that_is_shut():
    rig = ImsRig(strategy=narrow(), udm=small_udm())
    ue = SipUe(rig)
    ue.reach_service()
    full(rig)
    again = answered(ue.challenge, ue.private, ue.res, "REGISTER", REGISTRAR, 2, "c")
    assert ue.ask(ue.register(authorization=again)).status == 200
    assert ue.ask(ue.message()).status == 202
    assert ue.ask(ue.deregister()).status == 200


def test_emergency_registrations_and_options_pass_a_door_that_is_shut():
    rig = full(ImsRig(strategy=narrow(), udm=small_udm()))
    ue = SipUe(rig)
    assert ue.ask(ue.register(contact=";sos")).status == 401
    assert ue.ask(ue.request("OPTIONS", f"sip:{PCSCF[0]}", f"sip:{PCSCF[0]}")).status == 200


@pytest.mark.parametrize("follow_up", ["drop", "reject"])
def test_a_door_that_counts_every_message_refuses_answers_too(follow_up):
    rig = ImsRig(strategy=narrow("every_uplink_message", tiers=None, follow_up=follow_up), udm=small_udm())
    ue = SipUe(rig)
    response = ue.ask(ue.register())
    full(rig, messages=4)
    answered_late = ue.ask(ue.register(authorization=ue.answer_to(response)))
    assert rig.tally["sbc.refused_follow_up"] == 1
    if follow_up == "drop":
        assert answered_late is None
    else:
        assert answered_late.status == 503
        assert retry_after(answered_late) is not None
        assert rig.tally["udm.pairs_without_service"] == 2


def test_a_dropped_follow_up_is_asked_for_anew_when_it_is_sent_again():
    rig = ImsRig(strategy=narrow("every_uplink_message", tiers=None), udm=small_udm())
    ue = SipUe(rig)
    answer = ue.register(authorization=ue.answer_to(ue.ask(ue.register())))
    full(rig, messages=4)
    assert ue.ask(answer) is None
    rig.core.take_strategy(TIERS, rig.agenda.now)
    assert ue.ask(answer).status == 200


def test_the_gate_is_balanced_with_the_amf_unless_it_is_told_otherwise():
    amf = ImsRig(strategy=TIERS).core.amf.env.door
    assert ImsRig(strategy=TIERS).ims.sbc.door.gate.rate == amf.gate.rate
    assert ImsRig(strategy=TIERS, sbc=Sbc(share_of_amf=0.5)).ims.sbc.door.gate.rate == amf.gate.rate / 2


def test_the_gates_follow_from_twenty_five_pairs_per_user():
    rig = ImsRig(strategy=TIERS, udm=Udm(capacity_pairs_per_s=25_000))
    assert rig.core.amf.env.door.gate.rate == pytest.approx(0.8 * 25_000 / 25)


def test_a_door_that_counts_every_message_counts_two_per_user():
    gate = Gate(counts="every_uplink_message", share_of_capacity=1.0)
    strategy = Strategy(name="precise", title="", summary="", gate=gate)
    rig = ImsRig(strategy=strategy, udm=Udm(capacity_pairs_per_s=25_000))
    assert rig.ims.sbc.door.gate.rate == pytest.approx(2 * 1000)


# --- bursts ----------------------------------------------------------------------------------------------------------


def every_ten_seconds(strategy, users, bursts=6):
    """So many users send their first REGISTER in one instant, every ten seconds; how many were refused."""
    rig = ImsRig(strategy=strategy, udm=Udm(capacity_pairs_per_s=1000), population=users * bursts)
    for burst in range(bursts):
        for index in range(users * burst, users * (burst + 1)):
            ue = SipUe(rig, index)
            ue.send(ue.register())
        rig.run(10)
    return rig.tally["sbc.refused_first"]


@pytest.mark.parametrize(
    ("depth_s", "refused"),
    [(2.0, 0), (0.5, 6 * (60 - 32))],
)
def test_synchronised_registers_pass_a_door_whose_bucket_holds_them_and_no_other(depth_s, refused):
    """60 users at once every ten seconds are 6 users/s, a fifth of the 32 users/s that the door admits. Whether a
    door looks at the mean or at the instant is the shape of its bucket, not its rate."""
    gate = Gate(counts="first_messages", share_of_capacity=0.8, depth_s=depth_s, least_depth_ues=1)
    strategy = Strategy(name="shaped", title="", summary="", gate=gate, tiers=TIERS.tiers)
    assert every_ten_seconds(strategy, users=60) == refused


@pytest.mark.parametrize(("name", "refused"), [("tiered", (72, 0)), ("precise", (0, 80))])
def test_beyond_its_depth_a_door_refuses_newcomers_or_those_it_has_let_in(name, refused):
    """200 users at once, 32 users/s admitted, four seconds deep: 128 first messages, or 256 messages of any kind, of
    which answers to challenges a second later find 120."""
    strategy, _ = sources.strategy(name)
    rig = ImsRig(strategy=strategy, udm=Udm(capacity_pairs_per_s=1000), population=200)
    ues = [SipUe(rig, index) for index in range(200)]
    for ue in ues:
        ue.send(ue.register())
    rig.run(1)
    for ue in ues:
        for challenge in ue.hear():
            if challenge.status == 401:
                ue.send(ue.register(authorization=ue.answer_to(challenge)))
    rig.run(1)
    assert (rig.tally["sbc.refused_first"], rig.tally["sbc.refused_follow_up"]) == refused


# --- retransmissions -------------------------------------------------------------------------------------------------


def test_a_retransmission_is_absorbed_before_anything_is_counted():
    rig = ImsRig(strategy=TIERS)
    ue = SipUe(rig)
    request = ue.register()
    for _ in range(3):
        ue.send(request)
    rig.run(1)
    assert [one.status for one in ue.hear()] == [401]
    assert (rig.tally["sbc.requests"], rig.tally["sbc.retransmissions"]) == (1, 2)
    assert rig.tally["sbc.admitted_first"] == 1
    assert rig.ims_pairs() == (2, 0)


def test_a_retransmission_after_the_response_gets_that_response_again():
    rig = ImsRig()
    ue = SipUe(rig)
    request = ue.register()
    first = ue.ask(request)
    assert ue.ask(request) == first
    assert rig.tally["ims.challenges"] == 1


def test_a_refusal_is_repeated_to_a_retransmission_not_decided_anew():
    rig = full(ImsRig(strategy=narrow(), udm=small_udm()))
    ue = SipUe(rig)
    request = ue.register()
    first = ue.ask(request)
    assert (first.status, ue.ask(request)) == (503, first)
    assert rig.tally["sbc.refused_first"] == 1


def test_after_timer_j_a_request_is_a_new_one():
    rig = ImsRig()
    ue = SipUe(rig)
    request = ue.register()
    ue.ask(request)
    rig.run(129)
    ue.ask(request)
    assert (rig.tally["sbc.requests"], rig.tally["sbc.retransmissions"]) == (2, 0)


# --- bindings --------------------------------------------------------------------------------------------------------


def test_a_restart_of_the_sbc_makes_a_newcomer_of_everybody():
    rig = ImsRig(strategy=narrow(), udm=small_udm())
    ue = SipUe(rig)
    ue.reach_service()
    rig.ims.restart_sbc()
    full(rig)
    again = answered(ue.challenge, ue.private, ue.res, "REGISTER", REGISTRAR, 2, "c")
    refused = ue.ask(ue.register(authorization=again))
    assert refused.status == 503
    assert rig.ims.serves(ue.supi)  # the S-CSCF still knows the user
    rig.core.take_strategy(TIERS, rig.agenda.now)
    assert ue.ask(ue.register(authorization=again)).status == 200
    assert ue.ask(ue.message()).status == 202


def test_a_user_at_another_address_is_a_newcomer():
    rig = ImsRig(strategy=narrow(), udm=small_udm())
    ue = SipUe(rig)
    ue.reach_service()
    full(rig)
    ue.here = ("10.128.7.7", 5060)
    assert ue.ask(ue.register()).status == 503


# --- failures behind the SBC -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("status", [500, 504])
def test_a_failure_of_the_hss_reaches_the_ue_with_a_retry_after(status):
    rig = ImsRig(udm=Udm(capacity_pairs_per_s=1e-3), ims=Ims(on_hss_failure=status), strategy=TIERS)
    ue = SipUe(rig)
    response = ue.ask(ue.register(), seconds=20)
    assert response.status == status
    assert 30 <= retry_after(response).seconds <= 180
    assert rig.tally["sbc.retry_after_added"] == 1
    assert rig.tally["ims.hss_failures"] == 1


def test_480_goes_through_as_it_is():
    rig = ImsRig(udm=Udm(capacity_pairs_per_s=1e-3), ims=Ims(on_hss_failure=480), strategy=TIERS)
    ue = SipUe(rig)
    response = ue.ask(ue.register(), seconds=20)
    assert (response.status, retry_after(response)) == (480, None)


def test_silence_behind_the_sbc_is_a_504_to_the_ue():
    rig = ImsRig(strategy=TIERS)
    rig.core.bus.take_out_of_service(Nf.ICSCF)
    ue = SipUe(rig)
    response = ue.ask(ue.register(), seconds=30)
    assert response.status == 504
    assert retry_after(response) is not None


def test_a_cscf_that_has_too_much_to_do_answers_503():
    busy = ImsNode(capacity_messages_per_s=1e-3, shedding=Shedding(queue_s=1e-6))
    rig = ImsRig(ims=Ims(cscf=busy), strategy=TIERS)
    SipUe(rig, 1).send(SipUe(rig, 1).register())  # the one that is worked off
    rig.run(1)
    ue = SipUe(rig)
    response = ue.ask(ue.register(), seconds=5)
    assert (response.status, rig.tally["ims.dropped_overload.I-CSCF"]) == (503, 1)
    assert retry_after(response) is not None


def test_what_exceeds_the_capacity_of_the_sbc_is_dropped_without_a_word():
    busy = Sbc(capacity_messages_per_s=1e-3, shedding=Shedding(queue_s=1e-6))
    rig = ImsRig(sbc=busy)
    for index in range(3):
        ue = SipUe(rig, index)
        assert ue.ask(ue.register()) is None
    assert rig.tally["sbc.dropped_overload"] == 2


def test_the_queues_of_the_cscfs_are_ordered_by_the_tiers():
    slow = ImsNode(capacity_messages_per_s=2, shedding=Shedding(queue_s=100, period_s=1000))
    rig = ImsRig(ims=Ims(cscf=slow), strategy=TIERS)
    member = SipUe(rig, 0)
    rig.core.provision([0])
    member.here = (rig.ims.sbc.users.binding_of(member.public).address, 5060)
    newcomers = [SipUe(rig, index) for index in (1, 2, 3)]
    for one in newcomers:
        one.send(one.register())
    member.send(member.register())  # comes last, and is a refresh
    order = []
    for _ in range(60):
        rig.run(0.1)
        order += [one.index for one in (member, *newcomers) for _ in one.hear()]
    assert order == [1, 0, 2, 3]  # the first newcomer was being served already


# --- malformed -------------------------------------------------------------------------------------------------------


def test_a_request_without_what_every_request_has_is_a_400():
    ue = SipUe(ImsRig())
    request = ue.register()
    assert ue.ask(request._replace(headers=request.headers.without("CSeq"))).status == 400


def test_octets_that_are_no_message_are_counted_and_answered_if_there_is_a_way_back():
    rig = ImsRig()
    ue = SipUe(rig)
    rig.ims.receive(b"\xff" * 40, ue.here, PCSCF, 0.0)
    assert ue.hear() == []
    octets = encode(ue.register()).replace(b"SIP/2.0\r\n", b"SIP/9.0\r\n", 1)
    rig.ims.receive(octets, ue.here, PCSCF, 0.0)
    assert [one.status for one in ue.hear()] == [505]
    assert rig.tally["codec.unreadable.sip"] == 2


def test_keep_alives_are_no_messages():
    rig = ImsRig()
    for datagram in (b"\r\n\r\n", b"\0", b""):
        rig.ims.receive(datagram, ("10.128.0.1", 5060), PCSCF, 0.0)
    assert "codec.unreadable" not in rig.tally


def test_a_domain_that_is_not_ours_is_forbidden():
    ue = SipUe(ImsRig())
    ue.public = ue.public.replace(DOMAIN, "elsewhere.example")
    assert ue.ask(ue.register()).status == 403
