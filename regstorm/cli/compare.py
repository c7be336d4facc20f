"""regstorm compare: one scenario under several strategies, with a report."""

import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from regstorm.cli import options, results, run_directories, sources
from regstorm.cli.progress_view import view_for
from regstorm.cli.storms import run_storms
from regstorm.records.files import BadFile
from regstorm.records.scenario import Scenario
from regstorm.records.storm_plan import ATTEMPTS_CAP, StormPlan
from reports import pages

DEFAULT_STRATEGIES = "self_protection,precise,tiered"
PLAIN = "plain UDM"
PLAIN_UNDER = "self_protection"
"""The strategy whose outcome hangs on how the UDM sheds."""


def compare(
    scenario: options.ScenarioArgument,
    strategies: Annotated[str, typer.Option(metavar="A,B,…", help="Names in strategies/, or files.")] = (
        DEFAULT_STRATEGIES
    ),
    engine: options.Engine = "wire",
    sample: options.StormSample = None,
    clock: options.Clock = "lockstep",
    speed: options.Speed = None,
    attempts_cap: options.AttemptsCap = ATTEMPTS_CAP,
    transport: options.Transport = "tcp",
    backend: options.Backend = "in_process",
    seed: options.Seed = 1,
    repeat: Annotated[int, typer.Option(min=1, metavar="R", help="R seeds for each strategy, from --seed up.")] = 1,
    out: options.Out = None,
    plain: Annotated[
        bool, typer.Option(help="Where the UDM's setting is calibrated: also run what the setting plain gives.")
    ] = True,
    changes: options.Set = None,
) -> None:
    """Runs one storm under several strategies and writes compare.html and compare.json.

    Example: regstorm compare outage_return --strategies precise,tiered --sample 100 --repeat 3
    """
    played_by = options.engines(engine, clock)
    pacing = options.pacing(clock, speed, attempts_cap, transport)
    carried_by = options.backend(backend, played_by)
    story, story_path = sources.scenario(scenario, changes or [])
    names = [name.strip() for name in strategies.split(",") if name.strip()]
    chosen = [sources.strategy(name, story) for name in names]
    sources.require_expected(story, story_path, [one for one, _ in chosen])
    if not chosen:
        raise BadFile("--strategies: expected at least one name")
    if len({strategy.name for strategy, _ in chosen}) < len(chosen):
        raise BadFile(f"--strategies {strategies}: expected each strategy once")
    part = options.sample_for(sample, played_by, story, [strategy for strategy, _ in chosen])
    where = options.new_directory(out, f"compare-{story.name}")
    words = [*options.engine_words(played_by), *pacing.words(), *options.backend_words(carried_by)]
    again = _command(story_path, names, part, seed, repeat, changes or [], words)
    plans = [
        StormPlan(
            scenario=story,
            strategy=strategy.sampled(part),
            seed=one_seed,
            sample=part,
            out=where / f"{strategy.name}{f'-{one_engine}' if len(played_by) > 1 else ''}-seed{one_seed}",
            scenario_path=str(story_path),
            strategy_path=str(path),
            command=again,
            engine=one_engine,
            clock=pacing.clock,
            speed=pacing.speed,
            attempts_cap=pacing.attempts_cap,
            transport=pacing.transport,
            backend=carried_by,
            later=sources.later(story, part),
        )
        for strategy, path in chosen
        for one_engine in played_by
        for one_seed in range(seed, seed + repeat)
    ]
    beside = [_plain_plan(plans[0], where)] if plain and story.core.udm.shedding == "calibrated" else []
    raise typer.Exit(_run(where, plans, beside, pacing.at_once))


def _run(where: Path, plans: Sequence[StormPlan], beside: Sequence[StormPlan], at_once: int | None) -> int:
    console = Console()
    everything = [*plans, *beside]
    with view_for(console, everything) as view:
        outcome = run_storms(everything, view, at_once=at_once)
    run_directories.write_comparison(where, plans, beside)
    if outcome.in_vain:
        raise KeyboardInterrupt
    comparison = pages.load([where])
    results.show(console, comparison)
    results.say_where(console, pages.write_page(comparison, where / pages.COMPARISON_PAGE))
    return results.exit_code(outcome, comparison)


def _plain_plan(like: StormPlan, where: Path) -> StormPlan:
    """The extra storm: self-protection with the UDM setting for which nothing was fitted. Nothing is expected of it."""
    strategy, path = sources.strategy(PLAIN_UNDER)
    return StormPlan(
        scenario=_with_plain_udm(like.scenario),
        strategy=strategy,
        seed=like.seed,
        sample=like.sample,
        out=where / f"{strategy.name}-plain_udm-seed{like.seed}",
        scenario_path=like.scenario_path,
        strategy_path=str(path),
        label=PLAIN,
        command=like.command,
        engine=like.engine,
        clock=like.clock,
        speed=like.speed,
        attempts_cap=like.attempts_cap,
        transport=like.transport,
        backend=like.backend,
        later=like.later,
    )


def _with_plain_udm(scenario: Scenario) -> Scenario:
    udm = scenario.core.udm.model_copy(update={"shedding": "plain"})
    core = scenario.core.model_copy(update={"udm": udm})
    return scenario.model_copy(update={"core": core, "expected": {}})


def _command(
    scenario: Path,
    strategies: Sequence[str],
    sample: int,
    seed: int,
    repeat: int,
    changes: Sequence[str],
    how: Sequence[str],
) -> str:
    words = ["regstorm", "compare", str(scenario), "--strategies", ",".join(strategies), "--sample", str(sample)]
    words += ["--seed", str(seed), *(["--repeat", str(repeat)] if repeat > 1 else [])]
    words += how
    for change in changes:
        words += ["--set", change]
    return shlex.join(words)
