"""Several AMFs, SBCs and UDMs in the simulator, and what happens to them."""

from pathlib import Path

import pytest
from simulated_storms import OPEN, TIERED, run, scenario

from regstorm.records import counters, ims_counters, ims_ue_counters
from regstorm.records.files import read
from regstorm.records.node_counters import AMF, DRA, DRA_REFUSED, SBC, UDM, of_node
from regstorm.records.strategy import Dra, Strategy
from regstorm.simulator.run import Storm

HALVES = [{"name": "north", "share": 0.5}, {"name": "south", "share": 0.5}]


def two_of_each(outage_ues=200, online_ues=0, incidents=(), **parts):
    core = {
        "amfs": [{"name": f"amf-{one['name']}", "share": 0.5} for one in HALVES],
        "sbcs": [{"name": f"sbc-{one['name']}", "share": 0.5} for one in HALVES],
        "udms": [{"name": f"udm-{one['name']}", "share": 0.5} for one in HALVES],
        **parts.pop("core", {}),
    }
    return scenario(outage_ues, online_ues, core=core, incidents=incidents, **parts)


def test_users_capacity_and_counts_are_shared_by_the_nodes():
    storm = run(Storm(two_of_each(1000, population={"ims": True}), OPEN, seed=1))
    for kind, counter in ((AMF, counters.AMF_UPLINK), (UDM, counters.UDM_SERVED), (SBC, ims_counters.SBC_REQUESTS)):
        whole = storm.timeline.total(counter)
        by_node = [storm.timeline.total(of_node(kind, counter, f"{kind}-{one['name']}")) for one in HALVES]
        assert sum(by_node) == whole
        assert by_node[0] == pytest.approx(whole / 2, rel=0.05)
    assert [unit.server.capacity for unit in storm.core.back_end.units] == [5e5, 5e5]


def test_a_storm_with_one_node_of_a_kind_has_no_column_of_it():
    header = run(Storm(scenario(10), OPEN, seed=1)).timeline.csv().partition("\n")[0]
    assert "_node." not in header


def test_the_users_of_a_lost_udm_are_served_by_the_other_once_three_heartbeats_are_missed():
    incident = {"at_s": 9, "nodes": ["udm-south"], "capacity": 0}
    storm = run(Storm(two_of_each(200, incidents=[incident], outage={"arrivals_s": 1}), OPEN, seed=1))
    served = [storm.timeline.total(of_node(UDM, counters.UDM_SERVED, f"udm-{one['name']}")) for one in HALVES]
    assert served[1] == 0
    assert storm.log.share_back == 1.0
    assert storm.log.recovery_s(0.4) < 2
    assert storm.log.recovery_s(0.6) > 13  # lost at 9 s, known at 24 s, and the outage ended at 10 s


def test_a_lost_amf_takes_its_contexts_and_the_other_cannot_protect_what_it_tells_their_users():
    incident = {"at_s": 6, "nodes": ["amf-south"], "capacity": 0}
    narrow = TIERED.model_copy(update={"gate": TIERED.gate.model_copy(update={"ues_per_s": 2.0, "depth_s": 0.1})})
    storm = run(Storm(two_of_each(400, incidents=[incident], outage={"recovery_within_s": 60}), narrow, seed=1))
    protected, plain = (storm.timeline.total(one) for one in (counters.PROTECTED_REJECTS, counters.UNPROTECTED_REJECTS))
    assert protected > 50
    assert plain > 50
    assert sum(storm.timeline.column(of_node(AMF, counters.AMF_UPLINK, "amf-south"))[6:]) == 0


def several_amfs(shares, outage_ues, online_ues, incidents, **parts):
    amfs = [{"name": name, "share": share} for name, share in shares.items()]
    return scenario(outage_ues, online_ues, core={"amfs": amfs}, incidents=incidents, **parts)


FOUR_AMFS = {"east": 0.4, "west": 0.3, "south": 0.2, "north": 0.1}


