"""Ctrl-C: children write what they have, and the command says that it is partial."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

from regstorm.records.storm_plan import Progress

FAKE_STORM = Path(__file__).with_name("fake_storm.py")
STARTED = f"""
import sys
from regstorm.cli import storms
from regstorm.cli.main import main
storms.STORM_COMMAND = (sys.executable, {str(FAKE_STORM)!r})
sys.exit(main(sys.argv[1:]))
"""


def test_interrupted_storms_are_kept_marked_partial_and_the_command_exits_130(tmp_path):
    ready, out = tmp_path / "ready", tmp_path / "out"
    ready.mkdir()
    arguments = ["compare", "outage_return", "--strategies", "tiered,precise", "--out", str(out)]
    command = subprocess.Popen(
        [sys.executable, "-c", STARTED, *arguments],
        env=os.environ | {"FAKE_STORM": "waits", "FAKE_STORM_READY": str(ready)},
        stdout=subprocess.PIPE,
        text=True,
    )
    at_once = min(3, os.cpu_count() or 1)  # two strategies and the plain UDM
    wait_until(lambda: len(list(ready.iterdir())) == at_once)

    command.send_signal(signal.SIGINT)
    said, _ = command.communicate(timeout=30)

    assert command.returncode == 130
    assert "PARTIAL" in said
    together = json.loads((out / "compare.json").read_text())
    assert together["complete"] is False
    assert [run["complete"] for run in together["runs"]] == [False, False]
    assert "interrupted" in together["runs"][0]["why"]
    assert (out / "tiered-seed1" / "timeline.csv").is_file()
    assert "<title>PARTIAL" in (out / "compare.html").read_text()
    assert not any(Path(f"/proc/{child.name}").exists() for child in ready.iterdir())


def test_a_storm_process_takes_a_plan_and_tells_its_progress(tmp_path):
    """The real storm process, with a storm of three lines in place of Locust's."""
    from regstorm.cli import run_directories, sources
    from regstorm.cli.storm_process import plan_as_json, progress_from
    from regstorm.records.storm_plan import StormPlan

    scenario, _ = sources.scenario("outage_return")
    plan = StormPlan(scenario, sources.strategy("tiered")[0], seed=3, sample=100, out=tmp_path / "out")
    run_directories.begin(plan)
    child = f"""
import sys, types, json
def run_storm(plan, tell, stop):
    print("stray")
    tell(({", ".join(map(str, PROGRESS))}))
    (plan.out / "run.json").write_text(json.dumps({{"schema": 1, "runs": [{{"complete": True, "seed": plan.seed}}]}}))
sys.modules["regstorm.locust.lockstep_run"] = types.SimpleNamespace(run_storm=run_storm)
from regstorm.cli.storm_process import main
sys.exit(main())
"""
    ended = subprocess.run([sys.executable, "-c", child], input=plan_as_json(plan), capture_output=True, timeout=30)

    assert ended.returncode == 0, ended.stderr
    assert [progress_from(line) for line in ended.stdout.decode().splitlines()] == [PROGRESS]
    assert run_directories.outcome(plan) == (True, "")
    [entry] = json.loads((plan.out / "run.json").read_text())["runs"]
    assert entry["seed"] == 3
    assert entry["settings"]["scenario"]["population"]["outage_ues"] == 200_000


PROGRESS = Progress(60.0, 3780.0, 0, 500, 2000, 12, None, 0.5)


def wait_until(holds, patience_s: float = 20.0) -> None:
    """For another process; ours never sleep."""
    until = time.monotonic() + patience_s
    while not holds():
        assert time.monotonic() < until, "nothing happened"
        time.sleep(0.02)
