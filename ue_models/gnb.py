"""A base station (gNB): one NGAP association, many UEs (TS 38.413 v17, TS 38.412 clause 7).

Knows NGAP and nothing of NAS. Whatever octets arrive, no exception leaves: what cannot be read or does not fit is
counted in `faults` and answered with ERROR INDICATION as clause 10 asks.

ng_setup.py       NG Setup, and when it is done again
gnb_contexts.py   UE contexts by their IDs and by UE
gnb_errors.py     unknown IDs, resets, error indications, octets that are no message
gnb_overload.py   whom it turns away at the wish of an overloaded AMF
gnb_user_plane.py its UEs' packets in tunnels to and from the UPF
n2_sender.py      what goes out on which stream
gnb.py            the way in for drivers and UEs; context and session set-up, releases, inactivity
"""

from collections.abc import Callable
from random import Random

from protocols.identities import Plmn, STmsi
from protocols.nas5g.messages import Snssai
from protocols.ngap import causes
from protocols.ngap.decode import decode
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
    RrcCause,
    UeContextReleaseCommand,
    UeContextReleaseComplete,
    UeContextReleaseRequest,
    Unreadable,
    UplinkNasTransport,
    UserLocation,
)
from regstorm.records.ports import Agenda, UeObserver
from ue_models.gnb_contexts import FIRST_RAN_UE_ID, UeContext, UeContexts
from ue_models.gnb_errors import ErrorHandling, Faults
from ue_models.gnb_overload import rejects
from ue_models.gnb_user_plane import SendUserPlane, UserPlane
from ue_models.n2_sender import N2Sender
from ue_models.ng_setup import NG_SETUP_GUARD_S, NOT_A_UE, NgSetup
from ue_models.radio import Connectable

__all__ = ["FIRST_RAN_UE_ID", "NG_SETUP_GUARD_S", "NOT_A_UE", "Faults", "Gnb"]


