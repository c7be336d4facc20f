"""The inverse questions: what capacity is needed to be back in a given time, and what one more UDM buys."""

from dataclasses import dataclass
from statistics import fmean

from regstorm.planning.amplification_model import Amplification
from regstorm.planning.apportioning import apportion
from regstorm.planning.front_door_routine import front_doors
from regstorm.planning.situation import Situation, routine
from regstorm.planning.working import Working, symbols, working
from regstorm.records.topology import Topology, UdmNode


@dataclass(frozen=True, slots=True)
class Need:
    """Capacity that one node needs, and has."""

    node: str
    units: str
    """Of a UDM/HSS; else the kind of front-door node."""
    needed: float
    there_is: float
    unit: str

    @property
    def missing(self) -> float:
        """0 where there is enough."""
        return max(0.0, self.needed - self.there_is)


@dataclass(frozen=True, slots=True)
class CapacityPlan:
    """Back within a given time, with routine margins and everybody returning."""

    within_s: float
    users_per_s: float
    needs: tuple[Need, ...]
    workings: tuple[Working, ...]


@dataclass(frozen=True, slots=True)
class OneMoreUdm:
    """The routine set without and with one more UDM/HSS that takes its part of everybody's users."""

    capacities: tuple[tuple[str, float], ...]
    """Of the new one, by units: the mean of those that are there."""
    share: float
    users_per_s_before: float
    users_per_s_after: float
    users: float
    workings: tuple[Working, ...]


def capacity_for(topology: Topology, amplification: Amplification, within_s: float) -> CapacityPlan:
    """What every node needs so that all users are back `within_s` seconds after they returned."""
    situation = routine(topology)
    users = situation.mix.users
    rate = users / within_s
    workings = [working("users per second (R)", "N ÷ T", {"N": users, "T": within_s}, rate, "users/s")]
    needs = [*_udm_needs(situation, amplification, rate, workings), *_door_needs(situation, rate, workings)]
    return CapacityPlan(within_s, rate, tuple(needs), tuple(workings))


def one_more_udm(topology: Topology, amplification: Amplification) -> OneMoreUdm:
    """Adds a UDM/HSS of mean capacity that takes 1/(n + 1) of the users, from all others alike."""
    number = len(topology.udms)
    hss = [one.hss_capacity_pairs_per_s for one in topology.udms if one.hss_capacity_pairs_per_s is not None]
    new = UdmNode(
        name=_unused("one-more", [node.name for node in topology.nodes]),
        capacity_pairs_per_s=fmean(one.capacity_pairs_per_s for one in topology.udms),
        hss_capacity_pairs_per_s=fmean(hss) if hss else None,
        share=1 / (number + 1),
    )
    others = tuple(
        one.model_copy(update={"share": one.share * number / (number + 1), "backup": None}) for one in topology.udms
    )
    larger = topology.model_copy(update={"udms": (*others, new), "faults": ()})
    before, after = (_rate(one, amplification) for one in (topology, larger))
    units = {unit.units: unit.capacity for unit in routine(larger).units if unit.node == new.name}
    return OneMoreUdm(
        capacities=tuple(units.items()),
        share=new.share,
        users_per_s_before=before,
        users_per_s_after=after,
        users=routine(topology).mix.users,
        workings=(
            *(_mean(topology, kind, capacity) for kind, capacity in units.items()),
            working("its share of the users", "1 ÷ (n + 1)", {"n": number}, new.share, ""),
            working(
                "users per second more (R)",
                "R1 − R0",
                {"R1": after, "R0": before},
                after - before,
                "users/s",
            ),
        ),
    )


def _udm_needs(situation: Situation, amplification: Amplification, rate: float, workings: list[Working]) -> list[Need]:
    demand, needs = apportion(situation, amplification).demand, []
    for unit in situation.units:
        pairs = sum(demand[domain] for domain in unit.domains)
        needed = (unit.returning_share * rate * pairs + unit.background) / (1 - situation.margin)
        values = {
            "s": unit.returning_share,
            "R": rate,
            "d": pairs,
            "B": unit.background,
            "margin": situation.margin,
        }
        name = f"capacity of {unit.node}, {unit.units} units"
        workings.append(working(name, "(s · R · d + B) ÷ (1 − margin)", values, needed, "pairs/s"))
        needs.append(Need(unit.node, unit.units, needed, unit.capacity, "pairs/s"))
    return needs


def _door_needs(situation: Situation, rate: float, workings: list[Working]) -> list[Need]:
    needs = []
    for domain, nodes in situation.front_doors.items():
        whole = sum(node.weight for node in nodes)
        for node in nodes:
            if node.capacity_ues_per_s is None or not situation.mix.per_user[domain]:
                continue
            needed = situation.mix.per_user[domain] * rate * node.weight / whole
            values = {domain.per_user: situation.mix.per_user[domain], "R": rate, "w": node.weight, "W": whole}
            formula = f"{domain.per_user} · R · w ÷ W"
            workings.append(working(f"capacity of {node.name}", formula, values, needed, "UEs/s"))
            needs.append(Need(node.name, domain.front_door, needed, node.capacity_ues_per_s, "UEs/s"))
    return needs


def _rate(topology: Topology, amplification: Amplification) -> float:
    situation = routine(topology)
    return front_doors(situation, amplification, apportion(situation, amplification)).users_per_s


def _mean(topology: Topology, kind: str, result: float) -> Working:
    there = {unit.node: unit.capacity for unit in routine(topology).units if unit.units == kind}
    names = symbols(there)
    values = {names[node]: capacity for node, capacity in there.items()}
    return working(
        f"capacity of one more UDM, {kind} units", f"({' + '.join(values)}) ÷ {len(values)}", values, result, "pairs/s"
    )


def _unused(name: str, names: list[str]) -> str:
    while name in names:
        name += "-"
    return name
