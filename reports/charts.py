"""The figures of a page, each with a caption and with the same numbers as a table.

Values are those of the full size: what the sample showed times the sample.
"""

from collections.abc import Sequence
from statistics import median

import plotly.graph_objects as go

from regstorm.measures.overload_windows import PAIRS_PER_WINDOW
from regstorm.records import counters
from reports import wording
from reports.comparison import Comparison, Group
from reports.curves import Curve, level, load_window_s, rate
from reports.domain_charts import domain_charts
from reports.figures import (
    MUTED,
    PANEL_HEIGHT,
    TIMER_STYLES,
    Chart,
    Table,
    bars,
    curve_table,
    draw,
    panels,
    range_note,
)
from reports.run_directory import Run

OFFERED, SERVED, DROPPED = ("#E69F00", "dash"), ("#0072B2", "solid"), ("#D55E00", "dot")


def charts(comparison: Comparison) -> list[Chart]:
    """Every figure that the runs have numbers for."""
    groups = [group for group in comparison.groups if any(len(run.timeline) for run in group.runs)]
    if not groups:
        return []
    return [
        in_service(groups),
        *domain_charts(groups),
        udm_load(groups),
        waiting(groups),
        *([rejects(groups)] if _causes(groups) else []),
    ]


def in_service(groups: Sequence[Group]) -> Chart:
    """UEs of the outage group in service with the lower bound, and users who were online all the while."""
    figure = panels(["Outage group", "Online users"], heights=[0.72, 0.28], height=560)
    first = groups[0].runs[0]
    named: list[tuple[str, Curve]] = []
    for group in groups:
        back = level(group, counters.OUTAGE_IN_SERVICE)
        named.append((group.name, back))
        draw(figure, 1, group.name, back, group.colour, group.dash)
        online = level(group, counters.ONLINE_IN_SERVICE)
        named.append((f"{group.name}: online users", online))
        draw(figure, 2, group.name, online, group.colour, group.dash, legend=False)
    bound = first.lower_bound_s
    if bound:
        users = first.outage_ues * first.sample
        line = go.Scatter(x=[0, bound / 60], y=[0, users], name="lower bound", mode="lines", hoverinfo="name")
        figure.add_trace(line.update(line={"color": MUTED, "width": 2, "dash": "dot"}), row=1, col=1)
    figure.update_yaxes(title_text="users in service", rangemode="tozero", row=1, col=1)
    figure.update_yaxes(title_text="users", rangemode="tozero", row=2, col=1)
    caption = "Users of the outage group in full service" + (
        f", against the lower bound: the UDM busy with nothing but first successes ({wording.duration(bound)})."
        if bound
        else "."
    )
    if bound and "lower_bound_nominal_s" in first.entry:
        caption += " Its end is that of the capacity that incidents left; the straight line to it is their average."
    return Chart("in-service", "Users in service", caption + range_note(groups), figure, curve_table(named, "users"))


def udm_load(groups: Sequence[Group]) -> Chart:
    """UDM pairs offered, served and dropped, a panel for each strategy, in pairs/s and in registrations/s (caps)."""
    window = load_window_s([run for group in groups for run in group.runs])
    figure = panels([group.name for group in groups], height=90 + PANEL_HEIGHT * len(groups), second_axis=True)
    named: list[tuple[str, Curve]] = []
    for row, group in enumerate(groups, start=1):
        for name, counter, (colour, dash) in (
            ("offered", counters.UDM_OFFERED, OFFERED),
            ("served", counters.UDM_SERVED, SERVED),
            ("dropped", counters.UDM_DROPPED, DROPPED),
        ):
            curve = rate(group, counter, window)
            named.append((f"{group.name}: {name}", curve))
            draw(figure, row, name, curve, colour, dash, legend=row == 1)
        _capacity(figure, row, group.runs[0], [curve for _, curve in named[-3:]])
    caption = (
        f"Means over {window} s (a window worth {wording.count(PAIRS_PER_WINDOW)} pairs of capacity). "
        "The right-hand scale counts whole registrations per second (caps): pairs divided by the pairs of one."
    )
    return Chart("udm-load", "UDM load", caption + range_note(groups), figure, curve_table(named, "pairs/s"))


