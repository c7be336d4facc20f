"""The retry rules as a table: causes × protection × T3346 (TS 24.501 5.5.1.2.5, 5.5.1.2.7, 5.5.1.3, 5.6.1, 6.4.1)."""

from random import Random

import pytest

from protocols.causes import FivegmmCause, FivegsmCause
from protocols.timers import DEACTIVATED2, DEACTIVATED3, ZERO2, ZERO3, GprsTimer2, GprsTimer3
from ue_models.rules import (
    HARD_CAUSES,
    IMPLEMENTATION_FAILURES,
    AuthenticationRefused,
    GiveUp,
    LowerLayerFailure,
    Never,
    NoAnswer,
    NotForwarded,
    RegisterAnew,
    Rejected,
    Retry,
    SessionRejected,
    Standing,
    ToEutra,
    congestion_back_off_s,
    deregistered_by_network,
    emergency_registration_failed,
    initial_registration_failed,
    may_start,
    registration_update_failed,
    service_request_failed,
    session_failed,
    t3502_in_force_s,
)

CONGESTION = FivegmmCause.CONGESTION
HARD = sorted(HARD_CAUSES)
SOFT = sorted({FivegmmCause(value) for value in range(1, 256)} - HARD_CAUSES - IMPLEMENTATION_FAILURES - {CONGESTION})
NO_T3346 = [None, ZERO2, DEACTIVATED2, GprsTimer2(0x20), GprsTimer2(0x40)]
PROCEDURES = [initial_registration_failed, registration_update_failed, service_request_failed]
REGISTRATIONS = PROCEDURES[:2]


def rng():
    return Random(1)


# --- #22 and T3346 --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("failed", PROCEDURES)
@pytest.mark.parametrize("attempts", range(5))
def test_a_protected_t3346_is_waited_for_and_resets_the_counter(failed, attempts):
    verdict = failed(Rejected(CONGESTION, GprsTimer2.of(60)), rng(), Standing(attempts))
    assert verdict == Retry(60.0, "T3346", attempts=0, forget=False)


@pytest.mark.parametrize("failed", PROCEDURES)
@pytest.mark.parametrize("octet", [0x01, 0x1E, 0x21, 0x42, 0x65])
def test_an_unprotected_t3346_is_replaced_by_a_draw_from_15_to_30_minutes(failed, octet):
    drawn = [failed(Rejected(CONGESTION, GprsTimer2(octet), protected=False), Random(seed)) for seed in range(200)]
    assert {verdict.timer for verdict in drawn} == {"T3346"}
    assert all(900 <= verdict.after_s <= 1800 for verdict in drawn)
    assert min(verdict.after_s for verdict in drawn) < 930
    assert max(verdict.after_s for verdict in drawn) > 1770


@pytest.mark.parametrize("failed", REGISTRATIONS)
@pytest.mark.parametrize("protected", [True, False])
@pytest.mark.parametrize("t3346", NO_T3346)
def test_congestion_without_a_running_t3346_is_an_abnormal_case_protected_or_not(failed, protected, t3346):
    reject = Rejected(CONGESTION, t3346, protected)
    assert failed(reject, rng(), Standing(0)) == Retry(10.0, "T3511", attempts=1)
    assert failed(reject, rng(), Standing(4)).timer == "T3502"


@pytest.mark.parametrize("protected", [True, False])
@pytest.mark.parametrize("t3346", NO_T3346)
def test_a_service_request_refused_without_a_running_t3346_is_given_up(protected, t3346):
    assert service_request_failed(Rejected(CONGESTION, t3346, protected), rng()) == GiveUp()


def test_congestion_never_deletes_the_identity():
    for t3346 in (GprsTimer2.of(30), GprsTimer2.of(600)):
        for protected in (True, False):
            assert not initial_registration_failed(Rejected(CONGESTION, t3346, protected), rng(), Standing(4)).forget


@pytest.mark.parametrize("cause", [cause for cause in (*HARD, *SOFT, 111) if cause != CONGESTION])
def test_t3346_means_nothing_with_another_cause(cause):
    cause = FivegmmCause(cause)
    plain = initial_registration_failed(Rejected(cause), rng())
    assert initial_registration_failed(Rejected(cause, GprsTimer2.of(60)), rng()) == plain


def test_every_octet_of_t3346_is_a_value_or_an_abnormal_case():
    for octet in range(256):
        timer = GprsTimer2(octet)
        waits = congestion_back_off_s(timer, True, rng())
        assert waits == (float(timer.seconds) if timer.seconds else None)


