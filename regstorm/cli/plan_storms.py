"""The storms that a plan was made for, played by the simulator under the planned strategies."""

from collections.abc import Mapping
from pathlib import Path

from rich.console import Console

from regstorm.cli import options, run_directories
from regstorm.cli.plan_files import Playable
from regstorm.cli.progress_view import view_for
from regstorm.cli.storms import run_storms
from regstorm.overload.samples import largest_sample
from regstorm.planning.simulated import NotSimulated, Simulated, SimulatedRecovery
from regstorm.records.files import BadFile
from regstorm.records.storm_plan import StormPlan
from reports.record_file import RECORD, read_record

RUNS = "runs"
SEED = 1
UES_OF_A_SAMPLE = 4_000
"""Users that a storm is played with if there are more: a few seconds for each set, T99 within some per cent."""


def play(playable: Mapping[str, Playable | NotSimulated], where: Path, console: Console) -> dict[str, Simulated]:
    """By set: what the simulator says, or why it says nothing. Leaves a run directory of each storm in `where`."""
    told: dict[str, Simulated] = {}
    plans: dict[str, StormPlan] = {}
    for name, one in playable.items():
        if isinstance(one, NotSimulated):
            told[name] = one
            continue
        try:
            plans[name] = _storm(one, where / RUNS / name)
        except BadFile as error:
            told[name] = NotSimulated(str(error))
    with view_for(console, list(plans.values())) as view:
        outcome = run_storms(list(plans.values()), view)
    if outcome.interrupted:
        raise KeyboardInterrupt
    return told | {name: _result(plan) for name, plan in plans.items()}


def _storm(one: Playable, out: Path) -> StormPlan:
    options.sample_for(None, ("sim",), one.scenario, [one.strategy])  # raises BadFile for what the simulator lacks
    wanted = max(1, one.scenario.population.outage_ues // UES_OF_A_SAMPLE)
    sample = min(wanted, largest_sample(one.scenario, one.strategy) or wanted)
    return StormPlan(
        scenario=one.scenario,
        strategy=one.strategy.sampled(sample),
        seed=SEED,
        sample=sample,
        out=out,
        scenario_path=str(one.scenario_path),
        strategy_path=str(one.strategy_path),
        command=one.command(sample, SEED),
        engine="sim",
    )


def _result(plan: StormPlan) -> Simulated:
    complete, why = run_directories.outcome(plan)
    if not complete:
        return NotSimulated(why)
    [entry] = read_record(plan.out / RECORD)["runs"]
    recovery, udm = entry["recovery"], entry["udm"]
    return SimulatedRecovery(
        strategy=plan.strategy.name,
        seed=plan.seed,
        sample=plan.sample,
        ues=entry["ues"],
        t50_s=recovery["t50_s"],
        t99_s=recovery["t99_s"],
        share_back=recovery["share_back"],
        peak_load=udm["peak_load"],
        seconds_in_overload=udm["seconds_in_overload"],
    )
