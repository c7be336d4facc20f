"""What the record of a run says by domain, interface and node, where the population has IMS or a kind several nodes.

Pure functions of the timeline. What an engine does not tell of is None: nothing stands in the timeline under its name.
"""

from typing import Final

from regstorm.measures.service_log import ServiceLog
from regstorm.measures.timeline import Timeline
from regstorm.records import counters, ims_counters, ims_ue_counters, node_counters
from regstorm.records import domain_counters as names
from regstorm.records.run_record import (
    DomainRecord,
    FunnelStage,
    InterfaceRecord,
    LateReturns,
    NodeRecord,
    Reregistrations,
    RunEntry,
)

FIVEGC, IMS = "5GC", "IMS"
INTERFACES: Final = {FIVEGC: ("N13", "N8", "N10"), IMS: ("Cx", "Sh")}
AMF, UDM, HSS, SBC = "AMF", "UDM", "HSS", "SBC"
_DOORS: Final = {
    AMF: (counters.AMF_UPLINK, counters.REFUSED_FIRST, counters.REFUSED_FOLLOW_UP, counters.AMF_DROPPED),
    SBC: (
        ims_counters.SBC_REQUESTS,
        ims_counters.SBC_REFUSED_FIRST,
        ims_counters.SBC_REFUSED_FOLLOW_UP,
        ims_counters.SBC_DROPPED,
    ),
}
"""Each with what UEs asked of it, what its gate refused, and what its own overload dropped."""
_BACK_ENDS: Final = {UDM: INTERFACES[FIVEGC], HSS: INTERFACES[IMS]}


def add_domains(entry: RunEntry, timeline: Timeline, log: ServiceLog, core_is_ours: bool) -> None:
    """Completes the entry of a storm with IMS."""
    entry["funnel"] = _funnel(timeline)
    entry["domains"] = {
        FIVEGC: _fivegc(timeline, core_is_ours),
        IMS: _ims(timeline, core_is_ours),
    }
    entry["interfaces"] = _interfaces(timeline) if core_is_ours else None
    entry["nodes"] = nodes(timeline) if core_is_ours else None
    entry["reregistrations"] = _reregistrations(timeline, entry["online_ues"])
    entry["back_after_minute_12"] = _late(timeline, log)


# --- as the UEs see it ------------------------------------------------------------------------------------------------


def _funnel(timeline: Timeline) -> list[FunnelStage] | None:
    if not timeline.has(names.ATTEMPTED):
        return None
    stages = (
        ("5GC registered", names.REGISTERED, names.NOW_REGISTERED, names.REGISTRATION_LOST),
        ("sessions up", names.SESSIONS_UP, names.NOW_SESSIONS_UP, names.SESSIONS_LOST),
        ("IMS registered", names.IMS_REGISTERED, names.NOW_IMS_REGISTERED, names.IMS_REGISTRATION_LOST),
    )
    attempted: FunnelStage = {
        "stage": "attempted",
        "reached": timeline.total(names.ATTEMPTED),
        "at_end": None,
        "lost": None,
    }
    between: list[FunnelStage] = [
        {
            "stage": stage,
            "reached": timeline.total(reached),
            "at_end": timeline.level(level),
            "lost": timeline.total(lost),
        }
        for stage, reached, level, lost in stages
    ]
    served: FunnelStage = {
        "stage": "full service",
        "reached": timeline.level(counters.OUTAGE_BACK),
        "at_end": timeline.level(counters.OUTAGE_IN_SERVICE),
        "lost": timeline.total(names.FULL_SERVICE_LOST),
    }
    return [attempted, *between, served]


def _reregistrations(timeline: Timeline, online_ues: int) -> Reregistrations | None:
    if not timeline.has(ims_ue_counters.RE_REG_ATT):
        return None
    users = timeline.total(names.ONLINE_RENEWING_USERS)
    return {
        "due": timeline.total(names.ONLINE_RENEWALS_DUE),
        "due_share": round(users / online_ues, 6) if online_ues else None,
        "kept": timeline.total(names.ONLINE_RENEWALS_KEPT),
        "lost": timeline.total(names.ONLINE_RENEWALS_LOST),
    }


def _late(timeline: Timeline, log: ServiceLog) -> LateReturns | None:
    if not timeline.has(names.ATTEMPTED):
        return None
    users = timeline.total(names.BACK_LATE)
    return {
        "users": users,
        "share": round(users / log.outage_ues, 6),
        "not_back": log.outage_ues - timeline.level(counters.OUTAGE_BACK),
        "by_timer": timeline.subtotals(names.BACK_LATE),
    }


# --- as the core sees it ----------------------------------------------------------------------------------------------


def _fivegc(timeline: Timeline, core_is_ours: bool) -> DomainRecord:
    return _domain(
        timeline,
        FIVEGC,
        (counters.REG_INIT_REQ, counters.REG_INIT_SUCC),
        (counters.ADMITTED_FIRST, counters.REFUSED_FIRST, counters.REFUSED_FOLLOW_UP) if core_is_ours else None,
    )


