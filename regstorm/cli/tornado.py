"""The assumptions whose effect on T99 `regstorm sweep --tornado` ranks; docs/model.md says what is known of each.

Each swings between two values to either side of the scenario's, one at a time. The values are chosen: what a reader
may hold against the scenario, not what was measured anywhere.
"""

from collections.abc import Sequence
from typing import NamedTuple

from regstorm.records.scenario import Scenario
from ue_models.ims_rules import REGISTRATION_EXPIRES_S

FITTED = "calibrated (fitted)"
"""What reports call the UDM's setting that was chosen by what comes out of it."""

Side = tuple[str, Sequence[str]]
"""What is said about it, and the changes."""


class Swing(NamedTuple):
    """An assumption, its field, and its sides. A side that is the scenario's own is the storm as it is, by name."""

    name: str
    field: str
    sides: tuple[Side, ...]


def swings(scenario: Scenario) -> list[Swing]:
    """Those of `scenario`; what only IMS feels, only where it has IMS."""
    found = [*_of_the_udm(scenario), *_of_the_core(scenario), *_of_the_users(scenario)]
    if scenario.population.ims:
        found += _of_ims()
    return [*found, *_of_the_strategy()]


def _between(name: str, field: str, *values: object) -> Swing:
    return Swing(name, field, tuple((str(value).strip('"'), [f"{field}={value}"]) for value in values))


def _ranges(name: str, field: str, *ranges: tuple[float, float]) -> Swing:
    sides = ((f"{low:g} to {high:g}", [f"{field}={{low: {low:g}, high: {high:g}}}"]) for low, high in ranges)
    return Swing(name, field, tuple(sides))


def _of_the_udm(scenario: Scenario) -> list[Swing]:
    udm = scenario.core.udm
    setting = f"core.udm.settings.{udm.shedding}"
    capacity = udm.capacity_pairs_per_s
    how = "core.udm.shedding"
    return [
        Swing("how the UDM sheds", how, ((FITTED, [f"{how}=calibrated"]), ("plain", [f"{how}=plain"]))),
        _between(
            "UDM capacity, pairs/s", "core.udm.capacity_pairs_per_s", round(0.8 * capacity), round(1.2 * capacity)
        ),
        _between("a rejection at the UDM costs, pairs", f"{setting}.rejection_cost", 0.25, 0.5, 0.75),
        _between("queue of the UDM, s", f"{setting}.queue_s", 1, 3),
        _between("the UDM sheds above a load of", f"{setting}.load_limit", 0.8, 1.0),
        _between("a rejection at the UDM is", "core.udm.refusals", "silent", "answered"),
    ]


def _of_the_core(scenario: Scenario) -> list[Swing]:
    amf = scenario.core.amf.capacity_messages_per_s
    return [
        _between("AMF capacity, messages/s", "core.amf.capacity_messages_per_s", round(0.5 * amf), round(2 * amf)),
        _between(
            "after a failure behind it the AMF says", "core.amf.on_backend_failure", "silent", "22_t3346", '"111"'
        ),
        _between("T3502, s", "core.amf.t3502_s", 240, 1440),
        _between("repetitions of T3550, T3560, T3570", "core.amf.nas_retransmissions", 0, 8),
        _between("time-out of a call, s", "core.bus.timeout_s", 1, 10),
        _between("retries of a call", "core.bus.retries", 0, 3),
        _between("hop between functions, s", "core.bus.hop_s", 0.002, 0.05),
        _between("context in the AMF", "outage.amf_context", "kept", "lost"),
        _between("authentication", "outage.authenticate", "always", "when_needed"),
    ]


def _of_the_users(scenario: Scenario) -> list[Swing]:
    online = scenario.population.online_ues
    return [
        _between("arrivals within, s", "outage.arrivals_s", 10, 300),
        _between("users in service", "population.online_ues", 0, 2 * online),
        _between("an operation of a user in service every, s", "online.every_s", 200, 1800),
        _between("UEs without a security context", "population.unprotected", 0, 0.1),
        _ranges("answer of a UE, s", "ue.answer_s", (0.02, 0.06), (0.25, 0.75)),
        _between("jitter on a retry, s", "ue.retry_jitter_s", 0, 2),
        _behaviour("restless UEs", "restless", 0.2, 1.0),
        _behaviour("UEs that ignore T3346", "ignores_t3346", 0.1, 0.5),
        _behaviour("impatient UEs", "impatient", 0.05, 0.2),
        _behaviour("endless UEs", "endless", 0.0005, 0.005),
    ]


def _of_ims() -> list[Swing]:
    return [
        _between("an IMS registration lasts, s", "core.ims.expires_s", 1200, REGISTRATION_EXPIRES_S),
        _between("a UE refused by one P-CSCF", "population.refused_by_p_cscf", "next_p_cscf", "wait"),
        _between("a UE refused by every P-CSCF", "population.p_cscfs_exhausted", "new_session", "reregister"),
        _between("gate of the SBC, share of the AMF's", "core.sbc.share_of_amf", 0.5, 2),
        _behaviour("UEs that ignore Retry-After", "ignores_retry_after", 0.1, 0.5),
    ]


def _of_the_strategy() -> list[Swing]:
    """Of those that have a gate."""
    return [
        _between("rate of the gate, share of capacity", "strategy.gate.share_of_capacity", 0.6, 0.9),
        _between("depth of the bucket, s", "strategy.gate.depth_s", 1, 5),
        _between("T3346 up to, s", "strategy.guidance.t3346.high_s", 90, 360),
        _between("a refused follow-up", "strategy.guidance.follow_up", "drop", "reject"),
    ]


def _behaviour(name: str, profile: str, *shares: float) -> Swing:
    def others(share: float) -> list[str]:
        profiles = {"obedient": 0.0, "ignores_t3346": 0.0, "restless": 0.0, "impatient": 0.0, "endless": 0.0}
        profiles |= {"ignores_retry_after": 0.0, "obedient": round(1 - share, 6), profile: share}
        return [f"population.profiles.{one}={of_them}" for one, of_them in profiles.items()]

    return Swing(name, f"population.profiles.{profile}", tuple((f"{share:g}", others(share)) for share in shares))
