"""The back end on the wire on the paced clock: sockets of the core's own process, pairs and service as in lockstep."""

from dataclasses import replace

import pytest
from small_storms import plan, scenario
from test_ims_storms import PAIRS, with_ims

from regstorm.drivers.paced_storm import PacedStorm
from regstorm.records import counters
from regstorm.records.storm_plan import StopFlag

pytestmark = pytest.mark.slow

UES = 15


def test_everybody_comes_back_over_real_http_and_diameter():
    one = with_ims(scenario(ues=UES, arrivals_s=20))
    storm = PacedStorm(replace(plan(one), clock="paced", speed=4, backend="wire"))
    try:
        for _ in range(UES):
            storm.seats.take_outage()
        end = storm.run(lambda progress: None, StopFlag())
    finally:
        storm.close()
    assert end.why is None
    assert storm.log.back == UES
    served = {interface: storm.timeline.total(f"{counters.UDM_SERVED}.{interface}") for interface in PAIRS}
    assert all(served[interface] >= UES * pairs for interface, pairs in PAIRS.items())
    assert storm.timeline.total("backend.connections_lost.nudm") == 0
