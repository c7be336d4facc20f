"""regstorm plan from outside: what it leaves behind, what it refuses, and that the core runs with what it wrote."""

import csv
import json

import pytest

from regstorm.cli import sources
from regstorm.cli.main import main
from reports import plan_page


def plan(*arguments, out, simulate=False):
    return main(["plan", *arguments, *([] if simulate else ["--no-simulate"]), "--out", str(out)])


def test_a_plan_leaves_page_table_data_and_a_strategy_for_each_set(tmp_path, capsys):
    out = tmp_path / "out"

    assert plan("province", "--back-within", "30", out=out) == 0

    said = capsys.readouterr().out
    assert "2,000.0 users/s, bound by udm-1 (EPC/IMS/5GC); all let in within 66.7 min, lower bound 52.7 min" in said
    assert "! udm_2_lost: udm-1, EPC/IMS/5GC units: routine thresholds bring it to 133% of its capacity" in said
    document = json.loads((out / "plan.json").read_text())
    assert document["schema"] == 1
    assert [one["name"] for one in document["sets"]] == [
        "routine",
        "udm_2_lost",
        "centre_b_lost",
        "amf_pool_lost",
        "users_of_udm_1",
    ]
    assert document["capacity"]["within_s"] == 1_800
    assert sorted(path.stem for path in (out / "strategies").iterdir()) == sorted(
        one["name"] for one in document["sets"]
    )
    with (out / "thresholds.csv").open() as file:
        rows = list(csv.DictReader(file))
    [sbc] = [row for row in rows if (row["set"], row["node"]) == ("routine", "sbc-1")]
    assert (sbc["ues_per_s"], sbc["messages_per_s"], sbc["caps"]) == ("437.500", "875.000", "437.500")
    [cx] = [row for row in rows if (row["set"], row["node"], row["interface"]) == ("routine", "udm-1", "Cx")]
    assert (cx["what"], cx["pairs_per_s"], cx["messages_per_s"]) == ("DRA limit", "5541.667", "11083.333")


def test_a_written_strategy_is_one_that_run_takes_and_its_rate_scales_with_the_sample(tmp_path):
    out = tmp_path / "out"
    assert plan("lab", "--like", "precise", out=out) == 0

    planned, _ = sources.strategy(str(out / "strategies" / "routine.yaml"))
    precise, _ = sources.strategy("precise")
    assert planned.gate is not None
    assert planned.gate.ues_per_s == 535.384
    assert planned.gate.counts == "every_uplink_message"
    assert (planned.guidance, planned.tiers) == (precise.guidance, precise.tiers)
    sampled = planned.sampled(100).gate
    assert sampled is not None
    assert sampled.ues_per_s == pytest.approx(5.35384)
    assert precise.sampled(100) == precise  # it has no absolute rate


def test_values_in_force_are_compared(tmp_path, capsys):
    in_force = tmp_path / "today.yaml"
    in_force.write_text("ues_per_s: {amf: 600}")

    assert plan("lab", "--in-force", str(in_force), out=tmp_path / "out") == 0

    [threshold] = json.loads((tmp_path / "out" / "plan.json").read_text())["sets"][0]["thresholds"]
    assert threshold["in_force"] == 600
    assert threshold["difference"] == pytest.approx(0.8 * 8_700 / 13 - 600)
    assert "-64.6" in capsys.readouterr().out


