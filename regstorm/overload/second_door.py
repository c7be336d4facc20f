"""How wide a door behind another has to be: as wide as that one may open.

The paper's section 3.3 c: what AMF and MME let in, the SBC must let in as well, or it refuses users for whom the back
end has worked already. A planned gate keeps its rate. One that follows a live credit opens until the load is at its
target, and the SBC, which hears of no load, has to be ready for that.
"""

from regstorm.records.strategy import Strategy


def width_of_second_door(strategy: Strategy, share_of_first: float = 1.0) -> float:
    """Rate of the second door in planned rates of the first, where it is to let in `share_of_first` of its users."""
    if strategy.gate is None or strategy.credit is None:
        return share_of_first
    return share_of_first * strategy.credit.target / strategy.gate.share_of_capacity
