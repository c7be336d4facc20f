"""DRA model: what may reach each UDM/HSS on each reference point, whoever admitted it (paper, 3.4).

S6a: A(N) · X1; Cx and Sh: A(N) · X2, by destination, at the DRA. N8, N10 and N13 are HTTP and pass no DRA: the same
limit, A(N) · X3, stands at an SCP or at the UDM itself. A(N) is the whole capacity: these limits are the last guard,
for faults that routine thresholds do not foresee, until the emergency set is in force.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from regstorm.planning.amplification_model import Amplification
from regstorm.planning.apportioning import Apportioning
from regstorm.planning.domains import FIVE_GC, Domain
from regstorm.planning.situation import Situation
from regstorm.planning.working import Working, working
from regstorm.records.topology import Interface


@dataclass(frozen=True, slots=True)
class GuardLimit:
    """What a DRA or SCP lets through to one UDM/HSS for one domain."""

    node: str
    guard: str
    domain: Domain
    pairs_per_s: float
    by_interface: Mapping[Interface, float]
    """The same shared out as one registration needs them."""
    caps: float
    """Registrations per second that it stands for."""


def guard_limits(
    situation: Situation, amplification: Amplification, apportioning: Apportioning
) -> tuple[tuple[GuardLimit, ...], tuple[Working, ...]]:
    """For every UDM/HSS that is there and every domain that somebody returns to."""
    limits, workings = [], []
    for unit in situation.units:
        for domain in unit.domains:
            x = apportioning.shares[domain]
            if not x:
                continue
            limit = unit.capacity * x
            guard = "SCP" if domain is FIVE_GC else "DRA"
            pairs, whole = amplification.pairs[domain.procedure], amplification.per_procedure(domain)
            by_interface = {one: limit * pairs[one] / whole for one in domain.interfaces}
            limits.append(GuardLimit(unit.node, guard, domain, limit, by_interface, limit / whole))
            name = f"{guard} limit towards {unit.node}, {domain.group}"
            workings.append(working(name, f"A · {domain.x}", {"A": unit.capacity, domain.x: x}, limit, "pairs/s"))
    return tuple(limits), tuple(workings)
