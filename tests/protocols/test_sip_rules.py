"""What single SIP messages and header fields mean, rule by rule (RFC 3261, RFC 3310, TS 24.229)."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sip_samples import HOME, MESSAGES, PRIVATE, REGISTER, RES

from protocols.digest import Challenge, verifies
from protocols.sip import fields
from protocols.sip.authentication import (
    challenges,
    chosen,
    credentials,
    read_challenges,
    read_credentials,
)
from protocols.sip.decode import decode
from protocols.sip.encode import answer, encode
from protocols.sip.fields import Address, CSeq, RetryAfter, SecurityMechanism, SipUri, Via
from protocols.sip.grammar import Parameters, listed, parameters, quoted, unquoted
from protocols.sip.messages import Headers, Request, Response, Unreadable


def sip(*lines, body=b""):
    return "\r\n".join((*lines, "", "")).encode() + body


# --- messages -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", MESSAGES)
def test_a_message_is_read_as_it_was_meant(name):
    assert decode(encode(MESSAGES[name])) == MESSAGES[name]


def test_the_octets_of_a_register_are_the_lines_that_one_would_write():
    octets = encode(Request("REGISTER", "sip:home", Headers((("Call-ID", "1"), ("Max-Forwards", "70"))), b"ab"))
    assert octets == b"REGISTER sip:home SIP/2.0\r\nCall-ID: 1\r\nMax-Forwards: 70\r\nContent-Length: 2\r\n\r\nab"


def test_compact_forms_and_any_capitals_are_the_same_header():
    """RFC 3261 7.3.1, 7.3.3."""
    message = decode(
        sip("OPTIONS sip:x SIP/2.0", "v: SIP/2.0/UDP a", "i:1", "cSeQ : 1 OPTIONS", "M: *", "x-a: 1", "L: 0")
    )
    assert message.headers == (
        ("Via", "SIP/2.0/UDP a"),
        ("Call-ID", "1"),
        ("CSeq", "1 OPTIONS"),
        ("Contact", "*"),
        ("X-A", "1"),
    )


def test_a_folded_header_is_one_line_with_a_space():
    """RFC 3261 7.3.1; a folded WWW-Authenticate with several challenges is a peer's real one."""
    message = decode(
        sip(
            "SIP/2.0 401 Unauthorized",
            'WWW-Authenticate: Digest realm="a",',
            ' \t nonce="n1",  ',
            "\talgorithm=MD5",
            "Subject: I know you're there,",
            " pick up",
        )
    )
    assert message.headers.first("Subject") == "I know you're there, pick up"
    assert read_challenges(message.headers.first("WWW-Authenticate")) == [Challenge("a", "n1", "MD5")]


@pytest.mark.parametrize("line", ["Subject:   x\t", "Subject: x  ", "Subject:x", "Subject\t: \tx", "Subject:\r\n x"])
def test_white_space_around_a_header_value_is_no_part_of_it(line):
    message = decode(sip("OPTIONS sip:x SIP/2.0", "Call-ID: 1", line, "Content-Length: 0"))
    assert message.headers == (("Call-ID", "1"), ("Subject", "x"))


def test_of_several_challenges_aka_is_taken():
    response = decode(
        sip(
            "SIP/2.0 401 Unauthorized",
            'WWW-Authenticate: Basic realm="x"',
            'WWW-Authenticate: Digest realm="a", nonce="n1", algorithm=MD5, qop="auth,auth-int"',
            'WWW-Authenticate: Digest realm="b",\r\n nonce="n2", algorithm=AKAv1-MD5, opaque="o", stale=TRUE',
        )
    )
    offered = challenges(response)
    assert offered[0] == Challenge("a", "n1", "MD5", ("auth", "auth-int"))
    assert chosen(offered) == Challenge("b", "n2", "AKAv1-MD5", opaque="o", stale=True)
    assert chosen(offered[:1]) == offered[0]
    assert chosen([Challenge("a", "n", "SHA-256")]) is None


