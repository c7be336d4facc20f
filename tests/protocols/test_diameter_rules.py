"""What single Diameter messages mean on the wire, rule by rule (RFC 6733, TS 29.229, TS 29.329, TS 29.272)."""

from random import Random

import pytest
from diameter_samples import CONTENTS, MESSAGES, OK, PRIVATE, PUBLIC, REALM, UNKNOWN, enveloped, name_of
from hypothesis import given
from hypothesis import strategies as st

from protocols.diameter import base, cx, s6a, sh
from protocols.diameter import numbers as n
from protocols.diameter.avps import KNOWN
from protocols.diameter.commands import read_result
from protocols.diameter.decode import decode
from protocols.diameter.encode import answer_to, encode, failed_avp, is_base, refusal, unsupported
from protocols.diameter.framing import LARGEST_MESSAGE, StreamFraming
from protocols.diameter.layouts import ExperimentalResult, Malformed, RawAvp, avp_octets, split
from protocols.diameter.messages import LAYOUTS, Header, Identifiers, Message, Other, Unreadable
from protocols.identities import Plmn

UAR = enveloped(cx.UserAuthorizationRequest(PRIVATE, PUBLIC, b"visited"))
DWR = enveloped(base.DeviceWatchdogRequest())


def octets(text):
    return bytes.fromhex(text)


def flags(message):
    return encode(message)[4]


def with_avps(*avps, start=UAR):
    """The octets of a request with other AVPs behind its header."""
    body = b"".join(avps)
    header = encode(start)[:20]
    return header[:1] + (20 + len(body)).to_bytes(3, "big") + header[4:] + body


def without(code, start=UAR):
    """The octets of a message without an AVP."""
    kept = [
        avp_octets(key & 0xFFFFFFFF, key >> 32, word & 0x40000000, data)
        for key, several in split(encode(start), 20).items()
        for word, data in several
        if key & 0xFFFFFFFF != code
    ]
    return with_avps(*kept, start=start)


# --- the shape of a message (RFC 6733 3, 4.1) ---------------------------------------------------------------------


@pytest.mark.parametrize("message", MESSAGES, ids=name_of)
def test_a_message_is_read_as_it_was_meant(message):
    assert decode(encode(message)) == message


def test_there_is_a_sample_of_every_command():
    assert {type(content) for content in CONTENTS} == set(LAYOUTS)


def test_a_watchdog_is_these_octets():
    assert encode(DWR) == octets(
        "01000038 80000118 00000000 00000001 00000002"
        "00000108 40000014 6e6f64652e6578616d706c65"
        "00000128 4000000f 6578616d706c6500"
    )


@pytest.mark.parametrize("length", range(9))
def test_an_avp_is_padded_to_four_octets_and_its_length_does_not_say_so(length):
    data = b"x" * length
    for vendor, header in ((0, 8), (10415, 12)):
        avp = avp_octets(1, vendor, 0x40000000, data)
        assert len(avp) % 4 == 0
        assert int.from_bytes(avp[5:8], "big") == header + length
        assert split(avp + avp) == {vendor << 32 | 1: [(int.from_bytes(avp[4:8], "big"), data)] * 2}


def test_requests_of_applications_are_proxiable_and_those_between_peers_are_not():
    assert flags(UAR) == 0xC0
    assert flags(DWR) == 0x80
    assert not is_base(UAR)
    assert is_base(DWR)
    assert flags(UAR._replace(retransmitted=True)) == 0xD0
    assert decode(encode(UAR._replace(retransmitted=True))).retransmitted


def test_session_id_is_the_first_avp():
    """RFC 6733 8.8."""
    assert encode(UAR)[20:24] == octets("00000107")


def test_codes_are_looked_up_with_their_vendor():
    """621 is OC-Supported-Features of the IETF and Primary-Charging-Collection-Function-Name of 3GPP."""
    overload = RawAvp(621, b"\0\0\0\0", mandatory=False)
    message = enveloped(
        cx.ServerAssignmentAnswer(OK, PRIVATE, charging=cx.ChargingInformation(None, "aaa://ccf")), others=(overload,)
    )
    assert decode(encode(message)) == message
    foreign = RawAvp(602, b"not a server name", vendor=99)
    answer = enveloped(cx.UserAuthorizationAnswer(OK), others=(foreign,))
    assert decode(encode(answer)).content.server_name is None


