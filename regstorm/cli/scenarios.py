"""regstorm scenarios: which storms there are."""

from rich.console import Console
from rich.table import Table

from regstorm.cli import sources
from regstorm.records.files import read
from regstorm.records.scenario import Scenario


def scenarios() -> None:
    """Lists the storms in scenarios/, each with its size.

    Example: regstorm scenarios
    """
    table = Table("name", "outage users", "online users", "what it is", box=None, pad_edge=False)
    for path in sources.available(sources.SCENARIOS):
        found = read(path, Scenario)
        size = found.population
        text = f"{found.title}. {found.description.strip()}\n"
        table.add_row(found.name, f"{size.outage_ues:,}", f"{size.online_ues:,}", text)
    Console().print(table)
