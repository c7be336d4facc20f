"""A plan as plain data: what plan.json says (docs/planning.md names every field)."""

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from regstorm.planning.amplification_model import Amplification
from regstorm.planning.domains import DOMAINS
from regstorm.planning.inverse import CapacityPlan, OneMoreUdm
from regstorm.planning.plan import Plan
from regstorm.planning.simulated import Simulated
from regstorm.planning.threshold_set import ThresholdSet
from regstorm.planning.tier_table import NODE_KINDS, TIER_TABLE
from regstorm.planning.unit_load import UnitLoad
from regstorm.planning.working import Working

SCHEMA = 1
MESSAGES_PER_PAIR = 2
"""A request and its answer."""

Document = dict[str, Any]


def document(plan: Plan, simulated: Mapping[str, Simulated]) -> Document:
    """The whole of plan.json. `simulated`: by set; empty if nothing was simulated."""
    topology = plan.topology
    return {
        "schema": SCHEMA,
        "topology": topology.model_dump(mode="json", by_alias=True),
        "amplification": _amplification(plan.amplification),
        "sets": [_set(one, plan) | {"simulated": _simulated(simulated.get(one.name))} for one in plan.sets],
        "tiers": {
            "node_kinds": list(NODE_KINDS),
            "rows": [
                {"class": row.message_class.value, "tier": row.tier, "rule": row.rule, "messages": dict(row.messages)}
                for row in TIER_TABLE
            ],
        },
        "warnings": [{"set": name, "text": text} for name, text in plan.warnings],
        "capacity": None if plan.capacity is None else _capacity(plan.capacity),
        "one_more_udm": _one_more(plan.one_more),
    }


def _amplification(one: Amplification) -> Document:
    return {
        "pairs": {procedure: dict(pairs) for procedure, pairs in one.pairs.items()},
        "origin": dict(one.origin),
        "uplink_messages": dict(one.uplink_messages),
        "drift": [
            {
                "procedure": drift.procedure,
                "interface": drift.interface,
                "planned": drift.planned,
                "measured": drift.measured,
                "relative": drift.relative,
                "warning": drift.is_warning,
            }
            for drift in one.drift
        ],
        "workings": _workings(one.workings),
    }


def _set(one: ThresholdSet, plan: Plan) -> Document:
    doors, situation = one.doors, one.situation
    return {
        "name": one.name,
        "title": situation.title,
        "margin": situation.margin,
        "users": situation.mix.users,
        "users_per_s": doors.users_per_s,
        "binding": None if doors.binding is None else {"node": doors.binding.node, "units": doors.binding.units},
        "promised_s": one.recovery.promised_s,
        "lower_bound_s": one.recovery.lower_bound_s,
        "shares": {domain.x: {"group": domain.group, "share": one.apportioning.shares[domain]} for domain in DOMAINS},
        "totals": [
            {
                "front_door": domain.front_door,
                "domain": domain.name,
                "ues_per_s": doors.totals[domain],
                "messages_per_s": doors.totals[domain] * plan.amplification.uplink_messages[domain.procedure],
            }
            for domain in doors.shortest
        ],
        "thresholds": [_threshold(one, plan, place) for place in range(len(doors.thresholds))],
        "guards": [
            {
                "node": guard.node,
                "guard": guard.guard,
                "group": guard.domain.group,
                "pairs_per_s": guard.pairs_per_s,
                "messages_per_s": MESSAGES_PER_PAIR * guard.pairs_per_s,
                "caps": guard.caps,
                "by_interface": dict(guard.by_interface),
            }
            for guard in one.guards
        ],
        "loads": [_load(load, one, plan) for load in doors.loads],
        "loads_before": [_load(load, one, plan) for load in one.under_others],
        "checks": [
            {
                "front_door": check.domain.front_door,
                "heaviest": check.heaviest,
                "share_lost": check.share_lost,
                "promised_if_lost_s": check.promised_if_lost_s,
                "promised_if_uneven_s": check.promised_if_uneven_s,
                "ims_keeps_up": check.ims_keeps_up,
            }
            for check in one.checks
        ],
        "workings": _workings(one.workings),
    }


def _simulated(one: Simulated | None) -> Document | None:
    return None if one is None else asdict(one)


def _threshold(one: ThresholdSet, plan: Plan, place: int) -> Document:
    threshold = one.doors.thresholds[place]
    in_force = plan.in_force.get(threshold.node) if one is plan.sets[0] else None
    return {
        "node": threshold.node,
        "front_door": threshold.domain.front_door,
        "share": threshold.share,
        "ues_per_s": threshold.ues_per_s,
        "messages_per_s": threshold.messages_per_s,
        "in_force": in_force,
        "difference": None if in_force is None else threshold.ues_per_s - in_force,
    }


def _load(load: UnitLoad, one: ThresholdSet, plan: Plan) -> Document:
    """With the pairs in caps too: registrations per second, as operators count a UDM's load."""
    pairs = {domain.group: value for domain, value in load.pairs_per_s.items()}
    caps = {
        domain.group: value / plan.amplification.per_procedure(domain) for domain, value in load.pairs_per_s.items()
    }
    return {
        "node": load.node,
        "units": load.units,
        "pairs_per_s": pairs,
        "caps": caps,
        "background": load.background,
        "total": load.total,
        "capacity": load.capacity,
        "load": load.load,
        "load_if_uneven": load.uneven(plan.topology.margins.unevenness),
    }


def _capacity(one: CapacityPlan) -> Document:
    return {
        "within_s": one.within_s,
        "users_per_s": one.users_per_s,
        "needs": [
            {
                "node": need.node,
                "units": need.units,
                "needed": need.needed,
                "there_is": need.there_is,
                "missing": need.missing,
                "unit": need.unit,
            }
            for need in one.needs
        ],
        "workings": _workings(one.workings),
    }


def _one_more(one: OneMoreUdm) -> Document:
    before, after = one.users_per_s_before, one.users_per_s_after
    return {
        "capacities": dict(one.capacities),
        "share": one.share,
        "users_per_s_before": before,
        "users_per_s_after": after,
        "promised_before_s": one.users / before if before else None,
        "promised_after_s": one.users / after if after else None,
        "workings": _workings(one.workings),
    }


def _workings(lines: tuple[Working, ...]) -> list[Document]:
    return [
        {
            "name": line.name,
            "formula": line.formula,
            "values": dict(line.values),
            "result": line.result,
            "unit": line.unit,
        }
        for line in lines
    ]
