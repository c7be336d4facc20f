"""How far a storm is, read from what it has measured."""

from regstorm.measures.service_log import ServiceLog
from regstorm.measures.timeline import Timeline
from regstorm.records import counters
from regstorm.records.scenario import Scenario
from regstorm.records.storm_plan import Progress

LOAD_OVER_S = 10  # complete seconds over which the UDM's load is averaged


def progress_of(
    scenario: Scenario, timeline: Timeline, log: ServiceLog, now: float, until_s: float, wall_s: float
) -> Progress:
    """`scenario` is that of the sample; `wall_s` since the run began."""
    return Progress(
        scenario_s=now,
        until_s=until_s,
        in_service=timeline.level(counters.OUTAGE_IN_SERVICE) + timeline.level(counters.ONLINE_IN_SERVICE),
        back=log.back,
        outage_ues=log.outage_ues,
        refused=timeline.total(counters.REFUSED_FIRST) + timeline.total(counters.REFUSED_FOLLOW_UP),
        udm_load=_udm_load(scenario, timeline),
        wall_s=wall_s,
    )


def _udm_load(scenario: Scenario, timeline: Timeline) -> float | None:
    """Offered over the last complete seconds, as a share of capacity."""
    offered = timeline.column(counters.UDM_OFFERED)[-LOAD_OVER_S:]
    if not offered:
        return None
    return sum(offered) / len(offered) / scenario.core.udm.capacity_pairs_per_s
