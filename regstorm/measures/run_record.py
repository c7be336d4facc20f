"""Run record: the figures of one storm, from its timeline and its service log (records.run_record has the types).

Pure functions of what was measured. Knows no clock, no file and no machine: whoever drives the run says how it went.
"""

from dataclasses import dataclass
from typing import Protocol

from regstorm.measures.domain_record import add_domains, nodes
from regstorm.measures.lower_bound import efficiency, scenario_lower_bound_s
from regstorm.measures.service_log import ServiceLog
from regstorm.measures.timeline import Timeline
from regstorm.measures.udm_record import udm_record
from regstorm.measures.ue_counts import FAMILIES, FLOW_CONTROL_TIMERS, SESSIONS, SIP, Family, reject_cause
from regstorm.measures.verdict import judge
from regstorm.overload.amplification import pairs_per_registration
from regstorm.records import counters, ims_ue_counters, procedures
from regstorm.records.run_record import (
    SCHEMA,
    AmfRecord,
    Clock,
    Engine,
    Recovery,
    RunDocument,
    RunEntry,
    Settings,
)
from regstorm.records.scenario import Scenario
from regstorm.records.storm_plan import StormPlan


@dataclass(frozen=True, slots=True)
class HowItRan:
    """What only the driver knows."""

    engine: Engine
    clock: Clock | None
    ended_s: float
    """The run's last scenario second."""
    speed: float | None = None
    """Scenario seconds per wall second on the paced clock."""
    complete: bool = True
    why: str | None = None
    """Why the run is partial."""
    lateness_p99_s: float = 0.0
    core_is_ours: bool = True
    """False: neither AMF nor UDM can be looked into."""


class Waits(Protocol):
    """Who has measured how long UEs waited (ue_counts.UeCounts, or merged.MergedWaits of several processes)."""

    def waited_ue_minutes(self, end_s: float) -> dict[str, float]:
        """UE-minutes until `end_s`, by timer, sorted."""


@dataclass(frozen=True, slots=True)
class Measured:
    """What a run has measured."""

    timeline: Timeline
    log: ServiceLog
    ue_counts: Waits


def run_entry(plan: StormPlan, how: HowItRan, measured: Measured) -> RunEntry:
    """One entry of `runs`, with its verdict. The timeline has been closed."""
    scenario = plan.scenario.sampled(plan.sample)
    timeline, log, core_is_ours = measured.timeline, measured.log, how.core_is_ours
    bound = scenario_lower_bound_s(scenario) if core_is_ours else None
    recovery = _recovery(log, scenario)
    waited = measured.ue_counts.waited_ue_minutes(how.ended_s)
    entry: RunEntry = {
        "strategy": plan.strategy.name,
        "label": plan.label,
        "engine": how.engine,
        "clock": how.clock,
        "backend": plan.backend if how.engine == "wire" and core_is_ours else None,
        "seed": plan.seed,
        "sample": plan.sample,
        "speed": how.speed,
        "complete": how.complete,
        "why": how.why,
        "command": plan.command,
        "ues": scenario.population.outage_ues,
        "online_ues": scenario.population.online_ues,
        "outage_end_s": log.outage_end_s,
        "ended_s": how.ended_s,
        "lower_bound_s": _rounded(bound),
        "recovery": recovery,
        "efficiency": _rounded(efficiency(bound, recovery["t99_s"])),
        "attempts_per_success": _attempts_per_success(timeline, FAMILIES[procedures.REGISTRATION]),
        "attempts_per_success_by_procedure": _by_procedure(timeline),
        "wasted_work": _wasted_work(timeline) if core_is_ours else None,
        "online_procedures": timeline.total(counters.ONLINE_PROCEDURES),
        "online_failed": timeline.total(counters.ONLINE_FAILED),
        "online_failed_share": _ratio(timeline, counters.ONLINE_FAILED, counters.ONLINE_PROCEDURES),
        "online_dropped": timeline.total(counters.ONLINE_DROPPED),
        "refused_first": timeline.total(counters.REFUSED_FIRST) if core_is_ours else None,
        "refused_follow_ups": timeline.total(counters.REFUSED_FOLLOW_UP) if core_is_ours else None,
        "waiting_ue_minutes": round(sum(m for timer, m in waited.items() if timer in FLOW_CONTROL_TIMERS), 3),
        "waiting_ue_minutes_by_timer": {timer: round(minutes, 3) for timer, minutes in waited.items()},
        "amf": _amf(timeline) if core_is_ours else None,
        "udm": udm_record(timeline, scenario) if core_is_ours else None,
        "rejects": _rejects(timeline),
        "protected_reject_share": _ratio(timeline, counters.PROTECTED_REJECTS, counters.REJECT),
        "lateness_p99_s": how.lateness_p99_s,
        "verdict": {"pass": False, "failed": []},
        "settings": _settings(plan),
    }
    if scenario.population.ims:
        add_domains(entry, timeline, log, core_is_ours)
    elif core_is_ours and (by_node := nodes(timeline)):
        entry["nodes"] = by_node
    nominal = _rounded(scenario_lower_bound_s(scenario, with_incidents=False))
    if core_is_ours and nominal != entry["lower_bound_s"]:
        entry["lower_bound_nominal_s"] = nominal
    entry["verdict"] = judge(plan.scenario.expected.get(plan.strategy.name), entry)
    return entry


