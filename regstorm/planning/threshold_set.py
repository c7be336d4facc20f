"""One set of thresholds: everything that is configured for one situation, and what it promises."""

from collections.abc import Mapping
from dataclasses import dataclass

from regstorm.planning.amplification_model import Amplification
from regstorm.planning.apportioning import Apportioning, apportion
from regstorm.planning.domains import EPC, FIVE_GC, IMS, Domain
from regstorm.planning.dra import GuardLimit, guard_limits
from regstorm.planning.front_door_routine import FrontDoors, front_doors
from regstorm.planning.situation import Situation
from regstorm.planning.unit_load import UnitLoad, admitted, unit_loads
from regstorm.planning.working import Working, working


@dataclass(frozen=True, slots=True)
class Recovery:
    """How soon users are back, if all of them return at once."""

    promised_s: float | None
    """With every front door at its threshold. None: never."""
    lower_bound_s: float | None
    """No strategy is faster: the largest over all UDM/HSS of N · share · pairs / (capacity − background)."""


@dataclass(frozen=True, slots=True)
class DoorCheck:
    """What becomes of a kind of front door when users do not spread over it as planned. No UDM gets more than
    planned in either case: thresholds bind, and users wait."""

    domain: Domain
    heaviest: str
    share_lost: float
    """Of the total threshold, when the node with the highest share is lost."""
    promised_if_lost_s: float | None
    promised_if_uneven_s: float | None
    """Users of the fullest node, if it gets `margins.unevenness` times its share."""
    ims_keeps_up: bool
    """With that node lost, IMS still admits all whom EPC and 5GC bring on line."""


@dataclass(frozen=True, slots=True)
class ThresholdSet:
    """Routine, or the emergency set of one fault."""

    situation: Situation
    apportioning: Apportioning
    doors: FrontDoors
    guards: tuple[GuardLimit, ...]
    recovery: Recovery
    checks: tuple[DoorCheck, ...]
    under_others: tuple[UnitLoad, ...]
    """Loads of this situation under the thresholds that stand before it: for a fault the routine ones, for the
    routine set those in force. Empty: none are known."""
    workings: tuple[Working, ...]

    @property
    def name(self) -> str:
        """`routine`, or that of the fault."""
        return self.situation.name


def threshold_set(
    situation: Situation,
    amplification: Amplification,
    unevenness: float,
    before: Mapping[str, float] | None = None,
) -> ThresholdSet:
    """Thresholds for `situation`; `before` are those that stand until they are in force, UEs per second by node."""
    apportioning = apportion(situation, amplification)
    doors = front_doors(situation, amplification, apportioning)
    guards, of_guards = guard_limits(situation, amplification, apportioning)
    recovery, of_recovery = _recovery(situation, amplification, apportioning, doors)
    under_others = _under(situation, amplification, before) if before else ()
    return ThresholdSet(
        situation=situation,
        apportioning=apportioning,
        doors=doors,
        guards=guards,
        recovery=recovery,
        checks=_checks(situation, doors, unevenness),
        under_others=under_others,
        workings=(
            *situation.mix.workings,
            *apportioning.workings,
            *doors.workings,
            *_balance(situation, doors),
            *of_guards,
            *of_recovery,
        ),
    )


def sums(situation: Situation, by_node: Mapping[str, float]) -> dict[Domain, float]:
    """Thresholds of the nodes that are there, added up by domain."""
    return {
        domain: sum(by_node.get(node.name, 0.0) for node in nodes) for domain, nodes in situation.front_doors.items()
    }


def _under(situation: Situation, amplification: Amplification, by_node: Mapping[str, float]) -> tuple[UnitLoad, ...]:
    loads, _ = unit_loads(situation, amplification, admitted(situation.mix, sums(situation, by_node)))
    return loads


def _balance(situation: Situation, doors: FrontDoors) -> list[Working]:
    mix = situation.mix
    if not mix.per_user[IMS]:
        return []
    values = {"v4": mix.volte, "E": doors.totals[EPC], "v5": mix.vonr, "G": doors.totals[FIVE_GC]}
    brought = mix.volte * doors.totals[EPC] + mix.vonr * doors.totals[FIVE_GC]
    return [
        working("IMS registrations that EPC and 5GC bring (at most I)", "v4 · E + v5 · G", values, brought, "UEs/s")
    ]


def _recovery(
    situation: Situation, amplification: Amplification, apportioning: Apportioning, doors: FrontDoors
) -> tuple[Recovery, list[Working]]:
    users, rate, workings = situation.mix.users, doors.users_per_s, []
    promised = users / rate if rate else None
    if promised is not None:
        values = {"N": users, "R": rate}
        workings.append(working("time that the thresholds promise", "N ÷ R", values, promised, "s"))
    bounds: list[float] = []
    for unit in situation.units:
        pairs = sum(apportioning.demand[domain] for domain in unit.domains)
        left = unit.capacity - unit.background
        if not pairs or not unit.returning_share:
            continue
        if left <= 0:
            return Recovery(promised, None), workings
        bounds.append(users * unit.returning_share * pairs / left)
        values = {"N": users, "s": unit.returning_share, "d": pairs, "A": unit.capacity, "B": unit.background}
        name = f"lower bound of {unit.node}, {unit.units} units"
        workings.append(working(name, "N · s · d ÷ (A − B)", values, bounds[-1], "s"))
    return Recovery(promised, max(bounds, default=None)), workings


def _checks(situation: Situation, doors: FrontDoors, unevenness: float) -> tuple[DoorCheck, ...]:
    checks = []
    users, rate, mix = situation.mix.users, doors.users_per_s, situation.mix
    for domain in dict.fromkeys(one.domain for one in doors.thresholds):
        heaviest = max((one for one in doors.thresholds if one.domain is domain), key=lambda one: one.share)
        kept = dict(doors.totals) | {domain: doors.totals[domain] * (1 - heaviest.share)}
        brought = mix.volte * kept[EPC] + mix.vonr * kept[FIVE_GC]
        left = rate * (1 - heaviest.share)
        checks.append(
            DoorCheck(
                domain=domain,
                heaviest=heaviest.node,
                share_lost=heaviest.share,
                promised_if_lost_s=users / left if left > 0 else None,
                promised_if_uneven_s=unevenness * users / rate if rate else None,
                ims_keeps_up=brought <= kept[IMS] * (1 + 1e-9),
            )
        )
    return tuple(checks)
