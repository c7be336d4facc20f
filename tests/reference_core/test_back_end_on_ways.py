"""The bus with its back end on the wire: the same calls, books, timeouts and heartbeats as in process."""

import pytest
from back_end_rig import full_service, rig_on_wire
from core_rig import Rig
from ims_rig import ImsRig

from protocols.diameter.cx import LocationInfoAnswer, LocationInfoRequest
from protocols.diameter.decode import decode
from protocols.diameter.framing import StreamFraming
from regstorm.records import operations as ops
from regstorm.records.core_settings import Bus, Ims, Shedding, Udm
from regstorm.records.message_classes import MessageClass
from regstorm.records.operations import Nf
from regstorm.reference_core.backend.http_messages import Request
from regstorm.reference_core.backend.sbi_client import SbiClient
from regstorm.reference_core.backend.ways import Way
from regstorm.reference_core.bus import CONGESTED, Call, Failed
from regstorm.reference_core.payloads import AmData

SUPI = "imsi-001010000000001"
OVERLOADED = {"capacity_pairs_per_s": 1, "settings": {"plain": Shedding(queue_s=0.5)}}


def ask(rig, operation=ops.GET_AM_DATA, **fields):
    """A call on the bus; the list that its answer will stand in."""
    answers = []
    rig.core.bus.call(Call(operation, SUPI, **fields), lambda answer, now: answers.append(answer), rig.agenda.now)
    return answers


@pytest.mark.parametrize(
    "deployment", [{}, {"ims": Ims(aggregated_download=True), "aggregated_nudm": True}], ids=["25 pairs", "15 pairs"]
)
def test_full_service_costs_the_same_pairs_and_books_them_to_the_same_procedures(deployment):
    in_process, on_wire = ImsRig(**deployment), rig_on_wire(full=True, **deployment)
    for rig in (in_process, on_wire):
        assert rig.ims.serves(full_service(rig).supi)
    assert on_wire.pairs() == in_process.pairs()
    assert on_wire.tally == in_process.tally
    mine, theirs = on_wire.core.ledger, in_process.core.ledger
    assert (mine.settled, mine.written_off, mine.pending) == (theirs.settled, theirs.written_off, theirs.pending)


def test_each_consumer_has_a_connection_of_its_own():
    rig = rig_on_wire(full=True)
    full_service(rig)
    udm, hss = Nf.UDM, Nf.HSS
    nudm = [(Nf.AUSF, udm), (Nf.AMF, udm), (Nf.SMF, udm)]
    diameter = [(Nf.ICSCF, hss), (Nf.SCSCF, hss), (Nf.TAS, hss), (Nf.IP_SM_GW, hss)]
    assert sorted(rig.back_end.dialled) == sorted(nudm + diameter)


def test_a_diameter_request_names_its_consumer_priority_and_procedure():
    rig = rig_on_wire(full=True)
    full_service(rig)
    framing = StreamFraming()
    messages = [decode(one) for said in rig.back_end.connections[Nf.TAS].said[0] for one in framing.feed(said)]
    requests = [one for one in messages if one.session_id]
    assert len(requests) == 5
    for request in requests:
        assert request.origin_host == "tas.ims.mnc001.mcc001.3gppnetwork.org"
        assert request.destination_host == "hss.ims.mnc001.mcc001.3gppnetwork.org"
        assert ";procedure-" in request.session_id
        assert [(one.code, one.mandatory) for one in request.others] == [(301, False)]


def test_an_error_of_the_udm_comes_back_as_its_cause():
    rig = rig_on_wire()
    answers = []
    unknown = Call(ops.GET_AM_DATA, "imsi-001010000099999")
    rig.core.bus.call(unknown, lambda answer, now: answers.append(answer), 0.0)
    rig.run()
    assert answers == [Failed("USER_NOT_FOUND")]


def test_an_answer_of_the_hss_with_an_experimental_result_is_an_answer():
    rig = rig_on_wire(full=True)
    answers = ask(rig, ops.LOCATION_INFO, payload=LocationInfoRequest("sip:nobody@nowhere"), consumer=Nf.ICSCF)
    rig.run()
    (answer,) = answers
    assert isinstance(answer, LocationInfoAnswer)
    assert answer.result.code.name == "USER_UNKNOWN"


# --- silence ---------------------------------------------------------------------------------------------------------


def test_what_the_udm_sheds_in_silence_times_out_and_is_tried_again_as_in_process():
    for rig in (Rig(udm=Udm(**OVERLOADED)), rig_on_wire(udm=Udm(**OVERLOADED))):
        answers = [ask(rig) for _ in range(5)]
        rig.run(20)
        assert sum(isinstance(one[0], AmData) for one in answers) < 5
        assert Failed("timeout") in [one[0] for one in answers]
        assert rig.tally["bus.retries"] > 0


@pytest.mark.parametrize("make", [Rig, rig_on_wire], ids=["in process", "on the wire"])
def test_a_udm_that_says_its_refusals_is_not_waited_for(make):
    rig = make(udm=Udm(**OVERLOADED, refusals="answered"))
    answers = [ask(rig) for _ in range(5)]
    rig.run(0.1)
    refused = [one for one in answers if one]
    assert refused
    assert all(one == [Failed(CONGESTED)] for one in refused)
    assert rig.tally["bus.timeouts"] == 0


def test_an_hss_that_says_its_refusals_is_too_busy():
    rig = rig_on_wire(full=True, udm=Udm(**OVERLOADED, refusals="answered"))
    payload = LocationInfoRequest("sip:a@b")
    answers = [ask(rig, ops.LOCATION_INFO, payload=payload, consumer=Nf.ICSCF) for _ in range(5)]
    rig.run(0.1)
    assert Failed(CONGESTED) in [one[0] for one in answers if one]


