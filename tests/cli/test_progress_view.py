"""Progress in a terminal and without one."""

from io import StringIO

from rich.console import Console

from regstorm.cli import sources
from regstorm.cli.progress_view import view_for
from regstorm.cli.storms import Ended
from regstorm.records.storm_plan import Progress, StormPlan

HALF_WAY = Progress(725.0, 3780.0, 980, 1000, 2000, 120, 0.93, 8.0)


def plan(tmp_path) -> StormPlan:
    scenario, _ = sources.scenario("outage_return")
    return StormPlan(scenario, sources.strategy("tiered")[0], seed=3, sample=100, out=tmp_path)


def shown(tmp_path, terminal: bool, *, complete: bool) -> str:
    console = Console(file=StringIO(), force_terminal=terminal, width=120, color_system=None)
    storm = plan(tmp_path)
    with view_for(console, [storm]) as view:
        view.progress(0, HALF_WAY)
        view.progress(0, HALF_WAY)
        view.ended(0, Ended(storm, complete, "" if complete else "KeyError: [/red]"))
    return console.file.getvalue()


def test_a_terminal_gets_a_bar_with_clock_share_back_and_load(tmp_path):
    assert "tiered, seed 3" in shown(tmp_path, terminal=True, complete=True)
    assert "done" in shown(tmp_path, terminal=True, complete=True)


def test_without_a_terminal_there_are_plain_lines_and_not_too_many(tmp_path):
    assert shown(tmp_path, terminal=False, complete=True).splitlines() == [
        "tiered, seed 3: 12:05 of 63:00 min   50% back  UDM  93%",
        "tiered, seed 3: done",
    ]


def test_why_a_storm_is_partial_is_shown_as_it_is(tmp_path):
    for terminal in (True, False):
        assert "KeyError: [/red]" in shown(tmp_path, terminal, complete=False)
