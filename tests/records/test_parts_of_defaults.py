"""A scenario that changes a part of a default keeps the rest of that default, whatever the class would have there."""

import pytest

from regstorm.records.files import BadFile
from regstorm.records.sources import scenario


@pytest.mark.parametrize("name", ["restless", "outage_return_5gc"])
def test_a_changed_queue_leaves_the_fitted_cost_of_a_rejection(name):
    """`restless` does not write the UDM's settings down, `outage_return_5gc` does."""
    changed, _ = scenario(name, ["core.udm.settings.calibrated.queue_s=1"])
    in_force = changed.core.udm.shedding_in_force
    assert (in_force.rejection_cost, in_force.queue_s) == (0.5, 1.0)
    assert changed.core.udm.settings["plain"] == scenario(name)[0].core.udm.settings["plain"]


def test_a_changed_queue_of_an_amf_leaves_what_a_rejection_costs_there():
    changed, _ = scenario("outage_return", ["core.amf.shedding.queue_s=2", "core.sbc.shedding.load_limit=0.8"])
    assert (changed.core.amf.shedding.rejection_cost, changed.core.amf.shedding.queue_s) == (0.2, 2.0)
    assert (changed.core.sbc.shedding.rejection_cost, changed.core.sbc.shedding.load_limit) == (0.2, 0.8)


def test_one_end_of_a_range_may_be_changed():
    changed, _ = scenario("outage_return", ["ue.answer_s.high=2", "core.ims.as_retry.low=1"])
    assert (changed.ue.answer_s.low, changed.ue.answer_s.high) == (0.05, 2.0)
    assert (changed.core.ims.as_retry.low, changed.core.ims.as_retry.high) == (1, 45)


@pytest.mark.parametrize("change", ["core.udm.settings.fitted.queue_s=1", "core.amf.shedding.queue=1", "ue.answer_s=3"])
def test_what_is_no_part_of_it_is_refused(change):
    with pytest.raises(BadFile):
        scenario("restless", [change])