def test_users_who_registered_at_an_amf_instead_of_a_lost_one_stay_there_when_a_third_is_lost_and_theirs_is_back():
    incidents = [
        {"at_s": 6, "nodes": ["east"], "capacity": 0},
        {"at_s": 100, "nodes": ["west"], "capacity": 0},
        {"at_s": 200, "nodes": ["east", "west"], "capacity": 1},
    ]
    outage = {"arrivals_s": 1, "calm_after_s": 400}
    one = several_amfs(FOUR_AMFS, 1, 400, incidents, outage=outage, online={"every_s": 15})
    storm = run(Storm(one, OPEN, seed=1))
    dropped = storm.timeline.column(f"{counters.ONLINE_DROPPED}.5GMM_9")
    assert sum(dropped[:100]) == pytest.approx(160, abs=3)
    assert sum(dropped[100:200]) == pytest.approx(120 + 160 * 0.3 / 0.6, abs=15)  # its own users, and half of east's
    assert sum(dropped[200:]) <= 2  # nobody is dropped because an AMF is back
    assert sum(storm.timeline.column(of_node(AMF, counters.AMF_UPLINK, "east"))[6:200]) == 0


def test_a_request_that_waits_at_an_amf_when_that_is_lost_ends_at_once_by_a_lower_layer_failure():
    slow = {"amf": {"capacity_messages_per_s": 10, "shedding": {"queue_s": 1e3, "load_limit": 1, "period_s": 1e6}}}
    incident = {"at_s": 12, "nodes": ["amf-south"], "capacity": 0}
    one = two_of_each(200, incidents=[incident], outage={"arrivals_s": 1, "recovery_within_s": 4}, core=slow)
    storm = run(Storm(one, OPEN, seed=1))
    failed = storm.timeline.column(f"{counters.REG_INIT_FAIL}.lower_layer")
    assert 80 < failed[12] <= 100
    assert sum(failed) == failed[12]


def test_users_of_a_single_amf_that_is_lost_find_no_cell_until_it_is_back_and_are_then_strangers():
    incidents = [{"at_s": 20, "nodes": ["amf"], "capacity": 0}, {"at_s": 40, "nodes": ["amf"], "capacity": 1}]
    outage = {"arrivals_s": 1, "calm_after_s": 200}
    one = scenario(1, 100, incidents=incidents, outage=outage, online={"every_s": 10})
    timeline = run(Storm(one, OPEN, seed=1)).timeline
    uplink = timeline.column(counters.AMF_UPLINK)
    failed = timeline.column(f"{counters.SERVICE_FAIL}.lower_layer")
    assert sum(uplink[20:40]) == 0
    assert sum(failed[20:40]) > 50
    assert timeline.total(f"{counters.ONLINE_DROPPED}.5GMM_9") == 100


def test_a_lost_sbc_is_silent_and_its_users_find_the_other_by_a_new_session_once_timer_f_has_ended_their_renewal():
    incident = {"at_s": 12, "nodes": ["sbc-south"], "capacity": 0}
    one = two_of_each(1, 300, incidents=[incident], population={"ims": True}, outage={"calm_after_s": 900})
    timeline = run(Storm(one, OPEN, seed=1)).timeline
    timed_out = timeline.total(f"{ims_ue_counters.RE_REG_FAIL}.Timer_F")
    assert timed_out > 5
    assert timeline.total(ims_ue_counters.SESSION_RELEASE_SUCC) > 5  # every P-CSCF of the list asked in vain
    assert timeline.total(counters.ONLINE_DROPPED) == timed_out
    registered_anew = timeline.total(ims_counters.CHALLENGES) - 1
    assert 5 < registered_anew <= timed_out
    assert sum(timeline.column(of_node(SBC, ims_counters.SBC_REQUESTS, "sbc-south"))[13:]) == 0


def test_a_session_that_is_released_before_full_service_has_wasted_its_pairs():
    incident = {"at_s": 10.7, "nodes": ["sbc-south"], "capacity": 0}
    storm = {"arrivals_s": 0.1, "recovery_within_s": 900}
    one = two_of_each(100, incidents=[incident], population={"ims": True}, outage=storm)
    timeline = run(Storm(one, OPEN, seed=1)).timeline
    released = timeline.total(ims_ue_counters.SESSION_RELEASE_SUCC)
    begun_in_vain = timeline.total(f"{counters.UDM_OFFERED}.Cx") - 4 * 100  # the SBC was lost between UAR and SAR
    assert released > 30
    assert timeline.total(counters.UDM_PAIRS_LOST) == 3 * released + begun_in_vain


