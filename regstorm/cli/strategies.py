"""regstorm strategies: what there is to compare."""

from rich.console import Console
from rich.table import Table

from regstorm.cli import sources
from regstorm.records.files import read
from regstorm.records.strategy import Strategy


def strategies() -> None:
    """Lists the overload controls in strategies/, each with what it does.

    Example: regstorm strategies
    """
    table = Table("name", "what it does", box=None, pad_edge=False, show_lines=True)
    for path in sources.available(sources.STRATEGIES):
        found = read(path, Strategy)
        table.add_row(found.name, f"{found.title}. {found.summary.strip()}\n")
    Console().print(table)
