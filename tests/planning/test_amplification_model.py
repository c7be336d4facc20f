import pytest
from planned_networks import changed, shipped

from regstorm.planning.amplification_model import (
    BadCounters,
    amplification,
    counters_from_csv,
    counters_of_a_run,
    standard_pairs,
)
from regstorm.planning.domains import EPC, FIVE_GC, IMS
from regstorm.planning.plan import make_plan
from regstorm.records.topology import Switches

HEAD = "procedure,interface,procedures,pairs"


@pytest.mark.parametrize(
    ("switches", "attach", "registration", "ims"),
    [
        ({}, 2, 13, 12),
        ({"aggregated_download": True}, 2, 13, 7),
        ({"aggregated_nudm": True}, 2, 8, 12),
        ({"pdu_sessions": 1}, 2, 10, 12),
        ({"nssai_download": True, "s6a_notify": 1}, 3, 14, 12),
    ],
)
def test_the_standard_table_follows_the_switches(switches, attach, registration, ims):
    table = standard_pairs(Switches(**switches))
    assert [sum(pairs.values()) for pairs in table.values()] == [attach, registration, ims]


def test_a_topology_may_replace_the_pairs_of_a_procedure():
    network = changed(shipped("province"), amplification={"ims_registration": {"Cx": 4, "Sh": 5.5}})
    found = amplification(network)
    assert [found.per_procedure(domain) for domain in (EPC, FIVE_GC, IMS)] == [2, 13, 9.5]
    assert found.origin == {"4g_attach": "standard table", "5g_registration": "standard table"} | {
        "ims_registration": "topology"
    }


def test_counters_come_before_the_table_and_their_drift_is_told():
    rows = [HEAD, "5g_registration,N13,1000,2050", "5g_registration,N8,600,4100", "5g_registration,N8,400,2900"]
    plan = make_plan(shipped("province"), counters_from_csv([*rows, "5g_registration,N10,1000,6000"]))

    assert plan.amplification.pairs["5g_registration"] == {"N13": 2.05, "N8": 7.0, "N10": 6.0}
    assert [(drift.interface, drift.relative, drift.is_warning) for drift in plan.amplification.drift] == [
        ("N13", pytest.approx(0.025), False),
        ("N8", pytest.approx(0.4), True),
        ("N10", 0, False),
    ]
    [(place, text)] = [each for each in plan.warnings if each[0] == "amplification"]
    assert place == "amplification"
    assert "7 pairs on N8 instead of 5 (+40%)" in text
    assert plan.sets[0].doors.users_per_s == pytest.approx(21_600 / 0.6 / (1 + 10.5 + 0.5 * 15.05))


@pytest.mark.parametrize(
    ("rows", "says"),
    [
        (["procedure,interface,pairs"], "line 1: expected the columns procedure, interface, procedures, pairs"),
        ([HEAD, "attach,S6a,1,2"], "line 2: procedure attach, expected 4g_attach"),
        ([HEAD, "4g_attach,N8,1,2"], "line 2: interface N8, expected S6a for 4g_attach"),
        ([HEAD, "4g_attach,S6a,many,2"], "line 2: procedures is many, expected a number"),
        ([HEAD, "4g_attach,S6a,1,-2"], "line 2: pairs is -2, expected a number"),
        ([HEAD, "4g_attach,S6a,1,nan"], "line 2: pairs is nan, expected a number"),
        ([HEAD, "4g_attach,S6a,1"], "line 2: pairs is empty, expected a number"),
        ([HEAD, "4g_attach,S6a,0,2"], "4g_attach on S6a: not one procedure was counted"),
        ([HEAD, "4g_attach,S6a,1,0"], "4g_attach: not one pair was counted"),
        ([HEAD, "ims_registration,Cx,1,4"], "ims_registration: interface Sh is missing"),
    ],
)
def test_counters_that_make_no_sense_get_one_line(rows, says):
    with pytest.raises(BadCounters, match=r"^" + says.replace("(", r"\(")):
        counters_from_csv(rows)


def test_a_calm_run_of_the_bundled_core_measures_the_table():
    measured = counters_of_a_run({"N13": 2_000, "N8": 5_000, "N10": 6_000}, registrations=1_000)
    assert measured == {
        ("5g_registration", "N13"): 2,
        ("5g_registration", "N8"): 5,
        ("5g_registration", "N10"): 6,
    }
    with pytest.raises(BadCounters, match="at least one UE"):
        counters_of_a_run({"N13": 2_000}, registrations=0)
