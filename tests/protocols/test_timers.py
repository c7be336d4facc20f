"""GPRS timers 2 and 3 (TS 24.008 10.5.7.4, 10.5.7.4a)."""

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from protocols.timers import DEACTIVATED2, DEACTIVATED3, ZERO2, ZERO3, GprsTimer2, GprsTimer3

MAXIMUM2_S = 186 * 60
MAXIMUM3_S = 31 * 320 * 3600
EXPRESSIBLE2 = sorted({*range(2, 63, 2), *range(60, 1861, 60), *range(360, 11161, 360)})
STEPS3 = (2, 30, 60, 600, 3600, 36_000, 1_152_000)
EXPRESSIBLE3 = sorted({step * value for step in STEPS3 for value in range(1, 32)})


@pytest.mark.parametrize(
    ("octet", "seconds"),
    [
        (0x21, 60),
        (0x2C, 720),
        (0x4A, 3600),
        (0x1F, 62),
        (0x5F, MAXIMUM2_S),
        (0x65, 300),
        (0x81, 60),
        (0xA3, 180),
        (0xDF, 1860),
    ],
)
def test_a_gprs_timer_2_reads_its_unit_bits_and_unknown_units_as_minutes(octet, seconds):
    assert GprsTimer2(octet).seconds == seconds
    assert GprsTimer2(octet).runs


@pytest.mark.parametrize("octet", [0x00, 0x20, 0x40, 0xC0])
def test_value_zero_is_zero_in_every_unit(octet):
    assert GprsTimer2(octet).seconds == GprsTimer3(octet).seconds == 0
    assert not GprsTimer2(octet).runs
    assert not GprsTimer3(octet).runs


@pytest.mark.parametrize("octet", range(0xE0, 0x100))
def test_unit_seven_is_deactivated_whatever_its_value(octet):
    assert GprsTimer2(octet).seconds is None
    assert GprsTimer3(octet).seconds is None
    assert not GprsTimer2(octet).runs
    assert not GprsTimer3(octet).runs


@pytest.mark.parametrize(
    ("octet", "seconds"),
    [(0x01, 600), (0x21, 3600), (0x41, 36_000), (0x61, 2), (0x81, 30), (0xA9, 540), (0xDF, MAXIMUM3_S)],
)
def test_a_gprs_timer_3_has_units_of_its_own(octet, seconds):
    assert GprsTimer3(octet).seconds == seconds


def test_every_octet_means_something():
    for octet in range(256):
        for timer in (GprsTimer2(octet), GprsTimer3(octet)):
            assert timer.runs == (timer.seconds is not None and timer.seconds > 0)


def test_zero_and_deactivated_are_codes_of_their_own():
    assert GprsTimer2.of(0) == ZERO2
    assert GprsTimer3.of(0) == ZERO3
    assert (DEACTIVATED2.octet, DEACTIVATED3.octet) == (0xE0, 0xE0)


@pytest.mark.parametrize(
    ("seconds", "octet"),
    [
        (2, 0x01),
        (30, 0x0F),
        (60, 0x1E),
        (62, 0x1F),
        (120, 0x22),
        (720, 0x2C),
        (1860, 0x3F),
        (2160, 0x46),
        (MAXIMUM2_S, 0x5F),
    ],
)
def test_a_gprs_timer_2_takes_the_finest_unit_that_reaches(seconds, octet):
    assert GprsTimer2.of(seconds).octet == octet


@pytest.mark.parametrize(
    ("seconds", "octet"),
    [
        (2, 0x61),
        (30, 0x81),
        (60, 0xA1),
        (540, 0xA9),
        (600, 0x01),
        (3240, 0x05),
        (3600, 0x21),
        (36_000, 0x41),
        (1_152_000, 0xC1),
    ],
)
def test_a_gprs_timer_3_takes_the_coarsest_exact_unit_else_the_nearest_code(seconds, octet):
    assert GprsTimer3.of(seconds).octet == octet


@pytest.mark.parametrize("timer", [GprsTimer2, GprsTimer3])
def test_a_positive_duration_is_never_coded_as_zero(timer):
    for u in (0.0, 0.5, 0.999):
        assert timer.of(0.01, u).seconds == 2


@pytest.mark.parametrize(("timer", "maximum"), [(GprsTimer2, MAXIMUM2_S), (GprsTimer3, MAXIMUM3_S)])
def test_a_duration_above_the_maximum_becomes_the_maximum(timer, maximum):
    assert timer.of(maximum + 1).seconds == timer.of(1e12).seconds == timer.of(float("inf")).seconds == maximum


@pytest.mark.parametrize("timer", [GprsTimer2, GprsTimer3])
@pytest.mark.parametrize("seconds", [-1.0, float("nan")])
def test_a_negative_duration_is_a_mistake_of_the_caller(timer, seconds):
    with pytest.raises(ValueError, match="cannot last"):
        timer.of(seconds)


@given(st.floats(0.001, 2e7))
def test_without_dither_no_other_code_is_nearer(seconds):
    for timer, expressible in ((GprsTimer2, EXPRESSIBLE2), (GprsTimer3, EXPRESSIBLE3)):
        coded = timer.of(seconds)
        assert abs(coded.seconds - seconds) == min(abs(value - seconds) for value in expressible)


@given(st.integers(0, 255))
def test_what_a_code_means_is_coded_back_to_the_same_meaning(octet):
    for timer in (GprsTimer2, GprsTimer3):
        seconds = timer(octet).seconds
        if seconds is not None:
            assert timer.of(seconds).seconds == seconds


@given(st.floats(0.001, 12_000), st.floats(0, 1, exclude_max=True))
def test_dither_takes_one_of_the_two_codes_around_the_duration(seconds, u):
    coded = GprsTimer2.of(seconds, u).seconds
    below = max((value for value in EXPRESSIBLE2 if value <= seconds), default=2)
    above = min((value for value in EXPRESSIBLE2 if value >= seconds), default=MAXIMUM2_S)
    assert coded in (below, above)


@pytest.mark.parametrize("seconds", [45.5, 63, 75, 100, 150, 170, 1900])
def test_dithered_timers_have_the_wanted_mean(seconds):
    rng = Random(1)
    mean = sum(GprsTimer2.of(seconds, rng.random()).seconds for _ in range(4000)) / 4000
    assert mean == pytest.approx(seconds, rel=0.02)
