"""The figures of a page, each with a caption and with the same numbers as a table.

Colours and dashes come from the group; ink, grid and background come from the page's style sheet, so that one figure
serves light, dark and print. Values are those of the full size: what the sample showed times the sample.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from statistics import median

import plotly.graph_objects as go
from plotly.subplots import make_subplots

from regstorm.measures.overload_windows import PAIRS_PER_WINDOW
from regstorm.records import counters
from reports import wording
from reports.comparison import Comparison, Group
from reports.curves import Curve, level, load_window_s, rate
from reports.run_directory import Run

MUTED = "#808080"
"""Readable on white and on the dark ground alike."""
OFFERED, SERVED, DROPPED = ("#E69F00", "dash"), ("#0072B2", "solid"), ("#D55E00", "dot")
TIMER_STYLES = (
    ("#0072B2", "solid"),
    ("#D55E00", "dash"),
    ("#009E73", "dot"),
    ("#CC79A7", "dashdot"),
    ("#E69F00", "longdash"),
    ("#56B4E9", "longdashdot"),
)
TABLE_ROWS = 61
PANEL_HEIGHT = 250


@dataclass(frozen=True)
class Table:
    """The numbers of a figure."""

    head: list[str]
    rows: list[list[str]] = field(default_factory=list)


@dataclass(frozen=True)
class Chart:
    """A figure with what is said about it."""

    key: str
    title: str
    caption: str
    figure: go.Figure
    table: Table

    @property
    def json(self) -> str:
        """The figure for the page; `<` is coded so that nothing in it can end the script element."""
        return str(self.figure.to_json()).replace("<", "\\u003c")


def charts(comparison: Comparison) -> list[Chart]:
    """Every figure that the runs have numbers for."""
    groups = [group for group in comparison.groups if any(len(run.timeline) for run in group.runs)]
    if not groups:
        return []
    return [in_service(groups), udm_load(groups), waiting(groups), *([rejects(groups)] if _causes(groups) else [])]


def in_service(groups: Sequence[Group]) -> Chart:
    """UEs of the outage group in service with the lower bound, and users who were online all the while."""
    figure = _panels(["Outage group", "Online users"], heights=[0.72, 0.28], height=560)
    first = groups[0].runs[0]
    named: list[tuple[str, Curve]] = []
    for group in groups:
        back = level(group, counters.OUTAGE_IN_SERVICE)
        named.append((group.name, back))
        _draw(figure, 1, group.name, back, group.colour, group.dash)
        online = level(group, counters.ONLINE_IN_SERVICE)
        _draw(figure, 2, group.name, online, group.colour, group.dash, legend=False)
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
    return Chart("in-service", "Users in service", caption + _range_note(groups), figure, _table(named, "users"))


def udm_load(groups: Sequence[Group]) -> Chart:
    """UDM pairs offered, served and dropped, a panel for each strategy, in pairs/s and in registrations/s (caps)."""
    window = load_window_s([run for group in groups for run in group.runs])
    figure = _panels([group.name for group in groups], height=90 + PANEL_HEIGHT * len(groups), second_axis=True)
    named: list[tuple[str, Curve]] = []
    for row, group in enumerate(groups, start=1):
        for name, counter, (colour, dash) in (
            ("offered", counters.UDM_OFFERED, OFFERED),
            ("served", counters.UDM_SERVED, SERVED),
            ("dropped", counters.UDM_DROPPED, DROPPED),
        ):
            curve = rate(group, counter, window)
            named.append((f"{group.name}: {name}", curve))
            _draw(figure, row, name, curve, colour, dash, legend=row == 1)
        _capacity(figure, row, group.runs[0], [curve for _, curve in named[-3:]])
    caption = (
        f"Means over {window} s (a window worth {wording.count(PAIRS_PER_WINDOW)} pairs of capacity). "
        "The right-hand scale counts whole registrations per second (caps): pairs divided by the pairs of one."
    )
    return Chart("udm-load", "UDM load", caption + _range_note(groups), figure, _table(named, "pairs/s"))


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
    figure = _panels([group.name for group in groups], height=90 + PANEL_HEIGHT * len(groups))
    named: list[tuple[str, Curve]] = []
    for row, group in enumerate(groups, start=1):
        for index, timer in enumerate(timers):
            colour, dash = TIMER_STYLES[index % len(TIMER_STYLES)]
            curve = level(group, f"{counters.WAITING}.{timer}")
            named.append((f"{group.name}: {timer}", curve))
            _draw(figure, row, timer, curve, colour, dash, legend=row == 1)
        figure.update_yaxes(title_text="users waiting", rangemode="tozero", row=row, col=1)
    caption = (
        "Users that wait before they may try again. T3346 and T3396 (5GSM back-off) are flow control; T3511 (10 s) and "
        "T3502 (12 min unless the network says otherwise) follow a failed attempt."
    )
    return Chart("waiting", "Users waiting on a timer", caption + _range_note(groups), figure, _table(named, "users"))


def rejects(groups: Sequence[Group]) -> Chart:
    """Rejects that user equipment received, by cause."""
    causes = _causes(groups)
    figure = go.Figure()
    table = Table(head=["cause", *(group.name for group in groups)])
    for index, group in enumerate(groups):
        counts = [_rejects(group, cause) for cause in causes]
        pattern = {"shape": ("", "/", "x", ".", "\\", "+")[index % 6], "solidity": 0.35}
        bar = go.Bar(y=causes, x=counts, name=group.name, orientation="h", text=[wording.count(c) for c in counts])
        figure.add_trace(
            bar.update(marker={"color": group.colour, "pattern": pattern}, textposition="outside", cliponaxis=False)
        )
    for cause in causes:
        table.rows.append([cause, *(wording.count(_rejects(group, cause)) for group in groups)])
    style(figure, height=120 + 34 * len(causes) * len(groups))
    figure.update_layout(barmode="group", hovermode="closest", margin_l=150)
    figure.update_xaxes(title_text="rejects received (full size)")
    figure.update_yaxes(autorange="reversed")
    return Chart("rejects", "Rejects by cause", "Medians over the seeds, at full size.", figure, table)


def _rejects(group: Group, cause: str) -> float:
    return median(float((run.entry.get("rejects") or {}).get(cause, 0)) * run.sample for run in group.runs)


def _causes(groups: Sequence[Group]) -> list[str]:
    found = {str(cause) for group in groups for run in group.runs for cause in run.entry.get("rejects") or {}}
    return sorted(found, key=lambda cause: (cause.split("#")[0], cause.rjust(20)))


def _panels(titles: list[str], height: int, heights: list[float] | None = None, second_axis: bool = False) -> go.Figure:
    specs = [[{"secondary_y": second_axis}] for _ in titles]
    gap = min(0.12, 0.3 / len(titles))
    figure = make_subplots(
        rows=len(titles),
        cols=1,
        shared_xaxes=True,
        subplot_titles=titles,
        row_heights=heights,
        specs=specs,
        vertical_spacing=gap,
    )
    style(figure, height)
    figure.update_xaxes(title_text="minutes since the end of the outage", row=len(titles), col=1)
    return figure


def style(figure: go.Figure, height: int) -> None:
    """Ink, grid and ground are the page's; what every figure looks like."""
    figure.update_layout(
        template="none",
        height=height,
        margin={"l": 70, "r": 70, "t": 70, "b": 55},
        paper_bgcolor="rgba(0,0,0,0)",
        plot_bgcolor="rgba(0,0,0,0)",
        font={"family": "system-ui, 'Segoe UI', Roboto, 'DejaVu Sans', sans-serif", "size": 13},
        legend={"orientation": "h", "y": 1, "yref": "container", "x": 0, "yanchor": "top"},
        hovermode="x unified",
        modebar={"bgcolor": "rgba(0,0,0,0)", "color": MUTED, "activecolor": "#0072B2"},
    )
    figure.update_xaxes(gridcolor=MUTED, zeroline=False, hoverformat=".1f")
    figure.update_yaxes(gridcolor=MUTED, zerolinecolor=MUTED, separatethousands=True)