def test_several_challenges_in_one_header_field_are_read_as_several():
    text = 'Digest realm="a", nonce="n1", Digest realm="b", nonce="n2", algorithm="AKAv1-MD5"'
    assert read_challenges(text) == [Challenge("a", "n1"), Challenge("b", "n2", "AKAv1-MD5")]


def test_repeated_headers_and_lists_are_the_same():
    """RFC 3261 7.3.1."""
    apart = Headers((("Route", "<sip:a;lr>"), ("Subject", "x"), ("Route", "<sip:b,c>")))
    together = Headers((("Route", "<sip:a;lr>,  <sip:b,c>"),))
    assert apart.listed("Route") == together.listed("Route") == ["<sip:a;lr>", "<sip:b,c>"]
    assert apart.every("Route") == ["<sip:a;lr>", "<sip:b,c>"]


def test_headers_change_into_other_headers():
    headers = Headers((("Via", "1"), ("To", "a"), ("Via", "2")))
    assert headers.replaced("Via", "3") == (("Via", "3"), ("To", "a"))
    assert headers.replaced("CSeq", "1 A")[-1] == ("CSeq", "1 A")
    assert headers.without("Via") == (("To", "a"),)
    assert headers.before((("Via", "0"),)).every("Via") == ["0", "1", "2"]
    assert headers.after((("Route", "r"),)).first("Route") == "r"
    assert headers.first("Route") is None
    assert len(headers) == 3


@pytest.mark.parametrize(
    ("octets", "status"),
    [
        (b"", 400),
        (b"\r\n\r\n", 400),
        (sip("REGISTER sip:x SIP/2.0", "no header"), 400),
        (sip("REGISTER sip:x SIP/2.0", "b@d: x"), 400),
        (sip("REGISTER sip:x SIP/2.0", "Subject: a\nVia: b"), 400),
        (sip("REGISTER  sip:x SIP/2.0"), 400),
        (sip("REGISTER sip:x"), 400),
        (sip("SIP/2.0 99 Too low"), 400),
        (sip("SIP/2.0 abc"), 400),
        (sip("REGISTER sip:x SIP/3.0"), 505),
        (sip("REGISTER sip:x SIP/2.0", "Content-Length: -1"), 400),
        (sip("REGISTER sip:x SIP/2.0", "Content-Length: 5", body=b"four"), 400),
        (sip("REGISTER sip:x SIP/2.0", "Content-Length: 1", "l: 2", body=b"ab"), 400),
        (b"REGISTER sip:x SIP/2.0\r\nVia: x", 400),
    ],
)
def test_what_is_no_message_is_unreadable_with_the_answer_to_give(octets, status):
    message = decode(octets)
    assert isinstance(message, Unreadable)
    assert message.status == status


def test_an_unreadable_request_keeps_the_headers_that_its_answer_needs():
    bad = decode(sip("REGISTER sip:x SIP/3.0", "Via: SIP/2.0/UDP a;branch=z9hG4bK1", "Call-ID: 7", "X: y"))
    refused = answer(bad, bad.status)
    assert (refused.status, refused.reason) == (505, "Version Not Supported")
    assert refused.headers == (("Via", "SIP/2.0/UDP a;branch=z9hG4bK1"), ("Call-ID", "7"))


def test_octets_behind_content_length_are_no_part_of_a_datagram():
    """RFC 3261 18.3; without Content-Length the body ends with the datagram."""
    assert decode(sip("MESSAGE sip:x SIP/2.0", "Content-Length: 2", body=b"abcd")).body == b"ab"
    assert decode(sip("MESSAGE sip:x SIP/2.0", body=b"abcd")).body == b"abcd"


def test_line_ends_before_a_message_are_ignored():
    """RFC 3261 7.5."""
    assert decode(b"\r\n\r\n" + encode(REGISTER)) == REGISTER
    assert decode(b"\r\n" + encode(REGISTER)) == REGISTER


