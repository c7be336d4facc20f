"""Front-door model: how many UEs per second MME, AMF and SBC may admit (paper, 3.3).

In the paper's order: (a) the shortest plank over all UDM/HSS, given how users are spread over them; (b) from it and
the amplification the rates at which EPC, 5GC and IMS could come on line; (c) calibration: who is admitted by EPC and
5GC goes on to IMS, so v4 · EPC + v5 · 5GC may not exceed IMS (EPC + 5GC ≤ IMS where everybody uses voice), and the
mix of 4G and 5G users is kept, so that neither waits for the other. Each total is then shared out by weight.
A front-door node that can do less than its share is a plank like any other.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from regstorm.planning.amplification_model import Amplification
from regstorm.planning.apportioning import Apportioning
from regstorm.planning.domains import DOMAINS, Domain
from regstorm.planning.situation import Situation, Unit
from regstorm.planning.unit_load import UnitLoad, unit_loads
from regstorm.planning.working import Working, symbols, working


@dataclass(frozen=True, slots=True)
class Plank:
    """What one node lets a domain come on line at most."""

    node: str
    units: str
    """Of a UDM/HSS; else the kind of front-door node."""
    domain: Domain
    ues_per_s: float


@dataclass(frozen=True, slots=True)
class NodeThreshold:
    """What one front-door node may admit."""

    node: str
    domain: Domain
    share: float
    """Of the users, by weight."""
    ues_per_s: float
    messages_per_s: float
    """The same for a gate that counts every uplink message."""


@dataclass(frozen=True, slots=True)
class FrontDoors:
    """Thresholds of one situation, and what they come from."""

    planks: tuple[Plank, ...]
    shortest: Mapping[Domain, Plank]
    """The shortest plank of each domain that somebody returns to."""
    users_per_s: float
    """R: users of the mix that come on line per second."""
    binding: Plank | None
    """What R is bound by. None: no user who returns reaches a UDM/HSS that is there."""
    totals: Mapping[Domain, float]
    """E, I and G: UEs per second that all front doors of a domain may admit together."""
    thresholds: tuple[NodeThreshold, ...]
    loads: tuple[UnitLoad, ...]
    """Of every UDM/HSS with every front door at its threshold."""
    workings: tuple[Working, ...]


def front_doors(situation: Situation, amplification: Amplification, apportioning: Apportioning) -> FrontDoors:
    """Thresholds for all front doors that take part."""
    workings: list[Working] = []
    planks = [
        *_back_end_planks(situation, amplification, apportioning, workings),
        *_own_planks(situation, workings),
    ]
    shortest = {
        domain: min(of_domain, key=lambda plank: plank.ues_per_s)
        for domain in DOMAINS
        if (of_domain := [plank for plank in planks if plank.domain is domain])
    }
    for domain, plank in shortest.items():
        workings.append(_shortest(domain, planks, plank.ues_per_s))
    users_per_s, binding = _calibrate(situation, shortest, workings)
    totals = {domain: situation.mix.per_user[domain] * users_per_s for domain in DOMAINS}
    workings += [_total(situation, domain, users_per_s, totals[domain]) for domain in shortest]
    thresholds = _by_weight(situation, amplification, totals, workings)
    loads, of_loads = unit_loads(situation, amplification, totals)
    return FrontDoors(
        planks=tuple(planks),
        shortest=shortest,
        users_per_s=users_per_s,
        binding=binding,
        totals=totals,
        thresholds=thresholds,
        loads=loads,
        workings=(*workings, *of_loads),
    )


def usable(unit: Unit, margin: float) -> float:
    """What margin and background leave of a unit for users who return, pairs per second."""
    return max(0.0, unit.capacity * (1 - margin) - unit.background)


def _back_end_planks(
    situation: Situation, amplification: Amplification, apportioning: Apportioning, workings: list[Working]
) -> list[Plank]:
    planks = []
    for unit in situation.units:
        left = usable(unit, situation.margin)
        values = {"A": unit.capacity, "margin": situation.margin, "B": unit.background}
        name = f"usable capacity of {unit.node}, {unit.units} units (U)"
        workings.append(working(name, "max(0, A · (1 − margin) − B)", values, left, "pairs/s"))
        for domain in unit.domains:
            if unit.returning_share and situation.mix.per_user[domain]:
                planks.append(_back_end_plank(unit, domain, left, amplification, apportioning, workings))
    return planks


def _back_end_plank(
    unit: Unit,
    domain: Domain,
    left: float,
    amplification: Amplification,
    apportioning: Apportioning,
    workings: list[Working],
) -> Plank:
    x, pairs = apportioning.shares[domain], amplification.per_procedure(domain)
    rate = left * x / (unit.returning_share * pairs)
    values = {"U": left, domain.x: x, "s": unit.returning_share, domain.pairs: pairs}
    formula = f"U · {domain.x} ÷ (s · {domain.pairs})"
    workings.append(working(f"{domain.name} on-line rate that {unit.node} can carry", formula, values, rate, "UEs/s"))
    return Plank(unit.node, unit.units, domain, rate)


def _own_planks(situation: Situation, workings: list[Working]) -> list[Plank]:
    planks = []
    for domain, nodes in situation.front_doors.items():
        whole = sum(node.weight for node in nodes)
        for node in nodes:
            if node.capacity_ues_per_s is None or not situation.mix.per_user[domain]:
                continue
            rate = node.capacity_ues_per_s * whole / node.weight
            values = {"c": node.capacity_ues_per_s, "W": whole, "w": node.weight}
            name = f"{domain.name} on-line rate at which {node.name} is full"
            workings.append(working(name, "c · W ÷ w", values, rate, "UEs/s"))
            planks.append(Plank(node.name, domain.front_door, domain, rate))
    return planks


def _shortest(domain: Domain, planks: list[Plank], result: float) -> Working:
    of_domain = [plank for plank in planks if plank.domain is domain]
    names = symbols(plank.node for plank in of_domain)
    values = {names[plank.node]: plank.ues_per_s for plank in of_domain}
    formula = f"min({', '.join(values)})" if len(values) > 1 else next(iter(values))
    return working(f"{domain.name}: the shortest plank ({domain.rate}max)", formula, values, result, "UEs/s")


def _calibrate(
    situation: Situation, shortest: Mapping[Domain, Plank], workings: list[Working]
) -> tuple[float, Plank | None]:
    """R, and the plank that it comes from."""
    if not shortest:
        return 0.0, None
    per_user = situation.mix.per_user
    binding = min(shortest.values(), key=lambda plank: plank.ues_per_s / per_user[plank.domain])
    users_per_s = binding.ues_per_s / per_user[binding.domain]
    terms = [f"{domain.rate}max ÷ {domain.per_user}" for domain in shortest]
    values: dict[str, float] = {}
    for domain, plank in shortest.items():
        values |= {f"{domain.rate}max": plank.ues_per_s, domain.per_user: per_user[domain]}
    formula = f"min({', '.join(terms)})" if len(terms) > 1 else terms[0]
    name = "users of the mix that come on line per second (R)"
    workings.append(working(name, formula, values, users_per_s, "users/s"))
    return users_per_s, binding


def _total(situation: Situation, domain: Domain, users_per_s: float, result: float) -> Working:
    values = {domain.per_user: situation.mix.per_user[domain], "R": users_per_s}
    name = f"{domain.front_door}: total threshold ({domain.rate})"
    return working(name, f"{domain.per_user} · R", values, result, "UEs/s")


def _by_weight(
    situation: Situation, amplification: Amplification, totals: Mapping[Domain, float], workings: list[Working]
) -> tuple[NodeThreshold, ...]:
    thresholds = []
    for domain, nodes in situation.front_doors.items():
        if not situation.mix.per_user[domain]:
            continue
        whole = sum(node.weight for node in nodes)
        for node in nodes:
            rate = totals[domain] * node.weight / whole
            values = {domain.rate: totals[domain], "w": node.weight, "W": whole}
            workings.append(working(f"{node.name}: threshold", f"{domain.rate} · w ÷ W", values, rate, "UEs/s"))
            messages = rate * amplification.uplink_messages[domain.procedure]
            thresholds.append(NodeThreshold(node.name, domain, node.weight / whole, rate, messages))
    return tuple(thresholds)
