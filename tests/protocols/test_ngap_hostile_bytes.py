"""Whatever octets a peer sends: no exception leaves the NGAP codec, and the counters account for every PDU."""

from random import Random

import pytest
from ngap_samples import ALL, GENERATORS, random_messages

from protocols.ngap import causes
from protocols.ngap import messages as m
from protocols.ngap.decode import Counters, decode
from protocols.ngap.encode import encode
from protocols.ngap.tables import MESSAGES

HEADS = tuple(entry.prefix for entry in MESSAGES.values())


def garbage(rng):
    """Random octets, most of them behind the head of some message, half of those with a length that fits."""
    octets = rng.randbytes(rng.choice((0, 1, 2, 3, 7, 20, 60)))
    match rng.randrange(3):
        case 0:
            return octets
        case 1:
            return rng.choice(HEADS) + octets
        case _:
            body = b"\x00\x00" + bytes((rng.randrange(4),)) + octets
            return rng.choice(HEADS) + bytes((len(body),)) + body


def wound(rng, octets, pool):
    """One wound to a PDU: cut, insert, delete, change, repeat, or a bit that flips."""
    at = rng.randrange(len(octets) + 1)
    match rng.randrange(6):
        case 0:
            octets[at:] = b""
        case 1:
            octets[at:at] = rng.randbytes(rng.randint(1, 3))
        case 2:
            del octets[at : at + rng.randint(1, 3)]
        case 3:
            octets[at : at + 1] = rng.randbytes(1)
        case 4:
            other = rng.choice(pool)
            octets[at:at] = other[rng.randrange(len(other)) :][:20]
        case 5 if at < len(octets):
            octets[at] ^= 1 << rng.randrange(8)


def attack(count, seed):
    """Decode garbage and wounded PDUs and see that each ends as a message or as an Unreadable."""
    rng = Random(seed)
    pool = [encode(GENERATORS[kind](rng)) for kind in ALL for _ in range(5)]
    counters = Counters()
    for number in range(count):
        pdu = garbage(rng)
        if number % 3:
            octets = bytearray(rng.choice(pool))
            for _ in range(rng.randint(1, 4)):
                wound(rng, octets, pool)
            pdu = bytes(octets)
        assert isinstance(decode(pdu, counters), (*ALL, m.Unreadable))
    assert counters.templates + counters.walked + counters.unreadable == count
    return counters


def test_ten_thousand_hostile_pdus_end_as_messages_or_as_unreadable():
    counters = attack(10_000, seed=1)
    assert min(counters.templates, counters.walked, counters.fenced, counters.unreadable) > 0


@pytest.mark.slow
def test_a_hundred_thousand_hostile_pdus_end_as_messages_or_as_unreadable():
    attack(100_000, seed=2)


@pytest.mark.parametrize("kind", ALL, ids=lambda kind: kind.__name__)
def test_one_flipped_bit_gives_what_encodes_the_same_or_was_not_read_by_a_template(kind):
    rng = Random(kind.__name__)
    for message in random_messages(kind, 3, seed=3):
        pdu = encode(message)
        for bit in rng.sample(range(8 * len(pdu)), min(300, 8 * len(pdu))):
            flipped = bytearray(pdu)
            flipped[bit // 8] ^= 1 << bit % 8
            counters = Counters()
            result = decode(bytes(flipped), counters)
            if counters.templates:
                assert encode(result) == flipped, (message, bit)
            else:
                assert counters.walked + counters.unreadable == 1


@pytest.mark.parametrize("kind", ALL, ids=lambda kind: kind.__name__)
def test_a_cut_or_prolonged_pdu_is_unreadable(kind):
    for message in random_messages(kind, 3, seed=4):
        pdu = encode(message)
        for cut in range(len(pdu)):
            assert isinstance(decode(pdu[:cut]), m.Unreadable)
        assert isinstance(decode(pdu + b"\x00"), m.Unreadable)


LARGEST = 2**40 - 1


@pytest.mark.parametrize(
    ("message", "largest", "longer"),
    [
        (
            m.UeContextReleaseCommand(LARGEST, None, causes.NORMAL_RELEASE),
            "0029 0012 000002 0072 0006 60 ffffffffff 000f400140",
            "0029 0013 000002 0072 0007 68 ffffffffffff 000f400140",
        ),
        (
            m.UeContextReleaseCommand(LARGEST, 1, causes.NORMAL_RELEASE),
            "0029 0014 000002 0072 0008 08 ffffffffff 0001 000f400140",
            "0029 0015 000002 0072 0009 0a ffffffffffff 0001 000f400140",
        ),
        (
            m.NgReset(causes.OM_INTERVENTION, ((LARGEST, 1),)),
            "0014 0016 000002 000f400186 0058000a 4001 68 ffffffffff 0001",
            "0014 0017 000002 000f400186 0058000b 4001 6a ffffffffffff 0001",
        ),
    ],
    ids=["AMF ID alone", "both IDs", "list of connections"],
)
def test_an_amf_ue_ngap_id_of_six_octets_is_unreadable(message, largest, longer):
    """Its length has room for eight (X.691 11.5.7.4); who answered with such an ID could not encode it."""
    assert encode(message) == bytes.fromhex(largest)
    assert isinstance(decode(bytes.fromhex(longer)), m.Unreadable)
