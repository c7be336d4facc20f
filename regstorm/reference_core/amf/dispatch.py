"""Starts procedures for admitted messages, and hands answers to the procedures that wait for them."""

from collections.abc import Callable

from protocols.causes import FivegmmCause
from protocols.nas5g.messages import (
    AuthenticationFailure,
    AuthenticationResponse,
    DeregistrationAccept,
    DeregistrationRequest,
    DlNasTransport,
    FivegmmStatus,
    IdentityResponse,
    NetworkDeregistrationAccept,
    NetworkDeregistrationRequest,
    RegistrationComplete,
    RegistrationReject,
    RegistrationRequest,
    RegistrationType,
    SecurityModeComplete,
    SecurityModeReject,
    ServiceReject,
    ServiceRequest,
    UlNasTransport,
)
from protocols.ngap import causes as ngap_causes
from regstorm.records import counters
from regstorm.records.message_classes import MessageClass
from regstorm.reference_core.amf.deregistration import deregister_by_network, leave_udm
from regstorm.reference_core.amf.environment import Environment
from regstorm.reference_core.amf.n2 import protected
from regstorm.reference_core.amf.registration import registration
from regstorm.reference_core.amf.registration_update import registration_update
from regstorm.reference_core.amf.replies import reject, tell
from regstorm.reference_core.amf.service_request import service_request
from regstorm.reference_core.amf.session import INITIAL_REQUEST, establish_session, forward_to_session
from regstorm.reference_core.amf.task import Steps, Task
from regstorm.reference_core.amf.ue_context import Connection, UeContext
from regstorm.reference_core.amf.uplink import Reading

_ANSWERS = (
    IdentityResponse,
    AuthenticationResponse,
    AuthenticationFailure,
    SecurityModeComplete,
    SecurityModeReject,
    RegistrationComplete,
    NetworkDeregistrationAccept,
)
"""They may come twice, when the network asked twice: the second one is ignored."""


