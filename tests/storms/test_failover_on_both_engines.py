"""A data centre is lost: wire and simulator bring its users to full service at the other one at the same time.

Half of the users come with a GUTI of the lost AMF. Under `tiered` they are refused in plain and draw T3346 themselves;
under `guided` they are authenticated first, and known by that GUTI from then on. Users in service are dropped by
5GMM #9 where the AMF that is left does not know them, and by Timer F where their SBC is silent.
"""

from dataclasses import replace

import pytest
from small_storms import plan, shipped, storm_of

from regstorm.records import counters
from regstorm.records.guided_counters import PRE_AUTHENTICATED
from regstorm.simulator.run import Storm


def on_both(under, sample, seed=1):
    of_plan = plan(shipped("data_centre_failover"), under, seed)
    simulated = Storm(of_plan.scenario.sampled(sample), of_plan.strategy.sampled(sample), seed)
    while not simulated.over:
        simulated.run_second()
    simulated.timeline.close(float(simulated.second))
    return storm_of(replace(of_plan, sample=sample)), simulated


@pytest.mark.slow
@pytest.mark.parametrize(("under", "sample"), [("tiered", 200), ("guided", 200)])
def test_the_other_data_centre_takes_the_users_at_the_same_time_on_the_wire_and_in_the_simulator(under, sample):
    wire, simulated = on_both(under, sample)
    for share in (0.5, 0.9, 0.99):
        assert simulated.log.recovery_s(share) == pytest.approx(wire.log.recovery_s(share), rel=0.1)
    for counter in (counters.REFUSED_FIRST, counters.PROTECTED_REJECTS, counters.REJECT, counters.ONLINE_DROPPED):
        assert simulated.timeline.total(counter) == pytest.approx(wire.timeline.total(counter), rel=0.1)
    authenticated = [storm.timeline.total(PRE_AUTHENTICATED) for storm in (wire, simulated)]
    if under == "guided":
        assert authenticated[1] == pytest.approx(authenticated[0], rel=0.1)
    else:
        assert authenticated == [0, 0]
