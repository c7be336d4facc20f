"""The lower bound with what incidents leave, by pencil and paper: 13 pairs a user, the outage ends at second 10."""

from pathlib import Path
from typing import Any

import pytest

from regstorm.measures.lower_bound import Stretch, scenario_lower_bound_s, served_after_s
from regstorm.overload.amplification import back_ends, background_pairs_per_s, pairs_per_registration
from regstorm.records.files import read
from regstorm.records.scenario import Scenario

ROOT = Path(__file__).parents[2]
TWO = [{"name": "north", "share": 0.5}, {"name": "south", "share": 0.5}]


def bound_s(*incidents: tuple[float, str, float], ues: int = 100, **parts: Any) -> float | None:
    """Of 100 users at 13 pairs/s, one each second, unless told otherwise; incidents are (second, node, capacity)."""
    core: dict[str, Any] = {"udm": {"capacity_pairs_per_s": 13.0, **parts.pop("udm", {})}, **parts.pop("core", {})}
    story = Scenario.model_validate(
        {
            "name": "small",
            "title": "A storm on paper",
            "population": {"outage_ues": ues, "online_ues": 0, **parts.pop("population", {})},
            "outage": {"begins_s": 5, "lasts_s": 5},
            "core": core,
            "incidents": [{"at_s": at_s, "nodes": [node], "capacity": left} for at_s, node, left in incidents],
        }
    )
    assert scenario_lower_bound_s(story, with_incidents=False) is not None
    return scenario_lower_bound_s(story)


def test_work_is_served_stretch_by_stretch_and_none_where_users_in_service_ask_for_all():
    stretches = [Stretch(0, 10), Stretch(5, -3), Stretch(15, 2)]
    assert served_after_s(0, stretches) == 0
    assert served_after_s(40, stretches) == 4
    assert served_after_s(50, stretches) == 5
    assert served_after_s(60, stretches) == 20
    assert served_after_s(60, stretches[:2]) is None


def test_without_incidents_it_is_the_work_over_the_capacity():
    assert bound_s() == pytest.approx(100)


def test_half_of_the_capacity_for_three_minutes_costs_half_of_that_time():
    """300 users: 40 in the 40 s before, 90 in the three minutes, 170 after."""
    assert bound_s((50, "udm", 0.5), (230, "udm", 1.0), ues=300) == pytest.approx(40 + 180 + 170)


def test_who_is_served_before_the_capacity_comes_back_does_not_wait_for_it():
    assert bound_s((50, "udm", 0.5), (5000, "udm", 1.0)) == pytest.approx(40 + 2 * 60)


def test_what_was_over_by_the_end_of_the_outage_and_what_comes_after_everybody_do_not_count():
    assert bound_s((2, "udm", 0.0), (10, "udm", 1.0)) == pytest.approx(100)
    assert bound_s((111, "udm", 0.0)) == pytest.approx(100)


def test_what_began_before_the_end_of_the_outage_counts_from_there():
    assert bound_s((2, "udm", 0.25)) == pytest.approx(400)


def test_nobody_is_served_by_a_udm_that_never_comes_back():
    assert bound_s((60, "udm", 0.0)) is None


def test_the_users_of_a_lost_udm_burden_the_other():
    assert bound_s((5, "south", 0.0), core={"udms": TWO}) == pytest.approx(200)


def test_of_two_udms_the_slower_counts_while_it_lives_and_its_users_stay():
    """50 users at half of 6.5 pairs/s; the other has long been idle."""
    assert bound_s((5, "south", 0.5), core={"udms": TWO}) == pytest.approx(200)


def test_users_in_service_go_on_asking_while_capacity_is_short():
    """25 pairs a user with IMS; 1 500 users that register again every 50 min ask for 1 pair/s."""
    population = {"ims": True, "online_ues": 1500}
    udm = {"capacity_pairs_per_s": 26.0}
    assert bound_s(population=population, udm=udm) == pytest.approx(100)
    assert bound_s((60, "udm", 0.5), population=population, udm=udm) == pytest.approx(50 + 50 * 25 / 12)


def test_units_apart_are_lost_together_and_the_slower_kind_counts():
    """12 pairs of IMS at 6 pairs/s, halved at once, against 13 of the 5GC at 13."""
    apart = {"layout": "5gc_apart", "hss_capacity_pairs_per_s": 6.0}
    assert bound_s(population={"ims": True}, udm=apart) == pytest.approx(200)
    assert bound_s((10, "udm", 0.5), population={"ims": True}, udm=apart) == pytest.approx(400)


def test_losing_an_sbc_or_changing_the_strategy_takes_nothing_from_the_udm():
    assert bound_s((20, "sbc", 0.0), (30, "amf", 0.5)) == bound_s()


def test_a_lost_data_centre_doubles_the_bound_of_its_scenario():
    story = read(ROOT / "scenarios" / "data_centre_failover.yaml", Scenario)
    renewals = sum(background_pairs_per_s(story, one) for one in back_ends(story.core, pairs_per_registration(story)))
    assert 0 < renewals < 0.01 * 8_365
    assert scenario_lower_bound_s(story, with_incidents=False) == pytest.approx(200_000 * 25 / (16_730 - renewals))
    assert scenario_lower_bound_s(story) == pytest.approx(200_000 * 25 / (8_365 - renewals))
