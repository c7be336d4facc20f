"""How storms go on, in the terminal: a bar for each, or plain lines where there is no terminal."""

from collections.abc import Sequence
from types import TracebackType
from typing import Self

from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, TaskID, TextColumn
from rich.progress import Progress as Bars

from regstorm.cli.storms import Ended
from regstorm.records.storm_plan import Progress, StormPlan

PLAIN_EVERY_S = 5.0
"""Wall seconds between two plain lines of one storm."""


def name_of(plan: StormPlan) -> str:
    """What a storm is called in the terminal."""
    apart = ", ".join(word for word in (plan.label, "simulated" if plan.engine == "sim" else "") if word)
    return f"{plan.strategy.name}{f' ({apart})' if apart else ''}, seed {plan.seed}"


def clock(seconds: float) -> str:
    """`12:05`."""
    return f"{int(seconds) // 60}:{int(seconds) % 60:02d}"


def describe(progress: Progress) -> str:
    """Scenario clock, how many are back, UDM load."""
    share = progress.back / progress.outage_ues if progress.outage_ues else 0.0
    load = "" if progress.udm_load is None else f"  UDM {progress.udm_load:4.0%}"
    return f"{clock(progress.scenario_s):>5} of {clock(progress.until_s)} min  {share:4.0%} back{load}"


class BarView:
    """A bar for each storm: how many of its users are back."""

    def __init__(self, console: Console, plans: Sequence[StormPlan]) -> None:
        self._bars = Bars(
            TextColumn("{task.description}"), BarColumn(), TextColumn("{task.fields[told]}"), console=console
        )
        self._tasks: list[TaskID] = [self._bars.add_task(name_of(plan), total=1.0, told="waiting") for plan in plans]

    def __enter__(self) -> Self:
        self._bars.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._bars.stop()

    def progress(self, index: int, progress: Progress) -> None:
        """Moves the bar of that storm."""
        done = progress.back / progress.outage_ues if progress.outage_ues else 0.0
        self._bars.update(self._tasks[index], completed=done, told=describe(progress))

    def ended(self, index: int, ended: Ended) -> None:
        """The last word about that storm."""
        told = "[green]done[/]" if ended.complete else f"[red]PARTIAL[/] {escape(ended.why)}"
        self._bars.update(self._tasks[index], told=told)


class LineView:
    """Plain lines, a few for each storm."""

    def __init__(self, console: Console, plans: Sequence[StormPlan]) -> None:
        self._console = console
        self._names = [name_of(plan) for plan in plans]
        self._next_s = [0.0] * len(plans)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        """Nothing to take down."""

    def progress(self, index: int, progress: Progress) -> None:
        """A line, unless the last one was a moment ago."""
        if progress.wall_s >= self._next_s[index]:
            self._next_s[index] = progress.wall_s + PLAIN_EVERY_S
            self._say(index, describe(progress).strip())

    def ended(self, index: int, ended: Ended) -> None:
        """The last word about that storm."""
        self._say(index, "done" if ended.complete else f"PARTIAL: {ended.why}")

    def _say(self, index: int, text: str) -> None:
        self._console.print(f"{self._names[index]}: {text}", markup=False, highlight=False, soft_wrap=True)


def view_for(console: Console, plans: Sequence[StormPlan]) -> BarView | LineView:
    """Bars on a terminal, else lines."""
    return BarView(console, plans) if console.is_terminal else LineView(console, plans)
