"""A storm in Locust as metrics for Prometheus: the counters of its UEs and, where it is ours, of its core."""

from regstorm.locust.live import LiveStorm
from regstorm.measures import prometheus


def of_storm(live: LiveStorm) -> str:
    """All counters of the storm that goes on or was the last."""
    if live.timeline is None or live.scenario is None:
        return ""
    return prometheus.of_timeline(live.timeline, {"scenario": live.scenario.name, "strategy": live.strategy})
