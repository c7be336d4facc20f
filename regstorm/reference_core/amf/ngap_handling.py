"""NGAP at the AMF: interface management, contexts, and messages that do not fit (TS 38.413 8.3, 8.6, 8.7, 10)."""

from typing import Any

from protocols.ngap import causes
from protocols.ngap.decode import decode
from protocols.ngap.encode import encode
from protocols.ngap.messages import (
    ErrorIndication,
    InitialContextSetupFailure,
    InitialContextSetupResponse,
    InitialUeMessage,
    NgReset,
    NgResetAcknowledge,
    NgSetupFailure,
    NgSetupRequest,
    NgSetupResponse,
    PduSessionResourceReleaseResponse,
    PduSessionResourceSetupResponse,
    UeContextReleaseComplete,
    UeContextReleaseRequest,
    Unreadable,
    UplinkNasTransport,
)
from regstorm.records import counters
from regstorm.reference_core.amf.entry import Entry
from regstorm.reference_core.amf.environment import Environment
from regstorm.reference_core.amf.n2 import COMMON_STREAM
from regstorm.reference_core.amf.session import concerns
from regstorm.reference_core.amf.ue_context import Association, Connection

_UE_MESSAGES = (
    UplinkNasTransport,
    InitialContextSetupResponse,
    InitialContextSetupFailure,
    PduSessionResourceSetupResponse,
    PduSessionResourceReleaseResponse,
    UeContextReleaseRequest,
    UeContextReleaseComplete,
)