def _draw(figure: go.Figure, row: int, name: str, curve: Curve, colour: str, dash: str, legend: bool = True) -> None:
    """The median as a line, above the range of the seeds as a band."""
    if curve.has_range:
        there_and_back = [*curve.minutes, *reversed(curve.minutes)]
        edge = [*curve.high, *reversed(curve.low)]
        band = go.Scatter(x=there_and_back, y=edge, fill="toself", fillcolor=colour, opacity=0.18, mode="none")
        figure.add_trace(band.update(showlegend=False, hoverinfo="skip", legendgroup=name), row=row, col=1)
    style = {"color": colour, "width": 2.2, "dash": dash}
    line = go.Scatter(x=curve.minutes, y=curve.middle, name=name, mode="lines", line=style, legendgroup=name)
    figure.add_trace(line.update(showlegend=legend, hovertemplate=f"{name} %{{y:,.0f}}<extra></extra>"), row=row, col=1)


def _range_note(groups: Sequence[Group]) -> str:
    seeds = max(len(group.runs) for group in groups)
    return f" Lines are medians of {seeds} seeds, bands their range." if seeds > 1 else ""


def _table(named: Sequence[tuple[str, Curve]], unit: str) -> Table:
    """The curves at whole-minute steps, few enough to be read."""
    last = max((curve.minutes[-1] for _, curve in named if len(curve)), default=0.0)
    step = max(1, -(-int(last) // (TABLE_ROWS - 1)))
    looked_up = [dict(zip(curve.minutes, curve.middle, strict=True)) for _, curve in named]
    table = Table(head=["minute", *(f"{name} ({unit})" for name, _ in named)])
    for minute in range(0, int(last) + 1, step):
        cells = [_nearest(values, float(minute)) for values in looked_up]
        table.rows.append([str(minute), *("" if value is None else wording.count(value) for value in cells)])
    return table


def _nearest(values: dict[float, float | None], minute: float) -> float | None:
    """The value in force at `minute`: the last one at or before it."""
    before = [at for at in values if at <= minute]
    return values[max(before)] if before else None