def test_while_t3346_runs_only_the_exempt_may_start():
    assert not may_start(t3346_runs=True)
    assert may_start(t3346_runs=True, emergency=True)
    assert may_start(t3346_runs=True, high_priority=True)
    assert may_start(t3346_runs=True, paged=True)
    assert may_start(t3346_runs=True, leaving=True)
    assert may_start(t3346_runs=False)


# --- five attempts ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("failure", [NoAnswer(), LowerLayerFailure(), Rejected(FivegmmCause(98))])
def test_t3511_comes_four_times_then_t3502_with_everything_forgotten(failure):
    attempts, seen = 0, []
    for _ in range(5):
        verdict = initial_registration_failed(failure, rng(), Standing(attempts))
        seen.append((verdict.timer, verdict.after_s, verdict.forget))
        attempts = verdict.attempts
    assert seen == [("T3511", 10.0, False)] * 4 + [("T3502", 720.0, True)]
    assert attempts == 0  # T3502's expiry resets the counter


def test_a_registration_update_keeps_its_guti_after_five_attempts():
    verdict = registration_update_failed(NoAnswer(), rng(), Standing(4))
    assert verdict == Retry(720.0, "T3502", attempts=0, forget=False)


@pytest.mark.parametrize("cause", SOFT)
@pytest.mark.parametrize("protected", [True, False])
def test_any_other_cause_counts_as_one_failed_attempt(cause, protected):
    assert initial_registration_failed(Rejected(cause, protected=protected), rng()) == Retry(10.0, "T3511", 1)


@pytest.mark.parametrize("cause", [95, 96, 97, 99, 111])
@pytest.mark.parametrize("failed", REGISTRATIONS)
def test_a_network_that_cannot_read_us_sends_us_straight_to_t3502(failed, cause):
    assert failed(Rejected(FivegmmCause(cause)), rng(), Standing(0)).timer == "T3502"


def test_the_accepts_t3502_is_used_and_a_rejects_only_if_protected():
    longer = Standing(4, t3502_s=1800.0)
    assert initial_registration_failed(NoAnswer(), rng(), longer).after_s == 1800.0
    reject = Rejected(FivegmmCause(98), t3502=GprsTimer2.of(120))
    assert initial_registration_failed(reject, rng(), longer).after_s == 120.0
    assert initial_registration_failed(reject._replace(protected=False), rng(), longer).after_s == 1800.0


def test_a_zero_t3502_expires_at_once_and_a_deactivated_one_is_the_default():
    assert t3502_in_force_s(None) == 720.0
    assert t3502_in_force_s(DEACTIVATED2) == 720.0
    assert t3502_in_force_s(ZERO2) == 0.0
    assert t3502_in_force_s(GprsTimer2.of(60)) == 60.0


def test_with_e_utra_coverage_the_fifth_failure_leads_there():
    covered = Standing(4, eutra=True)
    assert initial_registration_failed(NoAnswer(), rng(), covered) == ToEutra(forget=True)
    assert initial_registration_failed(NoAnswer(), rng(), Standing(3, eutra=True)).timer == "T3511"


def test_a_failed_emergency_registration_counts_nothing():
    assert emergency_registration_failed() == GiveUp()


# --- hard causes ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("cause", HARD)
@pytest.mark.parametrize("failed", PROCEDURES)
def test_a_protected_hard_cause_ends_it(failed, cause):
    assert failed(Rejected(cause), rng()) == Never(forget=True)


@pytest.mark.parametrize("cause", HARD)
@pytest.mark.parametrize("failed", PROCEDURES)
def test_an_unprotected_hard_cause_is_believed_for_30_to_60_minutes(failed, cause):
    drawn = [failed(Rejected(cause, protected=False), Random(seed)) for seed in range(200)]
    assert {(verdict.timer, verdict.attempts, verdict.forget) for verdict in drawn} == {("T3247", 0, True)}
    assert all(1800 <= verdict.after_s <= 3600 for verdict in drawn)
    assert max(verdict.after_s for verdict in drawn) - min(verdict.after_s for verdict in drawn) > 1700


def test_after_ten_unprotected_hard_causes_the_ue_believes_them():
    reject = Rejected(FivegmmCause.ILLEGAL_UE, protected=False)
    assert initial_registration_failed(reject, rng(), Standing(hard_rejects=9)).timer == "T3247"
    assert initial_registration_failed(reject, rng(), Standing(hard_rejects=10)) == Never()


