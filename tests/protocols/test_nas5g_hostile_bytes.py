"""Whatever octets a peer sends: no exception leaves the codec, and pycrate does not see one of them."""

import sys
from random import Random

import pytest
from nas5g_samples import ALL, FIVEGMM, FIVEGSM, GENERATORS

from protocols.nas5g import messages as m
from protocols.nas5g.decode import decode, decode_5gsm
from protocols.nas5g.encode import encode

FAMILIES = {
    "5GMM": (decode, b"\x7e\x00", range(65, 105), (*FIVEGMM, m.Protected, m.Unreadable)),
    "5GSM": (decode_5gsm, b"\x2e\x01\x01", range(193, 215), (*FIVEGSM, m.Unreadable)),
}


def garbage(rng, family):
    """Random octets, two thirds of them behind a header that leads into a walker."""
    _, header, types, _ = FAMILIES[family]
    start = rng.choice((b"", header + bytes((rng.choice(types),)), header + bytes((rng.choice(types),))))
    return start + rng.randbytes(rng.choice((0, 1, 2, 5, 20, 60)))


def mutated(rng, family):
    """A legal message of the family with up to four wounds."""
    kinds = FIVEGMM if family == "5GMM" else FIVEGSM
    octets = bytearray(encode(GENERATORS[rng.choice(kinds)](rng)))
    for _ in range(rng.randint(1, 4)):
        at = rng.randrange(len(octets) + 1)
        match rng.randrange(5):
            case 0:
                octets[at:] = b""
            case 1:
                octets[at:at] = rng.randbytes(rng.randint(1, 3))
            case 2:
                del octets[at : at + rng.randint(1, 3)]
            case 3:
                octets[at : at + 1] = rng.randbytes(1)
            case 4:
                octets += octets[at : at + rng.randint(1, 20)]
    return bytes(octets)


def attack(family, count, seed):
    """Decode garbage and mutated messages; what is understood can be said again, with the same meaning."""
    decoder, _, _, kinds = FAMILIES[family]
    rng = Random(f"{family} {seed}")
    understood = 0
    for number in range(count):
        octets = (garbage if number % 2 else mutated)(rng, family)
        message = decoder(octets)
        assert type(message) in kinds, octets.hex()
        if isinstance(message, m.Unreadable):
            continue
        understood += 1
        # an accepted session without IPv4 address or DNN is readable, but not ours to write
        if not isinstance(message, m.PduSessionEstablishmentAccept) or (message.address and message.dnn):
            assert decoder(encode(message)) == message, octets.hex()
    return understood


@pytest.mark.parametrize("family", FAMILIES)
def test_ten_thousand_random_and_mutated_messages_decode_to_something(family):
    assert 1_000 < attack(family, 10_000, seed=1) < 9_000


@pytest.mark.slow
@pytest.mark.parametrize("family", FAMILIES)
def test_a_hundred_thousand_random_and_mutated_messages_decode_to_something(family):
    assert 10_000 < attack(family, 100_000, seed=2) < 90_000


@pytest.mark.parametrize("kind", ALL, ids=lambda kind: kind.__name__)
def test_a_message_cut_anywhere_decodes_to_something(kind):
    octets = encode(GENERATORS[kind](Random(kind.__name__)))
    decoder = decode_5gsm if kind in FIVEGSM else decode
    for length in range(len(octets)):
        assert type(decoder(octets[:length])) in (kind, m.Unreadable)


def test_pycrate_never_sees_octets_from_a_peer():
    called = set()

    def note(frame, event, _):
        if event == "call" and "pycrate" in frame.f_code.co_filename:
            called.add(frame.f_code.co_qualname)

    sys.setprofile(note)
    try:
        for family in FAMILIES:
            attack(family, 500, seed=3)
    finally:
        sys.setprofile(None)
    assert not called
