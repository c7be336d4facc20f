"""Deregistration, by the UE and by the network (TS 23.502 4.2.2.3, TS 24.501 5.5.2).

The GUTI and the security context stay on both sides, so a UE that comes back is known.
"""

from protocols.nas5g.messages import NetworkDeregistrationAccept, NetworkDeregistrationRequest
from protocols.ngap import causes as ngap_causes
from regstorm.records import counters
from regstorm.records import operations as ops
from regstorm.reference_core.amf.task import T3522, BackendFailed, Steps, Task, Unanswered
from regstorm.reference_core.payloads import ReleaseSmContext


def leave_udm(task: Task, sessions: list[int]) -> Steps:
    """After a UE has left: two pairs per session on N10, two on N8. Needs no connection; silence ends it early."""
    try:
        for psi in sessions:
            yield from task.call(ops.RELEASE_SM_CONTEXT, ReleaseSmContext(psi))
        yield from task.call(ops.UNSUBSCRIBE_AMF)
        yield from task.call(ops.DEREGISTER_AMF)
    except BackendFailed:
        task.env.tally.count(counters.AMF_BACKEND_FAILURES, task.now)


def deregister_by_network(task: Task, request: NetworkDeregistrationRequest) -> Steps:
    """Network-initiated, for a UE with a connection (5.5.2.3): the UE is deregistered whether it answers or not."""
    try:
        yield from task.ask(request, T3522, (NetworkDeregistrationAccept,))
    except Unanswered:
        task.env.tally.count(counters.AMF_ABANDONED, task.now)
    task.ue.registered = False
    task.release_at_end(ngap_causes.DEREGISTER)
