"""What a failed attempt means and when to try again: the retry rules of TS 24.501 v17 as pure functions.

Inputs and outputs are small values (outcomes.py), so a simulator that has no messages uses the same rules. Nothing
here knows how a UE waits, what it sends, or whether it obeys: profiles.py says who departs from these rules, and how.
Jitter is not added here. Those of PDU sessions stand in session_rules.py and are to be had from here as well.
"""

from random import Random
from typing import Final, NamedTuple

from protocols.causes import FivegmmCause as Mm
from protocols.timers import CodedTimer
from ue_models.outcomes import (
    AuthenticationRefused,
    Failure,
    GiveUp,
    LowerLayerFailure,
    Never,
    Next,
    NoAnswer,
    NotForwarded,
    RegisterAnew,
    Rejected,
    Retry,
    SessionFailure,
    SessionRejected,
    ToEutra,
)
from ue_models.session_rules import DEFAULT_SESSION_BACK_OFF_S, SESSION_PAUSE_S, session_failed
from ue_models.timers import T3247, T3346, T3502, T3511, T3525

__all__ = [
    "DEFAULT_SESSION_BACK_OFF_S",
    "DEFAULT_T3346_RANGE_S",
    "HARD_CAUSES",
    "IMPLEMENTATION_FAILURES",
    "MAX_ATTEMPTS",
    "MAX_AUTHENTICATION_FAILURES",
    "MAX_UNPROTECTED_HARD_REJECTS",
    "SESSION_PAUSE_S",
    "T3247_RANGE_S",
    "AuthenticationRefused",
    "Failure",
    "GiveUp",
    "LowerLayerFailure",
    "Never",
    "Next",
    "NoAnswer",
    "NotForwarded",
    "RegisterAnew",
    "Rejected",
    "Retry",
    "SessionFailure",
    "SessionRejected",
    "Standing",
    "ToEutra",
    "congestion_back_off_s",
    "deregistered_by_network",
    "emergency_registration_failed",
    "initial_registration_failed",
    "may_start",
    "registration_update_failed",
    "service_request_failed",
    "session_failed",
    "t3502_in_force_s",
]

MAX_ATTEMPTS: Final = 5
"""Of the registration attempt counter and of the service request attempt counter (5.5.1.2.7, 5.6.1.7)."""

MAX_AUTHENTICATION_FAILURES: Final = 3
"""5.4.1.3.7: the third challenge in a row that fails, and the UE leaves the cell."""

DEFAULT_T3346_RANGE_S: Final = (900.0, 1800.0)
"""Default range of T3346, TS 24.008 table 11.3a: 15–30 min. That the draw is uniform is assumed."""

T3247_RANGE_S: Final = (1800.0, 3600.0)
"""5.3.20.2: "a random value uniformly drawn from the range between 30 minutes and 60 minutes"."""

MAX_UNPROTECTED_HARD_REJECTS: Final = 10
"""5.3.20.2: the counter's maximum is left to the UE, at most 10; from then on it believes the network."""

IMPLEMENTATION_FAILURES: Final = frozenset({Mm(95), Mm(96), Mm(97), Mm(99), Mm(111)})
"""5.5.1.2.7 d: "the UE should set the registration attempt counter to 5"."""

HARD_CAUSES: Final = frozenset(Mm(cause) for cause in (3, 6, 7, 11, 12, 13, 15, 27, 31, 36, 62, 73, 80))
"""5.5.1.2.5: no automatic repetition in this PLMN and tracking area. A UE of a storm has no other to go to."""

_TO_EPC: Final = frozenset({Mm.N1_MODE_NOT_ALLOWED, Mm.REDIRECTION_TO_EPC_REQUIRED})


