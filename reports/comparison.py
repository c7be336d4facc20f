"""Several runs side by side: one group for each strategy, and what must be known before they are compared."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import median

from regstorm.measures.verdict import HARMLESS_LATENESS_S
from reports.run_directory import Run

STYLES = (
    ("#D55E00", "dashdot"),
    ("#0072B2", "dash"),
    ("#009E73", "solid"),
    ("#CC79A7", "dot"),
    ("#E69F00", "longdash"),
    ("#56B4E9", "longdashdot"),
)
"""Okabe and Ito's colours, told apart with any colour vision, each with a dash of its own for print."""


@dataclass(frozen=True)
class Group:
    """The runs of one strategy, one for each seed."""

    name: str
    title: str
    summary: str
    runs: tuple[Run, ...]
    colour: str
    dash: str

    @property
    def complete(self) -> bool:
        return all(run.complete for run in self.runs)

    def values(self, of: Callable[[Run], float | None]) -> list[float | None]:
        """One value for each seed."""
        return [of(run) for run in self.runs]

    def median(self, of: Callable[[Run], float | None]) -> float | None:
        """The median over the seeds; None (not reached, not known) counts as larger than any value."""
        middle = median(float("inf") if value is None else value for value in self.values(of))
        return None if middle == float("inf") else middle


@dataclass(frozen=True)
class Comparison:
    """What a page shows."""

    groups: tuple[Group, ...]
    beside: tuple[Group, ...]
    """Extra runs that answer a side question (`plain UDM`), not compared."""
    warnings: tuple[str, ...]
    partial: tuple[str, ...]
    """One line for every run that was cut short or failed."""

    @property
    def first(self) -> Run:
        return self.groups[0].runs[0]

    @property
    def seeds(self) -> int:
        return max(len(group.runs) for group in self.groups)

    @property
    def calibrated(self) -> bool:
        """True if any compared run used the UDM setting that was fitted."""
        return any(run.shedding == "calibrated" for group in self.groups for run in group.runs)


def compare(runs: Sequence[Run]) -> Comparison:
    """`runs` in groups, in the order in which their strategies appear; needs at least one run."""
    plain = [run for run in runs if not run.label]
    compared, beside = (plain, [run for run in runs if run.label]) if plain else (list(runs), [])
    return Comparison(
        groups=_groups(compared, first_style=0),
        beside=_groups(beside, first_style=3),
        warnings=tuple(_warnings(compared)),
        partial=tuple(f"{run.strategy}, seed {run.entry.get('seed')}: {run.why}" for run in runs if not run.complete),
    )


def _groups(runs: Sequence[Run], first_style: int) -> tuple[Group, ...]:
    by_name: dict[str, list[Run]] = {}
    for run in runs:
        by_name.setdefault(f"{run.strategy} ({run.label})" if run.label else run.strategy, []).append(run)
    groups = []
    for index, (name, of_name) in enumerate(by_name.items()):
        colour, dash = STYLES[(first_style + index) % len(STYLES)]
        said = of_name[0].setting("strategy")
        title, summary = str(said.get("title") or name), str(said.get("summary") or "").strip()
        groups.append(Group(name, title, summary, tuple(of_name), colour, dash))
    return tuple(groups)


def _warnings(runs: Sequence[Run]) -> list[str]:
    must_agree: dict[str, Callable[[Run], object]] = {
        "the scenario": lambda run: run.header.get("scenario"),
        "the outage population": lambda run: run.outage_ues,
        "the online population": lambda run: run.online_ues,
        "the UDM capacity": lambda run: run.capacity_pairs_per_s,
        "the UDM setting": lambda run: run.shedding,
        "the sample": lambda run: run.sample,
        "the engine": lambda run: run.entry.get("engine"),
        "the clock": lambda run: run.entry.get("clock"),
    }
    warnings = []
    for what, of in must_agree.items():
        found = list(dict.fromkeys(str(value) for value in map(of, runs) if value not in (None, "")))
        if len(found) > 1:
            warnings.append(f"These runs differ in {what} ({', '.join(found)}): do not compare their figures.")
    if _seeds_differ(runs):
        warnings.append("The strategies ran with different seeds: small differences between them mean nothing.")
    for run in runs:
        late = run.entry.get("lateness_p99_s") or 0.0
        if late > HARMLESS_LATENESS_S:
            where = f"{run.strategy}, seed {run.entry.get('seed')}"
            warnings.append(f"{where}: the generator was late (p99 {late:.2f} s): its figures do not count.")
    return warnings


def _seeds_differ(runs: Sequence[Run]) -> bool:
    by_strategy: dict[str, set[object]] = {}
    for run in runs:
        by_strategy.setdefault(run.strategy, set()).add(run.entry.get("seed"))
    return len({frozenset(seeds) for seeds in by_strategy.values()}) > 1
