"""The histogram of lateness."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from regstorm.drivers.lateness import LEAST_S, Lateness


def noted(*values):
    lateness = Lateness()
    for value in values:
        lateness.note(value)
    return lateness


def test_without_events_nothing_is_late():
    assert noted().p99_s == 0.0
    assert noted().max_s == 0.0


def test_an_event_ahead_of_its_time_or_just_on_it_is_punctual():
    lateness = noted(0.0, -1.0, LEAST_S / 2)
    assert lateness.events == 3
    assert lateness.p99_s == 0.0


def test_one_event_in_a_hundred_does_not_move_p99_but_two_do():
    assert noted(*[0.001] * 99, 5.0).p99_s < 0.0012
    assert noted(*[0.001] * 98, 5.0, 5.0).p99_s == 5.0


@settings(max_examples=50)
@given(st.lists(st.floats(min_value=1e-4, max_value=1e4), min_size=1, max_size=60), st.sampled_from([0.5, 0.99]))
def test_a_quantile_is_never_told_too_small_and_at_most_an_eighth_too_large(values, share):
    import math

    exact = sorted(values)[max(0, math.ceil(share * len(values)) - 1)]
    told = noted(*values).quantile_s(share)
    assert exact <= told <= exact * 1.126


def test_two_processes_add_up():
    here, there = noted(*[0.01] * 60), noted(*[0.2] * 40)
    here.add(there.buckets, there.max_s)
    assert here.events == 100
    assert here.max_s == 0.2
    assert here.p50_s == pytest.approx(0.01, rel=0.13)
    assert here.p99_s == pytest.approx(0.2, rel=0.13)