def test_only_these_avps_go_without_the_m_bit():
    """RFC 6733 4.5 (267, 269, 281, 294), RFC 7944 (301), RFC 7683 (621, 623): a peer may pass over them."""
    optional = {kind.code for kind in KNOWN.values() if not kind.mandatory}
    assert optional == {267, 269, 281, 294, 301, 621, 623}
    product = split(encode(enveloped(base.CapabilitiesExchangeRequest((), "x"))), 20)[269]
    assert product == [(9, b"x")]


# --- results ------------------------------------------------------------------------------------------------------


def test_an_answer_has_a_result_code_or_an_experimental_one():
    first = enveloped(cx.UserAuthorizationAnswer(UNKNOWN))
    assert decode(encode(first)).content.result == ExperimentalResult(n.ExperimentalResultCode.USER_UNKNOWN, 10415)
    assert decode(encode(enveloped(cx.UserAuthorizationAnswer(OK)))).content.result is n.ResultCode.SUCCESS
    with pytest.raises(Malformed):
        read_result({})


@pytest.mark.parametrize(
    ("result", "expected"),
    [
        (n.ResultCode.SUCCESS, 0x40),
        (n.ResultCode.TOO_BUSY, 0x60),
        (n.ResultCode.UNABLE_TO_DELIVER, 0x60),
        (n.ResultCode.UNABLE_TO_COMPLY, 0x40),
        (UNKNOWN, 0x40),
        (ExperimentalResult(n.ExperimentalResultCode(3001)), 0x40),
    ],
)
def test_only_a_protocol_error_sets_the_e_bit(result, expected):
    """RFC 6733 7.1.3."""
    assert flags(enveloped(cx.UserAuthorizationAnswer(result))) == expected


def test_an_error_of_an_agent_needs_no_session():
    """RFC 6733 7.2."""
    busy = enveloped(cx.UserAuthorizationAnswer(n.ResultCode.TOO_BUSY), session_id=None)
    assert decode(encode(busy)) == busy
    fine = enveloped(cx.UserAuthorizationAnswer(OK), session_id=None)
    assert decode(encode(fine)).result is n.ResultCode.MISSING_AVP


@pytest.mark.parametrize("number", [0, 2999, 5999, 2**32 - 1])
def test_a_result_of_tomorrow_is_kept_and_does_not_stay(number):
    result = n.ResultCode(number)
    assert (result, result.name) == (number, f"VALUE_{number}")
    message = enveloped(cx.LocationInfoAnswer(result))
    assert decode(encode(message)).content.result == result
    assert number not in n.ResultCode._value2member_map_


@pytest.mark.parametrize("value", [-1, 2**32, "x"])
def test_what_is_no_32_bit_number_is_no_result(value):
    with pytest.raises(ValueError, match="is not a valid ResultCode"):
        n.ResultCode(value)


# --- what is not there, or too often, or wrong --------------------------------------------------------------------


@pytest.mark.parametrize("code", [263, 264, 296, 283, 1, 600, 601])
def test_a_request_without_an_avp_that_it_must_have_is_answered_missing_avp(code):
    unreadable = decode(without(code))
    assert isinstance(unreadable, Unreadable)
    assert unreadable.result is n.ResultCode.MISSING_AVP
    assert unreadable.header == Header(300, n.Application.CX, True, True, 1, 2)


@pytest.mark.parametrize("code", [260, 277, 293, 623])
def test_a_request_without_other_avps_is_read(code):
    assert decode(without(code)).content == UAR.content


def test_an_avp_that_may_stand_once_and_stands_twice_is_refused():
    twice = encode(UAR._replace(others=(RawAvp(1, b"again"),)))
    assert decode(twice).result is n.ResultCode.AVP_OCCURS_TOO_MANY_TIMES


@pytest.mark.parametrize(
    ("data", "result"),
    [
        (b"", n.ResultCode.INVALID_MESSAGE_LENGTH),
        (encode(UAR)[:-4], n.ResultCode.INVALID_MESSAGE_LENGTH),
        (b"\x02" + encode(UAR)[1:], n.ResultCode.UNSUPPORTED_VERSION),
        (encode(UAR)[:4] + b"\xe0" + encode(UAR)[5:], n.ResultCode.INVALID_HDR_BITS),
        (with_avps(octets("00000108 40000040 61626364")), n.ResultCode.INVALID_AVP_LENGTH),
        (with_avps(octets("00000108 40000007 61626364")), n.ResultCode.INVALID_AVP_LENGTH),
        (with_avps(octets("00000108 c0000008")), n.ResultCode.INVALID_AVP_LENGTH),
        (with_avps(octets("00000108")), n.ResultCode.INVALID_AVP_LENGTH),
        (with_avps(octets("00000108 4000000a fffe0000")), n.ResultCode.INVALID_AVP_VALUE),
    ],
)
def test_what_cannot_be_read_says_which_result_to_answer(data, result):
    unreadable = decode(data)
    assert isinstance(unreadable, Unreadable)
    assert unreadable.result is result