class Dispatcher:
    """What is done about each kind of uplink NAS message."""

    def __init__(self, env: Environment) -> None:
        self._env = env

    def dispatch(self, connection: Connection, reading: Reading, message_class: MessageClass, now: float) -> None:
        """A message that was let in."""
        match reading.message:
            case RegistrationRequest(kind=RegistrationType.MOBILITY | RegistrationType.PERIODIC):
                self._update(connection, reading, message_class, now)
            case RegistrationRequest():
                self._register(connection, reading, message_class, now)
            case ServiceRequest():
                self._serve(connection, reading, message_class, now)
            case DeregistrationRequest():
                self._deregister(connection, reading, now)
            case UlNasTransport() if reading.verified and connection.ue is not None and connection.ue.registered:
                self._session(connection, connection.ue, reading.message, message_class, now)
            case FivegmmStatus():
                self._env.tally.count(counters.PROTOCOL_ERRORS, now)  # and nothing else (TS 24.501 5.4.6)
            case _:
                self._answer(connection, reading, now)

    def connection_gone(self, ue: UeContext, now: float) -> None:
        """The UE is idle: what ran on its connection is over, its calls are cancelled."""
        if ue.procedure is not None and ue.procedure.bound_to_connection:
            self._abort_procedure(ue, now)
        for psi, task in list(ue.session_tasks.items()):
            if task.bound_to_connection:
                task.abort(now)
                del ue.session_tasks[psi]
        if ue.supi is None:
            self._env.write_off_open(ue, now)

    def deregister_by_network(self, ue: UeContext, request: NetworkDeregistrationRequest, now: float) -> None:
        """The network sends the UE away; an idle one is deregistered without a word (paging is not done here)."""
        self._stop_everything(ue, now)
        sessions = self._forget_sessions(ue)
        if ue.connection is None:
            ue.registered = False
            self._leave(ue, sessions, now)
            return
        task = Task(self._env, ue, MessageClass.DEREGISTRATION)
        self._run(task, deregister_by_network(task, request), now, lambda at: self._leave(ue, sessions, at))

    # --- registration ------------------------------------------------------------------------------------------------

    def _register(self, connection: Connection, reading: Reading, message_class: MessageClass, now: float) -> None:
        request: RegistrationRequest = reading.message
        if connection.ue is not None and connection.ue.procedure is not None and connection.ue.request == request:
            return  # 5.5.1.2.8 d: the same request again is continued with
        ue = self._speaker(connection, reading, now)
        self._stop_everything(ue, now)  # 5.5.1.2.8 e: another one aborts what ran
        self._env.write_off_open(ue, now)
        ue.registered = False
        ue.request = request
        connection.follows_registration = True
        if reading.verified:
            connection.secured = True
            connection.base_count = reading.nas_count
        task = Task(self._env, ue, message_class, self._env.ledger.open())
        self._run(task, registration(task, request, reading.verified), now)

    def _speaker(self, connection: Connection, reading: Reading, now: float) -> UeContext:
        """The context that the request belongs to; a stranger's is new. An older connection of it is released."""
        ue = connection.ue
        if ue is None:
            ue = reading.ue if reading.verified and reading.ue is not None else UeContext()
            self._env.n2.attach(connection, ue, ngap_causes.RELEASE_DUE_TO_5GC_GENERATED_REASON, now)
        return ue

    def _update(self, connection: Connection, reading: Reading, message_class: MessageClass, now: float) -> None:
        ue = reading.ue
        if not reading.verified or ue is None or not ue.registered:
            reject(self._env, connection, reading.security, RegistrationReject(_why_unknown(reading)), now)
            return
        self._begin_on(connection, ue, reading, now)
        task = Task(self._env, ue, message_class)
        self._run(task, registration_update(task, reading.message), now)

    def _serve(self, connection: Connection, reading: Reading, message_class: MessageClass, now: float) -> None:
        ue = reading.ue
        if not reading.verified or ue is None or not ue.registered:
            reject(self._env, connection, reading.security, ServiceReject(_why_unknown(reading)), now)
            return
        self._begin_on(connection, ue, reading, now)
        task = Task(self._env, ue, message_class)
        self._run(task, service_request(task, reading.message), now)

    def _begin_on(self, connection: Connection, ue: UeContext, reading: Reading, now: float) -> None:
        """A known, registered UE begins a procedure on this connection."""
        self._env.n2.attach(connection, ue, ngap_causes.RELEASE_DUE_TO_5GC_GENERATED_REASON, now)
        self._abort_procedure(ue, now)
        if not connection.secured:
            connection.secured = True
            connection.base_count = reading.nas_count

    # --- deregistration ----------------------------------------------------------------------------------------------

    def _deregister(self, connection: Connection, reading: Reading, now: float) -> None:
        request: DeregistrationRequest = reading.message
        ue = reading.ue
        if not request.switch_off:
            self._env.n2.send_nas(connection, protected(reading.security, DeregistrationAccept()))
        if ue is not None and reading.verified:
            self._stop_everything(ue, now)
            self._env.write_off_open(ue, now)
            was_registered, ue.registered = ue.registered, False
            sessions = self._forget_sessions(ue)
            if was_registered:
                self._leave(ue, sessions, now)
        self._env.n2.release(connection, ngap_causes.DEREGISTER, now)

    def _forget_sessions(self, ue: UeContext) -> list[int]:
        sessions = list(ue.sessions)
        ue.sessions.clear()
        return sessions

    def _leave(self, ue: UeContext, sessions: list[int], now: float) -> None:
        task = Task(self._env, ue, MessageClass.DEREGISTRATION, bound_to_connection=False)
        self._run(task, leave_udm(task, sessions), now)

    # --- sessions and answers ----------------------------------------------------------------------------------------

    def _session(
        self,
        connection: Connection,
        ue: UeContext,
        transport: UlNasTransport,
        message_class: MessageClass,
        now: float,
    ) -> None:
        psi = transport.pdu_session_id
        running = ue.session_tasks.get(psi)
        if running is not None:
            if running.repeats_of == transport.payload:
                return  # T3580 repeated what is being worked on
            if running.account:
                running.abort(now)
            else:
                running.close(now)  # a message for the session, which the SMF has by now
            del ue.session_tasks[psi]
        if transport.request_type == INITIAL_REQUEST:
            account = self._env.ledger.open()
            task = Task(self._env, ue, message_class, account, repeats_of=transport.payload)
            self._run_session(psi, task, establish_session(task, transport), now)
        elif psi in ue.sessions:
            task = Task(self._env, ue, message_class, repeats_of=transport.payload)
            self._run_session(psi, task, forward_to_session(task, transport), now)
        else:
            tell(self._env, connection, DlNasTransport(transport.payload, psi, FivegmmCause.PAYLOAD_WAS_NOT_FORWARDED))

    def _answer(self, connection: Connection, reading: Reading, now: float) -> None:
        ue = connection.ue
        if ue is not None and ue.procedure is not None and ue.procedure.deliver(reading.message, now):
            return
        self._env.tally.count(counters.PROTOCOL_ERRORS, now)
        if isinstance(reading.message, _ANSWERS):
            return
        uplink = isinstance(reading.message, UlNasTransport)
        cause = (
            FivegmmCause.MESSAGE_NOT_COMPATIBLE_WITH_STATE
            if uplink
            else FivegmmCause.MESSAGE_TYPE_NOT_COMPATIBLE_WITH_STATE
        )
        tell(self._env, connection, FivegmmStatus(cause))

    # --- running tasks -----------------------------------------------------------------------------------------------

    def _run(self, task: Task, steps: Steps, now: float, afterwards: Callable[[float], None] | None = None) -> None:
        ue = task.ue
        ue.procedure = task

        def ended(at: float) -> None:
            if ue.procedure is task:
                ue.procedure = None
                ue.request = None
            if afterwards is not None:
                afterwards(at)

        task.start(steps, ended, now)

    def _run_session(self, psi: int, task: Task, steps: Steps, now: float) -> None:
        sessions = task.ue.session_tasks
        sessions[psi] = task

        def ended(at: float) -> None:
            if sessions.get(psi) is task:
                del sessions[psi]

        task.start(steps, ended, now)

    def _stop_everything(self, ue: UeContext, now: float) -> None:
        self._abort_procedure(ue, now)
        for task in list(ue.session_tasks.values()):
            task.abort(now)
        ue.session_tasks.clear()

    def _abort_procedure(self, ue: UeContext, now: float) -> None:
        procedure, ue.procedure, ue.request = ue.procedure, None, None
        if procedure is not None:
            procedure.abort(now)


def _why_unknown(reading: Reading) -> FivegmmCause:
    """#10 for a UE that the network has deregistered without a word, #9 for one that it does not know."""
    if reading.verified and reading.ue is not None:
        return FivegmmCause.IMPLICITLY_DEREGISTERED
    return FivegmmCause.UE_IDENTITY_CANNOT_BE_DERIVED
