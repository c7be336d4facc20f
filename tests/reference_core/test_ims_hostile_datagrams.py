"""Random and mutated datagrams at the SBC: nothing raises, counters tell, users in service stay so."""

from random import Random

import pytest
from ims_rig import PCSCF, REGISTRAR, ImsRig, SipUe

from protocols.digest import answered
from protocols.sip.encode import answer, encode
from regstorm.records import sources

TIERS, _ = sources.strategy("tiered")

_TOKENS = (b"REGISTER", b"SIP/2.0", b"\r\n", b"\r\n\r\n", b";", b",", b"<", b">", b'"', b"=", b":", b"nonce", b"sos")


def samples(ue):
    """Real datagrams of every kind that a UE sends."""
    messages = [
        ue.register(),
        ue.register(authorization=ue.credentials),
        ue.deregister(),
        ue.message(),
        ue.request("OPTIONS", "sip:x", "sip:x"),
        ue.request("NOTIFY", "sip:x", "sip:x"),
    ]
    return [encode(one) for one in (*messages, answer(messages[0], 200, "t"))]


def mutated(octets, rng):
    data = bytearray(octets)
    for _ in range(rng.randint(1, 6)):
        at = rng.randrange(len(data))
        match rng.randrange(5):
            case 0:
                data[at] = rng.randrange(256)
            case 1:
                del data[at : at + rng.randint(1, 40)]
            case 2:
                data[at:at] = rng.choice(_TOKENS)
            case 3:
                data[at:at] = data[at : at + rng.randint(1, 60)]
            case 4:
                del data[at:]
        if not data:
            break
    return bytes(data)


def attack(rig, member, number, seed):
    rng = Random(seed)
    octets = samples(member)
    for n in range(number):
        datagram = rng.randbytes(rng.randint(0, 300)) if n % 10 == 0 else mutated(rng.choice(octets), rng)
        source = (f"10.129.{n % 7}.{n % 200 + 1}", rng.choice((5060, 5061, 40000)))
        rig.ims.receive(datagram, source, PCSCF, rig.agenda.now)
        if n % 100 == 0:
            rig.run(0.05)
            rig.mail.clear()
    rig.run(20)
    rig.mail.clear()


def survives(number, seed):
    rig = ImsRig(strategy=TIERS)
    member, newcomer = SipUe(rig, 0), SipUe(rig, 1)
    member.reach_service()
    rig.run(1)
    attack(rig, member, number, seed)
    assert rig.tally["codec.unreadable.sip"] > number / 50
    assert rig.tally["sbc.requests"] > number / 50
    assert rig.ims.serves(member.supi)
    again = answered(member.challenge, member.private, member.res, "REGISTER", REGISTRAR, 900, "c")
    assert member.ask(member.register(authorization=again)).status == 200
    rig.run(400)
    assert newcomer.reach_service().status == 200
    rig.run(1)
    assert rig.ims.serves(newcomer.supi)


def test_the_sbc_survives_a_thousand_mutated_datagrams():
    survives(1_000, seed=1)


@pytest.mark.slow
def test_the_sbc_survives_a_hundred_thousand_mutated_datagrams():
    survives(100_000, seed=2)


def test_ten_thousand_datagrams_leave_nothing_behind_that_grows():
    rig = ImsRig(strategy=TIERS)
    member = SipUe(rig, 0)
    member.reach_service()
    attack(rig, member, 10_000, seed=3)
    rig.run(600)
    rig.ims.receive(encode(member.message()), member.here, PCSCF, rig.agenda.now)
    rig.run(1)
    assert len(rig.ims.sbc._transactions) == 1
    assert rig.ims.scscf.challenges.waiting(member.public) is None
