"""A master and two workers started one by one, as on several machines: `--master`, and twice `--worker`."""

import os
import re
import signal
from contextlib import ExitStack, contextmanager

import orjson
import pytest
from csv_agreement import assert_locust_and_timeline_agree
from locust_runs import free_port, locust_process, record, small_storm, wait_until

pytestmark = pytest.mark.slow


@contextmanager
def master_and_two_workers(out, *options, speed="30"):
    """The three processes; whatever the storm's options are, only the master is told."""
    port = str(free_port())
    storm = small_storm(out, *options, speed=speed)
    mine = ["--master", "--expect-workers", "2", "--master-bind-host", "127.0.0.1", "--master-bind-port", port]
    theirs = ["--worker", "--master-host", "127.0.0.1", "--master-port", port]
    with ExitStack() as stack:
        master = stack.enter_context(locust_process("--headless", "--only-summary", *mine, *storm))
        workers = [stack.enter_context(locust_process(*theirs)) for _ in range(2)]
        yield master, workers


def test_identities_are_partitioned_and_locusts_csv_says_what_the_timeline_says(tmp_path):
    options = ["--csv", str(tmp_path / "locust"), "--storm-trace", "100"]

    with master_and_two_workers(tmp_path, *options) as (master, workers):
        said, _ = master.communicate(timeout=120)
        ended = [worker.wait(timeout=20) for worker in workers]

    told = record(tmp_path)
    assert master.returncode in (0, 3), said
    assert ended == [0, 0]
    assert told["complete"] is True
    assert told["runs"][0]["workers_lost"] == []
    assert told["runs"][0]["recovery"]["share_back"] == 1.0
    assert_locust_and_timeline_agree(tmp_path)
    events = [orjson.loads(line) for line in (tmp_path / "run" / "traces.jsonl").read_bytes().splitlines()]
    back = [event["ue"] for event in events if "back in coverage" in event.values()]
    assert sorted(back) == [f"imsi-00101{number:010d}" for number in range(1, 101)]  # each in one worker, none in both


def test_a_worker_that_is_killed_is_named_in_the_masters_record_which_is_incomplete(tmp_path):
    with master_and_two_workers(tmp_path, speed="5") as (master, workers):
        lines = iter(master.stdout.readline, "")
        next(line for line in lines if "speed 5" in line)
        wait_until(lambda: (tmp_path / "run" / "run.json").is_file(), 30, "the storm begins")
        os.kill(workers[1].pid, signal.SIGKILL)
        said = master.communicate(timeout=90)[0]
        assert workers[0].wait(timeout=20) == 0

    told = record(tmp_path)
    [lost] = told["runs"][0]["workers_lost"]
    assert told["complete"] is False
    assert re.match(rf"worker {re.escape(lost)} was lost at scenario second \d+", told["why"])
    assert master.returncode == 1, said
    assert "PARTIAL" in said
