"""regstorm amplification: one UE per procedure at the bundled core, and which messages that takes."""

import sys
from typing import Annotated, Any

import orjson
import typer
from rich.console import Console
from rich.table import Table

from regstorm.cli import options, sources
from regstorm.drivers.amplification import FULL, NotMeasured, fire_all
from regstorm.measures import amplification as measured
from regstorm.records.files import BadFile

DEFAULT = "outage_return"


def amplification(
    scenario: Annotated[str, typer.Argument(metavar="[SCENARIO]", help="A name in scenarios/ or a file.")] = DEFAULT,
    strategy: Annotated[str, typer.Option(help="A name in strategies/ or a file.")] = "self_protection",
    seed: options.Seed = 1,
    json: Annotated[
        bool, typer.Option("--json", help="Prints everything as JSON; regstorm plan --counters takes the file.")
    ] = False,
    changes: options.Set = None,
) -> None:
    """Measures which messages each procedure of one UE takes, between which functions, and the UDM/HSS pairs of it.

    Example: regstorm amplification outage_return --json > amplification.json
    """
    story, _ = sources.scenario(scenario, changes or [])
    chosen, _ = sources.strategy(strategy, story)
    fired = []
    with Console(stderr=True).status("firing …") as status:
        try:
            for one in fire_all(story, chosen, seed):
                status.update(f"{one.procedure}: {one.total} messages")
                fired.append(one)
        except NotMeasured as error:
            raise BadFile(f"{scenario} under {chosen.name}: {error}") from None
    switches = {
        "ims": story.population.ims,
        "core.ims.aggregated_download": story.core.ims.aggregated_download,
        "core.aggregated_nudm": story.core.aggregated_nudm,
    }
    told = measured.document(story.name, chosen.name, switches, fired, FULL)
    if json:
        sys.stdout.buffer.write(orjson.dumps(told, option=orjson.OPT_INDENT_2) + b"\n")
        return
    _show(Console(), told)


def _show(console: Console, told: dict[str, Any]) -> None:
    procedures = told["procedures"]
    known = [one for one in measured.PAIR_INTERFACES if any(each["pairs"][one] for each in procedures)]
    _say(console, "UDM/HSS pairs", "bold")
    _table(console, known, [(each["procedure"], each["pairs"], sum(each["pairs"].values())) for each in procedures])
    passed = [
        one
        for one in measured.INTERFACES
        if one not in measured.CARRIED and any(one in each["interfaces"] for each in procedures)
    ]
    _say(console, "\nMessages", "bold")
    _table(console, passed, [(each["procedure"], each["interfaces"], each["messages"]) for each in procedures])
    full = procedures[-1]
    _say(console, f"\nNodes: a {full['procedure']}", "bold")
    table = _empty("node", "sent", "received")
    for node, counts in full["nodes"].items():
        table.add_row(node, str(counts["sent"]), str(counts["received"]))
    console.print(table)
    carried = [
        f"{full['interfaces'][one]} on {one} inside {outer}"
        for one, outer in measured.CARRIED.items()
        if one in full["interfaces"]
    ]
    _say(
        console,
        f"\nA {full['procedure']} is {full['messages']} messages through {len(full['functions'])} functions of the "
        f"core ({', '.join(full['functions'])}), and {sum(full['pairs'].values())} pairs at UDM and HSS. "
        f"Messages inside others are counted once: {', '.join(carried)}.",
    )
    _say(console, f"Not modelled, so not counted: {'; '.join(told['not_modelled'])}.")


def _table(console: Console, interfaces: list[str], rows: list[tuple[str, dict[str, int], int]]) -> None:
    table = _empty("procedure", *interfaces, "all")
    for procedure, counts, total in rows:
        table.add_row(procedure, *(str(counts.get(one) or "") for one in interfaces), str(total))
    console.print(table)


def _empty(first: str, *others: str) -> Table:
    table = Table(box=None, pad_edge=False, padding=(0, 0, 0, 1))
    table.add_column(first, no_wrap=True)
    for name in others:
        table.add_column(name, justify="right")
    return table


def _say(console: Console, text: str, style: str = "") -> None:
    console.print(text, style=style, markup=False, highlight=False, soft_wrap=True)
