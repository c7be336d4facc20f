"""The storm that a set of thresholds was made for, as a scenario: so that a plan can be tried before it is deployed.

The core plays 5G users who all have IMS or none of whom has, on the AMFs, SBCs and UDM/HSS that the set is for; other
networks cannot be played yet. Users in service cost its UDMs no pairs, so the background load is taken off their
capacity instead.
"""

import re
from collections.abc import Sequence

from regstorm.overload.amplification import pairs_of_a_registration
from regstorm.planning.domains import FIVE_GC, IMS, Domain
from regstorm.planning.plan import Plan
from regstorm.planning.planned_strategy import planned_strategy
from regstorm.planning.situation import Situation, Unit
from regstorm.planning.threshold_set import ThresholdSet
from regstorm.records.core_settings import Core, Ims, Udm
from regstorm.records.nodes import NODE_NAME, Node
from regstorm.records.population import Outage, Population
from regstorm.records.scenario import Expectation, Network, Scenario
from regstorm.records.strategy import Strategy
from regstorm.records.topology import Procedure, Topology

_DNNS = ("internet", "ims")
_SHORTEST_WATCH_S = 3600.0
_WATCH_FACTOR = 3.0
"""A storm is watched three times as long as the plan promises: later than that, the promise is broken anyway."""


class NotPlayable(ValueError):
    """`str()` says what the core cannot play, as the end of a sentence."""


def planned_scenario(plan: Plan, one: ThresholdSet, like: Strategy) -> Scenario:
    """The users of the set return at once; under its planned strategy no window may be in overload.

    Raises NotPlayable.
    """
    topology = plan.topology
    _require_playable(topology, one.situation)
    core = _core(topology, one.situation)
    ims = topology.users.vonr_penetration == 1
    _require_its_own_pairs(plan, core, ims)
    strategy = planned_strategy(topology, one, like)
    watched_s = max(_SHORTEST_WATCH_S, _WATCH_FACTOR * (one.recovery.promised_s or 0.0))
    return Scenario(
        name=f"{topology.name}_{one.name}",
        title=f"{topology.title}: {one.situation.title}",
        description="Made by regstorm plan; the background load is taken off each UDM's capacity.",
        network=Network(dnns=_DNNS[: topology.switches.pdu_sessions]),
        population=Population(outage_ues=round(one.situation.mix.users), online_ues=0, ims=ims),
        outage=Outage(recovery_within_s=watched_s),
        core=core,
        expected={strategy.name: Expectation(udm_seconds_in_overload_at_most=0)} if strategy else {},
    )


def _require_playable(topology: Topology, situation: Situation) -> None:
    users = topology.users
    if users.users_4g:
        raise NotPlayable("5G users, not 4G ones")
    if 0 < users.vonr_penetration < 1:
        raise NotPlayable("users who all have IMS or none of whom has")
    if not 1 <= topology.switches.pdu_sessions <= len(_DNNS):
        raise NotPlayable(f"one PDU session per user or {len(_DNNS)}")
    if any(unit.background >= unit.capacity for unit in situation.units):
        raise NotPlayable("a UDM that its background load does not fill")
    for name in (*(unit.node for unit in situation.units), *(node.name for node in topology.front_nodes)):
        if not re.fullmatch(NODE_NAME, name):
            raise NotPlayable(f"nodes named with small letters, digits and hyphens, not {name}")


def _require_its_own_pairs(plan: Plan, core: Core, ims: bool) -> None:
    played = pairs_of_a_registration(core, plan.topology.switches.pdu_sessions, ims)
    procedures: tuple[Procedure, ...] = ("5g_registration", "ims_registration") if ims else ("5g_registration",)
    planned = {one: pairs for procedure in procedures for one, pairs in plan.amplification.pairs[procedure].items()}
    if played != planned:
        raise NotPlayable("the core's own pairs per registration, not others")


def _core(topology: Topology, situation: Situation) -> Core:
    of_5gc = [unit for unit in situation.units if FIVE_GC in unit.domains and unit.returning_share]
    of_ims = [unit for unit in situation.units if IMS in unit.domains and unit.returning_share]
    apart = topology.layout == "5gc_apart"
    udm = Udm(
        capacity_pairs_per_s=sum(_left(unit) for unit in of_5gc),
        layout=topology.layout,
        hss_capacity_pairs_per_s=sum(_left(unit) for unit in of_ims) if apart else None,
    )
    switches = topology.switches
    ims = topology.users.vonr_penetration == 1
    return Core(
        udm=udm,
        ims=Ims(aggregated_download=switches.aggregated_download),
        aggregated_nudm=switches.aggregated_nudm,
        udms=_udms(of_5gc, of_ims if apart and ims else []),
        amfs=_front_nodes(situation, FIVE_GC),
        sbcs=_front_nodes(situation, IMS) if ims else (),
    )


def _udms(of_5gc: Sequence[Unit], of_ims: Sequence[Unit]) -> tuple[Node, ...]:
    """By their names, which limits at the DRA are given by. `of_ims`: where those are machines of their own."""
    if len(of_5gc) == 1:
        return (Node(name=of_5gc[0].node, share=1),)
    parts = _parts(of_5gc)
    if of_ims and any(abs(a - b) > 1e-6 for a, b in zip(parts, _parts(of_ims), strict=True)):
        raise NotPlayable("UDM/HSS whose 5GC units and EPC/IMS units have the same shares of the capacity")
    return tuple(
        Node(name=unit.node, share=unit.returning_share, capacity_share=part)
        for unit, part in zip(of_5gc, parts, strict=True)
    )


def _front_nodes(situation: Situation, domain: Domain) -> tuple[Node, ...]:
    nodes = situation.front_doors[domain]
    if len(nodes) <= 1:
        return ()
    whole = sum(node.weight for node in nodes)
    return tuple(Node(name=node.name, share=node.weight / whole) for node in nodes)


def _parts(units: Sequence[Unit]) -> list[float]:
    whole = sum(_left(unit) for unit in units)
    return [_left(unit) / whole for unit in units]


def _left(unit: Unit) -> float:
    return unit.capacity - unit.background
