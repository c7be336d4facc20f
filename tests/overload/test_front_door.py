from pathlib import Path
from random import Random

import pytest

from regstorm.overload import compose
from regstorm.overload.front_door import ADMIT, FrontDoor, Refused, gated_classes
from regstorm.overload.tiers import TierTable
from regstorm.records.files import read
from regstorm.records.message_classes import NEVER_REFUSED, MessageClass
from regstorm.records.strategy import Gate, Strategy

STRATEGIES = Path(__file__).parents[2] / "strategies"
INITIAL, FOLLOW_UP = MessageClass.INITIAL_REGISTRATION, MessageClass.FOLLOW_UP


def door_of(name: str) -> FrontDoor:
    """1300 pairs/s and 13 pairs per UE: 100 UEs/s, of which the gate takes 80 % = 80 UEs/s, 480 messages/s."""
    strategy = read(STRATEGIES / f"{name}.yaml", Strategy)
    return compose.front_door(strategy, 1300, pairs_per_ue=13, messages_per_ue=6, rng=Random(1))


def empty(door: FrontDoor, now: float = 0.0) -> int:
    """Registers UEs until one is refused; how many were admitted."""
    admitted = 0
    while door.decide(now, INITIAL, first=True) == ADMIT:
        admitted += 1
    return admitted


def test_without_a_gate_everything_is_admitted():
    door = door_of("self_protection")
    assert all(door.decide(0.0, one, first=True) == ADMIT for one in MessageClass for _ in range(1000))


def test_precise_admits_the_messages_of_the_ues_that_the_udm_can_finish():
    door = door_of("precise")
    assert empty(door) == 2 * 480
    assert empty(door, now=1.0) == 480


def test_tiered_admits_the_first_messages_of_the_ues_that_the_udm_can_finish():
    door = door_of("tiered")
    assert empty(door) == 2 * 80
    assert empty(door, now=1.0) == 80


def test_a_refused_first_message_is_rejected_at_once():
    door = door_of("precise")
    empty(door)
    assert door.decide(0.0, INITIAL, first=True) == Refused(first=True, action="reject")


@pytest.mark.parametrize(("name", "action"), [("precise", "drop"), ("precise_reject", "reject")])
def test_what_happens_to_a_refused_follow_up_is_said_by_the_strategy(name, action):
    door = door_of(name)
    empty(door)
    assert door.decide(0.0, FOLLOW_UP, first=False) == Refused(first=False, action=action)


def test_precise_refuses_users_in_service_as_well():
    door = door_of("precise")
    empty(door)
    refused = {one for one in MessageClass if door.decide(0.0, one, first=True) != ADMIT}
    assert refused == set(MessageClass) - NEVER_REFUSED


def test_tiered_refuses_nothing_but_initial_registrations():
    door = door_of("tiered")
    empty(door)
    refused = {one for one in MessageClass if door.decide(0.0, one, first=True) != ADMIT}
    assert refused == {INITIAL}


def test_a_gate_of_first_messages_without_tiers_refuses_nothing_but_initial_registrations():
    assert gated_classes(Gate(counts="first_messages"), TierTable(None)) == {INITIAL}


def test_the_other_vendors_order_refuses_updates_of_users_in_service_too():
    door = door_of("tiered_sheds_updates")
    empty(door)
    refused = {one for one in MessageClass if door.decide(0.0, one, first=True) != ADMIT}
    assert refused == {
        INITIAL,
        MessageClass.SERVICE_REQUEST,
        MessageClass.MOBILITY_UPDATE,
        MessageClass.PERIODIC_UPDATE,
        MessageClass.PDU_SESSION,
    }


@pytest.mark.parametrize("name", ["precise", "tiered", "tiered_sheds_updates"])
@pytest.mark.parametrize("message_class", sorted(NEVER_REFUSED))
def test_what_is_never_refused_takes_no_token_from_others(name, message_class):
    door, untouched = door_of(name), door_of(name)
    for _ in range(10_000):
        assert door.decide(0.0, message_class, first=True) == ADMIT
    assert empty(door) == empty(untouched)


@pytest.mark.parametrize("name", ["precise_no_t3346", "tiered_no_t3346"])
def test_a_strategy_without_t3346_rejects_without_a_timer(name):
    assert door_of(name).draw_t3346() is None


@pytest.mark.parametrize("name", ["precise", "precise_reject", "tiered", "tiered_sheds_updates"])
def test_a_strategy_with_t3346_spreads_it_over_30_to_180_seconds(name):
    door = door_of(name)
    assert all(30 <= door.draw_t3346().seconds <= 180 for _ in range(200))


def test_an_open_door_refuses_nobody_and_draws_no_timer():
    door = FrontDoor.open(Random(1))
    assert door.decide(0.0, INITIAL, first=True) == ADMIT
    assert door.draw_t3346() is None
    assert door.tier(INITIAL) == 0


def test_every_strategy_file_is_named_after_its_strategy_and_says_in_five_sentences_what_it_is():
    files = sorted(STRATEGIES.glob("*.yaml"))
    assert {"self_protection", "precise", "tiered"} <= {file.stem for file in files}
    for file in files:
        strategy = read(file, Strategy)
        assert strategy.name == file.stem
        assert strategy.summary.count(". ") + strategy.summary.endswith(".") == 5


def test_only_a_strategy_that_orders_queues_gets_an_ordered_server():
    servers = {
        name: compose.server(compose.Shedding(), 100, read(STRATEGIES / f"{name}.yaml", Strategy), Random(1))
        for name in ("self_protection", "precise", "tiered")
    }
    assert {name: server.ordered for name, server in servers.items()} == {
        "self_protection": False,
        "precise": False,
        "tiered": True,
    }


def test_a_planned_rate_takes_the_place_of_what_the_udm_can_finish():
    tiered = read(STRATEGIES / "tiered.yaml", Strategy)
    assert tiered.gate is not None
    planned = tiered.model_copy(update={"gate": tiered.gate.model_copy(update={"ues_per_s": 30.0})})

    doors = [
        compose.front_door(planned, capacity, pairs_per_ue=13, messages_per_ue=6, rng=Random(1), width=width)
        for capacity, width in ((1300, 1.0), (650, 1.0), (1300, 2.0))
    ]

    assert [empty(door) for door in doors] == [60, 60, 120]
