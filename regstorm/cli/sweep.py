"""regstorm sweep: one scenario with a field after the other varied, on the simulator."""

import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table

from regstorm.cli import options, sources, sweep_cells, sweep_results, tornado
from regstorm.cli.compare import DEFAULT_STRATEGIES
from regstorm.cli.exit_codes import INTERNAL_ERROR, INTERRUPTED, PASSED
from regstorm.cli.storms import run_storms
from regstorm.cli.sweep_cells import Variant
from regstorm.cli.sweep_results import Kind, Sweep
from regstorm.cli.sweep_view import view_for
from regstorm.records.files import BadFile
from regstorm.records.scenario import Scenario
from regstorm.records.strategy import Strategy
from reports import sweep_collapse, sweep_page

Vary = Annotated[
    list[str] | None,
    typer.Option(
        "--vary",
        metavar="FIELD=a,b,c",
        help="A field of the scenario and its values, or strategy.FIELD of every strategy. Two make a heat map.",
    ),
]

Alone = Annotated[
    list[str] | None,
    typer.Option(
        "--variant",
        metavar="[NAME: ]FIELD=v[; …]",
        help="A change that is played alone, beside the storm as it is; again for the next. Instead of --vary.",
    ),
]


def sweep(
    scenario: options.ScenarioArgument,
    vary: Vary = None,
    variant: Alone = None,
    rank: Annotated[
        bool, typer.Option("--tornado", help="Ranks the assumptions of docs/model.md by their effect on T99.")
    ] = False,
    strategies: Annotated[str, typer.Option(metavar="A,B,…", help="Names in strategies/, or files.")] = (
        DEFAULT_STRATEGIES
    ),
    seeds: Annotated[int, typer.Option(min=1, metavar="N", help="Storms for each cell, from --seed up.")] = 1,
    sample: options.SimulatedSample = None,
    seed: options.Seed = 1,
    out: Annotated[
        Path | None, typer.Option(help="Directory for the results: a new one, or one of the same sweep, which goes on.")
    ] = None,
    changes: options.Set = None,
) -> None:
    """Plays a storm with every combination of values, or one change at a time, on the simulator; writes a table, a CSV
    and a page.

    Example: regstorm sweep outage_return --vary outage.arrivals_s=10,45,180,300 --strategies tiered,guided --seeds 3
    """
    if rank and (vary or variant):
        raise BadFile("--tornado: expected no --vary or --variant with it, it has its own fields")
    if vary and variant:
        raise BadFile("--variant: expected no --vary with it")
    if not rank and not vary and not variant:
        raise BadFile("--vary: expected at least one FIELD=a,b,c, or --variant, or --tornado")
    base, path = sources.scenario(scenario, changes or [])
    chosen = [sources.strategy(name.strip(), base)[0] for name in strategies.split(",") if name.strip()]
    sources.require_expected(base, path, chosen)
    if not chosen or len({one.name for one in chosen}) < len(chosen):
        raise BadFile(f"--strategies {strategies}: expected at least one name, and each once")
    kind, fields, variants = _what(base, chosen, vary or [], variant or [])
    part = options.sample_for_all(sample, ("sim",), [(one.name, one.scenario, one.strategy) for one in variants])
    where = out or options.new_directory(None, f"sweep-{base.name}")
    words = ["regstorm", "sweep", str(path), *_each("--vary", vary), *_each("--variant", variant)]
    words += [*(["--tornado"] if rank else []), "--strategies", strategies, "--seeds", str(seeds)]
    words += ["--sample", str(part), "--seed", str(seed)]
    swept = Sweep(
        kind=kind,
        scenario=base,
        strategies=chosen,
        fields=fields,
        seeds=range(seed, seed + seeds),
        sample=part,
        cells=sweep_cells.cells(variants, range(seed, seed + seeds), part, where),
        command=shlex.join([*words, *_each("--set", changes)]),
    )
    sweep_results.prepare(where, swept)
    raise typer.Exit(_run(where, swept))


def _what(
    base: Scenario, strategies: Sequence[Strategy], vary: Sequence[str], alone: Sequence[str]
) -> tuple[Kind, list[str], list[Variant]]:
    """Kind of sweep, columns of its values, and what is played."""
    if alone:
        return "variants", [sweep_cells.VARIANT], sweep_cells.one_at_a_time(base, strategies, alone)
    if vary:
        axes = [sweep_cells.axis(text) for text in vary]
        return "grid", [one.field for one in axes], sweep_cells.grid(base, strategies, axes)
    return "tornado", ["assumption", "value"], sweep_cells.tornado(base, strategies, tornado.swings(base))


def _each(option: str, values: Sequence[str] | None) -> list[str]:
    return [word for value in values or [] for word in (option, value)]


def _run(where: Path, swept: Sweep) -> int:
    console = Console()
    storms = swept.storms
    missing = [cell for cell in storms if not sweep_results.is_there(cell)]
    there = len(storms) - len(missing)
    if there:
        _say(console, f"{there} of {len(storms)} storms are there already.")
    with view_for(console, there, missing, len(storms)) as view:
        outcome = run_storms([cell.plan for cell in missing], view)
    document = sweep_results.write(where, swept)
    console.print()
    for table in sweep_page.tables(document, brief=True):
        _show(console, table)
    for sentence in sweep_collapse.ends(document):
        _say(console, sentence)
    if not document["complete"]:
        _say(console, f"PARTIAL: the same command with --out {where} goes on where it was.", "red")
    _say(console, f"\nTable: {where / sweep_results.TABLE}\nPage: {sweep_page.write_page(document, where)}")
    if outcome.interrupted:
        return INTERRUPTED
    return PASSED if document["complete"] else INTERNAL_ERROR


def _show(console: Console, table: sweep_page.NamedTable) -> None:
    shown = Table(
        *(name.rpartition(".")[2] for name in table.head),
        title=table.title or None,
        title_justify="left",
        box=None,
        pad_edge=False,
    )
    for row in table.rows:
        shown.add_row(*row)
    console.print(shown)


def _say(console: Console, text: str, style: str = "") -> None:
    console.print(text, style=style, markup=False, highlight=False, soft_wrap=True)
