"""Wireshark reads every NGAP message that we write, and finds nothing wrong with it."""

import shutil
import subprocess

import pytest
from ngap_samples import ALL, random_messages
from scapy.layers.inet import IP
from scapy.layers.sctp import SCTP, SCTPChunkData
from scapy.utils import wrpcap

from protocols.ngap import messages as m
from protocols.ngap.encode import encode

NGAP_PPID = 60
NGAP_PORT = 38412
PLAIN_NAS = bytes.fromhex("7e0043")  # REGISTRATION COMPLETE: what tshark finds inside must be legal too

pytestmark = pytest.mark.skipif(shutil.which("tshark") is None, reason="needs the Debian package tshark")


def capture(path, pdus):
    """A pcap file with one NGAP PDU a packet, in SCTP over IPv4."""
    packets = [
        IP(src="127.0.0.1", dst="127.0.0.2")
        / SCTP(sport=NGAP_PORT, dport=NGAP_PORT)
        / SCTPChunkData(tsn=number, stream_seq=number, proto_id=NGAP_PPID, beginning=1, ending=1, data=pdu)
        for number, pdu in enumerate(pdus, start=1)
    ]
    wrpcap(str(path), packets, linktype=101)
    return path


def dissect(path):
    """Of each packet: procedure code, malformed, expert messages."""
    fields = ("ngap.procedureCode", "_ws.malformed", "_ws.expert.message")
    columns = [argument for field in fields for argument in ("-e", field)]
    command = ["tshark", "-n", "-r", str(path), "-T", "fields", "-E", "separator=|", *columns]
    printed = subprocess.run(command, capture_output=True, text=True, check=True, timeout=60).stdout
    return [line.split("|") for line in printed.splitlines()]


def with_legal_nas(message):
    """The message with a NAS-PDU that is one."""
    if getattr(message, "nas", b""):
        message = message._replace(nas=PLAIN_NAS)
    sessions = getattr(message, "sessions", ())
    if sessions and isinstance(sessions[0], m.PduSessionResource):
        sessions = tuple(session._replace(nas=PLAIN_NAS if session.nas else b"") for session in sessions)
        message = message._replace(sessions=sessions)
    return message


def test_tshark_would_complain_about_a_pdu_that_is_cut(tmp_path):
    pdu = encode(m.UeContextReleaseComplete(70_000, 70_000))
    fine, fault = dissect(capture(tmp_path / "cut.pcap", [pdu, pdu[:-1]]))
    assert not any(fine[1:])
    assert any(fault[1:])


def test_tshark_dissects_every_message_without_complaint(tmp_path):
    messages = [with_legal_nas(message) for kind in ALL for message in random_messages(kind, 20, seed=7)]
    pdus = [encode(message) for message in messages]
    rows = dissect(capture(tmp_path / "ngap.pcap", pdus))
    assert len(rows) == len(pdus)
    for message, pdu, (procedure, malformed, expert) in zip(messages, pdus, rows, strict=True):
        assert int(procedure) == pdu[1], message
        assert not malformed, (message, pdu.hex())
        assert not expert, (message, pdu.hex(), expert)
