"""Initial registration of a UE, one attempt (TS 24.501 5.5.1.2).

Knows what a UE sends and accepts between REGISTRATION REQUEST and its answer. Does not know when to try (rules.py),
how bytes are made (nas_link.py) or how they travel (the gNB).
"""

from protocols.nas5g.messages import (
    AuthenticationReject,
    RegistrationAccept,
    RegistrationComplete,
    RegistrationReject,
    RegistrationRequest,
    RegistrationType,
)
from protocols.ngap.messages import RrcCause
from ue_models.procedures.common import answer, own_identity, ready_suci
from ue_models.procedures.steps import (
    RECEIVE,
    Attempt,
    ConnectionLost,
    Expired,
    Heard,
    InitialRequest,
    Send,
    SendInitial,
    Start,
    Succeeded,
    Ue,
)
from ue_models.rules import AuthenticationRefused, Failure, LowerLayerFailure, NoAnswer, Rejected
from ue_models.timers import T3510
from ue_models.ue_state import Mm


def attempt_initial_registration(
    ue: Ue, kind: RegistrationType = RegistrationType.INITIAL
) -> Attempt[Succeeded | Failure]:
    """One attempt, `kind` INITIAL or EMERGENCY; T3510 guards the whole of it."""
    state = ue.state
    state.updating = False
    state.sessions = 0  # sessions do not survive deregistration (TS 23.501 5.3.2.2.2)
    state.enter(Mm.REGISTERED_INITIATED)
    if state.guti is None:
        yield from ready_suci(ue)
    request = RegistrationRequest(
        kind=kind,
        identity=own_identity(state),
        ngksi=state.ngksi,
        security_capability=ue.settings.security_capability,
        requested_nssai=(ue.settings.slice_,),
    )
    yield Start(T3510)
    yield SendInitial(request, rrc_cause(state.high_priority, kind))
    return (yield from until_answered(ue, InitialRequest(request, state.security is not None)))


def until_answered(ue: Ue, initial: InitialRequest) -> Attempt[Succeeded | Failure]:
    """From REGISTRATION REQUEST to ACCEPT or REJECT, with whatever the network asks in between."""
    while True:
        match (yield RECEIVE):
            case Heard(RegistrationAccept() as accept):
                ue.state.accept_registration(accept)
                if accept.guti is not None:  # "if the REGISTRATION ACCEPT message contained a 5G-GUTI" (5.5.1.2.4)
                    yield Send(RegistrationComplete())
                return Succeeded()
            case Heard(RegistrationReject() as reject, protected):
                return Rejected(reject.cause, reject.t3346, protected, reject.t3502)
            case Heard(AuthenticationReject(), protected):
                return AuthenticationRefused(protected)
            case Heard() as heard:
                if not (yield from answer(ue, heard, initial, T3510)):
                    return LowerLayerFailure()  # "treat the active cell as barred" (5.4.1.3.7)
            case Expired(timer):
                return NoAnswer() if timer is T3510 else LowerLayerFailure()  # 5.5.1.2.7 c; T3520: 5.4.1.3.7
            case ConnectionLost():
                return LowerLayerFailure()  # 5.5.1.2.7 e


def rrc_cause(high_priority: bool, kind: RegistrationType) -> RrcCause:
    """RRC establishment cause of a registration (table 4.5.6.1)."""
    if kind is RegistrationType.EMERGENCY:
        return RrcCause.EMERGENCY
    return RrcCause.HIGH_PRIORITY_ACCESS if high_priority else RrcCause.MO_SIGNALLING
