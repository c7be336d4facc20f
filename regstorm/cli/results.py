"""What a command says in the terminal when its storms have ended, and with which code it exits."""

from collections.abc import Iterator
from pathlib import Path

from rich.console import Console
from rich.table import Table

from regstorm.cli.exit_codes import INTERNAL_ERROR, INTERRUPTED, PASSED, VERDICT_MISSED
from regstorm.cli.storms import Outcome
from reports import pages, population
from reports.assumptions import plain_beside
from reports.comparison import Comparison
from reports.headline import headline
from reports.key_figures import IN_THE_TERMINAL, rows
from reports.run_directory import PASSED as PASSED_VERDICT
from reports.run_directory import Run


def show(console: Console, comparison: Comparison) -> None:
    """Headline, main figures and verdicts."""
    colour = "red" if comparison.partial else "bold"
    console.print()
    console.print(headline(comparison), style=colour, markup=False, highlight=False, soft_wrap=True)
    _say_population(console, comparison.first)
    table = Table("", *(group.name for group in comparison.groups), box=None, pad_edge=False)
    for row in rows(comparison.groups, IN_THE_TERMINAL):
        table.add_row(row.name, *row.cells)
    console.print(table)
    if comparison.first.sample > 1:
        console.print("Counts are those of the sample.", markup=False, highlight=False, soft_wrap=True)
    beside = plain_beside(comparison)
    if beside:
        console.print(f"Calibrated UDM (fitted): {beside}", markup=False, highlight=False, soft_wrap=True)
    for line in comparison.warnings:
        console.print(f"! {line}", style="yellow", markup=False, highlight=False, soft_wrap=True)
    for run in all_runs(comparison):
        _say_verdict(console, run)


def _say_population(console: Console, run: Run) -> None:
    """Under the headline, so that a title which names other numbers misleads nobody."""
    changed = population.changes(run)
    lines = [f"Users: {population.users(run)}"] if population.users(run) else []
    lines += [f"Changed in {run.header.get('scenario')}: {', '.join(changed)}"] if changed else []
    for line in lines:
        console.print(line, markup=False, highlight=False, soft_wrap=True)


def _say_verdict(console: Console, run: Run) -> None:
    lines = [str(line) for line in run.look_up("verdict", "failed") or []] if run.complete else [run.why]
    text = f"{run.name}: {run.verdict}" + (f": {'; '.join(lines)}" if lines else "")
    style = "red" if lines else "green" if run.verdict == PASSED_VERDICT else ""
    console.print(text, style=style, markup=False, highlight=False, soft_wrap=True)


def say_where(console: Console, page: Path) -> None:
    """Where the report is."""
    console.print(f"\nReport: {page}", markup=False, highlight=False, soft_wrap=True)


def all_runs(comparison: Comparison) -> Iterator[Run]:
    """The compared runs."""
    for group in comparison.groups:
        yield from group.runs


def exit_code(outcome: Outcome, comparison: Comparison) -> int:
    """0 every run came to its end and passed; see exit_codes for the rest."""
    if outcome.interrupted:
        return INTERRUPTED
    if not all(ended.complete for ended in outcome.ended):
        return INTERNAL_ERROR
    missed = any(run.look_up("verdict", "pass") is False for run in all_runs(comparison))
    return VERDICT_MISSED if missed else PASSED


def write_page(comparison: Comparison, where: Path) -> Path:
    """The page of a command's directory: several strategies compared, or one."""
    name = pages.COMPARISON_PAGE if len(comparison.groups) > 1 else pages.RUN_PAGE
    return pages.write_page(comparison, where / name)
