"""Wireshark reads every Diameter message that we write: nothing malformed, no unknown AVP, no expert item."""

import shutil
import struct
import subprocess

import pytest
from diameter_samples import MESSAGES, name_of

from protocols.diameter.encode import encode
from protocols.diameter.layouts import RawAvp
from protocols.diameter.messages import LAYOUTS

USER0 = 147
"""Link type that tshark is told to read as plain Diameter."""
FIELDS = (
    "diameter.cmd.code",
    "diameter.applicationId",
    "diameter.Origin-Host",
    "diameter.avp.code",
    "diameter.avp.unknown",
    "_ws.malformed",
    "_ws.expert.message",
)

pytestmark = pytest.mark.skipif(shutil.which("tshark") is None, reason="needs the Debian package tshark")


def dissect(path, packets):
    records = [struct.pack("<IIII", number, 0, len(p), len(p)) + p for number, p in enumerate(packets)]
    path.write_bytes(struct.pack("<IHHIIII", 0xA1B2C3D4, 2, 4, 0, 0, 65535, USER0) + b"".join(records))
    columns = [argument for field in FIELDS for argument in ("-e", field)]
    as_diameter = 'uat:user_dlts:"User 0 (DLT=147)","diameter","0","","0",""'
    command = ["tshark", "-n", "-r", str(path), "-o", as_diameter, "-T", "fields", "-E", "separator=/t", *columns]
    printed = subprocess.run(command, capture_output=True, text=True, check=True, timeout=60).stdout
    return [line.split("\t") for line in printed.splitlines()]


def test_tshark_would_complain_about_an_unknown_avp_and_a_broken_one(tmp_path):
    strange = MESSAGES[0]._replace(others=(RawAvp(60_000, b"abcd"),))
    short = MESSAGES[0]._replace(others=(RawAvp(278, b"ab"),))
    for row in dissect(tmp_path / "strange.pcap", [encode(strange), encode(short)]):
        assert any(row[4:])


def test_tshark_dissects_every_message_without_complaint(tmp_path):
    rows = dissect(tmp_path / "diameter.pcap", [encode(message) for message in MESSAGES])
    assert len(rows) == len(MESSAGES)
    for message, (command, application, host, avps, unknown, malformed, expert) in zip(MESSAGES, rows, strict=True):
        layout = LAYOUTS[type(message.content)]
        assert (int(command), int(application)) == (layout.command, layout.application)
        assert host == message.origin_host
        assert avps
        assert (unknown, malformed, expert) == ("", "", ""), name_of(message)
