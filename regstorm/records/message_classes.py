"""The classes into which a front door and the queues behind it sort what arrives.

The paper's tier model orders message classes, not users; which class stands on which tier is data of a strategy
(vendors differ: the paper protects refreshes, another vendor sheds periodic updates first). SIP requests have the
same classes: a re-REGISTER is a periodic update, a MESSAGE a service request (reference_core/ims/classification.py).
"""

from enum import StrEnum


class MessageClass(StrEnum):
    """What a message is to overload control."""

    HEARTBEAT = "heartbeat"
    EMERGENCY = "emergency"
    HIGH_PRIORITY = "high_priority"
    PAGING_RESPONSE = "paging_response"
    DEREGISTRATION = "deregistration"
    FOLLOW_UP = "follow_up"
    """Every message of a procedure that has been admitted: answers to challenges, completes, its PDU sessions."""
    SERVICE_REQUEST = "service_request"
    MOBILITY_UPDATE = "mobility_update"
    PERIODIC_UPDATE = "periodic_update"
    PDU_SESSION = "pdu_session"
    """A session that a registered UE asks for by itself, not as part of its registration."""
    INITIAL_REGISTRATION = "initial_registration"


NEVER_REFUSED = frozenset(
    {
        MessageClass.HEARTBEAT,
        MessageClass.EMERGENCY,
        MessageClass.HIGH_PRIORITY,
        MessageClass.PAGING_RESPONSE,
        MessageClass.DEREGISTRATION,
    }
)
"""Classes that no front door refuses under any strategy (TS 23.501 5.19.7.2; TS 24.501 5.3.9)."""
