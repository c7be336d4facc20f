"""Where UEs depart from the rules, and where they do not."""

from random import Random

from protocols.causes import FivegmmCause
from protocols.timers import GprsTimer2
from ue_models.profiles import IGNORES_T3346, OBEDIENT, endless, impatient, restless
from ue_models.rules import GiveUp, Never, RegisterAnew, Rejected, Retry, ToEutra
from ue_models.timers import T3510, T3517, T3580

VERDICTS = [
    Retry(10.0, "T3511", 2),
    Retry(720.0, "T3502", 0, forget=True),
    Retry(90.0, "T3346", 0),
    Retry(2000.0, "T3247", 0),
    RegisterAnew(True),
    Never(),
    ToEutra(),
    GiveUp(),
]
BUSY = Rejected(FivegmmCause.CONGESTION, GprsTimer2.of(90))


def test_an_obedient_ue_changes_nothing():
    assert [OBEDIENT.adapt(verdict, Random(1)) for verdict in VERDICTS] == VERDICTS
    assert OBEDIENT.heard(BUSY) is BUSY


def test_a_ue_that_ignores_t3346_hears_a_reject_without_it_and_obeys_the_rest():
    assert IGNORES_T3346.heard(BUSY) == Rejected(FivegmmCause.CONGESTION, None)
    assert [IGNORES_T3346.adapt(verdict, Random(1)) for verdict in VERDICTS] == VERDICTS


def test_a_restless_ue_breaks_t3502_with_a_fresh_counter():
    waits = [restless(120.0).adapt(Retry(720.0, "T3502", 0, True), Random(seed)) for seed in range(2000)]
    assert all(wait.forget and wait.attempts == 0 for wait in waits)
    mean_s = sum(wait.after_s for wait in waits) / len(waits)
    assert 112 < mean_s < 128
    assert max(wait.after_s for wait in waits) <= 720.0


def test_a_restless_ue_that_breaks_t3511_has_power_cycled_and_counts_from_0():
    assert restless(0.001).adapt(Retry(10.0, "T3511", 3), Random(1)).attempts == 0


def test_a_restless_ue_keeps_t3346_and_t3247():
    for seed in range(100):
        for wait in (Retry(900.0, "T3346", 0), Retry(2000.0, "T3247", 0), Never()):
            assert restless(1.0).adapt(wait, Random(seed)) == wait


def test_an_impatient_ue_tries_every_few_seconds_answered_or_not():
    profile = impatient(5.0)
    assert all(profile.adapt(verdict, Random(1)).after_s == 5.0 for verdict in VERDICTS[:4])
    assert profile.adapt(Never(), Random(1)) == Never()
    assert profile.adapt(Retry(0.0, "", 1), Random(1)) == Retry(0.0, "", 1)
    assert profile.guard_s(T3510) == profile.guard_s(T3517) == 5.0
    assert profile.guard_s(T3580) == 16.0


def test_an_endless_ue_tries_again_whatever_the_cause():
    profile = endless(0.3)
    for verdict in (*VERDICTS[:4], Never(), ToEutra()):
        again = profile.adapt(verdict, Random(1))
        assert (again.after_s, again.timer) == (0.3, "")
    assert profile.guard_s(T3510) == 15.0
