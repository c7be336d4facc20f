"""What the simulator says of a plan: how soon users are back under the planned thresholds, beside what arithmetic
promises. Data only; who runs the simulator stands above this floor."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class SimulatedRecovery:
    """One simulated storm under the thresholds of one set."""

    strategy: str
    seed: int
    sample: int
    """1/`sample` of the users against 1/`sample` of every capacity."""
    ues: int
    """Users in the sample."""
    t50_s: float | None
    t99_s: float | None
    """None: not reached."""
    share_back: float
    peak_load: float | None
    """Offered to the UDM/HSS with the highest load, over its busiest window worth 1 000 pairs."""
    seconds_in_overload: int


@dataclass(frozen=True, slots=True)
class NotSimulated:
    """No storm was played."""

    why: str
    """One line."""


Simulated = SimulatedRecovery | NotSimulated
