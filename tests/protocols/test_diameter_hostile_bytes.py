"""Whatever octets a peer sends: no exception leaves the codec, and what is read can be written and read again."""

from random import Random

import pytest
from diameter_samples import MESSAGES, random_message

from protocols.diameter.decode import decode
from protocols.diameter.encode import encode, failed_avp, refusal, unsupported
from protocols.diameter.framing import StreamFraming
from protocols.diameter.messages import Message, Unreadable

HEALTHY = [encode(random_message(rng)) for rng in [Random("healthy Diameter")] for _ in range(500)]


def mutated(rng):
    """A legal message with up to four wounds; its length in the header fits again, mostly, so that AVPs are reached."""
    octets = bytearray(rng.choice(HEALTHY))
    for _ in range(rng.randint(1, 4)):
        at = rng.randrange(len(octets) + 1)
        match rng.randrange(6):
            case 0:
                octets[at & ~3 :] = b""
            case 1:
                octets[at & ~3 : at & ~3] = rng.randbytes(4 * rng.randint(1, 3))
            case 2:
                octets[at : at + 1] = rng.randbytes(1)
            case 3:
                octets[at : at + 1] = bytes((rng.choice((0, 1, 0x20, 0x7F, 0x80, 0xC0, 0xFF)),))
            case 4:
                start = at & ~3
                octets += octets[start : start + 4 * rng.randint(1, 10)]
            case 5:
                at = rng.randrange(5, 9)
                octets[at : at + 1] = rng.randbytes(1)
    if rng.random() < 0.9:
        octets[1:4] = len(octets).to_bytes(3, "big")
    return bytes(octets)


def attack(count, seed):
    rng = Random(f"Diameter {seed}")
    understood = 0
    for _ in range(count):
        octets = mutated(rng)
        message = decode(octets)
        assert type(message) in (Message, Unreadable), octets.hex()
        if isinstance(message, Unreadable):
            assert message.result // 1000 in (3, 5)
            answer = refusal(message, "host", "realm")
            assert answer is None or isinstance(decode(encode(answer)), Message | Unreadable)
            continue
        understood += 1
        assert decode(encode(message)) == message, octets.hex()
        strange = unsupported(message)
        assert strange is None or failed_avp(strange).data
    return understood


def test_ten_thousand_mutated_messages_decode_to_something():
    assert 1_000 < attack(10_000, seed=1) < 9_000


@pytest.mark.slow
def test_a_hundred_thousand_mutated_messages_decode_to_something():
    assert 10_000 < attack(100_000, seed=2) < 90_000


def test_a_message_cut_anywhere_is_unreadable():
    for message in MESSAGES:
        octets = encode(message)
        for length in range(len(octets)):
            assert isinstance(decode(octets[:length]), Unreadable)


def test_random_octets_decode_to_something():
    rng = Random("Diameter octets")
    for _ in range(2_000):
        assert isinstance(decode(rng.randbytes(rng.randint(0, 80))), Unreadable)


def test_a_stream_of_mutated_messages_ends_in_messages_or_a_broken_framing():
    rng = Random("Diameter stream")
    for _ in range(300):
        framing = StreamFraming()
        octets = b"".join(mutated(rng) for _ in range(3))
        while octets:
            size = rng.randint(1, 700)
            for whole in framing.feed(octets[:size]):
                assert isinstance(decode(whole), Message | Unreadable)
            octets = octets[size:]
