"""The rate that follows the load behind the door."""

import pytest

from regstorm.overload.live_credit import LEAST_SHARE, LiveCredit
from regstorm.records.strategy import Credit


def credit(rate: float = 100.0, **rule) -> LiveCredit:
    return LiveCredit(Credit(**rule), rate)


def test_at_its_target_the_rate_stays():
    one = credit()
    one.observe(0.95, refused_somebody=True)
    assert one.rate == 100


@pytest.mark.parametrize(
    ("load", "rate"),
    [
        (0.9, 100 * (1 + 0.3 * 0.05 / 0.9)),
        (0.5, 105),  # not faster than that
        (0.0, 105),
        (1.0, 98.5),
        (2.0, 100 * (1 - 0.3 * 1.05 / 2)),
    ],
)
def test_the_rate_moves_towards_the_target_within_its_limits(load, rate):
    one = credit()
    one.observe(load, refused_somebody=True)
    assert one.rate == pytest.approx(rate)


def test_the_rate_is_cut_by_no_more_than_a_fifth_a_second():
    one = credit(gain=1.0)
    one.observe(5.0, refused_somebody=False)
    assert one.rate == pytest.approx(80)


def test_a_door_at_which_nobody_was_refused_does_not_grow():
    one = credit()
    one.observe(0.1, refused_somebody=False)
    assert one.rate == 100


def test_the_rate_never_reaches_zero():
    one = credit()
    for _ in range(200):
        one.observe(10.0, refused_somebody=False)
    assert one.rate == pytest.approx(100 * LEAST_SHARE)


@pytest.mark.parametrize("start", [60.0, 160.0])
def test_a_rate_that_was_planned_wrong_is_right_within_half_a_minute(start):
    """A back end whose load is what is admitted, of 100 UEs per second."""
    one = credit(start)
    for _ in range(30):
        one.observe(one.rate / 100, refused_somebody=True)
    assert one.rate == pytest.approx(95, rel=0.02)
