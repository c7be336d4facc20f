"""UE-initiated deregistration, one attempt (TS 24.501 5.5.2.2)."""

from protocols.nas5g.messages import DeregistrationAccept, DeregistrationRequest
from protocols.ngap.messages import RrcCause
from ue_models.procedures.common import answer, own_identity, ready_suci
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
from ue_models.rules import LowerLayerFailure, NoAnswer
from ue_models.timers import RETRANSMISSIONS, T3521
from ue_models.ue_state import Mm


def attempt_deregistration(ue: Ue, switch_off: bool) -> Attempt[Succeeded | NoAnswer | LowerLayerFailure]:
    """Switching off waits for nothing; else T3521 repeats the request four times, then it is deregistered locally."""
    state = ue.state
    if state.guti is None:
        yield from ready_suci(ue)
    request = DeregistrationRequest(state.ngksi, switch_off, own_identity(state))
    initial = InitialRequest(request, state.security is not None)
    state.enter(Mm.DEREGISTERED_INITIATED)
    if switch_off:
        yield SendInitial(request, RrcCause.MO_SIGNALLING)
        return Succeeded()
    for _ in range(RETRANSMISSIONS + 1):
        yield Start(T3521)
        yield SendInitial(request, RrcCause.MO_SIGNALLING)
        while True:
            match (yield RECEIVE):
                case Heard(DeregistrationAccept()):
                    return Succeeded()
                case Heard() as heard:
                    if not (yield from answer(ue, heard, initial, T3521)):
                        return LowerLayerFailure()
                case Expired(timer):
                    if timer is not T3521:
                        return LowerLayerFailure()
                    break
                case ConnectionLost():
                    return LowerLayerFailure()  # 5.5.2.2.6 b: deregistered locally
    return NoAnswer()
