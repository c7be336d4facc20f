"""sipp against an SBC: its injection file, its run, and what its statistics say."""

import csv
import signal
import subprocess
from pathlib import Path

from protocols.credentials import supi_of
from protocols.identities import Plmn, imsi_of
from protocols.ims_identities import home_domain

PLMN = Plmn("001", "01")
DOMAIN = home_domain(PLMN)
SCENARIO = Path(__file__).with_name("register_md5.xml")


def write_users(path, number, password):
    """The first `number` test subscribers with that password."""
    imsis = [imsi_of(supi_of(index, PLMN)) for index in range(number)]
    lines = [f"{imsi};[authentication username={imsi}@{DOMAIN} password={password}]" for imsi in imsis]
    path.write_text("\n".join(["SEQUENTIAL", *lines, ""]))


def run_sipp(address, folder, calls, per_s, transport, within_s):
    """One run of the scenario; the last line of its statistics. sipp is ended by its process identity, if need be."""
    write_users(folder / "users.csv", calls, "secret")
    statistics = folder / f"statistics_{transport}.csv"
    command = ["sipp", f"{address[0]}:{address[1]}", "-sf", str(SCENARIO), "-inf", str(folder / "users.csv")]
    command += ["-key", "domain", DOMAIN, "-t", {"udp": "u1", "tcp": "t1"}[transport], "-i", "127.0.0.1"]
    command += ["-m", str(calls), "-r", str(per_s), "-l", str(calls), "-timeout", f"{within_s}s", "-nostdin"]
    command += ["-trace_stat", "-stf", str(statistics), "-fd", "1"]
    sipp = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, cwd=folder)
    try:
        _, said = sipp.communicate(timeout=within_s + 10)
    finally:
        if sipp.poll() is None:
            sipp.send_signal(signal.SIGKILL)
            sipp.wait()
    assert sipp.returncode == 0, said.decode(errors="replace")[-500:]
    with statistics.open(newline="") as file:
        return list(csv.DictReader(file, delimiter=";"))[-1]
