"""Locust as a person starts it: a process with a locustfile, bounded in time, ended by its pid."""

import csv
import os
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from collections import Counter
from contextlib import contextmanager
from pathlib import Path

import orjson

ROOT = Path(__file__).resolve().parents[2]
STORM = ROOT / "locustfiles" / "storm_5gc.py"
SHORT = "outage.begins_s=10 outage.lasts_s=10 outage.arrivals_s=20 outage.calm_after_s=5 online.every_s=60"


def locust_command(*options: str, locustfile: Path = STORM) -> list[str]:
    return [sys.executable, "-m", "locust", "-f", str(locustfile), *options]


def small_storm(out: Path, *options: str, ues: str = "2000", speed: str = "30", changes: str = SHORT) -> list[str]:
    """100 UEs that return and 50 online users, over in about ten seconds."""
    return [
        *("--storm-sample", ues, "--storm-speed", speed, "--storm-set", changes, "--storm-out", str(out / "run")),
        *options,
    ]


def run_locust(*options: str, within_s: float = 90, locustfile: Path = STORM) -> subprocess.CompletedProcess[str]:
    with locust_process(*options, locustfile=locustfile) as process:
        output, _ = process.communicate(timeout=within_s)
    return subprocess.CompletedProcess(process.args, process.returncode, output)


def _hears_ctrl_c() -> None:
    """Whoever runs the tests in the background has SIGINT ignored, and a child would inherit that."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


@contextmanager
def locust_process(*options: str, locustfile: Path = STORM):
    """A process group of its own, of which nothing is left."""
    process = subprocess.Popen(
        locust_command(*options, locustfile=locustfile),
        cwd=ROOT,
        text=True,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        start_new_session=True,
        preexec_fn=_hears_ctrl_c,
    )
    try:
        yield process
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGTERM)
            try:
                process.wait(15)
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()
        if process.stdout:
            process.stdout.close()


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def two_workers() -> list[str]:
    """Options for a master and two workers at a port of their own."""
    port = str(free_port())
    return ["--processes", "2", "--master-bind-port", port, "--master-port", port]


def get(url: str) -> bytes:
    with urllib.request.urlopen(url, timeout=10) as answer:
        return answer.read()


def wait_until(condition, within_s: float, what: str):
    give_up_at = time.monotonic() + within_s
    while not (value := condition()):
        assert time.monotonic() < give_up_at, f"{what}: not within {within_s:g} s"
        time.sleep(0.2)
    return value


def record(out: Path) -> dict:
    return orjson.loads((out / "run" / "run.json").read_bytes())


def timeline_totals(out: Path) -> Counter:
    totals = Counter()
    with (out / "run" / "timeline.csv").open() as file:
        for row in csv.DictReader(file):
            totals.update({name: int(value) for name, value in row.items()})
    return totals


def locusts_counts(prefix: Path) -> tuple[dict[str, tuple[int, int]], Counter]:
    """From Locust's CSV files: attempts and failures by name, and failures by name and cause."""
    with Path(f"{prefix}_stats.csv").open() as file:
        attempts = {row["Name"]: (int(row["Request Count"]), int(row["Failure Count"])) for row in csv.DictReader(file)}
    causes = Counter()
    with Path(f"{prefix}_failures.csv").open() as file:
        for row in csv.DictReader(file):
            causes[row["Name"], row["Error"]] += int(row["Occurrences"])
    return attempts, causes


def processes_of_group(group: int) -> list[int]:
    """Pids in a process group."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                fields = (entry / "stat").read_text().rpartition(")")[2].split()
            except OSError:
                continue
            if int(fields[2]) == group and fields[0] != "Z":
                found.append(int(entry.name))
    return found


def children_of(pid: int) -> list[int]:
    """Pids of its living children."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                fields = (entry / "stat").read_text().rpartition(")")[2].split()
            except OSError:
                continue
            if int(fields[1]) == pid and fields[0] != "Z":
                found.append(int(entry.name))
    return found
