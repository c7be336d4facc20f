"""Full service on the paced clock: the core, in a process of its own, has its say about every UE."""

from dataclasses import replace

import pytest
from small_storms import plan, scenario

from regstorm.drivers.paced_storm import PacedStorm
from regstorm.records import counters, ims_counters, ims_ue_counters
from regstorm.records.storm_plan import StopFlag

pytestmark = pytest.mark.slow

RETURNING, ONLINE = 20, 5
PAIRS_PER_REGISTRATION = 25


def paced_with_ims(speed):
    calm = scenario(ues=RETURNING, online=ONLINE, arrivals_s=5)
    full = calm.model_copy(update={"population": calm.population.model_copy(update={"ims": True})})
    storm = PacedStorm(replace(plan(full), clock="paced", speed=speed))
    try:
        for _ in range(RETURNING):
            storm.seats.take_outage()
        for _ in range(ONLINE):
            storm.seats.take_online()
        return storm, storm.run(lambda progress: None, StopFlag())
    finally:
        storm.close()


def test_everybody_is_back_when_both_application_servers_say_so_too():
    storm, end = paced_with_ims(speed=10)
    timeline = storm.timeline

    assert end.why is None
    assert storm.log.back == RETURNING
    assert timeline.total(ims_ue_counters.INIT_REG_SUCC) >= RETURNING
    assert timeline.total(counters.UDM_SERVED) >= RETURNING * PAIRS_PER_REGISTRATION
    held_by_the_core = timeline.column(ims_counters.FULL_SERVICE)
    in_service = [
        returned + online
        for returned, online in zip(
            timeline.column(counters.OUTAGE_IN_SERVICE), timeline.column(counters.ONLINE_IN_SERVICE), strict=True
        )
    ]
    assert in_service[0] == held_by_the_core[0] == RETURNING + ONLINE  # since before
    assert min(in_service) == ONLINE
    assert in_service[-1] == held_by_the_core[-1] == RETURNING + ONLINE
    assert all(joined <= held for joined, held in zip(in_service, held_by_the_core, strict=True))
