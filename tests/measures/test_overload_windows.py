import pytest

from regstorm.measures.lower_bound import efficiency, lower_bound_s
from regstorm.measures.overload_windows import load_in_backlog, overload_windows, window_s


def test_a_window_is_worth_a_thousand_pairs():
    assert window_s(8700) == 1
    assert window_s(1000) == 1
    assert window_s(999) == 2
    assert window_s(87) == 12


def test_a_window_is_in_overload_above_capacity_not_at_it():
    seen = overload_windows([1000, 1001, 500, 3000], capacity_pairs_per_s=1000)
    assert (seen.windows, seen.in_overload, seen.seconds_in_overload) == (4, 2, 2)
    assert seen.share_in_overload == 0.5
    assert seen.peak_load == 3.0


def test_a_burst_within_a_window_is_averaged_over_it():
    """500 pairs/s: windows of two seconds."""
    seen = overload_windows([900, 0, 700, 400, 5000], capacity_pairs_per_s=500)
    assert (seen.window_s, seen.windows, seen.in_overload) == (2, 2, 1)
    assert seen.peak_load == pytest.approx(1.1)
    assert seen.seconds_in_overload == 2


def test_a_run_shorter_than_a_window_has_no_peak():
    seen = overload_windows([900], capacity_pairs_per_s=500)
    assert seen.peak_load is None
    assert seen.share_in_overload == 0


def test_load_in_backlog_stops_when_everybody_is_back():
    assert load_in_backlog([100, 80, 60, 0], [0, 5, 10, 10], outage_ues=10, capacity_pairs_per_s=[100] * 4) == 0.9
    assert load_in_backlog([100], [10], outage_ues=10, capacity_pairs_per_s=[100]) is None


def test_load_is_a_share_of_the_capacity_that_there_was_in_each_second():
    seen = overload_windows([900, 600, 500, 0], 1000, by_second=[1000, 500, 500, 0])

    assert (seen.windows, seen.in_overload, seen.peak_load) == (3, 1, 1.2)
    assert load_in_backlog([900, 600, 0], [0, 0, 0], 10, [1000, 500, 0]) == 1.0


def test_the_lower_bound_is_the_work_of_all_over_the_capacity_that_is_left():
    assert lower_bound_s(200_000, 25, 16_000) == 312.5
    assert lower_bound_s(100, 10, 60, background_pairs_per_s=10) == 20
    assert lower_bound_s(100, 10, 60, background_pairs_per_s=60) is None


def test_efficiency_is_one_where_nothing_but_the_needed_was_done():
    assert efficiency(300, 297) == pytest.approx(1.0)
    assert efficiency(300, 594) == pytest.approx(0.5)
    assert efficiency(300, None) is None
    assert efficiency(None, 300) is None
