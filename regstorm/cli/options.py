"""Options that several commands share, and what is said about a choice that does not exist yet."""

from pathlib import Path
from typing import Annotated

import typer

from regstorm.records.files import BadFile

ScenarioArgument = Annotated[str, typer.Argument(metavar="SCENARIO", help="A name in scenarios/ or a file.")]
Engine = Annotated[str, typer.Option(help="Who plays the storm: wire (real NAS and NGAP over sockets).")]
Clock = Annotated[str, typer.Option(help="lockstep: scenario time jumps to the next event, nothing is ever late.")]
Sample = Annotated[
    int, typer.Option(min=1, metavar="K", help="Takes 1/K of the population against 1/K of every capacity.")
]
Seed = Annotated[int, typer.Option(min=0, help="Everything random is drawn from it: same seed, same record.")]
Out = Annotated[Path | None, typer.Option(help="Directory for the results: new or empty. Default: a new one in runs/.")]
Set = Annotated[
    list[str] | None,
    typer.Option("--set", metavar="FIELD=VALUE", help="Changes a field of the scenario, e.g. core.udm.shedding=plain."),
]

DEFAULT_SAMPLE = 100


def require_available(engine: str, clock: str) -> None:
    """Raises BadFile with one line if that engine or clock cannot be used."""
    if engine not in ("wire", "sim", "wire,sim", "sim,wire"):
        raise BadFile(f"--engine {engine}: expected wire")
    if clock not in ("lockstep", "paced"):
        raise BadFile(f"--clock {clock}: expected lockstep")
    if engine != "wire":
        raise BadFile(f"--engine {engine}: not available yet, expected wire")
    if clock != "lockstep":
        raise BadFile(f"--clock {clock}: not available yet, expected lockstep")


def new_directory(out: Path | None, default: str) -> Path:
    """`out`, or `runs/<default>` with a number if there is one already; made, and sure to be empty."""
    where = out or _unused(Path("runs") / default)
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
