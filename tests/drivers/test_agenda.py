"""The agenda's order, and what cancelling costs."""

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from regstorm.drivers.agenda import SWEEP_FROM, HeapAgenda


def run_all(agenda: HeapAgenda) -> None:
    while (due_s := agenda.next_due_s()) is not None:
        agenda.now = due_s
        agenda.run_due(1_000_000)


@settings(max_examples=60)
@given(st.lists(st.tuples(st.sampled_from([0.0, 0.5, 1.0, 1.5, 7.25]), st.booleans()), max_size=60))
def test_actions_are_called_by_due_time_and_equal_ones_as_they_were_added(wanted):
    agenda, called = HeapAgenda(), []
    entries = [agenda.at(due_s, lambda now, n=n: called.append((now, n))) for n, (due_s, _) in enumerate(wanted)]
    for entry, (_, cancelled) in zip(entries, wanted, strict=True):
        if cancelled:
            entry.cancel()
    kept = [(due_s, n) for n, (due_s, cancelled) in enumerate(wanted) if not cancelled]
    assert agenda.waiting == len(kept)
    run_all(agenda)
    assert called == sorted(kept)
    assert agenda.waiting == 0


def test_an_action_may_add_another_for_the_same_instant_which_comes_after_those_that_wait():
    agenda, called = HeapAgenda(), []
    agenda.at(1.0, lambda now: (called.append("a"), agenda.at(now, lambda now: called.append("c"))))
    agenda.at(1.0, lambda now: called.append("b"))
    run_all(agenda)
    assert called == ["a", "b", "c"]


def test_an_action_that_is_due_already_is_called_now_and_never_in_the_past():
    agenda, called = HeapAgenda(), []
    agenda.at(5.0, lambda now: agenda.at(1.0, called.append))
    run_all(agenda)
    assert called == [5.0]


def test_an_action_can_cancel_one_of_its_own_instant():
    agenda, called = HeapAgenda(), []
    agenda.at(1.0, lambda now: victim.cancel())
    victim = agenda.at(1.0, called.append)
    agenda.at(1.0, called.append)
    run_all(agenda)
    assert called == [1.0]


def test_cancelling_twice_or_after_the_call_is_harmless():
    agenda, called = HeapAgenda(), []
    first, second = agenda.at(1.0, called.append), agenda.at(2.0, called.append)
    second.cancel()
    second.cancel()
    run_all(agenda)
    first.cancel()
    assert called == [1.0]
    assert agenda.waiting == 0


def test_cancelled_guard_timers_do_not_fill_the_heap():
    agenda = HeapAgenda()
    for n in range(100):
        agenda.at(1000.0 + n, lambda now: None)
    longest = 0
    for _ in range(20 * SWEEP_FROM):
        agenda.at(720.0, lambda now: None).cancel()
        longest = max(longest, len(agenda._heap))
    assert agenda.waiting == 100
    assert longest <= SWEEP_FROM + 101
    assert agenda.next_due_s() == 1000.0


def test_a_sweep_keeps_the_order():
    agenda, called = HeapAgenda(), []
    entries = [agenda.at(1.0 + n % 3, lambda now, n=n: called.append(n)) for n in range(3 * SWEEP_FROM)]
    for n, entry in enumerate(entries):
        if n % 4:
            entry.cancel()
    run_all(agenda)
    assert called == sorted(range(0, 3 * SWEEP_FROM, 4), key=lambda n: (n % 3, n))


def test_a_due_time_that_is_no_number_is_a_mistake_of_the_program():
    with pytest.raises(ValueError, match="NaN"):
        HeapAgenda().at(math.nan, lambda now: None)
