"""What figures are made of: panels, lines with their range over the seeds, ink and ground, and the same as a table.

Colours and dashes come from the group; ink, grid and background come from the page's style sheet, so that one figure
serves light, dark and print.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import plotly.graph_objects as go
from plotly.subplots import make_subplots

from reports import wording
from reports.comparison import Group
from reports.curves import Curve

MUTED = "#808080"
"""Readable on white and on the dark ground alike."""
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


def panels(titles: list[str], height: int, heights: list[float] | None = None, second_axis: bool = False) -> go.Figure:
    """One panel below the other, over the minutes since the end of the outage."""
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


def draw(figure: go.Figure, row: int, name: str, curve: Curve, colour: str, dash: str, legend: bool = True) -> None:
    """The median as a line, above the range of the seeds as a band."""
    if curve.has_range:
        there_and_back = [*curve.minutes, *reversed(curve.minutes)]
        edge = [*curve.high, *reversed(curve.low)]
        band = go.Scatter(x=there_and_back, y=edge, fill="toself", fillcolor=colour, opacity=0.18, mode="none")
        figure.add_trace(band.update(showlegend=False, hoverinfo="skip", legendgroup=name), row=row, col=1)
    style = {"color": colour, "width": 2.2, "dash": dash}
    line = go.Scatter(x=curve.minutes, y=curve.middle, name=name, mode="lines", line=style, legendgroup=name)
    figure.add_trace(line.update(showlegend=legend, hovertemplate=f"{name} %{{y:,.0f}}<extra></extra>"), row=row, col=1)


def bars(
    groups: Sequence[Group], names: Sequence[str], of: Callable[[Group, str], float | None], axis: str
) -> go.Figure:
    """A bar for each of `names` and each group, lying, the first on top."""
    figure = go.Figure()
    for index, group in enumerate(groups):
        counts = [of(group, name) for name in names]
        pattern = {"shape": ("", "/", "x", ".", "\\", "+")[index % 6], "solidity": 0.35}
        texts = ["" if count is None else wording.count(count) for count in counts]
        bar = go.Bar(y=list(names), x=counts, name=group.name, orientation="h", text=texts)
        figure.add_trace(
            bar.update(marker={"color": group.colour, "pattern": pattern}, textposition="outside", cliponaxis=False)
        )
    style(figure, height=120 + 34 * len(names) * len(groups))
    figure.update_layout(barmode="group", hovermode="closest", margin_l=150)
    figure.update_xaxes(title_text=axis, rangemode="tozero")
    figure.update_yaxes(autorange="reversed")
    return figure


def range_note(groups: Sequence[Group]) -> str:
    """What lines and bands are, where there are several seeds."""
    seeds = max(len(group.runs) for group in groups)
    return f" Lines are medians of {seeds} seeds, bands their range." if seeds > 1 else ""


def curve_table(named: Sequence[tuple[str, Curve]], unit: str) -> Table:
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