def test_counters_of_a_run_of_the_bundled_core_are_counters_too(tmp_path, capsys):
    run = tmp_path / "run"
    run.mkdir()
    entry = {"ues": 100, "recovery": {"share_back": 1.0}, "udm": {"pairs": {"N13": 300, "N8": 500, "N10": 600}}}
    (run / "run.json").write_text(json.dumps({"schema": 1, "runs": [entry]}))

    assert plan("lab", "--counters", str(run), out=tmp_path / "out") == 0

    assert "5g_registration takes 3 pairs on N13 instead of 2 (+50%)" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["nowhere"], "nowhere: expected a file or one of topologies/: lab, province"),
        (["lab", "--set", "margins.routine=-1"], "margins.routine: expected at least 0, found -1"),
        (["lab", "--like", "self_protection"], "--like self_protection: expected a strategy with a gate"),
        (["lab", "--back-within", "0"], "--back-within 0: expected more than 0 minutes"),
        (["lab", "--in-force", "missing.yaml"], "missing.yaml: cannot be read"),
        (["lab", "--in-force", "{wrong}"], "ues_per_s.amf-9: unknown node, expected amf"),
        (["lab", "--counters", "missing.csv"], "missing.csv: cannot be read"),
        (["lab", "--counters", "{wrong}"], "line 1: expected the columns procedure"),
    ],
)
def test_wrong_input_is_one_line_and_2(tmp_path, capsys, arguments, says):
    wrong = tmp_path / "wrong"
    wrong.write_text("ues_per_s: {amf-9: 3}")
    arguments = [argument.format(wrong=wrong) for argument in arguments]

    assert plan(*arguments, out=tmp_path / "out") == 2

    error = capsys.readouterr().err
    assert error.count("\n") == 1
    assert says in error
    assert not (tmp_path / "out").exists()


def test_the_page_shows_every_number_with_its_working_and_asks_no_network(tmp_path):
    out = tmp_path / "out"
    plan("province_5gc_apart", "--back-within", "30", out=out)
    document = json.loads((out / "plan.json").read_text())

    page = (out / "plan.html").read_text()

    assert page == plan_page.render(document)
    assert "http://" not in page
    assert "https://" not in page
    assert "udm-1 is the shortest plank" in page
    for one in document["sets"]:
        assert f'id="working-{one["name"]}"' in page
    assert page.count("U · X1 ÷ (s · a4)") == sum(
        line["formula"] == "U · X1 ÷ (s · a4)" for one in document["sets"] for line in one["workings"]
    )
    assert "1\u202f575.0" in page  # I of the routine set


def test_names_from_a_topology_are_text_on_the_page(tmp_path):
    out = tmp_path / "out"
    plan("lab", "--set", "title=<script>alert(1)</script>", out=out)
    assert "<script>" not in (out / "plan.html").read_text()


def test_a_network_that_the_core_can_play_gets_the_storm_that_its_plan_was_made_for(tmp_path, capsys):
    out = tmp_path / "out"
    plan("lab", "--set", "background_pairs_per_s={N8: 700}", out=out)

    story, _ = sources.scenario(str(out / "scenarios" / "routine.yaml"))
    planned, _ = sources.strategy(str(out / "strategies" / "routine.yaml"))
    assert (story.population.outage_ues, story.core.udm.capacity_pairs_per_s) == (200_000, 8_000)
    assert story.expected[planned.name].udm_seconds_in_overload_at_most == 0
    assert (
        f"Try it: regstorm run {out}/scenarios/routine.yaml --strategy {out}/strategies/routine.yaml"
        in capsys.readouterr().out
    )


def test_the_only_hss_has_the_name_that_the_planned_limit_at_the_dra_is_for(tmp_path):
    out, like = tmp_path / "out", tmp_path / "like.yaml"
    like.write_text("{name: n, title: t, summary: s, gate: {counts: first_messages}, dra: {cx_sh_share: 0.9}}")
    changes = ["udms=[{name: hss-1, capacity_pairs_per_s: 8000, share: 1}]", "users.vonr_penetration=1"]
    changes.append("sbcs=[{name: sbc}]")
    plan("lab", "--like", str(like), *(word for change in changes for word in ("--set", change)), out=out)

    story, _ = sources.scenario(str(out / "scenarios" / "routine.yaml"))
    planned, _ = sources.strategy(str(out / "strategies" / "routine.yaml"), story)
    assert [node.name for node in story.core.udm_nodes] == list(planned.dra.nodes) == ["hss-1"]