def document(scenario: Scenario, sample: int, runs: list[RunEntry]) -> RunDocument:
    """The whole of run.json (one run) or compare.json; `scenario` is the full size."""
    sampled = scenario.sampled(sample)
    return {
        "schema": SCHEMA,
        "scenario": scenario.name,
        "ues": sampled.population.outage_ues,
        "online_ues": sampled.population.online_ues,
        "pairs_per_registration": sum(pairs_per_registration(sampled).values()),
        "lower_bound_s": _rounded(scenario_lower_bound_s(sampled)),
        "runs": runs,
    }


def _recovery(log: ServiceLog, scenario: Scenario) -> Recovery:
    return {
        "t50_s": _rounded(log.recovery_s(0.5)),
        "t90_s": _rounded(log.recovery_s(0.9)),
        "t99_s": _rounded(log.recovery_s(0.99)),
        "t100_s": _rounded(log.recovery_s(1.0)),
        "t99_stable_s": _rounded(log.stable_recovery_s()),
        "share_back": log.share_back,
        "share_back_10_min": round(log.share_back_within(600.0), 6),
        "share_back_arrived": round(log.share_back_within(scenario.outage.arrivals_s), 6),
    }


def _rejects(timeline: Timeline) -> dict[str, int]:
    """What UEs were told, in 5GS and in IMS."""
    in_5gs = {reject_cause(one): n for one, n in timeline.subtotals(counters.REJECT).items()}
    return in_5gs | {f"{SIP}{one}": n for one, n in timeline.subtotals(ims_ue_counters.REJECT).items()}


def _amf(timeline: Timeline) -> AmfRecord:
    return {
        "uplink_messages": timeline.total(counters.AMF_UPLINK),
        "dropped": timeline.total(counters.AMF_DROPPED),
        "retransmissions": timeline.total(counters.NAS_RETRANSMISSIONS),
        "backend_failures": timeline.total(counters.AMF_BACKEND_FAILURES),
    }


def _settings(plan: StormPlan) -> Settings:
    return {
        "scenario": plan.scenario.model_dump(mode="json", by_alias=True),
        "strategy": plan.strategy.model_dump(mode="json", by_alias=True),
        "scenario_path": plan.scenario_path,
        "strategy_path": plan.strategy_path,
    }


def _wasted_work(timeline: Timeline) -> float | None:
    return _ratio(timeline, counters.UDM_PAIRS_LOST, counters.UDM_SERVED)


def _by_procedure(timeline: Timeline) -> dict[str, float | None]:
    """Only procedures that were attempted."""
    families = {**FAMILIES, "PDU session": SESSIONS}
    return {
        name: _attempts_per_success(timeline, family)
        for name, family in families.items()
        if timeline.total(family.requests)
    }


def _attempts_per_success(timeline: Timeline, family: Family) -> float | None:
    return _ratio(timeline, family.requests, family.successes)


def _ratio(timeline: Timeline, part: str, whole: str) -> float | None:
    of = timeline.total(whole)
    return round(timeline.total(part) / of, 6) if of else None


def _rounded(value: float | None) -> float | None:
    """To a thousandth: what a scenario clock can mean."""
    return None if value is None else round(value, 3)
