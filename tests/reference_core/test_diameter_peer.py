"""Two Diameter peers on one connection: capabilities, watchdog, requests, answers, the end (RFC 6733 5, 6, 7)."""

import pytest
from back_end_rig import CSCF, HSS, REALM, identifiers

from protocols.diameter import base
from protocols.diameter.cx import LocationInfoAnswer, LocationInfoRequest, PushProfileRequest
from protocols.diameter.decode import decode
from protocols.diameter.encode import encode
from protocols.diameter.framing import StreamFraming
from protocols.diameter.layouts import RawAvp
from protocols.diameter.messages import Message, Other
from protocols.diameter.numbers import ResultCode
from regstorm.reference_core.backend.diameter_peer import (
    Alive,
    Answered,
    Asked,
    DiameterPeer,
    NotUnderstood,
    Opened,
    Over,
    State,
)

LIR = LocationInfoRequest("sip:a@b")


class Connected:
    def __init__(self):
        self.cscf = DiameterPeer(CSCF, identifiers("cscf"), connects=True)
        self.hss = DiameterPeer(HSS, identifiers("hss"), connects=False)
        self.at_cscf, self.at_hss = [], []

    def cross(self):
        while True:
            there, back = self.cscf.octets(), self.hss.octets()
            if not there and not back:
                return self
            self.at_hss += self.hss.receive(there)
            self.at_cscf += self.cscf.receive(back)

    def say(self, **fields):
        """Something of the S-CSCF's own making; what the HSS answers."""
        message = Message(LIR, 1, 2, CSCF.host, REALM, "a;1;1", REALM, HSS.host)._replace(**fields)
        return self.say_octets(encode(message))

    def say_octets(self, octets):
        self.at_hss += self.hss.receive(octets)
        return read(self.hss.octets())


def read(octets):
    return [decode(one) for one in StreamFraming().feed(octets)]


def opened():
    both = Connected().cross()
    both.at_cscf, both.at_hss = [], []
    return both


def test_capabilities_are_exchanged_before_anything_else():
    both = Connected()
    (cer,) = read(both.cscf.octets())
    assert cer.content.vendor_applications == (base.CX_APPLICATION, base.SH_APPLICATION)
    both = Connected().cross()
    assert both.at_cscf == [Opened(HSS.host)]
    assert both.at_hss == [Opened(CSCF.host)]
    assert both.hss.state is both.cscf.state is State.OPEN


def test_a_request_is_told_and_its_answer_has_its_identifiers_and_its_session():
    both = opened()
    number = both.cscf.request(LIR, HSS.host, session="s;1;1;mine")
    both.cross()
    (asked,) = both.at_hss
    assert isinstance(asked, Asked)
    assert (asked.message.session_id, asked.message.destination_host) == ("s;1;1;mine", HSS.host)
    both.hss.answer(asked.message, LocationInfoAnswer(ResultCode.SUCCESS, "sip:s"))
    both.cross()
    (answered,) = both.at_cscf
    assert isinstance(answered, Answered)
    assert answered.message.hop_by_hop == number
    assert answered.message.end_to_end == asked.message.end_to_end
    assert answered.message.session_id == "s;1;1;mine"


def test_a_watchdog_is_answered_before_the_requests_that_came_before_it():
    both = opened()
    for _ in range(3):
        both.cscf.request(LIR, HSS.host)
    both.cscf.watch()
    told = both.hss.receive(both.cscf.octets())
    for asked in told:
        both.hss.answer(asked.message, LocationInfoAnswer(ResultCode.SUCCESS))
    answers = read(both.hss.octets())
    assert [type(one.content) for one in answers] == [base.DeviceWatchdogAnswer] + [LocationInfoAnswer] * 3


def test_a_watchdog_that_is_answered_says_that_the_peer_is_alive():
    both = opened()
    both.cscf.watch()
    both.cross()
    assert both.at_cscf == [Alive()]
    assert both.at_hss == []


