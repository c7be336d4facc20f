"""Options that several commands share, and what is said about a choice that does not exist yet."""

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, NamedTuple

import typer

from regstorm.drivers.sctp import SctpUnavailable, require_sctp
from regstorm.drivers.transports import TRANSPORT_NAMES
from regstorm.overload.samples import largest_sample
from regstorm.records.files import BadFile
from regstorm.records.run_record import Backend as BackendName
from regstorm.records.run_record import Clock as ClockName
from regstorm.records.run_record import Engine as EngineName
from regstorm.records.scenario import Scenario
from regstorm.records.sources import later
from regstorm.records.storm_plan import ATTEMPTS_CAP
from regstorm.records.strategy import Strategy

ScenarioArgument = Annotated[str, typer.Argument(metavar="SCENARIO", help="A name in scenarios/ or a file.")]
Engine = Annotated[
    str,
    typer.Option(
        help="Who plays the storm: wire (real NAS and NGAP over sockets), sim (the same strategies in an event heap, "
        "for large populations), or wire,sim: both, with their deviation."
    ),
]
Clock = Annotated[
    str,
    typer.Option(
        help="lockstep: scenario time jumps to the next event, nothing is ever late. "
        "paced: wall time times --speed, with the core in a process of its own."
    ),
]
Speed = Annotated[
    float | None,
    typer.Option(metavar="X", help="Scenario seconds per wall second on the paced clock, up to 1000. Default: 1."),
]
AttemptsCap = Annotated[
    float,
    typer.Option(metavar="N", help="Attempts begun in a wall second at most, on the paced clock; what is above waits."),
]
Transport = Annotated[
    str,
    typer.Option(
        help="Between gNBs and the core: tcp, with a private framing, or sctp, the kernel's (--clock paced only)."
    ),
]
Backend = Annotated[
    str,
    typer.Option(
        metavar="in_process|wire",
        help="How calls reach UDM and HSS: as values, or as real HTTP/2 and Diameter messages over sockets.",
    ),
]
_SAMPLE_HELP = "Takes 1/K of the population against 1/K of every capacity."
Sample = Annotated[int, typer.Option(min=1, metavar="K", help=_SAMPLE_HELP)]
StormSample = Annotated[
    int | None,
    typer.Option(min=1, metavar="K", help=f"{_SAMPLE_HELP} Default: 100, or 10 with --engine sim."),
]
SimulatedSample = Annotated[
    int | None,
    typer.Option(min=1, metavar="K", help=f"{_SAMPLE_HELP} Default: 10, or less where a bucket needs it."),
]
Seed = Annotated[int, typer.Option(min=0, help="Everything random is drawn from it: same seed, same record.")]
Out = Annotated[Path | None, typer.Option(help="Directory for the results: new or empty. Default: a new one in runs/.")]
Set = Annotated[
    list[str] | None,
    typer.Option("--set", metavar="FIELD=VALUE", help="Changes a field of the scenario, e.g. core.udm.shedding=plain."),
]

DEFAULT_SAMPLE = 100
DEFAULT_SAMPLE_OF_SIM = 10
BACKENDS: dict[str, BackendName] = {"in_process": "in_process", "wire": "wire"}
ENGINES: tuple[EngineName, ...] = ("wire", "sim")
FASTEST = 1000.0
"""Beyond it a millisecond of wall time is more than a second of the scenario."""


