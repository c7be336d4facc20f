"""UE-requested PDU session establishment, one attempt (TS 24.501 6.4.1)."""

from protocols.causes import FivegmmCause
from protocols.nas5g.encode import encode
from protocols.nas5g.messages import (
    DlNasTransport,
    FivegsmStatus,
    PduSessionEstablishmentAccept,
    PduSessionEstablishmentReject,
    PduSessionEstablishmentRequest,
    UlNasTransport,
)
from ue_models.procedures.steps import RECEIVE, Attempt, Expired, Heard, Send, Start, Succeeded, Ue
from ue_models.rules import NoAnswer, NotForwarded, SessionFailure, SessionRejected
from ue_models.timers import RETRANSMISSIONS, T3580

INITIAL_REQUEST = 1
"""Request type (9.11.3.47)."""


def attempt_establishment(ue: Ue, pdu_session_id: int, dnn: str) -> Attempt[Succeeded | SessionFailure]:
    """One attempt: T3580 repeats the request four times, its fifth expiry ends it (6.4.1.6 a).

    A connection that goes away in between is no end: the next repetition asks for a new one. The procedure
    transaction identity is that of the session, as one UE never has two transactions for it.
    """
    pti = pdu_session_id
    request = transport(ue, pdu_session_id, encode(PduSessionEstablishmentRequest(pdu_session_id, pti)), dnn)
    for _ in range(RETRANSMISSIONS + 1):
        yield Start(T3580)
        yield Send(request)
        while True:
            match (yield RECEIVE):
                case Heard(PduSessionEstablishmentAccept(session, transaction)) if (session, transaction) == (
                    pdu_session_id,
                    pti,
                ):
                    ue.state.sessions |= 1 << pdu_session_id
                    return Succeeded()
                case Heard(PduSessionEstablishmentReject(_, _, cause, back_off)):
                    return SessionRejected(cause, back_off)
                case Heard(DlNasTransport(cause=FivegmmCause() as cause, back_off=back_off)):
                    return NotForwarded(cause, back_off)  # 5.4.5.3.3: our own message came back
                case Heard(FivegsmStatus(cause=cause)):
                    return SessionRejected(cause)  # 6.5.3: "abort the on-going 5GSM procedure"
                case Expired():
                    break
    return NoAnswer()


def transport(ue: Ue, pdu_session_id: int, payload: bytes, dnn: str | None = None) -> UlNasTransport:
    """UL NAS TRANSPORT for a 5GSM message; the first of a session says where it is to go (5.4.5.2.2)."""
    if dnn is None:
        return UlNasTransport(payload, pdu_session_id)
    return UlNasTransport(payload, pdu_session_id, INITIAL_REQUEST, ue.settings.slice_, dnn)