def test_authentication_reject_is_as_hard_as_its_protection():
    assert initial_registration_failed(AuthenticationRefused(protected=True), rng()) == Never()
    assert initial_registration_failed(AuthenticationRefused(protected=False), rng()).timer == "T3247"


def test_n1_mode_not_allowed_leads_to_e_utra_where_there_is_one():
    assert initial_registration_failed(Rejected(FivegmmCause(27)), rng(), Standing(eutra=True)) == ToEutra()
    assert initial_registration_failed(Rejected(FivegmmCause(11)), rng(), Standing(eutra=True)) == Never()


# --- #9 and #10 -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("failed", [registration_update_failed, service_request_failed])
@pytest.mark.parametrize("protected", [True, False])
def test_an_unknown_identity_is_forgotten_and_an_implicit_deregistration_is_not(failed, protected):
    assert failed(Rejected(FivegmmCause(9), protected=protected), rng()) == RegisterAnew(forget=True)
    assert failed(Rejected(FivegmmCause(10), protected=protected), rng()) == RegisterAnew(forget=False)


@pytest.mark.parametrize("cause", [9, 10])
def test_for_an_initial_registration_9_and_10_are_other_causes(cause):
    assert initial_registration_failed(Rejected(FivegmmCause(cause)), rng()) == Retry(10.0, "T3511", 1)


# --- service request --------------------------------------------------------------------------------------------------


def test_an_unanswered_service_request_is_repeated_at_once_and_from_the_fifth_on_after_t3525():
    attempts, seen = 0, []
    for _ in range(6):
        verdict = service_request_failed(NoAnswer(), rng(), Standing(attempts))
        seen.append((verdict.timer, verdict.after_s))
        attempts = verdict.attempts
    assert seen == [("", 0.0)] * 4 + [("T3525", 60.0)] * 2


@pytest.mark.parametrize("cause", [28, 90, 98, 111])
def test_a_service_request_rejected_for_another_cause_is_given_up(cause):
    assert service_request_failed(Rejected(FivegmmCause(cause)), rng(), Standing(3)) == GiveUp()
    assert service_request_failed(LowerLayerFailure(), rng(), Standing(3)) == GiveUp()


# --- deregistration by the network ------------------------------------------------------------------------------------


def test_reregistration_required_registers_at_once_keeping_the_identity():
    assert deregistered_by_network(CONGESTION, GprsTimer2.of(60), True, rng()) == RegisterAnew(forget=False)


def test_a_network_deregistration_with_a_cause_is_treated_as_a_reject():
    assert deregistered_by_network(CONGESTION, GprsTimer2.of(60), False, rng()) == Retry(60.0, "T3346", 0)
    assert deregistered_by_network(FivegmmCause.ILLEGAL_UE, None, False, rng()) == Never()
    assert deregistered_by_network(None, None, False, rng()) == Never()


# --- sessions ---------------------------------------------------------------------------------------------------------

CONGESTED_SESSIONS = [
    SessionRejected(FivegsmCause(26)),
    SessionRejected(FivegsmCause(67)),
    SessionRejected(FivegsmCause(69)),
    NotForwarded(CONGESTION),
]


@pytest.mark.parametrize("failure", CONGESTED_SESSIONS)
def test_the_back_off_of_a_session_is_a_value_zero_deactivated_or_absent(failure):
    assert session_failed(failure._replace(back_off=GprsTimer3.of(120))) == Retry(120.0, "T3396", 0)
    assert session_failed(failure._replace(back_off=ZERO3)) == Retry(0.0, "", 0)
    assert session_failed(failure._replace(back_off=DEACTIVATED3)) == Never(forget=False)
    assert session_failed(failure).timer == ""


def test_a_session_that_got_no_answer_is_asked_for_again_after_a_pause():
    assert session_failed(NoAnswer()) == Retry(16.0, "", 0)
    assert session_failed(NotForwarded(FivegmmCause(90))) == Retry(16.0, "", 0)
    assert session_failed(SessionRejected(FivegsmCause(38))) == Retry(16.0, "", 0)


@pytest.mark.parametrize("cause", [8, 27, 29, 32, 33])
def test_a_futile_session_waits_twelve_minutes_unless_the_network_says_otherwise(cause):
    assert session_failed(SessionRejected(FivegsmCause(cause))) == Retry(720.0, "T3396", 0)
    assert session_failed(SessionRejected(FivegsmCause(cause), GprsTimer3.of(60))) == Retry(60.0, "T3396", 0)
