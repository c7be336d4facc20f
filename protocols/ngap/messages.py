"""The NGAP messages of a registration storm, as values (TS 38.413, Release 18).

IDs are integers as on the wire. Optional IEs that are absent are None or empty. `nas` is a NAS-PDU as octets.
"""

from enum import IntEnum
from typing import NamedTuple

from protocols.identities import Plmn, STmsi
from protocols.nas5g.messages import Snssai


class RrcCause(IntEnum):
    """RRC establishment cause (9.3.1.111), by its place in the ASN.1 enumeration."""

    EMERGENCY = 0
    HIGH_PRIORITY_ACCESS = 1
    MT_ACCESS = 2
    MO_SIGNALLING = 3
    MO_DATA = 4
    MO_VOICE_CALL = 5
    MO_VIDEO_CALL = 6
    MO_SMS = 7
    MPS_PRIORITY_ACCESS = 8
    MCS_PRIORITY_ACCESS = 9
    NOT_AVAILABLE = 10
    MO_EXCEPTION_DATA = 11


class CauseGroup(IntEnum):
    """The branch of the NGAP Cause CHOICE (9.3.1.2)."""

    RADIO_NETWORK = 0
    TRANSPORT = 1
    NAS = 2
    PROTOCOL = 3
    MISC = 4


class Cause(NamedTuple):
    """An NGAP cause: branch and the value's index in its ASN.1 enumeration. Named ones stand in causes.py here."""

    group: CauseGroup
    value: int


class UserLocation(NamedTuple):
    """NR user location information: NR cell identity (36 bits) and TAC (24 bits), both in `plmn`."""

    plmn: Plmn
    cell: int
    tac: int


class Guami(NamedTuple):
    """9.3.3.3."""

    plmn: Plmn
    region: int
    set_id: int
    pointer: int


class OverloadAction(IntEnum):
    """9.3.1.105, by its place in the ASN.1 enumeration."""

    REJECT_NON_EMERGENCY_MO_DT = 0
    REJECT_RRC_SIGNALLING = 1
    PERMIT_EMERGENCY_AND_MT = 2
    PERMIT_HIGH_PRIORITY_AND_MT = 3


# --- interface management ------------------------------------------------------------------------------------------


class NgSetupRequest(NamedTuple):
    """9.2.6.1. `gnb_id` has 24 bits here.

    Of a peer's request `gnb_id` may have any legal length, and `tac` and `slices` are those of its first tracking
    area and of the first PLMN there.
    """

    plmn: Plmn
    gnb_id: int
    name: str
    tac: int
    slices: tuple[Snssai, ...]


class NgSetupResponse(NamedTuple):
    """9.2.6.2. Of a peer's response the first GUAMI, and the slices of the first PLMN."""

    name: str
    guami: Guami
    relative_capacity: int
    slices: tuple[Snssai, ...]


class NgSetupFailure(NamedTuple):
    """9.2.6.3. `time_to_wait_s` is one of 1, 2, 5, 10, 20, 60."""

    cause: Cause
    time_to_wait_s: int | None = None


class NgReset(NamedTuple):
    """9.2.6.11. Empty `connections` resets the whole interface; else pairs of (AMF, RAN) UE NGAP IDs, either None."""

    cause: Cause
    connections: tuple[tuple[int | None, int | None], ...] = ()


class NgResetAcknowledge(NamedTuple):
    """9.2.6.12."""

    connections: tuple[tuple[int | None, int | None], ...] = ()


class ErrorIndication(NamedTuple):
    """9.2.6.13."""

    amf_ue_id: int | None = None
    ran_ue_id: int | None = None
    cause: Cause | None = None


class OverloadStart(NamedTuple):
    """9.2.6.14. `percentage` None means all of it; `action` None leaves the kind of traffic open."""

    action: OverloadAction | None = None
    percentage: int | None = None


class OverloadStop(NamedTuple):
    """9.2.6.15."""


# --- NAS transport and UE context ----------------------------------------------------------------------------------


class InitialUeMessage(NamedTuple):
    """9.2.5.1."""

    ran_ue_id: int
    nas: bytes
    location: UserLocation
    rrc_cause: RrcCause = RrcCause.MO_SIGNALLING
    s_tmsi: STmsi | None = None


