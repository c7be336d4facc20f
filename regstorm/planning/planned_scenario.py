"""The storm that a plan was made for, as a scenario: so that a plan can be tried before it is deployed.

The core plays one UDM/HSS and 5G users who all have IMS or none of whom has; other networks cannot be played yet.
Users in service cost its UDM no pairs, so the background load is taken off the UDM's capacity instead.
"""

from regstorm.overload.amplification import pairs_of_a_registration
from regstorm.planning.plan import Plan
from regstorm.planning.planned_strategy import planned_strategy
from regstorm.planning.threshold_set import ThresholdSet
from regstorm.records.scenario import Core, Expectation, Ims, Network, Population, Scenario, Udm
from regstorm.records.strategy import Strategy
from regstorm.records.topology import Procedure, Topology

_DNNS = ("internet", "ims")


class NotPlayable(ValueError):
    """`str()` says what the core cannot play, as the end of a sentence."""


def planned_scenario(plan: Plan, like: Strategy) -> Scenario:
    """Everybody returns at once; under the planned strategy no window may be in overload. Raises NotPlayable."""
    topology, routine = plan.topology, plan.sets[0]
    _require_playable(topology, routine)
    core = _core(topology, routine)
    ims = topology.users.vonr_penetration == 1
    played = pairs_of_a_registration(core, topology.switches.pdu_sessions, ims)
    procedures: tuple[Procedure, ...] = ("5g_registration", "ims_registration") if ims else ("5g_registration",)
    planned = {one: pairs for procedure in procedures for one, pairs in plan.amplification.pairs[procedure].items()}
    if played != planned:
        raise NotPlayable("the core's own pairs per registration, not others")
    strategy = planned_strategy(topology, routine, like)
    return Scenario(
        name=f"{topology.name}_storm",
        title=f"All users of {topology.name} return",
        description=f"{topology.title}. Made by regstorm plan; the background load is taken off the UDM's capacity.",
        network=Network(dnns=_DNNS[: topology.switches.pdu_sessions]),
        population=Population(outage_ues=topology.users.users_5g, online_ues=0, ims=ims),
        core=core,
        expected={strategy.name: Expectation(udm_seconds_in_overload_at_most=0)} if strategy else {},
    )


def _require_playable(topology: Topology, routine: ThresholdSet) -> None:
    users = topology.users
    if len(topology.udms) > 1:
        raise NotPlayable("one UDM, not several")
    if users.users_4g:
        raise NotPlayable("5G users, not 4G ones")
    if 0 < users.vonr_penetration < 1:
        raise NotPlayable("users who all have IMS or none of whom has")
    if not 1 <= topology.switches.pdu_sessions <= len(_DNNS):
        raise NotPlayable(f"one PDU session per user or {len(_DNNS)}")
    if any(unit.background >= unit.capacity for unit in routine.situation.units):
        raise NotPlayable("a UDM that its background load does not fill")


def _core(topology: Topology, routine: ThresholdSet) -> Core:
    left = {unit.units: unit.capacity - unit.background for unit in routine.situation.units}
    shared = topology.layout == "shared"
    udm = Udm(
        capacity_pairs_per_s=left["EPC/IMS/5GC" if shared else "5GC"],
        layout=topology.layout,
        hss_capacity_pairs_per_s=None if shared else left["EPC/IMS"],
    )
    switches = topology.switches
    ims = Ims(aggregated_download=switches.aggregated_download)
    return Core(udm=udm, ims=ims, aggregated_nudm=switches.aggregated_nudm)
