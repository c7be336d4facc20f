"""What holds for the thresholds of any topology."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from planned_networks import changed, shipped, topologies

from regstorm.planning.domains import EPC, FIVE_GC, IMS
from regstorm.planning.plan import make_plan

ROUNDING = 1e-6
few = settings(max_examples=40, deadline=None)


def evaluated(line):
    formula = line.formula.replace("·", "*").replace("÷", "/").replace("−", "-")
    return eval(formula, {"__builtins__": {}, "min": min, "max": max}, dict(line.values))


def routine_rate(topology):
    return make_plan(topology).sets[0].doors.users_per_s


def scaled(topology, factor, **fields):
    data = topology.model_dump(by_alias=True)
    for udm in data["udms"]:
        udm["capacity_pairs_per_s"] *= factor
        if udm["hss_capacity_pairs_per_s"] is not None:
            udm["hss_capacity_pairs_per_s"] *= factor
    for node in (*data["mmes"], *data["amfs"], *data["sbcs"]):
        if node["capacity_ues_per_s"] is not None:
            node["capacity_ues_per_s"] *= factor
    data["background_pairs_per_s"] = {one: value * factor for one, value in data["background_pairs_per_s"].items()}
    return changed(topology, **(data | fields))


@few
@given(topologies())
def test_every_formula_gives_its_result(topology):
    plan = make_plan(topology, within_s=600)
    assert plan.capacity is not None
    lines = [line for one in plan.sets for line in one.workings]
    lines += [*plan.amplification.workings, *plan.capacity.workings, *plan.one_more.workings]
    for line in lines:
        assert evaluated(line) == pytest.approx(line.result, rel=1e-9, abs=1e-9), line


@few
@given(topologies())
def test_thresholds_never_take_a_udm_above_what_margin_and_background_leave(topology):
    for one in make_plan(topology).sets:
        for unit, load in zip(one.situation.units, one.doors.loads, strict=True):
            most = max(unit.capacity * (1 - one.situation.margin), unit.background)
            assert load.total <= most * (1 + ROUNDING)


@few
@given(topologies())
def test_no_front_door_is_given_more_than_it_can_do_and_all_of_a_kind_add_up_to_the_total(topology):
    capacity = {node.name: node.capacity_ues_per_s for node in topology.front_nodes}
    for one in make_plan(topology).sets:
        for threshold in one.doors.thresholds:
            own = capacity[threshold.node]
            assert own is None or threshold.ues_per_s <= own * (1 + ROUNDING)
        for domain in one.doors.shortest:
            added = sum(each.ues_per_s for each in one.doors.thresholds if each.domain is domain)
            assert added == pytest.approx(one.doors.totals[domain])


@few
@given(topologies())
def test_ims_admits_all_whom_epc_and_5gc_bring_and_the_mix_is_kept(topology):
    for one in make_plan(topology).sets:
        mix, totals = one.situation.mix, one.doors.totals
        assert mix.volte * totals[EPC] + mix.vonr * totals[FIVE_GC] == pytest.approx(totals[IMS], rel=1e-9, abs=1e-9)
        assert totals[EPC] * mix.per_user[FIVE_GC] == pytest.approx(totals[FIVE_GC] * mix.per_user[EPC])


@few
@given(topologies())
def test_shares_of_a_machine_add_up_to_one_and_dra_limits_to_its_capacity(topology):
    for one in make_plan(topology).sets:
        for unit in one.situation.units:
            limits = [
                guard.pairs_per_s for guard in one.guards if guard.node == unit.node and guard.domain in unit.domains
            ]
            if limits:
                assert sum(limits) == pytest.approx(unit.capacity)
                assert sum(one.apportioning.shares[domain] for domain in unit.domains) == pytest.approx(1)


@few
@given(topologies(), st.integers(0, 3), st.floats(1, 3))
def test_more_capacity_never_lowers_a_threshold(topology, which, factor):
    udms = [one.model_dump() for one in topology.udms]
    udms[which % len(udms)]["capacity_pairs_per_s"] *= factor

    assert routine_rate(changed(topology, udms=udms)) >= routine_rate(topology) * (1 - ROUNDING)


@few
@given(topologies(), st.floats(0.1, 10))
def test_thresholds_scale_with_capacities_and_background(topology, factor):
    assert routine_rate(scaled(topology, factor)) == pytest.approx(factor * routine_rate(topology))


@few
@given(topologies(), st.floats(0, 0.3))
def test_a_wider_margin_never_raises_a_threshold(topology, more):
    margins = topology.margins.model_dump() | {"routine": topology.margins.routine + more}

    assert routine_rate(changed(topology, margins=margins)) <= routine_rate(topology) * (1 + ROUNDING)


# --- brute force: plain arithmetic, without the code under test ------------------------------------------------------

PAIRS = {"E": 2, "I": 12, "G": 13}


def machines(topology):
    """Capacity left by margin and background, share of users, and which rates load it."""
    background = topology.background_pairs_per_s
    on = {"E": ("S6a",), "I": ("Cx", "Sh"), "G": ("N13", "N8", "N10")}
    for udm in topology.udms:
        parts = [("EIG", udm.capacity_pairs_per_s)]
        if topology.layout == "5gc_apart":
            parts = [("EI", udm.hss_capacity_pairs_per_s), ("G", udm.capacity_pairs_per_s)]
        for letters, capacity in parts:
            asked = udm.share * sum(background.get(one, 0) for letter in letters for one in on[letter])
            yield letters, udm.share, capacity * (1 - topology.margins.routine) - asked


def is_safe(topology, rates):
    """No machine above what it can do, and nobody is brought to IMS whom IMS refuses."""
    users = topology.users
    brought = users.volte_penetration * rates["E"] + users.vonr_penetration * rates["G"]
    if brought > rates["I"] * (1 + ROUNDING):
        return False
    return all(
        share * sum(rates[letter] * PAIRS[letter] for letter in letters) <= left * (1 + ROUNDING)
        for letters, share, left in machines(topology)
    )


def users_back_per_s(topology, rates):
    users = topology.users
    whole = users.users_4g + users.users_5g
    return min(rates["E"] * whole / users.users_4g, rates["G"] * whole / users.users_5g)


@pytest.mark.parametrize("name", ["province", "province_5gc_apart"])
def test_no_point_of_a_grid_around_the_plan_is_safe_and_faster(name):
    topology = shipped(name)
    doors = make_plan(topology).sets[0].doors
    planned = {domain.rate: rate for domain, rate in doors.totals.items()}
    assert is_safe(topology, planned)

    factors = [0.80 + 0.05 * step for step in range(9)]
    faster = 0
    for e in factors:
        for i in factors:
            for g in factors:
                rates = {"E": e * planned["E"], "I": i * planned["I"], "G": g * planned["G"]}
                if users_back_per_s(topology, rates) > doors.users_per_s * (1 + ROUNDING):
                    faster += 1
                    assert not is_safe(topology, rates), rates
    assert faster == 4 * 4 * 9


@pytest.mark.parametrize(("name", "binding", "slack"), [("province", "EIG", ""), ("province_5gc_apart", "G", "EI")])
def test_raising_the_binding_constraint_by_5_per_cent_violates_it(name, binding, slack):
    topology = shipped(name)
    planned = {domain.rate: rate for domain, rate in make_plan(topology).sets[0].doors.totals.items()}

    def raised(letters):
        rates = {letter: rate * (1.05 if letter in letters else 1) for letter, rate in planned.items()}
        return all(
            share * sum(rates[letter] * PAIRS[letter] for letter in on_it) <= left * (1 + ROUNDING)
            for on_it, share, left in machines(topology)
        )

    assert raised("")
    assert all(not raised(letter) for letter in binding)
    assert all(raised(letter) for letter in slack)
