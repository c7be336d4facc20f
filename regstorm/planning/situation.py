"""Who returns, and which nodes take part: the routine case, or one fault scenario.

When a UDM/HSS is lost, its backup takes its users over; without one, all that are left do, in proportion to their
shares. Users who return and users who are only in service move alike.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from regstorm.planning.domains import DOMAINS, EPC, FIVE_GC, IMS, Domain
from regstorm.planning.working import Working, working
from regstorm.records.topology import Fault, FrontNode, Topology, UdmNode, lost_nodes

ROUTINE = "routine"


@dataclass(frozen=True, slots=True)
class Unit:
    """Processing units of one UDM/HSS that share a capacity."""

    node: str
    units: Literal["EPC/IMS/5GC", "EPC/IMS", "5GC"]
    domains: tuple[Domain, ...]
    capacity: float
    """A(N), pairs per second."""
    background_of: Mapping[Domain, float]
    """Pairs per second of users in service."""
    active_share: float
    """Of all active users, after those of lost nodes have moved."""
    returning_share: float
    """Of the users who return."""

    @property
    def background(self) -> float:
        """The same, of all domains together."""
        return sum(self.background_of.values())


@dataclass(frozen=True, slots=True)
class Mix:
    """Who returns: how many users, and procedures of each domain per user."""

    users: float
    per_user: Mapping[Domain, float]
    volte: float
    vonr: float
    workings: tuple[Working, ...]


@dataclass(frozen=True, slots=True)
class Situation:
    """What thresholds are planned for."""

    name: str
    title: str
    margin: float
    units: tuple[Unit, ...]
    front_doors: Mapping[Domain, tuple[FrontNode, ...]]
    mix: Mix


def routine(topology: Topology) -> Situation:
    """Everybody returns, on all nodes."""
    return _situation(
        topology, Fault(name=ROUTINE, title="All users return, all nodes there"), topology.margins.routine
    )


def of_fault(topology: Topology, fault: Fault) -> Situation:
    """The users of the fault return, on the nodes that are left."""
    return _situation(topology, fault, topology.margins.emergency)


def _situation(topology: Topology, fault: Fault, margin: float) -> Situation:
    lost = lost_nodes(topology, fault)
    active = {node.name: node.share for node in topology.udms}
    concerned = {name: share for name, share in active.items() if not fault.users_of or name in fault.users_of}
    of_all = sum(concerned.values())
    returning = {name: share / of_all for name, share in concerned.items()}
    return Situation(
        name=fault.name,
        title=fault.title or fault.name.replace("_", " "),
        margin=margin,
        units=tuple(
            unit
            for node in topology.udms
            if node.name not in lost
            for unit in _units(
                topology, node, _after_take_over(topology, active, lost), _after_take_over(topology, returning, lost)
            )
        ),
        front_doors={
            domain: tuple(node for node in nodes if node.name not in lost)
            for domain, nodes in ((EPC, topology.mmes), (IMS, topology.sbcs), (FIVE_GC, topology.amfs))
        },
        mix=_mix(topology, fault, of_all),
    )


def _after_take_over(topology: Topology, shares: Mapping[str, float], lost: frozenset[str]) -> dict[str, float]:
    """Shares of users on the nodes that are left."""
    left = {node.name: node.share for node in topology.udms if node.name not in lost}
    whole = sum(left.values())
    moved = {name: shares.get(name, 0.0) for name in left}
    for node in topology.udms:
        if node.name in lost:
            heirs = {node.backup: 1.0} if node.backup in left else {n: share / whole for n, share in left.items()}
            for heir, part in heirs.items():
                moved[str(heir)] += shares.get(node.name, 0.0) * part
    return moved


def _units(
    topology: Topology, node: UdmNode, active: Mapping[str, float], returning: Mapping[str, float]
) -> tuple[Unit, ...]:
    def unit(units: Literal["EPC/IMS/5GC", "EPC/IMS", "5GC"], domains: tuple[Domain, ...], capacity: float) -> Unit:
        share, asked = active[node.name], topology.background_pairs_per_s
        background = {
            domain: share * sum(asked.get(interface, 0.0) for interface in domain.interfaces) for domain in domains
        }
        return Unit(node.name, units, domains, capacity, background, share, returning[node.name])

    if topology.layout == "shared" or node.hss_capacity_pairs_per_s is None:
        return (unit("EPC/IMS/5GC", DOMAINS, node.capacity_pairs_per_s),)
    return (
        unit("EPC/IMS", (EPC, IMS), node.hss_capacity_pairs_per_s),
        unit("5GC", (FIVE_GC,), node.capacity_pairs_per_s),
    )


def _mix(topology: Topology, fault: Fault, share_of_users: float) -> Mix:
    users = topology.users
    n4 = share_of_users * users.users_4g if "4g" in fault.returning else 0.0
    n5 = share_of_users * users.users_5g if "5g" in fault.returning else 0.0
    v4, v5 = users.volte_penetration, users.vonr_penetration
    m4, m5 = n4 / (n4 + n5), n5 / (n4 + n5)
    in_ims = v4 * m4 + v5 * m5
    return Mix(
        users=n4 + n5,
        per_user={EPC: m4, IMS: in_ims, FIVE_GC: m5},
        volte=v4,
        vonr=v5,
        workings=(
            working("4G share of the users who return", "n4 ÷ (n4 + n5)", {"n4": n4, "n5": n5}, m4, ""),
            working("5G share of the users who return", "n5 ÷ (n4 + n5)", {"n4": n4, "n5": n5}, m5, ""),
            working(
                "IMS registrations per returning user",
                "v4 · m4 + v5 · m5",
                {"v4": v4, "m4": m4, "v5": v5, "m5": m5},
                in_ims,
                "",
            ),
        ),
    )
