"""Diameter messages of every command that has a layout: one full and one bare of each, and random ones."""

from random import Random

from protocols.diameter import base, cx, s6a, sh
from protocols.diameter import numbers as n
from protocols.diameter.layouts import ExperimentalResult
from protocols.diameter.messages import LAYOUTS, Message
from protocols.identities import Plmn

REALM = "ims.mnc001.mcc001.3gppnetwork.org"
PRIVATE = f"001010000000001@{REALM}"
PUBLIC = f"sip:{PRIVATE}"
SCSCF = f"sip:scscf.{REALM}:6060"
HOME = Plmn("001", "01")
RAND, AUTN = bytes(range(16)), bytes(range(16, 32))
MSISDN = bytes.fromhex("945555000010")
PROFILE = b"<IMSSubscription><PrivateID>x</PrivateID></IMSSubscription>"
SH_DATA = b"<Sh-Data></Sh-Data>"

OK = n.ResultCode.SUCCESS
FIRST = ExperimentalResult(n.ExperimentalResultCode.FIRST_REGISTRATION)
UNKNOWN = ExperimentalResult(n.ExperimentalResultCode.USER_UNKNOWN)
BUSY = n.ResultCode.TOO_BUSY

VECTOR = cx.SipAuthDataItem(cx.DIGEST_AKAV1_MD5, RAND + AUTN, b"xres" * 2, b"c" * 16, b"i" * 16, 1)
CAPABILITIES = cx.ServerCapabilities((1, 2), (3,), (SCSCF,))
CHARGING = cx.ChargingInformation("aaa://ecf.example", "aaa://ccf.example")
USER = sh.UserIdentity(PUBLIC)
QOS = s6a.SubscribedQos(9, s6a.RetentionPriority(8))
APNS = s6a.ApnProfile(
    1,
    (
        s6a.ApnConfiguration(1, n.PdnType.IPV4, "internet", QOS, s6a.Ambr(50_000_000, 100_000_000)),
        s6a.ApnConfiguration(2, n.PdnType.IPV4V6, "ims", QOS),
    ),
)

