"""The codec and pycrate agree: the same octets from the same values, the same values from the same octets."""

import pytest
from nas5g_samples import ALL, random_messages, seen_by_pycrate

from protocols.nas5g.declared import build, parse
from protocols.nas5g.encode import encode
from protocols.nas5g.warm import REGISTRATION, decode_any, warm

INPUTS = 1000


@pytest.mark.parametrize("kind", ALL, ids=lambda kind: kind.__name__)
def test_encoder_and_decoder_agree_with_pycrate_on_a_thousand_random_messages(kind):
    for message in random_messages(kind, INPUTS):
        octets = encode(message)
        assert octets == build(message), message
        assert decode_any(octets) == seen_by_pycrate(kind, parse(octets)) == message


def test_every_message_of_a_registration_passes_the_check_at_start_up():
    warm()


@pytest.mark.parametrize("name", REGISTRATION)
def test_named_samples_decode_to_what_they_were_made_of(name):
    assert decode_any(encode(REGISTRATION[name])) == REGISTRATION[name]
