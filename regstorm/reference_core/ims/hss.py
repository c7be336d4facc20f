"""The HSS for IMS: what it answers on Cx (TS 29.228 6.1, 6.3) and Sh (TS 29.328 6.1). Its door: pair_server.py."""

from random import Random

from protocols.aka import resynchronise
from protocols.diameter.cx import (
    DIGEST_AKAV1_MD5,
    SIP_DIGEST,
    LocationInfoAnswer,
    LocationInfoRequest,
    MultimediaAuthAnswer,
    MultimediaAuthRequest,
    ServerAssignmentAnswer,
    ServerAssignmentRequest,
    ServerCapabilities,
    SipAuthDataItem,
    UserAuthorizationAnswer,
    UserAuthorizationRequest,
)
from protocols.diameter.layouts import ExperimentalResult, Result
from protocols.diameter.numbers import ExperimentalResultCode, ResultCode, UserAuthorizationType
from protocols.diameter.numbers import ServerAssignmentType as Assignment
from protocols.diameter.sh import (
    ProfileUpdateAnswer,
    ProfileUpdateRequest,
    SubscribeNotificationsAnswer,
    SubscribeNotificationsRequest,
    UserDataAnswer,
    UserDataRequest,
    UserIdentity,
)
from protocols.ims_aka import generate_ims_vector
from protocols.ims_identities import supi_of_identity
from regstorm.records import operations as ops
from regstorm.reference_core.bus import Call
from regstorm.reference_core.ims.names import ImsNames
from regstorm.reference_core.ims.user_profile import FilterCriteria, sh_data, write_profile
from regstorm.reference_core.pair_server import Doors
from regstorm.reference_core.subscribers import IND_OF_IMS, Subscriber, Subscribers

_AMF_FIELD_OF_IMS = b"\x00\x00"
"""Without the separation bit: the vector is of no use in 5GS (TS 33.102 annex H)."""

_TAKES_AWAY = frozenset(
    (
        Assignment.TIMEOUT_DEREGISTRATION,
        Assignment.USER_DEREGISTRATION,
        Assignment.ADMINISTRATIVE_DEREGISTRATION,
        Assignment.AUTHENTICATION_FAILURE,
        Assignment.AUTHENTICATION_TIMEOUT,
        Assignment.DEREGISTRATION_TOO_MUCH_DATA,
    )
)


def _of_3gpp(code: ExperimentalResultCode) -> ExperimentalResult:
    return ExperimentalResult(code)


FIRST = _of_3gpp(ExperimentalResultCode.FIRST_REGISTRATION)
SUBSEQUENT = _of_3gpp(ExperimentalResultCode.SUBSEQUENT_REGISTRATION)
UNKNOWN = _of_3gpp(ExperimentalResultCode.USER_UNKNOWN)
NOT_REGISTERED = _of_3gpp(ExperimentalResultCode.IDENTITY_NOT_REGISTERED)
DONT_MATCH = _of_3gpp(ExperimentalResultCode.IDENTITIES_DONT_MATCH)


