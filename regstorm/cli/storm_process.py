"""One storm in a process of its own: the plan comes in on stdin, a line of progress goes out on stdout.

Only here is Locust imported, because it changes the standard library (gevent) for its whole process. SIGINT and
SIGTERM end the storm early: what there is gets written, marked partial; before it is under way there is nothing to
write, and the process ends at once. Whatever anybody prints goes to stderr.
"""

import json
import os
import signal
import sys
from types import FrameType
from typing import TextIO

from pydantic import TypeAdapter

from regstorm.cli.exit_codes import INTERRUPTED
from regstorm.records.storm_plan import Progress, StopFlag, StormPlan

PLAN: TypeAdapter[StormPlan] = TypeAdapter(StormPlan)


def plan_as_json(plan: StormPlan) -> bytes:
    """What this process expects on stdin."""
    return PLAN.dump_json(plan, by_alias=True)


def progress_from(line: str) -> Progress:
    """What a line on its stdout says."""
    return Progress(*json.loads(line))


def main() -> int:
    """Runs the storm; 0 if it came to its end or was told to stop while it was under way, 130 if before."""
    lines = _keep_stdout_for_progress()
    stop = StopFlag()
    signals = _Signals(stop)
    try:
        plan = PLAN.validate_json(sys.stdin.buffer.read())
        _run(plan, lines, stop, signals)
    except KeyboardInterrupt:
        return INTERRUPTED
    return 0


def _run(plan: StormPlan, lines: TextIO, stop: StopFlag, signals: "_Signals") -> None:
    from regstorm.cli import run_directories

    def tell(progress: Progress) -> None:
        signals.under_way = True
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


def _keep_stdout_for_progress() -> TextIO:
    """A stream to the real stdout; file descriptor 1 becomes stderr, so that no stray print breaks the protocol."""
    lines = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    return lines


class _Signals:
    """What SIGINT and SIGTERM do."""

    def __init__(self, stop: StopFlag) -> None:
        self.under_way = False
        """The storm looks at its stop flag from now on."""
        self._stop = stop
        signal.signal(signal.SIGINT, self._asked)
        signal.signal(signal.SIGTERM, self._asked)

    def _asked(self, signum: int, frame: FrameType | None) -> None:
        asked_before = self._stop.is_set()
        self._stop.set()
        if asked_before or not self.under_way:
            raise KeyboardInterrupt


if __name__ == "__main__":
    code = main()
    if code == INTERRUPTED:
        os._exit(code)  # somebody waits, and taking the interpreter down takes its time
    sys.exit(code)
