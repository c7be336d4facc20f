"""Service request (TS 23.502 4.2.3.2, TS 24.501 5.6.1): the UE's context and its sessions' resources come back.

The AMF has all that it needs: no pair at the UDM.
"""

from protocols.causes import FivegmmCause
from protocols.nas5g.encode import encode as encode_nas
from protocols.nas5g.messages import ServiceAccept, ServiceReject, ServiceRequest
from protocols.ngap import causes as ngap_causes
from protocols.ngap.messages import (
    InitialContextSetupFailure,
    InitialContextSetupRequest,
    InitialContextSetupResponse,
    PduSessionResource,
)
from regstorm.records import counters
from regstorm.records import operations as ops
from regstorm.reference_core.amf.session import psi_bitmap, psis_of, release_locally
from regstorm.reference_core.amf.task import GNB_GUARD, BackendFailed, Expect, Steps, Task, Unanswered
from regstorm.reference_core.bus import Call
from regstorm.reference_core.payloads import SmContext, UpdateSmContext


def service_request(task: Task, request: ServiceRequest) -> Steps:
    """The request came under the security context in use, from a registered UE."""
    ue, connection = task.ue, task.connection
    if request.pdu_session_status is not None:
        release_locally(task, request.pdu_session_status)
    wanted = psis_of(request.uplink_data_status or b"")
    resources: list[PduSessionResource] = []
    try:
        for psi in [psi for psi in ue.sessions if psi in wanted]:
            answer = yield from task.call(ops.UPDATE_SM_CONTEXT, UpdateSmContext(psi, activate=True))
            if isinstance(answer, SmContext) and answer.tunnel is not None:
                tunnel = answer.tunnel
                resources.append(PduSessionResource(psi, ue.sessions[psi].snssai, tunnel.address, tunnel.teid))
    except BackendFailed:
        _backend_failed(task)
        return
    accept = encode_nas(ServiceAccept(psi_bitmap(ue.sessions)))
    set_up_context(task, task.protect(accept), tuple(resources))
    try:
        answer = yield Expect((InitialContextSetupResponse, InitialContextSetupFailure), GNB_GUARD)
    except Unanswered:
        answer = None
    if not isinstance(answer, InitialContextSetupResponse):
        task.env.tally.count(counters.AMF_ABANDONED, task.now)
        task.release_at_end(ngap_causes.RADIO_NETWORK_UNSPECIFIED)
        return
    connection.context_set_up = True
    for tunnel in answer.sessions:
        # the UE is served already: the SMF's answer changes nothing
        yield Call(ops.UPDATE_SM_CONTEXT, ue.supi or "", UpdateSmContext(tunnel.pdu_session_id, tunnel=tunnel))


def set_up_context(task: Task, nas: bytes, resources: tuple[PduSessionResource, ...]) -> None:
    """INITIAL CONTEXT SETUP REQUEST with keys from the security context in use."""
    ue, env, connection = task.ue, task.env, task.connection
    if ue.security is None:
        raise RuntimeError("no context is set up without security")
    key = ue.security.k_gnb(connection.base_count)
    env.n2.send(
        connection,
        InitialContextSetupRequest(
            connection.amf_ue_id,
            connection.ran_ue_id,
            env.identity.guami,
            (env.identity.slice,),
            ue.capability,
            key,
            nas,
            resources,
        ),
    )


def _backend_failed(task: Task) -> None:
    """The SMF gave no answer."""
    env = task.env
    env.tally.count(counters.AMF_BACKEND_FAILURES, task.now)
    match env.settings.on_backend_failure:
        case "silent":
            return  # T3517 of the UE decides
        case "22_t3346":
            message = ServiceReject(FivegmmCause.CONGESTION, env.door.draw_t3346())
        case _:
            message = ServiceReject(FivegmmCause.PROTOCOL_ERROR_UNSPECIFIED)
    task.tell(message)
    task.release_at_end(ngap_causes.NAS_UNSPECIFIED)