class Hss:
    """Serves Cx and Sh for the subscribers that the UDM has too."""

    def __init__(
        self,
        names: ImsNames,
        subscribers: Subscribers,
        criteria: tuple[FilterCriteria, ...],
        doors: Doors,
        rng: Random,
        password: str | None,
    ) -> None:
        """`password`: of subscribers that have none of their own; None: they use AKA."""
        self._names = names
        self._subscribers = subscribers
        self._criteria = criteria
        self._rng = rng
        self._by_identity: dict[str, Subscriber] = {}  # two identities of each subscriber, no others
        self._password = None if password is None else password.encode()
        doors.answers(
            {
                ops.USER_AUTHORIZATION: self._authorize,
                ops.MULTIMEDIA_AUTH: self._challenge,
                ops.SERVER_ASSIGNMENT: self._assign,
                ops.LOCATION_INFO: self._locate,
                ops.USER_DATA: self._read,
                ops.PROFILE_UPDATE: self._write,
                ops.SUBSCRIBE_NOTIFICATIONS: self._subscribe,
            }
        )

    def subscriber(self, identity: str) -> Subscriber | None:
        """By public or private identity."""
        known = self._by_identity.get(identity)
        if known is not None:
            return known
        supi = supi_of_identity(identity, self._names.plmn)
        found = None if supi is None else self._subscribers.by_supi(supi)
        if found is not None:
            self._by_identity[identity] = found
        return found

    # --- Cx ----------------------------------------------------------------------------------------------------------

    def _authorize(self, call: Call) -> UserAuthorizationAnswer:
        asked: UserAuthorizationRequest = call.payload
        user = self.subscriber(asked.public_identity)
        if user is None:
            return UserAuthorizationAnswer(UNKNOWN)
        if self.subscriber(asked.user_name) is not user:
            return UserAuthorizationAnswer(DONT_MATCH)
        if asked.kind is UserAuthorizationType.DE_REGISTRATION:
            if user.serving_cscf is None:
                return UserAuthorizationAnswer(NOT_REGISTERED)
            return UserAuthorizationAnswer(ResultCode.SUCCESS, user.serving_cscf)
        if user.serving_cscf is not None:
            return UserAuthorizationAnswer(SUBSEQUENT, user.serving_cscf)
        return UserAuthorizationAnswer(FIRST, capabilities=ServerCapabilities(server_names=(self._names.scscf,)))

    def _challenge(self, call: Call) -> MultimediaAuthAnswer:
        asked: MultimediaAuthRequest = call.payload
        user = self.subscriber(asked.public_identity)
        if user is None:
            return MultimediaAuthAnswer(UNKNOWN)
        user.serving_cscf = asked.server_name  # from now on the S-CSCF is assigned, if not yet registered (6.3.1)
        password = user.password or self._password
        if password is not None:
            # TS 29.228 has H(A1) in SIP-Digest-Authenticate; in process the password itself stands for it
            item = SipAuthDataItem(SIP_DIGEST, authorization=password)
        else:
            vector_item = self._vector(user, asked.item.authorization)
            if vector_item is None:
                return MultimediaAuthAnswer(ResultCode.AUTHENTICATION_REJECTED)
            item = vector_item
        return MultimediaAuthAnswer(ResultCode.SUCCESS, asked.user_name, asked.public_identity, (item,), 1)

    def _vector(self, user: Subscriber, rand_and_auts: bytes | None) -> SipAuthDataItem | None:
        """A fresh one; after RAND ‖ AUTS from the USIM's own sequence number on (TS 33.203 6.1.3)."""
        milenage = user.milenage()
        if rand_and_auts is not None:
            sqn_ms = resynchronise(milenage, rand_and_auts[:16], rand_and_auts[16:])
            if sqn_ms is None:
                return None
            user.resynchronise(sqn_ms)
        sqn = user.fresh_sqn(IND_OF_IMS)
        made = generate_ims_vector(milenage, sqn, self._rng.randbytes(16), _AMF_FIELD_OF_IMS)
        return SipAuthDataItem(DIGEST_AKAV1_MD5, made.rand + made.autn, made.xres, made.ck, made.ik)

    def _assign(self, call: Call) -> ServerAssignmentAnswer:
        asked: ServerAssignmentRequest = call.payload
        identity = asked.public_identities[0] if asked.public_identities else asked.user_name or ""
        user = self.subscriber(identity)
        if user is None:
            return ServerAssignmentAnswer(UNKNOWN)
        if asked.kind in _TAKES_AWAY:
            user.serving_cscf, user.registered_in_ims = None, False
            return ServerAssignmentAnswer(ResultCode.SUCCESS, asked.user_name)
        user.serving_cscf, user.registered_in_ims = asked.server_name, True
        profile = None
        if not asked.user_data_already_available:
            profile = write_profile(asked.user_name or "", identity, self._criteria)
        return ServerAssignmentAnswer(ResultCode.SUCCESS, asked.user_name, profile)

    def _locate(self, call: Call) -> LocationInfoAnswer:
        asked: LocationInfoRequest = call.payload
        user = self.subscriber(asked.public_identity)
        if user is None:
            return LocationInfoAnswer(UNKNOWN)
        if not user.registered_in_ims or user.serving_cscf is None:
            return LocationInfoAnswer(NOT_REGISTERED)
        return LocationInfoAnswer(ResultCode.SUCCESS, user.serving_cscf)

    # --- Sh ----------------------------------------------------------------------------------------------------------

    def _read(self, call: Call) -> UserDataAnswer:
        asked: UserDataRequest = call.payload
        result = self._known(asked.user)
        return UserDataAnswer(result, sh_data("Extension") if result is ResultCode.SUCCESS else None)

    def _write(self, call: Call) -> ProfileUpdateAnswer:
        asked: ProfileUpdateRequest = call.payload
        return ProfileUpdateAnswer(self._known(asked.user))

    def _subscribe(self, call: Call) -> SubscribeNotificationsAnswer:
        asked: SubscribeNotificationsRequest = call.payload
        result = self._known(asked.user)
        data = sh_data("Extension") if asked.send_data and result is ResultCode.SUCCESS else None
        return SubscribeNotificationsAnswer(result, data)

    def _known(self, user: UserIdentity) -> Result:
        return UNKNOWN if self.subscriber(user.public_identity or "") is None else ResultCode.SUCCESS