def test_capacity_that_an_incident_takes_is_missing_until_it_is_given_back():
    """10 s of work for everybody at full capacity; half of it for ten seconds costs about five."""
    halved = [{"at_s": 10, "nodes": ["udm"], "capacity": 0.5}, {"at_s": 20, "nodes": ["udm"], "capacity": 1}]
    patient = {
        "udm": {"capacity_pairs_per_s": 260, "settings": {"plain": {"queue_s": 1e6, "load_limit": 1, "period_s": 1e6}}},
        "bus": {"timeout_s": 1000},
    }
    whole, less = (
        run(Storm(scenario(200, core=patient, incidents=one, outage={"arrivals_s": 0.1}), OPEN, seed=1))
        for one in ([], halved)
    )
    assert less.log.recovery_s(1.0) - whole.log.recovery_s(1.0) == pytest.approx(5, abs=1)


def test_a_strategy_that_an_incident_puts_in_force_holds_from_then_on():
    incident = {"at_s": 12, "strategy": "tiered"}
    one = scenario(2000, capacity=260.0, incidents=[incident], outage={"arrivals_s": 20, "recovery_within_s": 60})
    storm = run(Storm(one, OPEN, seed=1, later=[(12.0, TIERED)]))
    refused = storm.timeline.column(counters.REFUSED_FIRST)
    assert sum(refused[:12]) == 0
    assert sum(refused[12:]) > 500


def test_an_outage_that_strikes_twice_takes_everybody_away_twice():
    storm = run(Storm(scenario(100, outage={"repeats": 2, "every_s": 60, "calm_after_s": 5}), OPEN, seed=1))
    level = storm.timeline.column(counters.OUTAGE_IN_SERVICE)
    assert (level[4], level[6], level[60], level[66], level[-1]) == (100, 0, 100, 0, 100)
    assert storm.timeline.total(counters.REG_INIT_SUCC) == 200


# --- who cannot be protected ---


def guided(pre_authenticates: bool) -> Strategy:
    shipped = read(Path(__file__).parents[2] / "strategies" / "guided.yaml", Strategy)
    credit = shipped.credit.model_copy(update={"pre_authenticates": pre_authenticates})
    return shipped.model_copy(update={"credit": credit})


def test_pre_authentication_brings_users_without_a_context_back_with_everybody_else():
    one = scenario(1000, capacity=260.0, outage={"arrivals_s": 20}, population={"unprotected": 0.2})
    with_it, without = (run(Storm(one, guided(pre), seed=1)) for pre in (True, False))
    assert with_it.log.recovery_s(0.99) <= 1.3 * 1000 * 13 / 260
    assert without.log.recovery_s(0.99) > with_it.log.recovery_s(0.99)
    assert with_it.timeline.total(counters.UNPROTECTED_REJECTS) < without.timeline.total(counters.UNPROTECTED_REJECTS)


def test_one_in_a_hundred_plain_rejects_decides_the_end_of_a_tiered_return():
    """Who is rejected without protection draws 15 to 30 minutes (TS 24.501 5.3.9)."""
    one = scenario(1000, capacity=260.0, outage={"arrivals_s": 20}, population={"unprotected": 0.02})
    storm = run(Storm(one, TIERED, seed=1))
    assert storm.log.recovery_s(0.9) < 300
    assert storm.log.recovery_s(1.0) > 900


def test_a_dra_gate_keeps_cx_and_sh_at_its_limit_and_nobody_repeats_what_it_refused():
    guarded = OPEN.model_copy(update={"dra": Dra(cx_sh_share=0.02)})
    crowd = two_of_each(400, population={"ims": True}, core={"udm": {"capacity_pairs_per_s": 2000}})
    storm = run(Storm(crowd, guarded, seed=1))
    timeline = storm.timeline
    per_second = [
        sum(pairs)
        for pairs in zip(*(timeline.column(f"{counters.UDM_OFFERED}.{one}") for one in ("Cx", "Sh")), strict=True)
    ]
    assert max(per_second) == 40  # two HSS, 20 pairs/s each
    refused = timeline.subtotals(DRA_REFUSED)
    assert timeline.total(DRA_REFUSED) == refused["Cx"] + refused["Sh"] > 0
    assert timeline.total(DRA_REFUSED) == sum(
        timeline.total(of_node(DRA, DRA_REFUSED, f"udm-{one['name']}")) for one in HALVES
    )
    assert timeline.total(counters.BUS_RETRIES) == 0
