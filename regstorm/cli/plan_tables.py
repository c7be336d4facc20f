"""A plan in the terminal."""

from rich.console import Console
from rich.table import Table

from regstorm.planning.document import Document
from reports import plan_page
from reports.wording import duration, percent


def show(console: Console, document: Document) -> None:
    """Amplification, every set, warnings and the answers to the inverse questions."""
    _amplification(console, document["amplification"])
    for one in document["sets"]:
        _set(console, one)
    _inverse(console, document)
    for warning in document["warnings"]:
        _say(console, f"! {warning['set']}: {warning['text']}", "yellow")


def _amplification(console: Console, amplification: Document) -> None:
    table = _table("procedure", "pairs", "by interface", "from")
    for procedure, pairs in amplification["pairs"].items():
        by_interface = ", ".join(f"{interface} {value:.4g}" for interface, value in pairs.items())
        table.add_row(procedure, f"{sum(pairs.values()):.4g}", by_interface, amplification["origin"][procedure])
    console.print(table)


def _set(console: Console, one: Document) -> None:
    binding = one["binding"]
    _say(console, f"\n{one['name']}: {one['title']}", "bold")
    bound = f", bound by {binding['node']} ({binding['units']})" if binding else ""
    _say(
        console,
        f"{one['users_per_s']:,.1f} users/s{bound}; all let in within {duration(one['promised_s'])}, "
        f"lower bound {duration(one['lower_bound_s'])}; margin {one['margin']:.0%}",
    )
    if one["simulated"]:
        _say(console, plan_page.simulated(one["simulated"]))
    shares = (f"{x} ({share['group']}) {share['share']:.4f}" for x, share in one["shares"].items() if share["share"])
    _say(console, ", ".join(shares))
    _thresholds(console, one)
    table = _table("UDM/HSS", "interface", "guard", "limit pairs/s", "messages/s", "caps")
    for guard in one["guards"]:
        numbers = (f"{guard[name]:,.1f}" for name in ("pairs_per_s", "messages_per_s", "caps"))
        table.add_row(guard["node"], guard["group"], guard["guard"], *numbers)
    console.print(table)
    before = {(load["node"], load["units"]): load["load"] for load in one["loads_before"]}
    table = _table("UDM/HSS", "units", "load pairs/s", "of capacity", *(["under what stands before"] if before else []))
    for load in one["loads"]:
        row = [load["node"], load["units"], f"{load['total']:,.0f}", percent(load["load"])]
        table.add_row(*row, *([percent(before[load["node"], load["units"]])] if before else []))
    console.print(table)


def _thresholds(console: Console, one: Document) -> None:
    compared = any(threshold["in_force"] is not None for threshold in one["thresholds"])
    extra = ("in force", "difference") if compared else ()
    table = _table("front door", "node", "UEs/s (caps)", "uplink messages/s", *extra)
    for total in one["totals"]:
        kind = total["front_door"]
        table.add_row(kind, "all", f"{total['ues_per_s']:,.1f}", f"{total['messages_per_s']:,.1f}")
        for threshold in (each for each in one["thresholds"] if each["front_door"] == kind):
            cells = [f"{threshold['ues_per_s']:,.1f}", f"{threshold['messages_per_s']:,.1f}"]
            if threshold["in_force"] is not None:
                cells += [f"{threshold['in_force']:,.1f}", f"{threshold['difference']:+,.1f}"]
            table.add_row("", threshold["node"], *cells)
    console.print(table)


def _inverse(console: Console, document: Document) -> None:
    if document["capacity"]:
        capacity = document["capacity"]
        _say(console, f"\nTo be back within {duration(capacity['within_s'])}:", "bold")
        table = _table("node", "units", "needed", "there is", "missing", "")
        for need in capacity["needs"]:
            numbers = (f"{need[name]:,.0f}" for name in ("needed", "there_is", "missing"))
            table.add_row(need["node"], need["units"], *numbers, need["unit"])
        console.print(table)
    more = document["one_more_udm"]
    sizes = " and ".join(f"{size:,.0f} pairs/s ({units})" for units, size in more["capacities"].items())
    _say(
        console,
        f"\nOne more UDM of {sizes} with {percent(more['share'])} of the users: all let in within "
        f"{duration(more['promised_after_s'])} instead of {duration(more['promised_before_s'])}.",
    )


def _table(*head: str) -> Table:
    words = ("procedure", "by interface", "from", "front door", "node", "UDM/HSS", "interface", "guard", "units")
    table = Table(box=None, pad_edge=False)
    for name in head:
        table.add_column(name, justify="left" if name in words else "right")
    return table


def _say(console: Console, text: str, style: str = "") -> None:
    console.print(text, style=style, markup=False, highlight=False, soft_wrap=True)
