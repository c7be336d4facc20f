"""Storms in wall time under Locust as people start it: alone, with workers, cut short, with wrong options."""

import os
import signal

import pytest
from csv_agreement import assert_locust_and_timeline_agree
from locust_runs import (
    children_of,
    locust_process,
    locusts_counts,
    record,
    run_locust,
    small_storm,
    two_workers,
    wait_until,
)

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module", params=[list, two_workers], ids=["one process", "two workers"])
def ended(request, tmp_path_factory):
    """A storm that has ended by itself, with everything that can be asked of it; and its folder."""
    out = tmp_path_factory.mktemp("storm")
    options = ["--csv", str(out / "locust"), "--html", str(out / "locust.html"), "--json-file", str(out / "locust")]
    options += ["--storm-trace", "100"]
    return run_locust("--headless", "--only-summary", *request.param(), *options, *small_storm(out)), out


def test_a_storm_ends_by_itself_and_locusts_csv_says_what_the_timeline_says(ended):
    process, out = ended

    told = record(out)
    run = told["runs"][0]
    assert process.returncode in (0, 3), process.stdout
    assert process.returncode == (0 if run["verdict"]["pass"] else 3), process.stdout
    assert told["complete"] is True
    assert run["recovery"]["share_back"] == 1.0
    assert (run["clock"], run["speed"]) == ("paced", 30.0)
    assert (out / "run" / "report.html").is_file()
    assert (out / "locust.html").is_file()
    assert (out / "locust.json").is_file()
    assert_locust_and_timeline_agree(out)
    assert run["locust"]["5G registration"]["attempts"] == locusts_counts(out / "locust")[0]["5G registration"][0]
    full = run["udm"]["pairs"]
    assert full["N10"] >= 6 * 100  # every UE of the outage group got both sessions


def test_no_two_ues_share_an_identity_nor_do_those_of_two_workers(ended):
    process, out = ended

    traces = (out / "run" / "traces.jsonl").read_text().splitlines()
    back = [line for line in traces if '"back in coverage"' in line]
    assert len({line.split('"ue":')[1].split(",")[0] for line in back}) == len(back) == 100, process.stdout


def test_a_strategy_that_misses_what_its_scenario_expects_exits_with_3(tmp_path):
    changes = "outage.begins_s=5 outage.lasts_s=5 outage.calm_after_s=5 expected.tiered.refused_first_at_least=100000"

    ended = run_locust("--headless", "--only-summary", *small_storm(tmp_path, changes=changes))

    assert ended.returncode == 3, ended.stdout
    assert "refused first messages: expected at least 100000" in ended.stdout


def test_a_lost_worker_makes_the_masters_record_incomplete_and_ends_the_storm(tmp_path):
    with locust_process("--headless", "--only-summary", *two_workers(), *small_storm(tmp_path, speed="5")) as master:
        wait_until(lambda: (tmp_path / "run" / "run.json").is_file(), 30, "the storm begins")
        workers = wait_until(lambda: worker_pids(master.pid), 30, "workers")
        lines = iter(master.stdout.readline, "")
        next(line for line in lines if "speed 5" in line)
        os.kill(workers[0], signal.SIGKILL)
        rest = master.communicate(timeout=60)[0]

    told = record(tmp_path)
    assert told["complete"] is False
    assert "was lost at scenario second" in told["why"]
    assert len(told["runs"][0]["workers_lost"]) == 1
    assert master.returncode == 1, rest
    assert "PARTIAL" in rest


@pytest.mark.parametrize(
    ("how", "why"), [(signal.SIGTERM, "Locust was told to end"), (signal.SIGINT, "stopped in Locust")]
)
def test_an_end_by_hand_leaves_a_partial_record_and_no_process(tmp_path, how, why):
    with locust_process("--headless", "--only-summary", *small_storm(tmp_path, speed="5")) as process:
        lines = iter(process.stdout.readline, "")
        next(line for line in lines if "speed 5" in line)
        core = children_of(process.pid)
        process.send_signal(how)
        output, _ = process.communicate(timeout=40)

    told = record(tmp_path)
    assert (told["complete"], told["why"]) == (False, why), output
    assert process.returncode == 1
    assert (tmp_path / "run" / "timeline.csv").stat().st_size > 0
    assert core
    assert not any(os.path.exists(f"/proc/{pid}") for pid in core)


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        (["--storm-sample", "0"], "--storm-sample 0: expected 1 or more"),
        (["--storm-speed", "-1"], "--storm-speed -1: expected more than 0"),
        (["--storm-set", "core.udm.capacity=3"], "core.udm.capacity"),
        (["--storm-strategy", "none"], "invalid choice: 'none'"),
        (["--storm-transport", "udp"], "invalid choice: 'udp'"),
    ],
)
def test_a_wrong_option_is_one_line_and_exit_2(tmp_path, options, expected):
    ended = run_locust("--headless", "--only-summary", *small_storm(tmp_path), *options)

    assert ended.returncode == 2, ended.stdout
    assert expected in ended.stdout
    assert "Traceback" not in ended.stdout


def worker_pids(master: int) -> list[int]:
    """Children of the master that are Locust themselves."""
    return [pid for pid in children_of(master) if b"core_process" not in open(f"/proc/{pid}/cmdline", "rb").read()]
