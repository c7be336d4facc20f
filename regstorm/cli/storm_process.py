"""One storm in a process of its own: the plan comes in on stdin, a line of progress goes out on stdout.

Only here is Locust imported, because it changes the standard library (gevent) for its whole process. SIGINT and
SIGTERM end the storm early: what there is gets written, marked partial. Whatever anybody prints goes to stderr.
"""

import json
import os
import signal
import sys
from types import FrameType
from typing import TextIO

from pydantic import TypeAdapter

from regstorm.records.storm_plan import Progress, StopFlag, StormPlan

PLAN: TypeAdapter[StormPlan] = TypeAdapter(StormPlan)


def plan_as_json(plan: StormPlan) -> bytes:
    """What this process expects on stdin."""
    return PLAN.dump_json(plan, by_alias=True)


def progress_from(line: str) -> Progress:
    """What a line on its stdout says."""
    return Progress(*json.loads(line))


def main() -> int:
    """Runs the storm; 0 if it came to its end or was told to stop."""
    lines = _keep_stdout_for_progress()
    stop = StopFlag()
    _stop_on_signals(stop)
    plan = PLAN.validate_json(sys.stdin.buffer.read())

    from regstorm.cli import run_directories

    def tell(progress: Progress) -> None:
        try:
            print(json.dumps(list(progress)), file=lines, flush=True)
        except BrokenPipeError:  # whoever asked for the storm is gone
            stop.set()

    if plan.engine == "sim":
        from regstorm.simulator.run import run_storm as simulate

        simulate(plan, tell, stop)
    elif plan.clock == "paced":
        from regstorm.locust.paced_run import run_storm as run_paced_storm

        run_paced_storm(plan, tell, stop)
    else:
        from regstorm.locust.lockstep_run import run_storm

        run_storm(plan, tell, stop)
    run_directories.describe(plan)
    return 0


def _keep_stdout_for_progress() -> TextIO:
    """A stream to the real stdout; file descriptor 1 becomes stderr, so that no stray print breaks the protocol."""
    lines = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    return lines


def _stop_on_signals(stop: StopFlag) -> None:
    def asked(signum: int, frame: FrameType | None) -> None:
        if stop.is_set():  # asked twice: at once
            raise KeyboardInterrupt
        stop.set()

    signal.signal(signal.SIGINT, asked)
    signal.signal(signal.SIGTERM, asked)


if __name__ == "__main__":
    sys.exit(main())
