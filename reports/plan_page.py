"""The page of a plan: every threshold with its working. Made from plan.json alone."""

from pathlib import Path
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined, select_autoescape

from regstorm.records.files import write_whole
from reports import wording

PAGE = "plan.html"
_DIGITS = 6
"""Significant digits of a number in a working: enough to follow the sum, not so many that it cannot be read."""


def write_page(document: dict[str, Any], out: Path) -> Path:
    """Writes the page; returns `out`."""
    write_whole(out, render(document))
    return out


def render(document: dict[str, Any]) -> str:
    """The page as text; `document` is what plan.json says."""
    environment = Environment(
        loader=PackageLoader("reports"),
        autoescape=select_autoescape(["html", "j2"]),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters.update(
        count=wording.count,
        duration=wording.duration,
        percent=wording.percent,
        number=number,
        rate=rate,
        simulated=simulated,
    )
    return environment.get_template("plan.html.j2").render(plan=document, headline=headline(document))


def headline(document: dict[str, Any]) -> str:
    """One sentence: what the routine thresholds promise, and what bounds them."""
    routine = document["sets"][0]
    if not routine["promised_s"] or not routine["binding"]:
        return "No routine threshold is safe: the background load leaves nothing for users who return."
    binding, totals = routine["binding"], routine["totals"]
    rates = wording.listed([f"{total['front_door']} {rate(total['ues_per_s'])}" for total in totals])
    return (
        f"All {wording.count(routine['users'])} users are let in within {wording.duration(routine['promised_s'])} if "
        f"{rates} UEs/s are admitted: {binding['node']} is the shortest plank."
    )


def simulated(one: dict[str, Any]) -> str:
    """What the simulator says of a set, in a sentence or two."""
    if "why" in one:
        return f"Not simulated: {one['why']}."
    back = f"{wording.percent(one['share_back'])} back"
    if one["t99_s"] is not None:
        back = f"half are back after {wording.duration(one['t50_s'])}, 99 % after {wording.duration(one['t99_s'])}"
    load = "" if one["peak_load"] is None else f"; highest load of a UDM {wording.percent(one['peak_load'])}"
    part = "at full size" if one["sample"] == 1 else f"1:{one['sample']} of the users"
    return f"Simulated ({part}, seed {one['seed']}): {back}{load}, {one['seconds_in_overload']} s in overload."


def rate(value: float) -> str:
    """`1 750.0`, with thin spaces."""
    return f"{value:,.1f}".replace(",", "\u202f")


def number(value: float) -> str:
    """A number in a working."""
    if value == int(value) and abs(value) < 1e15:
        return f"{int(value):,}".replace(",", "\u202f")
    digits = f"{value:,.{_DIGITS}g}"
    return digits.replace(",", "\u202f")
