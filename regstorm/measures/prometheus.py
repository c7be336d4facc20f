"""Counters and levels as text for Prometheus (its text exposition format, version 0.0.4).

Names are those of records.counters, so of TS 28.552 where it has one: `RM.RegInitFail` is
`regstorm_rm_reg_init_fail_total`. What stands behind a dot becomes a label of a family of its own,
`regstorm_rm_reg_init_fail_by_cause_total{cause="22"}`: beside the total under one name it would be summed twice.
"""

import re
from collections.abc import Mapping
from typing import Final

from regstorm.measures.timeline import CATALOGUE, Timeline
from regstorm.measures.ue_counts import reject_cause
from regstorm.records import counters, domain_counters, ims_counters, ims_ue_counters

CONTENT_TYPE: Final = "text/plain; version=0.0.4; charset=utf-8"
PREFIX: Final = "regstorm"

_SUB_COUNTERS: Final = {
    counters.REG_INIT_FAIL: "cause",
    counters.REG_PERIOD_FAIL: "cause",
    counters.REG_MOB_FAIL: "cause",
    counters.REG_EMERG_FAIL: "cause",
    counters.SERVICE_FAIL: "cause",
    counters.PDU_FAIL: "cause",
    counters.REJECT: "cause",
    counters.ONLINE_DROPPED: "reason",
    counters.WAITING: "timer",
    counters.UDM_OFFERED: "interface",
    counters.UDM_SERVED: "interface",
    counters.UDM_DROPPED: "interface",
    counters.NAS_RETRANSMISSIONS: "timer",
    counters.SMF_RETRANSMISSIONS: "timer",
    counters.HEARTBEATS_LOST: "function",
    counters.AMF_REJECTS: "protection",
    counters.DECODE_ERRORS: "codec",
    counters.UDM_PAIRS_LOST: "interface",
    domain_counters.BACK_LATE: "timer",
    domain_counters.NODE_REQUESTS: "node",
    ims_counters.SBC_RESPONSES: "status",
    ims_counters.DEREGISTERED: "by",
    ims_counters.THIRD_PARTY: "node",
    ims_counters.THIRD_PARTY_FAILED: "node",
    ims_counters.NODE_DROPPED: "node",
    ims_ue_counters.REJECT: "cause",
    ims_ue_counters.LOST: "reason",
    ims_ue_counters.INIT_REG_FAIL: "cause",
    ims_ue_counters.RE_REG_FAIL: "cause",
    ims_ue_counters.DE_REG_FAIL: "cause",
    ims_ue_counters.MESSAGE_FAIL: "cause",
    ims_ue_counters.SESSION_RELEASE_FAIL: "cause",
}
"""The label of what stands behind the dot."""
_LEVELS: Final = frozenset(
    (
        counters.OUTAGE_IN_SERVICE,
        counters.ONLINE_IN_SERVICE,
        counters.OUTAGE_BACK,
        counters.WAITING,
        domain_counters.NOW_REGISTERED,
        domain_counters.NOW_SESSIONS_UP,
        domain_counters.NOW_IMS_REGISTERED,
        ims_counters.FULL_SERVICE,
    )
)


def of_timeline(timeline: Timeline, labels: Mapping[str, str] | None = None) -> str:
    """All that a timeline has counted, and its levels as they are."""
    values = {name: timeline.level(name) if _is_level(name) else timeline.total(name) for name in timeline.columns()}
    return text(values, labels)


def text(values: Mapping[str, float], labels: Mapping[str, str] | None = None) -> str:
    """Lines for `values` by counter name; `labels` stand at every one of them."""
    families: dict[tuple[str, str], list[str]] = {}
    for name, value in values.items():
        family, kind, own = _family(name)
        said = ",".join(f'{label}="{_escaped(of)}"' for label, of in {**(labels or {}), **own}.items())
        families.setdefault((family, kind), []).append(f"{family}{f'{{{said}}}' if said else ''} {value:.16g}")
    lines = (line for (family, kind), samples in families.items() for line in (f"# TYPE {family} {kind}", *samples))
    return "".join(f"{line}\n" for line in lines)


def _family(name: str) -> tuple[str, str, dict[str, str]]:
    """Family, its type, and the label that stands for a sub-counter."""
    base, own, by = name, dict[str, str](), ""
    for whole, label in _SUB_COUNTERS.items():
        if name.startswith(f"{whole}.") and name not in CATALOGUE:
            behind = name.removeprefix(f"{whole}.")
            own = {label: reject_cause(behind) if whole == counters.REJECT else behind}
            base, by = whole, f"_by_{label}"
    kind = "gauge" if _is_level(base) else "counter"
    return f"{PREFIX}_{_snake(base)}{by}{'' if kind == 'gauge' else '_total'}", kind, own


def _is_level(name: str) -> bool:
    return name in _LEVELS or name.startswith(f"{counters.WAITING}.")


def _snake(name: str) -> str:
    """`RM.RegInitFail` is rm_reg_init_fail."""
    words = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name)
    return re.sub(r"[^a-zA-Z0-9]+", "_", words).lower()


def _escaped(text: str) -> str:
    return text.replace("\\", r"\\").replace('"', r"\"").replace("\n", r"\n")
