from dataclasses import replace
from pathlib import Path

import orjson
import pytest

from regstorm.measures.run_record import HowItRan, Measured, document, run_entry
from regstorm.measures.service_log import ServiceLog
from regstorm.measures.timeline import Timeline
from regstorm.measures.ue_counts import UeCounts
from regstorm.measures.verdict import judge
from regstorm.records import counters, procedures
from regstorm.records.run_record import RunEntry
from regstorm.records.scenario import Expectation, Scenario
from regstorm.records.storm_plan import StormPlan
from regstorm.records.strategy import Strategy

ENDED_S = 32.0


def plan(sample=100, **expected):
    """At 1:100: 4 UEs come back at the UDM's 13 pairs/s, so the lower bound is 4 · 13 / 13 = 4 s."""
    scenario = Scenario.model_validate(
        {
            "name": "small",
            "title": "Small",
            "population": {"outage_ues": 400, "online_ues": 200},
            "outage": {"begins_s": 5, "lasts_s": 5},
            "core": {"udm": {"capacity_pairs_per_s": 1300}},
            "expected": {"tiered": expected},
        }
    )
    strategy = Strategy(name="tiered", title="Tiered", summary="…")
    return StormPlan(scenario, strategy, seed=7, sample=sample, out=Path("out"), command="regstorm run small")


def storm() -> Measured:
    """Outage from 5 to 10 s; four UEs are back at 12, 14, 16 and 18 s, one after a reject with T3346 of 6 s."""
    timeline, log = Timeline(10.0), ServiceLog(4, 2, 10.0)
    counts = UeCounts(timeline, log)
    for ue in range(6):
        counts.service_changed(ue, True, 0.0)
    for ue in range(4):
        counts.service_changed(ue, False, 5.0)
    for ue, at in enumerate((12.0, 14.0, 16.0, 18.0)):
        if ue == 3:
            counts.attempt_started(ue, procedures.REGISTRATION, 11.0)
            timeline.count(counters.REFUSED_FIRST, 11.0)
            counts.rejected(ue, "5GMM #22", True, 11.0)
            counts.attempt_ended(ue, procedures.REGISTRATION, 11.0, 11.0, "5GMM #22")
            counts.waiting("T3346", +1, 11.0)
            counts.waiting("T3346", -1, 17.0)
        counts.attempt_started(ue, procedures.REGISTRATION, at - 1)
        counts.attempt_ended(ue, procedures.REGISTRATION, at - 1, at, None)
        timeline.count(counters.UDM_OFFERED, at, 16)
        timeline.count(counters.UDM_SERVED, at, 13)
        timeline.count("udm.served.N8", at, 5)
        timeline.count(counters.UDM_DROPPED, at, 3)
        timeline.count(counters.UDM_REJECTION_WORK, at, 750)
        counts.service_changed(ue, True, at)
    timeline.count(counters.UDM_PAIRS_LOST, 20.0, 13)
    for failure in ("5GMM #22", None):
        counts.attempt_started(4, procedures.SERVICE_REQUEST, 21.0)
        counts.attempt_ended(4, procedures.SERVICE_REQUEST, 21.0, 21.5, failure)
    timeline.close(ENDED_S)
    return Measured(timeline, log, counts)


def entry(how=None, **expected) -> RunEntry:
    return run_entry(plan(**expected), how or HowItRan("wire", "lockstep", ENDED_S), storm())


def test_the_entry_says_how_long_recovery_took():
    assert entry()["recovery"] == {
        "t50_s": 4.0,
        "t90_s": 8.0,
        "t99_s": 8.0,
        "t100_s": 8.0,
        "t99_stable_s": 8.0,
        "share_back": 1.0,
        "share_back_10_min": 1.0,
        "share_back_arrived": 1.0,
    }
    assert entry()["lower_bound_s"] == 4.0
    assert entry()["efficiency"] == pytest.approx(0.99 * 4 / 8)


def test_the_bound_of_the_whole_capacity_stands_beside_that_of_what_incidents_leave():
    whole = plan()
    half = {"at_s": 0, "nodes": ["udm"], "capacity": 0.5}
    short = whole.scenario.model_validate({**whole.scenario.model_dump(by_alias=True), "incidents": [half]})
    run = run_entry(replace(whole, scenario=short), HowItRan("wire", "lockstep", ENDED_S), storm())
    assert (run["lower_bound_s"], run["lower_bound_nominal_s"]) == (8.0, 4.0)
    assert run["efficiency"] == pytest.approx(0.99 * 8 / 8)
    assert document(short, 100, [run])["lower_bound_s"] == 8.0
    assert "lower_bound_nominal_s" not in entry()


def test_the_entry_says_what_recovery_cost():
    run = entry()
    assert run["attempts_per_success"] == 5 / 4
    assert run["attempts_per_success_by_procedure"] == {"5G registration": 1.25, "5G service request": 2.0}
    assert run["wasted_work"] == 13 / 52
    assert (run["online_procedures"], run["online_failed"], run["online_failed_share"]) == (2, 1, 0.5)
    assert (run["refused_first"], run["refused_follow_ups"], run["online_dropped"]) == (1, 0, 0)
    assert run["rejects"] == {"5GMM #22": 1}
    assert run["protected_reject_share"] == 1.0
    assert run["waiting_ue_minutes"] == 0.1
    assert run["waiting_ue_minutes_by_timer"] == {"T3346": 0.1}


