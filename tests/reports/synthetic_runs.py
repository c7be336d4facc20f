"""Run directories made up from a formula, for tests of pages and commands. No figure in here was measured."""

import csv
import json
import random
from pathlib import Path

from regstorm.records import counters, domain_counters

OUTAGE_ENDS_S = 180
UES, ONLINE, SAMPLE, PAIRS = 2000, 1000, 100, 13
CAPACITY = 87.0
LOWER_BOUND_S = UES * PAIRS / CAPACITY

SCENARIO = {
    "name": "outage_return",
    "title": "Synthetic outage",
    "population": {"outage_ues": UES * SAMPLE, "online_ues": ONLINE * SAMPLE, "profiles": {"obedient": 1.0}},
    "outage": {"begins_s": 120.0, "lasts_s": 60.0, "arrivals_s": 45.0, "amf_context": "kept", "authenticate": "always"},
    "core": {
        "udm": {
            "capacity_pairs_per_s": CAPACITY * SAMPLE,
            "shedding": "calibrated",
            "settings": {
                "plain": {"rejection_cost": 0.25, "queue_s": 1.0},
                "calibrated": {"rejection_cost": 0.5, "queue_s": 3.0},
            },
        },
        "amf": {"on_backend_failure": "silent", "t3502_s": 720},
        "bus": {"timeout_s": 3.0, "retries": 1},
    },
}


def write_run(
    where: Path,
    strategy: str = "tiered",
    seed: int = 1,
    t99_s: float | None = 510,
    share_back: float = 1.0,
    refused_follow_ups: int = 0,
    wasted_work: float = 0.0,
    complete: bool = True,
    t50_s: float | None = None,
    label: str = "",
    udm: str = "calibrated",
    engine: str = "wire",
    ims: dict[str, object] | None = None,
    **header: object,
) -> Path:
    """A run in which users come back at a constant pace until `share_back` of them are back.

    `ims`: what its record says besides (`with_ims`).
    """
    where.mkdir(parents=True, exist_ok=True)
    rng = random.Random(seed)
    pace_s = (t99_s or 3600 / max(share_back, 0.01)) * rng.uniform(0.97, 1.03)
    until_s = OUTAGE_ENDS_S + (int(pace_s) + 60 if t99_s else 3600)
    with (where / "timeline.csv").open("w", newline="") as file:
        table = csv.DictWriter(file, [*_columns(), *(IMS_COLUMNS if ims else ())], restval=0, lineterminator="\n")
        table.writeheader()
        for second in range(until_s):
            table.writerow(_row(second, pace_s, share_back, rng))
    (where / "run.json").write_text(
        json.dumps(
            {
                "schema": 1,
                "scenario": "outage_return",
                "ues": UES,
                "online_ues": ONLINE,
                "pairs_per_registration": PAIRS,
                "lower_bound_s": LOWER_BOUND_S,
                "runs": [
                    {
                        "strategy": strategy,
                        "label": label,
                        "engine": engine,
                        "clock": "lockstep" if engine == "wire" else None,
                        "seed": seed,
                        "sample": SAMPLE,
                        "speed": None,
                        "complete": complete,
                        "why": None if complete else "interrupted",
                        "ues": UES,
                        "online_ues": ONLINE,
                        "outage_end_s": float(OUTAGE_ENDS_S),
                        "ended_s": float(until_s),
                        "lower_bound_s": LOWER_BOUND_S,
                        "recovery": {
                            "t50_s": t50_s or (t99_s / 2 if t99_s else None),
                            "t90_s": t99_s * 0.9 if t99_s else None,
                            "t99_s": t99_s,
                            "t100_s": t99_s,
                            "t99_stable_s": t99_s,
                            "share_back": share_back,
                            "share_back_10_min": share_back * min(1.0, 600 / pace_s),
                            "share_back_arrived": share_back * min(1.0, 45 / pace_s),
                        },
                        "efficiency": 0.99 * LOWER_BOUND_S / t99_s if t99_s else None,
                        "attempts_per_success": 2.9,
                        "attempts_per_success_by_procedure": {"5G registration": 2.9},
                        "wasted_work": wasted_work,
                        "online_procedures": 9000,
                        "online_failed": 0,
                        "online_failed_share": 0.0,
                        "online_dropped": 0,
                        "refused_first": 3778,
                        "refused_follow_ups": refused_follow_ups,
                        "waiting_ue_minutes": 5200.0,
                        "waiting_ue_minutes_by_timer": {"T3346": 5200.0},
                        "amf": {"uplink_messages": 30000, "dropped": 0, "retransmissions": 0, "backend_failures": 0},
                        "udm": {
                            "capacity_pairs_per_s": CAPACITY,
                            "peak_load": 0.9,
                            "window_s": 12,
                            "seconds_in_overload": 0,
                            "share_in_overload": 0.0,
                            "load_offered_in_backlog": 0.85,
                            "load_served_in_backlog": 0.8,
                            "offered": 51000,
                            "served": 51000,
                            "dropped": 0,
                            "dropped_share": 0.0,
                            "rejection_pairs": 0.0,
                            "pairs": {"N13": 4000, "N8": 10000, "N10": 12000},
                            "nodes": [],
                        },
                        "rejects": {"5GMM #22": 3778, "5GSM #26": 12},
                        "protected_reject_share": 0.98,
                        "backend": None,
                        "lateness_p99_s": 0.0,
                        "verdict": {"pass": True, "failed": []},
                        "versions": {"regstorm": "0.1.0", "python": "3.11"},
                        "command": "regstorm compare scenarios/outage_return.yaml --sample 100 --seed 1",
                        "settings": {
                            "scenario": SCENARIO if udm == "calibrated" and not label else _plain(),
                            "strategy": {"title": strategy.title(), "summary": f"What {strategy} does."},
                            "scenario_path": "scenarios/outage_return.yaml",
                            "strategy_path": f"strategies/{strategy}.yaml",
                        },
                    }
                    | (ims or {})
                ],
            }
            | header
        )
    )
    return where


