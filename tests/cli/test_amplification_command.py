"""regstorm amplification from outside: the table, the JSON, and that the planner takes it."""

import json

import pytest

from regstorm.cli.main import main

IMS = ("--set", "population.ims=true")


@pytest.fixture(scope="module")
def measured(tmp_path_factory):
    """What the command prints for a deployment with aggregated reads."""
    where = tmp_path_factory.mktemp("amplification")
    changes = (*IMS, "--set", "core.ims.aggregated_download=true", "--set", "core.aggregated_nudm=true")
    with pytest.MonkeyPatch.context() as patch:
        out = (where / "amplification.json").open("wb")
        patch.setattr("sys.stdout", type("Stdout", (), {"buffer": out}))
        assert main(["amplification", "--json", *changes]) == 0
        out.close()
    return where / "amplification.json"


def test_the_table_says_pairs_messages_and_functions_of_a_full_registration(capsys):
    assert main(["amplification", "outage_return", *IMS]) == 0
    said = capsys.readouterr().out
    assert "UDM/HSS pairs" in said
    assert "A full registration is 98 messages through 12 functions of the core" in said
    assert "and 25 pairs at UDM and HSS" in said
    assert "Not modelled, so not counted: RRC" in said


def test_the_json_says_what_was_fired_at_and_what_passed(measured):
    told = json.loads(measured.read_text())
    assert (told["schema"], told["kind"], told["scenario"]) == (1, "amplification", "outage_return")
    assert told["deployment"] == {"ims": True, "core.ims.aggregated_download": True, "core.aggregated_nudm": True}
    assert told["full_registration"]["pairs_by_interface"] == {"N13": 2, "N8": 2, "N10": 4, "Cx": 4, "Sh": 3}
    assert told["procedures"][-1]["procedure"] == "full registration"


def test_the_planner_takes_it_and_warns_of_drift(measured, tmp_path, capsys):
    out = tmp_path / "plan"
    arguments = ["plan", "province", "--no-simulate", "--counters", str(measured), "--out", str(out)]
    assert main(arguments) == 0
    assert "5g_registration takes 2 pairs on N8 instead of 5 (-60%)" in capsys.readouterr().out
    amplification = json.loads((out / "plan.json").read_text())["amplification"]
    assert amplification["pairs"]["ims_registration"] == {"Cx": 4, "Sh": 3}
    assert {one["interface"] for one in amplification["drift"] if one["warning"]} == {"N8", "N10", "Sh"}


def test_another_json_is_no_counters(tmp_path, capsys):
    (tmp_path / "run.json").write_text('{"schema": 1}')
    arguments = ["plan", "lab", "--no-simulate", "--counters", str(tmp_path / "run.json"), "--out", str(tmp_path / "p")]
    assert main(arguments) == 2
    assert "expected what regstorm amplification --json prints" in capsys.readouterr().err


def test_a_strategy_that_refuses_the_ue_is_told_in_one_line(capsys):
    assert main(["amplification", "--strategy", "release_in_steps"]) == 2
    assert "5G registration (SUCI): 5G registration: 5GMM #22" in capsys.readouterr().err
