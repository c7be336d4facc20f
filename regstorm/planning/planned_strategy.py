"""A set of thresholds as a strategy that the core runs with.

The gate gets the total for all AMF, G, as an absolute rate, and where a domain has several front doors the threshold
of each. A single SBC's gate follows that of the AMF (`core.sbc.share_of_amf` in a scenario). A strategy with a DRA
gate gets the limit towards each HSS. Everything else is as in the strategy it is based on.
"""

from math import floor

from regstorm.planning.domains import FIVE_GC, IMS, Domain
from regstorm.planning.threshold_set import ThresholdSet
from regstorm.records.strategy import Dra, Strategy
from regstorm.records.topology import Topology

_STEPS_PER_UE = 1000


def planned_strategy(topology: Topology, one: ThresholdSet, like: Strategy) -> Strategy | None:
    """`like` with the planned rate. None: it has no gate, or the set admits nobody to 5GC."""
    rate = _rounded_down(one.doors.totals[FIVE_GC])
    if like.gate is None or rate <= 0:
        return None
    summary = (
        f"Planned for topology {topology.name}, set {one.name}: {one.situation.title}. "
        f"All AMF together admit {rate:g} UEs/s. Otherwise as {like.name}. {like.summary.strip()}"
    )
    return like.model_copy(
        update={
            "name": f"{topology.name}_{one.name}_{like.name}",
            "title": f"{like.title}, planned for {topology.name} ({one.name})",
            "summary": summary,
            "gate": like.gate.model_copy(
                update={"ues_per_s": rate, "nodes": _by_node(one, FIVE_GC) | _by_node(one, IMS)}
            ),
            "dra": _dra(one, like),
        }
    )


def _by_node(one: ThresholdSet, domain: Domain) -> dict[str, float]:
    """The thresholds of several nodes; none where there is one."""
    doors = [door for door in one.doors.thresholds if door.domain is domain]
    rates = {door.node: _rounded_down(door.ues_per_s) for door in doors} if len(doors) > 1 else {}
    return {node: rate for node, rate in rates.items() if rate > 0}


def _dra(one: ThresholdSet, like: Strategy) -> Dra | None:
    """A(N) · X2 towards each HSS."""
    if like.dra is None:
        return None
    limits = {limit.node: limit.pairs_per_s for limit in one.guards if limit.domain is IMS}
    return like.dra.model_copy(update={"nodes": limits})


def _rounded_down(ues_per_s: float) -> float:
    """Never above what was planned."""
    return floor(ues_per_s * _STEPS_PER_UE) / _STEPS_PER_UE
