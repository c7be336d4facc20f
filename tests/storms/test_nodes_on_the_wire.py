"""Several nodes on the wire: plan, run and check with two UDMs; half of the UDMs lost; a DRA gate; AMFs lost and back.

The storms are those that the plan of a small network was made for. Overload is judged at each UDM over windows worth
1 000 pairs. Slow where a storm takes more than a few seconds.
"""

from pathlib import Path

import pytest
import yaml
from small_storms import scenario, storm_of, strategy

from regstorm.drivers.paced_storm import PacedStorm
from regstorm.measures.overload_windows import overload_windows
from regstorm.measures.udm_record import udm_record
from regstorm.planning.plan import make_plan
from regstorm.planning.planned_scenario import planned_scenario
from regstorm.planning.planned_strategy import planned_strategy
from regstorm.records import counters, ims_counters, ims_ue_counters
from regstorm.records.files import with_changes
from regstorm.records.nodes import Incident
from regstorm.records.sources import later, topology
from regstorm.records.storm_plan import StopFlag, StormPlan
from regstorm.records.strategy import Dra
from regstorm.records.topology import Topology

ROUTINE, EMERGENCY = 0, 1
LOST_S, SWITCHED_S, SETTLED_S = 60, 120, 20
"""Seconds: after the end of the outage the UDM is lost and the emergency set comes; it has so long to take effect."""
DETECTED_S = 15  # three heartbeats


def network(shares, pairs_per_s=8700.0, ims=False):
    """The laboratory with several UDMs of equal capacity; the plan has a set for the loss of the last one."""
    lab = topology("lab")[0].model_dump(by_alias=True)
    each = pairs_per_s / len(shares)
    lab["udms"] = [{"name": name, "capacity_pairs_per_s": each, "share": share} for name, share in shares.items()]
    lab["faults"] = [{"name": "one_lost", "lost": [list(shares)[-1]]}]
    if ims:
        lab["users"]["vonr_penetration"] = 1
        lab["sbcs"] = [{"name": "sbc"}]
    return Topology.model_validate(lab)


def planned(one, name, place=ROUTINE):
    found = planned_strategy(one, make_plan(one).sets[place], strategy(name))
    assert found is not None
    return found


def story(one, name, for_s):
    """The storm that the routine set is for."""
    made = planned_scenario(make_plan(one), make_plan(one).sets[ROUTINE], strategy(name))
    return made.model_copy(update={"outage": made.outage.model_copy(update={"recovery_within_s": for_s})})


def run(one, under, sample, switches=()):
    return storm_of(StormPlan(one, under.sampled(sample), seed=1, sample=sample, out=Path(), later=switches))


# --- plan, run, check ------------------------------------------------------------------------------------------------

UNEQUAL = network({"left": 0.6, "right": 0.4})


@pytest.mark.slow
@pytest.mark.parametrize("name", ["precise", "tiered"])
def test_planned_thresholds_keep_each_of_two_udms_with_unequal_shares_under_its_limit(name):
    one = run(story(UNEQUAL, name, 3600.0), planned(UNEQUAL, name), sample=400)

    record = udm_record(one.timeline, one.scenario)
    left, right = record["nodes"]
    assert one.log.share_back == 1
    assert record["seconds_in_overload"] == 0
    assert 0.5 < left["peak_load"] < 1
    assert right["peak_load"] < left["peak_load"]  # the shortest plank has the most users for its capacity
    assert left["served"] / record["served"] == pytest.approx(0.6, abs=0.02)
    assert one.timeline.total(counters.REFUSED_FIRST) > 0  # the gate was needed


@pytest.mark.slow
def test_30_per_cent_above_what_the_shortest_plank_can_do_overloads_that_udm_and_not_the_other():
    too_much = 1.3 * (4350 / 0.6) / 13
    under = planned(UNEQUAL, "precise")
    under = under.model_copy(update={"gate": under.gate.model_copy(update={"ues_per_s": too_much})})

    one = run(story(UNEQUAL, "precise", 500.0), under, sample=400)

    left, right = udm_record(one.timeline, one.scenario)["nodes"]
    assert left["seconds_in_overload"] > 0
    assert right["seconds_in_overload"] == 0


