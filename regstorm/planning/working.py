"""A number with its working: how it came about, so that somebody can check it with a pocket calculator.

A formula is written with · ÷ + − ( ) min max and the names in `values`; tests work every one of them out again.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Working:
    """One line of a plan's arithmetic."""

    name: str
    formula: str
    values: tuple[tuple[str, float], ...]
    result: float
    unit: str


def working(name: str, formula: str, values: Mapping[str, float], result: float, unit: str) -> Working:
    """A line; `result` is what `formula` gives with `values`."""
    return Working(name, formula, tuple(values.items()), result, unit)


def symbols(names: Iterable[str]) -> dict[str, str]:
    """Names of nodes as they may stand in a formula, each its own."""
    found: dict[str, str] = {}
    for name in names:
        plain = "".join(letter if letter.isalnum() else "_" for letter in name)
        plain = plain if plain.isidentifier() else f"n{plain}"
        while plain in found.values():
            plain += "_"
        found[name] = plain
    return found
