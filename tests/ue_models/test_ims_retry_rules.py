"""When a UE tries again to register in IMS (TS 24.229 5.1.1, RFC 3261 20.33, RFC 5626 4.5)."""

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ue_models.ims_rules import (
    RETRY_AFTER,
    RFC_5626,
    Again,
    Ask,
    AskLater,
    Exhausted,
    NetworkNotGenuine,
    NextPCscf,
    Refused,
    Standing,
    Stop,
    TimerF,
    Wait,
    back_off_s,
    choose,
    described,
    message_lost_binding,
    registration_failed,
    reregister_after_s,
    without_retry_after,
)


def after(failure, **standing):
    return registration_failed(failure, Random(1), Standing(**standing))


@pytest.mark.parametrize("status", [408, 480, 486, 500, 503, 504, 600])
def test_retry_after_is_obeyed_to_the_letter_and_bars_the_p_cscf_that_sent_it(status):
    assert after(Refused(status, 5)) == Wait(5.0, RETRY_AFTER, bars=True)
    assert after(Refused(status, 4000), failures=7) == Wait(4000.0, RETRY_AFTER, bars=True)


@pytest.mark.parametrize("status", [408, 480, 500, 503, 504, 600])
def test_without_retry_after_the_first_wait_is_half_a_minute_to_a_minute(status):
    wait = after(Refused(status))
    assert wait.timer == RFC_5626
    assert not wait.bars
    assert 30 <= wait.after_s <= 60


def test_later_waits_double_up_to_half_an_hour_and_half_of_each_is_certain():
    for failures, most_s in [(0, 60), (1, 120), (2, 240), (3, 480), (4, 960), (5, 1800), (6, 1800), (400, 1800)]:
        for seed in range(20):
            wait = registration_failed(Refused(503), Random(seed), Standing(failures=failures))
            assert most_s / 2 <= wait.after_s <= most_s


def test_the_draw_is_uniform_over_the_upper_half():
    draws = sorted(back_off_s(1, Random(seed)) for seed in range(400))
    assert draws[0] < 31
    assert draws[-1] > 59
    assert 43 < draws[200] < 47


def test_only_a_first_failure_that_no_re_registration_led_to_is_retried_within_five_minutes(monkeypatch):
    monkeypatch.setattr("ue_models.ims_rules.BASE_TIME_S", 900.0)
    assert after(Refused(503)).after_s == 300.0
    assert after(Refused(503), failures=1).after_s > 300
    assert after(Refused(503), reregistering=True).after_s > 300
    assert after(Refused(503), after_reregistration=True).after_s > 300


def test_timer_f_305_and_a_challenge_too_many_lead_to_the_next_p_cscf_at_once():
    for failure in (TimerF(), Refused(305), Refused(401), NetworkNotGenuine()):
        assert after(failure) == NextPCscf()
        assert after(failure, reregistering=True) == NextPCscf()


def test_an_interval_too_brief_is_asked_for_again_with_the_least_that_is_granted():
    assert after(Refused(423, None, 3600), wished_s=60) == Again(3600)


@pytest.mark.parametrize("least", [None, 0, 60])
def test_an_interval_too_brief_that_says_nothing_new_is_a_failure_as_any_other(least):
    assert after(Refused(423, None, least), wished_s=60).timer == RFC_5626


def test_forbidden_and_unknown_end_it_unless_the_network_says_when():
    assert after(Refused(403)) == Stop()
    assert after(Refused(404)) == Stop()
    assert after(Refused(403, 120)) == Wait(120.0, RETRY_AFTER, bars=True)


def test_a_restarted_s_cscf_wants_an_initial_registration_at_once():
    lost = Refused(504, restoration=True)
    assert after(lost, reregistering=True) == Wait(0.0, "")
    assert after(lost).timer == RFC_5626
    assert message_lost_binding(lost)


def test_a_message_unanswered_loses_the_binding_one_refused_does_not():
    assert message_lost_binding(TimerF())
    assert not message_lost_binding(Refused(503, 30))
    assert not message_lost_binding(Refused(504))


def test_who_does_not_believe_retry_after_backs_off_as_if_there_were_none():
    assert without_retry_after(Refused(503, 120, 5)) == Refused(503, None, 5)
    assert without_retry_after(TimerF()) == TimerF()


@pytest.mark.parametrize(
    ("expires_s", "due_s"), [(600_000, 599_400), (3600, 3000), (1201, 601), (1200, 600), (600, 300)]
)
def test_a_binding_is_renewed_ten_minutes_early_or_at_half_time(expires_s, due_s):
    assert reregister_after_s(expires_s) == due_s


def test_failures_in_words():
    assert [described(one) for one in (Refused(503), TimerF(), NetworkNotGenuine())] == [
        "SIP 503",
        "Timer F expired",
        "network not genuine",
    ]


# --- which P-CSCF ----------------------------------------------------------------------------------------------------


def test_the_preferred_p_cscf_is_asked():
    assert choose(1, 0, (0.0, 0.0), now=10.0) == Ask(1)


def test_retry_after_bars_only_the_p_cscf_that_sent_it():
    assert choose(0, 0, (100.0, 0.0), now=10.0) == Ask(1)
    assert choose(0, 0, (100.0, 0.0), now=100.0) == Ask(0)


def test_one_that_was_asked_in_vain_is_not_asked_again():
    assert choose(0, 0b01, (0.0, 0.0), now=10.0) == Ask(1)
    assert choose(1, 0b10, (0.0, 0.0), now=10.0) == Ask(0)


def test_when_the_rest_is_barred_the_first_to_be_free_is_waited_for():
    assert choose(0, 0, (100.0, 60.0), now=10.0) == AskLater(1, 60.0)
    assert choose(0, 0b10, (100.0, 60.0), now=10.0) == AskLater(0, 100.0)


def test_a_list_of_which_all_were_asked_in_vain_is_exhausted_and_so_is_none():
    assert choose(0, 0b11, (0.0, 0.0), now=10.0) == Exhausted()
    assert choose(0, 0, (), now=10.0) == Exhausted()


@given(st.integers(0, 3), st.integers(0, 15), st.lists(st.floats(0, 100), min_size=4, max_size=4), st.floats(0, 100))
def test_whoever_is_chosen_is_neither_barred_nor_asked_in_vain(preferred, in_vain, barred, now):
    match choose(preferred, in_vain, barred, now):
        case Ask(one):
            assert not in_vain >> one & 1
            assert barred[one] <= now
        case AskLater(one, at_s):
            assert at_s == barred[one] > now
            assert all(in_vain >> other & 1 or barred[other] >= at_s for other in range(4))
        case Exhausted():
            assert in_vain == 15