@pytest.mark.parametrize(
    "avp",
    [
        RawAvp(623, b"\0\0\0", 10415),  # User-Authorization-Type of three octets
        RawAvp(603, b"\0\0", 10415),  # Server-Capabilities that is no group
    ],
    ids=["enumerated", "group"],
)
def test_a_value_that_its_form_does_not_allow_is_refused(avp):
    start = enveloped(cx.UserAuthorizationAnswer(OK)) if avp.code == 603 else UAR
    data = without(avp.code, start) + avp.octets()
    data = data[:1] + len(data).to_bytes(3, "big") + data[4:]
    assert decode(data).result is n.ResultCode.INVALID_AVP_LENGTH


def test_a_refusal_carries_the_identifiers_and_the_result():
    answer = refusal(decode(without(601)), "hss", "realm")
    assert answer.content == Other(300, n.Application.CX, False)
    read = decode(encode(answer))
    assert read.content == cx.UserAuthorizationAnswer(n.ResultCode.MISSING_AVP)
    assert (read.hop_by_hop, read.end_to_end, read.session_id) == (1, 2, UAR.session_id)
    too_short = decode(b"")
    assert refusal(too_short, "hss", "realm") is None
    assert refusal(decode(without(268, enveloped(cx.LocationInfoAnswer(OK)))), "hss", "realm") is None
    unknown_version = decode(b"\x02" + encode(UAR)[1:])
    assert refusal(unknown_version, "hss", "realm").others == (RawAvp(268, (5011).to_bytes(4, "big")),)


# --- what is not known --------------------------------------------------------------------------------------------


def test_a_command_that_nobody_knows_keeps_its_avps():
    message = Message(
        Other(999, 4, True), 1, 2, "a", "b", "s", "r", others=(RawAvp(1, b"user"), RawAvp(5, b"", 7, False))
    )
    assert decode(encode(message)) == message
    assert encode(message)[4] == 0xC0


def test_a_known_command_in_another_application_is_another_command():
    data = bytearray(encode(UAR))
    data[8:12] = n.Application.SH.to_bytes(4, "big")
    assert decode(bytes(data)).content == Other(300, n.Application.SH, True)


def test_an_unknown_avp_with_the_m_bit_is_unsupported_and_others_are_not():
    """RFC 6733 4.1, 7.1.5, 7.5. Agents add Route-Record to requests, and some to answers."""
    routed = UAR._replace(others=(RawAvp(282, b"dra.example"), RawAvp(77_777, b"x", 10415, mandatory=False)))
    assert decode(encode(routed)) == routed
    assert unsupported(routed) is None
    strange = RawAvp(77_777, b"x", 10415)
    culprit = unsupported(decode(encode(UAR._replace(others=(strange,)))))
    assert culprit == strange
    assert split(failed_avp(culprit).data) == {10415 << 32 | 77_777: [(0xC000000D, b"x")]}


def test_an_unknown_answer_keeps_its_result_whatever_its_e_bit():
    """Found by mutation: the E bit follows from the result, and an unknown command needs no session."""
    data = bytearray(encode(Message(Other(999, 4, False), 1, 2, "a", "b", others=(RawAvp(268, octets("000007d1")),))))
    data[4] |= 0x20
    message = decode(bytes(data))
    assert decode(encode(message)) == message
    assert flags(message) == 0x40


# --- answers ------------------------------------------------------------------------------------------------------


def test_an_answer_takes_identifiers_session_and_proxy_info_of_its_request():
    """RFC 6733 6.2; Route-Record stays behind."""
    proxied = UAR._replace(
        hop_by_hop=77, others=(RawAvp(284, octets("00000108 40000009 61000000")), RawAvp(282, b"dra"))
    )
    answer = answer_to(decode(encode(proxied)), cx.UserAuthorizationAnswer(OK, "sip:s"), "hss", REALM)
    assert (answer.hop_by_hop, answer.end_to_end, answer.session_id) == (77, 2, UAR.session_id)
    assert answer.others == proxied.others[:1]
    assert (answer.destination_host, answer.destination_realm) == (None, None)
    assert decode(encode(answer)) == answer


