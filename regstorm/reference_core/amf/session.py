"""PDU sessions at the AMF (TS 23.502 4.3.2.2.1, TS 24.501 5.4.5): it carries 5GSM messages and sets up resources."""

from collections.abc import Generator, Iterable
from typing import Any

from protocols.causes import FivegmmCause
from protocols.nas5g.encode import encode as encode_nas
from protocols.nas5g.messages import DlNasTransport, UlNasTransport
from protocols.ngap.messages import (
    InitialContextSetupFailure,
    InitialContextSetupRequest,
    InitialContextSetupResponse,
    PduSessionResource,
    PduSessionResourceReleaseCommand,
    PduSessionResourceSetupRequest,
    PduSessionResourceSetupResponse,
    PduSessionTunnel,
)
from regstorm.records import counters
from regstorm.records import operations as ops
from regstorm.reference_core.amf.task import GNB_GUARD, BackendFailed, Expect, Steps, Task, Unanswered
from regstorm.reference_core.amf.ue_context import Session
from regstorm.reference_core.bus import Failed
from regstorm.reference_core.payloads import CreateSmContext, SmContext, UpdateSmContext

INITIAL_REQUEST = 1
"""Request type (TS 24.501 9.11.3.47)."""


def establish_session(task: Task, transport: UlNasTransport) -> Steps:
    """A session from the UE's request to its registration at the UDM: three pairs on N10."""
    ue, psi = task.ue, transport.pdu_session_id
    identity = task.env.identity
    dnn = transport.dnn or identity.dnns[0]
    snssai = transport.snssai or identity.slice
    if dnn not in identity.dnns or snssai != identity.slice:
        not_forwarded(task, transport, FivegmmCause.DNN_NOT_SUPPORTED_IN_SLICE)
        return
    _gone(task, psi)  # an initial request for a session that is there: that one is gone (5.4.5.2.5)
    try:
        answer = yield from task.call(ops.CREATE_SM_CONTEXT, CreateSmContext(psi, dnn, snssai, transport.payload))
    except BackendFailed:
        _backend_failed(task, transport)
        return
    if isinstance(answer, Failed) or answer.released:
        task.write_off()
        if isinstance(answer, Failed):
            not_forwarded(task, transport, FivegmmCause.PAYLOAD_WAS_NOT_FORWARDED)
        else:
            task.tell(DlNasTransport(answer.n1, psi))
        return
    nas = task.protect(encode_nas(DlNasTransport(answer.n1, psi)))
    resource = PduSessionResource(psi, snssai, answer.tunnel.address, answer.tunnel.teid, nas)
    tunnel = yield from _set_up_resources(task, resource)
    if tunnel is None:
        task.write_off()
        yield from task.call(ops.UPDATE_SM_CONTEXT, UpdateSmContext(psi, setup_failed=True))
        return
    ue.sessions[psi] = Session(dnn, snssai, task.account)
    task.done()
    task.bound_to_connection = False
    try:
        yield from task.call(ops.UPDATE_SM_CONTEXT, UpdateSmContext(psi, tunnel=tunnel))
    except BackendFailed:
        # the user has the session; the network lacks its registration at the UDM, which the next one makes
        task.env.tally.count(counters.AMF_BACKEND_FAILURES, task.now)
    if task.env.settle_if_in_full_service(ue) and ue.connection is not None:
        ue.connection.follows_registration = False


def _set_up_resources(task: Task, resource: PduSessionResource) -> Generator[Expect, Any, PduSessionTunnel | None]:
    """The gNB's end of the tunnel, or None. Without a context at the gNB that is set up with it."""
    connection, env, ue = task.connection, task.env, task.ue
    ids = connection.amf_ue_id, connection.ran_ue_id
    if connection.context_set_up:
        env.n2.send(connection, PduSessionResourceSetupRequest(*ids, (resource,)))
    elif ue.security is not None:
        key = ue.security.k_gnb(connection.base_count)
        guami, slices = env.identity.guami, (env.identity.slice,)
        request = InitialContextSetupRequest(*ids, guami, slices, ue.capability, key, b"", (resource,))
        env.n2.send(connection, request)
    wanted = (PduSessionResourceSetupResponse, InitialContextSetupResponse, InitialContextSetupFailure)
    while True:
        try:
            answer = yield Expect(wanted, GNB_GUARD)
        except Unanswered:
            return None
        if isinstance(answer, InitialContextSetupFailure):
            return None
        if isinstance(answer, InitialContextSetupResponse):
            connection.context_set_up = True
        tunnel = _tunnel_of(answer.sessions, resource.pdu_session_id)
        if tunnel is not None or resource.pdu_session_id in getattr(answer, "failed", ()):
            return tunnel


