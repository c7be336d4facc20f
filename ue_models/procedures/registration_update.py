"""Mobility and periodic registration update, one attempt (TS 24.501 5.5.1.3)."""

from protocols.nas5g.messages import RegistrationRequest, RegistrationType
from ue_models.procedures.common import own_identity, ready_suci
from ue_models.procedures.initial_registration import rrc_cause, until_answered
from ue_models.procedures.steps import Attempt, InitialRequest, SendInitial, Start, Succeeded, Ue
from ue_models.rules import Failure
from ue_models.timers import T3510
from ue_models.ue_state import Mm


def attempt_registration_update(ue: Ue, kind: RegistrationType) -> Attempt[Succeeded | Failure]:
    """One attempt, `kind` MOBILITY or PERIODIC; a failure leaves the UE registered unless the rules say otherwise."""
    state = ue.state
    state.updating = True
    state.enter(Mm.REGISTERED_INITIATED)
    if state.guti is None:
        yield from ready_suci(ue)
    request = RegistrationRequest(
        kind=kind,
        identity=own_identity(state),
        ngksi=state.ngksi,
        follow_on=_lacks_session(ue),
        security_capability=ue.settings.security_capability,
        requested_nssai=(ue.settings.slice_,) if kind is RegistrationType.MOBILITY else (),
        pdu_session_status=state.session_status(),
    )
    yield Start(T3510)
    yield SendInitial(request, rrc_cause(state.high_priority, kind))
    return (yield from until_answered(ue, InitialRequest(request, state.security is not None)))


def _lacks_session(ue: Ue) -> bool:
    """It may ask for one next, on the connection that a follow-on request keeps from being released."""
    wanted = (1 << len(ue.settings.dnns)) - 1 << 1
    return bool(wanted & ~(ue.state.sessions | ue.state.barred_sessions))
