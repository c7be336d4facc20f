"""Cx between I-/S-CSCF and HSS (TS 29.228; commands in TS 29.229 6.1)."""

from functools import partial
from typing import Final, NamedTuple

from protocols.diameter import avps as a
from protocols.diameter import commands
from protocols.diameter.layouts import Layout, Result, many, maybe, one
from protocols.diameter.numbers import Application, Command, ReasonCode, ServerAssignmentType, UserAuthorizationType

DIGEST_AKAV1_MD5: Final = "Digest-AKAv1-MD5"
"""SIP-Authentication-Scheme of IMS AKA (TS 29.228 6.3)."""
SIP_DIGEST: Final = "SIP Digest"
"""SIP-Authentication-Scheme of plain digest (TS 29.228 6.3)."""


# --- grouped AVPs -------------------------------------------------------------------------------------------------


class ServerCapabilities(NamedTuple):
    """Server-Capabilities (6.3.4): how an I-CSCF chooses an S-CSCF."""

    mandatory: tuple[int, ...] = ()
    optional: tuple[int, ...] = ()
    server_names: tuple[str, ...] = ()


class SipAuthDataItem(NamedTuple):
    """SIP-Auth-Data-Item (6.3.13). In a MAR the scheme, and RAND ‖ AUTS after a synchronisation failure; in a MAA
    `authenticate` is RAND ‖ AUTN and `authorization` XRES."""

    scheme: str | None = None
    authenticate: bytes | None = None
    authorization: bytes | None = None
    ck: bytes | None = None
    ik: bytes | None = None
    item: int | None = None


class DeregistrationReason(NamedTuple):
    """Deregistration-Reason (6.3.16)."""

    code: ReasonCode
    info: str | None = None


class ChargingInformation(NamedTuple):
    """Charging-Information (6.3.19), the primary functions."""

    event_function: str | None = None
    collection_function: str | None = None


SERVER_CAPABILITIES: Final = a.grouped(
    "Server-Capabilities",
    603,
    Layout(ServerCapabilities, (many(a.MANDATORY_CAPABILITY), many(a.OPTIONAL_CAPABILITY), many(a.SERVER_NAME))),
)
SIP_AUTH_DATA_ITEM: Final = a.grouped(
    "SIP-Auth-Data-Item",
    612,
    Layout(
        SipAuthDataItem,
        (
            maybe(a.SIP_AUTHENTICATION_SCHEME),
            maybe(a.SIP_AUTHENTICATE),
            maybe(a.SIP_AUTHORIZATION),
            maybe(a.CONFIDENTIALITY_KEY),
            maybe(a.INTEGRITY_KEY),
            maybe(a.SIP_ITEM_NUMBER),
        ),
    ),
)
DEREGISTRATION_REASON: Final = a.grouped(
    "Deregistration-Reason", 615, Layout(DeregistrationReason, (one(a.REASON_CODE), maybe(a.REASON_INFO)))
)
CHARGING_INFORMATION: Final = a.grouped(
    "Charging-Information",
    618,
    Layout(
        ChargingInformation,
        (maybe(a.PRIMARY_EVENT_CHARGING_FUNCTION_NAME), maybe(a.PRIMARY_CHARGING_COLLECTION_FUNCTION_NAME)),
    ),
)


# --- commands -----------------------------------------------------------------------------------------------------


class UserAuthorizationRequest(NamedTuple):
    """UAR (6.1.1), I-CSCF to HSS: may this user register, and with which S-CSCF?"""

    user_name: str
    public_identity: str
    visited_network: bytes
    kind: UserAuthorizationType = UserAuthorizationType.REGISTRATION


class UserAuthorizationAnswer(NamedTuple):
    """UAA (6.1.2)."""

    result: Result
    server_name: str | None = None
    capabilities: ServerCapabilities | None = None


class ServerAssignmentRequest(NamedTuple):
    """SAR (6.1.3), S-CSCF to HSS: I serve this user from now on, or no longer."""

    server_name: str
    kind: ServerAssignmentType
    user_name: str | None = None
    public_identities: tuple[str, ...] = ()
    user_data_already_available: bool = False


class ServerAssignmentAnswer(NamedTuple):
    """SAA (6.1.4). `user_data` is the profile with the initial filter criteria (XML, TS 29.228 annex E)."""

    result: Result
    user_name: str | None = None
    user_data: bytes | None = None
    charging: ChargingInformation | None = None


class LocationInfoRequest(NamedTuple):
    """LIR (6.1.5), I-CSCF to HSS: who serves this identity?"""

    public_identity: str


