"""Where files come from by name, for the commands (records.sources, which the locustfiles use as well)."""

from regstorm.records.sources import (
    ROOT,
    SCENARIOS,
    STRATEGIES,
    TOPOLOGIES,
    available,
    later,
    require_expected,
    scenario,
    strategy,
    topology,
)

__all__ = [
    "ROOT",
    "SCENARIOS",
    "STRATEGIES",
    "TOPOLOGIES",
    "available",
    "later",
    "require_expected",
    "scenario",
    "strategy",
    "topology",
]