def concerns(answer: PduSessionResourceSetupResponse, psi: int) -> bool:
    """The gNB's answer is about this session."""
    return psi in answer.failed or _tunnel_of(answer.sessions, psi) is not None


def _tunnel_of(sessions: Iterable[PduSessionTunnel], psi: int) -> PduSessionTunnel | None:
    return next((one for one in sessions if one.pdu_session_id == psi), None)


def forward_to_session(task: Task, transport: UlNasTransport) -> Steps:
    """A 5GSM message for a session that exists: the SMF answers it."""
    psi = transport.pdu_session_id
    try:
        answer = yield from task.call(ops.UPDATE_SM_CONTEXT, UpdateSmContext(psi, n1=transport.payload))
    except BackendFailed:
        _backend_failed(task, transport)
        return
    if isinstance(answer, Failed):
        _gone(task, psi)
        not_forwarded(task, transport, FivegmmCause.PAYLOAD_WAS_NOT_FORWARDED)
        return
    if answer.released:
        _gone(task, psi)
    pass_on(task, psi, answer)


def release_locally(task: Task, status: bytes) -> None:
    """The sessions that the UE's PDU session status does not have any more (5.5.1.3.4, 5.6.1.4)."""
    theirs = psis_of(status)
    for gone in [psi for psi in task.ue.sessions if psi not in theirs]:
        _gone(task, gone)


def _gone(task: Task, psi: int) -> None:
    """A session ends; if its UE has not had full service with it, its pairs were wasted."""
    session = task.ue.sessions.pop(psi, None)
    if session is not None:
        task.env.ledger.write_off(session.account, task.now)


def pass_on(task: Task, psi: int, answer: SmContext) -> None:
    """Hands the SMF's N1 message to the UE, with the release of its resources if those have to go."""
    if not answer.n1:
        return
    if not answer.release_resources:
        task.tell(DlNasTransport(answer.n1, psi))
        return
    connection = task.connection
    nas = task.protect(encode_nas(DlNasTransport(answer.n1, psi)))
    command = PduSessionResourceReleaseCommand(connection.amf_ue_id, connection.ran_ue_id, (psi,), nas)
    task.env.n2.send(connection, command)


def not_forwarded(task: Task, transport: UlNasTransport, cause: FivegmmCause) -> None:
    """The UE gets its 5GSM message back (TS 24.501 5.4.5.3.1); with #22 it is told how long to wait."""
    back_off = task.env.back_off() if cause is FivegmmCause.CONGESTION else None
    task.tell(DlNasTransport(transport.payload, transport.pdu_session_id, cause, back_off))


def _backend_failed(task: Task, transport: UlNasTransport) -> None:
    task.write_off()
    task.env.tally.count(counters.AMF_BACKEND_FAILURES, task.now)
    match task.env.settings.on_backend_failure:
        case "silent":
            return  # T3580 of the UE decides
        case "22_t3346":
            not_forwarded(task, transport, FivegmmCause.CONGESTION)
        case "111":  # a value that DL NAS TRANSPORT does not have; #90 says the same there
            not_forwarded(task, transport, FivegmmCause.PAYLOAD_WAS_NOT_FORWARDED)


def psi_bitmap(sessions: Iterable[int]) -> bytes:
    """PDU session status (TS 24.501 9.11.3.44): bit n of the first octet is PSI n, the second has 8 to 15."""
    bits = 0
    for psi in sessions:
        bits |= 1 << psi
    return (bits & 0xFFFF).to_bytes(2, "little")


def psis_of(bitmap: bytes) -> frozenset[int]:
    """The sessions in a PDU session status or uplink data status."""
    bits = int.from_bytes(bitmap[:2], "little")
    return frozenset(psi for psi in range(1, 16) if bits >> psi & 1)
