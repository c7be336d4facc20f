"""Where recovery ends along one field of a sweep, and how goodput collapses with what is offered.

Offered load is what arrives at first: the lower bound divided by `outage.arrivals_s`, so 1 is what the back end can
just finish. Goodput is what got through meanwhile, on the same scale. Beside it stands the closed form of a server
that sheds at random, where nobody tries again.
"""

from collections.abc import Sequence
from typing import Any

import plotly.graph_objects as go

from regstorm.measures.goodput import closed_form
from regstorm.overload.amplification import pairs_per_registration
from regstorm.records.scenario import Scenario
from reports import wording
from reports.comparison import STYLES
from reports.figures import MUTED, Chart, Table, style
from reports.sweep_document import Spot, seed_bars, spots, strategies

POINTS = 120
"""Of the closed form's line."""


def ends(document: dict[str, Any]) -> list[str]:
    """For each strategy the two values of the only field, if it is a number, between which 99 % stop coming back."""
    if document["kind"] != "grid" or len(document["fields"]) != 1 or not document["complete"]:
        return []
    field = document["fields"][0]
    try:
        found = sorted(spots(document), key=lambda spot: float(spot.values[field]))
    except ValueError:
        return []
    said = [_end(field, name, [spot for spot in found if spot.strategy == name]) for name in strategies(document)]
    return [one for one in said if one]


def _end(field: str, strategy: str, rising: Sequence[Spot]) -> str:
    back = [spot.median("t99_s") is not None for spot in rising]
    turns = [place for place in range(1, len(back)) if back[place - 1] != back[place]]
    if not turns:
        return ""
    pair = rising[turns[0] - 1], rising[turns[0]]
    reached, lost = pair if back[turns[0] - 1] else pair[::-1]
    first = "first " if len(turns) > 1 else ""
    return (
        f"Under {strategy} recovery {first}ends between {field} {reached.values[field]} (T99 {reached.t99()}) and "
        f"{lost.values[field]} ({lost.told('share_back', wording.percent)} back at the end)."
    )


def collapse(document: dict[str, Any]) -> Chart | None:
    """Goodput against offered load, where the only field changes what is offered."""
    if document["kind"] != "grid" or len(document["fields"]) != 1:
        return None
    known = [spot for spot in spots(document) if spot.median("offered_load") is not None]
    if len({spot.median("offered_load") for spot in known}) < 2:
        return None
    messages = sum(pairs_per_registration(Scenario.model_validate(document["scenario"])).values())
    names = strategies(document)
    drawn = go.Figure()
    for index, name in enumerate(names):
        drawn.add_trace(_line(index, name, [spot for spot in known if spot.strategy == name]))
    most = max(spot.median("offered_load") or 0.0 for spot in known)
    x = [most * point / POINTS for point in range(POINTS + 1)]
    form = go.Scatter(x=x, y=[closed_form(one, messages) for one in x], mode="lines", name="closed form")
    drawn.add_trace(form.update(line={"color": MUTED, "dash": "dot", "width": 2}))
    style(drawn, 440)
    drawn.update_layout(hovermode="closest")
    drawn.update_xaxes(title_text="offered at first, as a multiple of what the back end can finish", rangemode="tozero")
    drawn.update_yaxes(title_text="got through meanwhile, same scale", rangemode="tozero")
    caption = (
        f"Dotted: random loss on {messages} messages in a row without retries. Users who were "
        "refused or lost come again, which the closed form does not know."
    )
    return Chart("collapse", "Goodput against offered load", caption, drawn, _table(known, names, messages))


def _line(index: int, name: str, mine: Sequence[Spot]) -> go.Scatter:
    rising = sorted(mine, key=lambda spot: spot.median("offered_load") or 0.0)
    y = [spot.median("goodput") for spot in rising]
    colour, dash = STYLES[index % len(STYLES)]
    line = go.Scatter(x=[spot.median("offered_load") for spot in rising], y=y, name=name, mode="lines+markers")
    return line.update(
        line={"color": colour, "dash": dash, "width": 2.2},
        marker={"size": 9},
        error_y=seed_bars(rising, y, "goodput", 1.0),
    )


def _table(known: Sequence[Spot], names: Sequence[str], messages: int) -> Table:
    table = Table(head=["offered", *names, "closed form"])
    for offered in sorted({spot.median("offered_load") or 0.0 for spot in known}):
        by_name = {spot.strategy: spot for spot in known if spot.median("offered_load") == offered}
        told = [by_name[name].told("goodput", wording.ratio) if name in by_name else "" for name in names]
        table.rows.append([wording.ratio(offered), *told, wording.ratio(closed_form(offered, messages))])
    return table
