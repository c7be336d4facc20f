"""Samples: how small a part of a storm may be before the strategy is another one.

1/K of the users against 1/K of every capacity takes as long as the whole, as long as nothing counts single messages.
A bucket does: below the gate's floor (five UEs) it would be deeper in seconds than that of the full size, and admit
more at once. The largest K that leaves every bucket as it is, is a property of strategy and scenario.
"""

from math import floor

from regstorm.overload.amplification import back_ends, pairs_per_registration
from regstorm.overload.second_door import width_of_second_door
from regstorm.records.scenario import Scenario
from regstorm.records.strategy import Strategy


def largest_sample(scenario: Scenario, strategy: Strategy) -> int | None:
    """The largest K for which 1/K of `scenario` has the gate of the whole; None: nothing limits it.

    Both are those of the full size. 1 if the floor is in force at the full size already.
    """
    gate = strategy.gate
    if gate is None:
        return None
    ues_per_s = gate.ues_per_s
    if ues_per_s is None:
        ues_per_s = gate.share_of_capacity * back_ends(scenario.core, pairs_per_registration(scenario))[0].ues_per_s
    shares = {amf.name: amf.share for amf in scenario.core.amf_nodes}
    if scenario.population.ims:  # a second door's bucket and its least UEs are deeper by the same factor
        of_amf = scenario.core.sbc.share_of_amf
        shares |= {sbc.name: width_of_second_door(strategy, of_amf * sbc.share) for sbc in scenario.core.sbc_nodes}
    least = min(gate.nodes.get(name, share * ues_per_s) for name, share in shares.items())
    return max(1, floor(least * gate.depth_s / gate.least_depth_ues))