IMS_COLUMNS = [
    domain_counters.ATTEMPTED,
    domain_counters.NOW_REGISTERED,
    domain_counters.NOW_SESSIONS_UP,
    domain_counters.NOW_IMS_REGISTERED,
]


def with_ims(sbc_refused: int = 40, wasted: int | None = 300, due: int = 110, late: int = 30) -> dict[str, object]:
    """What a record says of a storm with IMS."""
    stages = ("attempted", "5GC registered", "sessions up", "IMS registered", "full service")
    doors = {"5GC": 3778, "IMS": sbc_refused}
    asked = {"AMF": 30000, "SBC": 9000, "AUSF": 4100, "UDM": 26000, "HSS": 24500}
    return {
        "funnel": [
            {
                "stage": stage,
                "reached": UES - 10 * n,
                "at_end": UES - 20 * n if n else None,
                "lost": 5 * n if n else None,
            }
            for n, stage in enumerate(stages)
        ],
        "domains": {
            domain: {
                "attempts": UES + refused,
                "successes": UES,
                "attempts_per_success": (UES + refused) / UES,
                "admitted_first": UES,
                "refused_first": refused,
                "refused_follow_ups": 0,
                "pairs": 25000,
                "wasted_pairs": wasted,
            }
            for domain, refused in doors.items()
        },
        "interfaces": {
            one: {"offered": 5100, "served": 5000, "dropped": 100, "wasted": wasted}
            for one in ("N13", "N8", "N10", "Cx", "Sh")
        },
        "nodes": {
            node: {"requests": n, "refused": {"AMF": 3778, "SBC": sbc_refused}.get(node), "dropped": 0}
            for node, n in asked.items()
        },
        "reregistrations": {"due": due, "due_share": due / ONLINE, "kept": due, "lost": 0},
        "back_after_minute_12": {
            "users": late,
            "share": late / UES,
            "not_back": 0,
            "by_timer": {"T3502": late - 10, "Retry-After": 10} if late else {},
        },
    }


def _plain() -> dict[str, object]:
    core = SCENARIO["core"]
    return {**SCENARIO, "core": {**core, "udm": {**core["udm"], "shedding": "plain"}}}


def _columns() -> list[str]:
    return [
        "second",
        counters.OUTAGE_IN_SERVICE,
        counters.OUTAGE_BACK,
        counters.ONLINE_IN_SERVICE,
        f"{counters.WAITING}.T3346",
        f"{counters.WAITING}.T3502",
        counters.UDM_OFFERED,
        counters.UDM_SERVED,
        counters.UDM_DROPPED,
        counters.PROTECTED_REJECTS,
        counters.UNPROTECTED_REJECTS,
    ]


def _row(second: int, pace_s: float, share_back: float, rng: random.Random) -> dict[str, int]:
    since = second - OUTAGE_ENDS_S
    back = UES if second < 120 else 0 if since < 0 else int(min(since / pace_s, share_back) * UES)
    storm = 0 <= since < pace_s
    offered = int(CAPACITY * rng.uniform(0.7, 1.1)) if storm else 3
    served = min(offered, int(CAPACITY * 0.9))
    levels = [
        back,
        back if since >= 0 else 0,
        ONLINE,
        (UES - back) // 2 if storm else 0,
        (UES - back) // 5 if storm else 0,
    ]
    return dict(
        zip(_columns(), [second, *levels, offered, served, offered - served, 7 if storm else 0, 0], strict=True)
    )
