"""The guided door, request by request."""

from random import Random

import pytest

from regstorm.overload import compose
from regstorm.overload.backlog_window import BacklogWindow
from regstorm.overload.front_door import ADMIT, REFUSED_FIRST
from regstorm.overload.guided_door import IGNORED
from regstorm.records import strategy as records
from regstorm.records.message_classes import MessageClass

NEWCOMER = MessageClass.INITIAL_REGISTRATION
GUIDED = records.Strategy(
    name="guided",
    title="",
    summary="",
    gate=records.Gate(counts="first_messages", share_of_capacity=1.0, depth_s=1, least_depth_ues=1),
    credit=records.Credit(),
    backlog=records.BacklogWindow(),
)


@pytest.fixture
def door():
    """Ten UEs per second, ten in the bucket."""
    return compose.front_door(GUIDED, 100.0, 10.0, 6.0, Random(1))


def ask(door, ue, now=0.0, protected=True):
    return door.decide(now, NEWCOMER, True, ue, protected)


def refuse_ten(door):
    """The bucket is empty now, and UEs 10 to 19 are expected back."""
    decisions = [ask(door, ue) for ue in range(20)]
    assert decisions == [ADMIT] * 10 + [REFUSED_FIRST] * 10
    return {ue: door.draw_t3346(0.0, ue).seconds for ue in range(10, 20)}


def test_follow_ups_and_users_in_service_pass_an_empty_bucket(door):
    refuse_ten(door)
    assert door.decide(0.0, MessageClass.FOLLOW_UP, False, 3) is ADMIT
    assert door.decide(0.0, MessageClass.SERVICE_REQUEST, True, 4) is ADMIT


def test_refused_ues_are_expected_within_the_window(door):
    due = refuse_ten(door)
    assert door.backlog.size == 10
    assert set(due.values()) <= {2, 4}


def test_the_credit_grows_only_after_a_refusal(door):
    door.observe(0.5, 1.0)
    assert door.gate.rate == 10
    for ue in range(11):
        ask(door, ue, 1.0)
    door.observe(0.5, 2.0)
    assert door.gate.rate == pytest.approx(10.5)
    door.observe(0.5, 3.0)
    assert door.gate.rate == pytest.approx(10.5)


def test_a_ue_that_comes_early_may_take_what_others_must_leave(door):
    refuse_ten(door)
    door.backlog.expect("restless", 100.0, 0.0)
    assert ask(door, "restless", 0.05) is REFUSED_FIRST
    assert ask(door, "new", 0.45) is REFUSED_FIRST  # four tokens, and five are to be left
    assert ask(door, "restless", 0.45) is ADMIT


def test_nobody_need_leave_anything_a_second_later(door):
    refuse_ten(door)
    door.backlog.expect("restless", 100.0, 0.0)
    assert ask(door, "restless", 0.05) is REFUSED_FIRST
    for ue in range(100, 104):
        assert ask(door, ue, 1.06) is ADMIT


def test_who_cannot_be_told_to_wait_goes_first_and_gets_no_timer(door):
    refuse_ten(door)
    assert ask(door, None, 0.05, protected=False) is REFUSED_FIRST
    assert door.draw_t3346(0.05, None, protected=False) is None
    assert ask(door, "new", 0.45) is REFUSED_FIRST
    assert ask(door, None, 0.45, protected=False) is ADMIT


def test_who_had_its_turn_comes_last(door):
    refuse_ten(door)
    door.observe(0.9, 1.0)
    assert ask(door, 0, 1.0) is REFUSED_FIRST
    door.draw_t3346(1.0, 0)
    assert ask(door, 0, 1.1) is IGNORED
    door.observe(0.5, 20.0)
    assert ask(door, 0, 30.0) is ADMIT


def test_windows_grow_with_the_backlog_up_to_their_limit():
    window = BacklogWindow(records.BacklogWindow(), Random(1))
    assert window.window_s(10, 100.0) == 4
    assert window.window_s(10_000, 100.0) == pytest.approx(70)
    assert window.window_s(40_000, 100.0) == 120
    assert window.window_s(1_200_000, 1000.0) == pytest.approx(200)  # else more than twelve attempts for each


@pytest.mark.parametrize("backlog", [0, 100, 5_000, 50_000])
def test_every_timer_runs_and_stays_within_the_window_but_for_its_coding(backlog):
    window = BacklogWindow(records.BacklogWindow(), Random(backlog))
    longest_s = window.window_s(backlog, 100.0)
    for _ in range(300):
        timer = window.draw(backlog, 100.0)
        assert timer.runs
        assert timer.seconds <= max(longest_s + 60, 4)


@pytest.mark.parametrize(
    "fields",
    [
        {"credit": {}},
        {"backlog": {}},
        {"credit": {}, "backlog": {}},
        {"credit": {}, "backlog": {}, "gate": {"counts": "every_uplink_message"}},
    ],
)
def test_a_strategy_with_half_of_it_is_refused(fields):
    with pytest.raises(ValueError, match="credit"):
        records.Strategy.model_validate({"name": "half", "title": "", "summary": "", **fields})
