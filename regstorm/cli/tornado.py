"""The assumptions whose effect on T99 `regstorm sweep --tornado` ranks; docs/model.md says what is known of each.

Each swings between two values to either side of the scenario's, one at a time. The values are chosen: what a reader
may hold against the scenario, not what was measured anywhere.
"""

from collections.abc import Sequence
from typing import NamedTuple

from regstorm.records.scenario import Scenario

Side = tuple[str, Sequence[str]]
"""What is said about it, and the changes."""


class Swing(NamedTuple):
    """An assumption and its two sides."""

    name: str
    sides: tuple[Side, ...]


def swings(scenario: Scenario) -> list[Swing]:
    """Those of `scenario`."""
    return [*_of_the_udm(scenario), *_of_the_core(scenario), *_of_the_users(scenario), *_of_the_strategy()]


def _between(name: str, field: str, *values: object) -> Swing:
    return Swing(name, tuple((str(value).strip('"'), [f"{field}={value}"]) for value in values))


def _of_the_udm(scenario: Scenario) -> list[Swing]:
    udm = scenario.core.udm
    setting = f"core.udm.settings.{udm.shedding}"
    capacity = udm.capacity_pairs_per_s
    return [
        _between(
            "UDM capacity, pairs/s", "core.udm.capacity_pairs_per_s", round(0.8 * capacity), round(1.2 * capacity)
        ),
        _between("a rejection at the UDM costs, pairs", f"{setting}.rejection_cost", 0.25, 0.5, 0.75),
        _between("queue of the UDM, s", f"{setting}.queue_s", 1, 3),
        _between("the UDM sheds above a load of", f"{setting}.load_limit", 0.8, 1.0),
    ]


def _of_the_core(scenario: Scenario) -> list[Swing]:
    amf = scenario.core.amf.capacity_messages_per_s
    return [
        _between("AMF capacity, messages/s", "core.amf.capacity_messages_per_s", round(0.5 * amf), round(2 * amf)),
        _between(
            "after a failure behind it the AMF says", "core.amf.on_backend_failure", "silent", "22_t3346", '"111"'
        ),
        _between("T3502, s", "core.amf.t3502_s", 240, 1440),
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
        _between("jitter on a retry, s", "ue.retry_jitter_s", 0, 2),
        _behaviour("restless UEs", "restless", 0.2, 1.0),
        _behaviour("UEs that ignore T3346", "ignores_t3346", 0.1, 0.5),
        _behaviour("impatient UEs", "impatient", 0.05, 0.2),
        _behaviour("endless UEs", "endless", 0.0005, 0.005),
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

    return Swing(name, tuple((f"{share:g}", others(share)) for share in shares))
