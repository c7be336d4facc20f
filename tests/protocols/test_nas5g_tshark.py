"""Wireshark reads every message that we write, and finds nothing wrong with it."""

import shutil
import struct
import subprocess

import pytest
from nas5g_samples import ALL, random_messages

from protocols.nas5g.encode import encode
from protocols.nas5g.messages import RegistrationAccept
from protocols.nas5g.warm import REGISTRATION

USER0 = 147
"""Link type that tshark is told to read as plain NAS-5GS."""


def capture(path, packets):
    """A pcap file with one NAS-5GS PDU a packet."""
    records = [struct.pack("<IIII", number, 0, len(p), len(p)) + p for number, p in enumerate(packets)]
    path.write_bytes(struct.pack("<IHHIIII", 0xA1B2C3D4, 2, 4, 0, 0, 65535, USER0) + b"".join(records))
    return path


def dissect(path, *fields):
    """The fields of each packet, as tshark prints them."""
    columns = [argument for field in fields for argument in ("-e", field)]
    as_nas = 'uat:user_dlts:"User 0 (DLT=147)","nas-5gs","0","","0",""'
    command = ["tshark", "-n", "-r", str(path), "-o", as_nas, "-T", "fields", "-E", "separator=|", *columns]
    printed = subprocess.run(command, capture_output=True, text=True, check=True, timeout=60).stdout
    return [line.split("|") for line in printed.splitlines()]


pytestmark = pytest.mark.skipif(shutil.which("tshark") is None, reason="needs the Debian package tshark")


def test_tshark_would_complain_about_a_message_that_is_cut(tmp_path):
    (whole,) = random_messages(RegistrationAccept, 1, seed=9)
    path = capture(tmp_path / "cut.pcap", [encode(whole), encode(whole)[:-1]])
    (fine, fault) = dissect(path, "_ws.malformed", "_ws.expert.message")
    assert not any(fine)
    assert any(fault)


def test_tshark_dissects_every_message_without_complaint(tmp_path):
    random = [message for kind in ALL for message in random_messages(kind, 20, seed=7) if readable(message)]
    messages = [*REGISTRATION.values(), *random]
    packets = [encode(message) for message in messages]
    rows = dissect(
        capture(tmp_path / "nas.pcap", packets),
        "nas_5gs.mm.message_type",
        "nas_5gs.sm.message_type",
        "_ws.malformed",
        "_ws.expert.message",
    )
    assert len(rows) == len(packets)
    for message, packet, (mm_type, sm_type, malformed, expert) in zip(messages, packets, rows, strict=True):
        assert not malformed, (message, packet.hex())
        assert not expert, (message, packet.hex(), expert)
        if packet[0] == 0x2E:
            assert int(sm_type, 0) == packet[3]
        elif packet[1] == 0:
            assert int(mm_type.split(",")[0], 0) == packet[2]


def readable(message):
    """Containers and payloads with random octets are no messages that tshark could look into."""
    opaque = ("container", "payload", "pco", "inner")
    return not any(getattr(message, name, None) for name in opaque)
