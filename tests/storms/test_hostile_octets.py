"""Hostile octets in the middle of a storm, in both directions, on associations that carry the storm (TS 38.413 10)."""

from collections import Counter, deque
from random import Random

import pytest
from small_storms import plan, scenario, storm_of

from protocols.ngap.decode import decode
from protocols.ngap.encode import encode
from protocols.ngap.messages import NgSetupResponse

ERROR_INDICATION, NG_SETUP_REQUEST = b"\x00\x09", b"\x00\x15"
JOIN_S, OUTAGE_S, ATTACK_S = 1.0, 5.0, 12.0
TICK_S, EACH_WAY_PER_TICK = 0.05, 10
ROGUE = 99


def mutated(octets, chance):
    """One to three octets changed, cut out or put in."""
    data = bytearray(octets)
    for _ in range(chance.randint(1, 3)):
        at = chance.randrange(len(data) + 1)
        match chance.randrange(3):
            case 0:
                data[at : at + 1] = chance.randbytes(1)
            case 1:
                del data[at : at + chance.randint(1, 4)]
            case 2:
                data[at:at] = chance.randbytes(chance.randint(1, 4))
    return bytes(data) or b"\x00"


def hostile(octets, chance):
    """Random octets, a mutated PDU, or a sound PDU with mutated NAS."""
    kind = chance.randrange(5)
    if kind == 0:
        return chance.randbytes(chance.randint(1, 60))
    message = decode(octets)
    if kind < 3 or not getattr(message, "nas", b""):
        return mutated(octets, chance)
    return encode(message._replace(nas=mutated(message.nas, chance)))


class Attack:
    """Listens at the core, and sends what it heard, spoilt: as a gNB of its own, and on the associations of the storm
    itself, as their gNB and as their AMF.

    `messages` in all, half of them in each direction, evenly in time.
    """

    def __init__(self, messages, seed):
        self.ticks = messages // (2 * EACH_WAY_PER_TICK)
        self.chance = Random(seed)
        self.sent = Counter()
        self.lost = []
        self.answers = 0
        self._to_core, self._to_gnbs = deque(maxlen=200), deque(maxlen=200)
        self._as_amf = {}
        self._rogue_peer = None
        self._spoilt = set()

    def prepare(self, storm):
        self._storm = storm
        self._as_gnb = storm.population.outage_links[0].send
        self._tap(storm.core)
        storm.clock.at(JOIN_S, self._join)
        for tick in range(self.ticks):
            storm.clock.at(ATTACK_S + tick * TICK_S, self._strike)

    def _tap(self, core):
        receive, up, lost = core.receive, core.association_up, core.association_lost

        def tapped_receive(peer, data, stream, now):
            if data not in self._spoilt:
                self._to_core.append((data, stream))
            receive(peer, data, stream, now)

        def tapped_up(peer, send, now, hang_up):
            def tapped_send(data, stream):
                if data[:2] != ERROR_INDICATION:  # else there would soon be nothing but these
                    self._to_gnbs.append((peer, data, stream))
                send(data, stream)

            if now == JOIN_S:
                self._rogue_peer = peer
            else:
                self._as_amf[peer] = send
            up(peer, send if peer == self._rogue_peer else tapped_send, now, hang_up)

        def tapped_lost(peer, reason, now):
            self.lost.append(now)
            self._as_amf.pop(peer, None)
            lost(peer, reason, now)

        core.receive, core.association_up, core.association_lost = tapped_receive, tapped_up, tapped_lost

    def _join(self, now):
        """A gNB that the core takes for one of its own: it sets up its interface like all the others."""
        self._rogue = self._storm.dial(ROGUE, now)
        self._rogue.on_message = self._heard
        setup = next(data for data, _ in self._to_core if data[:2] == NG_SETUP_REQUEST)
        self._rogue.send(setup, 0)

    def _heard(self, data, stream, ppid, now):
        self.answers += isinstance(decode(data), NgSetupResponse)

    def _strike(self, now):
        chance = self.chance
        for number in range(EACH_WAY_PER_TICK):
            data, stream = chance.choice(self._to_core)
            send = self._rogue.send if number % 2 else self._as_gnb
            spoilt = hostile(data, chance)
            self._spoilt.add(spoilt)
            send(spoilt, stream)
            self.sent["to the core"] += 1
            peer, data, stream = chance.choice(self._to_gnbs)
            if peer in self._as_amf:
                self._as_amf[peer](hostile(data, chance), stream)
                self.sent["to gNBs"] += 1


@pytest.mark.parametrize("messages", [10_000, pytest.param(100_000, marks=pytest.mark.slow)])
def test_a_storm_under_hostile_octets_both_ways_brings_everybody_back(messages):
    attack = Attack(messages, seed=1)
    outage = {"begins_s": OUTAGE_S, "lasts_s": 5, "calm_after_s": attack.ticks * TICK_S}
    # an AUTHENTICATION REJECT that nobody protects holds a UE for up to an hour (T3247), so it takes its time
    one = scenario(ues=60, online=20, pairs_per_s=25, outage={**outage, "recovery_within_s": 14_400})
    storm = storm_of(plan(one, "tiered"), attack.prepare)

    assert storm.log.back == storm.log.outage_ues == 60
    assert attack.answers > 0  # the core took the rogue for a gNB
    assert attack.sent["to the core"] == messages // 2
    assert attack.sent["to gNBs"] > messages // 3
    assert [at for at in attack.lost if at < storm.clock.now] == [OUTAGE_S]  # that of the outage and no other
    faults = [link.gnb.faults for link in storm.population.links]
    assert storm.timeline.total("codec.unreadable.ngap") > messages // 10
    assert storm.timeline.total("codec.unreadable.nas") > 0
    assert storm.timeline.total("protocol.errors") > messages // 100
    assert sum(fault.ngap_unreadable for fault in faults) > messages // 10
    assert sum(fault.unknown_ids for fault in faults) > 0
    assert sum(sum(fault.nas_discarded.values()) for fault in faults) > messages // 100
