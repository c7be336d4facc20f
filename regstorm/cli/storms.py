"""Storms in processes of their own, a few at a time: started, listened to, and ended early when the user says so.

Children stand in sessions of their own, so that Ctrl-C in the terminal reaches this process alone; it forwards the
signal to its children by their process ids, and each of them writes what it has.
"""

import os
import queue
import signal
import subprocess
import sys
import threading
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from types import FrameType
from typing import NamedTuple, Protocol

from regstorm.cli import run_directories
from regstorm.cli.storm_process import plan_as_json, progress_from
from regstorm.records.storm_plan import Progress, StormPlan
from reports.record_file import TIMELINE

STORM_COMMAND = (sys.executable, "-m", "regstorm.cli.storm_process")
LOG = "storm.log"
"""What a storm's process printed: in its run directory, removed if there was nothing."""
POLL_S = 0.2
"""How long a signal may go unnoticed while no storm tells anything."""


class Ended(NamedTuple):
    """How a storm ended."""

    plan: StormPlan
    complete: bool
    why: str
    """Why it is not complete."""


class View(Protocol):
    """Shows how storms go on; `index` is the storm's place among the plans."""

    def progress(self, index: int, progress: Progress) -> None: ...

    def ended(self, index: int, ended: Ended) -> None: ...


class Outcome(NamedTuple):
    """How several storms ended, in the order of their plans, and whether the user cut them short."""

    ended: list[Ended]
    interrupted: bool

    @property
    def in_vain(self) -> bool:
        """The user cut them short before any of them had measured anything."""
        return self.interrupted and not any((one.plan.out / TIMELINE).is_file() for one in self.ended)


class _Told(NamedTuple):
    storm: int
    line: str | None
    """None: the process has closed its output."""


@dataclass(slots=True)
class _Running:
    plan: StormPlan
    process: subprocess.Popen[str]


def run_storms(plans: Sequence[StormPlan], view: View, at_once: int | None = None) -> Outcome:
    """Runs every plan, at most `at_once` at a time (the number of cores by default)."""
    return _Batch(plans, view, at_once or os.cpu_count() or 1).run()


class _Batch:
    def __init__(self, plans: Sequence[StormPlan], view: View, at_once: int) -> None:
        self._plans = plans
        self._view = view
        self._at_once = at_once
        self._waiting = deque(range(len(plans)))
        self._running: dict[int, _Running] = {}
        self._ended: dict[int, Ended] = {}
        self._told: queue.Queue[_Told] = queue.Queue()
        self._interrupts = 0

    def run(self) -> Outcome:
        before = {number: signal.signal(number, self._on_signal) for number in (signal.SIGINT, signal.SIGTERM)}
        try:
            while self._waiting or self._running:
                self._start_what_fits()
                self._listen()
        finally:
            for running in self._running.values():  # only after an error of our own
                running.process.kill()
            for number, handler in before.items():
                signal.signal(number, handler)
        return Outcome([self._ended[index] for index in range(len(self._plans))], self._interrupts > 0)

    def _on_signal(self, signum: int, frame: FrameType | None) -> None:
        self._interrupts += 1
        for running in list(self._running.values()):
            if running.process.poll() is None:
                running.process.send_signal(signal.SIGINT if self._interrupts < 3 else signal.SIGKILL)

    def _start_what_fits(self) -> None:
        while self._waiting and len(self._running) < self._at_once:
            index = self._waiting.popleft()
            if self._interrupts:
                run_directories.begin(self._plans[index])
                run_directories.fail(self._plans[index], "interrupted before it began")
                self._note(index)
            else:
                self._start(index)

    def _start(self, index: int) -> None:
        plan = self._plans[index]
        run_directories.begin(plan)
        with (plan.out / LOG).open("w") as log:
            process = subprocess.Popen(
                STORM_COMMAND,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=log,
                text=True,
                start_new_session=True,
            )
        self._running[index] = _Running(plan, process)
        threading.Thread(target=self._read, args=(index, process), daemon=True).start()

    def _read(self, index: int, process: subprocess.Popen[str]) -> None:
        """In a thread for each storm: hands in the plan, then every line that comes back."""
        assert process.stdin
        assert process.stdout
        try:
            process.stdin.write(plan_as_json(self._plans[index]).decode())
            process.stdin.close()
        except BrokenPipeError:
            pass  # it ended at once; its log says why
        for line in process.stdout:
            self._told.put(_Told(index, line))
        process.wait()
        self._told.put(_Told(index, None))

    def _listen(self) -> None:
        try:
            storm, line = self._told.get(timeout=POLL_S)
        except queue.Empty:
            return
        if line is None:
            self._end(storm)
        else:
            self._view.progress(storm, progress_from(line))

    def _end(self, index: int) -> None:
        running = self._running.pop(index)
        complete, why = run_directories.outcome(running.plan)
        code = running.process.returncode
        if code != 0:
            why = "interrupted" if self._interrupts else _failure(code, running.plan.out / LOG)
            run_directories.fail(running.plan, why)
        elif not complete and why == run_directories.RUNNING:
            run_directories.fail(running.plan, "the storm's process ended without a result")
        _remove_if_empty(running.plan.out / LOG)
        self._note(index)

    def _note(self, index: int) -> None:
        plan = self._plans[index]
        self._ended[index] = Ended(plan, *run_directories.outcome(plan))
        self._view.ended(index, self._ended[index])


def _failure(code: int, log: Path) -> str:
    lines = [line for line in log.read_text(errors="replace").splitlines() if line.strip()]
    how = f"was killed by signal {-code}" if code < 0 else f"ended with {code}"
    return f"the storm's process {how}" + (f": {lines[-1].strip()}" if lines else "")


def _remove_if_empty(log: Path) -> None:
    if log.exists() and not log.stat().st_size:
        log.unlink()