class Standing(NamedTuple):
    """What of the UE's past the rules look at.

    `attempts` is the attempt counter of the procedure before this failure, `t3502_s` the value the network gave (or
    the default), `hard_rejects` how many unprotected hard rejects were met, `eutra` whether E-UTRA covers the UE.
    """

    attempts: int = 0
    t3502_s: float = T3502.seconds
    hard_rejects: int = 0
    eutra: bool = False


_FRESH: Final = Standing()


# --- timers as the network gives them --------------------------------------------------------------------------------


def congestion_back_off_s(t3346: CodedTimer | None, protected: bool, rng: Random) -> float | None:
    """How long #22 forbids the UE to try, or None if it forbids nothing and is an abnormal case (5.5.1.2.5).

    First the test "present and neither zero nor deactivated"; only then the one for protection: a value that is
    not integrity protected is not believed, and the UE draws its own from the default range.
    """
    if t3346 is None or not t3346.runs:
        return None
    return float(t3346.seconds or 0) if protected else rng.uniform(*DEFAULT_T3346_RANGE_S)


def t3502_in_force_s(given: CodedTimer | None) -> float:
    """5.3.8: the default where the network gave none or "deactivated"; zero means that T3502 expires at once."""
    seconds = None if given is None else given.seconds
    return T3502.seconds if seconds is None else float(seconds)


def may_start(
    *,
    t3346_runs: bool,
    emergency: bool = False,
    high_priority: bool = False,
    paged: bool = False,
    leaving: bool = False,
) -> bool:
    """Whether T3346 lets the UE begin a procedure (5.3.9; 5.5.1.2.7 a, 5.6.1.7 e).

    Exempt: emergency, high-priority access (access identities 1, 2, 11–15), the answer to a paging, deregistration.
    """
    return not t3346_runs or emergency or high_priority or paged or leaving


# --- registration ----------------------------------------------------------------------------------------------------


def initial_registration_failed(failure: Failure, rng: Random, standing: Standing = _FRESH) -> Next:
    """After a failed initial registration (5.5.1.2.5, 5.5.1.2.7)."""
    match failure:
        case Rejected(Mm.CONGESTION, t3346, protected):
            wait_s = congestion_back_off_s(t3346, protected, rng)
            if wait_s is not None:  # "reset the registration attempt counter"; identity and keys stay
                return Retry(wait_s, T3346.name, attempts=0)
        case Rejected(cause=cause, protected=protected) if cause in HARD_CAUSES:
            return _after_hard_reject(cause, protected, rng, standing)
        case AuthenticationRefused(protected):
            return _after_hard_reject(Mm.ILLEGAL_UE, protected, rng, standing)
    return _after_abnormal_case(failure, standing, forget=True)


def emergency_registration_failed() -> GiveUp:
    """5.5.1.2.6: no counter, no back-off; the upper layers decide (they try the next domain or network)."""
    return GiveUp()


def registration_update_failed(failure: Failure, rng: Random, standing: Standing = _FRESH) -> Next:
    """After a failed mobility or periodic registration update (5.5.1.3.5, 5.5.1.3.7)."""
    match failure:
        case Rejected(Mm.UE_IDENTITY_CANNOT_BE_DERIVED):
            return RegisterAnew(forget=True)
        case Rejected(Mm.IMPLICITLY_DEREGISTERED):
            return RegisterAnew(forget=False)
        case Rejected(Mm.CONGESTION, t3346, protected):
            wait_s = congestion_back_off_s(t3346, protected, rng)
            if wait_s is not None:
                return Retry(wait_s, T3346.name, attempts=0)
        case Rejected(cause=cause, protected=protected) if cause in HARD_CAUSES:
            return _after_hard_reject(cause, protected, rng, standing)
        case AuthenticationRefused(protected):
            return _after_hard_reject(Mm.ILLEGAL_UE, protected, rng, standing)
    return _after_abnormal_case(failure, standing, forget=False)


