"""regstorm plan: from a topology to thresholds, with the working of every number."""

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from regstorm.cli import options, plan_files, plan_tables, sources
from regstorm.planning.document import document
from regstorm.planning.plan import make_plan
from regstorm.records.files import BadFile


def plan(
    topology: Annotated[str, typer.Argument(metavar="TOPOLOGY", help="A name in topologies/ or a file.")],
    out: options.Out = None,
    in_force: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Thresholds as configured today, to be compared: `ues_per_s: {amf-1: 250}`."),
    ] = None,
    counters: Annotated[
        Path | None,
        typer.Option(
            metavar="CSV",
            help="Measured pairs (procedure,interface,procedures,pairs) or a run directory: plans with them, warns of "
            "drift.",
        ),
    ] = None,
    back_within: Annotated[
        float | None, typer.Option(metavar="MIN", help="What capacity is needed so that all are back in MIN minutes?")
    ] = None,
    like: Annotated[str, typer.Option(metavar="STRATEGY", help="The strategy that gets the planned rates.")] = "tiered",
    changes: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="FIELD=VALUE", help="Changes a field of the topology: margins.routine=0.1."),
    ] = None,
) -> None:
    """Plans thresholds: routine and for each fault, as tables, page, CSV and strategy files.

    Example: regstorm plan province --back-within 30 --out plans/province
    """
    network, _ = sources.topology(topology, changes or [])
    base, _ = sources.strategy(like)
    if base.gate is None:
        raise BadFile(f"--like {like}: expected a strategy with a gate, which takes the planned rate")
    if back_within is not None and not back_within > 0:
        raise BadFile(f"--back-within {back_within:g}: expected more than 0 minutes")
    measured = plan_files.counters(counters) if counters else None
    today = plan_files.in_force(in_force, network) if in_force else None
    made = make_plan(network, measured, today, None if back_within is None else 60 * back_within)
    told = document(made)
    where = options.new_directory(out, f"plan-{network.name}")
    page, strategies = plan_files.write(made, told, where, base)
    console = Console()
    plan_tables.show(console, told)
    for path in (page, where / plan_files.TABLE, *strategies):
        console.print(str(path), markup=False, highlight=False, soft_wrap=True)
    console.print(plan_files.write_scenario(made, where, base), markup=False, highlight=False, soft_wrap=True)