class Pacing(NamedTuple):
    """How time passes in a run."""

    clock: ClockName
    speed: float
    attempts_cap: float
    transport: str = "tcp"

    @property
    def at_once(self) -> int | None:
        """Storms at a time: a paced one is two processes that must not be late. None: as many as there are cores."""
        return None if self.clock == "lockstep" else max(1, (os.cpu_count() or 1) // 2)

    def words(self) -> list[str]:
        """As options on a command line; none where they are the defaults."""
        if self.clock == "lockstep":
            return []
        words = ["--clock", "paced", "--speed", f"{self.speed:g}"]
        if self.attempts_cap != ATTEMPTS_CAP:
            words += ["--attempts-cap", f"{self.attempts_cap:g}"]
        return words if self.transport == "tcp" else [*words, "--transport", self.transport]


def engines(text: str, clock: str) -> tuple[EngineName, ...]:
    """The engines that `text` names, the wire first. Raises BadFile with one line if they cannot be used."""
    named = {word.strip() for word in text.split(",")}
    if not named <= {"wire", "sim"}:
        raise BadFile(f"--engine {text}: expected wire, sim or wire,sim")
    if clock not in ("lockstep", "paced"):
        raise BadFile(f"--clock {clock}: expected lockstep or paced")
    if "sim" in named and clock == "paced":
        raise BadFile(f"--clock paced: expected --engine wire with it, not {text}; the simulator has no clock")
    return tuple(one for one in ENGINES if one in named)


def backend(text: str, engines: Sequence[EngineName]) -> BackendName:
    """What `text` names. Raises BadFile with one line if it cannot be used."""
    if text not in BACKENDS:
        raise BadFile(f"--backend {text}: expected in_process or wire")
    if text == "wire" and "sim" in engines:
        raise BadFile("--backend wire: expected --engine wire with it; the simulator has no messages")
    return BACKENDS[text]


def backend_words(name: BackendName) -> list[str]:
    """As an option on a command line; none where it is the default."""
    return [] if name == "in_process" else ["--backend", name]


def engine_words(engines: Sequence[EngineName]) -> list[str]:
    """As an option on a command line; none where it is the default."""
    return [] if tuple(engines) == ("wire",) else ["--engine", ",".join(engines)]


def sample_for(
    given: int | None, engines: Sequence[EngineName], scenario: Scenario, strategies: Sequence[Strategy]
) -> int:
    """`given`, or the default of these engines. Raises BadFile with one line if that cannot be simulated."""
    return sample_for_all(given, engines, [(strategy.name, scenario, strategy) for strategy in strategies])


def sample_for_all(
    given: int | None, engines: Sequence[EngineName], storms: Sequence[tuple[str, Scenario, Strategy]]
) -> int:
    """The same for storms of several scenarios, each by name: the strictest decides."""
    if any(scenario.outage.strikes == "sbc" for _, scenario, _ in storms):
        raise BadFile("outage.strikes: sbc is for phones without a 5GC: locust -f locustfiles/storm_ims.py")
    if "sim" not in engines:
        return given or DEFAULT_SAMPLE
    default = DEFAULT_SAMPLE if "wire" in engines else DEFAULT_SAMPLE_OF_SIM
    limits = [limit for storm in storms for limit in _sample_limits(*storm)]
    if not limits:
        return given or default
    largest, strictest = min(limits, key=lambda limit: limit[0])
    if given is not None and given > largest:
        raise BadFile(
            f"--sample {given}: expected at most {largest}: of a smaller part the bucket of {strictest} would be "
            "shallower than its least depth, and raising it would make another strategy"
        )
    return given or min(default, largest)


def _sample_limits(name: str, scenario: Scenario, strategy: Strategy) -> list[tuple[int, str]]:
    """The largest sample, and the name of what has the bucket: the strategy, or one that comes in force later."""
    named = [(name, strategy), *((one.name, one) for _, one in later(scenario, 1))]
    return [(limit, who) for who, one in named if (limit := largest_sample(scenario, one)) is not None]


def pacing(clock: str, speed: float | None, attempts_cap: float, transport: str = "tcp") -> Pacing:
    """The options together. Raises BadFile with one line if they make no sense, or if the kernel has no SCTP."""
    if transport not in TRANSPORT_NAMES:
        raise BadFile(f"--transport {transport}: expected {' or '.join(TRANSPORT_NAMES)}")
    if transport == "sctp":
        if clock == "lockstep":
            raise BadFile("--transport sctp: expected --clock paced with it; lockstep counts octets, SCTP shows none")
        try:
            require_sctp()
        except SctpUnavailable as error:
            raise BadFile(f"--transport sctp: {error}") from None
    if clock == "lockstep":
        if speed is not None:
            raise BadFile("--speed: expected --clock paced with it; lockstep is as fast as it can be")
        return Pacing("lockstep", 1.0, attempts_cap)
    if speed is not None and not 0 < speed <= FASTEST:
        raise BadFile(f"--speed {speed:g}: expected more than 0, at most {FASTEST:g}")
    if not attempts_cap > 0:
        raise BadFile(f"--attempts-cap {attempts_cap:g}: expected more than 0")
    return Pacing("paced", 1.0 if speed is None else speed, attempts_cap, transport)


def new_directory(out: Path | None, default: str) -> Path:
    """`out`, or `runs/<default>` with a number if there is one already; made, and sure to be empty."""
    where = out or _unused(Path("runs") / default)
    if where.is_file():
        raise BadFile(f"--out {where}: expected a directory, found a file")
    try:
        where.mkdir(parents=True, exist_ok=True)
        if any(where.iterdir()):
            raise BadFile(f"--out {where}: expected a new or empty directory")
    except OSError as error:
        raise BadFile(f"--out {where}: cannot be made: {error.strerror}") from None
    return where


def _unused(where: Path) -> Path:
    number, candidate = 1, where
    while candidate.exists():
        number += 1
        candidate = where.with_name(f"{where.name}-{number}")
    return candidate
