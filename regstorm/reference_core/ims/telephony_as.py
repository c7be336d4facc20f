"""The telephony AS (MMTEL, TS 24.173): what it asks of the HSS on Sh when a user registers.

In the reference deployment four reads, one for each kind of data, and a subscription to changes; with aggregated
download one subscription that brings all of it (TS 29.329 6.1.5, Send-Data-Indication).
"""

from protocols.diameter.numbers import DataReference
from protocols.diameter.sh import SubscribeNotificationsRequest, UserDataRequest, UserIdentity
from regstorm.records import operations as ops
from regstorm.reference_core.ims.application_server import ShStep

MMTEL = b"mmtel-services"
"""Service-Indication of its repository data; assumed, it is the AS's own choice."""

_READ = (
    DataReference.REPOSITORY_DATA,
    DataReference.MSISDN,
    DataReference.STN_SR,
    DataReference.UE_SRVCC_CAPABILITY,
)


def arrival(user: UserIdentity) -> tuple[ShStep, ...]:
    """UDR ×4, SNR."""
    reads = tuple(ShStep(ops.USER_DATA, UserDataRequest(user, (one,), _indications(one))) for one in _READ)
    return (*reads, _subscription(user, (DataReference.REPOSITORY_DATA,), send_data=None))


def aggregated_arrival(user: UserIdentity) -> tuple[ShStep, ...]:
    """One SNR."""
    return (_subscription(user, _READ, send_data=True),)


def departure(user: UserIdentity) -> tuple[ShStep, ...]:
    """Nothing: the subscription ends by itself."""
    return ()


def _subscription(user: UserIdentity, references: tuple[DataReference, ...], send_data: bool | None) -> ShStep:
    request = SubscribeNotificationsRequest(user, references, service_indications=(MMTEL,), send_data=send_data)
    return ShStep(ops.SUBSCRIBE_NOTIFICATIONS, request)


def _indications(reference: DataReference) -> tuple[bytes, ...]:
    return (MMTEL,) if reference is DataReference.REPOSITORY_DATA else ()
