"""How a sweep goes on, in the terminal: one bar for all storms, or a line for each that has ended."""

from collections.abc import Sequence
from types import TracebackType
from typing import Self

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn
from rich.progress import Progress as Bars

from regstorm.cli.progress_view import name_of
from regstorm.cli.storms import Ended
from regstorm.cli.sweep_cells import Cell
from regstorm.records.storm_plan import Progress


class BarView:
    """One bar for all storms."""

    def __init__(self, console: Console, there: int, missing: Sequence[Cell], total: int) -> None:
        self._bars = Bars(
            TextColumn("storms"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn(), console=console
        )
        self._task = self._bars.add_task("storms", total=total, completed=there)

    def __enter__(self) -> Self:
        self._bars.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._bars.stop()

    def progress(self, index: int, progress: Progress) -> None:
        """A storm goes on: the bar counts whole ones."""

    def ended(self, index: int, ended: Ended) -> None:
        """One more."""
        self._bars.advance(self._task)


class LineView:
    """A line for each storm that has ended."""

    def __init__(self, console: Console, there: int, missing: Sequence[Cell], total: int) -> None:
        self._console = console
        self._done, self._total = there, total
        self._missing = missing

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        """Nothing to take down."""

    def progress(self, index: int, progress: Progress) -> None:
        """A storm goes on: lines are for whole ones."""

    def ended(self, index: int, ended: Ended) -> None:
        """One more."""
        self._done += 1
        values = ", ".join(f"{name} {value}" for name, value in self._missing[index].values.items() if value)
        how = "done" if ended.complete else f"PARTIAL: {ended.why}"
        self._console.print(
            f"{self._done} of {self._total}: {name_of(ended.plan)}; {values or 'as it is'}: {how}",
            markup=False,
            highlight=False,
            soft_wrap=True,
        )


def view_for(console: Console, there: int, missing: Sequence[Cell], total: int) -> BarView | LineView:
    """A bar on a terminal, else lines. `there`: storms that need not be played again."""
    return (BarView if console.is_terminal else LineView)(console, there, missing, total)
