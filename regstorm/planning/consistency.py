"""Where a plan contradicts itself, or what is in force contradicts the plan: one line each."""

from collections.abc import Iterator, Mapping

from regstorm.planning.amplification_model import Amplification
from regstorm.planning.domains import EPC, FIVE_GC, IMS
from regstorm.planning.front_door_routine import usable
from regstorm.planning.situation import ROUTINE
from regstorm.planning.threshold_set import ThresholdSet, sums
from regstorm.planning.unit_load import UnitLoad

FILLED_AT_LEAST = 0.8
"""Assumed: below this share of its usable capacity a UDM that no front door can load any further is worth a line."""
_ROUNDING = 1e-9


def drift_warnings(amplification: Amplification) -> Iterator[str]:
    """Counters say something else than was planned."""
    for one in amplification.drift:
        if one.is_warning:
            how_far = "where none was planned" if one.relative is None else f"{one.relative:+.0%}"
            yield (
                f"{one.procedure} takes {one.measured:.4g} pairs on {one.interface} instead of {one.planned:.4g} "
                f"({how_far}): thresholds planned with {one.planned:.4g} are stale"
            )


def set_warnings(one: ThresholdSet, unevenness: float) -> Iterator[str]:
    """What is wrong within one set of thresholds. Every fault leaves capacity idle, so that is said of routine only."""
    yield from _background(one)
    yield from _balance("thresholds", one, one.doors.totals[EPC], one.doors.totals[FIVE_GC], one.doors.totals[IMS])
    yield from _guards(one)
    if one.name == ROUTINE:
        yield from _idle(one)
    binding = one.doors.binding
    if binding is not None and binding.units == binding.domain.front_door:
        yield f"{binding.node} binds, no UDM: it is full before any UDM is"
    for load in one.doors.loads:
        if load.uneven(unevenness) > 1 + _ROUNDING:
            yield (
                f"{load.node}, {load.units} units: {unevenness:g} times its share of the users would bring it to "
                f"{load.uneven(unevenness):.0%} of its capacity; the margin does not cover that"
            )


def in_force_warnings(routine: ThresholdSet, in_force: Mapping[str, float]) -> Iterator[str]:
    """What is wrong with the thresholds that are configured today."""
    there = sums(routine.situation, in_force)
    yield from _balance("values in force", routine, there[EPC], there[FIVE_GC], there[IMS])
    for load in routine.under_others:
        yield from _over("values in force", load)
    for threshold in routine.doors.thresholds:
        if threshold.node not in in_force:
            yield f"{threshold.node} has no value in force: what it admits is not counted"


def routine_under_fault(one: ThresholdSet) -> Iterator[str]:
    """What the routine thresholds do in a fault, until its own set is in force."""
    for load in one.under_others:
        yield from _over("routine thresholds", load)


def _over(whose: str, load: UnitLoad) -> Iterator[str]:
    if load.load > 1 + _ROUNDING:
        yield f"{load.node}, {load.units} units: {whose} bring it to {load.load:.0%} of its capacity"


def _background(one: ThresholdSet) -> Iterator[str]:
    for unit in one.situation.units:
        if not usable(unit, one.situation.margin):
            yield (
                f"{unit.node}, {unit.units} units: the background of {unit.background:.0f} pairs/s leaves nothing of "
                f"{unit.capacity:.0f} pairs/s after a margin of {one.situation.margin:.0%}: no threshold is safe"
            )


def _balance(whose: str, one: ThresholdSet, epc: float, five_gc: float, ims: float) -> Iterator[str]:
    mix = one.situation.mix
    brought = mix.volte * epc + mix.vonr * five_gc
    if mix.per_user[IMS] and ims < brought * (1 - _ROUNDING):
        yield (
            f"{whose}: the SBC admit {ims:.1f} UEs/s, but MME and AMF bring {brought:.1f} UEs/s to IMS: "
            "the difference is on line without voice and tries again"
        )


def _guards(one: ThresholdSet) -> Iterator[str]:
    loads = {(load.node, domain): load for load in one.doors.loads for domain in load.pairs_per_s}
    background = {
        (unit.node, domain): unit.background_of[domain] for unit in one.situation.units for domain in unit.domains
    }
    for guard in one.guards:
        where = (guard.node, guard.domain)
        wanted = loads[where].pairs_per_s[guard.domain] + background[where]
        if guard.pairs_per_s < background[where] * (1 - _ROUNDING):
            yield (
                f"{guard.node}: the {guard.guard} limit for {guard.domain.group} ({guard.pairs_per_s:.0f} pairs/s) is "
                f"under the background load of {background[where]:.0f} pairs/s"
            )
        elif guard.pairs_per_s < wanted * (1 - _ROUNDING):
            yield (
                f"{guard.node}: the {guard.guard} limit for {guard.domain.group} ({guard.pairs_per_s:.0f} pairs/s) is "
                f"under what the thresholds let through with the background, {wanted:.0f} pairs/s"
            )


def _idle(one: ThresholdSet) -> Iterator[str]:
    binding = one.doors.binding
    for unit, load in zip(one.situation.units, one.doors.loads, strict=True):
        left, asked = usable(unit, one.situation.margin), sum(load.pairs_per_s.values())
        if binding and left and unit.returning_share and asked < FILLED_AT_LEAST * left:
            yield (
                f"{unit.node}, {unit.units} units: no front door can load it with more than {asked / left:.0%} of what "
                f"it could do, because {binding.node} ({binding.units}) is full by then"
            )
