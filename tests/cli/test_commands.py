"""The command line from outside: exit codes, one line for whatever is wrong, and what a command leaves behind."""

import json
import sys
from pathlib import Path

import pytest

from regstorm.cli import storms
from regstorm.cli.main import main

FAKE_STORM = (sys.executable, str(Path(__file__).with_name("fake_storm.py")))


@pytest.fixture
def fake_storm(monkeypatch):
    """Storms end in no time; returns how to choose their behaviour."""
    monkeypatch.setattr(storms, "STORM_COMMAND", FAKE_STORM)
    return lambda behaviour: monkeypatch.setenv("FAKE_STORM", behaviour)


def the_only_line(capsys) -> str:
    error = capsys.readouterr().err
    assert error.count("\n") == 1, error
    assert "Traceback" not in error
    return error


def test_compare_leaves_a_page_and_a_record_of_every_storm(fake_storm, tmp_path, capsys):
    out = tmp_path / "out"

    assert main(["compare", "outage_return", "--strategies", "self_protection,tiered", "--out", str(out)]) == 0

    together = json.loads((out / "compare.json").read_text())
    assert together["schema"] == 1
    assert (together["ues"], together["online_ues"], together["pairs_per_registration"]) == (2000, 1000, 13)
    assert [run["strategy"] for run in together["runs"]] == ["self_protection", "tiered"]
    assert all(run["complete"] for run in together["runs"])
    assert together["complete"]
    assert (out / "compare.html").is_file()
    said = capsys.readouterr().out
    assert "99 % of the users are back 8.5 min after the outage under tiered" in said
    assert "tiered, seed 1: passed" in said
    assert str(out / "compare.html") in said


def test_compare_runs_the_plain_udm_beside_a_calibrated_one_unless_told_not_to(fake_storm, tmp_path):
    with_plain, without = tmp_path / "with", tmp_path / "without"

    main(["compare", "outage_return", "--strategies", "tiered", "--out", str(with_plain)])
    main(["compare", "outage_return", "--strategies", "tiered", "--no-plain", "--out", str(without)])

    [beside] = json.loads((with_plain / "compare.json").read_text())["beside"]
    assert (beside["strategy"], beside["label"]) == ("self_protection", "plain UDM")
    assert json.loads((without / "compare.json").read_text())["beside"] == []


def test_compare_of_a_plain_udm_runs_nothing_beside_it(fake_storm, tmp_path):
    out = tmp_path / "out"
    arguments = ["--set", "core.udm.shedding=plain", "--strategies", "tiered", "--out", str(out)]

    assert main(["compare", "outage_return", *arguments]) == 0

    together = json.loads((out / "compare.json").read_text())
    assert together["beside"] == []
    assert "--set core.udm.shedding=plain" in together["runs"][0]["command"]


def test_repeat_runs_as_many_seeds_from_the_first_one_up(fake_storm, tmp_path):
    out = tmp_path / "out"

    seeds = ["--seed", "7", "--repeat", "2"]
    main(["compare", "restless", "--strategies", "tiered", *seeds, "--no-plain", "--out", str(out)])

    assert [run["seed"] for run in json.loads((out / "compare.json").read_text())["runs"]] == [7, 8]


def test_run_leaves_one_record_with_what_it_was_made_of(fake_storm, tmp_path):
    out = tmp_path / "out"

    assert main(["run", "outage_return", "--strategy", "precise", "--out", str(out)]) == 0

    [entry] = json.loads((out / "run.json").read_text())["runs"]
    assert entry["versions"]["regstorm"]
    assert entry["settings"]["strategy"]["summary"]
    assert (out / "report.html").is_file()
    assert (out / "timeline.csv").is_file()


