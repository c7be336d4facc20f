import pytest
from pydantic import ValidationError

from regstorm.records.scenario import Scenario


def scenario(sample=1, **core):
    made = Scenario.model_validate(
        {
            "name": "small",
            "title": "Small",
            "population": {"outage_ues": 100, "online_ues": 50, "ims": True},
            "core": {"udm": {"capacity_pairs_per_s": 1000, "hss_capacity_pairs_per_s": 600}, **core},
        }
    )
    return made.sampled(sample)


def test_a_population_with_ims_needs_the_session_that_sip_travels_on():
    without = scenario().model_dump(by_alias=True) | {"network": {"dnns": ["internet"]}}
    with pytest.raises(ValidationError, match="expected the DNN ims among"):
        Scenario.model_validate(without)


def test_a_sample_has_its_share_of_every_capacity_and_times_stay():
    core = scenario(sample=10).core
    assert (core.udm.capacity_pairs_per_s, core.udm.hss_capacity_pairs_per_s) == (100, 60)
    capacities = (core.amf, core.sbc, core.ims.cscf, core.ims.application_server)
    assert {one.capacity_messages_per_s for one in capacities} == {2000}
    assert (core.ims.expires_s, core.sbc.share_of_amf) == (3600, 1)


def test_the_hss_has_the_udms_capacity_unless_it_stands_apart_with_one_of_its_own():
    assert scenario().core.udm.hss_capacity == 1000
    apart = {"capacity_pairs_per_s": 1000, "layout": "5gc_apart"}
    assert scenario(udm=apart).core.udm.hss_capacity == 1000
    assert scenario(udm={**apart, "hss_capacity_pairs_per_s": 600}).core.udm.hss_capacity == 600
