"""Wireshark reads every SIP message that we write, and finds nothing wrong with it."""

import re
import shutil
import struct
import subprocess
from random import Random

import pytest
from sip_samples import MESSAGES, random_message

from protocols.sip.encode import encode
from protocols.sip.fields import addresses, cseq, retry_after, top_via
from protocols.sip.messages import Request

USER0 = 147
"""Link type that tshark is told to read as plain SIP."""
OUR_OWN_HEADER = re.compile(r"Unrecognised SIP header \(x-[a-z0-9]+\)")
"""The one remark that the random messages earn."""
FIELDS = (
    "sip.Method",
    "sip.Status-Code",
    "sip.Via.branch",
    "sip.CSeq.seq",
    "sip.contact.uri",
    "_ws.malformed",
    "_ws.expert.message",
)

pytestmark = pytest.mark.skipif(shutil.which("tshark") is None, reason="needs the Debian package tshark")


def dissect(path, packets):
    records = [struct.pack("<IIII", number, 0, len(p), len(p)) + p for number, p in enumerate(packets)]
    path.write_bytes(struct.pack("<IHHIIII", 0xA1B2C3D4, 2, 4, 0, 0, 65535, USER0) + b"".join(records))
    columns = [argument for field in FIELDS for argument in ("-e", field)]
    as_sip = 'uat:user_dlts:"User 0 (DLT=147)","sip","0","","0",""'
    command = ["tshark", "-n", "-r", str(path), "-o", as_sip, "-T", "fields", "-E", "separator=/t", *columns]
    printed = subprocess.run(command, capture_output=True, text=True, check=True, timeout=60).stdout
    return [line.split("\t") for line in printed.splitlines()]


def with_plain_retry_after(message):
    """tshark 4.0 takes `120 (overload);duration=600`, the example of RFC 3261 20.33, for an invalid value."""
    said = retry_after(message)
    if said is None:
        return message
    return message._replace(headers=message.headers.replaced("Retry-After", str(said.seconds)))


def test_tshark_would_complain_about_a_field_that_is_broken(tmp_path):
    octets = encode(MESSAGES["REGISTER"])
    (row,) = dissect(tmp_path / "broken.pcap", [octets.replace(b"Content-Length: 0", b"Content-Length: x")])
    assert any(row[-2:])


def test_tshark_dissects_every_message_without_complaint(tmp_path):
    rng = Random("tshark")
    random = (random_message(rng)._replace(body=b"") for _ in range(100))
    messages = [with_plain_retry_after(message) for message in (*MESSAGES.values(), *random)]
    rows = dissect(tmp_path / "sip.pcap", [encode(message) for message in messages])
    assert len(rows) == len(messages)
    for message, (method, status, branch, number, contact, malformed, expert) in zip(messages, rows, strict=True):
        assert not malformed, message
        assert not OUR_OWN_HEADER.sub("", expert), (message, expert)
        assert (method if isinstance(message, Request) else int(status)) == message[0]
        assert branch.split(",")[0] == top_via(message).branch
        assert int(number) == cseq(message).number
        contacts = addresses(message, "Contact")
        if contacts:
            assert contact.split(",")[0] == contacts[0].uri
