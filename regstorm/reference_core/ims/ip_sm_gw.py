"""The IP-SM-GW (TS 23.204, TS 24.341): short messages over IP, and what it asks of the HSS when a user registers.

In the reference deployment a read of the MSISDN, its own number written into the SMS registration information, and a
subscription to the user's reachability; with aggregated download the read comes with the subscription. The write
stays: a PUR takes exactly one data reference and reads nothing.
"""

from protocols.diameter.numbers import DataReference, SubsReqType
from protocols.diameter.sh import (
    ProfileUpdateRequest,
    SubscribeNotificationsRequest,
    UserDataRequest,
    UserIdentity,
)
from protocols.sip.encode import answer
from protocols.sip.messages import Request, Response
from regstorm.records import ims_counters as counters
from regstorm.records import operations as ops
from regstorm.records.ports import Tally
from regstorm.reference_core.bus import Call
from regstorm.reference_core.ims.application_server import ShStep
from regstorm.reference_core.ims.user_profile import sh_data

_REACHABILITY = DataReference.UE_REACHABILITY_FOR_IP


def arrival(user: UserIdentity) -> tuple[ShStep, ...]:
    """UDR, PUR, SNR."""
    read = ShStep(ops.USER_DATA, UserDataRequest(user, (DataReference.MSISDN,)))
    return read, _registration(user), _subscription(user, (_REACHABILITY,))


def aggregated_arrival(user: UserIdentity) -> tuple[ShStep, ...]:
    """PUR, SNR."""
    return _registration(user), _subscription(user, (DataReference.MSISDN, _REACHABILITY), send_data=True)


def departure(user: UserIdentity) -> tuple[ShStep, ...]:
    """PUR, SNR to unsubscribe."""
    return _registration(user), _subscription(user, (_REACHABILITY,), SubsReqType.UNSUBSCRIBE)


def aggregated_departure(user: UserIdentity) -> tuple[ShStep, ...]:
    """PUR; the subscription ends with the registration."""
    return (_registration(user),)


class MessageRelay:
    """Takes short messages: 202, and what becomes of them is the SMS centre's business (TS 24.341 5.3.3)."""

    def __init__(self, tally: Tally) -> None:
        self._tally = tally

    def message(self, call: Call, now: float) -> Response:
        """A MESSAGE of a user."""
        self._tally.count(counters.MESSAGES, now)
        request: Request = call.payload
        return answer(request, 202, "ipsmgw")


def _registration(user: UserIdentity) -> ShStep:
    data = sh_data("SMSRegistrationInfo")
    return ShStep(ops.PROFILE_UPDATE, ProfileUpdateRequest(user, DataReference.SMS_REGISTRATION_INFO, data))


def _subscription(
    user: UserIdentity,
    references: tuple[DataReference, ...],
    kind: SubsReqType = SubsReqType.SUBSCRIBE,
    send_data: bool | None = None,
) -> ShStep:
    return ShStep(
        ops.SUBSCRIBE_NOTIFICATIONS, SubscribeNotificationsRequest(user, references, kind, send_data=send_data)
    )
