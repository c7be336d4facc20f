"""Whatever octets a gNB sends: nothing raises, the association survives, the counters tell."""

from random import Random

import pytest
from core_rig import LOCATION, Rig, Ue, kinds, session_messages

from protocols.nas5g import messages as nas
from protocols.nas5g.encode import encode
from protocols.ngap import messages as ngap
from protocols.ngap.encode import encode as encode_ngap


def recorded_uplink():
    """What a UE sends on its way to full service and after it, as octets."""
    rig = Rig()
    sent = []
    original = rig.core.receive

    def receive(peer, data, stream, now):
        sent.append(data)
        original(peer, data, stream, now)

    rig.core.receive = receive
    ue = Ue(rig)
    rig.gnb.set_up()
    ue.reach_full_service()
    ue.go_idle()
    ue.connect(nas.ServiceRequest(ue.security.ngksi, nas.ServiceType.DATA, ue.guti.s_tmsi(), b"\x06\x00"))
    ue.follow(1.0)
    ue.send(nas.DeregistrationRequest(ue.security.ngksi, False, ue.guti))
    ue.follow(1.0)
    return sent


def mutated(octets, chance):
    """One to three octets changed, cut out or put in."""
    data = bytearray(octets)
    for _ in range(chance.randint(1, 3)):
        at = chance.randrange(len(data)) if data else 0
        match chance.randrange(4):
            case 0 if data:
                data[at] ^= 1 << chance.randrange(8)
            case 1 if data:
                del data[at : at + chance.randint(1, 4)]
            case 2:
                data[at:at] = chance.randbytes(chance.randint(1, 4))
            case _ if data:
                data[at] = chance.randrange(256)
    return bytes(data)


def still_works(rig):
    ue = Ue(rig, 50)
    rig.gnb.set_up()
    rig.gnb.take()
    return "RegistrationAccept" in kinds(ue.register())


@pytest.mark.parametrize("messages", [10_000, pytest.param(100_000, marks=pytest.mark.slow)])
def test_mutated_messages_in_the_middle_of_procedures(messages):
    chance = Random(1)
    corpus = recorded_uplink()
    rig = Rig()
    rig.core.association_up(1, lambda data, stream: None, 0.0)
    rig.core.receive(1, corpus[0], 0, 0.0)
    for number in range(messages):
        original = corpus[number % len(corpus)]
        rig.core.receive(1, mutated(original, chance) if number % 3 else original, 1, rig.agenda.now)
        if number % 10 == 0:
            rig.run(0.05)
    assert rig.tally["codec.unreadable.ngap"] > 100
    assert rig.tally["protocol.errors"] > 100
    received = []
    rig.core.association_up(9, lambda data, stream: received.append(data), rig.agenda.now)
    rig.core.receive(9, corpus[0], 0, rig.agenda.now)
    request = encode(Ue(rig, 50).registration_request())
    rig.core.receive(9, encode_ngap(ngap.InitialUeMessage(1, request, LOCATION)), 1, rig.agenda.now)
    rig.run(2.0)
    assert len(received) == 2  # NG SETUP RESPONSE and a challenge: the core is as well as before


def test_random_octets_are_answered_with_error_indications():
    chance = Random(2)
    rig = Rig()
    for _ in range(300):
        rig.gnb.send_octets(chance.randbytes(chance.randint(0, 60)))
    assert rig.tally["codec.unreadable.ngap"] > 200
    assert set(kinds(rig.gnb.take())) == {"ErrorIndication"}
    assert still_works(rig)


def test_mutated_nas_inside_sound_ngap():
    chance = Random(3)
    rig = Rig(population=60)
    ue = Ue(rig)
    ue.reach_full_service()
    plain = [
        encode(ue.registration_request()),
        encode(nas.ServiceRequest(1, nas.ServiceType.DATA, ue.guti.s_tmsi())),
        encode(nas.IdentityResponse(ue.suci)),
        encode(nas.AuthenticationResponse(bytes(16))),
        encode(nas.UlNasTransport(encode(nas.PduSessionEstablishmentRequest(1, 1)), 1, 1, nas.Snssai(1), "ims")),
    ]
    for number in range(2000):
        octets = mutated(plain[number % len(plain)], chance)
        if number % 2:
            octets = ue.security.protect(octets, 2) if octets else octets
            rig.gnb.send(ngap.UplinkNasTransport(ue.amf_ue_id, ue.ran_ue_id, octets, LOCATION))
        else:
            rig.gnb.send(ngap.InitialUeMessage(10_000 + number, octets, LOCATION))
        rig.run(0.01)
    assert rig.tally["codec.unreadable.nas"] > 100
    assert still_works(rig)


