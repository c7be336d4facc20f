"""Initial and emergency registration (TS 23.502 4.2.2.2.2, TS 24.501 5.5.1.2).

Reads like the call flow: who is it, authenticate, secure, tell the UDM, fetch the subscription, ask for the policy,
accept, complete. Thirteen UDM pairs hang on it with two sessions; seven of them are asked for here.
"""

from collections.abc import Generator
from typing import Any

from protocols.causes import FivegmmCause
from protocols.identities import Guti, Suci
from protocols.nas5g.encode import encode as encode_nas
from protocols.nas5g.messages import (
    RegistrationAccept,
    RegistrationComplete,
    RegistrationReject,
    RegistrationRequest,
)
from protocols.ngap import causes as ngap_causes
from protocols.ngap.messages import (
    InitialContextSetupFailure,
    InitialContextSetupRequest,
    InitialContextSetupResponse,
)
from protocols.timers import GprsTimer2, GprsTimer3
from regstorm.overload.front_door import Refused
from regstorm.records import counters
from regstorm.records import operations as ops
from regstorm.reference_core.amf.common_procedures import (
    AuthenticationFailed,
    Rejected,
    SecurityModeRefused,
    authenticate,
    establish_security,
    identify,
    reject_authentication,
)
from regstorm.reference_core.amf.task import T3550, BackendFailed, Expect, Steps, Task, Unanswered
from regstorm.reference_core.amf.ue_context import UeContext
from regstorm.reference_core.bus import Call, Failed
from regstorm.reference_core.payloads import AmData, AmfRegistration

Part = Generator[Call | Expect, Any, Any]

_SUBSCRIPTION = (
    ops.REGISTER_AMF,
    ops.GET_AM_DATA,
    ops.GET_SMF_SELECTION,
    ops.GET_UE_CONTEXT_IN_SMF,
    ops.SUBSCRIBE_AMF,
    ops.CREATE_AM_POLICY,
)
_SUBSCRIPTION_AGGREGATED = (ops.REGISTER_AMF, ops.SUBSCRIBE_AMF_WITH_DATA, ops.CREATE_AM_POLICY)

FEATURES = b"\x01"
"""5GS network feature support: IMS voice over PS session over 3GPP access, and nothing else (TS 24.501 9.11.3.5)."""


def registration(task: Task, request: RegistrationRequest, verified: bool) -> Steps:
    """One registration, to REGISTRATION COMPLETE or to its end without success.

    `verified`: the request came under the UE's security context, which this AMF has kept.
    """
    try:
        request = yield from _secure(task, request, verified)
        if not _passes_probation(task):
            return
        yield from _subscribe(task)
        yield from _accept(task, request)
    except Rejected as end:
        reject(task, RegistrationReject(end.cause))
    except AuthenticationFailed:
        task.write_off()
        reject_authentication(task)
        task.release_at_end(ngap_causes.AUTHENTICATION_FAILURE)
    except BackendFailed:
        tell_backend_failure(task)
    except (SecurityModeRefused, Unanswered):
        abandon(task)


def _passes_probation(task: Task) -> bool:
    """Who was let in only to be authenticated is known now: the door lets it go on, or it waits as anyone does."""
    env, supi = task.env, task.ue.supi
    if not task.connection.on_probation:
        return True
    task.connection.on_probation = False
    if not isinstance(env.door.after_probation(task.now, supi), Refused):
        env.tally.count(counters.ADMITTED_FIRST, task.now)
        return True
    env.tally.count(counters.REFUSED_FIRST, task.now)
    reject(task, RegistrationReject(FivegmmCause.CONGESTION, env.door.draw_t3346(task.now, supi)))
    return False


# --- how it goes well --------------------------------------------------------------------------------------------


def _secure(task: Task, request: RegistrationRequest, verified: bool) -> Part:
    """Who it is, and a security context that both sides share; returns the complete request."""
    ue, env = task.ue, task.env
    ue.capability = request.security_capability or ue.capability
    if verified and env.authenticate == "when_needed":
        return request  # the exchange was re-established by the request itself (TS 24.501 4.4.2.3)
    suci = None if verified else request.identity if isinstance(request.identity, Suci) else (yield from identify(task))
    supi, kamf, ngksi = yield from authenticate(task, suci)
    replaced = env.contexts.identify(ue, supi)
    if replaced is not None:
        supersede(task, replaced)
    if isinstance(request.identity, Guti):
        _find_again_by(task, request.identity)
    complete = yield from establish_security(task, ngksi, kamf, ask_for_request=not verified)
    request = complete or request
    ue.capability = request.security_capability or ue.capability
    return request


def _find_again_by(task: Task, guti: Guti) -> None:
    """Should the rest fail, the UE comes back with this GUTI and the new context: it has to be found.

    Also with one of a lost AMF of the same set, whose UEs this AMF serves in its place (TS 23.501 5.21.2.3). The
    context is not fetched (TS 23.502 4.2.2.2.2 step 4): who had it is gone.
    """
    contexts, identity = task.env.contexts, task.env.identity
    if identity.is_ours(guti):
        if contexts.by_tmsi(guti.tmsi) is None:
            contexts.adopt_guti(task.ue, guti)
    elif identity.is_of_our_set(guti):
        contexts.keep_old_guti(task.ue, guti)


