"""The figures of a sweep: curves over one field, heat maps over two, a tornado over the assumptions."""

from collections.abc import Sequence
from typing import Any

import plotly.graph_objects as go
from plotly.subplots import make_subplots

from reports import wording
from reports.comparison import STYLES
from reports.figures import PANEL_HEIGHT, Chart, Table, style
from reports.sweep_collapse import collapse
from reports.sweep_document import SHARE, T99_MINUTES, Spot, bars, scaled, seed_bars, spots, strategies, values_of
from reports.sweep_tornado import tornado

HEAT = [[0.0, "#FFF3C4"], [0.5, "#E69F00"], [1.0, "#D55E00"]]
"""Light enough everywhere for dark figures on it."""


def charts(document: dict[str, Any]) -> list[Chart]:
    """What can be drawn of it: figures that differ at all. More than two fields are shown as a table only."""
    found = spots(document)
    if document["kind"] == "tornado":
        return [one for strategy in strategies(document) if (one := tornado(strategy, bars(document, strategy)))]
    if document["kind"] == "variants":
        return [_dots(found, strategies(document), *what) for what in _OF_VARIANTS]
    fields = document["fields"]
    told = [what for what in _WHAT if len({spot.median(what[3]) for spot in found}) > 1]
    if len(fields) == 1:
        goodput = collapse(document)
        curves = [_curves(found, strategies(document), fields[0], *what) for what in told]
        return [*curves, goodput] if goodput else curves
    if len(fields) == 2:
        return [_heat_maps(found, strategies(document), fields, *what) for what in told]
    return []


_WHAT = (
    ("t99", "T99", T99_MINUTES, "t99_s", 1 / 60),
    ("share-back", "Share back", SHARE, "share_back", 100.0),
    ("attempts", "Attempts per success", "attempts for each success", "attempts_per_success", 1.0),
)

_OF_VARIANTS = (
    ("t99", "T99", T99_MINUTES, "t99_s", 1 / 60),
    ("back-at-10-min", "Back after ten minutes", SHARE, "share_back_10_min", 100.0),
)


def _dots(
    found: Sequence[Spot], names: Sequence[str], key: str, title: str, axis: str, figure: str, unit: float
) -> Chart:
    """A line for each variant, a dot on it for each strategy, with the range of the seeds."""
    drawn = go.Figure()
    variants = list(dict.fromkeys(spot.variant for spot in found))
    for index, name in enumerate(names):
        mine = [spot for spot in found if spot.strategy == name]
        x = [scaled(spot.median(figure), unit) for spot in mine]
        dots = go.Scatter(x=x, y=[spot.variant for spot in mine], name=name, mode="markers")
        dots.update(error_x=seed_bars(mine, x, figure, unit))
        drawn.add_trace(dots.update(marker={"color": STYLES[index % len(STYLES)][0], "symbol": index, "size": 11}))
    style(drawn, 170 + 40 * len(variants))
    drawn.update_layout(hovermode="closest", margin_l=270)
    drawn.update_yaxes(categoryorder="array", categoryarray=variants[::-1], range=[-0.7, len(variants) - 0.3])
    drawn.update_xaxes(title_text=axis, rangemode="tozero")
    table = Table(head=["variant", *names])
    for variant in variants:
        by_name = {spot.strategy: _said(spot, figure) for spot in found if spot.variant == variant}
        table.rows.append([variant, *(by_name.get(name, "") for name in names)])
    return Chart(key, title, f"Each change alone. {_caption(figure)}".rstrip(), drawn, table)


def _curves(
    found: Sequence[Spot], names: Sequence[str], field: str, key: str, title: str, axis: str, figure: str, unit: float
) -> Chart:
    drawn = go.Figure()
    for index, name in enumerate(names):
        colour, dash = STYLES[index % len(STYLES)]
        mine = [spot for spot in found if spot.strategy == name]
        x = [spot.values[field] for spot in mine]
        y = [scaled(spot.median(figure), unit) for spot in mine]
        drawn.add_trace(
            go.Scatter(x=x, y=y, name=name, mode="lines+markers", error_y=seed_bars(mine, y, figure, unit)).update(
                line={"color": colour, "dash": dash, "width": 2.2}, marker={"size": 9}
            )
        )
    style(drawn, 420)
    drawn.update_xaxes(title_text=field, type="category")
    drawn.update_yaxes(title_text=axis, rangemode="tozero")
    return Chart(key, title, _caption(figure), drawn, _table_by_value(found, names, field, figure))


def _heat_maps(
    found: Sequence[Spot],
    names: Sequence[str],
    fields: Sequence[str],
    key: str,
    title: str,
    axis: str,
    figure: str,
    unit: float,
) -> Chart:
    """A panel for each strategy, all on one scale."""
    across, down = fields
    columns, lines = values_of(found, across), values_of(found, down)
    gap = min(0.12, 0.4 / len(names))
    drawn = make_subplots(rows=len(names), cols=1, subplot_titles=list(names), vertical_spacing=gap)
    table = Table(head=["strategy", down, *(f"{across} {value}" for value in columns)])
    for row, name in enumerate(names, start=1):
        mine = {(s.values[across], s.values[down]): s for s in found if s.strategy == name}
        cells = [[mine.get((x, y)) for x in columns] for y in lines]
        values = [[None if one is None else scaled(one.median(figure), unit) for one in line] for line in cells]
        said = [["" if one is None else _said(one, figure) for one in line] for line in cells]
        drawn.add_trace(
            go.Heatmap(x=columns, y=lines, z=values, text=said, texttemplate="%{text}", coloraxis="coloraxis"),
            row=row,
            col=1,
        )
        table.rows.extend([name, value, *line] for value, line in zip(lines, said, strict=True))
    style(drawn, 130 + len(names) * max(PANEL_HEIGHT, 34 * len(lines)))
    drawn.update_layout(coloraxis={"colorscale": HEAT, "colorbar": {"title": {"text": axis, "side": "right"}}})
    drawn.update_layout(hovermode="closest")
    drawn.update_xaxes(type="category", showgrid=False)
    drawn.update_yaxes(type="category", showgrid=False, title_text=down)
    drawn.update_xaxes(title_text=across, row=len(names), col=1)
    return Chart(key, title, _caption(figure), drawn, table)


def _table_by_value(found: Sequence[Spot], names: Sequence[str], field: str, figure: str) -> Table:
    table = Table(head=[field, *names])
    for value in values_of(found, field):
        by_name = {spot.strategy: spot for spot in found if spot.values[field] == value}
        table.rows.append([value, *(_said(by_name[name], figure) if name in by_name else "" for name in names)])
    return table


def _said(spot: Spot, figure: str) -> str:
    if figure == "t99_s" or not spot.known:
        return spot.t99()
    middle = spot.median(figure)
    return wording.percent(middle) if figure.startswith("share_back") else wording.ratio(middle)


def _caption(figure: str) -> str:
    if figure != "t99_s":
        return ""
    return "Where 99 % were not reached there is no value, and the table says how many are back."
