"""The locustfile for people to copy: short, and every UE registers."""

import re

import pytest
from locust_runs import ROOT, run_locust

HELLO = ROOT / "locustfiles" / "hello_ue.py"


def test_it_is_short_enough_to_be_copied():
    code = [line for line in HELLO.read_text().split('"""')[2].splitlines() if line.strip()]

    assert len(code) <= 20


@pytest.mark.slow
def test_every_ue_registers_gets_its_sessions_and_leaves_without_a_failure():
    ended = run_locust("--headless", "--only-summary", "-u", "5", "-r", "5", "-t", "25s", locustfile=HELLO)

    counted = dict(re.findall(r"^\S+ +(.+?) +(\d+) +0\(0.00%\)", ended.stdout, re.MULTILINE))
    assert ended.returncode == 0, ended.stdout
    assert int(counted["5G registration"]) >= 5
    assert int(counted["PDU session ims"]) >= int(counted["5G deregistration"]) >= 5
