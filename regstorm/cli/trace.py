"""regstorm trace: one UE's call flow."""

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from regstorm.records.files import BadFile
from reports.ladder import ladder, read_traces
from reports.run_directory import read_run

_PREFIX = "imsi-"


def trace(
    run: Annotated[Path, typer.Argument(metavar="RUN_DIR", help="A run directory of a run with --trace N.")],
    ue: Annotated[str | None, typer.Option(metavar="SUPI", help="Whose call flow. Left out: says who has one.")] = None,
) -> None:
    """Shows the call flow of one UE: messages, timers and causes with their times.

    Example: regstorm trace runs/outage_return-tiered-seed1 --ue imsi-001010000000001
    """
    console = Console()
    events = read_traces(run)
    recorded = sorted({event.ue for event in events})
    if ue is None:
        for supi in recorded:
            console.print(supi, markup=False, highlight=False)
        return
    supi = ue if ue.startswith(_PREFIX) else f"{_PREFIX}{ue}"
    if supi not in recorded:
        raise BadFile(f"--ue {ue}: expected one of {', '.join(recorded[:5])}{' …' if len(recorded) > 5 else ''}")
    for line in ladder((event for event in events if event.ue == supi), read_run(run).outage_ends_s):
        console.print(line, markup=False, highlight=False, soft_wrap=True)
