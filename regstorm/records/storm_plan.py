"""One storm as it is handed to whoever runs it, and what that tells while it runs."""

from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from regstorm.records.run_record import Backend, Clock, Engine
from regstorm.records.scenario import Scenario
from regstorm.records.strategy import Strategy

ATTEMPTS_CAP = 5000.0  # assumed: above what the full-size scenario offers (200 000 UEs in 45 s)


@dataclass(frozen=True, slots=True)
class StormPlan:
    """One scenario under one strategy with one seed. `scenario` is the full size; the run takes 1/`sample` of it.

    `strategy` is that of the run already: `Strategy.sampled` has scaled what is an absolute rate in it.
    """

    scenario: Scenario
    strategy: Strategy
    seed: int
    sample: int
    out: Path
    """The run directory: run.json and timeline.csv go there. It exists already and holds a run.json that says
    `"complete": false, "why": "running"`."""
    pcap: Path | None = None
    scenario_path: str = ""
    strategy_path: str = ""
    label: str = ""
    """What sets this storm apart from others under the same strategy (`plain UDM`); empty for most."""
    command: str = ""
    """The command that reproduces it, for the record."""
    engine: Engine = "wire"
    """Real NAS and NGAP over sockets, or the simulator, which has no clock: `clock` and what follows are the wire's."""
    clock: Clock = "lockstep"
    speed: float = 1.0
    """Scenario seconds per wall second on the paced clock."""
    attempts_cap: float = ATTEMPTS_CAP
    """Attempts that one process begins in a second of wall time at most, on the paced clock; what is above waits."""
    transport: str = "tcp"
    """Between gNBs and the core: tcp or sctp; sctp on the paced clock only."""
    backend: Backend = "in_process"
    """How calls reach UDM and HSS: as values, or as HTTP/2 and Diameter messages over sockets."""
    trace: int = 0
    """UEs whose call flows are recorded in traces.jsonl."""
    later: tuple[tuple[float, Strategy], ...] = ()
    """The strategies that the incidents put in force, each with its scenario second; scaled like `strategy`."""


class Progress(NamedTuple):
    """How far a storm is. Levels and counts are those of the sample, not of the full size."""

    scenario_s: float
    until_s: float
    """The latest scenario second at which the run ends."""
    in_service: int
    back: int
    """Outage UEs that have had full service since the end of the outage."""
    outage_ues: int
    refused: int
    """Requests that the front door has refused so far."""
    udm_load: float | None
    """Offered load as a share of capacity; None where it cannot be seen."""
    wall_s: float


class StopFlag:
    """Set from outside when the run shall end early: whoever runs the storm looks at it between scenario seconds,
    writes what there is and marks it partial."""

    __slots__ = ("_up",)

    def __init__(self) -> None:
        self._up = False

    def set(self) -> None:
        """The run shall end; harmless if it has been set already."""
        self._up = True

    def is_set(self) -> bool:
        """True once somebody wants the run to end."""
        return self._up