# --- half of the UDMs lost in mid-storm ------------------------------------------------------------------------------

EQUAL = {"left": 0.5, "lost": 0.5}


def loads(timeline, node, capacity):
    """Mean load of `node` under routine thresholds once its consumers have noticed the fault, and that in windows
    from so long after the switch on."""
    offered = timeline.column(f"udm_node.offered.{node}", timeline.outage_end_s)
    before = sum(offered[LOST_S + DETECTED_S : SWITCHED_S]) / (SWITCHED_S - LOST_S - DETECTED_S) / capacity
    return before, overload_windows(offered[SWITCHED_S + SETTLED_S :], capacity)


def with_the_fault(one, then=()):
    end_s = one.outage.end_s
    return one.model_copy(update={"incidents": (Incident(at_s=end_s + LOST_S, nodes=("lost",), capacity=0), *then)})


@pytest.mark.slow
def test_an_emergency_set_that_the_scenario_switches_to_ends_the_overload_of_the_udm_that_is_left(tmp_path):
    two, sample = network(EQUAL), 200
    file = tmp_path / "emergency.yaml"
    file.write_text(yaml.safe_dump(planned(two, "tiered", EMERGENCY).model_dump(mode="json", by_alias=True)))
    calm = story(two, "tiered", 300.0)
    one = with_the_fault(calm, [Incident(at_s=calm.outage.end_s + SWITCHED_S, strategy=str(file))])

    storm = run(one, planned(two, "tiered"), sample, later(one, sample))

    before, after = loads(storm.timeline, "left", 4350 / sample)
    assert before > 1
    assert after.windows >= 3
    assert after.peak_load <= 1
    assert storm.timeline.total("udm_node.offered.lost") > 0


@pytest.mark.slow
def test_an_emergency_set_ends_it_as_well_when_it_is_given_to_a_running_core_on_its_control_socket():
    two, sample = network(EQUAL), 400
    one = story(two, "tiered", 240.0)
    emergency = planned(two, "tiered", EMERGENCY).sampled(sample)
    plan = StormPlan(one, planned(two, "tiered").sampled(sample), 1, sample, Path(), clock="paced", speed=15)
    storm, end_s = PacedStorm(plan), one.outage.end_s
    due = [
        (end_s + LOST_S, lambda link: link.capacity(("lost",), 0.0)),
        (end_s + SWITCHED_S, lambda link: link.switch(emergency)),
    ]

    def command(progress):
        while due and progress.scenario_s >= due[0][0]:
            due.pop(0)[1](storm.core.link)

    try:
        population = storm.scenario.population
        for _ in range(population.outage_ues):
            storm.seats.take_outage()
        storm.run(command, StopFlag())
    finally:
        storm.close()

    before, after = loads(storm.timeline, "left", 4350 / sample)
    assert not due
    assert before > 1
    assert after.windows >= 1
    assert after.peak_load <= 1


# --- the DRA gate ----------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_a_dra_gate_keeps_cx_and_sh_at_its_limit_between_fault_and_switch():
    two, sample = network(EQUAL, 16_730.0, ims=True), 400
    x2 = 12 / 25  # four pairs on Cx and eight on Sh, of 25
    limit = x2 * 16_730 / 2 / sample
    one = with_the_fault(story(two, "tiered", float(SWITCHED_S)))
    routine = planned(two, "tiered")
    guarded = routine.model_copy(update={"dra": Dra(cx_sh_share=x2)})

    open_way, gated = (run(one, under, sample).timeline for under in (routine, guarded))

    def worst(timeline, width):
        """The most pairs that reach the HSS in so many seconds in a row, between fault and switch."""
        cx, sh = (timeline.column(f"udm_node.offered.left.{one}", timeline.outage_end_s) for one in ("Cx", "Sh"))
        pairs = [a + b for a, b in zip(cx, sh, strict=True)][LOST_S:SWITCHED_S]
        return max(sum(pairs[begin : begin + width]) for begin in range(len(pairs) - width + 1))

    assert all(worst(gated, width) <= limit * width + 1 for width in (1, 5, 10, 30, 60))
    assert worst(open_way, 10) > 10 * limit + 1
    assert gated.total("dra.refused") > 0 == open_way.total("dra.refused")
    assert gated.total("dra.refused") == sum(gated.subtotals("dra.refused").values())


