"""regstorm scenarios: which storms there are, and what one of them rests on."""

from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table

from regstorm.cli import sources
from regstorm.records.files import read
from regstorm.records.scenario import Scenario


def scenarios(
    name: Annotated[
        str | None, typer.Argument(metavar="SCENARIO", help="Describes it: sources, what is derived, what is left out.")
    ] = None,
) -> None:
    """Lists the storms in scenarios/, each with its size, or describes one.

    Example: regstorm scenarios kddi_2022
    """
    console = Console()
    if name is not None:
        _describe(console, name)
        return
    table = Table("name", "outage users", "online users", "what it is", box=None, pad_edge=False)
    for path in sources.available(sources.SCENARIOS):
        found = read(path, Scenario)
        size = found.population
        table.add_row(found.name, f"{size.outage_ues:,}", f"{size.online_ues:,}", found.title)
    console.print(table)


def _describe(console: Console, name: str) -> None:
    found, path = sources.scenario(name)
    size = found.population
    about = f"{path}: {size.outage_ues:,} outage users, {size.online_ues:,} online users"
    for text, style in ((found.title, "bold"), (about, ""), (found.description.strip(), "")):
        console.print(text, style=style, markup=False, highlight=False)
