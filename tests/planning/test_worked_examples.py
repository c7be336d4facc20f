"""The examples of docs/planning.md: what is asserted here was computed by hand, step by step."""

import pytest
from planned_networks import changed, shipped

from regstorm.planning.domains import EPC, FIVE_GC, IMS
from regstorm.planning.inverse import capacity_for, one_more_udm
from regstorm.planning.plan import make_plan


def near(*numbers):
    return pytest.approx(numbers, rel=1e-9)


def set_of(name, topology):
    return next(one for one in make_plan(topology).sets if one.name == name)


def steps(one):
    """Every intermediate number by its name."""
    found = {line.name: line.result for line in one.workings}
    assert len(found) == len(one.workings), "two numbers of one name"
    return found


def totals(one):
    return tuple(one.doors.totals[domain] for domain in (EPC, IMS, FIVE_GC))


def shares(one):
    return tuple(one.apportioning.shares[domain] for domain in (EPC, IMS, FIVE_GC))


def thresholds(one):
    return {each.node: each.ues_per_s for each in one.doors.thresholds}


def guards(one):
    return {(each.node, each.domain.group): each.pairs_per_s for each in one.guards}


def loads(lines):
    return {(each.node, each.units): each.total for each in lines}


ALL = "EPC/IMS/5GC"


def test_shared_layout_step_by_step():
    one = set_of("routine", shipped("province"))
    at = steps(one)

    assert at["4G share of the users who return"] == at["5G share of the users who return"] == 0.5
    assert at["IMS registrations per returning user"] == 0.75 * 0.5 + 1 * 0.5 == 0.875
    assert at["S6a pairs per returning user (d4)"] == 1
    assert at["Cx/Sh pairs per returning user (dI)"] == 10.5
    assert at["N8/N10/N13 pairs per returning user (d5)"] == 6.5
    assert shares(one) == near(1 / 18, 10.5 / 18, 6.5 / 18)
    assert sum(shares(one)) == pytest.approx(1)

    assert at[f"usable capacity of udm-1, {ALL} units (U)"] == pytest.approx(21_600)
    assert at[f"usable capacity of udm-2, {ALL} units (U)"] == pytest.approx(16_800)
    assert at["EPC on-line rate that udm-1 can carry"] == pytest.approx(1200 / 1.2)
    assert at["EPC on-line rate that udm-2 can carry"] == pytest.approx(16_800 / 18 / 0.8)
    assert at["IMS on-line rate that udm-1 can carry"] == pytest.approx(12_600 / 7.2)
    assert at["IMS on-line rate that udm-2 can carry"] == pytest.approx(9_800 / 4.8)
    assert at["5GC on-line rate that udm-1 can carry"] == pytest.approx(7_800 / 7.8)
    assert at["5GC on-line rate that udm-2 can carry"] == pytest.approx(16_800 * 6.5 / 18 / 5.2)
    assert at["EPC: the shortest plank (Emax)"] == pytest.approx(1_000)
    assert at["IMS: the shortest plank (Imax)"] == pytest.approx(1_750)
    assert at["5GC: the shortest plank (Gmax)"] == pytest.approx(1_000)

    assert at["users of the mix that come on line per second (R)"] == pytest.approx(2_000)
    assert one.doors.binding is not None
    assert one.doors.binding.node == "udm-1"
    assert totals(one) == near(1_000, 1_750, 1_000)
    assert at["IMS registrations that EPC and 5GC bring (at most I)"] == pytest.approx(1_750)
    assert loads(one.doors.loads) == pytest.approx({("udm-1", ALL): 22_800, ("udm-2", ALL): 15_200})
    assert at["time that the thresholds promise"] == pytest.approx(4_000)
    assert at[f"lower bound of udm-1, {ALL} units"] == pytest.approx(86_400_000 / 27_300)
    assert at[f"lower bound of udm-2, {ALL} units"] == pytest.approx(57_600_000 / 21_200)
    assert one.recovery.lower_bound_s == pytest.approx(3_164.835, abs=0.001)


def test_shared_layout_thresholds_by_weight_and_limits_by_destination():
    one = set_of("routine", shipped("province"))

    by_hand = {"mme-1": 300, "mme-2": 300, "mme-3": 200, "mme-4": 200, "amf-1": 300, "amf-2": 200, "amf-3": 300}
    by_hand |= {"amf-4": 200, "sbc-1": 437.5, "sbc-2": 437.5, "sbc-3": 437.5, "sbc-4": 437.5}
    assert thresholds(one) == pytest.approx(by_hand)
    messages = {each.node: each.messages_per_s for each in one.doors.thresholds}
    assert (messages["mme-1"], messages["amf-1"], messages["sbc-1"]) == near(1_800, 1_800, 875)
    assert guards(one) == pytest.approx(
        {
            ("udm-1", "S6a"): 28_500 / 18,
            ("udm-1", "Cx/Sh"): 16_625,
            ("udm-1", "N8/N10/N13"): 28_500 * 6.5 / 18,
            ("udm-2", "S6a"): 22_000 / 18,
            ("udm-2", "Cx/Sh"): 22_000 * 10.5 / 18,
            ("udm-2", "N8/N10/N13"): 22_000 * 6.5 / 18,
        }
    )
    [scp] = [each for each in one.guards if (each.node, each.guard) == ("udm-1", "SCP")]
    whole = 28_500 * 6.5 / 18
    assert scp.by_interface == pytest.approx({"N13": whole * 2 / 13, "N8": whole * 5 / 13, "N10": whole * 6 / 13})
    assert scp.caps == pytest.approx(whole / 13)


