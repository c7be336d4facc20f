"""What the nodes of the IMS core say to each other in process can be said in octets: Diameter on Cx and Sh, SIP."""

import pytest
from ims_rig import ImsRig, SipUe

from protocols.diameter import decode as diameter
from protocols.diameter.encode import encode as diameter_octets
from protocols.diameter.messages import Message
from protocols.sip.decode import decode
from protocols.sip.encode import encode
from protocols.sip.messages import Request, Response
from regstorm.records.core_settings import Ims


class Overheard:
    """Every call on a core's bus, with its answer."""

    def __init__(self, rig):
        self.exchanges = []
        self._call = rig.core.bus.call
        rig.core.bus.call = self._overhear

    def _overhear(self, call, answer, now, within_s=None):
        def hear(said, at):
            self.exchanges.append((call, said))
            answer(said, at)

        return self._call(call, hear, now, within_s)

    def on(self, *interfaces):
        return [(call, said) for call, said in self.exchanges if call.operation.interface in interfaces]


def whole_life(**settings):
    """A user registers, sends a message, gets one, registers again, and leaves; what was said on the way."""
    rig = ImsRig(ims=Ims(**settings))
    heard = Overheard(rig)
    ue = SipUe(rig)
    ue.reach_service()
    rig.run(1)
    ue.ask(ue.message())
    rig.deliver(ue, lambda answer, now: None)
    rig.run(0.5)
    for request in ue.hear():
        ue.say(request)
    rig.run(0.5)
    ue.ask(ue.register(authorization=ue.credentials))
    ue.ask(ue.deregister())
    rig.run(1)
    return heard


@pytest.mark.parametrize("aggregated", [False, True])
def test_every_exchange_on_cx_and_sh_survives_diameter(aggregated):
    exchanges = whole_life(aggregated_download=aggregated).on("Cx", "Sh")
    assert len(exchanges) == (9 + 10 if not aggregated else 9 + 4)
    for call, said in exchanges:
        request = Message(call.payload, 1, 2, "scscf.example", "example", "s;1;1", "example")
        reply = Message(said, 1, 2, "hss.example", "example", "s;1;1")
        assert diameter.decode(diameter_octets(request)).content == call.payload
        assert diameter.decode(diameter_octets(reply)).content == said


def test_every_request_and_response_between_sip_nodes_survives_its_octets():
    exchanges = whole_life().on("Mw", "ISC")
    assert {call.operation.name for call, _ in exchanges} == {
        "SIP REGISTER to I-CSCF",
        "SIP REGISTER to S-CSCF",
        "SIP REGISTER to telephony AS",
        "SIP REGISTER to IP-SM-GW",
        "SIP MESSAGE to I-CSCF",
        "SIP MESSAGE to S-CSCF",
        "SIP MESSAGE to IP-SM-GW",
        "SIP request towards a UE",
    }
    for call, said in exchanges:
        assert isinstance(call.payload, Request)
        assert isinstance(said, Response)
        assert decode(encode(call.payload)) == call.payload
        assert decode(encode(said)) == said


def test_every_hop_puts_a_via_on_and_takes_a_hop_off():
    exchanges = whole_life().on("Mw", "ISC")
    for call, said in exchanges:
        vias = call.payload.headers.every("Via")
        assert len(set(vias)) == len(vias) >= 1
        assert said.headers.every("Via") == vias
    to_icscf = next(call for call, _ in exchanges if call.operation.name == "SIP REGISTER to I-CSCF").payload
    to_scscf = next(call for call, _ in exchanges if call.operation.name == "SIP REGISTER to S-CSCF").payload
    assert (to_icscf.headers.first("Max-Forwards"), to_scscf.headers.first("Max-Forwards")) == ("69", "68")
    assert len(to_scscf.headers.every("Via")) == 1 + len(to_icscf.headers.every("Via"))
    assert to_scscf.headers.first("Path") == "<sip:term@10.2.0.1:5060;lr>"
    assert to_scscf.headers.first("P-Visited-Network-ID") is not None
