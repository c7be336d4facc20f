"""Numbers with names. A number that is not listed stays usable, as in protocols.causes: a peer may send it."""

from enum import IntEnum
from typing import Self


class _OpenEnum(IntEnum):
    """An IntEnum that keeps unknown 32-bit values. They are made anew each time, so that no peer can fill a table."""

    @classmethod
    def _missing_(cls, value: object) -> Self | None:
        if not isinstance(value, int) or not 0 <= value < 1 << 32:
            return None
        member = int.__new__(cls, value)
        member._name_ = f"VALUE_{value}"
        member._value_ = value
        return member


class Vendor(_OpenEnum):
    """SMI enterprise codes; 0 is the IETF."""

    IETF = 0
    TGPP = 10415


class Application(_OpenEnum):
    """Application-Ids."""

    BASE = 0
    CX = 16777216
    SH = 16777217
    S6A = 16777251
    RELAY = 0xFFFFFFFF


class Command(_OpenEnum):
    """Command codes; request and answer share one."""

    CAPABILITIES_EXCHANGE = 257
    DEVICE_WATCHDOG = 280
    DISCONNECT_PEER = 282
    USER_AUTHORIZATION = 300
    SERVER_ASSIGNMENT = 301
    LOCATION_INFO = 302
    MULTIMEDIA_AUTH = 303
    REGISTRATION_TERMINATION = 304
    PUSH_PROFILE = 305
    USER_DATA = 306
    PROFILE_UPDATE = 307
    SUBSCRIBE_NOTIFICATIONS = 308
    PUSH_NOTIFICATION = 309
    UPDATE_LOCATION = 316
    AUTHENTICATION_INFORMATION = 318


class ResultCode(_OpenEnum):
    """Result-Code (RFC 6733 7.1). 3xxx are protocol errors, which any node on the way may send, with the E bit."""

    SUCCESS = 2001
    LIMITED_SUCCESS = 2002
    COMMAND_UNSUPPORTED = 3001
    UNABLE_TO_DELIVER = 3002
    REALM_NOT_SERVED = 3003
    TOO_BUSY = 3004
    LOOP_DETECTED = 3005
    REDIRECT_INDICATION = 3006
    APPLICATION_UNSUPPORTED = 3007
    INVALID_HDR_BITS = 3008
    INVALID_AVP_BITS = 3009
    UNKNOWN_PEER = 3010
    AUTHENTICATION_REJECTED = 4001
    OUT_OF_SPACE = 4002
    ELECTION_LOST = 4003
    AVP_UNSUPPORTED = 5001
    UNKNOWN_SESSION_ID = 5002
    AUTHORIZATION_REJECTED = 5003
    INVALID_AVP_VALUE = 5004
    MISSING_AVP = 5005
    RESOURCES_EXCEEDED = 5006
    CONTRADICTING_AVPS = 5007
    AVP_NOT_ALLOWED = 5008
    AVP_OCCURS_TOO_MANY_TIMES = 5009
    NO_COMMON_APPLICATION = 5010
    UNSUPPORTED_VERSION = 5011
    UNABLE_TO_COMPLY = 5012
    INVALID_BIT_IN_HEADER = 5013
    INVALID_AVP_LENGTH = 5014
    INVALID_MESSAGE_LENGTH = 5015
    INVALID_AVP_BIT_COMBO = 5016
    NO_COMMON_SECURITY = 5017

    @property
    def is_protocol_error(self) -> bool:
        """3xxx: the answer has the E bit (RFC 6733 7.1.3)."""
        return self // 1000 == 3


