"""What the bottleneck did: figures of all UDM/HSS together, and of each set of processing units by itself.

Overload is judged where it happens: of several units (nodes, or those of 5GC apart from those of EPC and IMS) the worst
gives the figures of the whole. Capacity is what incidents had left of it in each second.
"""

from collections.abc import Sequence
from typing import NamedTuple

from regstorm.measures.overload_windows import OverloadWindows, load_in_backlog, overload_windows
from regstorm.measures.timeline import Timeline
from regstorm.overload.amplification import ON_HSS, ON_UDM, BackEnd, back_ends, pairs_per_registration
from regstorm.records import counters
from regstorm.records.node_counters import CAPACITY_OUT, HSS, UDM, of_node
from regstorm.records.run_record import UdmNodeRecord, UdmRecord, UnitsName
from regstorm.records.scenario import Scenario

_THOUSANDTHS = 1000
_NAMES: dict[tuple[str, ...], UnitsName] = {(*ON_UDM, *ON_HSS): "EPC/IMS/5GC", ON_UDM: "5GC", ON_HSS: "EPC/IMS"}


class _Units(NamedTuple):
    """One set of processing units, and what was measured of it. Lists are by second since the end of the outage."""

    back_end: BackEnd
    offered: list[int]
    served: list[int]
    capacity: list[float]
    totals: dict[str, int]
    """Of the whole run."""
    windows: OverloadWindows

    @property
    def how_bad(self) -> tuple[float, float, float]:
        """The worst has the highest: by its windows, or by all it was offered where the run had none."""
        offered_share = sum(self.offered) / self.back_end.capacity_pairs_per_s
        return self.windows.share_in_overload, self.windows.peak_load or 0.0, offered_share


def udm_record(timeline: Timeline, scenario: Scenario) -> UdmRecord:
    """`udm` of an entry in run.json. `scenario` is that of the sample; the timeline has been closed."""
    ends = back_ends(scenario.core, pairs_per_registration(scenario))
    several = len(scenario.core.udm_nodes) > 1
    units = [_measured(timeline, one, several, alone=len(ends) == 1) for one in ends]
    names = [node.name for node in scenario.core.udm_nodes]
    units.sort(key=lambda one: names.index(one.back_end.node))
    back, ues = timeline.column(counters.OUTAGE_BACK, timeline.outage_end_s), scenario.population.outage_ues
    worst = max(units, key=lambda one: one.how_bad)
    whole = timeline.total(counters.UDM_OFFERED)
    dropped = timeline.total(counters.UDM_DROPPED)
    return {
        "capacity_pairs_per_s": scenario.core.udm.capacity_pairs_per_s,
        "offered": whole,
        "served": timeline.total(counters.UDM_SERVED),
        "dropped": dropped,
        "dropped_share": round(dropped / whole, 6) if whole else None,
        "rejection_pairs": timeline.total(counters.UDM_REJECTION_WORK) / _THOUSANDTHS,
        "pairs": timeline.subtotals(counters.UDM_SERVED),
        "peak_load": _rounded(worst.windows.peak_load),
        "window_s": worst.windows.window_s,
        "seconds_in_overload": worst.windows.seconds_in_overload,
        "share_in_overload": worst.windows.share_in_overload,
        "load_offered_in_backlog": _rounded(load_in_backlog(worst.offered, back, ues, worst.capacity)),
        "load_served_in_backlog": _rounded(load_in_backlog(worst.served, back, ues, worst.capacity)),
        "nodes": [] if len(units) == 1 else [_node(one, back, ues) for one in units],
    }


def _measured(timeline: Timeline, one: BackEnd, several: bool, alone: bool) -> _Units:
    kind = HSS if one.interfaces == ON_HSS else UDM
    since_s = timeline.outage_end_s

    def names(counter: str) -> list[str]:
        if several:
            return [of_node(kind, counter, one.node)]
        return [counter] if alone else [f"{counter}.{interface}" for interface in one.interfaces]

    def by_second(counter: str) -> list[int]:
        return [
            sum(values) for values in zip(*(timeline.column(name, since_s) for name in names(counter)), strict=True)
        ]

    nominal = one.capacity_pairs_per_s
    out = timeline.column(of_node(kind, CAPACITY_OUT, one.node), since_s)
    capacity = [nominal - lost / _THOUSANDTHS for lost in out]
    totals = {
        counter: sum(timeline.total(name) for name in names(counter))
        for counter in (counters.UDM_OFFERED, counters.UDM_SERVED, counters.UDM_DROPPED)
    }
    offered = by_second(counters.UDM_OFFERED)
    windows = overload_windows(offered, nominal, capacity if any(out) else ())
    return _Units(one, offered, by_second(counters.UDM_SERVED), capacity, totals, windows)


def _node(one: _Units, back: Sequence[int], ues: int) -> UdmNodeRecord:
    return {
        "node": one.back_end.node,
        "units": _NAMES[one.back_end.interfaces],
        "share": one.back_end.share,
        "capacity_pairs_per_s": round(one.back_end.capacity_pairs_per_s, 6),
        "offered": one.totals[counters.UDM_OFFERED],
        "served": one.totals[counters.UDM_SERVED],
        "dropped": one.totals[counters.UDM_DROPPED],
        "peak_load": _rounded(one.windows.peak_load),
        "window_s": one.windows.window_s,
        "seconds_in_overload": one.windows.seconds_in_overload,
        "share_in_overload": one.windows.share_in_overload,
        "load_offered_in_backlog": _rounded(load_in_backlog(one.offered, back, ues, one.capacity)),
        "load_served_in_backlog": _rounded(load_in_backlog(one.served, back, ues, one.capacity)),
    }


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 3)
