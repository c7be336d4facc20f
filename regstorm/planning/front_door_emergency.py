"""Front-door model, emergency: one set of thresholds for each fault scenario (paper, 3.3).

The same arithmetic as for routine thresholds, with the nodes that then take part, the users who then return, and the
margin for emergencies. Beside each set stands what the routine thresholds would do to the UDM/HSS that are left:
whether the set is needed at all, and how much the DRA has to hold back until it is in force.
"""

from collections.abc import Mapping

from regstorm.planning.amplification_model import Amplification
from regstorm.planning.situation import of_fault
from regstorm.planning.threshold_set import ThresholdSet, threshold_set
from regstorm.records.topology import Topology


def emergency_sets(
    topology: Topology, amplification: Amplification, routine_thresholds: Mapping[str, float]
) -> tuple[ThresholdSet, ...]:
    """In the order of the topology's faults; `routine_thresholds` in UEs per second by node."""
    unevenness = topology.margins.unevenness
    return tuple(
        threshold_set(of_fault(topology, fault), amplification, unevenness, routine_thresholds)
        for fault in topology.faults
    )