def test_octets_that_are_no_utf_8_come_through_unchanged():
    octets = b"MESSAGE sip:x SIP/2.0\r\nSubject: \xff\xfe\x80\r\nContent-Length: 0\r\n\r\n"
    assert encode(decode(octets)) == octets


@pytest.mark.parametrize("value", ["a\r\nVia: b", "a\nb", "a\rb"])
def test_a_line_end_in_a_header_value_is_not_written(value):
    with pytest.raises(ValueError, match="line end"):
        encode(Request("REGISTER", "sip:x", Headers((("Subject", value),))))


def test_an_answer_copies_what_it_must_and_tags_to_once():
    """RFC 3261 8.2.6.2."""
    response = answer(REGISTER, 503, to_tag="t1", fields=(("Retry-After", "30"),))
    assert (response.status, response.reason) == (503, "Service Unavailable")
    assert response.headers.every("Via") == REGISTER.headers.every("Via")
    for name in ("From", "Call-ID", "CSeq"):
        assert response.headers.first(name) == REGISTER.headers.first(name)
    assert fields.address(response, "To").tag == "t1"
    assert response.headers.first("Contact") is None
    assert fields.retry_after(response) == RetryAfter(30)
    tagged = REGISTER._replace(headers=REGISTER.headers.replaced("To", "<sip:a@b;tag=no>; Tag = mine"))
    assert fields.address(answer(tagged, 200, to_tag="t2"), "To").tag == "mine"
    assert fields.address(answer(REGISTER, 100), "To").tag is None


def test_a_re_register_keeps_its_call_id_and_counts_cseq_up():
    """RFC 3261 10.2.4: what the values allow a UE to do."""
    number = fields.cseq(REGISTER)
    again = REGISTER._replace(
        headers=REGISTER.headers.replaced("CSeq", number._replace(number=number.number + 1).text())
    )
    assert fields.cseq(decode(encode(again))) == CSeq(3, "REGISTER")
    assert again.headers.first("Call-ID") == REGISTER.headers.first("Call-ID")


@pytest.mark.parametrize("name", ["Via", "Call-ID", "CSeq", "From", "To"])
def test_a_request_without_a_header_that_every_request_has_is_flawed(name):
    assert fields.flaw(REGISTER) is None
    assert name in fields.flaw(REGISTER._replace(headers=REGISTER.headers.without(name)))


def test_a_request_whose_cseq_names_another_method_is_flawed():
    assert fields.flaw(REGISTER._replace(method="MESSAGE")) == "CSeq"


# --- Retry-After --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("5", RetryAfter(5)),
        ("120 (I'm in a meeting)", RetryAfter(120, None, "I'm in a meeting")),
        ("18000;duration=3600", RetryAfter(18000, 3600)),
        ("3600;foo", RetryAfter(3600)),
        ("120 (overload);duration=600", RetryAfter(120, 600, "overload")),
        ("120(a (nested\\) one), b);foo=bar ; duration = 7", RetryAfter(120, 7, "a (nested) one), b")),
        ("60 (never closed;duration=5", RetryAfter(60)),
        ('60;x="never closed', RetryAfter(60)),
        ("007", RetryAfter(7)),
        ("99999999999999999999", RetryAfter(2**32 - 1)),
        ("0", RetryAfter(0)),
    ],
)
def test_retry_after_is_its_leading_number_of_seconds(text, value):
    """RFC 3261 20.33: comment and parameters say something else, and 5 is five seconds."""
    assert RetryAfter.read(text) == value


@pytest.mark.parametrize("text", ["", "soon", "-5", "(5)", ";duration=5", "٣", "Fri, 31 Dec 1999 23:59:59 GMT"])
def test_what_does_not_start_with_a_number_is_no_retry_after(text):
    assert RetryAfter.read(text) is None


