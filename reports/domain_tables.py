"""Tables of a storm with IMS: who got how far and fell back where, and what each domain asked and wasted.

Counts are those of the sample, as in the table of key figures; medians over the seeds.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import median

from reports import wording
from reports.comparison import Group
from reports.figures import Table
from reports.run_directory import number

DOMAINS = {"5GC": "AMF", "IMS": "SBC"}
"""Each with its door."""
_FIGURES: tuple[tuple[str, str, Callable[[float | None], str]], ...] = (
    ("registration attempts", "attempts", wording.count),
    ("attempts per success", "attempts_per_success", wording.ratio),
    ("first messages admitted at the {door}", "admitted_first", wording.count),
    ("first messages refused at the {door}", "refused_first", wording.count),
    ("follow-ups refused at the {door}", "refused_follow_ups", wording.count),
    ("pairs served", "pairs", wording.count),
    ("pairs wasted", "wasted_pairs", wording.count),
)


@dataclass(frozen=True)
class Sheet:
    """A table that stands for itself."""

    key: str
    title: str
    caption: str
    table: Table


def sheets(groups: Sequence[Group]) -> list[Sheet]:
    """Those that the runs have numbers for; none without IMS."""
    with_domains = [group for group in groups if all(run.entry.get("domains") for run in group.runs)]
    if not with_domains:
        return []
    in_funnel = [group for group in with_domains if all(run.entry.get("funnel") for run in group.runs)]
    return [*([_funnel(in_funnel)] if in_funnel else []), _domains(with_domains)]


def _funnel(groups: Sequence[Group]) -> Sheet:
    table = Table(head=["stage", *(group.name for group in groups)])
    for place, stage in enumerate(groups[0].runs[0].entry["funnel"]):
        for kind, said in (("reached", stage["stage"]), ("lost", "… fell back"), ("at_end", "… there at the end")):
            if stage.get(kind) is not None:
                table.rows.append([said, *(_stage(group, place, kind) for group in groups)])
    caption = (
        "Users of the outage group that reached a stage since the end of the outage, how often one fell back from it, "
        "and who stood there at the end of the run. Each stage includes those before it. Counts of the sample."
    )
    return Sheet("stages", "Where users are lost", caption, table)


def _stage(group: Group, place: int, kind: str) -> str:
    values = [number(run.entry["funnel"][place].get(kind)) for run in group.runs]
    return _middle(values, wording.count)


def _domains(groups: Sequence[Group]) -> Sheet:
    table = Table(head=["", *(group.name for group in groups)])
    for domain, door in DOMAINS.items():
        for said, name, words in _FIGURES:
            cells = [_domain(group, domain, name, words) for group in groups]
            if any(cells):
                table.rows.append([f"{domain}: {said.format(door=door)}", *(cell or "not known" for cell in cells)])
    caption = "What 5GC and IMS were asked for, and what became of it. Counts of the sample."
    return Sheet("domains", "By domain", caption, table)


def _domain(group: Group, domain: str, name: str, words: Callable[[float | None], str]) -> str:
    values = [number(run.look_up("domains", domain, name)) for run in group.runs]
    return _middle(values, words)


def _middle(values: Sequence[float | None], words: Callable[[float | None], str]) -> str:
    told = [value for value in values if value is not None]
    return words(median(told)) if told else ""
