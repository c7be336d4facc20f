"""Stands in for a storm's process: takes a plan, tells progress, leaves a made-up run directory.

FAKE_STORM says how it behaves: `fine`, `missed` (its verdict), `crash` (before the end), `lies` (complete record, then
exit 1), `waits` (until it is interrupted, then partial).
"""

import json
import os
import signal
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "reports"))
from synthetic_runs import write_run

from regstorm.cli import run_directories
from regstorm.cli.storm_process import PLAN

T99_S = {"self_protection": None, "precise": 540, "tiered": 510}


def main() -> int:
    plan = PLAN.validate_json(sys.stdin.buffer.read())
    behaviour = os.environ.get("FAKE_STORM", "fine")
    print(json.dumps([60.0, 3780.0, 0, 500, 2000, 0, 1.25, 0.5]), flush=True)
    if behaviour == "crash":
        raise RuntimeError("the lamp fell over")
    if behaviour == "waits":
        _wait_for_sigint()
    t99_s = T99_S.get(plan.strategy.name, 600)
    write_run(
        plan.out,
        plan.strategy.name,
        plan.seed,
        t99_s=t99_s,
        share_back=1.0 if t99_s else 0.3,
        complete=behaviour != "waits",
        label=plan.label,
        engine=plan.engine,
    )
    path = plan.out / "run.json"
    document = json.loads(path.read_text())
    [entry] = document["runs"]
    for name in ("settings", "versions", "command"):
        del entry[name]
    if behaviour == "missed":
        entry["verdict"] = {"pass": False, "failed": ["t99_at_most_s: 510 s, expected at most 1 s"]}
    path.write_text(json.dumps(document))
    run_directories.describe(plan)
    return 1 if behaviour == "lies" else 0


def _wait_for_sigint() -> None:
    asked = []
    signal.signal(signal.SIGINT, lambda *_: asked.append(True))
    Path(os.environ["FAKE_STORM_READY"], f"{os.getpid()}").touch()
    while not asked:
        time.sleep(0.02)


if __name__ == "__main__":
    sys.exit(main())