def test_5gc_apart_step_by_step():
    one = set_of("routine", shipped("province_5gc_apart"))
    at = steps(one)

    assert shares(one) == near(1 / 11.5, 10.5 / 11.5, 1)
    assert at["usable capacity of udm-1, EPC/IMS units (U)"] == pytest.approx(13_800)
    assert at["usable capacity of udm-1, 5GC units (U)"] == pytest.approx(7_020)
    assert at["usable capacity of udm-2, EPC/IMS units (U)"] == pytest.approx(9_660)
    assert at["usable capacity of udm-2, 5GC units (U)"] == pytest.approx(6_500)
    assert at["EPC on-line rate that udm-1 can carry"] == pytest.approx(1_000)
    assert at["EPC on-line rate that udm-2 can carry"] == pytest.approx(1_050)
    assert at["IMS on-line rate that udm-1 can carry"] == pytest.approx(1_750)
    assert at["IMS on-line rate that udm-2 can carry"] == pytest.approx(1_837.5)
    assert at["5GC on-line rate that udm-1 can carry"] == pytest.approx(900)
    assert at["5GC on-line rate that udm-2 can carry"] == pytest.approx(1_250)

    assert one.doors.users_per_s == pytest.approx(1_800)
    assert one.doors.binding is not None
    assert (one.doors.binding.node, one.doors.binding.units) == ("udm-1", "5GC")
    assert totals(one) == near(900, 1_575, 900)
    assert loads(one.doors.loads) == pytest.approx(
        {
            ("udm-1", "EPC/IMS"): 13_320,
            ("udm-1", "5GC"): 7_320,
            ("udm-2", "EPC/IMS"): 8_880,
            ("udm-2", "5GC"): 4_880,
        }
    )
    assert at["lower bound of udm-1, EPC/IMS units"] == pytest.approx(55_200_000 / 17_475)
    assert at["lower bound of udm-1, 5GC units"] == pytest.approx(31_200_000 / 8_850)
    assert guards(one)["udm-1", "Cx/Sh"] == pytest.approx(18_375 * 10.5 / 11.5)
    assert guards(one)["udm-1", "N8/N10/N13"] == 9_150


def test_ims_load_of_5gc_users_binds_the_machine_of_epc_and_ims():
    """A third of the EPC/IMS capacity gone: 5GC's own machines have room, yet fewer 5G users are admitted."""
    apart = shipped("province_5gc_apart")
    udms = [one.model_dump() for one in apart.udms]
    udms[0]["hss_capacity_pairs_per_s"] = 12_250
    one = set_of("routine", changed(apart, udms=udms))

    assert one.doors.users_per_s == pytest.approx((0.8 * 12_250 - 900) / 6.9)
    assert one.doors.binding is not None
    assert one.doors.binding.units == "EPC/IMS"
    assert one.doors.totals[FIVE_GC] == pytest.approx(0.5 * 8_900 / 6.9)


def test_fault_one_udm_lost():
    one = set_of("udm_2_lost", shipped("province"))
    at = steps(one)

    assert at[f"usable capacity of udm-1, {ALL} units (U)"] == pytest.approx(17_950)
    assert totals(one) == near(17_950 / 36, 17_950 * 10.5 / 216, 17_950 / 36)
    assert one.doors.users_per_s == pytest.approx(997.2222, abs=1e-4)
    assert thresholds(one)["mme-1"] == pytest.approx(17_950 / 36 * 0.3)
    assert loads(one.doors.loads) == pytest.approx({("udm-1", ALL): 0.7 * 28_500})
    assert loads(one.under_others) == pytest.approx({("udm-1", ALL): 38_000})
    assert one.under_others[0].load == pytest.approx(4 / 3)


def test_fault_one_data_centre_lost():
    one = set_of("centre_b_lost", shipped("province"))

    assert one.doors.users_per_s == pytest.approx(997.2222, abs=1e-4)
    each = 17_950 / 36 / 2
    by_hand = {"mme-1": each, "mme-2": each, "amf-1": each, "amf-3": each}
    by_hand |= {"sbc-1": each * 1.75, "sbc-2": each * 1.75}
    assert thresholds(one) == pytest.approx(by_hand)
    # the front doors that are left: 600 + 600 UEs/s, of whom the SBC let 875 on
    assert loads(one.under_others) == pytest.approx({("udm-1", ALL): 600 * 2 + 875 * 12 + 600 * 13 + 2_000})


