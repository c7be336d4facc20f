"""--backend: what it refuses in one line, and what of it stands in a command and a record."""

import json
import shlex
import sys
from pathlib import Path

import pytest

from regstorm.cli import storms
from regstorm.cli.main import main

FAKE_STORM = (sys.executable, str(Path(__file__).with_name("fake_storm.py")))
REFUSED = {
    "run outage_return --strategy tiered --backend carrier_pigeon": "expected in_process or wire",
    "compare outage_return --backend wire --engine wire,sim": "expected --engine wire",
    "core --nudm-listen 127.0.0.1:0": "expected --backend wire",
    "core --diameter-listen 127.0.0.1:0": "expected --backend wire",
    "core --backend wire --nudm-listen nowhere": "expected HOST:PORT",
    "core --backend wire --diameter-listen 127.0.0.1:0 --set population.ims=false": "no IMS",
}


@pytest.mark.parametrize("command", REFUSED)
def test_what_makes_no_sense_is_refused_in_one_line(command, capsys):
    assert main(shlex.split(command)) == 2
    error = capsys.readouterr().err
    assert error.count("\n") == 1
    assert REFUSED[command] in error


@pytest.mark.parametrize(
    "command", ["run outage_return --strategy tiered", "compare outage_return --strategies tiered"]
)
def test_a_command_that_reproduces_a_run_names_the_back_end_if_it_is_on_the_wire(command, monkeypatch, tmp_path):
    monkeypatch.setattr(storms, "STORM_COMMAND", FAKE_STORM)
    for backend, named in (("wire", True), ("in_process", False)):
        out = tmp_path / backend
        main([*shlex.split(command), "--backend", backend, "--out", str(out)])
        (record,) = [path for name in ("compare.json", "run.json") for path in out.glob(name)]
        assert ("--backend wire" in json.loads(record.read_text())["runs"][0]["command"]) == named


@pytest.mark.slow
def test_a_storm_on_the_wire_says_so_in_its_record_and_shows_its_messages(tmp_path):
    out, capture = tmp_path / "out", tmp_path / "storm.pcap"
    small = ["--sample", "2000", "--set", "population.ims=true", "--set", "outage.recovery_within_s=30"]
    where = ["--out", str(out), "--pcap", str(capture)]
    code = main(["run", "restless", "--strategy", "tiered", *small, "--backend", "wire", *where])
    assert code in (0, 3)
    assert json.loads((out / "run.json").read_text())["runs"][0]["backend"] == "wire"
    assert b"PRI * HTTP/2.0" in capture.read_bytes()
