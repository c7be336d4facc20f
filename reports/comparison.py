"""Several runs side by side: one group for each strategy, and what must be known before they are compared."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import median

from pydantic import ValidationError

from regstorm.measures.verdict import HARMLESS_LATENESS_S
from regstorm.overload.samples import largest_sample
from regstorm.records.scenario import Scenario
from regstorm.records.strategy import Strategy
from reports import wording
from reports.run_directory import Run

STYLES = (
    ("#D55E00", "dashdot"),
    ("#0072B2", "dash"),
    ("#009E73", "solid"),
    ("#CC79A7", "longdash"),
    ("#E69F00", "longdashdot"),
    ("#56B4E9", "12px,3px,3px,3px,3px,3px"),
)
"""Okabe and Ito's colours, told apart with any colour vision, each with a dash of its own for print; dots are the lower
bound's."""

FEW_UES = 500
"""Outage users of a sample below which the last hundredth, on which T99 hangs, is fewer than five; chosen."""


@dataclass(frozen=True)
class Group:
    """The runs of one strategy on one engine, one for each seed."""

    name: str
    title: str
    summary: str
    runs: tuple[Run, ...]
    colour: str
    dash: str

    @property
    def strategy(self) -> str:
        return self.runs[0].strategy

    @property
    def engine(self) -> str:
        """`wire` or `sim`."""
        return self.runs[0].engine

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
    def main_groups(self) -> tuple[Group, ...]:
        """The groups that are compared with one another: those of the first engine. What another engine gives of the
        same strategy is held against them."""
        return tuple(group for group in self.groups if group.engine == self.groups[0].engine)

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
        partial=tuple(f"{run.name}: {run.why}" for run in runs if not run.complete),
    )


def _groups(runs: Sequence[Run], first_style: int) -> tuple[Group, ...]:
    """A colour for each strategy; the second engine's curve has the same colour and another dash."""
    several_engines = len({run.engine for run in runs}) > 1
    by_name: dict[str, list[Run]] = {}
    for run in runs:
        words = [run.label, ("simulated" if run.engine == "sim" else "wire") if several_engines else ""]
        apart = ", ".join(word for word in words if word)
        by_name.setdefault(f"{run.strategy} ({apart})" if apart else run.strategy, []).append(run)
    looks = _looks(by_name, first_style)
    groups = []
    for name, of_name in by_name.items():
        said = of_name[0].setting("strategy")
        title, summary = str(said.get("title") or name), str(said.get("summary") or "").strip()
        groups.append(Group(name, title, summary, tuple(of_name), *looks[name]))
    return tuple(groups)


def _looks(by_name: dict[str, list[Run]], first_style: int) -> dict[str, tuple[str, str]]:
    """Colour and dash of each group."""
    colours: dict[str, int] = {}
    looks = {}
    for name, runs in by_name.items():
        kind = f"{runs[0].strategy} {runs[0].label}"
        another_engine = kind in colours
        colour, dash = STYLES[(first_style + colours.setdefault(kind, len(colours))) % len(STYLES)]
        looks[name] = (colour, "dot" if another_engine else dash)
    return looks


def _warnings(runs: Sequence[Run]) -> list[str]:
    each_on_every_engine = not _differ(runs, lambda run: run.engine)
    must_agree: dict[str, Callable[[Run], object]] = {
        "the scenario": lambda run: run.header.get("scenario"),
        "the outage population": lambda run: run.outage_ues,
        "the online population": lambda run: run.online_ues,
        "the UDM capacity": lambda run: run.capacity_pairs_per_s,
        "the UDM setting": lambda run: run.shedding,
        "the sample": lambda run: run.sample,
        "the engine": lambda run: None if each_on_every_engine else run.entry.get("engine"),
        "the clock": lambda run: run.entry.get("clock"),
    }
    warnings = []
    for what, of in must_agree.items():
        found = list(dict.fromkeys(str(value) for value in map(of, runs) if value not in (None, "")))
        if len(found) > 1:
            warnings.append(f"These runs differ in {what} ({', '.join(found)}): do not compare their figures.")
    if _differ(runs, lambda run: run.entry.get("seed")):
        warnings.append("The strategies ran with different seeds: small differences between them mean nothing.")
    few = min((run.outage_ues for run in runs if run.sample > 1), default=FEW_UES)
    if few < FEW_UES:
        warnings.append(f"Only {few} outage users were played, so that T99 hangs on a few: play a smaller --sample.")
    raised = list(dict.fromkeys(run.strategy for run in runs if _is_raised(run)))
    if raised:
        warnings.append(
            f"At this sample a bucket of {wording.listed(raised)} was raised to its least depth: it lets more in at "
            "once than that of the full size. Play a smaller --sample."
        )
    for run in runs:
        late = run.entry.get("lateness_p99_s") or 0.0
        if late > HARMLESS_LATENESS_S:
            warnings.append(f"{run.name}: the generator was late (p99 {late:.2f} s): its figures do not count.")
    return warnings


def _is_raised(run: Run) -> bool:
    """The part that was played is too small for a bucket of the strategy; False where the record does not tell."""
    try:
        scenario = Scenario.model_validate(run.setting("scenario"))
        strategy = Strategy.model_validate(run.setting("strategy"))
    except ValidationError:
        return False
    if strategy.gate is None or strategy.gate.ues_per_s is not None or strategy.gate.nodes:  # those of the sample
        return False
    largest = largest_sample(scenario, strategy)
    return largest is not None and run.sample > largest


def _differ(runs: Sequence[Run], what: Callable[[Run], object]) -> bool:
    """The strategies did not all run with the same seeds, or engines."""
    by_strategy: dict[str, set[object]] = {}
    for run in runs:
        by_strategy.setdefault(run.strategy, set()).add(what(run))
    return len({frozenset(found) for found in by_strategy.values()}) > 1
