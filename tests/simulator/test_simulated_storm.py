"""Whole storms, small enough to be counted by hand."""

import json
from dataclasses import replace
from pathlib import Path

import pytest
from simulated_storms import OPEN, PRECISE, TIERED, run, scenario

from regstorm.records import counters
from regstorm.records.files import read
from regstorm.records.storm_plan import StopFlag, StormPlan
from regstorm.records.strategy import Strategy
from regstorm.simulator.run import Storm, run_storm


def totals(storm: Storm, *names: str) -> list[int]:
    return [storm.timeline.total(name) for name in names]


NEVER_SHEDS = {"queue_s": 1e6, "load_limit": 1.0, "period_s": 1e6}


# --- nobody is refused ---


def test_in_a_calm_return_every_ue_costs_exactly_thirteen_pairs():
    storm = run(Storm(scenario(1000), OPEN, seed=1))
    assert storm.log.share_back == 1.0
    assert storm.timeline.subtotals(counters.UDM_SERVED) == {"N13": 2000, "N8": 5000, "N10": 6000}
    assert totals(storm, counters.UDM_SERVED, counters.UDM_OFFERED, counters.UDM_DROPPED) == [13_000, 13_000, 0]
    assert totals(storm, counters.REG_INIT_REQ, counters.REG_INIT_SUCC, counters.PDU_SUCC) == [1000, 1000, 2000]


def test_a_calm_return_sends_six_uplink_messages_per_ue_and_repeats_none():
    calm_online = {"every_s": 1e9}
    storm = run(Storm(scenario(300, online=calm_online, core={"amf": {"t3512_s": 0}}), OPEN, seed=1))
    assert totals(storm, counters.AMF_UPLINK, counters.NAS_RETRANSMISSIONS) == [1800, 0]


def test_every_pair_of_a_calm_return_leads_to_service():
    storm = run(Storm(scenario(300), OPEN, seed=1))
    assert storm.core.ledger.settled == 300 * 13
    assert storm.core.ledger.written_off == storm.core.ledger.pending == 0


def test_eleven_pairs_where_a_kept_context_is_believed():
    storm = run(Storm(scenario(100, outage={"authenticate": "when_needed"}), OPEN, seed=1))
    assert storm.timeline.subtotals(counters.UDM_SERVED) == {"N8": 500, "N10": 600}


def test_the_outage_takes_the_group_out_of_service_and_everybody_comes_back():
    storm = run(Storm(scenario(100, 50), OPEN, seed=1))
    level = storm.timeline.column(counters.OUTAGE_IN_SERVICE)
    assert (level[4], level[6], level[-1]) == (100, 0, 100)
    assert set(storm.timeline.column(counters.ONLINE_IN_SERVICE)) == {50}


def test_the_run_ends_after_the_calm_that_follows_the_last_return():
    storm = run(Storm(scenario(100, outage={"calm_after_s": 30}), OPEN, seed=1))
    assert storm.second == pytest.approx(10 + storm.log.recovery_s(1.0) + 30, abs=2)


# --- how a return takes its time ---


def test_a_single_ue_is_back_after_its_answers_hops_and_pairs():
    """It answers four times (challenge, command, accept together with the first session, second session); the bus
    takes 2 + 2 + 6 + 2 × 4 hops; 2 + 5 + 2 × 2 pairs lie on the way (the third of a session does not)."""
    exact = scenario(1, capacity=10, ue={"answer_s": {"low": 0.1, "high": 0.1}}, outage={"arrivals_s": 1e-6})
    storm = run(Storm(exact, OPEN, seed=1))
    assert storm.log.recovery_s(1.0) == pytest.approx(4 * 0.1 + 18 * 0.01 + 11 * 0.1, abs=0.001)


def test_behind_a_full_queue_a_return_takes_as_long_as_the_work():
    """Nothing is shed: between the work without the pairs for which nobody waits, and all of it."""
    patient = {"udm": {"capacity_pairs_per_s": 130, "settings": {"plain": NEVER_SHEDS}}, "bus": {"timeout_s": 1000}}
    storm = run(Storm(scenario(100, core=patient, outage={"arrivals_s": 0.001}), OPEN, seed=1))
    assert 100 * 11 / 130 < storm.log.recovery_s(1.0) < 100 * 13 / 130
    assert storm.timeline.total(counters.UDM_SERVED) == 1300


# --- refusals and losses ---


