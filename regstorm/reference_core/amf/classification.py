"""Which message class an uplink NAS message belongs to (records.message_classes), and whether it begins a procedure.

By registration type, service type and RRC establishment cause, as TS 23.501 5.19.7.2 exempts them from congestion
control. Everything inside an admitted procedure follows up, and so do the sessions that come with a registration.
"""

from typing import Any, NamedTuple

from protocols.nas5g.messages import (
    DeregistrationRequest,
    RegistrationRequest,
    RegistrationType,
    ServiceRequest,
    ServiceType,
    UlNasTransport,
)
from protocols.ngap.messages import RrcCause
from regstorm.records.message_classes import MessageClass
from regstorm.reference_core.amf.ue_context import Connection

_HIGH_PRIORITY = frozenset({RrcCause.HIGH_PRIORITY_ACCESS, RrcCause.MPS_PRIORITY_ACCESS, RrcCause.MCS_PRIORITY_ACCESS})

_BY_REGISTRATION_TYPE = {
    RegistrationType.INITIAL: MessageClass.INITIAL_REGISTRATION,
    RegistrationType.MOBILITY: MessageClass.MOBILITY_UPDATE,
    RegistrationType.PERIODIC: MessageClass.PERIODIC_UPDATE,
    RegistrationType.EMERGENCY: MessageClass.EMERGENCY,
}

_BY_SERVICE_TYPE = {
    ServiceType.MOBILE_TERMINATED: MessageClass.PAGING_RESPONSE,
    ServiceType.EMERGENCY: MessageClass.EMERGENCY,
    ServiceType.HIGH_PRIORITY: MessageClass.HIGH_PRIORITY,
}


class Classified(NamedTuple):
    """What the front door is asked about."""

    message_class: MessageClass
    first: bool
    """It begins a procedure."""


def classify(message: Any, connection: Connection) -> Classified:
    """The class of a message that came on `connection`."""
    match message:
        case RegistrationRequest(kind=kind):
            if _repeats_running_registration(message, connection):
                return Classified(MessageClass.FOLLOW_UP, first=False)
            own = _BY_REGISTRATION_TYPE.get(kind, MessageClass.INITIAL_REGISTRATION)
            return Classified(_by_rrc_cause(connection.rrc_cause, own), first=True)
        case ServiceRequest(kind=kind):
            own = _BY_SERVICE_TYPE.get(kind, MessageClass.SERVICE_REQUEST)
            return Classified(_by_rrc_cause(connection.rrc_cause, own), first=True)
        case DeregistrationRequest():
            return Classified(MessageClass.DEREGISTRATION, first=True)
        case UlNasTransport():
            return _session_message(connection)
    return Classified(_follow_up(connection), first=False)


def _by_rrc_cause(cause: RrcCause, otherwise: MessageClass) -> MessageClass:
    if cause is RrcCause.EMERGENCY:
        return MessageClass.EMERGENCY
    if cause in _HIGH_PRIORITY and otherwise is not MessageClass.EMERGENCY:
        return MessageClass.HIGH_PRIORITY
    return otherwise


def _follow_up(connection: Connection) -> MessageClass:
    """An emergency call is one to its last message."""
    return _by_rrc_cause(connection.rrc_cause, MessageClass.FOLLOW_UP)


def _session_message(connection: Connection) -> Classified:
    if connection.follows_registration:
        return Classified(_follow_up(connection), first=False)
    return Classified(_by_rrc_cause(connection.rrc_cause, MessageClass.PDU_SESSION), first=True)


def _repeats_running_registration(message: RegistrationRequest, connection: Connection) -> bool:
    ue = connection.ue
    return ue is not None and ue.procedure is not None and ue.request == message
