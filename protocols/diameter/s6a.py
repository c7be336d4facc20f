"""S6a between MME and HSS (TS 29.272; commands in 7.2), those of an attach: AIR/AIA and ULR/ULA."""

from functools import partial
from typing import Final, NamedTuple

from protocols.diameter import avps as a
from protocols.diameter import commands
from protocols.diameter.layouts import Layout, Result, many, maybe, one
from protocols.diameter.numbers import Application, Command, PdnType, RatType
from protocols.identities import Plmn

ULR_S6A: Final = 1 << 1
"""ULR-Flags: the request comes by S6a, not by S6d (table 7.3.7/1)."""
ULR_SKIP_SUBSCRIBER_DATA: Final = 1 << 2
"""ULR-Flags: no subscription data wanted."""
ULR_INITIAL_ATTACH: Final = 1 << 5
"""ULR-Flags: the UE attaches."""
ULA_SEPARATION_INDICATION: Final = 1 << 0
"""ULA-Flags: the HSS keeps MME and SGSN apart (table 7.3.8/1)."""

# --- grouped AVPs -------------------------------------------------------------------------------------------------


class RequestedVectors(NamedTuple):
    """Requested-EUTRAN-Authentication-Info (7.3.11). `resynchronisation` is RAND ‖ AUTS."""

    number: int | None = None
    resynchronisation: bytes | None = None
    immediate: int | None = None


class EutranVector(NamedTuple):
    """E-UTRAN-Vector (7.3.18)."""

    rand: bytes
    xres: bytes
    autn: bytes
    kasme: bytes
    item: int | None = None


class AuthenticationInfo(NamedTuple):
    """Authentication-Info (7.3.17), for E-UTRAN."""

    vectors: tuple[EutranVector, ...] = ()


class Ambr(NamedTuple):
    """AMBR (7.3.41), in bit/s."""

    uplink: int
    downlink: int


class RetentionPriority(NamedTuple):
    """Allocation-Retention-Priority (7.3.40), without pre-emption."""

    level: int


class SubscribedQos(NamedTuple):
    """EPS-Subscribed-QoS-Profile (7.3.37)."""

    qci: int
    retention: RetentionPriority


class ApnConfiguration(NamedTuple):
    """APN-Configuration (7.3.35)."""

    context: int
    pdn_type: PdnType
    apn: str
    qos: SubscribedQos | None = None
    ambr: Ambr | None = None


class ApnProfile(NamedTuple):
    """APN-Configuration-Profile (7.3.34). `default` is the context identifier of the default APN."""

    default: int
    apns: tuple[ApnConfiguration, ...]
    all_included: int = 0


class SubscriptionData(NamedTuple):
    """Subscription-Data (7.3.2). `msisdn` is TBCD octets."""

    msisdn: bytes | None = None
    status: int | None = None
    access_mode: int | None = None
    ambr: Ambr | None = None
    apns: ApnProfile | None = None


