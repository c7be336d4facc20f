"""What thresholds ask of each UDM/HSS: users who return at the admitted rate, and the background."""

from collections.abc import Mapping
from dataclasses import dataclass

from regstorm.planning.amplification_model import Amplification
from regstorm.planning.domains import EPC, FIVE_GC, IMS, Domain
from regstorm.planning.situation import Mix, Situation, Unit
from regstorm.planning.working import Working, working


@dataclass(frozen=True, slots=True)
class UnitLoad:
    """Load of one UDM/HSS unit."""

    node: str
    units: str
    pairs_per_s: Mapping[Domain, float]
    """Of users who return."""
    background: float
    capacity: float

    @property
    def total(self) -> float:
        """Pairs per second, background included."""
        return sum(self.pairs_per_s.values()) + self.background

    @property
    def load(self) -> float:
        """As a share of capacity."""
        return self.total / self.capacity

    def uneven(self, factor: float) -> float:
        """The same if this node gets `factor` times its share of the users who return."""
        return (self.total + (factor - 1) * sum(self.pairs_per_s.values())) / self.capacity


def unit_loads(
    situation: Situation, amplification: Amplification, totals: Mapping[Domain, float]
) -> tuple[tuple[UnitLoad, ...], tuple[Working, ...]]:
    """Of every unit that is there, with front doors that admit `totals` together."""
    loads, workings = [], []
    for unit in situation.units:
        load = UnitLoad(unit.node, unit.units, _pairs(unit, amplification, totals), unit.background, unit.capacity)
        loads.append(load)
        terms = " + ".join(f"{domain.rate} · {domain.pairs}" for domain in unit.domains)
        values = {"s": unit.returning_share}
        for domain in unit.domains:
            values |= {domain.rate: totals[domain], domain.pairs: amplification.per_procedure(domain)}
        values["B"] = unit.background
        name = f"load of {unit.node}, {unit.units} units"
        workings.append(working(name, f"s · ({terms}) + B", values, load.total, "pairs/s"))
    return tuple(loads), tuple(workings)


def admitted(mix: Mix, thresholds: Mapping[Domain, float]) -> dict[Domain, float]:
    """What front doors with these totals let through: nobody registers in IMS who is not on line in EPC or 5GC."""
    epc = thresholds[EPC] if mix.per_user[EPC] else 0.0
    five_gc = thresholds[FIVE_GC] if mix.per_user[FIVE_GC] else 0.0
    return {EPC: epc, IMS: min(thresholds[IMS], mix.volte * epc + mix.vonr * five_gc), FIVE_GC: five_gc}


def _pairs(unit: Unit, amplification: Amplification, totals: Mapping[Domain, float]) -> dict[Domain, float]:
    return {
        domain: unit.returning_share * totals[domain] * amplification.per_procedure(domain) for domain in unit.domains
    }
