"""A plan: every set of thresholds for a topology, with warnings and the answers to the inverse questions."""

from collections.abc import Mapping
from dataclasses import dataclass

from regstorm.planning.amplification_model import Amplification, Counters, amplification
from regstorm.planning.consistency import drift_warnings, in_force_warnings, routine_under_fault, set_warnings
from regstorm.planning.front_door_emergency import emergency_sets
from regstorm.planning.inverse import CapacityPlan, OneMoreUdm, capacity_for, one_more_udm
from regstorm.planning.situation import routine
from regstorm.planning.threshold_set import ThresholdSet, threshold_set
from regstorm.records.topology import Topology


@dataclass(frozen=True, slots=True)
class Plan:
    """What `regstorm plan` tells and writes."""

    topology: Topology
    amplification: Amplification
    sets: tuple[ThresholdSet, ...]
    """Routine first, then one for each fault."""
    in_force: Mapping[str, float]
    """UEs per second by node; empty if they were not given."""
    warnings: tuple[tuple[str, str], ...]
    """The set (or `amplification`, `in force`), and one line."""
    capacity: CapacityPlan | None
    """None: nobody asked for a time."""
    one_more: OneMoreUdm


def make_plan(
    topology: Topology,
    counters: Counters | None = None,
    in_force: Mapping[str, float] | None = None,
    within_s: float | None = None,
) -> Plan:
    """All of it. `counters`: measured pairs per procedure; `within_s`: the time for which capacity is asked."""
    measured = amplification(topology, counters)
    unevenness = topology.margins.unevenness
    first = threshold_set(routine(topology), measured, unevenness, in_force)
    by_node = {one.node: one.ues_per_s for one in first.doors.thresholds}
    sets = (first, *emergency_sets(topology, measured, by_node))
    warnings = [("amplification", line) for line in drift_warnings(measured)]
    warnings += [("in force", line) for line in in_force_warnings(first, in_force)] if in_force else []
    for one in sets:
        warnings += [(one.name, line) for line in set_warnings(one, unevenness)]
    for one in sets[1:]:
        warnings += [(one.name, line) for line in routine_under_fault(one)]
    return Plan(
        topology=topology,
        amplification=measured,
        sets=sets,
        in_force=dict(in_force or {}),
        warnings=tuple(warnings),
        capacity=capacity_for(topology, measured, within_s) if within_s else None,
        one_more=one_more_udm(topology, measured),
    )
