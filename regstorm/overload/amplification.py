"""Amplification: the UDM/HSS pairs and uplink messages that one registration becomes.

After the paper's front-to-back amplification model; the figures are those of TS 23.502 4.2.2.2.2 and 4.3.2.2.1 and,
for IMS, of TS 29.228 and TS 29.328, as records.operations lists them. Thresholds, lower bounds and wasted work all
rest on these numbers. With two PDU sessions and IMS a registration is 25 pairs; 20 with aggregated download at the
application servers, 15 if AMF and SMF aggregate their reads as well.
"""

from typing import NamedTuple

from regstorm.records.core_settings import Core
from regstorm.records.nodes import Node
from regstorm.records.operations import (
    PAIRS_PER_AGGREGATED_IMS_REGISTRATION,
    PAIRS_PER_AGGREGATED_REGISTRATION,
    PAIRS_PER_IMS_REGISTRATION,
    PAIRS_PER_IMS_REREGISTRATION,
    PAIRS_PER_REGISTRATION,
    UPLINK_MESSAGES_PER_REGISTRATION,
)
from regstorm.records.population import Outage
from regstorm.records.scenario import Scenario

_SESSIONS_LISTED = 2
"""records.operations counts a registration with two PDU sessions."""

ON_UDM = ("N13", "N8", "N10")
ON_HSS = ("Cx", "Sh")
"""Interfaces that the units for EPC and IMS serve where 5GC has units of its own."""


PAIRS_AFTER_AN_SBC_RESTART = {"Cx": PAIRS_PER_IMS_REGISTRATION["Cx"]}
"""The users' registrations stand in the S-CSCF and at the application servers, which have nothing to read anew."""


class BackEnd(NamedTuple):
    """Units of a UDM/HSS with a capacity of their own, and what one registration of its users asks of them."""

    interfaces: tuple[str, ...]
    capacity_pairs_per_s: float
    pairs_per_ue: int
    node: str = "udm"
    share: float = 1.0
    """Of the users."""

    @property
    def as_if_all_pairs_per_s(self) -> float:
        """Capacity that all UDM/HSS together would have if each were as tight as this one for its users."""
        return self.capacity_pairs_per_s / self.share

    @property
    def ues_per_s(self) -> float:
        """Registrations of all users, spread over all nodes, that it lets finish."""
        return self.as_if_all_pairs_per_s / self.pairs_per_ue


def skips_authentication(outage: Outage) -> bool:
    """A UE whose security context the AMF has kept is let in by it, without the UDM (TS 33.501 6.4.6)."""
    return outage.amf_context == "kept" and outage.authenticate == "when_needed"


def pairs_of_a_registration(core: Core, sessions: int, ims: bool) -> dict[str, int]:
    """UDM/HSS pairs of one registration with a challenge and so many PDU sessions, by interface."""
    listed = PAIRS_PER_AGGREGATED_REGISTRATION if core.aggregated_nudm else PAIRS_PER_REGISTRATION
    pairs = {"N13": listed["N13"], "N8": listed["N8"], "N10": listed["N10"] // _SESSIONS_LISTED * sessions}
    if ims:
        aggregated = core.ims.aggregated_download
        pairs |= PAIRS_PER_AGGREGATED_IMS_REGISTRATION if aggregated else PAIRS_PER_IMS_REGISTRATION
    return pairs


def pairs_per_registration(scenario: Scenario) -> dict[str, int]:
    """UDM/HSS pairs of one registration of the outage group, by interface."""
    population, outage = scenario.population, scenario.outage
    return pairs_after(outage, scenario.core, len(scenario.network.dnns), population.ims)


def pairs_after(outage: Outage, core: Core, sessions: int, ims: bool) -> dict[str, int]:
    """The same, of that outage, core and so many PDU sessions."""
    if outage.strikes == "sbc":
        return PAIRS_AFTER_AN_SBC_RESTART
    pairs = pairs_of_a_registration(core, sessions, ims)
    return pairs | {"N13": 0} if skips_authentication(outage) else pairs


def back_ends(core: Core, pairs: dict[str, int]) -> tuple[BackEnd, ...]:
    """The UDM/HSS units behind the front doors, those that let the fewest registrations finish first.

    Every front door admits users of every node, so the first of them is what all doors together must not exceed.
    """
    found = [one for node in core.udm_nodes for one in _back_ends_of(core, node, pairs)]
    return tuple(sorted(found, key=lambda one: one.ues_per_s))


def _back_ends_of(core: Core, node: Node, pairs: dict[str, int]) -> tuple[BackEnd, ...]:
    udm, part = core.udm, node.part_of_capacity
    on_hss = sum(pairs.get(one, 0) for one in ON_HSS)
    capacity = udm.capacity_pairs_per_s * part
    if udm.layout == "shared" or not on_hss:
        return (BackEnd((*ON_UDM, *ON_HSS), capacity, sum(pairs.values()), node.name, node.share),)
    of_hss = BackEnd(ON_HSS, udm.hss_capacity * part, on_hss, node.name, node.share)
    on_udm = sum(pairs.values()) - on_hss
    return (BackEnd(ON_UDM, capacity, on_udm, node.name, node.share), of_hss) if on_udm else (of_hss,)


def background_pairs_per_s(scenario: Scenario, back_end: BackEnd) -> float:
    """What users in service ask of it all the while: a service request or a periodic update costs no pair, a
    re-registration in IMS two."""
    if not scenario.population.ims or "Cx" not in back_end.interfaces:
        return 0.0
    users = back_end.share * scenario.population.online_ues
    return PAIRS_PER_IMS_REREGISTRATION * users / refresh_after_s(scenario.core.ims.expires_s)


def refresh_after_s(expires_s: float) -> float:
    """When a UE registers again in IMS: 600 s before its registration expires, at half of it if that is 1 200 s or
    less (TS 24.229 5.1.1.4.1)."""
    return expires_s - 600 if expires_s > 1200 else expires_s / 2


def uplink_messages_per_registration(scenario: Scenario) -> int:
    """Uplink NAS messages of the same, without repetitions."""
    return uplink_messages_after(scenario.outage, len(scenario.network.dnns))


def uplink_messages_after(outage: Outage, sessions: int) -> int:
    """The same, of that outage and so many PDU sessions.

    A context that was lost costs an Identity Response more; one that is used as it is saves the Authentication
    Response and the Security Mode Complete.
    """
    messages = UPLINK_MESSAGES_PER_REGISTRATION + sessions - _SESSIONS_LISTED
    if outage.amf_context == "lost":
        return messages + 1
    return messages - 2 if skips_authentication(outage) else messages
