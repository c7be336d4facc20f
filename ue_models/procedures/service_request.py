"""Service request, one attempt (TS 24.501 5.6.1): from 5GMM-IDLE to 5GMM-CONNECTED with user-plane resources."""

from protocols.identities import STmsi
from protocols.nas5g.messages import AuthenticationReject, ServiceAccept, ServiceReject, ServiceRequest, ServiceType
from protocols.ngap.messages import RrcCause
from ue_models.procedures.common import answer
from ue_models.procedures.steps import (
    RECEIVE,
    Attempt,
    ConnectionLost,
    Expired,
    Heard,
    InitialRequest,
    SendInitial,
    Start,
    Succeeded,
    Ue,
)
from ue_models.rules import AuthenticationRefused, Failure, LowerLayerFailure, NoAnswer, Rejected
from ue_models.timers import T3517
from ue_models.ue_state import Mm, UeState

_RRC_CAUSES = {
    ServiceType.SIGNALLING: RrcCause.MO_SIGNALLING,
    ServiceType.DATA: RrcCause.MO_DATA,
    ServiceType.MOBILE_TERMINATED: RrcCause.MT_ACCESS,
    ServiceType.EMERGENCY: RrcCause.EMERGENCY,
    ServiceType.EMERGENCY_FALLBACK: RrcCause.EMERGENCY,
    ServiceType.HIGH_PRIORITY: RrcCause.HIGH_PRIORITY_ACCESS,
    ServiceType.ELEVATED_SIGNALLING: RrcCause.MO_SIGNALLING,
}
"""Table 4.5.6.1."""


def attempt_service_request(ue: Ue, kind: ServiceType) -> Attempt[Succeeded | Failure]:
    """One attempt; T3517 guards it. MOBILE_TERMINATED answers a paging."""
    state = ue.state
    state.enter(Mm.SERVICE_REQUEST_INITIATED)
    request = service_request(state, kind)
    yield Start(T3517)
    yield SendInitial(request, _RRC_CAUSES[kind])
    initial = InitialRequest(request, state.security is not None)
    while True:
        match (yield RECEIVE):
            case Heard(ServiceAccept(status)):
                state.keep_sessions(status)
                state.service_attempts = 0
                state.enter(Mm.REGISTERED)
                return Succeeded()
            case Heard(ServiceReject() as reject, protected):
                return Rejected(reject.cause, reject.t3346, protected)
            case Heard(AuthenticationReject(), protected):
                return AuthenticationRefused(protected)
            case Heard() as heard:
                if not (yield from answer(ue, heard, initial, T3517)):
                    return LowerLayerFailure()
            case Expired(timer):
                return NoAnswer() if timer is T3517 else LowerLayerFailure()  # 5.6.1.7 a
            case ConnectionLost():
                return LowerLayerFailure()  # 5.6.1.7 b


def service_request(state: UeState, kind: ServiceType) -> ServiceRequest:
    """The SERVICE REQUEST of a UE that has a GUTI; data want the resources of every active session (5.6.1.2)."""
    if state.guti is None:
        raise ValueError("a service request needs a 5G-S-TMSI")
    status = state.session_status()
    return ServiceRequest(
        ngksi=state.ngksi,
        kind=kind,
        identity=STmsi(state.guti.set_id, state.guti.pointer, state.guti.tmsi),
        uplink_data_status=status if kind is ServiceType.DATA else None,
        pdu_session_status=status,
    )
