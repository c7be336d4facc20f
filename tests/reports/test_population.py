"""Pages say how many users a storm is about, and what a command changed in the scenario whose title they show."""

import json

import pytest
from synthetic_runs import write_run

from reports import pages, population
from reports.run_directory import Run, read_run


def run_of(where, command: str, **entry) -> Run:
    """A run whose scenario has ten million users, of whom it played a thousandth."""
    write_run(where)
    record = json.loads((where / "run.json").read_text())
    one = record["runs"][0]
    one["settings"]["scenario"]["population"] |= {"outage_ues": 10_000_000, "online_ues": 100_000}
    one["settings"]["scenario"]["title"] = "200 000 users return"
    one |= {"sample": 1000, "ues": 10_000, "online_ues": 100, "command": command} | entry
    (where / "run.json").write_text(json.dumps(record))
    return read_run(where)


TEN_MILLION = "regstorm run outage_return --sample 1000 --set population.outage_ues=10000000"


def test_the_full_size_is_told_beside_what_was_played(tmp_path):
    assert population.users(run_of(tmp_path, TEN_MILLION)) == (
        "10\u202f000\u202f000 in the outage group, 100\u202f000 in service; played: 10\u202f000 and 100 (sample 1:1000)"
    )


def test_a_storm_of_the_full_size_played_everybody(tmp_path):
    run = run_of(tmp_path, TEN_MILLION, sample=1, ues=10_000_000, online_ues=100_000)

    assert population.users(run).endswith("in service; played: all of them")


def test_a_record_without_a_scenario_is_scaled_by_its_sample(tmp_path):
    run = run_of(tmp_path, TEN_MILLION, settings={})

    assert population.users(run).startswith("10\u202f000\u202f000 in the outage group, 100\u202f000 in service;")


@pytest.mark.parametrize(
    ("words", "changed"),
    [
        ("", []),
        ("--set population.outage_ues=10000000", ["population.outage_ues = 10\u202f000\u202f000"]),
        ("--set=outage.arrivals_s=180", ["outage.arrivals_s = 180"]),
        (
            "--set 'network.dnns=[internet, ims]' --set ue.retry_jitter_s=0 --set ue.retry_jitter_s=0.1",
            ["network.dnns = [internet, ims]", "ue.retry_jitter_s = 0.1"],
        ),
        ("--set", []),
        ("it's no line of a shell --set a.b=1", []),
    ],
)
def test_what_a_command_changed_is_read_from_the_record(tmp_path, words, changed):
    assert population.changes(run_of(tmp_path, f"regstorm run outage_return {words}")) == changed


def test_a_title_that_the_command_contradicts_does_not_stand_alone(tmp_path):
    run_of(tmp_path, TEN_MILLION)

    html = pages.write_page(pages.load([tmp_path]), tmp_path / "report.html").read_text()

    changed = "200 000 users return – changed: population.outage_ues = 10\u202f000\u202f000"
    assert f"<title>{changed} – regstorm</title>" in html
    assert f'<p class="over">{changed} – under tiered</p>' in html
    assert "played: 10\u202f000 and 100 (sample 1:1000)" in html.split("Verdict")[0]


def test_an_unchanged_scenario_keeps_its_title(tmp_path):
    assert population.title(run_of(tmp_path, "regstorm run outage_return")) == "200 000 users return"
