"""A minute of overload that does not end with its cause.

300 re-registrations in two minutes are 38 % of what the HSS can do. For one minute newcomers ask for as much again and
more: 2 x its capacity, three REGISTERs in four of them re-registrations. Then nobody comes any more. Shed at random,
users in service lose their registrations and become newcomers, each worth twelve pairs instead of two: the load stays.
"""

import pytest
from small_storms import plan, scenario, storm_of

from regstorm.records import counters, ims_ue_counters

pytestmark = pytest.mark.slow

ONLINE, NEWCOMERS = 150, 50
PAIRS_PER_S = 13.0
MINUTE_S = 60.0


def one_minute():
    """Re-registration every minute: 150 · 2 / 60 = 5 pairs/s; newcomers: 50 · 25 / 60 = 21 pairs/s."""
    outage = {"recovery_within_s": 600, "calm_after_s": 60}
    calm = scenario(NEWCOMERS, ONLINE, PAIRS_PER_S, arrivals_s=MINUTE_S, outage=outage, udm={"shedding": "calibrated"})
    ims = calm.core.ims.model_copy(update={"expires_s": 120})
    return calm.model_copy(
        update={
            "population": calm.population.model_copy(update={"ims": True}),
            "core": calm.core.model_copy(update={"ims": ims}),
        }
    )


def test_shed_at_random_the_overload_outlives_its_cause_by_far():
    storm = storm_of(plan(one_minute()))
    renewals = storm.timeline.total(ims_ue_counters.RE_REG_ATT)
    assert renewals > 0
    assert storm.log.back < NEWCOMERS / 2
    assert storm.timeline.total(counters.ONLINE_DROPPED) > ONLINE / 2


def test_with_tiers_it_is_over_within_minutes_and_hardly_anybody_in_service_is_lost():
    storm = storm_of(plan(one_minute(), under="tiered"))
    assert storm.log.everybody_back_s is not None
    assert storm.log.everybody_back_s < 600
    assert storm.timeline.total(counters.ONLINE_DROPPED) <= ONLINE / 20