def storm_of(strategy: Strategy, ues: int = 1000, seed: int = 1, **parts) -> Storm:
    """The lower bound is 65 s: 1000 UEs, 13 pairs, 200 pairs/s."""
    parts["outage"] = {"arrivals_s": 5, "recovery_within_s": 300, **parts.get("outage", {})}
    return run(Storm(scenario(ues, ues // 2, capacity=200, online={"every_s": 60}, **parts), strategy, seed))


@pytest.fixture(scope="module")
def precise_storm() -> Storm:
    return storm_of(PRECISE)


@pytest.fixture(scope="module")
def tiered_storm() -> Storm:
    return storm_of(TIERED, outage={"recovery_within_s": 900})


def test_tiers_refuse_no_follow_up_and_nobody_in_service(tiered_storm):
    storm = tiered_storm
    assert totals(storm, counters.REFUSED_FOLLOW_UP, counters.ONLINE_FAILED, counters.ONLINE_DROPPED) == [0, 0, 0]
    assert storm.timeline.total(counters.REFUSED_FIRST) > 400
    assert storm.log.share_back == 1.0


def test_a_precise_limit_refuses_follow_ups_and_the_network_repeats_what_it_asked(precise_storm):
    storm = precise_storm
    refused, repeated, dropped = totals(
        storm, counters.REFUSED_FOLLOW_UP, counters.NAS_RETRANSMISSIONS, counters.UDM_DROPPED
    )
    assert refused > 400
    assert repeated > 200
    assert dropped < 0.05 * storm.timeline.total(counters.UDM_OFFERED)


def test_a_precise_limit_fails_procedures_of_users_in_service_but_drops_none(precise_storm):
    """A refused service request does not deregister (TS 24.501 5.6.1.5)."""
    storm = precise_storm
    assert storm.timeline.total(counters.ONLINE_FAILED) > 0
    assert totals(storm, counters.ONLINE_DROPPED) == [0]
    assert set(storm.timeline.column(counters.ONLINE_IN_SERVICE)) == {500}


def test_rejects_are_protected_where_the_context_was_kept(tiered_storm):
    storm = tiered_storm
    assert storm.timeline.total(counters.PROTECTED_REJECTS) > 0
    assert storm.timeline.total(counters.UNPROTECTED_REJECTS) == 0


def test_rejects_are_plain_where_the_context_was_lost_and_ues_draw_their_own_wait():
    """15 to 30 minutes (TS 24.501 5.3.9)."""
    storm = storm_of(TIERED, outage={"amf_context": "lost", "recovery_within_s": 1200})
    assert storm.timeline.total(counters.UNPROTECTED_REJECTS) > 0
    longest_s = storm.log.recovery_s(0.9)
    assert longest_s is None or longest_s > 900


def test_users_in_service_learn_by_a_reject_that_the_amf_has_forgotten_them():
    storm = run(Storm(scenario(10, 100, online={"every_s": 20}, outage={"amf_context": "lost"}), OPEN, seed=1))
    dropped = storm.timeline.subtotals(counters.ONLINE_DROPPED)
    assert dropped == {"5GMM_9": 100} or sum(dropped.values()) > 80
    assert storm.timeline.column(counters.ONLINE_IN_SERVICE)[-1] > 90


def test_self_protection_alone_wastes_most_of_the_work():
    storm = storm_of(OPEN, core={"udm": {"capacity_pairs_per_s": 150, "shedding": "calibrated"}})
    lost, served = totals(storm, counters.UDM_PAIRS_LOST, counters.UDM_SERVED)
    assert lost > served / 2
    assert storm.timeline.total(counters.BUS_RETRIES) > 0


@pytest.mark.parametrize("strategy", [OPEN, PRECISE, TIERED], ids=lambda one: one.name)
def test_the_books_on_pairs_balance(strategy):
    storm = storm_of(strategy, ues=300)
    ledger = storm.core.ledger
    assert ledger.settled + ledger.written_off + ledger.pending == storm.timeline.total(counters.UDM_SERVED)


@pytest.mark.parametrize("setting", ["silent", "22_t3346", "111"])
def test_what_the_amf_says_of_a_failed_back_end_is_what_the_ue_hears(setting):
    core = {"udm": {"capacity_pairs_per_s": 50}, "amf": {"on_backend_failure": setting}}
    storm = storm_of(OPEN, ues=300, core=core, outage={"recovery_within_s": 60})
    heard = storm.timeline.subtotals(counters.REJECT)
    failures = storm.timeline.subtotals(counters.REG_INIT_FAIL)
    assert storm.timeline.total(counters.AMF_BACKEND_FAILURES) > 0
    if setting == "silent":
        assert not heard
        assert failures["T3510"] > 0
    else:
        cause = {"22_t3346": "22", "111": "111"}[setting]
        assert heard[f"5GMM_{cause}"] > 0
        assert failures[cause] > 0


def test_restless_ues_come_back_early_from_t3502():
    """After five failures all UEs wait for T3502 together; those that re-select or power cycle do not."""
    core = {"udm": {"capacity_pairs_per_s": 50, "shedding": "calibrated"}}
    patient = storm_of(OPEN, ues=300, core=core, outage={"recovery_within_s": 600})
    restless = storm_of(
        OPEN,
        ues=300,
        core=core,
        outage={"recovery_within_s": 600},
        population={"profiles": {"obedient": 0, "restless": 1}},
    )
    requests = [storm.timeline.column(counters.REG_INIT_REQ) for storm in (patient, restless)]
    quiet = [sum(column[250:600]) for column in requests]
    assert quiet[1] > 5 * quiet[0]


# --- the same run again, and a part of it ---


@pytest.mark.parametrize("strategy", [OPEN, PRECISE, TIERED], ids=lambda one: one.name)
def test_the_same_seed_gives_the_same_timeline_and_another_seed_another(strategy):
    first, again, other = (storm_of(strategy, ues=200, seed=seed).timeline.csv() for seed in (1, 1, 2))
    assert first == again
    assert first != other


@pytest.mark.slow
@pytest.mark.parametrize("strategy", [PRECISE, TIERED], ids=lambda one: one.name)
def test_a_tenth_of_the_ues_against_a_tenth_of_the_capacity_takes_as_long(strategy):
    whole = scenario(20_000, 10_000, capacity=870, core={"amf": {"capacity_messages_per_s": 2000}})
    storms = [run(Storm(whole.sampled(sample), strategy, seed=1)) for sample in (1, 10)]
    for share in (0.5, 0.9):
        times = [storm.log.recovery_s(share) for storm in storms]
        assert times[1] == pytest.approx(times[0], rel=0.12)


# --- the run directory ---


def plan_for(out) -> StormPlan:
    return StormPlan(scenario(2000, 1000, capacity=200, online={"every_s": 60}), TIERED, seed=1, sample=10, out=out)


def test_a_run_leaves_its_record_and_its_timeline(tmp_path):
    told = []
    run_storm(plan_for(tmp_path), told.append, StopFlag())
    record = json.loads((tmp_path / "run.json").read_bytes())
    (entry,) = record["runs"]
    assert (entry["engine"], entry["clock"], entry["complete"], entry["sample"]) == ("sim", None, True, 10)
    assert (entry["ues"], entry["recovery"]["share_back"]) == (200, 1.0)
    lines = (tmp_path / "timeline.csv").read_text().splitlines()
    assert len(lines) == 1 + int(entry["ended_s"])
    assert told[-1].back == told[-1].outage_ues == 200
    assert told[-1].refused == entry["refused_first"]


def test_a_run_that_is_told_to_stop_writes_what_there_is_and_says_so(tmp_path):
    stop = StopFlag()
    stop.set()
    run_storm(replace(plan_for(tmp_path), seed=2), lambda progress: None, stop)
    (entry,) = json.loads((tmp_path / "run.json").read_bytes())["runs"]
    assert (entry["complete"], entry["why"]) == (False, "interrupted")
    assert not entry["verdict"]["pass"]


# --- guided ---


def test_guided_brings_everybody_back_close_to_the_lower_bound_and_spares_users_in_service():
    guided = read(Path(__file__).parents[2] / "strategies" / "guided.yaml", Strategy)
    small = scenario(2000, 500, capacity=260.0, outage={"arrivals_s": 20}, online={"every_s": 100})
    storm = run(Storm(small, guided, seed=1))
    lower_bound_s = 2000 * 13 / 260
    assert storm.log.recovery_s(0.99) <= 1.15 * lower_bound_s
    assert totals(storm, counters.ONLINE_FAILED, counters.REFUSED_FOLLOW_UP) == [0, 0]


def test_guided_recovers_from_a_gate_that_was_planned_at_three_times_the_capacity():
    guided = read(Path(__file__).parents[2] / "strategies" / "guided.yaml", Strategy)
    wrong = guided.model_copy(update={"gate": guided.gate.model_copy(update={"share_of_capacity": 2.4})})
    storm = run(Storm(scenario(2000, capacity=260.0, outage={"arrivals_s": 20}), wrong, seed=1))
    assert storm.log.recovery_s(0.99) <= 1.3 * 2000 * 13 / 260
