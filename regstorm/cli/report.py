"""regstorm report: the page again, from run directories."""

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from regstorm.cli import results
from regstorm.records.files import BadFile
from reports import pages


def report(
    run_dirs: Annotated[
        list[Path], typer.Argument(metavar="RUN_DIR…", help="Run directories, or directories of them.")
    ],
    out: Annotated[Path | None, typer.Option(metavar="FILE", help="Default: beside the runs.")] = None,
) -> None:
    """Writes the page for run directories: one run alone, several seeds, several strategies compared.

    Example: regstorm report runs/compare-outage_return --out storm.html
    """
    console = Console()
    comparison = pages.load(run_dirs)
    try:
        page = pages.write_page(comparison, out) if out else results.write_page(comparison, run_dirs[0])
    except OSError as error:
        raise BadFile(f"{out or run_dirs[0]}: cannot be written: {error.strerror}") from None
    results.show(console, comparison)
    results.say_where(console, page)
