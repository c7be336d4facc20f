"""regstorm plan: from a topology to thresholds, with the working of every number."""

import shlex
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from regstorm.cli import options, plan_files, plan_storms, plan_tables, sources
from regstorm.planning.document import document
from regstorm.planning.plan import make_plan
from regstorm.planning.simulated import NotSimulated
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
    simulate: Annotated[
        bool, typer.Option(help="Also plays the storm of each set in the simulator, where the core can play it.")
    ] = True,
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
    where = options.new_directory(out, f"plan-{network.name}")
    console = Console()
    playable = plan_files.write_sets(made, where, base)
    told = document(made, plan_storms.play(playable, where, console) if simulate else {})
    opened = plan_files.write_document(told, where)
    plan_tables.show(console, told)
    for path in (*opened, *sorted((where / plan_files.STRATEGIES).iterdir())):
        _say(console, str(path))
    _say(console, _how_to_try(playable[made.sets[0].name]))


def _how_to_try(routine: plan_files.Playable | NotSimulated) -> str:
    if isinstance(routine, NotSimulated):
        return f"No scenario to try it with: {routine.why}."
    words = ["regstorm", "run", str(routine.scenario_path), "--strategy", str(routine.strategy_path)]
    return f"Try it: {shlex.join(words)}"


def _say(console: Console, text: str) -> None:
    console.print(text, markup=False, highlight=False, soft_wrap=True)