def test_whoever_speaks_before_capabilities_are_exchanged_is_cut_off():
    both = Connected()
    assert both.say() == []
    (over,) = both.at_hss
    assert over == Over("no CER", peer_broke_it=True)
    assert both.hss.receive(encode(Message(LIR, 1, 2, CSCF.host, REALM, "a", REALM))) == []


def test_a_peer_without_a_common_application_is_told_so_and_cut_off():
    both = Connected()
    cer = base.CapabilitiesExchangeRequest(("127.0.0.1",), "x", auth_applications=(4,))
    (cea,) = both.say(content=cer, session_id=None, destination_realm=None, destination_host=None)
    assert cea.content.result is ResultCode.NO_COMMON_APPLICATION
    assert both.hss.over
    assert not both.at_hss[0].peer_broke_it


def test_a_relay_has_every_application():
    both = Connected()
    cer = base.CapabilitiesExchangeRequest(("127.0.0.1",), "dra", auth_applications=(0xFFFFFFFF,))
    (cea,) = both.say(content=cer, session_id=None, destination_realm=None, destination_host=None)
    assert cea.content.result is ResultCode.SUCCESS


def test_a_cea_that_refuses_ends_the_connection():
    cscf = DiameterPeer(CSCF, identifiers("cscf"), connects=True)
    (cer,) = read(cscf.octets())
    cea = base.CapabilitiesExchangeAnswer(ResultCode.UNKNOWN_PEER)
    (over,) = cscf.receive(encode(Message(cea, cer.hop_by_hop, cer.end_to_end, HSS.host, REALM)))
    assert isinstance(over, Over)


def test_dpr_is_answered_and_ends_the_connection_at_both_ends():
    both = opened()
    both.cscf.disconnect()
    both.cross()
    assert both.at_hss == [Over("DPR", peer_broke_it=False)]
    assert both.at_cscf == [Over("DPA", peer_broke_it=False)]


OBJECTIONS = {
    "realm": ({"destination_realm": "elsewhere.example"}, ResultCode.REALM_NOT_SERVED),
    "host": ({"destination_host": f"other.{REALM}"}, ResultCode.UNABLE_TO_DELIVER),
    "command": ({"content": Other(999, 16777216, True)}, ResultCode.COMMAND_UNSUPPORTED),
    "application": ({"content": Other(999, 4, True)}, ResultCode.APPLICATION_UNSUPPORTED),
    "AVP": ({"others": (RawAvp(60_000, b"abcd"),)}, ResultCode.AVP_UNSUPPORTED),
}


@pytest.mark.parametrize("what", OBJECTIONS)
def test_what_nobody_here_serves_is_answered_by_the_base_protocol(what):
    fields, result = OBJECTIONS[what]
    both = opened()
    (answer,) = both.say(**fields)
    assert both.at_hss == [NotUnderstood(result.name)]
    assert (answer.hop_by_hop, answer.end_to_end) == (1, 2)
    codes = [one.data for one in answer.others if one.code == 268]
    said = answer.content.result if not isinstance(answer.content, Other) else int.from_bytes(codes[0], "big")
    assert said == result


def test_an_unknown_avp_without_the_m_bit_is_passed_over():
    both = opened()
    assert both.say(others=(RawAvp(60_000, b"abcd", mandatory=False),)) == []
    assert isinstance(both.at_hss[0], Asked)


def test_a_request_that_lacks_an_avp_is_refused_with_missing_avp():
    both = opened()
    (answer,) = both.say(destination_realm=None)
    assert answer.content.result is ResultCode.MISSING_AVP
    assert both.hss.state is State.OPEN


def test_a_stream_without_message_boundaries_is_cut_off():
    both = opened()
    both.say_octets(b"GET / HTTP/1.1\r\n\r\n")
    assert both.at_hss == [Over("no message boundary", peer_broke_it=True)]


def test_a_request_of_the_other_side_can_be_refused():
    both = opened()
    both.hss.request(PushProfileRequest("user"), CSCF.host)
    both.cross()
    both.cscf.refuse(both.at_cscf[0].message)
    both.cross()
    assert both.at_hss[0].message.content.result is ResultCode.COMMAND_UNSUPPORTED