# --- AMFs ------------------------------------------------------------------------------------------------------------

POOL = [
    "core.amfs=[{name: east, share: 0.5}, {name: west, share: 0.3}, {name: south, share: 0.2}]",
    "population.ues_per_gnb=10",
]


def test_ues_come_back_to_the_amf_that_gave_them_their_guti():
    storm = storm_of(StormPlan(with_changes(scenario(ues=40), POOL), strategy("self_protection"), 1, 1, Path()))

    assert storm.log.share_back == 1
    pool = storm.core.pool
    at_home = [[pool.home_of(index) for index in range(40)].count(amf) for amf in pool.amfs]
    assert at_home == pytest.approx([20, 12, 8], abs=2)
    assert [len(amf.contexts) for amf in pool.amfs] == at_home
    assert storm.timeline.total("amf_node.admitted_first.west") == at_home[1]
    assert storm.timeline.total(counters.DECODE_ERRORS) == storm.timeline.total(counters.PROTOCOL_ERRORS) == 0


def test_users_of_a_lost_amf_register_at_the_others_and_it_serves_again_when_it_is_back():
    changes = ["incidents=[{at_s: 40, nodes: [east], capacity: 0}, {at_s: 80, nodes: [east], capacity: 1}]"]
    calm = {"recovery_within_s": 600, "calm_after_s": 120}
    one = with_changes(scenario(ues=20, online=40, outage=calm), [*POOL, *changes, "online.every_s=5"])

    storm = storm_of(StormPlan(one, strategy("self_protection"), 1, 1, Path()))

    east, west, south = storm.core.pool.amfs
    assert storm.timeline.total("online.dropped_users.5GMM_9") > 0  # a service request with a GUTI that nobody knows
    assert len(east.contexts) + len(west.contexts) + len(south.contexts) == 60
    assert len(east.n2.associations()) == len(storm.population.links) / 3
    assert storm.timeline.total(counters.DECODE_ERRORS) == storm.timeline.total(counters.PROTOCOL_ERRORS) == 0


# --- SBCs ------------------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_users_of_a_lost_sbc_find_the_other_by_a_new_session():
    changes = [
        "population.ims=true",
        "core.sbcs=[{name: red, share: 0.5}, {name: blue, share: 0.5}]",
        "incidents=[{at_s: 15, nodes: [red], capacity: 0}]",  # some are registered there, some are about to be
        "online.message_share=1",
        "online.every_s=20",
    ]
    long = {"recovery_within_s": 1500, "calm_after_s": 900}
    one = with_changes(scenario(ues=20, arrivals_s=10, outage=long), changes)

    storm = storm_of(StormPlan(one, strategy("self_protection"), 1, 1, Path()))

    red, blue = storm.core.ims.sbcs.sbcs
    assert storm.log.share_back == 1
    assert storm.timeline.total("sbc_node.requests.red") > 0
    assert len(blue.users._bound) == 20
    assert len(red.users._bound) == 0
    assert storm.timeline.total(counters.DECODE_ERRORS) == 0


@pytest.mark.slow
def test_users_of_an_sbc_that_is_back_without_bindings_hear_its_504_and_register_anew():
    changes = [
        "population.ims=true",
        "core.sbcs=[{name: red, share: 0.5}, {name: blue, share: 0.3}, {name: green, share: 0.2}]",
        "incidents=[{at_s: 20, nodes: [red], capacity: 0}, {at_s: 50, nodes: [red], capacity: 1}]",  # before Timer F
        "online.message_share=1",
        "online.every_s=60",
    ]
    one = with_changes(scenario(ues=1, online=60, arrivals_s=1, outage={"calm_after_s": 300}), changes)

    timeline = storm_of(StormPlan(one, strategy("self_protection"), 1, 1, Path())).timeline

    told = timeline.total(f"{ims_counters.SBC_RESPONSES}.504")
    assert told > 15
    assert timeline.total(f"{ims_ue_counters.MESSAGE_FAIL}.504") == told
    assert timeline.total(f"{ims_ue_counters.LOST}.SIP_504") == told
    assert timeline.total(ims_counters.SBC_RETRANSMISSIONS) == 0  # every answer was heard the first time
