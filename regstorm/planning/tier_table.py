"""Tier table: which message stands on which priority at which node (paper, section 4; its table 6 is not in the text).

Its rules: (a) follow-ups of what a front door has admitted are finished; (b) heartbeats between nodes go first;
(c) refreshes keep users in service, initial registrations are throttled. Emergency, high priority, deregistration and
answers to paging are never refused (TS 23.501 5.19.7.2, TS 24.501 5.3.9).
"""

from collections.abc import Mapping
from typing import Final, NamedTuple

from regstorm.records.message_classes import MessageClass


class TierRow(NamedTuple):
    """One class of messages: its priority, why, and what it is called at each kind of node."""

    message_class: MessageClass
    tier: int
    """0 goes first."""
    rule: str
    messages: Mapping[str, str]
    """By kind of node; a kind that is not there never sees the class."""


_HEARTBEAT = {
    "MME": "SCTP HEARTBEAT, Diameter DWR",
    "AMF": "SCTP HEARTBEAT, HTTP/2 PING, NRF heart-beat",
    "SBC": "SIP OPTIONS between nodes",
    "CSCF/AS": "SIP OPTIONS, Diameter DWR",
    "UDM/HSS": "Diameter DWR, HTTP/2 PING",
    "DRA": "Diameter DWR",
}

TIER_TABLE: Final = (
    TierRow(MessageClass.HEARTBEAT, 0, "b", _HEARTBEAT),
    TierRow(
        MessageClass.EMERGENCY,
        0,
        "never refused",
        {
            "MME": "emergency attach",
            "AMF": "emergency registration",
            "SBC": "emergency REGISTER and INVITE",
            "CSCF/AS": "emergency INVITE",
        },
    ),
    TierRow(
        MessageClass.HIGH_PRIORITY,
        0,
        "never refused",
        {"MME": "establishment cause highPriorityAccess", "AMF": "establishment cause highPriorityAccess, mps, mcs"},
    ),
    TierRow(
        MessageClass.FOLLOW_UP,
        1,
        "a",
        {
            "MME": "Authentication Response, Security Mode Complete, Attach Complete, IMS PDN",
            "AMF": "Authentication Response, Security Mode Complete, Registration Complete, its PDU sessions",
            "SBC": "REGISTER with the answer to a challenge, third-party registration",
            "CSCF/AS": "the same REGISTER, third-party REGISTER",
            "UDM/HSS": "ULR after AIR; UECM, SDM after UEAU; SAR after MAR; Sh of a third-party registration",
            "DRA": "ULR, SAR, UDR, PUR, SNR",
        },
    ),
    TierRow(
        MessageClass.DEREGISTRATION,
        1,
        "never refused",
        {
            "MME": "Detach Request",
            "AMF": "Deregistration Request",
            "SBC": "REGISTER with expires 0",
            "UDM/HSS": "purge, UECM deregistration, SAR deregistration",
            "DRA": "PUR on S6a, SAR",
        },
    ),
    TierRow(
        MessageClass.PAGING_RESPONSE,
        1,
        "never refused",
        {"MME": "Service Request that answers paging", "AMF": "Service Request that answers paging"},
    ),
    TierRow(
        MessageClass.SERVICE_REQUEST,
        2,
        "c",
        {"MME": "Service Request", "AMF": "Service Request", "SBC": "INVITE, MESSAGE", "CSCF/AS": "INVITE, MESSAGE"},
    ),
    TierRow(
        MessageClass.MOBILITY_UPDATE,
        2,
        "c",
        {"MME": "Tracking Area Update", "AMF": "mobility registration update", "UDM/HSS": "ULR, UECM of a new node"},
    ),
    TierRow(
        MessageClass.PERIODIC_UPDATE,
        2,
        "c",
        {
            "MME": "periodic Tracking Area Update",
            "AMF": "periodic registration update",
            "SBC": "REGISTER that refreshes",
            "CSCF/AS": "REGISTER that refreshes",
            "UDM/HSS": "UAR and SAR of a refresh",
            "DRA": "UAR, SAR",
        },
    ),
    TierRow(
        MessageClass.PDU_SESSION,
        2,
        "c",
        {"MME": "PDN Connectivity Request of a user in service", "AMF": "PDU session of a user in service"},
    ),
    TierRow(
        MessageClass.INITIAL_REGISTRATION,
        3,
        "c",
        {
            "MME": "Attach Request",
            "AMF": "initial Registration Request",
            "SBC": "first REGISTER",
            "CSCF/AS": "first REGISTER",
            "UDM/HSS": "AIR; UEAU of a registration; first UAR, MAR",
            "DRA": "AIR, UAR, MAR",
        },
    ),
)

NODE_KINDS: Final = ("MME", "AMF", "SBC", "CSCF/AS", "UDM/HSS", "DRA")


def tier_order() -> dict[MessageClass, int]:
    """The table as a strategy's `tiers.order`."""
    return {row.message_class: row.tier for row in TIER_TABLE}
