"""NGAP octets are pycrate's octets, and NGAP messages are what pycrate reads, on a thousand of each kind."""

import pytest
from ngap_samples import ALL, PDU, declarations_only, decode_with_pycrate, random_messages

from protocols.ngap import messages as m
from protocols.ngap.decode import Counters, _decode_walking, decode
from protocols.ngap.encode import encode

COUNT = 1000


def test_every_message_of_the_contract_has_samples():
    assert set(ALL) == set(m.Message.__args__)


@pytest.mark.parametrize("kind", ALL, ids=lambda kind: kind.__name__)
def test_a_thousand_random_messages_encode_and_decode_as_pycrate_does(kind):
    messages = random_messages(kind, COUNT, seed=1)
    pdus = [encode(message) for message in messages]
    with declarations_only():
        assert pdus == [encode(message) for message in messages]
    for message, pdu in zip(messages, pdus, strict=True):
        by_pycrate, _ = decode_with_pycrate(pdu)
        assert decode(pdu) == by_pycrate == message
        assert type(decode(pdu)) is kind


@pytest.mark.parametrize("kind", ALL, ids=lambda kind: kind.__name__)
def test_the_walker_reads_what_the_templates_read_and_needs_no_pycrate(kind):
    counters = Counters()
    messages = random_messages(kind, 200, seed=1)
    for message in messages:
        walked = _decode_walking(encode(message), counters)
        assert walked == message
        assert type(walked) is kind
    assert counters == Counters(walked=len(messages))


@pytest.mark.parametrize("kind", ALL, ids=lambda kind: kind.__name__)
def test_pycrate_writes_the_same_octets_from_what_it_read(kind):
    for message in random_messages(kind, 20, seed=2):
        pdu = encode(message)
        _, value = decode_with_pycrate(pdu)
        PDU.set_val(value)
        assert PDU.to_aper() == pdu
