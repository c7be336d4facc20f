"""The UPF: packets between gNBs' tunnels and the data network (TS 29.281, TS 23.501 5.8)."""

from collections import Counter
from random import Random

import pytest

from protocols.gtpu import EchoRequest, EchoResponse, EndMarker, ErrorIndication, GPdu, decode, encode
from protocols.ngap.messages import PduSessionTunnel
from protocols.udp import udp_packet
from regstorm.records import user_plane_counters as counters
from regstorm.reference_core.upf import Upf

UE, P_CSCF = ("10.128.0.1", 5060), ("10.2.0.1", 5060)
UE_ADDRESS, OWN, GNB, OTHER_GNB = bytes((10, 128, 0, 1)), bytes((10, 0, 0, 1)), bytes((127, 64, 0, 1)), b"\x7f@\0\2"
TEID, GNB_TEID = 7, 0x100012
UP = encode(GPdu(TEID, udp_packet(UE, P_CSCF, b"REGISTER")))


class Tally:
    def __init__(self):
        self.counts = Counter()

    def count(self, name, now, amount=1):
        self.counts[name] += amount

    def gauge(self, name, change):
        raise AssertionError("the UPF has no levels")


class N3:
    """One UPF with a session, and gNBs 1 and 2."""

    def __init__(self):
        self.tally = Tally()
        self.delivered = []
        self.sent = {1: [], 2: []}
        self.upf = Upf(OWN, lambda *datagram: self.delivered.append(datagram), self.tally)
        for peer, sent in self.sent.items():
            self.upf.association_up(peer, sent.append)
        self.upf.open(TEID, UE_ADDRESS)

    def connected(self):
        self.upf.point(TEID, PduSessionTunnel(2, GNB, GNB_TEID.to_bytes(4)))
        return self

    def up(self, peer=1):
        self.upf.receive(peer, UP, 1.0)

    def down(self):
        self.upf.send(b"200", P_CSCF, UE, 2.0)

    def dropped(self):
        prefix = f"{counters.DROPPED}."
        return {name.removeprefix(prefix): n for name, n in self.tally.counts.items() if name.startswith(prefix)}


def test_a_datagram_of_a_ue_reaches_the_data_network():
    n3 = N3().connected()
    n3.up()
    assert n3.delivered == [(b"REGISTER", UE, P_CSCF, 1.0)]
    assert n3.tally.counts == {counters.UPLINK: 1}


def test_an_answer_goes_to_the_gnb_that_the_ue_is_connected_to():
    n3 = N3().connected()
    n3.up(peer=2)
    n3.down()
    assert n3.sent == {1: [], 2: [encode(GPdu(GNB_TEID, udp_packet(P_CSCF, UE, b"200")))]}
    assert n3.tally.counts == {counters.UPLINK: 1, counters.DOWNLINK: 1}


def test_a_packet_may_come_before_the_smf_has_named_the_gnb():
    n3 = N3()
    n3.up()
    n3.connected()
    n3.down()
    assert len(n3.sent[1]) == 1


def test_a_ue_at_another_gnb_is_reached_there_once_it_has_sent_something():
    n3 = N3().connected()
    n3.up(peer=1)
    n3.upf.point(TEID, PduSessionTunnel(2, OTHER_GNB, bytes((0, 0, 0, 9))))
    n3.down()
    n3.up(peer=2)
    n3.down()
    assert n3.dropped() == {"idle": 1}
    assert n3.sent == {1: [], 2: [encode(GPdu(9, udp_packet(P_CSCF, UE, b"200")))]}


def test_an_idle_ue_would_have_to_be_paged():
    n3 = N3()
    n3.down()
    n3.connected()
    n3.up()
    n3.upf.point(TEID, None)
    n3.down()
    assert n3.dropped() == {"idle": 2}


def test_a_lost_gnb_is_reached_no_more():
    n3 = N3().connected()
    n3.up()
    n3.upf.association_lost(1)
    n3.down()
    assert n3.dropped() == {"idle": 1}


def test_nobody_has_an_address_whose_session_is_closed():
    n3 = N3().connected()
    n3.upf.close(TEID)
    n3.upf.close(TEID)
    n3.down()
    assert n3.dropped() == {"no_session": 1}
    assert n3.upf.sessions == 0


