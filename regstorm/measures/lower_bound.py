"""Lower bound: no strategy gets everybody back sooner than the UDM can serve their registrations.

Every outage UE needs its pairs once, and the UDM has what users in service leave of its capacity. Incidents change that
capacity while the storm runs: the bound is then the earliest time by which the capacity that is left has served them
all, second by second. It knows what incidents do to UDM/HSS and nothing of what they do to front doors and SBCs, and it
moves a lost node's users at once, where consumers wait for three heartbeats: a bound may promise more than can be kept.
"""

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from regstorm.overload.amplification import BackEnd, back_ends, background_pairs_per_s, pairs_per_registration
from regstorm.records.scenario import Scenario


class Stretch(NamedTuple):
    """A time in which the capacity stays as it is; the last one goes on for ever."""

    from_s: float
    """Since the end of the outage."""
    pairs_per_s: float
    """What users in service leave; below zero where they alone ask for more than there is."""


def lower_bound_s(
    outage_ues: float, pairs_per_ue: float, capacity_pairs_per_s: float, background_pairs_per_s: float = 0.0
) -> float | None:
    """N · pairs / (capacity − background), seconds. None: the background alone takes the whole capacity."""
    return served_after_s(outage_ues * pairs_per_ue, [Stretch(0.0, capacity_pairs_per_s - background_pairs_per_s)])


def served_after_s(pairs: float, stretches: Sequence[Stretch]) -> float | None:
    """Seconds from 0 until so many pairs are served. None: never."""
    for stretch, following in pairwise(stretches):
        possible = max(stretch.pairs_per_s, 0.0) * (following.from_s - stretch.from_s)
        if pairs <= possible:
            return stretch.from_s + pairs / stretch.pairs_per_s if pairs else stretch.from_s
        pairs -= possible
    last = stretches[-1]
    return last.from_s + pairs / last.pairs_per_s if last.pairs_per_s > 0 else None


def scenario_lower_bound_s(scenario: Scenario, with_incidents: bool = True) -> float | None:
    """Of the outage group, seconds since the end of the (first) outage: the largest over all UDM/HSS units.

    Without incidents: of the capacity that the scenario gives. None: some of its users are never served.
    """
    factors = _factors(scenario if with_incidents else scenario.model_copy(update={"incidents": ()}))
    ends = back_ends(scenario.core, pairs_per_registration(scenario))
    alike = [[one for one in ends if one.interfaces == kind] for kind in dict.fromkeys(one.interfaces for one in ends)]
    bounds = [bound for units in alike for bound in _bounds_s(scenario, units, factors)]
    known = [bound for bound in bounds if bound is not None]
    return max(known) if len(known) == len(bounds) else None


def efficiency(lower_bound: float | None, t99_s: float | None) -> float | None:
    """0.99 · lower bound / T99: 1 if the UDM did nothing but what 99 % needed. None without a T99."""
    if lower_bound is None or not t99_s:
        return None
    return 0.99 * lower_bound / t99_s


Factors = list[tuple[float, dict[str, float]]]
"""From when on (since the end of the outage) what part of its capacity each UDM/HSS has."""


def _factors(scenario: Scenario) -> Factors:
    left = {node.name: 1.0 for node in scenario.core.udm_nodes}
    found: Factors = [(0.0, dict(left))]
    for incident in scenario.incidents:
        changed = [name for name in incident.nodes if name in left]
        if incident.capacity is None or not changed:
            continue
        left |= dict.fromkeys(changed, incident.capacity)
        since_s = incident.at_s - scenario.outage.end_s
        if since_s <= found[-1][0]:
            found[-1] = (found[-1][0], dict(left))
        else:
            found.append((since_s, dict(left)))
    return found


def _bounds_s(scenario: Scenario, units: Sequence[BackEnd], factors: Factors) -> Iterator[float | None]:
    """Of each node's own users, and of all users together: those of a lost node burden the others."""
    whole_pairs = scenario.population.outage_ues * units[0].pairs_per_ue
    background = {one.node: background_pairs_per_s(scenario, one) for one in units}

    def together(left: dict[str, float]) -> float:
        return sum(one.capacity_pairs_per_s * left[one.node] for one in units) - sum(background.values())

    yield served_after_s(whole_pairs, [Stretch(from_s, together(left)) for from_s, left in factors])
    for one in units:
        stretches = [
            Stretch(
                from_s,
                one.capacity_pairs_per_s * left[one.node] - background[one.node]
                if left[one.node] > 0
                else together(left),
            )
            for from_s, left in factors
        ]
        yield served_after_s(one.share * whole_pairs, stretches)
