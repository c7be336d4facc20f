"""regstorm run: one scenario under one strategy."""

import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from regstorm.cli import options, results, sources
from regstorm.cli.progress_view import view_for
from regstorm.cli.storms import run_storms
from regstorm.records.files import BadFile
from regstorm.records.run_record import Engine
from regstorm.records.storm_plan import ATTEMPTS_CAP, StormPlan
from reports import pages


def run(
    scenario: options.ScenarioArgument,
    strategy: Annotated[str, typer.Option(help="A name in strategies/ or a file.")],
    engine: options.Engine = "wire",
    sample: options.StormSample = None,
    clock: options.Clock = "lockstep",
    speed: options.Speed = None,
    attempts_cap: options.AttemptsCap = ATTEMPTS_CAP,
    transport: options.Transport = "tcp",
    backend: options.Backend = "in_process",
    seed: options.Seed = 1,
    repeat: Annotated[int, typer.Option(min=1, metavar="R", help="R seeds, from --seed up.")] = 1,
    out: options.Out = None,
    pcap: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Writes the signalling for Wireshark: SCTP, and TCP with --backend wire.",
        ),
    ] = None,
    trace: Annotated[
        int, typer.Option(min=0, metavar="N", help="Records the call flows of N UEs, for regstorm trace.")
    ] = 0,
    changes: options.Set = None,
) -> None:
    """Runs one storm under one strategy and writes run.json, timeline.csv and report.html.

    Example: regstorm run outage_return --strategy tiered --sample 100 --seed 7
    """
    played_by = options.engines(engine, clock)
    pacing = options.pacing(clock, speed, attempts_cap, transport)
    carried_by = options.backend(backend, played_by)
    story, story_path = sources.scenario(scenario, changes or [])
    chosen, path = sources.strategy(strategy, story)
    sources.require_expected(story, story_path, [chosen])
    if pcap and repeat > 1:
        raise BadFile("--pcap: expected one storm, so no --repeat")
    if pcap and pacing.clock == "paced":
        raise BadFile("--pcap: expected --clock lockstep, where both ends of every association are in one process")
    if pcap and not pcap.absolute().parent.is_dir():
        raise BadFile(f"--pcap {pcap}: expected an existing directory for it")
    if (pcap or trace) and "sim" in played_by:
        raise BadFile(
            f"{'--pcap' if pcap else '--trace'}: expected --engine wire, the simulator has no messages to show"
        )
    part = options.sample_for(sample, played_by, story, [chosen])
    where = options.new_directory(out, f"{story.name}-{chosen.name}-seed{seed}")
    words = ["regstorm", "run", str(story_path), "--strategy", strategy, "--sample", str(part), "--seed", str(seed)]
    words += [*options.engine_words(played_by), *pacing.words(), *options.backend_words(carried_by)]
    words += [*(["--trace", str(trace)] if trace else [])]
    for change in changes or []:
        words += ["--set", change]
    plans = [
        StormPlan(
            scenario=story,
            strategy=chosen.sampled(part),
            seed=one_seed,
            sample=part,
            out=where / _apart(played_by, one_engine, repeat, one_seed),
            pcap=pcap.absolute() if pcap else None,
            scenario_path=str(story_path),
            strategy_path=str(path),
            command=shlex.join([*words, *(["--repeat", str(repeat)] if repeat > 1 else [])]),
            engine=one_engine,
            clock=pacing.clock,
            speed=pacing.speed,
            attempts_cap=pacing.attempts_cap,
            transport=pacing.transport,
            backend=carried_by,
            trace=trace,
            later=sources.later(story, part),
        )
        for one_engine in played_by
        for one_seed in range(seed, seed + repeat)
    ]
    console = Console()
    if pacing.clock == "paced":
        _say_locust_command(console, plans[0], changes or [])
    with view_for(console, plans) as view:
        outcome = run_storms(plans, view, at_once=pacing.at_once)
    if outcome.in_vain:
        raise KeyboardInterrupt
    comparison = pages.load([where])
    results.show(console, comparison)
    results.say_where(console, results.write_page(comparison, where))
    raise typer.Exit(results.exit_code(outcome, comparison))


def _apart(engines: Sequence[Engine], engine: Engine, repeat: int, seed: int) -> Path:
    """Where one of the storms goes inside the command's directory; into that itself if there is only one."""
    words = [*([engine] if len(engines) > 1 else []), *([f"seed{seed}"] if repeat > 1 else [])]
    return Path("-".join(words))


def _say_locust_command(console: Console, plan: StormPlan, changes: Sequence[str]) -> None:
    """The same storm with Locust's web page around it."""
    locustfile = "storm_full.py" if plan.scenario.population.ims else "storm_5gc.py"
    words = ["locust", "-f", f"locustfiles/{locustfile}", "--storm-scenario", plan.scenario.name]
    words += ["--storm-strategy", plan.strategy.name, "--storm-sample", str(plan.sample)]
    words += ["--storm-speed", f"{plan.speed:g}", "--storm-seed", str(plan.seed)]
    if changes:
        words += ["--storm-set", shlex.join(changes)]
    console.print(f"With Locust: {shlex.join(words)}", markup=False, highlight=False, soft_wrap=True)