def _capacity(figure: go.Figure, row: int, run: Run, curves: Sequence[Curve]) -> None:
    """The capacity line, and the second scale that stands in a fixed ratio to the first."""
    capacity, pairs = run.capacity_pairs_per_s, run.pairs_per_registration
    full = capacity * run.sample if capacity else 0.0
    top = 1.08 * max([full, *(value for curve in curves for value in curve.high if value)], default=1.0) or 1.0
    last = max((curve.minutes[-1] for curve in curves if len(curve)), default=1.0)
    if full:
        style = {"color": MUTED, "width": 2, "dash": "longdash"}
        ends, name = [min(c.minutes[0] for c in curves if len(c)), last], "capacity"
        line = go.Scatter(x=ends, y=[full, full], name=name, mode="lines", line=style, legendgroup=name)
        figure.add_trace(line.update(showlegend=row == 1, hovertemplate="capacity %{y:,.0f} pairs/s"), row=row, col=1)
    figure.update_yaxes(title_text="pairs/s", range=[0, top], row=row, col=1, secondary_y=False)
    if pairs:
        unseen = go.Scatter(x=[last], y=[0], mode="markers", marker={"opacity": 0}, showlegend=False, hoverinfo="skip")
        figure.add_trace(unseen, row=row, col=1, secondary_y=True)
        caps = {
            "title_text": "registrations/s",
            "range": [0, top / pairs],
            "showgrid": False,
            "fixedrange": True,
            "tickmode": "auto",
        }
        figure.update_yaxes(**caps, row=row, col=1, secondary_y=True)
        figure.update_yaxes(fixedrange=True, row=row, col=1, secondary_y=False)


def waiting(groups: Sequence[Group]) -> Chart:
    """UEs that sit on each timer before they try again, a panel for each strategy."""
    timers = sorted({timer for group in groups for run in group.runs for timer in run.family(counters.WAITING)})
    figure = panels([group.name for group in groups], height=90 + PANEL_HEIGHT * len(groups))
    named: list[tuple[str, Curve]] = []
    for row, group in enumerate(groups, start=1):
        for index, timer in enumerate(timers):
            colour, dash = TIMER_STYLES[index % len(TIMER_STYLES)]
            curve = level(group, f"{counters.WAITING}.{timer}")
            named.append((f"{group.name}: {timer}", curve))
            draw(figure, row, timer, curve, colour, dash, legend=row == 1)
        figure.update_yaxes(title_text="users waiting", rangemode="tozero", row=row, col=1)
    caption = (
        "Users that wait before they may try again. T3346 and T3396 (5GSM back-off) are flow control; T3511 (10 s) and "
        "T3502 (12 min unless the network says otherwise) follow a failed attempt."
    )
    return Chart(
        "waiting", "Users waiting on a timer", caption + range_note(groups), figure, curve_table(named, "users")
    )


def rejects(groups: Sequence[Group]) -> Chart:
    """Rejects that user equipment received, by cause."""
    causes = _causes(groups)
    figure = bars(groups, causes, _rejects, "rejects received (full size)")
    table = Table(head=["cause", *(group.name for group in groups)])
    for cause in causes:
        table.rows.append([cause, *(wording.count(_rejects(group, cause)) for group in groups)])
    return Chart(
        "rejects",
        "Rejects by cause",
        "At full size." + ("" if len(groups[0].runs) == 1 else " Medians over the seeds."),
        figure,
        table,
    )


def _rejects(group: Group, cause: str) -> float:
    return median(float((run.entry.get("rejects") or {}).get(cause, 0)) * run.sample for run in group.runs)


def _causes(groups: Sequence[Group]) -> list[str]:
    found = {str(cause) for group in groups for run in group.runs for cause in run.entry.get("rejects") or {}}
    return sorted(found, key=lambda cause: (cause.split("#")[0], cause.rjust(20)))
