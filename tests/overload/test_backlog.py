"""Who is expected back, and what a UE is that comes."""

from hypothesis import given, settings
from hypothesis import strategies as st

from regstorm.overload.backlog import CALM_S, Backlog, Standing


def at(backlog: Backlog, now: float, sender: str = "ue") -> Standing:
    backlog.advance(now)
    return backlog.standing(sender, now)


def test_a_refused_ue_is_early_then_on_time_then_late():
    backlog = Backlog(overdue_s=10)
    assert at(backlog, 0.0) is Standing.NEW
    backlog.expect("ue", 30.0, 0.0)
    assert at(backlog, 29.0) is Standing.EARLY
    assert at(backlog, 30.0) is Standing.ON_TIME
    assert at(backlog, 40.9) is Standing.ON_TIME
    assert at(backlog, 41.0) is Standing.LATE


def test_a_ue_is_expected_until_it_is_admitted():
    backlog = Backlog(overdue_s=10)
    backlog.expect("ue", 30.0, 0.0)
    assert backlog.size == 1
    backlog.advance(30.0)
    backlog.admitted("ue")
    assert backlog.size == 0
    assert at(backlog, 31.0) is Standing.SERVED


def test_a_ue_that_is_refused_again_is_expected_once():
    backlog = Backlog(overdue_s=10)
    backlog.expect("ue", 30.0, 0.0)
    backlog.advance(30.0)
    backlog.expect("ue", 60.0, 30.0)
    backlog.advance(45.0)
    assert backlog.size == 1
    backlog.advance(71.0)
    assert backlog.size == 0


def test_a_ue_that_is_overdue_is_not_expected_any_more_and_counts_again_when_it_is_refused():
    backlog = Backlog(overdue_s=10)
    backlog.expect("ue", 30.0, 0.0)
    backlog.advance(45.0)
    assert backlog.size == 0
    backlog.expect("ue", 60.0, 45.0)
    assert backlog.size == 1


def test_who_had_its_turn_is_told_when_to_come_but_is_no_part_of_the_backlog():
    backlog = Backlog(overdue_s=10)
    backlog.admitted("ue")
    backlog.expect("ue", 30.0, 0.0)
    assert backlog.size == 0
    assert at(backlog, 20.0) is Standing.SERVED_EARLY
    assert at(backlog, 30.0) is Standing.SERVED


def test_after_the_storm_everything_is_forgotten():
    backlog = Backlog(overdue_s=10)
    backlog.admitted("served")
    backlog.expect("ue", 30.0, 0.0)
    assert at(backlog, CALM_S - 1, "served") is Standing.SERVED
    assert at(backlog, CALM_S + 1, "served") is Standing.NEW


@settings(max_examples=60)
@given(st.lists(st.tuples(st.integers(0, 8), st.floats(0, 40), st.booleans(), st.floats(0, 15)), max_size=60))
def test_the_size_is_that_of_a_backlog_kept_by_hand(steps):
    """`told` are those who know when to come; when the storm has been over for a while everything is forgotten."""
    backlog, now, due_s, served = Backlog(overdue_s=10), 0.0, {}, set()
    told, refused_at_s = set(), 0.0
    for ue, back_off_s, admitted, pause_s in steps:
        now += pause_s
        backlog.advance(now)
        due_s = {one: due for one, due in due_s.items() if int(due + 10) >= int(now)}
        if not due_s and told and now - refused_at_s > CALM_S:
            told.clear()
            served.clear()
        if admitted:
            backlog.admitted(ue)
            due_s.pop(ue, None)
            told.discard(ue)
            served.add(ue)
        else:
            backlog.expect(ue, now + back_off_s, now)
            told.add(ue)
            refused_at_s = now
            if ue not in served:
                due_s[ue] = now + back_off_s
        assert backlog.size == len(due_s)
