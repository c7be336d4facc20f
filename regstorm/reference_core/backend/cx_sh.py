"""Cx and Sh operations as Diameter messages, and back: the commands are the calls' payloads already.

A message class travels as DRMP (RFC 7944, which TS 29.229 and TS 29.329 list for every command); a procedure's number
as the optional part of the Session-Id (RFC 6733 8.8).
"""

from typing import Any, Final, NamedTuple

from protocols.diameter import avps as a
from protocols.diameter.cx import (
    LocationInfoRequest,
    MultimediaAuthRequest,
    ServerAssignmentRequest,
    UserAuthorizationRequest,
)
from protocols.diameter.layouts import RawAvp
from protocols.diameter.messages import LAYOUTS, Message
from protocols.diameter.numbers import ResultCode
from protocols.diameter.sh import ProfileUpdateRequest, SubscribeNotificationsRequest, UserDataRequest
from protocols.identities import Plmn
from protocols.ims_identities import home_domain, supi_of_identity
from regstorm.records import operations as ops
from regstorm.records.operations import Nf, Operation
from regstorm.reference_core.backend.priorities import PRIORITY_OF, class_of
from regstorm.reference_core.bus import CONGESTED, Answer, Call, Failed

OPERATION_OF: Final[dict[type, Operation]] = {
    UserAuthorizationRequest: ops.USER_AUTHORIZATION,
    MultimediaAuthRequest: ops.MULTIMEDIA_AUTH,
    ServerAssignmentRequest: ops.SERVER_ASSIGNMENT,
    LocationInfoRequest: ops.LOCATION_INFO,
    UserDataRequest: ops.USER_DATA,
    ProfileUpdateRequest: ops.PROFILE_UPDATE,
    SubscribeNotificationsRequest: ops.SUBSCRIBE_NOTIFICATIONS,
}
"""The request of each operation of the catalogue."""

_PROCEDURE: Final = "procedure-"
_DRMP_OF: Final = {
    message_class: RawAvp(a.DRMP.code, priority.to_bytes(4, "big"), mandatory=False)
    for message_class, priority in PRIORITY_OF.items()
}


class HssNames(NamedTuple):
    """Diameter identities of one home network."""

    plmn: Plmn

    @property
    def realm(self) -> str:
        """That of IMS (TS 23.003 13.2)."""
        return home_domain(self.plmn)

    def host(self, nf: Nf) -> str:
        """Of a node."""
        return f"{nf.lower().replace('-', '')}.{self.realm}"


# --- at the consumer -----------------------------------------------------------------------------------------------


def session_of(call: Call, session_id: str) -> str:
    """The Session-Id with whose procedure it is."""
    return f"{session_id};{_PROCEDURE}{call.procedure}" if call.procedure else session_id


def priority_avp(call: Call) -> RawAvp:
    """DRMP."""
    return _DRMP_OF[call.message_class]


def answer_of(message: Message) -> Answer:
    """What an answer says: its command's value, or `Failed` where some node on the way reports a protocol error."""
    content: Any = message.content
    result = content[0] if type(content) in LAYOUTS else None
    if result is ResultCode.TOO_BUSY:
        return Failed(CONGESTED)
    if result is None or (isinstance(result, ResultCode) and result.is_protocol_error):
        return Failed("DIAMETER_ERROR")
    return content


# --- at the door ---------------------------------------------------------------------------------------------------


def call_of(message: Message, plmn: Plmn) -> Call | None:
    """The call that a request makes; None if it is none of the catalogue's."""
    operation = OPERATION_OF.get(type(message.content))
    if operation is None:
        return None
    identity = _identity_in(message.content)
    subject = supi_of_identity(identity, plmn) or identity
    return Call(operation, subject, message.content, class_of(_priority(message)), _procedure(message.session_id))


def _identity_in(content: Any) -> str:
    if isinstance(content, ServerAssignmentRequest):
        return content.public_identities[0] if content.public_identities else content.user_name or ""
    user = getattr(content, "user", None)
    identity: str | None = content.public_identity if user is None else user.public_identity
    return identity or ""


def _priority(message: Message) -> int | None:
    for other in message.others:
        if other.code == a.DRMP.code and not other.vendor:
            return int.from_bytes(other.data[:4], "big")
    return None


def _procedure(session_id: str | None) -> int:
    number = (session_id or "").rpartition(f";{_PROCEDURE}")
    digits = number[2] if number[1] else ""
    return int(digits) if digits.isascii() and digits.isdigit() and len(digits) < 20 else 0
