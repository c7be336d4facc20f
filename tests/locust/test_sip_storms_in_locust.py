"""Storms on an SBC alone: phones over UDP and TCP, at our core's SBC and at one that is told nothing."""

import signal
import subprocess
import sys
from contextlib import contextmanager

import pytest
from locust.argument_parser import get_empty_argument_parser
from locust_runs import ROOT, free_port, locusts_counts, record, run_locust, timeline_totals, two_workers

from regstorm.locust.options import Locustfile, add_options, read_options
from regstorm.records.files import BadFile

STORM = ROOT / "locustfiles" / "storm_ims.py"
QUICK = "outage.begins_s=10 outage.lasts_s=5 outage.arrivals_s=10 outage.calm_after_s=5"
STORM_IMS = Locustfile("storm_ims.py", scenario="sbc_restart", phones=True)
UES, ONLINE = 50, 25
"""sbc_restart at 1:4000."""
REGISTRATION = "IMS registration"


def parsed(locustfile, *words):
    parser = get_empty_argument_parser()
    add_options(parser, locustfile)
    return parser.parse_args(list(words))


def storm(tmp_path, *options, changes=QUICK, within_s=120):
    said = ["--headless", "--only-summary", "--csv", str(tmp_path / "locust"), "--storm-sample", "4000"]
    said += ["--storm-out", str(tmp_path / "run"), "--storm-set", changes, *options]
    return run_locust(*said, locustfile=STORM, within_s=within_s)


@contextmanager
def somebodys_sbc(port, *options):
    """A core whose SBC serves whoever comes; nobody commands it."""
    command = [sys.executable, "-c", "from regstorm.cli.main import run; run()", "core"]
    command += ["--strategy", "self_protection", "--sample", "10", "--sip-listen", f"127.0.0.1:{port}"]
    command += ["--listen", "127.0.0.1:0", "--control", "127.0.0.1:0", "--set", "population.ims=true", *options]
    process = subprocess.Popen(command, cwd=ROOT, stderr=subprocess.PIPE, text=True)
    try:
        assert any("SIP at" in line for line in iter(process.stderr.readline, ""))
        yield process
    finally:
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=20)


@pytest.mark.slow
@pytest.mark.parametrize(("transport", "processes"), [("tcp", list), ("udp", two_workers)], ids=["tcp", "udp, workers"])
def test_phones_come_back_after_our_sbc_has_restarted_at_four_pairs_each(tmp_path, transport, processes):
    ended = storm(tmp_path, *processes(), "--transport", transport, "--storm-speed", "20")

    run = record(tmp_path)["runs"][0]
    attempts, causes = locusts_counts(tmp_path / "locust")
    totals = timeline_totals(tmp_path)
    assert run["complete"] is True, ended.stdout
    assert run["recovery"]["share_back"] == 1.0
    assert ended.returncode == (0 if run["verdict"]["pass"] else 3), ended.stdout
    assert run["lower_bound_s"] == pytest.approx(100, rel=0.1)
    done = attempts[REGISTRATION][0] - attempts[REGISTRATION][1]
    assert done >= UES  # those of online users who lost their registration come on top
    assert totals["sbc.requests"] >= 2 * UES
    assert totals["udm.served.Cx"] >= 4 * UES
    assert totals["udm.served.Sh"] == 0
    assert causes[REGISTRATION, "SIP 503"] > 0  # the door is narrower than they come


@pytest.mark.slow
@pytest.mark.parametrize("transport", ["udp", "tcp"])
def test_at_an_sbc_that_is_not_ours_everybody_registers_comes_back_and_leaves(tmp_path, transport):
    """Over TCP as users with a password, which stands nowhere; commands of ours are the outage."""
    port, password = free_port(), "a-word-to-look-for"
    begin, end = tmp_path / "begun", tmp_path / "ended"
    target = ["--sip-target", f"127.0.0.1:{port}", "--transport", transport, "--sip-register-per-s", "25"]
    target += ["--sip-outage-begin", f"touch {begin}", "--sip-outage-end", f"touch {end}"]
    plain = transport == "tcp"
    with somebodys_sbc(port, *(("--set", f"core.ims.digest_password={password}") if plain else ())):
        ended = storm(tmp_path, *target, *(("--sip-password", password) if plain else ()))

    run = record(tmp_path)["runs"][0]
    attempts, _ = locusts_counts(tmp_path / "locust")
    assert run["complete"] is True, ended.stdout
    assert (run["strategy"], run["speed"], run["recovery"]["share_back"]) == ("target", 1.0, 1.0)
    assert [run[name] for name in ("udm", "amf", "wasted_work", "lower_bound_s")] == [None] * 4
    assert attempts[REGISTRATION] == (UES + ONLINE + UES, 0)
    assert attempts["IMS de-registration"] == (UES + ONLINE, 0)
    assert end.stat().st_mtime - begin.stat().st_mtime == pytest.approx(5.0, abs=1.0)
    assert not any(password in path.read_text() for path in (tmp_path / "run").iterdir())


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--sip-target", "192.0.2.1:5060"], "--target-is-mine"),
        (["--sip-target", "sbc.example:5060"], "--target-is-mine"),
        (["--sip-target", "localhost"], "expected HOST:PORT"),
        (["--sip-outage-begin", "true", "--sip-target", "127.0.0.1:5060"], "expected both or none"),
        (["--sip-register-per-s", "0", "--sip-target", "127.0.0.1:5060"], "expected more than 0"),
        (["--storm-trace", "3"], "expected 0"),
        (["--storm-set", "population.ims=false"], "population.ims: expected true"),
        (["--storm-set", "outage.strikes=gnbs"], "outage.strikes: expected sbc"),
    ],
)
def test_what_cannot_be_done_is_said_in_one_line(words, said, tmp_path):
    with pytest.raises(BadFile, match=said):
        read_options(parsed(STORM_IMS, "--storm-out", str(tmp_path / "run"), *words))


def test_a_storm_with_a_5gc_refuses_the_scenario_of_phones(tmp_path):
    with pytest.raises(BadFile, match="storm_ims"):
        read_options(parsed(Locustfile(), "--storm-scenario", "sbc_restart", "--storm-out", str(tmp_path / "run")))


def test_a_target_that_is_mine_may_be_anywhere_and_is_met_at_the_speed_of_wall_time(tmp_path):
    words = ["--sip-target", "192.0.2.1:5060", "--target-is-mine", "--storm-speed", "50", "--sip-password", "hidden"]
    options = read_options(parsed(STORM_IMS, "--storm-out", str(tmp_path / "run"), *words))
    assert (options.aim.host, options.aim.port, options.aim.ours) == ("192.0.2.1", 5060, False)
    assert options.plan.speed == 1.0
    assert not options.core_is_ours
    assert "hidden" not in options.plan.command


def test_phones_have_the_password_that_the_scenario_gives_everybody(tmp_path):
    words = ["--storm-set", "core.ims.digest_password=secret", "--storm-out", str(tmp_path / "run")]
    assert read_options(parsed(STORM_IMS, *words)).aim.password == "secret"
