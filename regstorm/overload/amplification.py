"""Amplification: the UDM pairs and uplink messages that one registration with its PDU sessions becomes.

After the paper's front-to-back amplification model; the figures are those of TS 23.502 4.2.2.2.2 and 4.3.2.2.1 as
records.operations lists them. Thresholds, lower bounds and wasted work all rest on these two numbers.
"""

from regstorm.records.operations import PAIRS_PER_REGISTRATION, UPLINK_MESSAGES_PER_REGISTRATION
from regstorm.records.scenario import Scenario

_SESSIONS_LISTED = 2
"""records.operations counts a registration with two PDU sessions."""


def skips_authentication(scenario: Scenario) -> bool:
    """A UE whose security context the AMF has kept is let in by it, without the UDM (TS 33.501 6.4.6)."""
    return scenario.outage.amf_context == "kept" and scenario.outage.authenticate == "when_needed"


def pairs_per_registration(scenario: Scenario) -> dict[str, int]:
    """UDM pairs of one registration of the outage group, by interface."""
    per_session = PAIRS_PER_REGISTRATION["N10"] // _SESSIONS_LISTED
    return {
        "N13": 0 if skips_authentication(scenario) else PAIRS_PER_REGISTRATION["N13"],
        "N8": PAIRS_PER_REGISTRATION["N8"],
        "N10": per_session * len(scenario.network.dnns),
    }


def uplink_messages_per_registration(scenario: Scenario) -> int:
    """Uplink NAS messages of the same, without repetitions.

    A context that was lost costs an Identity Response more; one that is used as it is saves the Authentication
    Response and the Security Mode Complete.
    """
    messages = UPLINK_MESSAGES_PER_REGISTRATION + len(scenario.network.dnns) - _SESSIONS_LISTED
    if scenario.outage.amf_context == "lost":
        return messages + 1
    return messages - 2 if skips_authentication(scenario) else messages