class LocationInfoAnswer(NamedTuple):
    """LIA (6.1.6)."""

    result: Result
    server_name: str | None = None
    capabilities: ServerCapabilities | None = None


class MultimediaAuthRequest(NamedTuple):
    """MAR (6.1.7), S-CSCF to HSS: vectors, please."""

    user_name: str
    public_identity: str
    server_name: str
    item: SipAuthDataItem = SipAuthDataItem(DIGEST_AKAV1_MD5)
    number_of_items: int = 1


class MultimediaAuthAnswer(NamedTuple):
    """MAA (6.1.8)."""

    result: Result
    user_name: str | None = None
    public_identity: str | None = None
    items: tuple[SipAuthDataItem, ...] = ()
    number_of_items: int | None = None


class RegistrationTerminationRequest(NamedTuple):
    """RTR (6.1.9), HSS to S-CSCF: this registration is over."""

    user_name: str
    reason: DeregistrationReason
    public_identities: tuple[str, ...] = ()


class RegistrationTerminationAnswer(NamedTuple):
    """RTA (6.1.10)."""

    result: Result


class PushProfileRequest(NamedTuple):
    """PPR (6.1.11), HSS to S-CSCF: the profile has changed."""

    user_name: str
    user_data: bytes | None = None
    charging: ChargingInformation | None = None


class PushProfileAnswer(NamedTuple):
    """PPA (6.1.12)."""

    result: Result


CxContent = (
    UserAuthorizationRequest
    | UserAuthorizationAnswer
    | ServerAssignmentRequest
    | ServerAssignmentAnswer
    | LocationInfoRequest
    | LocationInfoAnswer
    | MultimediaAuthRequest
    | MultimediaAuthAnswer
    | RegistrationTerminationRequest
    | RegistrationTerminationAnswer
    | PushProfileRequest
    | PushProfileAnswer
)

_request = partial(commands.request, of=Application.CX)
_answer = partial(commands.answer, of=Application.CX)

COMMANDS: Final = (
    _request(
        Command.USER_AUTHORIZATION,
        UserAuthorizationRequest,
        one(a.USER_NAME),
        one(a.PUBLIC_IDENTITY),
        one(a.VISITED_NETWORK_IDENTIFIER),
        maybe(a.USER_AUTHORIZATION_TYPE, absent=UserAuthorizationType.REGISTRATION),
    ),
    _answer(Command.USER_AUTHORIZATION, UserAuthorizationAnswer, maybe(a.SERVER_NAME), maybe(SERVER_CAPABILITIES)),
    _request(
        Command.SERVER_ASSIGNMENT,
        ServerAssignmentRequest,
        one(a.SERVER_NAME),
        one(a.SERVER_ASSIGNMENT_TYPE),
        maybe(a.USER_NAME),
        many(a.PUBLIC_IDENTITY),
        one(a.USER_DATA_ALREADY_AVAILABLE),
    ),
    _answer(
        Command.SERVER_ASSIGNMENT,
        ServerAssignmentAnswer,
        maybe(a.USER_NAME),
        maybe(a.CX_USER_DATA),
        maybe(CHARGING_INFORMATION),
    ),
    _request(Command.LOCATION_INFO, LocationInfoRequest, one(a.PUBLIC_IDENTITY)),
    _answer(Command.LOCATION_INFO, LocationInfoAnswer, maybe(a.SERVER_NAME), maybe(SERVER_CAPABILITIES)),
    _request(
        Command.MULTIMEDIA_AUTH,
        MultimediaAuthRequest,
        one(a.USER_NAME),
        one(a.PUBLIC_IDENTITY),
        one(a.SERVER_NAME),
        one(SIP_AUTH_DATA_ITEM),
        one(a.SIP_NUMBER_AUTH_ITEMS),
    ),
    _answer(
        Command.MULTIMEDIA_AUTH,
        MultimediaAuthAnswer,
        maybe(a.USER_NAME),
        maybe(a.PUBLIC_IDENTITY),
        many(SIP_AUTH_DATA_ITEM),
        maybe(a.SIP_NUMBER_AUTH_ITEMS),
    ),
    _request(
        Command.REGISTRATION_TERMINATION,
        RegistrationTerminationRequest,
        one(a.USER_NAME),
        one(DEREGISTRATION_REASON),
        many(a.PUBLIC_IDENTITY),
    ),
    _answer(Command.REGISTRATION_TERMINATION, RegistrationTerminationAnswer),
    _request(
        Command.PUSH_PROFILE, PushProfileRequest, one(a.USER_NAME), maybe(a.CX_USER_DATA), maybe(CHARGING_INFORMATION)
    ),
    _answer(Command.PUSH_PROFILE, PushProfileAnswer),
)