def test_a_missed_verdict_exits_3_and_says_what_was_missed(fake_storm, tmp_path, capsys):
    fake_storm("missed")

    assert main(["run", "outage_return", "--strategy", "tiered", "--out", str(tmp_path / "out")]) == 3

    assert "missed: t99_at_most_s: 510 s, expected at most 1 s" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("behaviour", "why"), [("crash", "RuntimeError: the lamp fell over"), ("lies", "the storm's process ended with 1")]
)
def test_a_storm_that_fails_exits_1_and_nothing_looks_complete(behaviour, why, fake_storm, tmp_path):
    fake_storm(behaviour)
    out = tmp_path / "out"

    assert main(["compare", "outage_return", "--strategies", "tiered", "--no-plain", "--out", str(out)]) == 1

    record = json.loads((out / "tiered-seed1" / "run.json").read_text())
    assert record["complete"] is False
    assert record["runs"][0]["complete"] is False
    assert why in record["why"]
    assert json.loads((out / "compare.json").read_text())["complete"] is False
    assert "PARTIAL" in (out / "compare.html").read_text().split("<script>")[0]


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["compare", "nowhere"], "nowhere: expected a file or one of scenarios/: amf_restart, "),
        (["compare", "no/file.yaml"], "no/file.yaml: cannot be read: No such file or directory"),
        (["run", "outage_return", "--strategy", "magic"], "magic: expected a file or one of strategies/: "),
        (["run", "outage_return"], "Missing option '--strategy'"),
        (["compare", "outage_return", "--strategies", "tiered,tiered"], "expected each strategy once"),
        (["compare", "outage_return", "--strategies", ","], "--strategies: expected at least one name"),
        (["compare", "outage_return", "--sample", "0"], "--sample"),
        (["compare", "outage_return", "--sample", "many"], "--sample"),
        (["compare", "outage_return", "--engine", "dice"], "--engine dice: expected wire, sim or wire,sim"),
        (["compare", "outage_return", "--engine", "sim", "--clock", "paced"], "--clock paced: expected --engine wire"),
        (["compare", "outage_return", "--engine", "sim", "--sample", "215"], "--sample 215: expected at most 214: of"),
        (["run", "outage_return", "--strategy", "tiered", "--engine", "wire,sim", "--trace", "1"], "--trace: expected"),
        (["compare", "outage_return", "--set", "outage.repeats=2"], "outage: repeats: expected every_s with it"),
        (["compare", "outage_return", "--speed", "10"], "--speed: expected --clock paced with it"),
        (["run", "outage_return", "--strategy", "tiered", "--transport", "sctp"], "--transport sctp: expected --clock"),
        (["run", "outage_return", "--strategy", "tiered", "--transport", "udp"], "--transport udp: expected tcp or"),
        (["compare", "outage_return", "--transport", "sctp"], "--transport sctp: expected --clock paced with it"),
        (["compare", "outage_return", "--clock", "paced", "--speed", "0"], "--speed 0: expected more than 0"),
        (["compare", "outage_return", "--clock", "paced", "--attempts-cap", "0"], "--attempts-cap 0: expected more"),
        (["core", "--listen", "38412"], "--listen 38412: expected HOST:PORT"),
        (["core", "--transport", "udp"], "--transport udp: expected tcp or sctp"),
        (["compare", "outage_return", "--clock", "sundial"], "--clock sundial: expected lockstep"),
        (["compare", "outage_return", "--set", "core.udm"], "--set core.udm: expected field.field=value"),
        (["compare", "outage_return", "--set", "core.udm.queue=1"], "core.udm.queue: no such field"),
        (["report", "nothing/here"], "nothing/here: expected a run directory (run.json) or a directory of them"),
        (["storm"], "No such command 'storm'"),
    ],
)
def test_wrong_input_is_one_line_and_exits_2(arguments, expected, capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    assert main(arguments) == 2

    assert expected in the_only_line(capsys)
    assert not list(tmp_path.iterdir())


def test_a_wrong_scenario_names_file_field_and_expectation(tmp_path, capsys):
    wrong = tmp_path / "wrong.yaml"
    wrong.write_text(
        "name: x\ntitle: x\npopulation: {outage_ues: -3, online_ues: 0}\ncore: {udm: {capacity_pairs_per_s: 1}}"
    )

    assert main(["compare", str(wrong)]) == 2

    line = the_only_line(capsys)
    assert f"{wrong}: population.outage_ues: " in line
    assert "expected at least 1, found -3" in line


def test_results_never_go_among_older_ones(fake_storm, tmp_path, capsys):
    (tmp_path / "run.json").write_text("{}")

    assert main(["run", "outage_return", "--strategy", "tiered", "--out", str(tmp_path)]) == 2

    assert "expected a new or empty directory" in the_only_line(capsys)


def test_without_out_a_new_directory_in_runs_is_taken(fake_storm, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    main(["run", "outage_return", "--strategy", "tiered"])
    main(["run", "outage_return", "--strategy", "tiered"])

    assert sorted(path.name for path in (tmp_path / "runs").iterdir()) == [
        "outage_return-tiered-seed1",
        "outage_return-tiered-seed1-2",
    ]


def test_report_makes_the_page_again_from_the_directory_of_a_comparison(fake_storm, tmp_path, capsys):
    out = tmp_path / "out"
    main(["compare", "outage_return", "--strategies", "tiered,precise", "--out", str(out)])
    first = (out / "compare.html").read_text()

    assert main(["report", str(out), "--out", str(tmp_path / "again.html")]) == 0

    assert (tmp_path / "again.html").read_text() == first


def test_an_internal_error_is_one_line_and_shows_its_traceback_under_debug(monkeypatch, capsys):
    monkeypatch.setattr("regstorm.cli.sources.scenario", lambda *_: 1 / 0)

    assert main(["compare", "outage_return"]) == 1
    assert "internal error: ZeroDivisionError" in the_only_line(capsys)

    assert main(["--debug", "compare", "outage_return"]) == 1
    assert "Traceback" in capsys.readouterr().err


def test_strategies_scenarios_and_help_say_what_there_is(capsys):
    for arguments, expected in (
        (["strategies"], "self_protection"),
        (["scenarios"], "outage_return"),
        (["scenarios", "kddi_2022"], "From the reports: 15 minutes"),
        ([], "Commands"),
        *(([name, "--help"], "Example: regstorm") for name in ("compare", "run", "report", "doctor")),
    ):
        assert main(arguments) == 0
        assert expected in capsys.readouterr().out


def test_commands_do_not_import_locust():
    import subprocess

    check = "import sys, regstorm.cli.main; sys.exit(any(m in sys.modules for m in ('locust', 'gevent')))"
    assert subprocess.run([sys.executable, "-c", check]).returncode == 0


def test_both_engines_run_every_strategy_and_the_page_holds_one_against_the_other(fake_storm, tmp_path, capsys):
    out = tmp_path / "out"
    words = ["--strategies", "precise,tiered", "--engine", "wire,sim", "--no-plain", "--out", str(out)]

    assert main(["compare", "outage_return", *words]) == 0

    together = json.loads((out / "compare.json").read_text())
    assert [(run["strategy"], run["engine"]) for run in together["runs"]] == [
        ("precise", "wire"),
        ("precise", "sim"),
        ("tiered", "wire"),
        ("tiered", "sim"),
    ]
    assert "--engine wire,sim" in together["runs"][0]["command"]
    page = (out / "compare.html").read_text()
    assert "tiered (simulated)" in page
    assert "… deviation" in page
    assert "do not compare" not in page
    assert "… deviation" in capsys.readouterr().out


def test_one_strategy_on_both_engines_leaves_two_run_directories(fake_storm, tmp_path):
    out = tmp_path / "out"

    assert main(["run", "outage_return", "--strategy", "tiered", "--engine", "wire,sim", "--out", str(out)]) == 0

    assert sorted(path.parent.name for path in out.glob("*/run.json")) == ["sim", "wire"]
    assert (out / "compare.html").is_file()


@pytest.mark.parametrize(("words", "sample"), [([], 100), (["--engine", "sim"], 10), (["--engine", "wire,sim"], 100)])
def test_the_sample_is_a_tenth_for_the_simulator_alone_and_a_hundredth_else(
    words, sample, fake_storm, tmp_path, capsys
):
    out = tmp_path / "out"

    main(["run", "outage_return", "--strategy", "tiered", *words, "--out", str(out)])

    record = next(out.rglob("run.json"))
    assert f"--sample {sample}" in json.loads(record.read_text())["runs"][0]["command"]


def test_a_small_storm_runs_on_the_simulator_from_the_command_line(tmp_path, capsys):
    out = tmp_path / "out"
    words = ["--sample", "200", "--engine", "sim", "--out", str(out)]

    assert main(["run", "outage_return_5gc", "--strategy", "tiered", *words]) in (0, 3)

    [entry] = json.loads((out / "run.json").read_text())["runs"]
    assert (entry["engine"], entry["clock"], entry["complete"]) == ("sim", None, True)
    assert entry["versions"]["regstorm"]
    assert "(sample 1:200)" in capsys.readouterr().out
