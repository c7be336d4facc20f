"""Message classes as priorities on the wire: 3gpp-Sbi-Message-Priority and DRMP.

Both count from 0, the highest: an SBI message has 0 to 31 (TS 29.500 6.8.2, 24 where nothing is said), a Diameter
message 0 to 15 (RFC 7944 9.1, 10 where nothing is said). Which class has which number is the operator's choice.
"""

from typing import Final

from regstorm.records.message_classes import MessageClass

PRIORITY_OF: Final = {
    MessageClass.HEARTBEAT: 0,
    MessageClass.EMERGENCY: 1,
    MessageClass.HIGH_PRIORITY: 2,
    MessageClass.PAGING_RESPONSE: 3,
    MessageClass.DEREGISTRATION: 4,
    MessageClass.FOLLOW_UP: 5,
    MessageClass.SERVICE_REQUEST: 6,
    MessageClass.MOBILITY_UPDATE: 7,
    MessageClass.PERIODIC_UPDATE: 8,
    MessageClass.PDU_SESSION: 9,
    MessageClass.INITIAL_REGISTRATION: 10,
}
"""Assumed, but for their order: that in which `tiered` keeps them."""

_CLASS_OF: Final[dict[int | None, MessageClass]] = {
    priority: message_class for message_class, priority in PRIORITY_OF.items()
}
_LOWEST: Final = MessageClass.INITIAL_REGISTRATION


def class_of(priority: int | None) -> MessageClass:
    """The class behind a priority; what says none, or one of no class, is treated like a first message."""
    return _CLASS_OF.get(priority, _LOWEST)
