"""The NAS-5GS messages of a registration storm, as values (TS 24.501 clause 8, Release 17).

Small frozen tuples: what a UE or an AMF means to say. How they look on the wire is encode.py and decode.py; whether
they are protected is protocols.nas_security. Optional IEs that are absent are None or empty.
"""

from enum import IntEnum
from typing import NamedTuple

from protocols.causes import FivegmmCause, FivegsmCause
from protocols.identities import Guti, MobileIdentity
from protocols.timers import CodedTimer

NO_KEY = 7
"""ngKSI 'no key is available' (TS 24.501 9.11.3.32)."""


class RegistrationType(IntEnum):
    """5GS registration type (TS 24.501 9.11.3.7)."""

    INITIAL = 1
    MOBILITY = 2
    PERIODIC = 3
    EMERGENCY = 4


class ServiceType(IntEnum):
    """Service type (TS 24.501 9.11.3.50), those used here."""

    SIGNALLING = 0
    DATA = 1
    MOBILE_TERMINATED = 2
    EMERGENCY = 3
    EMERGENCY_FALLBACK = 4
    HIGH_PRIORITY = 5
    ELEVATED_SIGNALLING = 6


class IdentityType(IntEnum):
    """5GS identity type (TS 24.501 9.11.3.3)."""

    NONE = 0
    SUCI = 1
    GUTI = 2
    IMEI = 3
    S_TMSI = 4
    IMEISV = 5
    MAC_ADDRESS = 6
    EUI_64 = 7


class Snssai(NamedTuple):
    """S-NSSAI: SST and, if present, the 24-bit SD."""

    sst: int
    sd: int | None = None


# --- 5GMM, registration --------------------------------------------------------------------------------------------


class RegistrationRequest(NamedTuple):
    """8.2.6. `container` is the NAS message container (a complete, plain RegistrationRequest) if one is carried."""

    kind: RegistrationType
    identity: MobileIdentity
    ngksi: int = NO_KEY
    follow_on: bool = True
    security_capability: bytes | None = None
    requested_nssai: tuple[Snssai, ...] = ()
    pdu_session_status: bytes | None = None
    container: bytes | None = None


class RegistrationAccept(NamedTuple):
    """8.2.7. `tai_list` is the coded 5GS tracking area identity list, `features` the 5GS network feature support
    (9.11.3.5): without its bit IMS-VoPS-3GPP a phone does not register for IMS."""

    guti: Guti | None
    tai_list: bytes | None = None
    allowed_nssai: tuple[Snssai, ...] = ()
    t3512: CodedTimer | None = None
    t3502: CodedTimer | None = None
    pdu_session_status: bytes | None = None
    result: int = 1
    features: bytes | None = None


class RegistrationComplete(NamedTuple):
    """8.2.8."""


class RegistrationReject(NamedTuple):
    """8.2.9."""

    cause: FivegmmCause
    t3346: CodedTimer | None = None
    t3502: CodedTimer | None = None


# --- 5GMM, identity, authentication, security ---------------------------------------------------------------------


class IdentityRequest(NamedTuple):
    """8.2.21."""

    wanted: IdentityType


class IdentityResponse(NamedTuple):
    """8.2.22."""

    identity: MobileIdentity


class AuthenticationRequest(NamedTuple):
    """8.2.1 (5G-AKA)."""

    ngksi: int
    abba: bytes
    rand: bytes
    autn: bytes


class AuthenticationResponse(NamedTuple):
    """8.2.2 (5G-AKA): RES*, 16 octets."""

    res_star: bytes


class AuthenticationFailure(NamedTuple):
    """8.2.4: #20 MAC failure, #21 synch failure with AUTS (14 octets), #71."""

    cause: FivegmmCause
    auts: bytes | None = None


class AuthenticationReject(NamedTuple):
    """8.2.5."""


class SecurityModeCommand(NamedTuple):
    """8.2.25. Algorithms by number (0 null, 1 SNOW 3G, 2 AES, 3 ZUC)."""

    ngksi: int
    ciphering: int
    integrity: int
    replayed_capability: bytes
    imeisv_requested: bool = False
    container_requested: bool = False


class SecurityModeComplete(NamedTuple):
    """8.2.26. `container` holds the complete initial NAS message."""

    imeisv: str | None = None
    container: bytes | None = None


class SecurityModeReject(NamedTuple):
    """8.2.27."""

    cause: FivegmmCause


# --- 5GMM, service, deregistration, transport, status -------------------------------------------------------------


class ServiceRequest(NamedTuple):
    """8.2.16. `identity` is a 5G-S-TMSI."""

    ngksi: int
    kind: ServiceType
    identity: MobileIdentity
    uplink_data_status: bytes | None = None
    pdu_session_status: bytes | None = None
    container: bytes | None = None