def test_unreadable_nas_is_answered_with_a_status_that_names_the_cause():
    rig = Rig()
    ue = Ue(rig)
    ue.register()
    ue.send(b"\x7e\x00\xff")
    rig.run(0.1)
    assert ue.hear() == [nas.FivegmmStatus(97)]


def test_a_message_that_does_not_fit_the_state_is_answered_with_a_status():
    rig = Rig()
    ue = Ue(rig)
    ue.register()
    ue.send(nas.RegistrationAccept(None))
    rig.run(0.1)
    assert ue.hear() == [nas.FivegmmStatus(98)]


def test_a_second_answer_to_a_repeated_question_is_ignored():
    rig = Rig()
    ue = Ue(rig)
    ue.register()
    ue.send(nas.AuthenticationResponse(bytes(16)))
    rig.run(0.1)
    assert ue.hear() == []


def test_a_plain_message_in_a_secure_exchange_is_discarded():
    rig = Rig()
    ue = Ue(rig)
    ue.register()
    ue.secured = False
    ue.request_session(1, "internet")
    rig.run(0.5)
    assert ue.hear() == []
    assert rig.tally["udm.served.N10"] == 0


def test_a_replayed_message_is_discarded():
    rig = Rig()
    ue = Ue(rig)
    ue.reach_full_service()
    octets = ue.security.protect(encode(nas.DeregistrationRequest(1, False, ue.guti)), 2)
    rig.core.amf.contexts.by_supi(ue.card.supi).security.uplink_count = ue.security.uplink_count
    rig.gnb.send(ngap.UplinkNasTransport(ue.amf_ue_id, ue.ran_ue_id, octets, LOCATION))
    rig.run(0.5)
    assert rig.core.amf.contexts.by_supi(ue.card.supi).registered


def test_an_initial_ue_message_with_unreadable_nas_is_released():
    rig = Rig()
    rig.gnb.send(ngap.InitialUeMessage(1, b"\xff\xff\xff", LOCATION))
    assert kinds(rig.gnb.take()) == ["UeContextReleaseCommand"]


def test_5gsm_messages_that_make_no_sense_are_answered_by_the_smf():
    rig = Rig()
    ue = Ue(rig)
    ue.register()
    for payload in (
        b"\x2e\x01\x01\xc1",
        b"\x2e\x01\x00\xc1\xff\xff",
        b"\x2e\x02\x01\xc1\xff\xff",
        b"\x00",
        b"\x2e\x01\x01\xd6\x24",
    ):
        ue.send(nas.UlNasTransport(payload, 1, 1, nas.Snssai(1), "internet"))
        (answer,) = ue.follow(1.0)
        assert isinstance(answer, nas.DlNasTransport)
    ue.send(nas.UlNasTransport(b"\x2e\x07\x01\xd1", 7))
    (answer,) = ue.follow(1.0)
    assert answer.cause == 90
    assert rig.core.smf.sessions == 0


def test_a_session_identity_that_no_ue_may_use_is_refused():
    rig = Rig()
    ue = Ue(rig)
    ue.register()
    for psi in (0, 16, 255):
        ue.send(nas.UlNasTransport(encode(nas.PduSessionEstablishmentRequest(psi, 1)), psi, 1, nas.Snssai(1), "ims"))
        (answer,) = ue.follow(1.0)
        assert session_messages([answer]) == [nas.FivegsmStatus(psi, 1, 43)]


def test_security_capabilities_of_every_length_that_the_ie_allows():
    rig = Rig(population=20)
    for index, length in enumerate(range(2, 9)):
        ue = Ue(rig, index)
        request = ue.registration_request()._replace(security_capability=b"\xa0\xa0" + b"\xff" * (length - 2))
        ue.registration_request = lambda request=request: request
        assert "RegistrationAccept" in kinds(ue.register()), length