class ExperimentalResultCode(_OpenEnum):
    """Experimental-Result-Code of 3GPP (TS 29.229 6.2, TS 29.329 6.2, TS 29.272 7.4; one number space, TS 29.230)."""

    FIRST_REGISTRATION = 2001
    SUBSEQUENT_REGISTRATION = 2002
    UNREGISTERED_SERVICE = 2003
    SUCCESS_SERVER_NAME_NOT_STORED = 2004
    USER_DATA_NOT_AVAILABLE = 4100
    PRIOR_UPDATE_IN_PROGRESS = 4101
    AUTHENTICATION_DATA_UNAVAILABLE = 4181
    USER_UNKNOWN = 5001
    IDENTITIES_DONT_MATCH = 5002
    IDENTITY_NOT_REGISTERED = 5003
    ROAMING_NOT_ALLOWED = 5004
    IDENTITY_ALREADY_REGISTERED = 5005
    AUTH_SCHEME_NOT_SUPPORTED = 5006
    IN_ASSIGNMENT_TYPE = 5007
    TOO_MUCH_DATA = 5008
    NOT_SUPPORTED_USER_DATA = 5009
    FEATURE_UNSUPPORTED = 5011
    SERVING_NODE_FEATURE_UNSUPPORTED = 5012
    USER_DATA_NOT_RECOGNIZED = 5100
    OPERATION_NOT_ALLOWED = 5101
    USER_DATA_CANNOT_BE_READ = 5102
    USER_DATA_CANNOT_BE_MODIFIED = 5103
    USER_DATA_CANNOT_BE_NOTIFIED = 5104
    TRANSPARENT_DATA_OUT_OF_SYNC = 5105
    SUBS_DATA_ABSENT = 5106
    NO_SUBSCRIPTION_TO_DATA = 5107
    DSAI_NOT_AVAILABLE = 5108
    UNKNOWN_EPS_SUBSCRIPTION = 5420
    RAT_NOT_ALLOWED = 5421
    EQUIPMENT_UNKNOWN = 5422
    UNKNOWN_SERVING_NODE = 5423


class DisconnectCause(_OpenEnum):
    """RFC 6733 5.4.3."""

    REBOOTING = 0
    BUSY = 1
    DO_NOT_WANT_TO_TALK_TO_YOU = 2


class UserAuthorizationType(_OpenEnum):
    """TS 29.229 6.3.24; absent means REGISTRATION."""

    REGISTRATION = 0
    DE_REGISTRATION = 1
    REGISTRATION_AND_CAPABILITIES = 2


class ServerAssignmentType(_OpenEnum):
    """TS 29.229 6.3.15."""

    NO_ASSIGNMENT = 0
    REGISTRATION = 1
    RE_REGISTRATION = 2
    UNREGISTERED_USER = 3
    TIMEOUT_DEREGISTRATION = 4
    USER_DEREGISTRATION = 5
    TIMEOUT_DEREGISTRATION_STORE_SERVER_NAME = 6
    USER_DEREGISTRATION_STORE_SERVER_NAME = 7
    ADMINISTRATIVE_DEREGISTRATION = 8
    AUTHENTICATION_FAILURE = 9
    AUTHENTICATION_TIMEOUT = 10
    DEREGISTRATION_TOO_MUCH_DATA = 11


class ReasonCode(_OpenEnum):
    """Why an HSS takes a registration away (TS 29.229 6.3.17)."""

    PERMANENT_TERMINATION = 0
    NEW_SERVER_ASSIGNED = 1
    SERVER_CHANGE = 2
    REMOVE_S_CSCF = 3


class DataReference(_OpenEnum):
    """What an AS wants of the HSS (TS 29.328 table 7.6.1)."""

    REPOSITORY_DATA = 0
    IMS_PUBLIC_IDENTITY = 10
    IMS_USER_STATE = 11
    S_CSCF_NAME = 12
    INITIAL_FILTER_CRITERIA = 13
    LOCATION_INFORMATION = 14
    USER_STATE = 15
    CHARGING_INFORMATION = 16
    MSISDN = 17
    PSI_ACTIVATION = 18
    DSAI = 19
    SERVICE_LEVEL_TRACE_INFO = 21
    IP_ADDRESS_SECURE_BINDING_INFORMATION = 22
    SERVICE_PRIORITY_LEVEL = 23
    SMS_REGISTRATION_INFO = 24
    UE_REACHABILITY_FOR_IP = 25
    TADS_INFORMATION = 26
    STN_SR = 27
    UE_SRVCC_CAPABILITY = 28
    EXTENDED_PRIORITY = 29
    CSRN = 30
    REFERENCE_LOCATION_INFORMATION = 31
    IMSI = 32
    IMS_PRIVATE_USER_IDENTITY = 33
    IMEISV = 34
    UE_5G_SRVCC_CAPABILITY = 35


class SubsReqType(_OpenEnum):
    """TS 29.329 6.3.6."""

    SUBSCRIBE = 0
    UNSUBSCRIBE = 1


class OneTimeNotification(_OpenEnum):
    """TS 29.329 6.3.20; goes with UE_REACHABILITY_FOR_IP only."""

    REQUESTED = 0


class RatType(_OpenEnum):
    """TS 29.212 5.3.31, those that an MME may name."""

    UTRAN = 1000
    GERAN = 1001
    EUTRAN = 1004


class PdnType(_OpenEnum):
    """TS 29.272 7.3.62."""

    IPV4 = 0
    IPV6 = 1
    IPV4V6 = 2
    IPV4_OR_IPV6 = 3