class ServiceAccept(NamedTuple):
    """8.2.17."""

    pdu_session_status: bytes | None = None


class ServiceReject(NamedTuple):
    """8.2.18."""

    cause: FivegmmCause
    t3346: CodedTimer | None = None


class DeregistrationRequest(NamedTuple):
    """8.2.12, UE originating."""

    ngksi: int
    switch_off: bool
    identity: MobileIdentity


class DeregistrationAccept(NamedTuple):
    """8.2.13, the network's answer."""


class NetworkDeregistrationRequest(NamedTuple):
    """8.2.14, UE terminated."""

    reregistration_required: bool
    cause: FivegmmCause | None = None
    t3346: CodedTimer | None = None


class NetworkDeregistrationAccept(NamedTuple):
    """8.2.15, the UE's answer."""


class UlNasTransport(NamedTuple):
    """8.2.10 with an N1 SM payload: `payload` is a coded 5GSM message."""

    payload: bytes
    pdu_session_id: int
    request_type: int | None = None
    snssai: Snssai | None = None
    dnn: str | None = None


class DlNasTransport(NamedTuple):
    """8.2.11 with an N1 SM payload. With `cause` the payload was not forwarded; `back_off` is GPRS timer 3."""

    payload: bytes
    pdu_session_id: int
    cause: FivegmmCause | None = None
    back_off: CodedTimer | None = None


class FivegmmStatus(NamedTuple):
    """8.2.29."""

    cause: FivegmmCause


# --- 5GSM ----------------------------------------------------------------------------------------------------------


class PduSessionEstablishmentRequest(NamedTuple):
    """8.3.1. `pco` are the extended protocol configuration options, coded (pco.py)."""

    pdu_session_id: int
    pti: int
    pco: bytes | None = None


class PduSessionEstablishmentAccept(NamedTuple):
    """8.3.2. `address` is the IPv4 address, 4 octets; `pco` as in the request."""

    pdu_session_id: int
    pti: int
    address: bytes
    dnn: str
    snssai: Snssai | None = None
    pco: bytes | None = None


class PduSessionEstablishmentReject(NamedTuple):
    """8.3.3. `back_off` is GPRS timer 3 (T3396 of the DNN)."""

    pdu_session_id: int
    pti: int
    cause: FivegsmCause
    back_off: CodedTimer | None = None


class PduSessionReleaseRequest(NamedTuple):
    """8.3.12."""

    pdu_session_id: int
    pti: int
    cause: FivegsmCause | None = None


class PduSessionReleaseReject(NamedTuple):
    """8.3.13."""

    pdu_session_id: int
    pti: int
    cause: FivegsmCause


class PduSessionReleaseCommand(NamedTuple):
    """8.3.14."""

    pdu_session_id: int
    pti: int
    cause: FivegsmCause
    back_off: CodedTimer | None = None


class PduSessionReleaseComplete(NamedTuple):
    """8.3.15."""

    pdu_session_id: int
    pti: int


class FivegsmStatus(NamedTuple):
    """8.3.16."""

    pdu_session_id: int
    pti: int
    cause: FivegsmCause


# --- what is not a message that we know ----------------------------------------------------------------------------


class Protected(NamedTuple):
    """A security protected 5GS NAS message (8.2.28, 9.1.1): header type 1–4, MAC, sequence number, and the rest as
    it came."""

    header_type: int
    mac: bytes
    sequence: int
    inner: bytes


class Unreadable(NamedTuple):
    """Octets that are no NAS-5GS message that we read. `cause` is what a 5GMM STATUS would say (#96, #97, #99,
    #100, #111)."""

    cause: FivegmmCause
    why: str


# --- the two families ----------------------------------------------------------------------------------------------

FivegsmMessage = (
    PduSessionEstablishmentRequest
    | PduSessionEstablishmentAccept
    | PduSessionEstablishmentReject
    | PduSessionReleaseRequest
    | PduSessionReleaseReject
    | PduSessionReleaseCommand
    | PduSessionReleaseComplete
    | FivegsmStatus
)

FivegmmMessage = (
    RegistrationRequest
    | RegistrationAccept
    | RegistrationComplete
    | RegistrationReject
    | IdentityRequest
    | IdentityResponse
    | AuthenticationRequest
    | AuthenticationResponse
    | AuthenticationFailure
    | AuthenticationReject
    | SecurityModeCommand
    | SecurityModeComplete
    | SecurityModeReject
    | ServiceRequest
    | ServiceAccept
    | ServiceReject
    | DeregistrationRequest
    | DeregistrationAccept
    | NetworkDeregistrationRequest
    | NetworkDeregistrationAccept
    | UlNasTransport
    | DlNasTransport
    | FivegmmStatus
)

Message = FivegmmMessage | FivegsmMessage
