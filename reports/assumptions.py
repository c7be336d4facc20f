"""What a result rests on: the settings that drive it, with their source, taken from the scenario in the record."""

from dataclasses import dataclass
from typing import Any

from reports import wording
from reports.comparison import Comparison, Group
from reports.key_figures import SHARE_BACK, T99
from reports.run_directory import Run


@dataclass(frozen=True)
class Assumption:
    """One setting: its value and where it comes from."""

    what: str
    value: str
    source: str
    fitted: bool = False


def assumptions(comparison: Comparison) -> list[Assumption]:
    """The assumptions that weigh most, of the first run's scenario and of every strategy; as far as recorded."""
    of_strategies = [found for group in comparison.main_groups for found in _strategy(group)]
    return [*_scenario(comparison.first), *of_strategies]


def _scenario(run: Run) -> list[Assumption]:
    scenario = run.scenario
    if not scenario:
        return []
    core, outage, population = (scenario.get(name) or {} for name in ("core", "outage", "population"))
    udm, amf, bus = (core.get(name) or {} for name in ("udm", "amf", "bus"))
    profiles = population.get("profiles") or {}
    return [
        _shedding(run, udm),
        Assumption("UDM capacity", f"{wording.count(udm.get('capacity_pairs_per_s'))} pairs/s", "chosen"),
        Assumption("Arrivals after the outage", f"uniform over {outage.get('arrivals_s', 0):g} s", "chosen"),
        Assumption("Context in the AMF", str(outage.get("amf_context")), "scenario; lost means plain rejects"),
        Assumption("Authentication", str(outage.get("authenticate")), "scenario; operator's policy"),
        Assumption("Behaviour of the user equipment", _profiles(profiles), "scenario"),
        Assumption("On a failure behind the AMF", str(amf.get("on_backend_failure")), "scenario; vendors differ"),
        Assumption(
            "Calls between functions", f"time-out {bus.get('timeout_s')} s, {bus.get('retries')} retry", "assumed"
        ),
        Assumption("T3502", f"{amf.get('t3502_s')} s", "TS 24.501 table 10.2.1 (default 720 s)"),
        Assumption("T3510, T3511", "15 s, 10 s, five attempts", "TS 24.501 table 10.2.1, 5.5.1.2.7"),
        Assumption("T3560, T3550", "6 s, four retransmissions", "TS 24.501 table 10.2.2"),
    ]


def _strategy(group: Group) -> list[Assumption]:
    """Gate and retry guidance; the paper gives no figure for either."""
    said = group.runs[0].setting("strategy")
    gate, guidance = said.get("gate"), said.get("guidance") or {}
    if not gate:
        return []
    what = str(gate.get("counts")).replace("_", " ")
    rate = f"{wording.percent(gate.get('share_of_capacity'))} of what the UDM can finish"
    window = guidance.get("t3346")
    told = f"{window['low_s']:g} to {window['high_s']:g} s, uniform" if window else "none"
    return [
        Assumption(f"{group.strategy}: gate", f"counts {what}; {rate}; bucket {gate.get('depth_s')} s", "assumed"),
        Assumption(f"{group.strategy}: T3346", f"{told}; a refused follow-up: {guidance.get('follow_up')}", "assumed"),
    ]


def _shedding(run: Run, udm: dict[str, Any]) -> Assumption:
    setting = (udm.get("settings") or {}).get(run.shedding) or {}
    value = f"{run.shedding}: a rejection costs {setting.get('rejection_cost')} pair, queue {setting.get('queue_s')} s"
    if run.shedding == "calibrated":
        source = "calibrated: fitted to bring the first outcome of the paper about, without another source"
        return Assumption("How the UDM sheds", value, source, fitted=True)
    return Assumption("How the UDM sheds", value, "assumed; no value was fitted")


def _profiles(profiles: dict[str, Any]) -> str:
    names = ("obedient", "ignores_t3346", "restless", "impatient", "endless")
    shares = [f"{wording.percent(profiles.get(name))} {name}" for name in names if profiles.get(name)]
    return ", ".join(shares) or "not known"


def plain_beside(comparison: Comparison) -> str:
    """What the UDM setting `plain` gives beside the calibrated one; empty where nothing was calibrated."""
    if not comparison.calibrated:
        return ""
    if not comparison.beside:
        return "What the setting plain gives instead was not run (compare without --no-plain runs it)."
    group = comparison.beside[0]
    same = next((other for other in comparison.main_groups if other.strategy == group.strategy), None)
    against = f", with calibrated {_outcome(same)}" if same else ""
    return f"{group.strategy} with the UDM setting plain: {_outcome(group)}{against}."


def _outcome(group: Group) -> str:
    partial = "" if group.complete else " (PARTIAL)"
    share = wording.percent(group.median(SHARE_BACK))
    return f"{share} back, T99 {wording.duration(group.median(T99))}{partial}"