class NgapHandler:
    """Acts on whatever a gNB sends; no octets of a peer raise anything here."""

    def __init__(self, env: Environment, entry: Entry) -> None:
        self._env = env
        self._entry = entry

    def receive(self, association: Association, data: bytes, stream: int, now: float) -> None:
        """One NGAP PDU. UE-associated signalling on stream 0 is tolerated (TS 38.412 clause 7 asks for others)."""
        message = decode(data)
        if association.set_up:
            if isinstance(message, InitialUeMessage):
                self._initial(association, message, stream, now)
                return
            if isinstance(message, _UE_MESSAGES):
                connection = self._connection_of(association, message, now)
                if connection is not None:
                    self._of_connection(connection, message, now)
                return
        self._of_interface(association, message, now)

    def _of_interface(self, association: Association, message: Any, now: float) -> None:
        match message:
            case Unreadable(cause=cause, amf_ue_id=amf_ue_id, ran_ue_id=ran_ue_id, told=told):
                self._env.tally.count(counters.DECODE_ERRORS, now)
                self._env.tally.count(f"{counters.DECODE_ERRORS}.ngap", now)
                if told:
                    self._env.n2.error(association, cause, amf_ue_id, ran_ue_id)
            case NgSetupRequest():
                self._set_up(association, message, now)
            case NgReset():
                self._reset(association, message, now)
            case ErrorIndication():
                self._peer_error(association, message, now)
            case _:  # before NG Setup, or a message that only an AMF sends
                self._wrong(association, causes.MESSAGE_NOT_COMPATIBLE_WITH_RECEIVER_STATE, None, None, now)

    # --- the interface -----------------------------------------------------------------------------------------------

    def _set_up(self, association: Association, message: NgSetupRequest, now: float) -> None:
        """8.7.1. Done again, it erases what there was."""
        env, identity = self._env, self._env.identity
        env.n2.drop_all(association, now)
        answer: NgSetupResponse | NgSetupFailure
        if message.plmn != identity.plmn:
            association.set_up = False
            answer = NgSetupFailure(causes.UNKNOWN_PLMN_OR_SNPN)
        else:
            association.set_up = True
            answer = NgSetupResponse(identity.amf_name, identity.guami, identity.relative_capacity, (identity.slice,))
        association.send(encode(answer), COMMON_STREAM)

    def _reset(self, association: Association, message: NgReset, now: float) -> None:
        """8.7.4: the whole interface, or the listed connections of this association."""
        if not message.connections:
            self._env.n2.drop_all(association, now)
        for amf_ue_id, ran_ue_id in message.connections:
            connection = self._find(association, amf_ue_id, ran_ue_id)
            if connection is not None:
                self._env.n2.drop(connection, now)
        association.send(encode(NgResetAcknowledge(message.connections)), COMMON_STREAM)

    def _peer_error(self, association: Association, message: ErrorIndication, now: float) -> None:
        """A connection that the gNB does not know is gone (10.6); an error is never answered with an error."""
        unknown_there = (causes.UNKNOWN_LOCAL_UE_NGAP_ID, causes.INCONSISTENT_REMOTE_UE_NGAP_ID)
        connection = self._find(association, message.amf_ue_id, message.ran_ue_id)
        if connection is None or not connection.releasing:  # a release of what is gone there is no error of anybody
            self._env.tally.count(counters.PROTOCOL_ERRORS, now)
        if connection is not None and message.cause in unknown_there:
            self._env.n2.drop(connection, now)

    def _find(self, association: Association, amf_ue_id: int | None, ran_ue_id: int | None) -> Connection | None:
        """The connection of this association that either ID names; None if they contradict each other."""
        if amf_ue_id is not None:
            found = self._env.n2.connection(amf_ue_id)
        elif ran_ue_id is not None:
            found = association.connections.get(ran_ue_id)
        else:
            return None
        if found is None or found.association is not association:
            return None
        return found if ran_ue_id in (None, found.ran_ue_id) else None

    # --- UEs ---------------------------------------------------------------------------------------------------------

    def _initial(self, association: Association, message: InitialUeMessage, stream: int, now: float) -> None:
        n2 = self._env.n2
        old = association.connections.get(message.ran_ue_id)
        if old is not None:
            if not old.releasing:
                # 10.6: the number is in use, so both ends give up the connection that has it
                cause = causes.INCONSISTENT_REMOTE_UE_NGAP_ID
                self._wrong(association, cause, old.amf_ue_id, message.ran_ue_id, now)
                n2.drop(old, now)
                return
            n2.drop(old, now)  # its UE CONTEXT RELEASE COMPLETE never came
        connection = n2.connect(association, message.ran_ue_id, stream, message.rrc_cause)
        self._entry.initial(connection, message, now)

    def _connection_of(self, association: Association, message: Any, now: float) -> Connection | None:
        """The connection that both IDs name; else ERROR INDICATION (10.6)."""
        found = self._env.n2.connection(message.amf_ue_id)
        if found is None or found.association is not association:
            if not isinstance(message, UeContextReleaseComplete):
                self._wrong(association, causes.UNKNOWN_LOCAL_UE_NGAP_ID, message.amf_ue_id, message.ran_ue_id, now)
            return None
        if found.ran_ue_id != message.ran_ue_id:
            self._wrong(association, causes.INCONSISTENT_REMOTE_UE_NGAP_ID, message.amf_ue_id, message.ran_ue_id, now)
            self._env.n2.drop(found, now)
            return None
        return found

    def _of_connection(self, connection: Connection, message: Any, now: float) -> None:
        match message:
            case UplinkNasTransport(nas=nas):
                self._entry.uplink(connection, nas, now)
            case UeContextReleaseRequest(cause=cause):
                self._env.n2.release(connection, cause, now)
            case UeContextReleaseComplete():
                self._env.n2.drop(connection, now)
            case PduSessionResourceReleaseResponse():
                pass  # the session's N1 side decides when it is over
            case _:
                self._answer(connection, message, now)

    def _answer(self, connection: Connection, message: Any, now: float) -> None:
        """A gNB's answer goes to the procedure that asked; one that nobody waits for is too late."""
        ue = connection.ue
        if ue is None:
            return
        if isinstance(message, PduSessionResourceSetupResponse):
            waiting = [task for psi, task in ue.session_tasks.items() if concerns(message, psi)]
        else:
            waiting = list(ue.tasks())
        delivered = [task.deliver(message, now) for task in waiting]
        if not any(delivered):
            self._env.tally.count(counters.PROTOCOL_ERRORS, now)

    def _wrong(
        self, association: Association, cause: Any, amf_ue_id: int | None, ran_ue_id: int | None, now: float
    ) -> None:
        self._env.tally.count(counters.PROTOCOL_ERRORS, now)
        self._env.n2.error(association, cause, amf_ue_id, ran_ue_id)
