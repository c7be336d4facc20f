"""Small scenarios for the simulator's tests."""

from typing import Any

from regstorm.records.scenario import Scenario
from regstorm.records.strategy import Strategy
from regstorm.simulator.run import Storm

OPEN = Strategy(name="open", title="No gate", summary="Everybody is let in.")

TIERED = Strategy.model_validate(
    {
        "name": "tiered",
        "title": "Precise limit with tiers",
        "summary": "Only first messages take a token; queues are ordered.",
        "gate": {"counts": "first_messages"},
        "tiers": {
            "order": {
                "heartbeat": 0,
                "follow_up": 1,
                "service_request": 2,
                "periodic_update": 2,
                "pdu_session": 2,
                "initial_registration": 3,
            }
        },
    }
)

PRECISE = Strategy.model_validate(
    {
        "name": "precise",
        "title": "Precise limit",
        "summary": "Every uplink message takes a token.",
        "gate": {"counts": "every_uplink_message"},
    }
)


def scenario(outage_ues: int = 200, online_ues: int = 0, capacity: float = 1e6, **parts: Any) -> Scenario:
    """An outage of a minute; capacities without limit unless the test gives one."""
    core = {"udm": {"capacity_pairs_per_s": capacity}, "amf": {"capacity_messages_per_s": 1e6}, **parts.pop("core", {})}
    outage = {"begins_s": 5, "lasts_s": 5, "arrivals_s": 10, **parts.pop("outage", {})}
    return Scenario.model_validate(
        {
            "schema": 1,
            "name": "test",
            "title": "test",
            "population": {"outage_ues": outage_ues, "online_ues": online_ues, **parts.pop("population", {})},
            "outage": outage,
            "core": core,
            **parts,
        }
    )


def run(storm: Storm) -> Storm:
    """To its end."""
    while not storm.over:
        storm.run_second()
    storm.timeline.close(float(storm.second))
    return storm
