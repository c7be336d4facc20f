"""Figures of a storm with IMS: how far users get on their way back, and where UDM/HSS and the nodes spend their work.

Values are those of the full size, medians over the seeds.
"""

from collections.abc import Sequence
from statistics import median

from regstorm.records import counters
from regstorm.records import domain_counters as names
from reports import wording
from reports.comparison import Group
from reports.curves import Curve, cumulated, level
from reports.figures import PANEL_HEIGHT, Chart, Table, bars, curve_table, draw, panels, range_note
from reports.run_directory import number

_STAGES = (
    ("attempted", "#808080", "dot"),
    ("registered in the 5GC", "#0072B2", "solid"),
    ("sessions up", "#E69F00", "dash"),
    ("registered in IMS", "#CC79A7", "dashdot"),
    ("full service", "#009E73", "solid"),
)


def domain_charts(groups: Sequence[Group]) -> list[Chart]:
    """Those that the runs have numbers for; none without IMS."""
    in_funnel = [group for group in groups if _all_have(group, "funnel")]
    with_interfaces = [group for group in groups if _all_have(group, "interfaces")]
    with_nodes = [group for group in groups if _all_have(group, "nodes")]
    return [
        *([funnel(in_funnel)] if in_funnel else []),
        *([interfaces(with_interfaces)] if with_interfaces else []),
        *([nodes(with_nodes)] if with_nodes else []),
    ]


def funnel(groups: Sequence[Group]) -> Chart:
    """How many users of the outage group stand at each stage, a panel for each strategy."""
    figure = panels([group.name for group in groups], height=90 + PANEL_HEIGHT * len(groups))
    named: list[tuple[str, Curve]] = []
    for row, group in enumerate(groups, start=1):
        curves = (
            cumulated(group, names.ATTEMPTED),
            level(group, names.NOW_REGISTERED),
            level(group, names.NOW_SESSIONS_UP),
            level(group, names.NOW_IMS_REGISTERED),
            level(group, counters.OUTAGE_IN_SERVICE),
        )
        for (stage, colour, dash), curve in zip(_STAGES, curves, strict=True):
            named.append((f"{group.name}: {stage}", curve))
            draw(figure, row, stage, curve, colour, dash, legend=row == 1)
        figure.update_yaxes(title_text="users", rangemode="tozero", row=row, col=1)
    caption = (
        "Users of the outage group that have made an attempt since the outage, and those that stand at each stage of "
        "full service now. Each stage includes those before it: the gap between two lines is where users wait."
    )
    table = curve_table(named, "users")
    return Chart("funnel", "Where users are on their way back", caption + range_note(groups), figure, table)


def interfaces(groups: Sequence[Group]) -> Chart:
    """Wasted pairs by interface, or what was served where nobody says that any were wasted; in the table all of it."""
    known = list(dict.fromkeys(one for group in groups for one in group.runs[0].look_up("interfaces") or {}))
    silent = [group.name for group in groups if _median(group, "interfaces", known[0], "wasted") is None]
    kinds = ("offered", "served", "dropped", *(["wasted"] if len(silent) < len(groups) else []))
    wasted = any(_median(group, "interfaces", one, "wasted") for group in groups for one in known)
    drawn, title = ("wasted", "Wasted work by interface") if wasted else ("served", "Work by interface")
    figure = bars(groups, known, lambda group, one: _median(group, "interfaces", one, drawn), f"{drawn} pairs")
    caption = (
        "Pairs served that led to nobody's full service, by interface. The table has all that were offered."
        if wasted
        else "Pairs that UDM and HSS served, by interface. The table has all that were offered."
    )
    if silent and wasted:
        caption += f" Of {wording.listed(silent)} nobody knows where the waste was."
    table = _table(groups, "interface", known, kinds, "interfaces")
    return Chart("interfaces", title, caption, figure, table)


def nodes(groups: Sequence[Group]) -> Chart:
    """Requests by node; in the table what it refused and dropped as well."""
    known = list(dict.fromkeys(one for group in groups for one in group.runs[0].look_up("nodes") or {}))
    figure = bars(groups, known, lambda group, one: _median(group, "nodes", one, "requests"), "requests")
    caption = (
        "Requests that reached each function over the whole run: those of UEs at AMF and SBC, those of other functions "
        "elsewhere. The table has what it refused by its gate and dropped by its own overload."
    )
    table = _table(groups, "node", known, ("requests", "refused", "dropped"), "nodes")
    return Chart("nodes", "Requests by node", caption, figure, table)


def _table(groups: Sequence[Group], what: str, known: Sequence[str], kinds: Sequence[str], of: str) -> Table:
    table = Table(head=[what, *(f"{group.name}: {kind}" for group in groups for kind in kinds)])
    for one in known:
        values = (_median(group, of, one, kind) for group in groups for kind in kinds)
        table.rows.append([one, *("" if value is None else wording.count(value) for value in values)])
    return table


def _median(group: Group, *path: str) -> float | None:
    """At full size, over the seeds that tell."""
    told = [value * run.sample for run in group.runs if (value := number(run.look_up(*path))) is not None]
    return median(told) if told else None


def _all_have(group: Group, name: str) -> bool:
    return all(run.entry.get(name) for run in group.runs)