def _ims(timeline: Timeline, core_is_ours: bool) -> DomainRecord:
    door = ims_counters.SBC_ADMITTED_FIRST, ims_counters.SBC_REFUSED_FIRST, ims_counters.SBC_REFUSED_FOLLOW_UP
    known = core_is_ours and timeline.has(ims_counters.SBC_REQUESTS)
    attempts = ims_ue_counters.INIT_REG_ATT, ims_ue_counters.INIT_REG_SUCC
    return _domain(timeline, IMS, attempts, door if known else None)


def _domain(
    timeline: Timeline, domain: str, attempts: tuple[str, str], door: tuple[str, str, str] | None
) -> DomainRecord:
    """`door`: what was admitted and refused at it; None: nobody can look into the core."""
    made, succeeded = map(timeline.total, attempts)
    admitted, refused_first, refused_follow_ups = (None, None, None) if door is None else map(timeline.total, door)
    return {
        "attempts": made,
        "successes": succeeded,
        "attempts_per_success": round(made / succeeded, 6) if succeeded else None,
        "admitted_first": admitted,
        "refused_first": refused_first,
        "refused_follow_ups": refused_follow_ups,
        "pairs": None if door is None else _pairs(timeline, counters.UDM_SERVED, domain),
        "wasted_pairs": None
        if door is None or not _tells_waste(timeline)
        else _pairs(timeline, counters.UDM_PAIRS_LOST, domain),
    }


def _pairs(timeline: Timeline, counter: str, domain: str) -> int:
    return sum(timeline.total(f"{counter}.{interface}") for interface in INTERFACES[domain])


def _tells_waste(timeline: Timeline) -> bool:
    """Waste by interface is told, or there was none."""
    return not timeline.total(counters.UDM_PAIRS_LOST) or bool(timeline.subtotals(counters.UDM_PAIRS_LOST))


def _interfaces(timeline: Timeline) -> dict[str, InterfaceRecord]:
    told = _tells_waste(timeline)
    return {
        one: {
            "offered": timeline.total(f"{counters.UDM_OFFERED}.{one}"),
            "served": timeline.total(f"{counters.UDM_SERVED}.{one}"),
            "dropped": timeline.total(f"{counters.UDM_DROPPED}.{one}"),
            "wasted": timeline.total(f"{counters.UDM_PAIRS_LOST}.{one}") if told else None,
        }
        for interfaces in INTERFACES.values()
        for one in interfaces
    }


def nodes(timeline: Timeline) -> dict[str, NodeRecord] | None:
    """The doors first, then whoever else was asked, by name; then each of several nodes of a kind (`UDM left`)."""
    asked, several = timeline.subtotals(names.NODE_REQUESTS), _each_of_several(timeline)
    if not asked and not several:
        return None
    shed = timeline.subtotals(ims_counters.NODE_DROPPED)
    found = {kind: _door(timeline, kind, *counted) for kind, counted in _DOORS.items() if timeline.has(counted[0])}
    for node, requests in asked.items():
        if node not in found:
            pairs = _BACK_ENDS.get(node)
            of_pairs = sum(timeline.total(f"{counters.UDM_DROPPED}.{pair}") for pair in pairs or ())
            found[node] = {
                "requests": requests,
                "refused": None,
                "dropped": shed.get(node, 0) if pairs is None else of_pairs,
            }
    return found | several


def _door(timeline: Timeline, kind: str, requests: str, first: str, follow_up: str, dropped: str) -> NodeRecord:
    total = timeline.total
    return {"requests": total(requests), "refused": total(first) + total(follow_up), "dropped": total(dropped)}


def _each_of_several(timeline: Timeline) -> dict[str, NodeRecord]:
    """Those that are counted by node, which they are where there are several of a kind."""
    found: dict[str, NodeRecord] = {}
    for kind, (requests, first, follow_up, dropped) in _DOORS.items():
        for node in _nodes_of(timeline, kind.lower(), requests):
            of = [node_counters.of_node(kind.lower(), one, node) for one in (requests, first, follow_up, dropped)]
            found[f"{kind} {node}"] = _door(timeline, kind, *of)
    for kind in _BACK_ENDS:
        for node in _nodes_of(timeline, kind.lower(), counters.UDM_OFFERED):
            offered, lost = (
                timeline.total(node_counters.of_node(kind.lower(), one, node))
                for one in (counters.UDM_OFFERED, counters.UDM_DROPPED)
            )
            found[f"{kind} {node}"] = {"requests": offered, "refused": None, "dropped": lost}
    return found


def _nodes_of(timeline: Timeline, kind: str, counter: str) -> list[str]:
    """Their names; sub-counters by interface stand behind a further dot."""
    return [one for one in timeline.subtotals(node_counters.of_node(kind, counter, "")[:-1]) if "." not in one]
