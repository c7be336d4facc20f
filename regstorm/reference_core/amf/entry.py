"""Where uplink NAS messages come in: read, classified, let in by the front door, done within the AMF's own capacity.

What the door refuses is answered here. A refused first message gets a reject with #22 and T3346 (protected if the AMF
knows the UE) and loses its connection; a refused follow-up is dropped or rejects its procedure, as the strategy says;
a refused 5GSM message gets DL NAS TRANSPORT with #22 and a back-off. What exceeds the AMF's capacity is dropped
without a word. A rejection is work too and takes its share of that capacity.
"""

from collections.abc import Callable

from protocols.causes import FivegmmCause
from protocols.nas5g.messages import (
    DlNasTransport,
    FivegmmStatus,
    RegistrationReject,
    ServiceReject,
    ServiceRequest,
    UlNasTransport,
)
from protocols.ngap import causes as ngap_causes
from protocols.ngap.messages import InitialUeMessage
from regstorm.overload.front_door import Refused
from regstorm.records import counters
from regstorm.records.guided_counters import PRE_AUTHENTICATED
from regstorm.records.message_classes import MessageClass
from regstorm.reference_core.amf.classification import Classified, classify
from regstorm.reference_core.amf.environment import Environment
from regstorm.reference_core.amf.replies import reject, security_in_use, tell
from regstorm.reference_core.amf.ue_context import Connection
from regstorm.reference_core.amf.uplink import Reading, Unusable, read_initial, read_uplink
from regstorm.reference_core.service_queue import ServiceQueue

Dispatch = Callable[[Connection, Reading, MessageClass, float], None]


class Entry:
    """The AMF's entry gate."""

    def __init__(self, env: Environment, queue: ServiceQueue, dispatch: Dispatch) -> None:
        """`dispatch` gets every message that is let in, when the AMF has worked it off."""
        self._env = env
        self._queue = queue
        self._dispatch = dispatch
        self._rejection_cost = env.settings.shedding.rejection_cost

    def initial(self, connection: Connection, message: InitialUeMessage, now: float) -> None:
        """The NAS message of an INITIAL UE MESSAGE, on its new connection."""
        env = self._env
        env.tally.count(counters.AMF_UPLINK, now)
        reading = read_initial(message.nas, message.s_tmsi, env.contexts, env.identity)
        if isinstance(reading, Unusable):
            self._count_unusable(reading, now)
            env.n2.release(connection, ngap_causes.NAS_UNSPECIFIED, now)
            return
        self._decide(connection, reading, now)

    def uplink(self, connection: Connection, nas: bytes, now: float) -> None:
        """The NAS message of an UPLINK NAS TRANSPORT."""
        env = self._env
        env.tally.count(counters.AMF_UPLINK, now)
        ue = connection.ue
        if connection.releasing or ue is None:
            return  # it crossed the release
        reading = read_uplink(nas, connection, ue)
        if isinstance(reading, Unusable):
            self._count_unusable(reading, now)
            if reading.cause is not None:
                tell(env, connection, FivegmmStatus(reading.cause))
            return
        self._decide(connection, reading, now)

    # --- the decision ------------------------------------------------------------------------------------------------

    def _decide(self, connection: Connection, reading: Reading, now: float) -> None:
        env = self._env
        if reading.verified and reading.ue is not None:
            env.contexts.note_use(reading.ue, getattr(reading.message, "identity", None))
        kind = classify(reading.message, connection)
        sender = _name_of(reading)
        newcomer = kind.message_class is MessageClass.INITIAL_REGISTRATION
        protected = reading.security is not None
        decision = env.door.decide(now, kind.message_class, kind.first, sender, protected, probation=newcomer)
        tier = env.door.tier(kind.message_class)
        if isinstance(decision, Refused):
            env.tally.count(counters.REFUSED_FIRST if decision.first else counters.REFUSED_FOLLOW_UP, now)
            if decision.action == "reject" or kind.message_class is MessageClass.PDU_SESSION:
                self._work(
                    connection, tier, self._rejection_cost, lambda at: self._refuse(connection, reading, kind, at), now
                )
            return
        if decision.on_probation:
            connection.on_probation = True
            env.tally.count(PRE_AUTHENTICATED, now)
        elif kind.first:
            env.tally.count(counters.ADMITTED_FIRST, now)
        self._work(connection, tier, 1.0, lambda at: self._act(connection, reading, kind, at), now)

    def _work(self, connection: Connection, tier: int, cost: float, job: Callable[[float], None], now: float) -> None:
        if self._queue.offer(now, tier, cost, job):
            return
        self._env.tally.count(counters.AMF_DROPPED, now)
        if connection.ue is None:
            self._env.release_if_silent(connection, now)

    def _act(self, connection: Connection, reading: Reading, kind: Classified, now: float) -> None:
        if connection.alive and not connection.releasing:
            self._dispatch(connection, reading, kind.message_class, now)

    # --- refusals ----------------------------------------------------------------------------------------------------

    def _refuse(self, connection: Connection, reading: Reading, kind: Classified, now: float) -> None:
        if not connection.alive or connection.releasing:
            return
        env, message = self._env, reading.message
        if isinstance(message, UlNasTransport):
            cause = FivegmmCause.CONGESTION
            tell(env, connection, DlNasTransport(message.payload, message.pdu_session_id, cause, env.back_off()))
        elif isinstance(message, ServiceRequest):
            t3346 = env.door.draw_t3346(now, _name_of(reading), reading.security is not None)
            answer = ServiceReject(FivegmmCause.CONGESTION, t3346)
            reject(env, connection, reading.security, answer, now)
        elif kind.first or self._registration_is_running(connection):
            if reading.took_candidate and reading.ue is not None:
                # a refused SECURITY MODE COMPLETE: the UE uses the new context all the same
                reading.ue.take_candidate()
                connection.secured = True
            security = reading.security if kind.first else security_in_use(connection)
            t3346 = env.door.draw_t3346(now, _name_of(reading), security is not None)
            self._end_procedure(connection, now)
            reject(env, connection, security, RegistrationReject(FivegmmCause.CONGESTION, t3346), now)

    def _end_procedure(self, connection: Connection, now: float) -> None:
        """What runs has an outcome: the reject."""
        ue = connection.ue
        if ue is not None and ue.procedure is not None:
            ue.procedure.close(now)

    def _registration_is_running(self, connection: Connection) -> bool:
        """Its request has not been accepted: only then there is something to reject."""
        ue = connection.ue
        return ue is not None and ue.procedure is not None and ue.request is not None and not ue.registered

    def _count_unusable(self, unusable: Unusable, now: float) -> None:
        if unusable.unreadable:
            self._env.tally.count(counters.DECODE_ERRORS, now)
            self._env.tally.count(f"{counters.DECODE_ERRORS}.nas", now)
        else:
            self._env.tally.count(counters.PROTOCOL_ERRORS, now)


def _name_of(reading: Reading) -> str | None:
    """Who says it, if that is proven."""
    return reading.ue.supi if reading.verified and reading.ue is not None else None
