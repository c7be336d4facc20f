"""Reading run directories: what is missing or wrong is said, never guessed."""

import json

import pytest
from synthetic_runs import UES, write_run

from regstorm.records.files import BadFile
from regstorm.records.run_record import RunDocument, RunEntry, UdmRecord
from reports.run_directory import read_run, run_directories


def test_the_synthetic_record_has_every_field_of_a_real_one(tmp_path):
    document = json.loads((write_run(tmp_path) / "run.json").read_text())

    assert set(RunDocument.__annotations__) <= set(document)
    assert RunEntry.__required_keys__ <= set(document["runs"][0])
    assert set(UdmRecord.__annotations__) <= set(document["runs"][0]["udm"])


def test_a_run_is_read_with_its_timeline(tmp_path):
    run = read_run(write_run(tmp_path, "precise", seed=4))

    assert (run.strategy, run.outage_ues, run.sample, run.complete) == ("precise", UES, 100, True)
    assert run.outage_ends_s == 180
    assert set(run.family("ues.waiting")) == {"T3346", "T3502"}
    assert run.column("no.such.counter").sum() == 0


def test_a_record_that_says_at_its_top_that_it_is_not_complete_is_not_complete(tmp_path):
    path = write_run(tmp_path) / "run.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | {"complete": False, "why": "out of disk"}))

    run = read_run(tmp_path)

    assert not run.complete
    assert run.why == "out of disk"


@pytest.mark.parametrize(
    ("expected", "passed", "verdict"),
    [
        ({"tiered": {"t99_at_most_s": 600}}, True, "passed"),
        ({"tiered": {"t99_at_most_s": 600}}, False, "missed"),
        ({"precise": {}}, True, "no verdict, the scenario expects nothing of it"),
        ({"precise": {}}, False, "missed"),
    ],
)
def test_a_verdict_without_an_expectation_is_none(tmp_path, expected, passed, verdict):
    where = write_run(tmp_path, "tiered")
    record = json.loads((where / "run.json").read_text())
    record["runs"][0]["settings"]["scenario"]["expected"] = expected
    record["runs"][0]["verdict"]["pass"] = passed
    (where / "run.json").write_text(json.dumps(record))

    assert read_run(where).verdict == verdict


def test_a_run_that_left_no_timeline_is_still_read(tmp_path):
    (write_run(tmp_path) / "timeline.csv").unlink()

    assert read_run(tmp_path).watched_s == 0


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ("{", "line 1: is not JSON"),
        ("[]", "expected a run record, found list"),
        ('{"schema": 9}', "schema: expected 1, found 9"),
    ],
)
def test_a_record_that_is_none_is_one_line_with_its_file(content, expected, tmp_path):
    (tmp_path / "run.json").write_text(content)

    with pytest.raises(BadFile) as caught:
        read_run(tmp_path)

    assert str(tmp_path / "run.json") in str(caught.value)
    assert expected in str(caught.value)
    assert "\n" not in str(caught.value)


def test_the_runs_of_a_comparison_come_in_its_order(tmp_path):
    for name in ("a", "b", "c"):
        write_run(tmp_path / name)
    (tmp_path / "compare.json").write_text(json.dumps({"schema": 1, "directories": ["c", "a", "b"]}))

    assert [path.name for path in run_directories(tmp_path)] == ["c", "a", "b"]