REQUESTED_EUTRAN_AUTHENTICATION_INFO: Final = a.grouped(
    "Requested-EUTRAN-Authentication-Info",
    1408,
    Layout(
        RequestedVectors,
        (
            maybe(a.NUMBER_OF_REQUESTED_VECTORS),
            maybe(a.RE_SYNCHRONIZATION_INFO),
            maybe(a.IMMEDIATE_RESPONSE_PREFERRED),
        ),
    ),
)
E_UTRAN_VECTOR: Final = a.grouped(
    "E-UTRAN-Vector",
    1414,
    Layout(EutranVector, (one(a.RAND), one(a.XRES), one(a.AUTN), one(a.KASME), maybe(a.ITEM_NUMBER))),
)
AUTHENTICATION_INFO: Final = a.grouped("Authentication-Info", 1413, Layout(AuthenticationInfo, (many(E_UTRAN_VECTOR),)))
AMBR: Final = a.grouped(
    "AMBR", 1435, Layout(Ambr, (one(a.MAX_REQUESTED_BANDWIDTH_UL), one(a.MAX_REQUESTED_BANDWIDTH_DL)))
)
ALLOCATION_RETENTION_PRIORITY: Final = a.grouped(
    "Allocation-Retention-Priority", 1034, Layout(RetentionPriority, (one(a.PRIORITY_LEVEL),))
)
EPS_SUBSCRIBED_QOS_PROFILE: Final = a.grouped(
    "EPS-Subscribed-QoS-Profile",
    1431,
    Layout(SubscribedQos, (one(a.QOS_CLASS_IDENTIFIER), one(ALLOCATION_RETENTION_PRIORITY))),
)
APN_CONFIGURATION: Final = a.grouped(
    "APN-Configuration",
    1430,
    Layout(
        ApnConfiguration,
        (
            one(a.CONTEXT_IDENTIFIER),
            one(a.PDN_TYPE),
            one(a.SERVICE_SELECTION),
            maybe(EPS_SUBSCRIBED_QOS_PROFILE),
            maybe(AMBR),
        ),
    ),
)
APN_CONFIGURATION_PROFILE: Final = a.grouped(
    "APN-Configuration-Profile",
    1429,
    Layout(ApnProfile, (one(a.CONTEXT_IDENTIFIER), many(APN_CONFIGURATION), one(a.ALL_APN_CONFIGURATIONS_INCLUDED))),
)
SUBSCRIPTION_DATA: Final = a.grouped(
    "Subscription-Data",
    1400,
    Layout(
        SubscriptionData,
        (
            maybe(a.MSISDN),
            maybe(a.SUBSCRIBER_STATUS),
            maybe(a.NETWORK_ACCESS_MODE),
            maybe(AMBR),
            maybe(APN_CONFIGURATION_PROFILE),
        ),
    ),
)


# --- commands -----------------------------------------------------------------------------------------------------


class AuthenticationInformationRequest(NamedTuple):
    """AIR (7.2.5)."""

    user_name: str
    visited_plmn: Plmn
    requested: RequestedVectors | None = RequestedVectors(1)


class AuthenticationInformationAnswer(NamedTuple):
    """AIA (7.2.6)."""

    result: Result
    authentication: AuthenticationInfo | None = None


class UpdateLocationRequest(NamedTuple):
    """ULR (7.2.3)."""

    user_name: str
    visited_plmn: Plmn
    rat: RatType = RatType.EUTRAN
    flags: int = ULR_S6A | ULR_INITIAL_ATTACH


class UpdateLocationAnswer(NamedTuple):
    """ULA (7.2.4)."""

    result: Result
    flags: int | None = None
    subscription: SubscriptionData | None = None


S6aContent = (
    AuthenticationInformationRequest | AuthenticationInformationAnswer | UpdateLocationRequest | UpdateLocationAnswer
)

_request = partial(commands.request, of=Application.S6A)
_answer = partial(commands.answer, of=Application.S6A)

COMMANDS: Final = (
    _request(
        Command.AUTHENTICATION_INFORMATION,
        AuthenticationInformationRequest,
        one(a.USER_NAME),
        one(a.VISITED_PLMN_ID),
        maybe(REQUESTED_EUTRAN_AUTHENTICATION_INFO),
    ),
    _answer(Command.AUTHENTICATION_INFORMATION, AuthenticationInformationAnswer, maybe(AUTHENTICATION_INFO)),
    _request(
        Command.UPDATE_LOCATION,
        UpdateLocationRequest,
        one(a.USER_NAME),
        one(a.VISITED_PLMN_ID),
        one(a.RAT_TYPE),
        one(a.ULR_FLAGS),
    ),
    _answer(Command.UPDATE_LOCATION, UpdateLocationAnswer, maybe(a.ULA_FLAGS), maybe(SUBSCRIPTION_DATA)),
)