def _after_abnormal_case(failure: Failure, standing: Standing, forget: bool) -> Next:
    """5.5.1.2.7 and 5.5.1.3.7, cases c, d, e: T3511 four times, then T3502.

    At five an initial registration deletes GUTI, TAI list and ngKSI; a registration update keeps the GUTI.
    """
    attempts = standing.attempts + 1
    t3502_s = standing.t3502_s
    if isinstance(failure, Rejected):
        if failure.cause in IMPLEMENTATION_FAILURES:
            attempts = MAX_ATTEMPTS
        if failure.protected and failure.t3502 is not None:
            t3502_s = t3502_in_force_s(failure.t3502)
    if attempts < MAX_ATTEMPTS:
        return Retry(T3511.seconds, T3511.name, attempts)
    if standing.eutra:  # "shall attempt to select E-UTRAN radio access technology" in single-registration mode
        return ToEutra(forget)
    return Retry(t3502_s, T3502.name, attempts=0, forget=forget)  # T3502's expiry resets the counter (5.5.1.2.1)


def _after_hard_reject(cause: Mm, protected: bool, rng: Random, standing: Standing) -> Next:
    """A cause that ends it (5.5.1.2.5); if nobody vouches for it, only until T3247 (5.3.20.2)."""
    if not protected and standing.hard_rejects < MAX_UNPROTECTED_HARD_REJECTS:
        return Retry(rng.uniform(*T3247_RANGE_S), T3247.name, attempts=0, forget=True)
    if cause in _TO_EPC and standing.eutra:
        return ToEutra()
    return Never()


# --- service request -------------------------------------------------------------------------------------------------


def service_request_failed(failure: Failure, rng: Random, standing: Standing = _FRESH) -> Next:
    """After a failed service request (5.6.1.5, 5.6.1.7); its `standing.attempts` is the counter of service requests.

    Unanswered: the data still wait, so it is tried again at once, and from the fifth time on after T3525.
    """
    match failure:
        case NoAnswer():
            attempts = min(standing.attempts + 1, MAX_ATTEMPTS)
            if attempts < MAX_ATTEMPTS:
                return Retry(0.0, "", attempts)
            return Retry(T3525.seconds, T3525.name, attempts)
        case Rejected(Mm.UE_IDENTITY_CANNOT_BE_DERIVED):
            return RegisterAnew(forget=True)
        case Rejected(Mm.IMPLICITLY_DEREGISTERED):
            return RegisterAnew(forget=False)
        case Rejected(Mm.CONGESTION, t3346, protected):
            wait_s = congestion_back_off_s(t3346, protected, rng)
            return GiveUp() if wait_s is None else Retry(wait_s, T3346.name, attempts=0)
        case Rejected(cause=cause, protected=protected) if cause in HARD_CAUSES:
            return _after_hard_reject(cause, protected, rng, standing)
        case AuthenticationRefused(protected):
            return _after_hard_reject(Mm.ILLEGAL_UE, protected, rng, standing)
    return GiveUp()  # 5.6.1.7 b, d: "abort the procedure and enter state 5GMM-REGISTERED"


# --- deregistration --------------------------------------------------------------------------------------------------


def deregistered_by_network(
    cause: Mm | None, t3346: CodedTimer | None, reregistration_required: bool, rng: Random, standing: Standing = _FRESH
) -> Next:
    """After an (integrity protected) DEREGISTRATION REQUEST of the network (5.5.2.3.2, 5.5.2.3.4).

    "Re-registration required" ends a T3346 that runs, and the UE registers at once; a cause counts as in a reject.
    """
    if reregistration_required:
        return RegisterAnew(forget=False)
    if cause is None:
        return Never(forget=True)
    wait_s = congestion_back_off_s(t3346, True, rng) if cause is Mm.CONGESTION else None
    if wait_s is not None:
        return Retry(wait_s, T3346.name, attempts=0)
    return _after_hard_reject(cause, True, rng, standing) if cause in HARD_CAUSES else RegisterAnew(forget=True)
