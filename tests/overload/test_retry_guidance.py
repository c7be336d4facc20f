from random import Random
from statistics import mean

from regstorm.overload.retry_guidance import RetryGuidance
from regstorm.records.strategy import T3346Window

WINDOW = T3346Window(low_s=30, high_s=180)


def test_the_coded_timers_keep_the_mean_of_the_window():
    guidance = RetryGuidance(WINDOW, Random(1))
    drawn = [guidance.draw_t3346().seconds for _ in range(5000)]
    assert abs(mean(drawn) - 105) < 2
    assert min(drawn) >= 30
    assert max(drawn) <= 180


def test_below_a_minute_the_coded_timers_stay_spread_over_steps_of_two_seconds():
    guidance = RetryGuidance(T3346Window(low_s=30, high_s=60), Random(1))
    drawn = {guidance.draw_t3346().seconds for _ in range(2000)}
    assert drawn == set(range(30, 61, 2))


def test_a_timer_that_is_drawn_always_runs():
    guidance = RetryGuidance(T3346Window(low_s=0, high_s=1), Random(1))
    assert all(guidance.draw_t3346().runs for _ in range(100))


def test_without_a_window_the_reject_carries_no_timer():
    assert RetryGuidance(None, Random(1)).draw_t3346() is None


def test_the_same_seed_draws_the_same_timers():
    first, second = (RetryGuidance(WINDOW, Random(7)) for _ in range(2))
    assert [first.draw_t3346() for _ in range(50)] == [second.draw_t3346() for _ in range(50)]


def test_a_retry_after_is_spread_over_the_same_window_in_whole_seconds():
    guidance = RetryGuidance(WINDOW, Random(1))
    drawn = [guidance.draw_retry_after_s() for _ in range(5000)]
    assert set(drawn) == set(range(30, 181))
    assert abs(mean(drawn) - 105) < 2


def test_without_a_window_there_is_no_retry_after_either():
    assert RetryGuidance(None, Random(1)).draw_retry_after_s() is None
