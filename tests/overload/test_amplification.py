import pytest

from regstorm.overload.amplification import (
    back_ends,
    background_pairs_per_s,
    pairs_per_registration,
    refresh_after_s,
    uplink_messages_per_registration,
)
from regstorm.records.core_settings import Ims
from regstorm.records.scenario import Scenario


def scenario(dnns=("internet", "ims"), **outage):
    return Scenario.model_validate(
        {
            "name": "small",
            "title": "Small",
            "population": {"outage_ues": 10, "online_ues": 30},
            "network": {"dnns": dnns},
            "outage": outage,
            "core": {"udm": {"capacity_pairs_per_s": 10}},
        }
    )


@pytest.mark.parametrize(
    ("outage", "pairs", "messages"),
    [
        ({"amf_context": "kept", "authenticate": "always"}, 13, 6),
        ({"amf_context": "kept", "authenticate": "when_needed"}, 11, 4),
        ({"amf_context": "lost", "authenticate": "always"}, 13, 7),
        ({"amf_context": "lost", "authenticate": "when_needed"}, 13, 7),
    ],
)
def test_a_registration_with_two_sessions_becomes_so_many_pairs_and_messages(outage, pairs, messages):
    assert sum(pairs_per_registration(scenario(**outage)).values()) == pairs
    assert uplink_messages_per_registration(scenario(**outage)) == messages


def test_a_session_fewer_saves_three_pairs_on_n10_and_one_message():
    one_session = scenario(dnns=("internet",))
    assert pairs_per_registration(one_session) == {"N13": 2, "N8": 5, "N10": 3}
    assert uplink_messages_per_registration(one_session) == 5


def with_ims(**core):
    storm = scenario()
    population = storm.population.model_copy(update={"ims": True})
    udm = storm.core.udm.model_copy(update=core.pop("udm", {}))
    return storm.model_copy(
        update={"population": population, "core": storm.core.model_copy(update={"udm": udm, **core})}
    )


def test_with_ims_a_registration_is_twenty_five_pairs():
    assert pairs_per_registration(with_ims()) == {"N13": 2, "N8": 5, "N10": 6, "Cx": 4, "Sh": 8}


def test_aggregated_reads_bring_it_to_fifteen():
    ims = Ims(aggregated_download=True)
    assert sum(pairs_per_registration(with_ims(ims=ims)).values()) == 20
    assert sum(pairs_per_registration(with_ims(ims=ims, aggregated_nudm=True)).values()) == 15


def test_units_of_their_own_for_5gc_share_the_pairs_and_the_tighter_one_comes_first():
    apart = with_ims(udm={"layout": "5gc_apart", "capacity_pairs_per_s": 130.0, "hss_capacity_pairs_per_s": 240.0})
    udm, hss = back_ends(apart.core, pairs_per_registration(apart))
    assert (udm.pairs_per_ue, udm.ues_per_s) == (13, 10)
    assert (hss.pairs_per_ue, hss.ues_per_s) == (12, 20)


def test_users_in_service_ask_the_units_of_ims_for_their_reregistrations():
    apart = with_ims(udm={"layout": "5gc_apart", "capacity_pairs_per_s": 130.0, "hss_capacity_pairs_per_s": 240.0})
    udm, hss = back_ends(apart.core, pairs_per_registration(apart))
    every_s = refresh_after_s(apart.core.ims.expires_s)
    assert background_pairs_per_s(apart, udm) == 0
    assert background_pairs_per_s(apart, hss) == 2 * apart.population.online_ues / every_s


@pytest.mark.parametrize(("expires_s", "after_s"), [(3600, 3000), (1201, 601), (1200, 600), (60, 30)])
def test_a_ue_registers_again_ten_minutes_before_expiry_or_at_half_of_it(expires_s, after_s):
    assert refresh_after_s(expires_s) == after_s


def with_5gc_apart(one):
    udm = one.core.udm.model_copy(update={"layout": "5gc_apart", "hss_capacity_pairs_per_s": 4.0})
    return one.model_copy(update={"core": one.core.model_copy(update={"udm": udm})})


def test_after_a_restart_of_the_sbc_a_registration_is_four_pairs_on_cx():
    """UAR, MAR, UAR, SAR; the S-CSCF and the application servers have kept the rest."""
    assert pairs_per_registration(scenario(strikes="sbc")) == {"Cx": 4}


def test_after_a_restart_of_the_sbc_only_the_units_that_serve_cx_bound_the_return():
    struck = scenario(strikes="sbc")
    (shared,) = back_ends(struck.core, pairs_per_registration(struck))
    assert (shared.capacity_pairs_per_s, shared.pairs_per_ue) == (10, 4)
    apart = with_5gc_apart(struck)
    (hss,) = back_ends(apart.core, pairs_per_registration(apart))
    assert (hss.capacity_pairs_per_s, hss.pairs_per_ue) == (4, 4)
