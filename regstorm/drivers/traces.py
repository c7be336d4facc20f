"""Traces of some UEs of a storm: their events, one JSON line each, for `regstorm trace`.

A sample, spread evenly over the outage group. Each line has the UE's SUPI (a test identity, or the target's), the
scenario second, what it was and its details. Keys never get here: a UE says only names, causes and timers.
"""

from collections.abc import Sequence
from pathlib import Path

import orjson

from protocols.credentials import supi_of
from protocols.identities import Plmn
from regstorm.records.files import write_whole
from regstorm.records.scenario import Network
from regstorm.records.storm_plan import StormPlan
from ue_models.traced_ue import Trace

TRACES = "traces.jsonl"


def traced_places(outage_ues: int, wanted: int) -> frozenset[int]:
    """The indices of `wanted` UEs of the outage group, evenly spaced."""
    wanted = min(wanted, outage_ues)
    return frozenset(place * outage_ues // wanted for place in range(wanted))


def traces_of(plan: StormPlan) -> "Traces":
    """Those that a storm shall keep."""
    scenario = plan.scenario.sampled(plan.sample)
    return Traces(traced_places(scenario.population.outage_ues, plan.trace), scenario.network)


class Traces:
    """Those of one process."""

    def __init__(self, places: frozenset[int], network: Network) -> None:
        self._places = places
        self._plmn = Plmn(network.mcc, network.mnc)
        self._events: list[tuple[int, float, str, str, str]] = []

    def of(self, index: int) -> Trace | None:
        """The trace of that UE; None if it is not in the sample."""
        return _OneUe(self._events, index) if index in self._places else None

    def lines(self) -> list[str]:
        """Every event in order of time."""
        ordered = sorted(self._events, key=lambda event: event[1])
        return [_line(self._plmn, *event) for event in ordered]


class _OneUe:
    __slots__ = ("_events", "_index")

    def __init__(self, events: list[tuple[int, float, str, str, str]], index: int) -> None:
        self._events = events
        self._index = index

    def note(self, at_s: float, event: str, name: str, detail: str = "") -> None:
        self._events.append((self._index, at_s, event, name, detail))


def _line(plmn: Plmn, index: int, at_s: float, event: str, name: str, detail: str) -> str:
    told = {"ue": supi_of(index, plmn), "at_s": round(at_s, 6), "event": event, "name": name}
    return orjson.dumps(told | ({"detail": detail} if detail else {})).decode()


def write_traces(run: Path, lines: Sequence[str]) -> None:
    """traces.jsonl of a run directory, from the lines of one process or several; nothing if there are none."""
    if lines:
        ordered = sorted(lines, key=lambda line: float(orjson.loads(line)["at_s"]))
        write_whole(run / TRACES, "".join(f"{line}\n" for line in ordered))