def test_a_request_whose_consumer_has_given_up_is_reset():
    rig = rig_on_wire(bus=Bus(retries=0, timeout_s=1.0))
    rig.core.bus.start_heartbeats(0.0)
    rig.run(0.1)
    rig.back_end.doors[Nf.UDM].udm = Deaf()
    answers = ask(rig)
    rig.run(10)
    assert answers[0] == Failed("timeout")
    assert rig.back_end.doors[Nf.UDM].udm.asked == 1
    resets = [said for said in rig.back_end.connections[Nf.AMF].said[0] if said[3:4] == b"\x03"]
    assert len(resets) == 1  # RST_STREAM


class Deaf:
    """A UDM that never answers."""

    def __init__(self):
        self.asked = 0

    def arrives(self, call, deadline_s, reply, now):
        self.asked += 1


# --- connections that end --------------------------------------------------------------------------------------------


def test_a_lost_connection_is_set_up_again_and_what_was_asked_meanwhile_is_repeated_by_the_bus():
    rig = rig_on_wire()
    assert isinstance(settled(rig, ask(rig)), AmData)
    rig.back_end.connections[Nf.AMF].close()
    rig.run(0.01)
    assert isinstance(settled(rig, ask(rig), 5), AmData)
    assert rig.tally["bus.retries"] == 1
    assert rig.back_end.dialled.count((Nf.AMF, Nf.UDM)) == 2
    assert rig.tally["backend.connections_lost.nudm"] == 1


def settled(rig, answers, seconds=1.0):
    rig.run(seconds)
    return answers[0]


NO_FRAME = b"\0\0\4\x08\0\0\0\0\0\0\0\0\0"
"""WINDOW_UPDATE by nothing (RFC 9113 6.9)."""


@pytest.mark.parametrize(
    ("consumer", "name", "octets"), [(Nf.AMF, "nudm", NO_FRAME), (Nf.SCSCF, "diameter", b"\xff" * 64)]
)
def test_a_peer_that_breaks_the_protocol_is_cut_off_and_counted(consumer, name, octets):
    rig = rig_on_wire(full=True)
    rig.core.bus.start_heartbeats(0.0)
    rig.run(0.1)
    rig.back_end.connections[consumer].say(1, octets)
    rig.run(0.01)
    assert not rig.back_end.connections[consumer].open
    assert rig.tally[f"backend.connections_broken.{name}"] == 1


def test_a_door_that_falls_silent_is_found_by_heartbeats_and_found_again_when_it_answers():
    rig = rig_on_wire(bus=Bus(heartbeat_every_s=1.0))
    rig.core.bus.start_heartbeats(0.0)
    rig.run(2)
    assert not rig.core.bus.is_down(Nf.UDM)
    silence(rig, True)
    rig.run(5)
    assert rig.core.bus.is_down(Nf.UDM)
    assert settled(rig, ask(rig)) == Failed("peer down")
    silence(rig, False)
    rig.run(3)
    assert not rig.core.bus.is_down(Nf.UDM)


def test_an_hss_that_never_exchanges_capabilities_is_down():
    rig = rig_on_wire(full=True, bus=Bus(heartbeat_every_s=1.0))
    rig.back_end.doors[Nf.HSS].accept = lambda way, now: Mute()
    rig.core.bus.start_heartbeats(0.0)
    rig.run(5)
    assert rig.core.bus.is_down(Nf.HSS)
    assert not rig.core.bus.is_down(Nf.UDM)


class Mute:
    """A peer that hears and says nothing."""

    def receive(self, octets, now):
        pass

    def lost(self, now):
        pass


def silence(rig, silent):
    for pair in rig.back_end.connections.values():
        pair.silent = silent


def test_watchdogs_go_to_the_hss_on_every_connection():
    rig = rig_on_wire(full=True, bus=Bus(heartbeat_every_s=1.0))
    rig.core.bus.start_heartbeats(0.0)
    rig.run(3.5)
    framing = StreamFraming()
    said = [decode(one) for octets in rig.back_end.connections[Nf.TAS].said[1] for one in framing.feed(octets)]
    assert [type(one.content).__name__ for one in said] == [
        "CapabilitiesExchangeAnswer",
        *["DeviceWatchdogAnswer"] * 3,
    ]
    assert not rig.core.bus.is_down(Nf.HSS)


def test_a_strange_request_costs_the_udm_nothing():
    rig = rig_on_wire()
    ask(rig)
    rig.run()
    served = rig.tally["udm.offered"]
    said = []
    here = SbiClient("udm", "stranger")
    there = rig.back_end.doors[Nf.UDM].accept(Way(said.append, lambda: None), 0.0)
    here.request(Request("GET", "/favicon.ico"))
    there.receive(here.octets(), 0.0)
    assert here.receive(b"".join(said))[-1].response.status == 404
    assert rig.tally["udm.offered"] == served
    assert rig.tally["codec.unreadable.nudm"] == 1


def test_a_message_class_reaches_the_queue_behind_the_door():
    rig = rig_on_wire()
    heard = []
    rig.back_end.doors[Nf.UDM].udm = type("Ear", (), {"arrives": lambda self, call, *rest: heard.append(call)})()
    ask(rig, message_class=MessageClass.SERVICE_REQUEST, procedure=77)
    rig.run(0.1)
    assert [(one.message_class, one.procedure) for one in heard] == [(MessageClass.SERVICE_REQUEST, 77)]
