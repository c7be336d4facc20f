"""A base station (gNB): one NGAP association, many UEs (TS 38.413 v17, TS 38.412 clause 7).

Knows NGAP and nothing of NAS. Whatever octets arrive, no exception leaves: what cannot be read or does not fit is
counted in `faults` and answered with ERROR INDICATION as clause 10 asks.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from random import Random
from typing import Final

from protocols.identities import Plmn, STmsi
from protocols.nas5g.messages import Snssai
from protocols.ngap import causes
from protocols.ngap.decode import decode
from protocols.ngap.encode import encode
from protocols.ngap.messages import (
    Cause,
    DownlinkNasTransport,
    ErrorIndication,
    InitialContextSetupRequest,
    InitialContextSetupResponse,
    InitialUeMessage,
    NgReset,
    NgResetAcknowledge,
    NgSetupFailure,
    NgSetupRequest,
    NgSetupResponse,
    OverloadStart,
    OverloadStop,
    PduSessionResource,
    PduSessionResourceReleaseCommand,
    PduSessionResourceReleaseResponse,
    PduSessionResourceSetupRequest,
    PduSessionResourceSetupResponse,
    PduSessionTunnel,
    RrcCause,
    UeContextReleaseCommand,
    UeContextReleaseComplete,
    UeContextReleaseRequest,
    Unreadable,
    UplinkNasTransport,
    UserLocation,
)
from regstorm.records.ports import Agenda, Due, UeObserver
from regstorm.records.procedures import NG_SETUP
from ue_models.radio import Connectable

FIRST_RAN_UE_ID: Final = 65_536
"""All RAN UE NGAP IDs from here on have one length class in APER (INTEGER (0..4294967295))."""

NG_SETUP_GUARD_S: Final = 10.0
"""Until an unanswered NG SETUP REQUEST is repeated (assumed; TS 38.413 8.7.1 names no timer)."""

NOT_A_UE: Final = -1
"""The `ue` of an NG Setup in what the observer is told."""

_NON_UE_STREAM: Final = 0
"""TS 38.412 clause 7: one stream pair is reserved for non UE-associated signalling."""

_ERROR_INDICATION_PREFIX: Final = b"\x00\x09"
"""initiatingMessage, procedure code 9: an unreadable one is not answered by another (TS 38.413 10.4)."""

_UeAssociated = (
    InitialContextSetupResponse
    | PduSessionResourceReleaseResponse
    | PduSessionResourceSetupResponse
    | UeContextReleaseComplete
    | UeContextReleaseRequest
    | UplinkNasTransport
)


@dataclass(slots=True)
class Faults:
    """What a gNB and its UEs met that should not happen."""

    ngap_unreadable: int = 0
    ngap_unexpected: int = 0
    unknown_ids: int = 0
    errors_indicated: int = 0
    """ERROR INDICATIONs that the AMF sent."""
    nas_discarded: dict[str, int] = field(default_factory=dict)
    """NAS messages that a UE did not process, by reason."""


@dataclass(slots=True, eq=False)
class _UeContext:
    """One UE-associated logical NG-connection; `ue` is None once the UE has gone and only the AMF has to agree."""

    ran_id: int
    ue: Connectable | None
    amf_id: int | None = None
    last_activity: float = 0.0
    inactivity: Due | None = None


class Gnb:
    """One gNB on one association. `send(data, stream)` must not call back.

    The driver calls `associated`, `association_lost` and `receive`; UEs call `connect`, `uplink` and `release`.
    """

    __slots__ = (
        "_agenda",
        "_associated",
        "_contexts",
        "_contexts_by_amf_id",
        "_contexts_by_ue",
        "_inactivity_s",
        "_location",
        "_next_ran_id",
        "_observer",
        "_rng",
        "_send",
        "_setup_request",
        "_setup_started",
        "_setup_timer",
        "_streams",
        "faults",
        "gnb_id",
        "overload",
        "ready",
    )

    def __init__(
        self,
        gnb_id: int,
        plmn: Plmn,
        tac: int,
        slices: tuple[Snssai, ...],
        agenda: Agenda,
        rng: Random,
        send: Callable[[bytes, int], None],
        observer: UeObserver,
        *,
        inactivity_s: float = 10.0,
        streams: int = 2,
    ) -> None:
        self.gnb_id = gnb_id
        self.ready = False
        """NG Setup succeeded: the cell is not barred."""
        self.overload: OverloadStart | None = None
        """The OVERLOAD START in force, if any; a new one replaces the old one completely (8.7.7)."""
        self.faults = Faults()
        self._agenda = agenda
        self._rng = rng
        self._send = send
        self._observer = observer
        self._inactivity_s = inactivity_s
        self._streams = max(2, streams)
        self._location = UserLocation(plmn, gnb_id << 12, tac)
        self._setup_request = encode(NgSetupRequest(plmn, gnb_id, f"gnb-{gnb_id}", tac, slices))
        self._setup_timer: Due | None = None
        self._setup_started: float | None = None
        self._associated = False
        self._next_ran_id = FIRST_RAN_UE_ID
        self._contexts: dict[int, _UeContext] = {}
        self._contexts_by_amf_id: dict[int, _UeContext] = {}
        self._contexts_by_ue: dict[Connectable, _UeContext] = {}

    # --- what the driver calls --------------------------------------------------------------------------------------

    def associated(self, now: float) -> None:
        """The association is up, for the first time or again: NG Setup (8.7.1)."""
        self._associated = True
        self._setup(now)

    def association_lost(self, reason: str, now: float) -> None:
        """All that it carried is gone; the UEs see a lower layer failure."""
        self._associated = self.ready = False
        self.overload = None
        self._end_setup(reason, now)
        self._drop_all(now)

    def receive(self, data: bytes, stream: int, now: float) -> None:
        """One NGAP PDU, or whatever the peer sent. The stream is not judged (TS 38.412: a receiver tolerates)."""
        message = decode(data)
        match message:
            case DownlinkNasTransport(amf_id, ran_id, nas):
                self._deliver(self._find(amf_id, ran_id, now), nas, now)
            case InitialContextSetupRequest():
                self._set_up_context(message, now)
            case PduSessionResourceSetupRequest():
                self._set_up_sessions(message, now)
            case PduSessionResourceReleaseCommand(amf_id, ran_id, sessions, nas):
                context = self._find(amf_id, ran_id, now)
                if context is not None:
                    self._answer(context, PduSessionResourceReleaseResponse(amf_id, ran_id, sessions))
                    self._deliver(context, nas, now)
            case UeContextReleaseCommand():
                self._released_by_amf(message, now)
            case NgSetupResponse():
                self.ready = True
                self._end_setup(None, now)
            case NgSetupFailure():
                self._setup_failed(message, now)
            case NgReset():
                self._reset(message, now)
            case OverloadStart():
                self.overload = message
            case OverloadStop():
                self.overload = None
            case ErrorIndication():
                self._error_indicated(message, now)
            case NgResetAcknowledge():
                pass
            case Unreadable():
                self._unreadable(message, data)
            case _:
                self.faults.ngap_unexpected += 1
                self._indicate_error(causes.MESSAGE_NOT_COMPATIBLE_WITH_RECEIVER_STATE)

    # --- what UEs call ----------------------------------------------------------------------------------------------

    def connect(self, ue: Connectable, nas: bytes, rrc_cause: RrcCause, s_tmsi: STmsi | None, now: float) -> bool:
        """A new connection with its INITIAL UE MESSAGE; False while the gNB has no AMF.

        An overloaded AMF's wish (`overload`) will be obeyed here.
        """
        if not self.ready:
            return False
        self.release(ue, now)
        context = _UeContext(self._next_ran_id, ue, last_activity=now)
        self._next_ran_id = self._next_ran_id + 1 if self._next_ran_id < 0xFFFF_FFFF else FIRST_RAN_UE_ID
        self._contexts[context.ran_id] = context
        self._contexts_by_ue[ue] = context
        message = InitialUeMessage(context.ran_id, nas, self._location, rrc_cause, s_tmsi)
        self._send(encode(message), self._stream(context))
        return True

    def uplink(self, ue: Connectable, nas: bytes, now: float) -> None:
        """UPLINK NAS TRANSPORT; nothing without a connection, or before the AMF has answered on it."""
        context = self._contexts_by_ue.get(ue)
        if context is not None and context.amf_id is not None:
            context.last_activity = now
            self._answer(context, UplinkNasTransport(context.amf_id, context.ran_id, nas, self._location))

    def release(self, ue: Connectable, now: float) -> None:
        """The UE left: the AMF is asked to release its context (8.3.2)."""
        context = self._contexts_by_ue.pop(ue, None)
        if context is None:
            return
        context.ue = None
        if context.amf_id is None:  # the AMF has not answered yet; if it does, its ID is unknown here (10.6)
            self._forget(context)
        else:
            self._request_release(context, causes.RADIO_CONNECTION_WITH_UE_LOST)

    def discarded(self, why: str, now: float) -> None:
        """A UE did not process a NAS message."""
        self.faults.nas_discarded[why] = self.faults.nas_discarded.get(why, 0) + 1

    @property
    def connections(self) -> int:
        """UEs connected now."""
        return len(self._contexts_by_ue)

    # --- NG Setup ---------------------------------------------------------------------------------------------------

    def _setup(self, now: float) -> None:
        if not self._associated:
            return
        self._end_setup("no answer", now)
        self.ready = False
        self._drop_all(now)  # 8.7.1.1: "erases any existing application level configuration data … all UE contexts"
        self._setup_started = now
        self._observer.attempt_started(NOT_A_UE, NG_SETUP, now)
        self._send(self._setup_request, _NON_UE_STREAM)
        self._setup_timer = self._agenda.at(now + NG_SETUP_GUARD_S, self._setup)

    def _setup_failed(self, failure: NgSetupFailure, now: float) -> None:
        """Again, not before "time to wait" (8.7.1.3)."""
        self._end_setup(f"NGAP {failure.cause.group.name.lower()} {failure.cause.value}", now)
        wait_s = NG_SETUP_GUARD_S if failure.time_to_wait_s is None else failure.time_to_wait_s
        self._setup_timer = self._agenda.at(now + wait_s, self._setup)

    def _end_setup(self, failure: str | None, now: float) -> None:
        if self._setup_timer is not None:
            self._setup_timer.cancel()
            self._setup_timer = None
        if self._setup_started is not None:
            started, self._setup_started = self._setup_started, None
            self._observer.attempt_ended(NOT_A_UE, NG_SETUP, started, now, failure)

    # --- UE contexts ------------------------------------------------------------------------------------------------

    def _set_up_context(self, request: InitialContextSetupRequest, now: float) -> None:
        """8.3.1: response with the tunnels, then the NAS message."""
        context = self._find(request.amf_ue_id, request.ran_ue_id, now)
        if context is None:
            return
        tunnels = self._tunnels(context, request.sessions)
        self._answer(context, InitialContextSetupResponse(request.amf_ue_id, request.ran_ue_id, tunnels))
        context.last_activity = now
        if context.inactivity is None and context.ue is not None:
            self._watch(context, now + self._inactivity_s)
        self._deliver(context, request.nas, now)
        self._deliver_session_nas(context, request.sessions, now)

    def _set_up_sessions(self, request: PduSessionResourceSetupRequest, now: float) -> None:
        """8.2.1."""
        context = self._find(request.amf_ue_id, request.ran_ue_id, now)
        if context is None:
            return
        tunnels = self._tunnels(context, request.sessions)
        self._answer(context, PduSessionResourceSetupResponse(request.amf_ue_id, request.ran_ue_id, tunnels))
        self._deliver_session_nas(context, request.sessions, now)

    def _tunnels(self, context: _UeContext, sessions: tuple[PduSessionResource, ...]) -> tuple[PduSessionTunnel, ...]:
        """This gNB's ends: its address from 127.64/10 by gNB, a TEID by connection and session."""
        address = bytes((127, 64 | self.gnb_id >> 16 & 63, self.gnb_id >> 8 & 255, self.gnb_id & 255))
        return tuple(
            PduSessionTunnel(
                session.pdu_session_id,
                address,
                (context.ran_id << 4 & 0xFFFF_FFFF | session.pdu_session_id & 15).to_bytes(4, "big"),
            )
            for session in sessions
        )

    def _deliver_session_nas(self, context: _UeContext, sessions: tuple[PduSessionResource, ...], now: float) -> None:
        for session in sessions:
            self._deliver(context, session.nas, now)

    def _deliver(self, context: _UeContext | None, nas: bytes, now: float) -> None:
        if context is None or not nas:
            return
        context.last_activity = now
        if context.ue is not None:
            context.ue.downlink(nas, now)

    def _released_by_amf(self, command: UeContextReleaseCommand, now: float) -> None:
        """8.3.3: complete, whoever wanted it."""
        context = (
            self._contexts_by_amf_id.get(command.amf_ue_id)
            if command.ran_ue_id is None
            else self._find(command.amf_ue_id, command.ran_ue_id, now)
        )
        if context is None:
            if command.ran_ue_id is None:
                self.faults.unknown_ids += 1
                self._indicate_error(causes.UNKNOWN_LOCAL_UE_NGAP_ID, command.amf_ue_id)
            return
        self._answer(context, UeContextReleaseComplete(command.amf_ue_id, context.ran_id))
        self._drop(context, now)

    def _find(self, amf_id: int, ran_id: int, now: float) -> _UeContext | None:
        """The connection with these IDs; else ERROR INDICATION, and local release if they do not match (10.6)."""
        context = self._contexts.get(ran_id)
        if context is None:
            self.faults.unknown_ids += 1
            self._indicate_error(causes.UNKNOWN_LOCAL_UE_NGAP_ID, amf_id, ran_id)
            return None
        if context.amf_id is None:
            context.amf_id = amf_id
            self._contexts_by_amf_id[amf_id] = context
        elif context.amf_id != amf_id:
            self.faults.unknown_ids += 1
            self._indicate_error(causes.INCONSISTENT_REMOTE_UE_NGAP_ID, amf_id, ran_id)
            self._drop(context, now)
            return None
        return context

    def _request_release(self, context: _UeContext, cause: Cause) -> None:
        if context.amf_id is not None:
            self._answer(context, UeContextReleaseRequest(context.amf_id, context.ran_id, cause))

    def _watch(self, context: _UeContext, due_s: float) -> None:
        """The inactivity timer: looks again when the last message is old enough, and then asks for the release."""

        def look(now: float) -> None:
            context.inactivity = None
            idle_since = context.last_activity + self._inactivity_s
            if idle_since > now:
                self._watch(context, idle_since)
            else:
                self._request_release(context, causes.USER_INACTIVITY)

        context.inactivity = self._agenda.at(due_s, look)

    def _drop(self, context: _UeContext, now: float) -> None:
        """Local release; the UE, if it is still there, loses its connection."""
        self._forget(context)
        ue, context.ue = context.ue, None
        if ue is not None:
            del self._contexts_by_ue[ue]
            ue.released(now)

    def _forget(self, context: _UeContext) -> None:
        self._contexts.pop(context.ran_id, None)
        if context.amf_id is not None and self._contexts_by_amf_id.get(context.amf_id) is context:
            del self._contexts_by_amf_id[context.amf_id]
        if context.inactivity is not None:
            context.inactivity.cancel()
            context.inactivity = None

    def _drop_all(self, now: float) -> None:
        for context in list(self._contexts.values()):
            self._drop(context, now)

    # --- resets and errors ------------------------------------------------------------------------------------------

    def _reset(self, reset: NgReset, now: float) -> None:
        """8.7.4: the whole interface, or the listed connections; acknowledged with the same list."""
        if not reset.connections:
            self._drop_all(now)
        for amf_id, ran_id in reset.connections:
            context = self._contexts.get(ran_id) if ran_id is not None else None
            if context is None and amf_id is not None:
                context = self._contexts_by_amf_id.get(amf_id)
            if context is not None:
                self._drop(context, now)
        self._send(encode(NgResetAcknowledge(reset.connections)), _NON_UE_STREAM)

    def _error_indicated(self, error: ErrorIndication, now: float) -> None:
        """The AMF did not understand, or does not know the connection: then it is released here too (10.6)."""
        self.faults.errors_indicated += 1
        if error.cause not in (causes.UNKNOWN_LOCAL_UE_NGAP_ID, causes.INCONSISTENT_REMOTE_UE_NGAP_ID):
            return
        context = self._contexts.get(error.ran_ue_id) if error.ran_ue_id is not None else None
        if context is None and error.amf_ue_id is not None:
            context = self._contexts_by_amf_id.get(error.amf_ue_id)
        if context is not None:
            self._drop(context, now)

    def _unreadable(self, message: Unreadable, data: bytes) -> None:
        self.faults.ngap_unreadable += 1
        if data[:2] != _ERROR_INDICATION_PREFIX:
            self._indicate_error(message.cause, message.amf_ue_id, message.ran_ue_id)

    def _indicate_error(self, cause: Cause, amf_id: int | None = None, ran_id: int | None = None) -> None:
        self._send(encode(ErrorIndication(amf_id, ran_id, cause)), _NON_UE_STREAM)

    def _answer(self, context: _UeContext, message: _UeAssociated) -> None:
        self._send(encode(message), self._stream(context))

    def _stream(self, context: _UeContext) -> int:
        """Any stream but the reserved one, the same for all messages of a UE."""
        return 1 + context.ran_id % (self._streams - 1)
