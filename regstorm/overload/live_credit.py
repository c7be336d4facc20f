"""Live credit: the rate of a gate follows the load that the back end reports.

Once a second the rate is multiplied by 1 + gain · (target − load) / load, between `most_down` and `most_up`. It grows
only if somebody was refused in that second: a door that nobody is waiting at learns nothing about the back end. What
was planned, and by how much it was wrong, is forgotten within half a minute.
"""

from dataclasses import dataclass, field

from regstorm.records.strategy import Credit

LEAST_SHARE = 0.01  # assumed: of the rate at the start, so that a door that was shut opens again


@dataclass(slots=True)
class LiveCredit:
    """The rate in UEs per second, and the load that it was last told."""

    rule: Credit
    rate: float
    """UEs per second."""
    load: float = field(init=False, default=0.0)
    """What the back end was asked for in the second before, as a share of its capacity; may exceed 1."""
    _least: float = field(init=False)

    def __post_init__(self) -> None:
        self._least = LEAST_SHARE * self.rate

    def observe(self, load: float, refused_somebody: bool) -> None:
        """Once a second. `load` is the highest of those that the door feeds."""
        self.load = load
        rule = self.rule
        wanted = 1 + rule.gain * (rule.target - load) / load if load > 0 else rule.most_up
        factor = min(max(wanted, rule.most_down), rule.most_up)
        if factor < 1 or refused_somebody:
            self.rate = max(self.rate * factor, self._least)