class Gnb:
    """One gNB on one association. `send(data, stream)` must not call back.

    The driver calls `associated`, `association_lost` and `receive`; UEs call `connect`, `uplink` and `release`.
    """

    __slots__ = (
        "_agenda",
        "_contexts",
        "_errors",
        "_inactivity_s",
        "_location",
        "_n2",
        "_rng",
        "_setup",
        "amf",
        "gnb_id",
        "overload",
        "user_plane",
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
        send_user_plane: SendUserPlane | None = None,
        leg: int = 0,
        legs: int = 1,
    ) -> None:
        """`rng` draws lots where an OVERLOAD START has a percentage.

        `send_user_plane(octets)` takes GTP-U messages to the UPF; what comes from there goes to `user_plane.receive`.
        `leg` of `legs`: this is one of the base station's associations with several AMFs (gnb_pool.py).
        """
        self.gnb_id = gnb_id
        self.amf: NgSetupResponse | None = None
        """What the AMF has said of itself; None while it serves nobody here."""
        self.overload: OverloadStart | None = None
        """The OVERLOAD START in force, if any; a new one replaces the old one completely (8.7.7)."""
        self._rng = rng
        self._agenda = agenda
        self._inactivity_s = inactivity_s
        self._location = UserLocation(plmn, gnb_id << 12, tac)
        self._contexts = contexts = UeContexts(leg, legs)
        self._n2 = N2Sender(send, streams)
        self.user_plane = UserPlane(gnb_id, contexts, send_user_plane)
        self._errors = ErrorHandling(contexts, self._n2)
        request = NgSetupRequest(plmn, gnb_id, f"gnb-{gnb_id}", tac, slices)
        # 8.7.1.1: "erases any existing application level configuration data … all UE contexts"
        self._setup = NgSetup(request, agenda, self._n2, observer, begins=contexts.drop_all)

    @property
    def ready(self) -> bool:
        """NG Setup succeeded: the cell is not barred."""
        return self._setup.succeeded

    @property
    def faults(self) -> Faults:
        """What it met that should not happen."""
        return self._errors.faults

    @property
    def connections(self) -> int:
        """UEs connected now."""
        return self._contexts.connected_ues

    @property
    def ran_ue_ids(self) -> tuple[int, ...]:
        """RAN UE NGAP IDs in use, oldest first."""
        return self._contexts.ran_ue_ids

    # --- what the driver calls --------------------------------------------------------------------------------------

    def associated(self, now: float) -> None:
        """The association is up, for the first time or again: NG Setup (8.7.1)."""
        self.amf = None
        self._setup.associated(now)

    def association_lost(self, reason: str, now: float) -> None:
        """All that it carried is gone; the UEs see a lower layer failure."""
        self.overload = self.amf = None
        self._setup.association_lost(reason, now)
        self._contexts.drop_all(now)

    def receive(self, data: bytes, stream: int, now: float) -> None:
        """One NGAP PDU, or whatever the peer sent. The stream is not judged (TS 38.412: a receiver tolerates)."""
        message = decode(data)
        match message:
            case DownlinkNasTransport(amf_id, ran_id, nas):
                self._deliver(self._errors.find(amf_id, ran_id, now), nas, now)
            case InitialContextSetupRequest():
                self._set_up_context(message, now)
            case PduSessionResourceSetupRequest():
                self._set_up_sessions(message, now)
            case PduSessionResourceReleaseCommand():
                self._release_sessions(message, now)
            case UeContextReleaseCommand():
                self._released_by_amf(message, now)
            case NgSetupResponse():
                self.amf = message
                self._setup.accepted(now)
            case NgSetupFailure():
                self._setup.refused(message, now)
            case NgReset():
                self._errors.reset(message, now)
            case OverloadStart():
                self.overload = message
            case OverloadStop():
                self.overload = None
            case ErrorIndication():
                self._errors.indicated(message, now)
            case NgResetAcknowledge():
                pass
            case Unreadable():
                self._errors.unreadable(message, data)
            case _:
                self._errors.unexpected()

    # --- what UEs call ----------------------------------------------------------------------------------------------

    def connect(self, ue: Connectable, nas: bytes, rrc_cause: RrcCause, s_tmsi: STmsi | None, now: float) -> bool:
        """A new connection with its INITIAL UE MESSAGE; False while the gNB has no AMF, or an overloaded one."""
        if not self.ready or rejects(self.overload, rrc_cause, self._rng):
            return False
        self.release(ue, now)
        context = self._contexts.add(ue, now)
        self._n2.of_ue(context, InitialUeMessage(context.ran_id, nas, self._location, rrc_cause, s_tmsi))
        return True

    def uplink(self, ue: Connectable, nas: bytes, now: float) -> None:
        """UPLINK NAS TRANSPORT; nothing without a connection, or before the AMF has answered on it."""
        context = self._contexts.of_ue(ue)
        if context is not None and context.amf_id is not None:
            context.last_activity = now
            self._n2.of_ue(context, UplinkNasTransport(context.amf_id, context.ran_id, nas, self._location))

    def release(self, ue: Connectable, now: float) -> None:
        """The UE left: the AMF is asked to release its context (8.3.2)."""
        context = self._contexts.part(ue)
        if context is None:
            return
        if context.amf_id is None:  # the AMF has not answered yet; if it does, its ID is unknown here (10.6)
            self._contexts.forget(context)
        else:
            self._request_release(context, causes.RADIO_CONNECTION_WITH_UE_LOST)

    def send_packet(self, ue: Connectable, pdu_session_id: int, packet: bytes, now: float) -> bool:
        """An IP packet on a PDU session; False if the session has no resources on the UE's connection."""
        return self.user_plane.uplink(ue, pdu_session_id, packet, now)

    def discarded(self, why: str, now: float) -> None:
        """A UE did not process a NAS message."""
        self._errors.nas_discarded(why)

    # --- set-up -----------------------------------------------------------------------------------------------------

    def _set_up_context(self, request: InitialContextSetupRequest, now: float) -> None:
        """8.3.1: response with the tunnels, then the NAS message."""
        context = self._errors.find(request.amf_ue_id, request.ran_ue_id, now)
        if context is None:
            return
        tunnels = self.user_plane.set_up(context, request.sessions)
        self._n2.of_ue(context, InitialContextSetupResponse(request.amf_ue_id, request.ran_ue_id, tunnels))
        context.last_activity = now
        if context.inactivity is None and context.ue is not None:
            self._watch(context, now + self._inactivity_s)
        self._deliver(context, request.nas, now)
        self._deliver_session_nas(context, request.sessions, now)

    def _set_up_sessions(self, request: PduSessionResourceSetupRequest, now: float) -> None:
        """8.2.1."""
        context = self._errors.find(request.amf_ue_id, request.ran_ue_id, now)
        if context is None:
            return
        tunnels = self.user_plane.set_up(context, request.sessions)
        self._n2.of_ue(context, PduSessionResourceSetupResponse(request.amf_ue_id, request.ran_ue_id, tunnels))
        self._deliver_session_nas(context, request.sessions, now)

    def _deliver_session_nas(self, context: UeContext, sessions: tuple[PduSessionResource, ...], now: float) -> None:
        for session in sessions:
            self._deliver(context, session.nas, now)

    def _deliver(self, context: UeContext | None, nas: bytes, now: float) -> None:
        if context is None or not nas:
            return
        context.last_activity = now
        if context.ue is not None:
            context.ue.downlink(nas, now)

    # --- releases ---------------------------------------------------------------------------------------------------

    def _release_sessions(self, command: PduSessionResourceReleaseCommand, now: float) -> None:
        """8.2.2."""
        amf_id, ran_id, sessions, nas = command
        context = self._errors.find(amf_id, ran_id, now)
        if context is not None:
            self.user_plane.release(context, sessions)
            self._n2.of_ue(context, PduSessionResourceReleaseResponse(amf_id, ran_id, sessions))
            self._deliver(context, nas, now)

    def _released_by_amf(self, command: UeContextReleaseCommand, now: float) -> None:
        """8.3.3: complete, whoever wanted it."""
        if command.ran_ue_id is None:
            context = self._errors.find_by_amf_id(command.amf_ue_id)
        else:
            context = self._errors.find(command.amf_ue_id, command.ran_ue_id, now)
        if context is not None:
            self._n2.of_ue(context, UeContextReleaseComplete(command.amf_ue_id, context.ran_id))
            self._contexts.drop(context, now)

    def _request_release(self, context: UeContext, cause: Cause) -> None:
        if context.amf_id is not None:
            self._n2.of_ue(context, UeContextReleaseRequest(context.amf_id, context.ran_id, cause))

    def _watch(self, context: UeContext, due_s: float) -> None:
        """The inactivity timer: looks again when the last message is old enough, and then asks for the release."""

        def look(now: float) -> None:
            context.inactivity = None
            idle_since = context.last_activity + self._inactivity_s
            if idle_since > now:
                self._watch(context, idle_since)
            else:
                self._request_release(context, causes.USER_INACTIVITY)

        context.inactivity = self._agenda.at(due_s, look)
