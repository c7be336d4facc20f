"""A set of thresholds as a strategy that the core runs with.

The core on the wire plays 5GC: its AMF's gate gets the total for all AMF, G, as an absolute rate. Its SBC's gate
follows that of the AMF (`core.sbc.share_of_amf` in a scenario). Everything else is as in the strategy it is based on.
"""

from math import floor

from regstorm.planning.domains import FIVE_GC
from regstorm.planning.threshold_set import ThresholdSet
from regstorm.records.strategy import Strategy
from regstorm.records.topology import Topology

_STEPS_PER_UE = 1000


def planned_strategy(topology: Topology, one: ThresholdSet, like: Strategy) -> Strategy | None:
    """`like` with the planned rate. None: it has no gate, or the set admits nobody to 5GC."""
    rate = floor(one.doors.totals[FIVE_GC] * _STEPS_PER_UE) / _STEPS_PER_UE  # never above what was planned
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
            "gate": like.gate.model_copy(update={"ues_per_s": rate}),
        }
    )