@given(st.integers(0, 2**32 - 1), st.none() | st.integers(0, 10**6), st.none() | st.text('a ()\\,;"', min_size=1))
def test_a_retry_after_is_read_as_it_was_written(seconds, duration, comment):
    value = RetryAfter(seconds, duration, comment)
    assert RetryAfter.read(value.text()) == value


# --- other fields -------------------------------------------------------------------------------------------------


def test_via_tells_the_way_back():
    via = Via.read("SIP / 2.0 / udp first.example.com : 4000 ;ttl=16;branch=z9hG4bKa7c6;received=192.0.2.1")
    assert (via.transport, via.host, via.port) == ("UDP", "first.example.com", 4000)
    assert (via.branch, via.parameters.get("received")) == ("z9hG4bKa7c6", "192.0.2.1")
    assert Via.read("SIP/2.0/UDP [2001:db8::9:1]").sent_by == "[2001:db8::9:1]:5060"
    assert Via.read("SIP/2.0/UDP A.B").sent_by == Via.read("SIP/2.0/UDP a.b:5060").sent_by
    assert fields.top_via(REGISTER).branch == "z9hG4bK776asdhds"
    assert fields.top_via(REGISTER._replace(headers=REGISTER.headers.without("Via"))) is None
    joined = Headers((("Via", "SIP/2.0/UDP a;branch=1, SIP/2.0/UDP b"),))
    assert fields.top_via(REGISTER._replace(headers=joined)).host == "a"
    for broken in ("", "SIP/2.0/UDP", "SIP/1.0/UDP a", "SIP/2.0/UDP a b", 'SIP/2.0/UDP a;x="'):
        assert Via.read(broken) is None


def test_a_via_with_received_and_rport_filled_in_is_still_the_same_hop():
    via = fields.top_via(REGISTER)
    filled = via._replace(parameters=via.parameters.replaced("rport", "40000").replaced("received", "192.0.2.7"))
    assert filled.text() == "SIP/2.0/TCP 10.0.0.1:5060;branch=z9hG4bK776asdhds;rport=40000;received=192.0.2.7"
    assert Via.read(filled.text()).branch == via.branch


def test_an_address_with_brackets_keeps_the_parameters_of_its_uri():
    """RFC 3261 20.10: without brackets they are the header's."""
    assert Address.read("sip:a@b;tag=1") == Address("sip:a@b", Parameters((("tag", "1"),)))
    assert Address.read("<sip:a@b;lr>;tag=1") == Address("sip:a@b;lr", Parameters((("tag", "1"),)))
    assert Address.read('"A. \\"B\\" <C>" <sip:a@b> ;tag=1').display == 'A. "B" <C>'
    assert Address.read("Anna B <sip:a@b>").display == "Anna B"
    assert Address.read("*") == Address("*")
    assert Address("*").text() == "*"
    for broken in ("", "<sip:a@b", "<>", '"A <sip:a@b>', "no uri", 'sip:a@b;x="'):
        assert Address.read(broken) is None


def test_contacts_paths_and_associated_uris_are_lists_of_addresses():
    (contact,) = fields.addresses(REGISTER, "Contact")
    assert contact.parameters.get("+sip.instance") == "<urn:gsma:imei:35123456-789012-0>"
    assert fields.contact_expires_s(REGISTER, contact) == 600_000
    assert fields.contact_expires_s(REGISTER, Address("sip:x")) == 600_000
    assert [one.uri for one in fields.addresses(MESSAGES["200"], "P-Associated-URI")] == [
        f"sip:{PRIVATE}",
        "tel:+1555000001",
    ]
    assert fields.addresses(MESSAGES["200"], "Service-Route")[0].uri == f"sip:orig@scscf.{HOME};lr"
    assert fields.addresses(REGISTER, "Path")[0].uri.startswith("sip:term@")
    assert fields.addresses(REGISTER, "Route") == ()
    assert fields.min_expires_s(MESSAGES["423"]) == 3600
    assert fields.expires_s(MESSAGES["503"]) is None


