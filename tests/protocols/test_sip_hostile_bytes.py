"""Whatever octets a peer sends: no exception leaves the codec, and what is read can be written and read again."""

import time
from random import Random

import pytest
from sip_samples import MESSAGES, random_message

from protocols.sip import authentication, fields
from protocols.sip.decode import decode
from protocols.sip.encode import answer, encode
from protocols.sip.framing import Ping, StreamFraming
from protocols.sip.messages import Headers, Request, Response, Unreadable
from protocols.sip.server_transactions import server_key
from protocols.sip.transactions import client_key

SIGNS = (
    b"\r\n",
    b"\n",
    b"\r",
    b" ",
    b"\t",
    b":",
    b";",
    b",",
    b'"',
    b"\\",
    b"<",
    b">",
    b"(",
    b")",
    b"=",
    b"\0",
    b"\xff",
)
KINDS = {
    "Via": fields.Via,
    "From": fields.Address,
    "To": fields.Address,
    "Contact": fields.Address,
    "Path": fields.Address,
    "Security-Client": fields.SecurityMechanism,
    "CSeq": fields.CSeq,
}
HEALTHY = [encode(random_message(rng)) for rng in [Random("healthy SIP")] for _ in range(300)]


def mutated(rng):
    """A legal message with up to five wounds, most of them by signs that mean something."""
    octets = bytearray(rng.choice(HEALTHY))
    for _ in range(rng.randint(1, 5)):
        at = rng.randrange(len(octets) + 1)
        match rng.randrange(6):
            case 0:
                octets[at:] = b""
            case 1:
                octets[at:at] = rng.choice(SIGNS)
            case 2:
                del octets[at : at + rng.randint(1, 3)]
            case 3:
                octets[at : at + 1] = rng.choice(SIGNS)
            case 4:
                octets[at : at + 1] = rng.randbytes(1)
            case 5:
                octets[at:at] = octets[at // 2 : at // 2 + rng.randint(1, 40)]
    return bytes(octets)


def look_into(message):
    """Asks for everything that fields.py and authentication.py can say about a message."""
    for name, kind in KINDS.items():
        for element in message.headers.listed(name):
            value = kind.read(element)
            assert value is None or kind.read(value.text()) == value, element
            fields.SipUri.read(element)
        fields.address(message, name)
    fields.security_mechanisms(message, "Security-Client")
    for contact in fields.addresses(message, "Contact"):
        fields.contact_expires_s(message, contact)
    fields.cseq(message), fields.retry_after(message), fields.min_expires_s(message)
    said = authentication.credentials(message)
    assert said is None or authentication.read_credentials(authentication.credentials_text(said)) == said
    authentication.chosen(authentication.challenges(message))
    client_key(message)
    if isinstance(message, Request):
        fields.flaw(message), server_key(message)


def attack(count, seed):
    rng = Random(f"SIP {seed}")
    understood = 0
    for _ in range(count):
        octets = mutated(rng)
        message = decode(octets)
        assert type(message) in (Request, Response, Unreadable), octets
        if isinstance(message, Unreadable):
            assert 400 <= message.status <= 505
            if message.headers.first("Via"):
                assert isinstance(decode(encode(answer(message, message.status, "t"))), Response), octets
            continue
        understood += 1
        assert decode(encode(message)) == message, octets
        look_into(message)
    return understood


def test_ten_thousand_mutated_messages_decode_to_something():
    assert 1_000 < attack(10_000, seed=1) < 9_000


@pytest.mark.slow
def test_a_hundred_thousand_mutated_messages_decode_to_something():
    assert 10_000 < attack(100_000, seed=2) < 90_000


def test_a_message_cut_anywhere_decodes_to_something():
    for message in MESSAGES.values():
        octets = encode(message)
        for length in range(len(octets)):
            assert isinstance(decode(octets[:length]), Unreadable)


def test_a_stream_of_mutated_messages_ends_in_messages_or_a_broken_framing():
    rng = Random("SIP stream")
    broken = 0
    for _ in range(300):
        framing = StreamFraming()
        octets = b"".join(mutated(rng) for _ in range(3))
        while octets:
            size = rng.randint(1, 700)
            items = framing.feed(octets[:size])
            octets = octets[size:]
            assert all(type(item) in (Request, Response, Ping) for item in items[:-1])
            if items and isinstance(items[-1], Unreadable):
                assert framing.broken
        broken += framing.broken
    assert 30 < broken < 290


@pytest.mark.parametrize(
    "evil", ['"', "<", "(", "\\", "a=", "a=b,", ";", ",", '"\\', "a<", "<>", " ", ":", "0", "((\\"]
)
def test_a_long_header_of_one_sign_takes_no_more_than_its_length_asks(evil):
    """Linear time. A quadratic reader would copy or visit 10¹⁰ octets; this takes well under a second."""
    text = evil * (200_000 // len(evil))
    names = ("Contact", "Via", "Retry-After", "Authorization", "WWW-Authenticate")
    message = Request("REGISTER", "sip:x", Headers((name, text) for name in names))
    start = time.process_time()
    look_into(message)
    assert time.process_time() - start < 5
