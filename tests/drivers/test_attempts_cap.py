"""The cap on attempts: what comes above it waits, is counted, and goes out in its order."""

import pytest

from protocols.identities import Plmn
from protocols.ngap.encode import encode
from protocols.ngap.messages import InitialUeMessage, UplinkNasTransport, UserLocation
from regstorm.drivers.agenda import HeapAgenda
from regstorm.drivers.attempts_cap import ATTEMPTS_DELAYED, AttemptsCap, begins_attempt
from regstorm.drivers.n2 import GnbLink
from regstorm.measures.timeline import Timeline

LOCATION = UserLocation(Plmn("001", "01"), 16, 1)


def run(agenda, until_s):
    while (due_s := agenda.next_due_s()) is not None and due_s <= until_s:
        agenda.now = due_s
        agenda.run_due(1000)


def test_only_an_initial_ue_message_begins_an_attempt():
    assert begins_attempt(encode(InitialUeMessage(65536, b"\x7e\x00\x41", LOCATION)))
    assert not begins_attempt(encode(UplinkNasTransport(65536, 65536, b"\x7e\x00\x43", LOCATION)))


@pytest.mark.parametrize(("speed", "last_s"), [(1.0, 0.9), (10.0, 9.0)])
def test_attempts_above_the_cap_wait_for_their_turn_and_none_is_lost(speed, last_s):
    agenda, timeline, sent = HeapAgenda(), Timeline(0.0), []
    cap = AttemptsCap(per_wall_s=100, speed=speed, agenda=agenda, tally=timeline)
    for number in range(100):
        cap.pass_on(bytes([number]), 1, lambda data, stream: sent.append((data[0], agenda.now)), 0.0)
    assert len(sent) == 10  # a tenth of a second's worth at once
    assert cap.waiting == cap.delayed == timeline.total(ATTEMPTS_DELAYED) == 90
    run(agenda, last_s * 2)
    assert [number for number, _ in sent] == list(range(100))
    assert sent[-1][1] == pytest.approx(last_s, rel=0.02)
    assert cap.waiting == 0


def test_below_the_cap_nothing_waits():
    agenda, timeline, sent = HeapAgenda(), Timeline(0.0), []
    cap = AttemptsCap(per_wall_s=100, speed=1.0, agenda=agenda, tally=timeline)
    for number in range(50):
        cap.pass_on(b"\x00\x0f", 1, lambda data, stream: sent.append(data), number * 0.02)
    assert len(sent) == 50
    assert cap.delayed == 0


def test_a_gnb_sends_everything_but_attempts_past_the_cap():
    class End:
        def __init__(self):
            self.sent = []

        def send(self, data, stream):
            self.sent.append(data)

    class Clock(HeapAgenda):
        pass

    class Deaf:
        def associated(self, now):
            pass

    clock, end = Clock(), End()
    cap = AttemptsCap(per_wall_s=1, speed=1.0, agenda=clock, tally=Timeline(0.0))
    link = GnbLink(0, clock, lambda number, now: end, cap)
    link.gnb = Deaf()
    link.connect(0.0)
    attempt, other = b"\x00\x0f first", b"\x00\x2e uplink"
    for data in (attempt, attempt, other):
        link.send(data, 1)
    assert end.sent == [attempt, other]
    run(clock, 2.0)
    assert end.sent == [attempt, other, attempt]
