"""A core that is not ours. Played by our own core, which is told nothing: its control socket stays unused."""

import signal
import subprocess
import sys
from contextlib import contextmanager

import pytest
import yaml
from locust_runs import (
    ROOT,
    free_port,
    locusts_counts,
    record,
    run_locust,
    small_storm,
    two_workers,
)

from protocols.credentials import credentials
from protocols.identities import Plmn

pytestmark = pytest.mark.slow

QUICK = "outage.begins_s=8 outage.lasts_s=3 outage.arrivals_s=2 outage.calm_after_s=2 online.every_s=20"
UES = 45
"""outage_return at 1:6667: 30 UEs that return and 15 online users."""


@contextmanager
def somebodys_core(port: int):
    """Deregistered subscribers, plenty of capacity."""
    command = [
        sys.executable,
        "-c",
        "from regstorm.cli.main import run; run()",
        "core",
        "--strategy",
        "self_protection",
    ]
    command += ["--sample", "10", "--listen", f"127.0.0.1:{port}", "--control", f"127.0.0.1:{free_port()}"]
    process = subprocess.Popen(command, cwd=ROOT, stderr=subprocess.PIPE, text=True)
    try:
        assert any("gNBs at" in line for line in iter(process.stderr.readline, ""))
        yield process
    finally:
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=20)


def a_target(tmp_path, port: int, **changes):
    plmn = Plmn("001", "01")
    known = [credentials(1, index, plmn) for index in range(UES)]
    lines = [f"{one.supi},{one.k.hex()},{one.opc.hex()},{one.amf_field.hex()},{one.sqn}" for one in known]
    (tmp_path / "subscribers.csv").write_text("\n".join(["imsi,k,opc,amf,sqn", *lines]) + "\n")
    path = tmp_path / "lab.yaml"
    said = {
        "schema": 1,
        "name": "lab",
        "amfs": [f"127.0.0.1:{port}"],
        "transport": "tcp",
        "network": {"mcc": "001", "mnc": "01", "tac": 1, "sst": 1},
        "subscribers_csv": "subscribers.csv",
        "register_per_s": 20,
        **changes,
    }
    path.write_text(yaml.safe_dump(said))
    return path


@pytest.mark.parametrize("processes", [list, two_workers], ids=["one process", "two workers"])
def test_everybody_registers_returns_after_our_gnbs_dropped_n2_and_deregisters_at_the_end(tmp_path, processes):
    port = free_port()
    target = a_target(tmp_path, port)
    options = [*processes(), "--csv", str(tmp_path / "locust"), "--storm-target", str(target)]

    with somebodys_core(port):
        ended = run_locust(
            "--headless", "--only-summary", *options, *small_storm(tmp_path, ues="6667", changes=QUICK), within_s=120
        )

    run = record(tmp_path)["runs"][0]
    attempts, _ = locusts_counts(tmp_path / "locust")
    assert run["complete"] is True, ended.stdout
    assert (run["strategy"], run["speed"], run["recovery"]["share_back"]) == ("lab", 1.0, 1.0)
    assert [run[name] for name in ("udm", "amf", "refused_first", "wasted_work", "lower_bound_s")] == [None] * 5
    assert attempts["5G registration"][0] - attempts["5G registration"][1] == UES + 30
    assert attempts["5G deregistration"][0] == UES  # one may cross a release for inactivity
    assert (ended.returncode == 0) == run["verdict"]["pass"]


def test_no_key_of_a_target_stands_in_a_run_directory(tmp_path):
    port = free_port()
    with somebodys_core(port):
        run_locust(
            "--headless",
            "--only-summary",
            *("--storm-target", str(a_target(tmp_path, port, deregister=False)), "--storm-trace", "5"),
            *small_storm(tmp_path, ues="6667", changes=QUICK),
        )

    keys = [one.k.hex() for one in (credentials(1, index, Plmn("001", "01")) for index in range(UES))]
    written = [path.read_text() for path in (tmp_path / "run").iterdir()]
    assert len(written) == 4
    assert not any(key in text for key in keys for text in written)


def test_an_outage_by_somebodys_command_happens_at_its_second(tmp_path):
    port = free_port()
    begin, end = tmp_path / "begun", tmp_path / "ended"
    target = a_target(
        tmp_path, port, outage={"how": "command", "begin": f"touch {begin}", "end": f"touch {end}"}, deregister=False
    )

    with somebodys_core(port):
        run_locust(
            "--headless",
            "--only-summary",
            *("--storm-target", str(target)),
            *small_storm(tmp_path, ues="6667", changes=QUICK),
        )

    run = record(tmp_path)["runs"][0]
    assert end.stat().st_mtime - begin.stat().st_mtime == pytest.approx(3.0, abs=1.0)
    assert run["recovery"]["share_back"] == 1.0


def test_a_target_outside_loopback_is_refused_in_one_line(tmp_path):
    target = a_target(tmp_path, 38412, amfs=["192.0.2.1:38412"])

    ended = run_locust(
        "--headless", "--only-summary", "--storm-target", str(target), *small_storm(tmp_path, ues="6667")
    )

    assert ended.returncode == 2
    assert "--target-is-mine" in ended.stdout
    assert "Traceback" not in ended.stdout
