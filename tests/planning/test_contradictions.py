"""Where a plan contradicts itself it says so."""

import pytest
from planned_networks import ROOT, changed, shipped

from regstorm.planning.plan import make_plan
from regstorm.planning.planned_strategy import planned_strategy
from regstorm.planning.tier_table import NODE_KINDS, TIER_TABLE, tier_order
from regstorm.records.files import read
from regstorm.records.message_classes import MessageClass
from regstorm.records.strategy import Dra, Strategy


def warnings(topology, place, **asked):
    return [text for name, text in make_plan(topology, **asked).warnings if name == place]


def strategy(name):
    return read(ROOT / "strategies" / f"{name}.yaml", Strategy)


def test_the_example_province_has_no_contradiction_in_its_routine_set():
    assert warnings(shipped("province"), "routine") == []


def test_sbc_below_what_mme_and_amf_bring():
    in_force = {f"{kind}-{n}": 200.0 for kind in ("mme", "amf") for n in (1, 2, 3, 4)}
    in_force |= {f"sbc-{n}": 300.0 for n in (1, 2, 3, 4)}
    [line] = warnings(shipped("province"), "in force", in_force=in_force)
    assert line.startswith("values in force: the SBC admit 1200.0 UEs/s, but MME and AMF bring 1400.0 UEs/s to IMS")


def test_values_in_force_that_overload_a_udm_and_those_that_are_missing():
    in_force = {"amf-1": 2_000.0, "amf-2": 2_000.0, "sbc-1": 4_000.0}
    lines = warnings(shipped("province"), "in force", in_force=in_force)
    # 4 000 UEs/s of 25 pairs, 60 % of them at UDM 1, and the background
    assert "udm-1, EPC/IMS/5GC units: values in force bring it to 215% of its capacity" in lines
    assert "mme-1 has no value in force: what it admits is not counted" in lines


def test_a_background_that_leaves_nothing():
    network = changed(shipped("province"), background_pairs_per_s={"S6a": 50_000})
    plan = make_plan(network)
    assert plan.sets[0].doors.users_per_s == 0
    assert plan.sets[0].recovery.promised_s is None
    assert plan.sets[0].recovery.lower_bound_s is None
    lines = [text for name, text in plan.warnings if name == "routine"]
    assert any("leaves nothing of 28500 pairs/s after a margin of 20%: no threshold is safe" in line for line in lines)
    assert planned_strategy(network, plan.sets[0], strategy("tiered")) is None


def test_a_dra_limit_under_the_background_load():
    network = changed(shipped("province"), background_pairs_per_s={"S6a": 4_000})
    lines = warnings(network, "routine")
    assert any(line.startswith("udm-1: the DRA limit for S6a (1583 pairs/s) is under the background") for line in lines)


def test_a_dra_limit_under_what_the_thresholds_let_through():
    network = changed(shipped("province"), background_pairs_per_s={"S6a": 2_000})
    [line] = [line for line in warnings(network, "routine") if line.startswith("udm-1: ")]
    assert "the DRA limit for S6a (1583 pairs/s) is under what the thresholds let through with the background" in line


def test_a_udm_that_no_front_door_can_overload():
    udms = [
        {"name": "udm-1", "capacity_pairs_per_s": 20_000, "share": 0.6},
        {"name": "udm-2", "capacity_pairs_per_s": 40_000, "share": 0.4},
    ]
    [line] = warnings(changed(shipped("province"), udms=udms, background_pairs_per_s={}), "routine")
    assert line.startswith("udm-2, EPC/IMS/5GC units: no front door can load it with more than 33%")
    assert line.endswith("because udm-1 (EPC/IMS/5GC) is full by then")


def test_a_margin_that_does_not_cover_uneven_users():
    margins = {"routine": 0.1, "unevenness": 1.3}
    assert any(
        line.startswith("udm-1, EPC/IMS/5GC units: 1.3 times its share of the users would bring it to 116%")
        for line in warnings(changed(shipped("province"), margins=margins, faults=[]), "routine")
    )


def test_routine_thresholds_that_a_fault_turns_into_overload_are_named():
    assert warnings(shipped("province"), "udm_2_lost") == [
        "udm-1, EPC/IMS/5GC units: routine thresholds bring it to 133% of its capacity"
    ]
    assert warnings(shipped("province"), "centre_b_lost") == []


@pytest.mark.parametrize("name", ["precise", "tiered"])
def test_a_set_becomes_a_strategy_with_its_rate_and_everything_else_as_it_was(name):
    network, like = shipped("lab"), strategy(name)
    planned = planned_strategy(network, make_plan(network).sets[0], like)
    assert planned is not None
    assert planned.gate is not None
    assert planned.gate.ues_per_s == 535.384  # rounded down
    assert planned.name == f"lab_routine_{name}"
    assert (planned.tiers, planned.guidance) == (like.tiers, like.guidance)


def test_several_front_doors_and_a_dra_gate_get_what_was_planned_for_each():
    network = shipped("province")
    routine = make_plan(network).sets[0]
    planned = planned_strategy(network, routine, strategy("tiered").model_copy(update={"dra": Dra(cx_sh_share=0.5)}))
    assert planned is not None
    assert planned.gate is not None
    assert planned.dra is not None
    doors = {one.node: one.ues_per_s for one in routine.doors.thresholds}
    assert planned.gate.nodes.keys() == {node.name for node in (*network.amfs, *network.sbcs)}
    assert all(doors[node] - 0.001 < rate <= doors[node] for node, rate in planned.gate.nodes.items())
    towards_hss = {one.node: one.pairs_per_s for one in routine.guards if one.domain.group == "Cx/Sh"}
    assert planned.dra.nodes == towards_hss


def test_a_strategy_without_a_gate_takes_no_rate():
    network = shipped("lab")
    assert planned_strategy(network, make_plan(network).sets[0], strategy("self_protection")) is None


def test_the_tier_table_has_every_class_and_is_what_the_tiered_strategy_does():
    tiers = strategy("tiered").tiers
    assert tiers is not None
    assert tier_order() == tiers.order
    assert set(tier_order()) == set(MessageClass)
    assert all(set(row.messages) <= set(NODE_KINDS) and row.messages for row in TIER_TABLE)
