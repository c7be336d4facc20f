"""One UE, whose messages an unkind door drops or refuses by a list: both engines go the same way, to the moment.

Nothing is left to chance but the list: answers take 0.3 s, T3346 is 30 s, and nobody adds jitter.
"""

from pathlib import Path
from random import Random

import pytest
from small_storms import scenario, storm_of, strategy

from protocols.timers import GprsTimer2
from regstorm.overload.front_door import ADMIT, FrontDoor, Refused
from regstorm.overload.retry_guidance import RetryGuidance
from regstorm.records.scenario import Scenario
from regstorm.records.storm_plan import StormPlan
from regstorm.simulator.run import Storm

LISTED = 30
"""Messages that the list is about; what comes after them is let in."""


class Door:
    """Every decision, and when; those whose numbers are listed refuse."""

    def __init__(self):
        self.refused = ()
        self.decisions = []

    def decide(self, now, message_class, first):
        refuses = len(self.decisions) in self.refused
        self.decisions.append((round(now, 2), message_class.name, refuses))
        return Refused(first, "reject" if first else "drop") if refuses else ADMIT


@pytest.fixture
def door(monkeypatch):
    door = Door()

    def decide(itself, now, message_class, first, *sender, **probation):
        return door.decide(now, message_class, first)

    monkeypatch.setattr(FrontDoor, "decide", decide)
    monkeypatch.setattr(RetryGuidance, "draw_t3346", lambda guidance: GprsTimer2.of(30))
    return door


def lone_ue():
    """Its base station releases 9.8 s after the last message: no two things happen in one moment."""
    calm = scenario(ues=1, arrivals_s=0.001, outage={"recovery_within_s": 400, "calm_after_s": 0})
    exact = {"answer_s": {"low": 0.3, "high": 0.3}, "retry_jitter_s": 0}
    return Scenario.model_validate(
        {
            **calm.model_dump(by_alias=True),
            "ue": exact,
            "online": {"every_s": 1e9, "inactivity_s": 9.8},
        }
    )


def until_back(door, storm):
    """What the door was asked until the UE is in service again, by the second since its first message."""
    back_s = storm.log.everybody_back_s
    first_s = door.decisions[0][0]
    heard = [(now - first_s, name, refused) for now, name, refused in door.decisions if back_s is None or now <= back_s]
    door.decisions = []
    return heard


def simulated(door, refused):
    door.refused = refused
    storm = Storm(lone_ue(), strategy("precise"), seed=1)
    while not storm.over:
        storm.run_second()
    return until_back(door, storm)


def on_the_wire(door, refused):
    door.refused = refused
    return until_back(door, storm_of(StormPlan(lone_ue(), strategy("precise"), 1, 1, Path())))


def same(ours, theirs):
    """The same questions at the same time, but for what the order of messages in one moment does to rounding."""
    return [one[1:] for one in ours] == [one[1:] for one in theirs] and all(
        abs(one[0] - other[0]) < 0.1 for one, other in zip(ours, theirs, strict=True)
    )


def test_what_a_ue_was_about_to_send_is_lost_with_the_connection_that_its_base_station_releases(door):
    """REGISTRATION COMPLETE and the first session request are dropped. T3550 has the former repeated; T3580 runs out
    just before the base station's inactivity timer does, and the request, which takes the UE 0.3 s, is not sent any
    more: at the next expiry a service request has to bring a connection."""
    ours, theirs = simulated(door, (3, 4)), on_the_wire(door, (3, 4))
    assert same(ours, theirs)
    assert [name for _, name, _ in ours][5:] == ["FOLLOW_UP", "SERVICE_REQUEST", "PDU_SESSION", "PDU_SESSION"]
    assert ours[6][0] == pytest.approx(32.7, abs=0.1)  # the second expiry of T3580


@pytest.mark.parametrize("seed", range(12))
def test_a_ue_whose_messages_are_dropped_at_random_goes_the_same_way_on_both_engines(door, seed):
    rng = Random(seed)
    refused = tuple(number for number in range(LISTED) if rng.random() < 0.3 + 0.05 * (seed % 6))
    ours, theirs = simulated(door, refused), on_the_wire(door, refused)
    assert same(ours, theirs), (ours, theirs)