def test_fault_only_users_of_one_udm():
    one = set_of("users_of_udm_1", shipped("province"))

    assert one.situation.mix.users == pytest.approx(4_800_000)
    assert totals(one) == near(18_750 / 36, 18_750 * 10.5 / 216, 18_750 / 36)
    assert loads(one.doors.loads) == pytest.approx({("udm-1", ALL): 19_950, ("udm-2", ALL): 800})
    assert loads(one.under_others) == pytest.approx({("udm-1", ALL): 37_200, ("udm-2", ALL): 800})


def test_fault_one_pool_lost_and_its_generation_returns():
    one = set_of("amf_pool_lost", shipped("province"))

    assert shares(one) == near(0, 12 / 25, 13 / 25)
    assert totals(one) == near(0, 1_250, 1_250)
    assert thresholds(one) == pytest.approx({"amf-3": 750, "amf-4": 500, **{f"sbc-{n}": 312.5 for n in (1, 2, 3, 4)}})


def test_a_backup_takes_over_all_users_of_a_lost_udm():
    province = shipped("province")
    udms = [
        {"name": "udm-1", "capacity_pairs_per_s": 10_000, "share": 0.5},
        {"name": "udm-2", "capacity_pairs_per_s": 10_000, "share": 0.3},
        {"name": "udm-3", "capacity_pairs_per_s": 10_000, "share": 0.2, "backup": "udm-2"},
    ]
    lost = changed(province, udms=udms, faults=[{"name": "lost", "lost": ["udm-3"]}])
    spread = changed(lost, udms=[one | {"backup": None} for one in udms])

    moved = {unit.node: unit.returning_share for unit in set_of("lost", lost).situation.units}
    assert moved == pytest.approx({"udm-1": 0.5, "udm-2": 0.5})
    moved = {unit.node: unit.returning_share for unit in set_of("lost", spread).situation.units}
    assert moved == pytest.approx({"udm-1": 0.5 + 0.2 * 5 / 8, "udm-2": 0.3 + 0.2 * 3 / 8})


def test_a_front_door_that_can_do_less_than_its_share_is_a_plank():
    province = shipped("province")
    mmes = [{"name": "big", "weight": 3}, {"name": "small", "weight": 1, "capacity_ues_per_s": 150}]
    plan = make_plan(changed(province, mmes=mmes, faults=[]))

    [one] = plan.sets
    assert one.doors.users_per_s == pytest.approx(150 * 4 / 1 / 0.5)
    assert thresholds(one)["small"] == pytest.approx(150)
    assert ("routine", "small binds, no UDM: it is full before any UDM is") in plan.warnings


def test_a_lost_front_door_and_uneven_users_lengthen_the_return():
    by_kind = {check.domain: check for check in set_of("routine", shipped("province")).checks}

    assert by_kind[EPC].heaviest == "mme-1"
    assert by_kind[EPC].promised_if_lost_s == pytest.approx(4_000 / 0.7)
    assert by_kind[EPC].promised_if_uneven_s == pytest.approx(4_800)
    assert by_kind[EPC].ims_keeps_up
    assert by_kind[IMS].share_lost == 0.25
    assert not by_kind[IMS].ims_keeps_up  # EPC and 5GC bring 1 750, three SBC admit 1 312.5


def test_capacity_to_be_back_in_half_an_hour():
    province, apart = shipped("province"), shipped("province_5gc_apart")
    needed = capacity_for(province, make_plan(province).amplification, 1_800)
    assert {need.node: need.needed for need in needed.needs} == pytest.approx({"udm-1": 61_500, "udm-2": 41_000})
    assert {need.node: need.missing for need in needed.needs} == pytest.approx({"udm-1": 33_000, "udm-2": 19_000})
    needed = capacity_for(apart, make_plan(apart).amplification, 1_800)
    rate = 8_000_000 / 1_800
    assert needed.needs[1].needed == pytest.approx((0.6 * rate * 6.5 + 300) / 0.8)


def test_with_the_capacity_that_was_asked_for_the_plan_promises_the_time_that_was_asked_for():
    province = shipped("province")
    needs = {need.node: need.needed for need in capacity_for(province, make_plan(province).amplification, 1_800).needs}
    udms = [one.model_dump() | {"capacity_pairs_per_s": needs[one.name]} for one in province.udms]

    assert set_of("routine", changed(province, udms=udms)).recovery.promised_s == pytest.approx(1_800)


def test_what_one_more_udm_buys():
    province = shipped("province")
    more = one_more_udm(province, make_plan(province).amplification)

    assert more.capacities == ((ALL, 25_250),)
    assert more.share == pytest.approx(1 / 3)
    assert more.users_per_s_before == pytest.approx(2_000)
    assert more.users_per_s_after == pytest.approx(22_000 / 7.2)  # (0.8 · 28 500 − 800) ÷ (0.4 · 18)


def test_the_lab_plan_is_what_the_shipped_strategies_admit():
    one = set_of("routine", shipped("lab"))

    assert one.doors.totals[FIVE_GC] == pytest.approx(0.8 * 8_700 / 13)
    with_ims = changed(shipped("lab"), users={"users_4g": 0, "users_5g": 200_000}, sbcs=[{"name": "sbc"}])
    assert set_of("routine", with_ims).doors.totals[FIVE_GC] == pytest.approx(0.8 * 8_700 / 25)
