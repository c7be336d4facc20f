"""A base station with two AMFs: one connection for each UE, whichever AMF has it."""

from random import Random

from protocols.identities import Plmn, STmsi
from protocols.nas5g.messages import Snssai
from protocols.ngap.decode import decode
from protocols.ngap.encode import encode
from protocols.ngap.messages import (
    DownlinkNasTransport,
    Guami,
    InitialUeMessage,
    NgSetupResponse,
    RrcCause,
    UeContextReleaseRequest,
    UplinkNasTransport,
)
from ue_models.gnb import Gnb
from ue_models.gnb_pool import GnbPool

PLMN, SLICES = Plmn("001", "01"), (Snssai(1),)


class NoAgenda:
    def at(self, due_s, action):
        return self

    def cancel(self):
        pass


class Observer:
    def attempt_started(self, *told):
        pass

    def attempt_ended(self, *told):
        pass


class Ue:
    index = 0

    def __init__(self):
        self.heard = []

    def downlink(self, nas, now):
        self.heard.append(nas)

    def released(self, now):
        self.heard.append("released")


class Station:
    """Two legs; the first AMF has pointer 0 and takes new UEs, the other has pointer 1 and takes none."""

    def __init__(self):
        self.sent = [[], []]
        self.legs = [self.leg(place) for place in range(2)]
        self.pool = GnbPool(self.legs, Random(1))
        for place, (leg, capacity) in enumerate(zip(self.legs, (255, 0), strict=True)):
            leg.associated(0.0)
            leg.receive(encode(NgSetupResponse("amf", Guami(PLMN, 1, 1, place), capacity, SLICES)), 0, 0.0)
            self.sent[place].clear()

    def leg(self, place):
        def send(data, stream):
            self.sent[place].append(decode(data))

        return Gnb(1, PLMN, 1, SLICES, NoAgenda(), Random(1), send, Observer(), leg=place, legs=2)

    def take(self, place):
        taken, self.sent[place][:] = list(self.sent[place]), []
        return taken


def connect(station, ue, pointer):
    s_tmsi = None if pointer is None else STmsi(1, pointer, 7)
    return station.pool.connect(ue, b"\x7e\x00\x41", RrcCause.MO_SIGNALLING, s_tmsi, 1.0)


def test_numbers_of_the_two_associations_never_meet():
    station, ues = Station(), [Ue() for _ in range(6)]
    for number, ue in enumerate(ues):
        connect(station, ue, number % 2)

    ran_ids = [[one.ran_ue_id for one in station.take(place)] for place in range(2)]

    assert ran_ids == [[65_536, 65_538, 65_540], [65_537, 65_539, 65_541]]
    assert station.pool.connections == 6


def test_a_ue_that_connects_to_the_other_amf_leaves_the_first():
    station, ue = Station(), Ue()
    connect(station, ue, 0)
    (initial,) = station.take(0)
    station.legs[0].receive(encode(DownlinkNasTransport(70_000, initial.ran_ue_id, b"\x7e\x00\x5b\x01")), 1, 1.0)

    assert connect(station, ue, 1)

    (release,) = station.take(0)
    assert isinstance(release, UeContextReleaseRequest)
    (again,) = station.take(1)
    assert isinstance(again, InitialUeMessage)
    assert station.pool.connections == 1


def test_messages_go_to_the_amf_that_has_the_ue():
    station, ue = Station(), Ue()
    connect(station, ue, 1)
    (initial,) = station.take(1)
    station.legs[1].receive(encode(DownlinkNasTransport(70_000, initial.ran_ue_id, b"\x7e\x00\x5b\x01")), 1, 1.0)

    station.pool.uplink(ue, b"\x7e\x00\x5c", 1.1)

    (uplink,) = station.take(1)
    assert isinstance(uplink, UplinkNasTransport)
    assert (station.take(0), ue.heard) == ([], [b"\x7e\x00\x5b\x01"])


def test_when_its_amf_is_lost_a_ue_hears_of_it_and_finds_the_other():
    station, ue = Station(), Ue()
    connect(station, ue, 1)
    station.legs[1].association_lost("lost", 2.0)

    assert ue.heard == ["released"]
    assert connect(station, ue, 1)
    assert len(station.take(0)) == 1
    assert station.pool.ready


def test_without_an_amf_that_takes_new_ues_nobody_new_gets_in():
    station = Station()
    station.legs[0].association_lost("lost", 2.0)

    assert not connect(station, Ue(), None)
    assert not connect(station, Ue(), 0)
    assert connect(station, Ue(), 1)
