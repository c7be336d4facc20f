"""The cells of a sweep: every combination of values, strategies and seeds as a storm of its own.

`FIELD=a,b,c` varies a field of the scenario; `strategy.FIELD=a,b,c` one of every strategy. `NAME: FIELD=value; …` is
played alone, beside the storm as it is. What is wrong with a value is found here, before anything runs.
"""

import re
from collections.abc import Mapping, Sequence
from itertools import product
from math import prod
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from regstorm.cli.tornado import Swing
from regstorm.records.files import BadFile, with_changes
from regstorm.records.scenario import Scenario
from regstorm.records.sources import later
from regstorm.records.storm_plan import StormPlan
from regstorm.records.strategy import Strategy

_Record = TypeVar("_Record", Scenario, Strategy)
OF_STRATEGY = "strategy."
CELLS = "cells"
VARIANT = "variant"
_COMMA = re.compile(r",(?![^\[{]*[\]}])")
"""One that is not inside brackets."""
MOST_VARIANTS = 10_000
"""Chosen: more than that is a slip, and a day of storms at any sample."""


class Axis(NamedTuple):
    """A field and the values that it takes."""

    field: str
    values: tuple[str, ...]


class Variant(NamedTuple):
    """The scenario and a strategy with one combination of values."""

    number: int
    """Of the combination; 0 of what changes nothing in a tornado: the storm as it is, which is played once."""
    values: Mapping[str, str]
    """By field, or by what swings."""
    scenario: Scenario
    strategy: Strategy

    @property
    def name(self) -> str:
        """`tiered`, `tiered with outage.arrivals_s 300`."""
        changed = [f"{what} {value}".strip() for what, value in self.said.items()]
        return f"{self.strategy.name} with {', '.join(changed)}" if changed else self.strategy.name

    @property
    def said(self) -> dict[str, str]:
        """What is changed, and to what; nothing of the storm as it is."""
        if "assumption" in self.values:
            return {self.values["assumption"]: self.values["value"]} if self.values["assumption"] else {}
        return {what: value for what, value in self.values.items() if value}


class Cell(NamedTuple):
    """One storm of the sweep."""

    values: Mapping[str, str]
    plan: StormPlan


def axis(text: str) -> Axis:
    """What `--vary` says."""
    field, equals, values = text.partition("=")
    found = tuple(value.strip() for value in _COMMA.split(values))
    if not equals or not field.strip() or len(found) < 2:
        raise BadFile(f"--vary {text}: expected FIELD=a,b,c with at least two values")
    if "" in found or len(set(found)) < len(found):
        raise BadFile(f"--vary {text}: expected each value once, and none empty")
    return Axis(field.strip(), found)


def grid(scenario: Scenario, strategies: Sequence[Strategy], axes: Sequence[Axis]) -> list[Variant]:
    """Every combination."""
    names = [one.field for one in axes]
    if len(set(names)) < len(names):
        raise BadFile(f"--vary: expected each field once, found {', '.join(names)}")
    asked = prod(len(one.values) for one in axes) * len(strategies)
    if asked > MOST_VARIANTS:
        raise BadFile(f"--vary: expected at most {MOST_VARIANTS} combinations with strategies, found {asked}")
    combinations = []
    for values in product(*(one.values for one in axes)):
        named = dict(zip(names, values, strict=True))
        combinations.append((named, [f"{name}={value}" for name, value in named.items()]))
    return _variants(scenario, strategies, combinations)


def tornado(scenario: Scenario, strategies: Sequence[Strategy], swings: Sequence[Swing]) -> list[Variant]:
    """The storm as it is, and each assumption to either side of it, one at a time."""
    combinations: list[tuple[dict[str, str], list[str]]] = [({"assumption": "", "value": ""}, [])]
    for swing in swings:
        combinations += [({"assumption": swing.name, "value": said}, list(changes)) for said, changes in swing.sides]
    return _variants(scenario, strategies, combinations, swinging=True)


def one_at_a_time(scenario: Scenario, strategies: Sequence[Strategy], variants: Sequence[str]) -> list[Variant]:
    """The storm as it is, and each variant of it: `NAME: FIELD=value; FIELD=value`, the name may be left out."""
    combinations: list[tuple[dict[str, str], list[str]]] = [({VARIANT: ""}, [])]
    for text in variants:
        name, colon, changes = text.partition(": ")
        if not colon or "=" in name:
            name, changes = text, text
        found = [change.strip() for change in changes.split(";") if change.strip()]
        if not name.strip() or not found or not all("=" in change for change in found):
            raise BadFile(f"--variant {text}: expected [NAME: ]FIELD=value[; FIELD=value…]")
        combinations.append(({VARIANT: name.strip()}, found))
    names = [values[VARIANT] for values, _ in combinations]
    if len(set(names)) < len(names):
        raise BadFile("--variant: expected each name once")
    return _variants(scenario, strategies, combinations)


def cells(variants: Sequence[Variant], seeds: Sequence[int], sample: int, where: Path) -> list[Cell]:
    """A storm for each variant and seed."""
    return [
        Cell(
            one.values,
            StormPlan(
                scenario=one.scenario,
                strategy=one.strategy.sampled(sample),
                seed=seed,
                sample=sample,
                out=where / CELLS / f"{one.number:04d}-{one.strategy.name}-seed{seed}",
                engine="sim",
                later=later(one.scenario, sample),
            ),
        )
        for one in variants
        for seed in seeds
    ]


def _variants(
    scenario: Scenario,
    strategies: Sequence[Strategy],
    combinations: Sequence[tuple[dict[str, str], list[str]]],
    swinging: bool = False,
) -> list[Variant]:
    """`swinging`: a part swings only where there is one, and what changes nothing is the storm as it is."""
    variants: list[Variant] = []
    quiet = scenario.model_copy(update={"expected": {}})  # nothing is expected of a storm that was changed
    for number, (values, changes) in enumerate(combinations):
        of_strategy = [change.removeprefix(OF_STRATEGY) for change in changes if change.startswith(OF_STRATEGY)]
        of_scenario = [change for change in changes if not change.startswith(OF_STRATEGY)]
        changed = _changed(quiet, of_scenario, f"--tornado: {values['assumption']}: " if swinging else "")
        for strategy in strategies:
            if swinging and _lacks(strategy, of_strategy):
                continue
            played = _changed(strategy, of_strategy, f"strategy {strategy.name}: ")
            same = swinging and changed == quiet and played == strategy
            variants.append(Variant(0 if same else number, values, changed, played))
    return variants


def _changed(record: _Record, changes: Sequence[str], whose: str) -> _Record:
    try:
        return with_changes(record, changes)
    except BadFile as error:
        raise BadFile(f"{whose}{error}") from None


def _lacks(strategy: Strategy, changes: Sequence[str]) -> bool:
    """A part that they would change is switched off, or there is no door to which it could matter."""
    for change in changes:
        part: Any = strategy
        for field in change.partition("=")[0].split(".")[:-1]:
            part = getattr(part, field)
            if part is None:
                return True
    return bool(changes) and strategy.gate is None