# --- Cx and Sh ----------------------------------------------------------------------------------------------------


def test_a_mar_after_a_synchronisation_failure_carries_rand_and_auts():
    """TS 29.228 6.3.1, TS 33.203 6.1.3."""
    item = cx.SipAuthDataItem(cx.DIGEST_AKAV1_MD5, authorization=bytes(16) + bytes(14))
    request = decode(encode(enveloped(cx.MultimediaAuthRequest(PRIVATE, PUBLIC, "sip:s", item))))
    assert len(request.content.item.authorization) == 30


def test_an_absent_user_authorization_type_means_registration():
    """TS 29.229 6.3.24."""
    assert decode(without(623)).content.kind is n.UserAuthorizationType.REGISTRATION


def test_one_snr_subscribes_to_several_data_and_reads_them():
    """TS 29.329 6.1.5; data references above 21 are those of TS 29.328 table 7.6.1."""
    wanted = (n.DataReference.SMS_REGISTRATION_INFO, n.DataReference.UE_REACHABILITY_FOR_IP, n.DataReference.STN_SR)
    request = sh.SubscribeNotificationsRequest(sh.UserIdentity(PUBLIC), wanted, send_data=True)
    found = split(encode(enveloped(request)), 20)
    assert [int.from_bytes(data, "big") for _, data in found[10415 << 32 | 703]] == [24, 25, 27]
    assert found[10415 << 32 | 710][0][1] == b"\0\0\0\1"


def test_expiry_counts_seconds_from_1900_on_the_wire():
    """RFC 6733 4.3.1: 2036 does not end it."""
    for seconds, wire in ((0, "83aa7e80"), (2_085_978_495, "ffffffff"), (2_085_978_496, "00000000")):
        answer = enveloped(sh.SubscribeNotificationsAnswer(OK, None, seconds))
        assert split(encode(answer), 20)[10415 << 32 | 709][0][1] == octets(wire)
        assert decode(encode(answer)) == answer


@pytest.mark.parametrize("data", ["0001 7f0000", "0003 7f000001", "", "0002 7f000001"])
def test_what_is_no_ip_address_is_refused(data):
    request = enveloped(base.CapabilitiesExchangeRequest((), "x"), others=(RawAvp(257, octets(data)),))
    assert decode(encode(request)).result is n.ResultCode.INVALID_AVP_VALUE


def test_a_visited_plmn_of_other_digits_than_decimal_is_refused():
    request = enveloped(s6a.AuthenticationInformationRequest("001010000000001", Plmn("001", "01")))
    data = encode(request).replace(octets("00f110"), octets("00fd10"))
    assert decode(data).result is n.ResultCode.INVALID_AVP_VALUE


def test_what_is_too_long_for_a_header_is_not_written():
    with pytest.raises(ValueError, match="too many"):
        encode(enveloped(sh.UserDataAnswer(OK, bytes(1 << 24))))


# --- identifiers and framing --------------------------------------------------------------------------------------


def test_identifiers_do_not_repeat_and_those_of_two_starts_differ():
    first, second = (Identifiers(now, Random(1)) for now in (100.0, 101.0))
    assert len({first.end_to_end() for _ in range(100)} | {second.end_to_end() for _ in range(100)}) == 200
    assert len({first.hop_by_hop() for _ in range(100)}) == 100
    assert first.session_id("a.b") == "a.b;100;1"
    assert first.session_id("a.b") == "a.b;100;2"


@given(st.lists(st.sampled_from(MESSAGES), max_size=5), st.lists(st.integers(1, 700), max_size=15))
def test_messages_come_out_whole_however_the_stream_is_cut(messages, sizes):
    stream = b"".join(map(encode, messages))
    framing = StreamFraming()
    found = []
    for size in sizes:
        found += framing.feed(stream[:size])
        stream = stream[size:]
    found += framing.feed(stream)
    assert list(map(decode, found)) == messages


@pytest.mark.parametrize(
    "start", ["02000014", "01000010", "01000015", "01" + (LARGEST_MESSAGE + 4).to_bytes(3, "big").hex(), "47455420"]
)
def test_octets_that_start_no_message_break_the_framing(start):
    framing = StreamFraming()
    assert framing.feed(encode(DWR) + octets(start)) == [encode(DWR)]
    assert framing.broken
    assert framing.feed(encode(DWR)) == []


def test_a_value_that_is_no_command_is_a_mistake():
    with pytest.raises(TypeError):
        encode(Message(sh.UserIdentity(PUBLIC), 1, 2, "a", "b"))