CONTENTS = (
    base.CapabilitiesExchangeRequest(
        ("127.0.0.1", "2001:db8::1"), "regstorm", 10415, 7, (10415,), (4294967295,), (base.CX_APPLICATION,), 1
    ),
    base.CapabilitiesExchangeRequest(("127.0.0.1",), "regstorm"),
    base.CapabilitiesExchangeAnswer(OK, ("127.0.0.1",), "regstorm", 0, 7, (10415,), (), (base.SH_APPLICATION,)),
    base.CapabilitiesExchangeAnswer(n.ResultCode.NO_COMMON_APPLICATION),
    base.DeviceWatchdogRequest(7),
    base.DeviceWatchdogRequest(),
    base.DeviceWatchdogAnswer(OK, 7),
    base.DisconnectPeerRequest(n.DisconnectCause.REBOOTING),
    base.DisconnectPeerAnswer(OK),
    cx.UserAuthorizationRequest(PRIVATE, PUBLIC, REALM.encode()),
    cx.UserAuthorizationRequest(PRIVATE, PUBLIC, REALM.encode(), n.UserAuthorizationType.DE_REGISTRATION),
    cx.UserAuthorizationAnswer(FIRST, None, CAPABILITIES),
    cx.UserAuthorizationAnswer(UNKNOWN),
    cx.UserAuthorizationAnswer(BUSY),
    cx.ServerAssignmentRequest(SCSCF, n.ServerAssignmentType.REGISTRATION, PRIVATE, (PUBLIC, "tel:+1555000001"), True),
    cx.ServerAssignmentRequest(SCSCF, n.ServerAssignmentType.UNREGISTERED_USER),
    cx.ServerAssignmentAnswer(OK, PRIVATE, PROFILE, CHARGING),
    cx.ServerAssignmentAnswer(n.ResultCode.UNABLE_TO_COMPLY),
    cx.LocationInfoRequest(PUBLIC),
    cx.LocationInfoAnswer(OK, SCSCF, CAPABILITIES),
    cx.MultimediaAuthRequest(PRIVATE, PUBLIC, SCSCF),
    cx.MultimediaAuthRequest(
        PRIVATE, PUBLIC, SCSCF, cx.SipAuthDataItem(cx.DIGEST_AKAV1_MD5, authorization=RAND + b"a" * 14)
    ),
    cx.MultimediaAuthAnswer(OK, PRIVATE, PUBLIC, (VECTOR, VECTOR._replace(item=2)), 2),
    cx.MultimediaAuthAnswer(BUSY),
    cx.RegistrationTerminationRequest(PRIVATE, cx.DeregistrationReason(n.ReasonCode.SERVER_CHANGE, "moved"), (PUBLIC,)),
    cx.RegistrationTerminationAnswer(OK),
    cx.PushProfileRequest(PRIVATE, PROFILE, CHARGING),
    cx.PushProfileAnswer(OK),
    sh.UserDataRequest(USER, (n.DataReference.REPOSITORY_DATA, n.DataReference.STN_SR), (b"MMTEL",), SCSCF, PRIVATE),
    sh.UserDataRequest(sh.UserIdentity(msisdn=MSISDN), (n.DataReference.MSISDN,)),
    sh.UserDataAnswer(OK, SH_DATA),
    sh.UserDataAnswer(ExperimentalResult(n.ExperimentalResultCode.USER_DATA_NOT_AVAILABLE)),
    sh.ProfileUpdateRequest(USER, n.DataReference.SMS_REGISTRATION_INFO, SH_DATA),
    sh.ProfileUpdateAnswer(OK),
    sh.SubscribeNotificationsRequest(
        USER,
        (n.DataReference.UE_REACHABILITY_FOR_IP, n.DataReference.REPOSITORY_DATA),
        n.SubsReqType.SUBSCRIBE,
        (b"MMTEL",),
        True,
        SCSCF,
        1_800_000_000,
        n.OneTimeNotification.REQUESTED,
        PRIVATE,
    ),
    sh.SubscribeNotificationsRequest(USER, (n.DataReference.IMS_USER_STATE,), n.SubsReqType.UNSUBSCRIBE),
    sh.SubscribeNotificationsAnswer(OK, SH_DATA, 1_800_000_000),
    sh.PushNotificationRequest(USER, SH_DATA),
    sh.PushNotificationAnswer(OK),
    s6a.AuthenticationInformationRequest("001010000000001", HOME),
    s6a.AuthenticationInformationRequest("001010000000001", HOME, s6a.RequestedVectors(2, RAND + b"a" * 14, 1)),
    s6a.AuthenticationInformationAnswer(
        OK, s6a.AuthenticationInfo((s6a.EutranVector(RAND, b"x" * 8, AUTN, b"k" * 32, 1),))
    ),
    s6a.AuthenticationInformationAnswer(ExperimentalResult(n.ExperimentalResultCode.AUTHENTICATION_DATA_UNAVAILABLE)),
    s6a.UpdateLocationRequest("001010000000001", HOME),
    s6a.UpdateLocationAnswer(
        OK, s6a.ULA_SEPARATION_INDICATION, s6a.SubscriptionData(MSISDN, 0, 2, s6a.Ambr(1, 2), APNS)
    ),
)


def enveloped(content, hop_by_hop=1, end_to_end=2, **changes):
    """The message around a content, with what its kind of message has."""
    layout = LAYOUTS[type(content)]
    message = Message(content, hop_by_hop, end_to_end, "node.example", "example")
    if layout.application:
        message = message._replace(session_id="node.example;1;7")
        if layout.is_request:
            message = message._replace(destination_realm=REALM, destination_host=f"hss.{REALM}")
    return message._replace(**changes)


MESSAGES = tuple(enveloped(content) for content in CONTENTS)


def name_of(message):
    return type(message.content).__name__


def random_message(rng: Random) -> Message:
    """A message of the list with other texts, octets and numbers."""
    message = rng.choice(MESSAGES)
    content = varied(message.content, rng)
    return message._replace(content=content, hop_by_hop=rng.getrandbits(32), end_to_end=rng.getrandbits(32))


def varied(value, rng):
    """The same kind of value with other contents; what is read by name keeps to its names."""
    match value:
        case ExperimentalResult() | None | bool() | n._OpenEnum() | Plmn():
            return value
        case str() if (":" in value and not value.startswith("sip")) or value.count(".") == 3:
            return value  # addresses
        case str():
            return "".join(rng.choice("abcé.@:;1") for _ in range(rng.randint(1, 30)))
        case bytes():
            return rng.randbytes(rng.randint(0, 40))
        case int():
            return rng.getrandbits(31)
        case tuple() if hasattr(value, "_fields"):
            return type(value)(*[varied(part, rng) for part in value])
        case tuple():
            return tuple(varied(part, rng) for part in value)
    raise TypeError(type(value))
