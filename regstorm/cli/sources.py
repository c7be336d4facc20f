"""Where scenarios and strategies come from, for the commands (records.sources, which the locustfiles use as well)."""

from regstorm.records.sources import ROOT, SCENARIOS, STRATEGIES, available, scenario, strategy

__all__ = ["ROOT", "SCENARIOS", "STRATEGIES", "available", "scenario", "strategy"]