def test_a_sip_uri_comes_apart_and_together():
    uri = SipUri.read("sip:alice:secret@example.com:5070;transport=tcp;lr?subject=x")
    assert (uri.user, uri.host, uri.port) == ("alice:secret", "example.com", 5070)
    assert uri.parameters.get("transport") == "tcp"
    assert uri.parameters.has("lr")
    assert uri.text() == "sip:alice:secret@example.com:5070;transport=tcp;lr"
    assert SipUri.read("SIPS:[2001:db8::1]") == SipUri("[2001:db8::1]", scheme="sips")
    for other in ("tel:+1", "sip:", "sip:a@", "sip:a b", "http://a"):
        assert SipUri.read(other) is None


@pytest.mark.parametrize("text", ["", "1", "REGISTER", "-1 REGISTER", "2147483648 REGISTER", "1 RE GISTER", "1 b@d"])
def test_what_is_no_number_and_method_is_no_cseq(text):
    assert CSeq.read(text) is None


def test_security_mechanisms_are_read_with_their_parameters():
    """RFC 3329 2.2."""
    (mechanism,) = fields.security_mechanisms(REGISTER, "Security-Client")
    assert mechanism.name == "ipsec-3gpp"
    assert mechanism.parameters.get("spi-c") == "1"
    assert SecurityMechanism.read(mechanism.text()) == mechanism
    assert SecurityMechanism.read(";q=1") is None


def test_commas_in_quotes_and_brackets_separate_nothing():
    assert listed('"a, b" <sip:x,y>;p="q,r", <sip:z>, ,') == ['"a, b" <sip:x,y>;p="q,r"', "<sip:z>"]
    assert listed('<sip:a>, "never closed') == ['<sip:a>, "never closed']
    assert listed("") == []


def test_parameters_are_found_whatever_their_capitals_and_quotes():
    found = parameters(' Tag=a ; flag;q="x;y\\"z" ;;')
    assert found == (("Tag", "a"), ("flag", None), ("q", '"x;y\\"z"'))
    assert (found.get("tag"), found.get("flag"), found.get("q"), found.get("none")) == ("a", None, 'x;y"z', None)
    assert found.has("flag")
    assert not found.has("none")
    assert parameters('a="b') is None


@given(st.text())
def test_a_quoted_string_says_what_was_quoted(text):
    assert unquoted(quoted(text)) == text


# --- credentials --------------------------------------------------------------------------------------------------


def test_the_credentials_of_a_register_verify_with_res():
    said = credentials(decode(encode(REGISTER)))
    assert said.username == PRIVATE
    assert said.nonce_count == 1
    assert verifies(said, RES, "REGISTER")


def test_the_first_register_has_credentials_with_an_empty_response():
    """TS 24.229 5.1.1.2.1."""
    said = read_credentials(f'Digest username="{PRIVATE}",realm="{HOME}",nonce="",uri="sip:{HOME}",response=""')
    assert (said.username, said.nonce, said.response) == (PRIVATE, "", "")
    assert not verifies(said, b"", "REGISTER")


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Digest",
        "Basic dXNlcg==",
        'Digest username="a", realm="b", nonce="c", uri="d"',
        'Digest username="a", realm="b", nonce="c", uri="d", response="e", nc=1',
        'Digest username="a", realm="b", nonce="c", uri="d", response="e',
        'username="a", realm="b", nonce="c", uri="d", response="e"',
    ],
)
def test_broken_credentials_are_none(text):
    assert read_credentials(text) is None


def test_a_response_reason_may_be_empty_or_of_several_words():
    assert decode(sip("SIP/2.0 200 ")) == Response(200, "", Headers())
    assert decode(sip("sip/2.0 200")) == Response(200, "", Headers())
    assert decode(sip("SIP/2.0 504 Server Time-out  x")).reason == "Server Time-out  x"