def supersede(task: Task, old: UeContext) -> None:
    """The subscriber was known under another context: its connection, procedures and sessions end here."""
    for running in old.tasks():
        running.abort(task.now)
    if old.connection is not None:
        task.env.n2.release(old.connection, ngap_causes.RELEASE_DUE_TO_5GC_GENERATED_REASON, task.now)
    task.env.write_off_open(old, task.now)


def _subscribe(task: Task) -> Part:
    """Steps 14 and 16: five pairs on N8, or two where reads are aggregated; then the policy."""
    for operation in _SUBSCRIPTION_AGGREGATED if task.env.aggregated_reads else _SUBSCRIPTION:
        payload = AmfRegistration(task.env.identity.amf_name) if operation is ops.REGISTER_AMF else None
        answer = yield from task.call(operation, payload)
        if isinstance(answer, Failed):  # 404 USER_NOT_FOUND and the like (TS 29.524)
            raise Rejected(FivegmmCause.FIVEGS_SERVICES_NOT_ALLOWED)
        if operation is ops.REGISTER_AMF:
            task.env.registered_here(task.ue.supi or "", task.now)
        if isinstance(answer, AmData) and task.env.identity.slice not in answer.slices:
            raise Rejected(FivegmmCause.NO_NETWORK_SLICES_AVAILABLE)


def _accept(task: Task, request: RegistrationRequest) -> Part:
    """INITIAL CONTEXT SETUP with REGISTRATION ACCEPT; T3550 repeats the accept until it is completed."""
    ue, env, connection = task.ue, task.env, task.connection
    ue.sessions.clear()  # an initial registration begins without sessions (TS 24.501 5.5.1.2.4)
    env.contexts.offer_guti(ue, env.identity.guti(env.tmsis.next()))
    ue.registered = True
    task.done()  # whether its REGISTRATION COMPLETE comes or not, it can have its sessions with this registration
    accept = encode_nas(registration_accept(task, with_guti=True))
    security = ue.security
    if security is None:
        raise RuntimeError("a registration cannot be accepted without a security context")
    env.n2.send(
        connection,
        InitialContextSetupRequest(
            connection.amf_ue_id,
            connection.ran_ue_id,
            env.identity.guami,
            (env.identity.slice,),
            ue.capability,
            security.k_gnb(connection.base_count),
            task.protect(accept),
        ),
    )
    answers = (RegistrationComplete, InitialContextSetupResponse, InitialContextSetupFailure)
    completed = False
    while not (completed and connection.context_set_up):
        answer = yield Expect(answers, T3550, lambda now: task.tell_plain(accept))
        match answer:
            case InitialContextSetupFailure():
                abandon(task)
                return
            case InitialContextSetupResponse():
                connection.context_set_up = True
            case RegistrationComplete():
                completed = True
    env.contexts.confirm_guti(ue)
    if not request.follow_on:
        task.release_at_end(ngap_causes.NORMAL_RELEASE)


def registration_accept(task: Task, with_guti: bool) -> RegistrationAccept:
    """What every accept of this network carries."""
    ue, env = task.ue, task.env
    settings = env.settings
    return RegistrationAccept(
        guti=ue.next_guti if with_guti else None,
        tai_list=env.identity.tai_list,
        allowed_nssai=(env.identity.slice,),
        t3512=GprsTimer3.of(settings.t3512_s),
        t3502=GprsTimer2.of(settings.t3502_s),
        features=FEATURES,
    )


# --- how it ends otherwise -----------------------------------------------------------------------------------------


def reject(task: Task, message: RegistrationReject) -> None:
    """REGISTRATION REJECT, and the signalling connection is released (TS 24.501 5.5.1.2.5)."""
    task.write_off()
    kind = "protected" if task.connection.secured else "plain"
    task.env.tally.count(f"{counters.AMF_REJECTS}.{kind}", task.now)
    task.tell(message)
    task.release_at_end(ngap_causes.NAS_UNSPECIFIED)


def tell_backend_failure(task: Task) -> None:
    """A function behind the AMF gave no answer: what the UE hears is a setting, and each makes another storm."""
    env = task.env
    env.tally.count(counters.AMF_BACKEND_FAILURES, task.now)
    match env.settings.on_backend_failure:
        case "silent":
            task.write_off()  # the UE's T3510 decides
            env.release_if_silent(task.connection, task.now)
        case "22_t3346":
            reject(task, RegistrationReject(FivegmmCause.CONGESTION, env.door.draw_t3346()))
        case "111":
            reject(task, RegistrationReject(FivegmmCause.PROTOCOL_ERROR_UNSPECIFIED))


def abandon(task: Task) -> None:
    """The procedure is aborted and the connection released (TS 24.501 5.4.1.3.7 b, 5.4.2.5, 5.5.1.2.8 c)."""
    task.write_off()
    task.env.tally.count(counters.AMF_ABANDONED, task.now)
    task.release_at_end(ngap_causes.NAS_UNSPECIFIED)
