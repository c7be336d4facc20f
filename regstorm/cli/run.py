"""regstorm run: one scenario under one strategy."""

import shlex
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from regstorm.cli import options, results, sources
from regstorm.cli.progress_view import view_for
from regstorm.cli.storms import run_storms
from regstorm.records.files import BadFile
from regstorm.records.storm_plan import StormPlan
from reports import pages


def run(
    scenario: options.ScenarioArgument,
    strategy: Annotated[str, typer.Option(help="A name in strategies/ or a file.")],
    engine: options.Engine = "wire",
    sample: options.Sample = options.DEFAULT_SAMPLE,
    clock: options.Clock = "lockstep",
    seed: options.Seed = 1,
    repeat: Annotated[int, typer.Option(min=1, metavar="R", help="R seeds, from --seed up.")] = 1,
    out: options.Out = None,
    pcap: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Writes the signalling as SCTP, for Wireshark.")
    ] = None,
    changes: options.Set = None,
) -> None:
    """Runs one storm under one strategy and writes run.json, timeline.csv and report.html.

    Example: regstorm run outage_return --strategy tiered --sample 100 --seed 7
    """
    options.require_available(engine, clock)
    story, story_path = sources.scenario(scenario, changes or [])
    chosen, path = sources.strategy(strategy)
    if pcap and repeat > 1:
        raise BadFile("--pcap: expected one storm, so no --repeat")
    if pcap and not pcap.absolute().parent.is_dir():
        raise BadFile(f"--pcap {pcap}: expected an existing directory for it")
    where = options.new_directory(out, f"{story.name}-{chosen.name}-seed{seed}")
    words = ["regstorm", "run", str(story_path), "--strategy", strategy, "--sample", str(sample), "--seed", str(seed)]
    for change in changes or []:
        words += ["--set", change]
    plans = [
        StormPlan(
            scenario=story,
            strategy=chosen,
            seed=one_seed,
            sample=sample,
            out=where if repeat == 1 else where / f"seed{one_seed}",
            pcap=pcap.absolute() if pcap else None,
            scenario_path=str(story_path),
            strategy_path=str(path),
            command=shlex.join([*words, *(["--repeat", str(repeat)] if repeat > 1 else [])]),
        )
        for one_seed in range(seed, seed + repeat)
    ]
    console = Console()
    with view_for(console, plans) as view:
        outcome = run_storms(plans, view)
    comparison = pages.load([where])
    results.show(console, comparison)
    results.say_where(console, results.write_page(comparison, where))
    raise typer.Exit(results.exit_code(outcome, comparison))