def test_an_address_that_was_given_away_again_stays_with_its_new_session():
    n3 = N3()
    n3.upf.open(8, UE_ADDRESS)
    n3.upf.close(TEID)
    n3.upf.point(8, PduSessionTunnel(2, GNB, bytes((0, 0, 0, 3))))
    n3.upf.receive(1, encode(GPdu(8, udp_packet(UE, P_CSCF, b"x"))), 1.0)
    n3.down()
    assert decode(n3.sent[1][0]).teid == 3


def test_a_packet_for_an_unknown_tunnel_gets_an_error_indication():
    n3 = N3()
    n3.upf.close(TEID)
    n3.up()
    assert decode(n3.sent[1][0]) == ErrorIndication(TEID, OWN)
    assert n3.dropped() == {"unknown_tunnel": 1}
    assert n3.delivered == []


def test_a_ue_may_only_send_from_its_own_address():
    n3 = N3().connected()
    n3.upf.receive(1, encode(GPdu(TEID, udp_packet(("10.128.0.2", 5060), P_CSCF, b"x"))), 1.0)
    assert n3.dropped() == {"wrong_source": 1}
    assert n3.delivered == []


def test_paths_are_asked_after_and_tunnels_end():
    n3 = N3()
    n3.upf.receive(1, encode(EchoRequest(4)), 1.0)
    assert decode(n3.sent[1][0]) == EchoResponse(4)
    for message in (EchoResponse(1), EndMarker(TEID), ErrorIndication(1, GNB)):
        n3.upf.receive(1, encode(message), 1.0)
    assert len(n3.sent[1]) == 1


@pytest.mark.parametrize("octets", [b"", b"\x30\xff", UP[:-1], encode(GPdu(TEID, b"\x45" + bytes(11) + UE_ADDRESS))])
def test_what_cannot_be_read_is_counted(octets):
    n3 = N3()
    n3.upf.receive(1, octets, 1.0)
    assert n3.tally.counts[counters.UNREADABLE] == 1
    assert n3.delivered == []


def test_ten_thousand_mutated_packets_raise_nothing():
    n3, rng = N3().connected(), Random(1)
    for _ in range(10_000):
        octets = bytearray(UP)
        for _ in range(rng.randint(1, 4)):
            octets[rng.randrange(len(octets))] = rng.randrange(256)
        n3.upf.receive(rng.randint(1, 3), bytes(octets[: rng.randint(1, len(octets))]), 1.0)
    assert sum(n3.tally.counts.values()) >= 5_000


def test_packets_for_a_session_that_is_being_set_up_wait_for_its_tunnel_but_not_many():
    n3 = N3()
    n3.up()
    for _ in range(5):
        n3.down()
    assert n3.sent[1] == []
    assert n3.dropped() == {"idle": 1}
    n3.connected()
    answer = GPdu(GNB_TEID, udp_packet(P_CSCF, UE, b"200"))
    assert [decode(octets) for octets in n3.sent[1]] == [answer] * 4
    n3.upf.point(TEID, None)
    n3.down()  # idle now: nothing waits any more
    assert n3.dropped() == {"idle": 2}


def test_an_answer_that_is_quicker_than_the_smf_waits_when_a_service_request_brings_the_resources_back():
    n3 = N3().connected()
    n3.up()
    n3.upf.expect(TEID)  # the UE was idle in between: its old connection, and the end of its tunnel, are gone
    n3.up()
    n3.down()
    assert n3.sent[1] == []
    n3.upf.point(TEID, PduSessionTunnel(2, GNB, bytes((0, 0, 0, 9))))
    assert [decode(octets) for octets in n3.sent[1]] == [GPdu(9, udp_packet(P_CSCF, UE, b"200"))]
    assert n3.dropped() == {}


def test_what_waited_for_resources_that_never_came_is_not_sent_with_the_next_ones():
    n3 = N3().connected()
    n3.up()
    n3.upf.expect(TEID)
    n3.down()
    n3.upf.expect(TEID)
    n3.connected()
    assert n3.sent[1] == []
