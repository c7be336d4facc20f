"""Which of the rules judges a failed attempt, and how the failure is called."""

from random import Random

from protocols.nas5g.messages import RegistrationType, ServiceType
from ue_models import rules
from ue_models.next_attempt import Kind
from ue_models.rules import AuthenticationRefused, Failure, Next, NoAnswer, Rejected
from ue_models.timers import T3510, T3517, T3521
from ue_models.ue_state import UeState


def after_failure(kind: Kind | None, failure: Failure, state: UeState, rng: Random) -> Next:
    """What the rules say of a failed attempt of this kind."""
    if isinstance(kind, ServiceType):
        return rules.service_request_failed(failure, rng, state.service_standing())
    if kind is RegistrationType.EMERGENCY:
        return rules.emergency_registration_failed()
    if kind is RegistrationType.INITIAL:
        return rules.initial_registration_failed(failure, rng, state.standing())
    return rules.registration_update_failed(failure, rng, state.standing())


def described(outcome: Failure, kind: Kind | None) -> str:
    """A failure in words, as counters carry it."""
    match outcome:
        case Rejected(cause):
            return f"5GMM #{int(cause)}"
        case AuthenticationRefused():
            return "authentication rejected"
        case NoAnswer():
            guard = T3521 if kind is None else T3517 if isinstance(kind, ServiceType) else T3510
            return f"{guard.name} expired"
    return "lower layer failure"
