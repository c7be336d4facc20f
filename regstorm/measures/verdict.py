"""Verdict: did a run show what its scenario expects of the strategy?

Each line that failed says what was expected and what came. What was not measured or not reached cannot pass. A
partial run passes nothing, nor does one whose generator was late: events 0.3 s after their due time are harmless,
0.6 s distort (docs/model.md).
"""

from collections.abc import Iterator

from regstorm.records.run_record import RunEntry, Verdict
from regstorm.records.scenario import Expectation

HARMLESS_LATENESS_S = 0.3

Bound = tuple[str, float | None, float | None]
"""What is judged, the bound (None: not judged), what came (None: not reached or not measured)."""


def judge(expectation: Expectation | None, run: RunEntry) -> Verdict:
    """Judges a run that is otherwise complete; its own `verdict` is not looked at."""
    failed = list(_unfit(run))
    if expectation is not None:
        failed += [_line(bound, "at most") for bound in _upper_bounds(expectation, run) if not _at_most(bound)]
        failed += [_line(bound, "at least") for bound in _lower_bounds(expectation, run) if not _at_least(bound)]
    return {"pass": not failed, "failed": failed}


def _unfit(run: RunEntry) -> Iterator[str]:
    if not run["complete"]:
        yield f"expected a complete run, came a partial one: {run['why'] or 'no reason given'}"
    if run["lateness_p99_s"] > HARMLESS_LATENESS_S:
        yield f"generator lateness p99: expected at most {HARMLESS_LATENESS_S} s, came {run['lateness_p99_s']:.2f} s"


def _upper_bounds(expectation: Expectation, run: RunEntry) -> Iterator[Bound]:
    t99_s, lower_bound_s, udm = run["recovery"]["t99_s"], run["lower_bound_s"], run["udm"]
    in_lower_bounds = t99_s / lower_bound_s if t99_s is not None and lower_bound_s else None
    yield "T99 in s", expectation.t99_at_most_s, t99_s
    yield "T99 in lower bounds", expectation.t99_at_most_lower_bounds, in_lower_bounds
    yield "share back", expectation.share_back_at_most, run["recovery"]["share_back"]
    yield "refused follow-ups", expectation.refused_follow_ups_at_most, run["refused_follow_ups"]
    yield "share of failed online procedures", expectation.online_failed_share_at_most, run["online_failed_share"]
    yield "online users dropped", expectation.online_dropped_at_most, run["online_dropped"]
    yield "share of UDM pairs dropped", expectation.udm_dropped_share_at_most, udm and udm["dropped_share"]
    yield "seconds of UDM overload", expectation.udm_seconds_in_overload_at_most, udm and udm["seconds_in_overload"]


def _lower_bounds(expectation: Expectation, run: RunEntry) -> Iterator[Bound]:
    follow_ups = run["refused_follow_ups"]
    per_ue = None if follow_ups is None else follow_ups / run["ues"]
    yield "share back", expectation.share_back_at_least, run["recovery"]["share_back"]
    yield "refused follow-ups per UE", expectation.refused_follow_ups_per_ue_at_least, per_ue
    yield "refused first messages", expectation.refused_first_at_least, run["refused_first"]


def _at_most(bound: Bound) -> bool:
    _, expected, came = bound
    return expected is None or (came is not None and came <= expected)


def _at_least(bound: Bound) -> bool:
    _, expected, came = bound
    return expected is None or (came is not None and came >= expected)


def _line(bound: Bound, direction: str) -> str:
    what, expected, came = bound
    return f"{what}: expected {direction} {expected:g}, came {'none' if came is None else f'{came:g}'}"
