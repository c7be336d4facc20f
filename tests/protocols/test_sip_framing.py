"""Messages in a byte stream (RFC 3261 18.3, RFC 5626 4.4.1)."""

from hypothesis import given, settings
from hypothesis import strategies as st
from sip_samples import MESSAGES, REGISTER

from protocols.sip.encode import encode
from protocols.sip.framing import LARGEST_BODY, LARGEST_HEAD, Ping, StreamFraming
from protocols.sip.messages import Unreadable

ALL = list(MESSAGES.values())


@given(st.lists(st.sampled_from(ALL), max_size=6), st.lists(st.integers(1, 900), max_size=20))
@settings(max_examples=50)
def test_messages_come_out_whole_however_the_stream_is_cut(messages, sizes):
    stream = b"".join(map(encode, messages))
    framing = StreamFraming()
    found = []
    for size in sizes:
        found += framing.feed(stream[:size])
        stream = stream[size:]
    assert found + framing.feed(stream) == messages
    assert not framing.broken


def test_octet_by_octet_a_message_appears_with_its_last_one():
    framing = StreamFraming()
    octets = encode(MESSAGES["MESSAGE"])
    assert not any(framing.feed(octets[i : i + 1]) for i in range(len(octets) - 1))
    assert framing.feed(octets[-1:]) == [MESSAGES["MESSAGE"]]


def test_a_double_line_end_is_a_ping_and_a_single_one_is_skipped():
    framing = StreamFraming()
    assert framing.feed(b"\r\n\r\n" + encode(REGISTER) + b"\r\n" + encode(REGISTER)) == [Ping(), REGISTER, REGISTER]
    assert framing.feed(b"\r\n") == []
    assert framing.feed(b"\r") == []
    assert framing.feed(b"\n") == [Ping()]
    assert framing.feed(b"\r\n") + framing.feed(encode(REGISTER)) == [REGISTER]


def test_without_content_length_there_is_no_body():
    framing = StreamFraming()
    first = b"OPTIONS sip:x SIP/2.0\r\nCall-ID: 1\r\n\r\n"
    (message, second) = framing.feed(first + encode(REGISTER))
    assert (message.method, message.body) == ("OPTIONS", b"")
    assert second == REGISTER


def test_after_octets_that_are_no_message_nothing_more_is_read():
    framing = StreamFraming()
    good, bad = framing.feed(encode(REGISTER) + b"GET / HTTP/1.1\r\n\r\n" + encode(REGISTER))
    assert good == REGISTER
    assert isinstance(bad, Unreadable)
    assert framing.broken
    assert framing.feed(encode(REGISTER)) == []


def test_headers_without_an_end_and_bodies_without_measure_break_the_framing():
    endless = StreamFraming()
    assert endless.feed(b"a" * LARGEST_HEAD) == []
    assert isinstance(endless.feed(b"aa")[0], Unreadable)
    huge = StreamFraming()
    (refused,) = huge.feed(b"MESSAGE sip:x SIP/2.0\r\nVia: x\r\nContent-Length: %d\r\n\r\n" % (LARGEST_BODY + 1))
    assert refused.headers.first("Via") == "x"
    assert huge.broken