def test_the_entry_says_what_the_udm_saw():
    """13 pairs/s: one window of 77 s would be worth 1 000 pairs, longer than the run."""
    udm = entry()["udm"]
    assert udm["capacity_pairs_per_s"] == 13
    assert (udm["offered"], udm["served"], udm["dropped"], udm["dropped_share"]) == (64, 52, 12, 0.1875)
    assert udm["rejection_pairs"] == 3.0
    assert udm["pairs"] == {"N8": 20}
    assert (udm["window_s"], udm["peak_load"], udm["seconds_in_overload"]) == (77, None, 0)
    # seconds 10 to 17 ended with a backlog, three of them with 16 pairs offered and 13 served
    assert udm["load_offered_in_backlog"] == pytest.approx(3 * 16 / 8 / 13, abs=1e-3)
    assert udm["load_served_in_backlog"] == pytest.approx(3 * 13 / 8 / 13, abs=1e-3)


def test_populations_are_those_of_the_sample_and_settings_those_of_the_full_size():
    run = entry()
    assert (run["sample"], run["ues"], run["online_ues"]) == (100, 4, 2)
    assert run["settings"]["scenario"]["population"]["outage_ues"] == 400
    assert run["settings"]["scenario"]["schema"] == 1
    assert run["settings"]["strategy"]["name"] == "tiered"


def test_what_cannot_be_seen_of_a_foreign_core_is_null():
    run = entry(HowItRan("wire", "paced", ENDED_S, speed=1.0, core_is_ours=False))
    assert run["udm"] is run["amf"] is run["wasted_work"] is run["refused_first"] is run["refused_follow_ups"] is None
    assert run["rejects"] == {"5GMM #22": 1}


def test_the_document_has_the_fields_that_scripts_rely_on_and_is_json():
    saved = orjson.loads(orjson.dumps(document(plan().scenario, 100, [entry()])))
    assert {key: value for key, value in saved.items() if key != "runs"} == {
        "schema": 1,
        "scenario": "small",
        "ues": 4,
        "online_ues": 2,
        "pairs_per_registration": 13,
        "lower_bound_s": 4.0,
    }
    assert saved["runs"][0]["verdict"] == {"pass": True, "failed": []}
    assert set(saved["runs"][0]) == set(RunEntry.__required_keys__)


def test_a_run_that_shows_what_is_expected_passes():
    run = entry(
        t99_at_most_s=8,
        t99_at_most_lower_bounds=2,
        share_back_at_least=1,
        share_back_at_most=1,
        refused_follow_ups_at_most=0,
        refused_first_at_least=1,
        online_failed_share_at_most=0.5,
        udm_dropped_share_at_most=0.2,
        udm_seconds_in_overload_at_most=0,
    )
    assert run["verdict"] == {"pass": True, "failed": []}


@pytest.mark.parametrize(
    ("expected", "line"),
    [
        ({"t99_at_most_s": 7.5}, "T99 in s: expected at most 7.5, came 8"),
        ({"t99_at_most_lower_bounds": 1.5}, "T99 in lower bounds: expected at most 1.5, came 2"),
        ({"share_back_at_most": 0.6}, "share back: expected at most 0.6, came 1"),
        ({"refused_first_at_least": 2}, "refused first messages: expected at least 2, came 1"),
        ({"refused_follow_ups_per_ue_at_least": 1}, "refused follow-ups per UE: expected at least 1, came 0"),
        (
            {"online_failed_share_at_most": 0.001},
            "share of failed online procedures: expected at most 0.001, came 0.5",
        ),
        ({"udm_dropped_share_at_most": 0.05}, "share of UDM pairs dropped: expected at most 0.05, came 0.1875"),
    ],
)
def test_a_run_that_misses_an_expectation_says_what_was_expected_and_what_came(expected, line):
    assert entry(**expected)["verdict"] == {"pass": False, "failed": [line]}


@pytest.mark.parametrize("field", sorted(Expectation.model_fields))
def test_every_expectation_is_judged(field):
    """Bounds that no run can keep: below zero, or beyond any number."""
    impossible = Expectation.model_construct(**{field: -1 if "at_most" in field else 10**9})
    assert len(judge(impossible, entry())["failed"]) == 1


def test_what_was_not_reached_or_not_measured_cannot_pass():
    run = entry()
    run["recovery"]["t99_s"] = None
    run["udm"] = None
    expected = Expectation(t99_at_most_s=600, udm_dropped_share_at_most=1)
    assert judge(expected, run)["failed"] == [
        "T99 in s: expected at most 600, came none",
        "share of UDM pairs dropped: expected at most 1, came none",
    ]


def test_a_partial_run_passes_nothing():
    run = entry(HowItRan("wire", "lockstep", ENDED_S, complete=False, why="interrupted"))
    assert run["verdict"] == {"pass": False, "failed": ["expected a complete run, came a partial one: interrupted"]}


def test_a_late_generator_fails_its_run():
    run = entry(HowItRan("wire", "paced", ENDED_S, speed=4.0, lateness_p99_s=0.61))
    assert run["verdict"]["failed"] == ["generator lateness p99: expected at most 0.3 s, came 0.61 s"]
    harmless = entry(HowItRan("wire", "paced", ENDED_S, speed=4.0, lateness_p99_s=0.29))
    assert harmless["verdict"]["pass"]
