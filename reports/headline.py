"""What stands on top of a page: what really differs between the strategies, computed from the runs, in one sentence.

Recovery times that lie within a tenth of each other tie: that is what seeds alone do at 1:100. Then the sentence names
what does differ: T50, refused follow-ups, wasted work.

A second sentence names the door that is too narrow, where there is one: the SBC refuses users whom the AMF let
through, and what they have cost by then is wasted.
"""

from collections.abc import Sequence

from reports import wording
from reports.comparison import Comparison, Group
from reports.key_figures import (
    SHARE_BACK,
    T50,
    T99,
    WASTED_WORK,
    attempts_in_5gc,
    refused_at_the_sbc_per_ue,
    refused_follow_ups_per_ue,
    refused_registrations_per_ue,
)

TIE = 0.10
"""Relative difference of T99 below which two strategies are said to be equal."""
T50_DIFFERS = 1.15
FOLLOW_UPS_DIFFER = 0.1
"""Refused follow-ups per user."""
WASTE_DIFFERS = 0.01
TOO_NARROW = 0.5
"""First REGISTERs refused at the SBC, per user. Everybody needs one that is admitted, and the AMF has spaced them."""


def headline(comparison: Comparison) -> str:
    """One sentence, or two. Nothing is compared while a run is partial."""
    if comparison.partial:
        runs = sum(len(group.runs) for group in (*comparison.groups, *comparison.beside))
        return f"PARTIAL: {len(comparison.partial)} of {runs} runs did not come to their end, so nothing is compared."
    return f"{_sentence(comparison.main_groups)}{_narrow_door(comparison.main_groups)}"


def _sentence(groups: Sequence[Group]) -> str:
    recovered = sorted((group for group in groups if _t99(group) is not None), key=_t99_known)
    lost = [group for group in groups if group not in recovered]
    if not recovered:
        return _nobody(groups)
    best, others = recovered[0], recovered[1:]
    tied = [group for group in others if _t99_known(group) <= (1 + TIE) * _t99_known(best)]
    slower = [group for group in others if group not in tied]
    parts = [_tie(best, tied) if tied else _best(best)]
    if slower:
        parts.append(wording.listed([f"{group.name} needs {wording.duration(_t99(group))}" for group in slower]))
    if lost:
        parts.append(wording.listed([_not_back(group) for group in lost]))
    return "; ".join(parts) + "."


def _narrow_door(groups: Sequence[Group]) -> str:
    behind_amf = [group for group in groups if group.median(attempts_in_5gc)]  # without it there is no other door
    narrow = [group for group in behind_amf if (group.median(refused_at_the_sbc_per_ue) or 0.0) >= TOO_NARROW]
    if not narrow:
        return ""
    told = wording.listed([_at_the_sbc(group) for group in narrow])
    return f" The SBC is the door that is too narrow: {told}."


def _at_the_sbc(group: Group) -> str:
    at_the_sbc, at_the_amf = group.median(refused_at_the_sbc_per_ue), group.median(refused_registrations_per_ue)
    return (
        f"under {group.name} it refused each user that the AMF had let through {wording.ratio(at_the_sbc)} times on "
        f"average (the AMF {wording.ratio(at_the_amf)}), and {wording.percent(group.median(WASTED_WORK))} of the pairs "
        "were wasted"
    )


def _best(best: Group) -> str:
    text = f"99 % of the users are back {wording.duration(_t99(best))} after the outage under {best.name}"
    bound = best.runs[0].lower_bound_s
    return f"{text} ({_t99_known(best) / bound:.1f} times the lower bound)" if bound else text


def _tie(best: Group, tied: Sequence[Group]) -> str:
    alike = [best, *tied]
    times = wording.listed([f"{wording.duration(_t99(group))} under {group.name}" for group in alike])
    differences = [text for text in (_t50(alike), _follow_ups(alike), _waste(alike)) if text]
    differ = f"what differs is {wording.listed(differences)}" if differences else "nothing else differs either"
    return f"T99 ties ({times}): {differ}"


def _t50(groups: Sequence[Group]) -> str:
    values = [group.median(T50) for group in groups]
    known = [value for value in values if value]
    if len(known) < len(values) or max(known) < T50_DIFFERS * min(known):
        return ""
    return f"T50 ({_against([wording.duration(value) for value in known], groups)})"


def _follow_ups(groups: Sequence[Group]) -> str:
    values = [group.median(refused_follow_ups_per_ue) or 0.0 for group in groups]
    if max(values) - min(values) < FOLLOW_UPS_DIFFER:
        return ""
    return f"refused follow-ups per user ({_against([f'{value:.1f}' for value in values], groups)})"


def _waste(groups: Sequence[Group]) -> str:
    values = [group.median(WASTED_WORK) or 0.0 for group in groups]
    if max(values) - min(values) < WASTE_DIFFERS:
        return ""
    return f"wasted work ({_against([wording.percent(value) for value in values], groups)})"


def _against(texts: Sequence[str], groups: Sequence[Group]) -> str:
    return ", ".join(f"{group.name} {text}" for group, text in zip(groups, texts, strict=True))


def _not_back(group: Group) -> str:
    watched = max(run.watched_s for run in group.runs)
    share = wording.percent(group.median(SHARE_BACK))
    return f"under {group.name} {share} are back after {wording.duration(watched)}"


def _nobody(groups: Sequence[Group]) -> str:
    shares = wording.listed([_not_back(group) for group in groups])
    return f"Fewer than 99 % of the users come back: {shares}."


def _t99(group: Group) -> float | None:
    return group.median(T99)


def _t99_known(group: Group) -> float:
    return group.median(T99) or 0.0