class UplinkNasTransport(NamedTuple):
    """9.2.5.3."""

    amf_ue_id: int
    ran_ue_id: int
    nas: bytes
    location: UserLocation


class DownlinkNasTransport(NamedTuple):
    """9.2.5.2."""

    amf_ue_id: int
    ran_ue_id: int
    nas: bytes


class PduSessionResource(NamedTuple):
    """One session of a setup request: `nas` may be empty, `address` and `teid` are the UPF's, 4 octets each."""

    pdu_session_id: int
    snssai: Snssai
    address: bytes
    teid: bytes
    nas: bytes = b""


class PduSessionTunnel(NamedTuple):
    """One session of a setup response: the gNB's address and TEID, 4 octets each."""

    pdu_session_id: int
    address: bytes
    teid: bytes


class InitialContextSetupRequest(NamedTuple):
    """9.2.2.1. `key` is KgNB, 32 octets; `sessions` are set up with the context (after a service request)."""

    amf_ue_id: int
    ran_ue_id: int
    guami: Guami
    allowed_nssai: tuple[Snssai, ...]
    security_capability: bytes
    key: bytes
    nas: bytes = b""
    sessions: tuple[PduSessionResource, ...] = ()


class InitialContextSetupResponse(NamedTuple):
    """9.2.2.2."""

    amf_ue_id: int
    ran_ue_id: int
    sessions: tuple[PduSessionTunnel, ...] = ()


class InitialContextSetupFailure(NamedTuple):
    """9.2.2.3."""

    amf_ue_id: int
    ran_ue_id: int
    cause: Cause


class PduSessionResourceSetupRequest(NamedTuple):
    """9.2.1.1."""

    amf_ue_id: int
    ran_ue_id: int
    sessions: tuple[PduSessionResource, ...]


class PduSessionResourceSetupResponse(NamedTuple):
    """9.2.1.2. `failed` are session ids that could not be set up."""

    amf_ue_id: int
    ran_ue_id: int
    sessions: tuple[PduSessionTunnel, ...]
    failed: tuple[int, ...] = ()


class PduSessionResourceReleaseCommand(NamedTuple):
    """9.2.1.3."""

    amf_ue_id: int
    ran_ue_id: int
    pdu_session_ids: tuple[int, ...]
    nas: bytes = b""


class PduSessionResourceReleaseResponse(NamedTuple):
    """9.2.1.4."""

    amf_ue_id: int
    ran_ue_id: int
    pdu_session_ids: tuple[int, ...]


class UeContextReleaseRequest(NamedTuple):
    """9.2.2.4."""

    amf_ue_id: int
    ran_ue_id: int
    cause: Cause


class UeContextReleaseCommand(NamedTuple):
    """9.2.2.5. `ran_ue_id` None is the short form (AMF UE NGAP ID alone)."""

    amf_ue_id: int
    ran_ue_id: int | None
    cause: Cause


class UeContextReleaseComplete(NamedTuple):
    """9.2.2.6."""

    amf_ue_id: int
    ran_ue_id: int


# --- what is not a message that we know ----------------------------------------------------------------------------


class Unreadable(NamedTuple):
    """Octets that are no legal NGAP PDU, or one whose procedure we do not know.

    `cause` and the IDs, as far as they could be read, are what an ERROR INDICATION would carry (10.2–10.4).
    """

    cause: Cause
    why: str
    amf_ue_id: int | None = None
    ran_ue_id: int | None = None
    told: bool = True
    """False: an unknown procedure whose criticality is ignore, of which the sender wants to hear nothing (10.3.4.1)."""


Message = (
    NgSetupRequest
    | NgSetupResponse
    | NgSetupFailure
    | NgReset
    | NgResetAcknowledge
    | ErrorIndication
    | OverloadStart
    | OverloadStop
    | InitialUeMessage
    | UplinkNasTransport
    | DownlinkNasTransport
    | InitialContextSetupRequest
    | InitialContextSetupResponse
    | InitialContextSetupFailure
    | PduSessionResourceSetupRequest
    | PduSessionResourceSetupResponse
    | PduSessionResourceReleaseCommand
    | PduSessionResourceReleaseResponse
    | UeContextReleaseRequest
    | UeContextReleaseCommand
    | UeContextReleaseComplete
)
