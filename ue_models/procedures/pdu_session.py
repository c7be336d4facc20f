"""UE-requested PDU session establishment and release, one attempt each (TS 24.501 6.4.1, 6.4.3)."""

from protocols.causes import FivegmmCause, FivegsmCause
from protocols.nas5g.encode import encode
from protocols.nas5g.messages import (
    DlNasTransport,
    FivegsmStatus,
    PduSessionEstablishmentAccept,
    PduSessionEstablishmentReject,
    PduSessionEstablishmentRequest,
    PduSessionReleaseCommand,
    PduSessionReleaseComplete,
    PduSessionReleaseReject,
    PduSessionReleaseRequest,
    UlNasTransport,
)
from protocols.nas5g.pco import p_cscf_addresses, p_cscf_request
from ue_models.procedures.steps import RECEIVE, Attempt, Expired, Heard, Send, SessionOutcome, Start, Succeeded, Ue
from ue_models.rules import NoAnswer, NotForwarded, SessionFailure, SessionRejected
from ue_models.timers import RETRANSMISSIONS, T3580, T3582

INITIAL_REQUEST = 1
"""Request type (9.11.3.47)."""


def attempt_establishment(ue: Ue, pdu_session_id: int, dnn: str) -> Attempt[Succeeded | SessionFailure]:
    """One attempt: T3580 repeats the request four times, its fifth expiry ends it (6.4.1.6 a).

    A connection that goes away in between is no end: the next repetition asks for a new one. The procedure
    transaction identity is that of the session, as one UE never has two transactions for it.
    """
    pti = pdu_session_id
    for_ims = pdu_session_id == ue.settings.ims_session
    options = p_cscf_request() if for_ims else None
    asked = encode(PduSessionEstablishmentRequest(pdu_session_id, pti, options))
    request = transport(ue, pdu_session_id, asked, dnn)
    for _ in range(RETRANSMISSIONS + 1):
        yield Start(T3580)
        yield Send(request)
        while True:
            match (yield RECEIVE):
                case Heard(PduSessionEstablishmentAccept(session, transaction) as accept) if (
                    session,
                    transaction,
                ) == (pdu_session_id, pti):
                    ue.state.sessions |= 1 << pdu_session_id
                    if for_ims:
                        ue.state.ims_address = accept.address
                        ue.state.p_cscfs = p_cscf_addresses(accept.pco)
                    return Succeeded()
                case Heard(PduSessionEstablishmentReject(_, _, cause, back_off)):
                    return SessionRejected(cause, back_off)
                case Heard(DlNasTransport(payload=returned, cause=FivegmmCause() as cause, back_off=back_off)) if (
                    returned == asked
                ):
                    return NotForwarded(cause, back_off)  # 5.4.5.3.3: our own message came back
                case Heard(FivegsmStatus(cause=cause)):
                    return SessionRejected(cause)  # 6.5.3: "abort the on-going 5GSM procedure"
                case Expired():
                    break
    return NoAnswer()


def attempt_release(ue: Ue, pdu_session_id: int) -> Attempt[SessionOutcome]:
    """The UE wants the session released (6.4.3), one attempt: T3582 repeats the request four times.

    The network answers with PDU SESSION RELEASE COMMAND, or rejects; either way, and without an answer, the session
    is gone here (6.4.3.4, 6.4.3.6 a).
    """
    pti = pdu_session_id
    cause = FivegsmCause.REGULAR_DEACTIVATION
    asked = encode(PduSessionReleaseRequest(pdu_session_id, pti, cause))
    request = transport(ue, pdu_session_id, asked)
    for _ in range(RETRANSMISSIONS + 1):
        yield Start(T3582)
        yield Send(request)
        while True:
            match (yield RECEIVE):
                case Heard(PduSessionReleaseCommand(session, transaction)):
                    yield Send(transport(ue, session, encode(PduSessionReleaseComplete(session, transaction))))
                    return Succeeded()
                case Heard(PduSessionReleaseReject() | FivegsmStatus()):
                    return Succeeded()
                case Heard(DlNasTransport(payload=returned)) if returned == asked:
                    return Succeeded()
                case Expired():
                    break
    return NoAnswer()


def transport(ue: Ue, pdu_session_id: int, payload: bytes, dnn: str | None = None) -> UlNasTransport:
    """UL NAS TRANSPORT for a 5GSM message; the first of a session says where it is to go (5.4.5.2.2)."""
    if dnn is None:
        return UlNasTransport(payload, pdu_session_id)
    return UlNasTransport(payload, pdu_session_id, INITIAL_REQUEST, ue.settings.slice_, dnn)
