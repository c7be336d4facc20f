"""`regstorm run --clock paced`: a storm, its core, and no process left behind however it ends.

Real processes, each ended by its id; a run at 1:2000 and a high speed takes some ten seconds.
"""

import json
import os
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PATIENCE_S = 60.0
REGSTORM = [sys.executable, "-c", "from regstorm.cli.main import run; run()"]

pytestmark = pytest.mark.slow


def start(out, speed, sample=2000):
    words = ["run", "outage_return", "--strategy", "tiered", "--sample", str(sample), "--clock", "paced"]
    return subprocess.Popen(
        [*REGSTORM, *words, "--speed", str(speed), "--out", str(out)],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    )


def commands():
    """Every process: its id, its parent's, its command line."""
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            with suppress(OSError):
                stat = (entry / "stat").read_text().rpartition(")")[2].split()
                if stat[0] not in ("Z", "X"):
                    yield int(entry.name), int(stat[1]), (entry / "cmdline").read_text().replace("\0", " ")


def child_of(pid, what):
    """The child of `pid` whose command line has `what` in it, once there is one."""
    until = time.monotonic() + PATIENCE_S
    while time.monotonic() < until:
        for child, parent, command in commands():
            if parent == pid and what in command:
                return child
        time.sleep(0.05)
    raise AssertionError(f"{pid} has no child {what}")


def wait_until_gone(*pids):
    until = time.monotonic() + PATIENCE_S
    while alive := {pid for pid, _, _ in commands()} & set(pids):
        assert time.monotonic() < until, f"left behind: {alive}"
        time.sleep(0.05)


def under_way(run):
    """Storm and core, when the storm has begun."""
    storm = child_of(run.pid, "storm_process")
    core = child_of(storm, "core_process")
    for line in run.stdout:
        if "back" in line:
            return storm, core
    raise AssertionError("the run ended before it began")


def record(out):
    return json.loads((out / "run.json").read_text())["runs"][0]


def test_a_paced_run_leaves_a_complete_record_and_says_how_to_do_it_with_locust(tmp_path):
    run = start(tmp_path / "run", speed=60)
    said, _ = run.communicate(timeout=PATIENCE_S * 3)
    entry = record(tmp_path / "run")
    assert run.returncode in (0, 3)
    assert "With Locust: locust -f locustfiles/storm_full.py --storm-scenario outage_return" in said
    assert (entry["complete"], entry["clock"], entry["speed"]) == (True, "paced", 60.0)
    assert entry["recovery"]["share_back"] == 1.0
    # The core's books came over: 100 UEs with two sessions of two reads each. The registration that follows an accept
    # (the third N10 pair of a session) may be shed, and its repetition too, without the user losing the session.
    assert entry["udm"]["pairs"]["N10"] >= 400
    assert 0 < entry["lateness_p99_s"] == entry["lateness"]["p99_s"]
    rows = (tmp_path / "run" / "timeline.csv").read_text().splitlines()
    assert len(rows) - 1 == pytest.approx(entry["ended_s"], abs=1)


def test_a_killed_core_leaves_a_record_marked_incomplete_and_exit_1(tmp_path):
    run = start(tmp_path / "run", speed=20)
    storm, core = under_way(run)
    os.kill(core, signal.SIGKILL)
    said, _ = run.communicate(timeout=PATIENCE_S)
    assert run.returncode == 1
    entry = record(tmp_path / "run")
    assert entry["complete"] is False
    assert entry["why"] == f"the core's process (pid {core}) was killed by signal 9"
    assert "PARTIAL" in said
    wait_until_gone(storm, core)


def test_a_killed_generator_takes_its_core_with_it(tmp_path):
    run = start(tmp_path / "run", speed=20)
    storm, core = under_way(run)
    os.kill(storm, signal.SIGKILL)
    run.communicate(timeout=PATIENCE_S)
    assert run.returncode == 1
    assert record(tmp_path / "run")["why"].startswith("the storm's process was killed by signal 9")
    wait_until_gone(storm, core)


def test_a_killed_command_takes_generator_and_core_with_it(tmp_path):
    run = start(tmp_path / "run", speed=20)
    storm, core = under_way(run)
    run.kill()
    run.wait()
    run.stdout.close()
    wait_until_gone(storm, core)
    assert record(tmp_path / "run")["complete"] is False


def test_ctrl_c_ends_within_a_second_with_a_partial_record(tmp_path):
    run = start(tmp_path / "run", speed=20)
    storm, core = under_way(run)
    began_s = time.monotonic()
    run.send_signal(signal.SIGINT)
    wait_until_gone(core)
    took_s = time.monotonic() - began_s
    run.communicate(timeout=PATIENCE_S)
    assert run.returncode == 130
    assert record(tmp_path / "run")["why"] == "interrupted"
    wait_until_gone(storm, core)
    assert took_s < 3.0  # a second, on a machine that others use as well


def test_ctrl_c_while_a_storm_is_being_set_up_ends_within_a_second_with_an_incomplete_record(tmp_path):
    run = start(tmp_path / "run", speed=20, sample=10)  # 30 000 UEs: their keys take seconds
    storm = child_of(run.pid, "storm_process")
    core = child_of(storm, "core_process")
    began_s = time.monotonic()
    run.send_signal(signal.SIGINT)
    wait_until_gone(run.pid, storm, core)
    took_s = time.monotonic() - began_s
    said, _ = run.communicate(timeout=PATIENCE_S)
    assert run.returncode == 130
    assert "PARTIAL: interrupted" in said
    assert "Traceback" not in said
    assert (record(tmp_path / "run")["complete"], record(tmp_path / "run")["why"]) == (False, "interrupted")
    assert not (tmp_path / "run" / "timeline.csv").exists()
    assert took_s < 3.0  # a second, on a machine that others use as well
