"""Periodic and mobility registration update on the same AMF (TS 24.501 5.5.1.3): no pair at the UDM."""

from protocols.nas5g.encode import encode as encode_nas
from protocols.nas5g.messages import RegistrationComplete, RegistrationRequest, RegistrationType
from protocols.ngap import causes as ngap_causes
from regstorm.reference_core.amf.registration import abandon, registration_accept
from regstorm.reference_core.amf.session import psi_bitmap, release_locally
from regstorm.reference_core.amf.task import T3550, Expect, Steps, Task, Unanswered


def registration_update(task: Task, request: RegistrationRequest) -> Steps:
    """The request came under the security context in use. A mobility update brings a new GUTI (TS 33.501 6.12.3)."""
    ue, env = task.ue, task.env
    if request.pdu_session_status is not None:
        release_locally(task, request.pdu_session_status)
    new_guti = request.kind is RegistrationType.MOBILITY
    if new_guti:
        env.contexts.offer_guti(ue, env.identity.guti(env.tmsis.next()))
    message = registration_accept(task, with_guti=new_guti)
    accept = encode_nas(message._replace(pdu_session_status=psi_bitmap(ue.sessions)))
    task.tell_plain(accept)
    if new_guti:
        try:
            yield Expect((RegistrationComplete,), T3550, lambda now: task.tell_plain(accept))
        except Unanswered:
            abandon(task)
            return
        env.contexts.confirm_guti(ue)
    if not request.follow_on:
        task.release_at_end(ngap_causes.NORMAL_RELEASE)
