import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from regstorm.measures.service_log import BACK, CHANGED, ServiceLog


def log_of(outage_ues=10, online_ues=0, outage_end_s=100.0) -> ServiceLog:
    """Everybody is in service until the outage group is lost at 50 s."""
    log = ServiceLog(outage_ues, online_ues, outage_end_s)
    for ue in range(outage_ues + online_ues):
        log.change(ue, True, 0.0)
    for ue in range(outage_ues):
        log.change(ue, False, 50.0)
    return log


def test_recovery_times_count_from_the_end_of_the_outage():
    log = log_of()
    for ue in range(10):
        log.change(ue, True, 110.0 + 10 * ue)
    assert log.recovery_s(0.5) == 50
    assert log.recovery_s(0.9) == 90
    assert log.recovery_s(1.0) == 100
    assert log.share_back == 1
    assert (log.share_back_within(9.9), log.share_back_within(50), log.share_back_within(600)) == (0, 0.5, 1)
    assert log.first_back_s(3) == 40


def test_what_was_not_reached_is_none():
    log = log_of()
    for ue in range(5):
        log.change(ue, True, 120.0)
    assert log.recovery_s(0.5) == 20
    assert log.recovery_s(0.51) is None
    assert log.share_back == 0.5
    assert log.first_back_s(9) is None


def test_service_before_the_end_of_the_outage_is_not_recovery():
    log = log_of()
    log.change(0, True, 99.0)
    assert log.back == 0


def test_a_ue_is_back_once_however_often_it_is_lost_again():
    log = log_of()
    for at in (110.0, 130.0):
        log.change(0, True, at)
        log.change(0, False, at + 10)
    assert log.back == 1
    assert log.first_back_s(0) == 10
    assert log.last_loss_s(0) == 140


def test_stable_means_together_until_the_end():
    log = log_of()
    for ue in range(10):
        log.change(ue, True, 110.0 + ue)
    assert log.stable_recovery_s() == 19
    log.change(4, False, 200.0)
    assert log.stable_recovery_s() is None
    log.change(4, True, 230.0)
    assert log.stable_recovery_s() == 130
    assert log.recovery_s(0.99) == 19


def test_one_in_a_hundred_may_be_missing_from_stable():
    log = log_of(outage_ues=200)
    for ue in range(198):
        log.change(ue, True, 150.0)
    assert log.stable_recovery_s() == log.recovery_s(0.99) == 50


def test_the_online_group_counts_for_no_recovery():
    log = log_of(outage_ues=2, online_ues=3)
    log.change(3, False, 110.0)
    log.change(3, True, 120.0)
    assert log.back == 0
    assert log.is_online_group(3)
    assert not log.is_online_group(1)
    assert log.last_loss_s(3) == 110
    assert log.last_loss_s(2) is None


def test_a_change_to_what_it_was_changes_nothing():
    log = log_of()
    assert log.change(0, True, 110.0)
    assert not log.change(0, True, 111.0)
    assert log.first_back_s(0) == 10


def test_a_change_tells_who_is_back_for_the_first_time_since_the_end_of_the_outage():
    log = log_of(outage_ues=2, online_ues=1)
    assert [log.change(0, True, 99.0), log.change(0, False, 101.0), log.change(0, True, 110.0)] == [
        CHANGED,
        CHANGED,
        BACK,
    ]
    assert [log.change(0, False, 120.0), log.change(0, True, 130.0)] == [CHANGED, CHANGED]
    assert [log.change(2, False, 140.0), log.change(2, True, 150.0)] == [CHANGED, CHANGED]


@pytest.mark.parametrize("ues", [1, 7, 100, 2000])
def test_binary_fractions_ask_for_no_ue_too_many(ues):
    log = log_of(outage_ues=ues)
    for ue in range(ues):
        log.change(ue, True, 101.0 + ue)
    for percent in (1, 7, 50, 90, 99, 100):
        assert log.recovery_s(percent / 100) == max(1, -(-percent * ues // 100))


@settings(max_examples=50)
@given(st.lists(st.tuples(st.integers(0, 5), st.booleans(), st.floats(0, 9)), max_size=60))
def test_it_agrees_with_looking_at_the_whole_history(changes):
    log, now, history = log_of(outage_ues=6), 100.0, []
    for ue, in_service, gap in changes:
        now += gap
        log.change(ue, in_service, now)
        history.append((now, ue, in_service))
    first = {}
    for at, ue, in_service in history:
        if in_service:
            first.setdefault(ue, at - 100)
    times = sorted(first.values())
    assert log.recovery_s(0.5) == (times[2] if len(times) >= 3 else None)
    assert log.recovery_s(1.0) == (times[5] if len(times) == 6 else None)


def log_of_two_outages() -> ServiceLog:
    """Both UEs are lost at 50 s and 300 s, and could be back from 100 s and 350 s on."""
    log = ServiceLog(2, 0, outage_end_s=100.0, next_begins_s=300.0, last_end_s=350.0)
    for lost_s, back_s in ((50.0, 110.0), (300.0, 370.0)):
        for ue in (0, 1):
            log.change(ue, True, 0.0)
            log.change(ue, False, lost_s)
        for ue in (0, 1):
            log.change(ue, True, back_s + 10 * ue)
    return log


def test_of_several_outages_recovery_times_are_those_of_the_first():
    log = log_of_two_outages()
    assert (log.recovery_s(0.5), log.recovery_s(1.0), log.stable_recovery_s()) == (10, 20, 20)
    assert log.share_back == 1


def test_of_several_outages_everybody_is_back_after_the_last():
    assert log_of_two_outages().everybody_back_s == 380
    once = ServiceLog(1, 0, outage_end_s=100.0, next_begins_s=300.0, last_end_s=350.0)
    once.change(0, True, 110.0)
    assert once.everybody_back_s is None
