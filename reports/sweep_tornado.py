"""The tornado: how far each assumption moves T99 to either side of the storm as it is, as a figure and in words.

Where the storm as it is does not bring 99 % back there is no T99 to move: the bars are of the share back then.
"""

from collections.abc import Sequence

import plotly.graph_objects as go

from reports import wording
from reports.figures import MUTED, Chart, Table, style
from reports.sweep_document import SHARE, T99_MINUTES, Bar, Spot

ROW_HEIGHT = 46
"""Of a bar with its sides in words above it."""


def tornado(strategy: str, ranked: Sequence[Bar]) -> Chart | None:
    """A bar for each assumption, from its lowest to its highest outcome, and a dot for each side."""
    if not ranked:
        return None
    drawn = go.Figure()
    for bar in ranked:
        found = sorted(_outcome(bar, spot) for spot in bar.all_spots)
        line = go.Bar(y=[bar.assumption], x=[found[-1] - found[0]], base=found[0], orientation="h", width=0.36)
        drawn.add_trace(line.update(marker={"color": "#0072B2"}, showlegend=False, hoverinfo="skip"))
        played = [spot for spot in bar.spots if spot.known]
        dots = go.Scatter(x=[_outcome(bar, spot) for spot in played], y=[bar.assumption] * len(played), mode="markers")
        told = [f"{bar.assumption} {spot.values['value']}: {spot.t99()}<extra></extra>" for spot in played]
        drawn.add_trace(dots.update(marker={"color": "#D55E00", "size": 8}, hovertemplate=told, showlegend=False))
        words = {"text": _sides(bar), "showarrow": False, "font": {"size": 11}}
        drawn.add_annotation(words | {"x": 0, "xref": "paper", "xanchor": "left", "y": bar.assumption, "yshift": 16})
    base = ranked[0].base
    drawn.add_vline(x=_outcome(ranked[0], base), line={"color": MUTED, "dash": "dash", "width": 2}, layer="below")
    style(drawn, 160 + ROW_HEIGHT * len(ranked))
    drawn.update_layout(barmode="overlay", hovermode="closest", margin_l=270)
    drawn.update_yaxes(categoryorder="array", categoryarray=[bar.assumption for bar in ranked][::-1], showgrid=False)
    drawn.update_xaxes(title_text=T99_MINUTES if _has_t99(base) else SHARE, rangemode="tozero")
    title = f"What moves T99 under {strategy}"
    return Chart(f"tornado-{strategy}", title, _caption(base), drawn, tornado_table(ranked))


def tornado_table(ranked: Sequence[Bar]) -> Table:
    """The same in words."""
    table = Table(head=["assumption", "moves T99 by", "moves the share back by", "T99, or how many are back"])
    for bar in ranked:
        told = "; ".join(f"{spot.values['value']}: {spot.t99()}" for spot in bar.spots)
        effects = [wording.duration(bar.effect_s), wording.percent(bar.effect_on_share_back)]
        table.rows.append([bar.assumption, *effects, told])
    return table


def _has_t99(base: Spot) -> bool:
    return base.median("t99_s") is not None


def _outcome(bar: Bar, spot: Spot) -> float:
    """On the axis."""
    if _has_t99(bar.base):
        return round(bar.t99_s(spot) / 60, 3)
    return round(100 * (spot.median("share_back") or 0.0), 3)


def _sides(bar: Bar) -> str:
    """`plain: 56.1 min · calibrated (fitted): 53.5 % back`; the ranges of the seeds are in the table."""
    return " · ".join(f"{spot.values['value']}: {spot.t99().partition(' (')[0]}" for spot in bar.spots)


def _caption(base: Spot) -> str:
    alone = f"Each assumption alone, to either side of the storm as it is (dashed: {base.t99()}). "
    if _has_t99(base):
        return f"{alone}Where 99 % were not reached the bar ends where the recording ends."
    return f"{alone}It does not bring 99 % back, so the bars are of the share back; T99 is told where it was reached."