def test_a_lab_with_ims_on_machines_apart_is_played_so(tmp_path):
    out = tmp_path / "out"
    udm = "udms=[{name: udm, capacity_pairs_per_s: 5000, hss_capacity_pairs_per_s: 6000, share: 1}]"
    changes = ["layout=5gc_apart", udm, "users.vonr_penetration=1", "sbcs=[{name: sbc}]"]
    plan("lab", *(word for change in changes for word in ("--set", change)), out=out)

    story, _ = sources.scenario(str(out / "scenarios" / "routine.yaml"))
    assert story.population.ims
    assert (story.core.udm.layout, story.core.udm.capacity_pairs_per_s, story.core.udm.hss_capacity) == (
        "5gc_apart",
        5_000,
        6_000,
    )


@pytest.mark.parametrize(
    ("arguments", "plays"),
    [
        (["province"], "5G users, not 4G ones"),
        (["lab", "--set", "amfs=[{name: AMF_1}]"], "nodes named with small letters, digits and hyphens, not AMF_1"),
        (["lab", "--set", "users.users_4g=1", "--set", "mmes=[{name: m}]"], "5G users, not 4G ones"),
        (["lab", "--set", "switches.pdu_sessions=3"], "one PDU session per user or 2"),
        (["lab", "--set", "switches.nssai_download=true"], "the core's own pairs per registration, not others"),
    ],
)
def test_a_network_that_the_core_cannot_play_gets_none_and_a_line_that_says_why(tmp_path, capsys, arguments, plays):
    assert plan(*arguments, "--set", "users.volte_penetration=0", out=tmp_path / "out") == 0
    assert f"No scenario to try it with: the core plays {plays}." in capsys.readouterr().out
    assert not list((tmp_path / "out" / "scenarios").iterdir())


def two_udms(*more):
    """The lab with two UDMs of unequal shares, and three AMFs of which one is heavier."""
    larger = "name: udm-1, capacity_pairs_per_s: 6000, share: 0.6"
    smaller = "name: udm-2, capacity_pairs_per_s: 4500, share: 0.4"
    udms = f"udms=[{{{larger}}}, {{{smaller}}}]"
    amfs = "amfs=[{name: amf-1, weight: 2}, {name: amf-2}, {name: amf-3}]"
    faults = "faults=[{name: udm_2_lost, lost: [udm-2]}]"
    return [word for change in (udms, amfs, faults, *more) for word in ("--set", change)]


def test_the_storm_of_a_set_has_the_nodes_that_the_set_is_for(tmp_path):
    plan("lab", *two_udms(), out=tmp_path / "out")

    routine, fault = (
        sources.scenario(str(tmp_path / "out" / "scenarios" / f"{name}.yaml"))[0] for name in ("routine", "udm_2_lost")
    )
    assert [(one.name, one.share, one.part_of_capacity) for one in routine.core.udms] == [
        ("udm-1", 0.6, pytest.approx(6000 / 10_500)),
        ("udm-2", 0.4, pytest.approx(4500 / 10_500)),
    ]
    assert [(one.name, one.share) for one in routine.core.amfs] == [("amf-1", 0.5), ("amf-2", 0.25), ("amf-3", 0.25)]
    assert (routine.core.udm.capacity_pairs_per_s, fault.core.udm.capacity_pairs_per_s) == (10_500, 6_000)
    assert [(one.name, one.share) for one in fault.core.udms] == [("udm-1", 1)]


@pytest.mark.slow
def test_a_plan_says_what_the_simulator_makes_of_it_beside_what_arithmetic_promises(tmp_path, capsys):
    plan("lab", out=tmp_path / "out", simulate=True)

    [routine] = json.loads((tmp_path / "out" / "plan.json").read_text())["sets"]
    simulated = routine["simulated"]
    assert (simulated["sample"], simulated["ues"], simulated["seconds_in_overload"]) == (50, 4_000, 0)
    assert routine["lower_bound_s"] < simulated["t99_s"] < 2 * routine["promised_s"]
    assert "Simulated (1:50 of the users, seed 1): half are back after" in capsys.readouterr().out
