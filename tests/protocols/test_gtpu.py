"""User packets in GTP-U tunnels: octets against scapy and tshark (TS 29.281, RFC 791, RFC 768)."""

import shutil
import subprocess
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scapy.contrib.gtp import (
    GTP_U_Header,
    GTPEchoResponse,
    GTPErrorIndication,
    GTPHeader,
    GTPPDUSessionContainer,
)
from scapy.layers.inet import IP, UDP
from scapy.layers.l2 import Ether
from scapy.packet import Raw
from scapy.utils import wrpcap

from protocols.gtpu import (
    PORT,
    EchoRequest,
    EchoResponse,
    EndMarker,
    ErrorIndication,
    GPdu,
    Unreadable,
    decode,
    encode,
)
from protocols.udp import (
    Datagram,
    NoDatagram,
    address_octets,
    destination_address,
    read_udp,
    source_address,
    udp_packet,
)

UE, P_CSCF = ("10.128.0.1", 5060), ("10.2.0.1", 5060)


def by_scapy(source, destination, payload):
    ip = IP(src=source[0], dst=destination[0], flags="DF", id=0)
    return bytes(ip / UDP(sport=source[1], dport=destination[1]) / Raw(payload))


@pytest.mark.parametrize("length", [0, 1, 2, 3, 500, 1400, 1401])
def test_a_datagram_is_octet_for_octet_what_scapy_makes_of_it(length):
    payload = Random(length).randbytes(length)
    packet = udp_packet(UE, P_CSCF, payload)
    assert packet == by_scapy(UE, P_CSCF, payload)
    assert read_udp(packet) == Datagram(UE, P_CSCF, payload)
    assert (source_address(packet), destination_address(packet)) == (bytes((10, 128, 0, 1)), bytes((10, 2, 0, 1)))


def test_a_checksum_of_zero_is_sent_as_all_ones():
    payload = next(
        two for two in (n.to_bytes(2) for n in range(1 << 16)) if udp_packet(UE, P_CSCF, two)[26:28] == b"\xff\xff"
    )
    assert udp_packet(UE, P_CSCF, payload) == by_scapy(UE, P_CSCF, payload)
    assert read_udp(udp_packet(UE, P_CSCF, payload)) == Datagram(UE, P_CSCF, payload)


def test_a_datagram_without_checksum_is_read():
    packet = bytearray(udp_packet(UE, P_CSCF, b"x"))
    packet[26:28] = b"\0\0"
    assert read_udp(bytes(packet)) == Datagram(UE, P_CSCF, b"x")


@given(st.binary(max_size=60), st.integers(0, 87), st.integers(1, 255))
@settings(max_examples=100)
def test_a_changed_octet_is_noticed(payload, at, change):
    packet = bytearray(udp_packet(UE, P_CSCF, payload))
    at %= len(packet)
    packet[at] ^= change
    read = read_udp(bytes(packet))
    # two octets set to zero together mean "no checksum"; one changed octet cannot do that unless the other is zero
    assert isinstance(read, NoDatagram) or (at in (26, 27) and packet[26:28] == b"\0\0")


def test_only_udp_that_is_whole_is_read():
    options = bytes(IP(src=UE[0], dst=P_CSCF[0], options=b"\x01\x01\x01\x01") / UDP(sport=1, dport=2) / Raw(b"x"))
    assert read_udp(options) == Datagram((UE[0], 1), (P_CSCF[0], 2), b"x")
    fragment = bytes(IP(src=UE[0], dst=P_CSCF[0], flags="MF", proto=17) / Raw(bytes(16)))
    tcp = bytes(IP(src=UE[0], dst=P_CSCF[0], proto=6) / Raw(bytes(20)))
    assert isinstance(read_udp(fragment), NoDatagram)
    assert isinstance(read_udp(tcp), NoDatagram)
    assert read_udp(udp_packet(UE, P_CSCF, b"x") + b"trailer") == Datagram(UE, P_CSCF, b"x")


@given(st.binary(max_size=80))
@settings(max_examples=200)
def test_any_octets_are_read_as_something(octets):
    assert isinstance(read_udp(octets), Datagram | NoDatagram)
    assert decode(octets) is not None


def test_what_is_no_address_or_too_long_is_refused():
    with pytest.raises(ValueError, match="no IPv4 address"):
        address_octets("p-cscf.example")
    with pytest.raises(ValueError, match="too many"):
        udp_packet(UE, P_CSCF, bytes(65_510))


def test_a_g_pdu_is_octet_for_octet_what_scapy_makes_of_it():
    packet = udp_packet(UE, P_CSCF, b"OPTIONS sip:x SIP/2.0\r\n\r\n")
    octets = encode(GPdu(0x12345678, packet))
    assert octets == bytes(GTP_U_Header(teid=0x12345678, gtp_type=255) / Raw(packet))
    assert octets[:8].hex() == "30ff" + len(packet).to_bytes(2).hex() + "12345678"
    assert decode(octets) == GPdu(0x12345678, packet)


def test_optional_fields_and_extension_headers_are_passed_over():
    numbered = bytes(GTP_U_Header(teid=7, gtp_type=255, S=1, seq=9) / Raw(b"packet"))
    assert decode(numbered) == GPdu(7, b"packet")
    with_flow = bytes(
        GTP_U_Header(teid=7, gtp_type=255, E=1, next_ex=0x85) / GTPPDUSessionContainer(QFI=1, type=0) / Raw(b"packet")
    )
    assert decode(with_flow) == GPdu(7, b"packet")


def test_messages_about_paths_and_tunnels_are_what_scapy_says_they_are():
    echo = GTPHeader(encode(EchoRequest(5)))
    assert (echo.gtp_type, echo.seq, echo.teid) == (1, 5, 0)
    assert GTPEchoResponse in GTPHeader(encode(EchoResponse(5)))
    error = GTP_U_Header(encode(ErrorIndication(0xABCDEF01, bytes((10, 0, 0, 1)))))
    assert GTPErrorIndication in error
    assert error.IE_list[0].TEIDI == 0xABCDEF01
    assert error.IE_list[1].ipv4_address == "10.0.0.1"
    for message in (
        EchoRequest(5),
        EchoResponse(5),
        EndMarker(3),
        ErrorIndication(0xABCDEF01, bytes((10, 0, 0, 1))),
        ErrorIndication(1, bytes(16)),
    ):
        assert decode(encode(message)) == message


@pytest.mark.parametrize(
    "octets",
    [
        "",
        "30ff0000000000",
        "10ff000000000001",  # GTP'
        "50ff000000000001",  # version 2
        "30ff000100000001",  # a length that is none
        "34ff000400000001 00000085",  # an extension header that is not there
        "34ff000500000001 00000085 00",  # … of length zero
        "301a000000000000",  # Error Indication without elements
        "30aa000000000000",
    ],
)
def test_what_is_no_gtp_u_message_is_unreadable(octets):
    assert isinstance(decode(bytes.fromhex(octets)), Unreadable)


@pytest.mark.skipif(shutil.which("tshark") is None, reason="tshark (Debian package tshark)")
def test_wireshark_shows_gtp_u_ip_udp_and_sip(tmp_path):
    sip = b"OPTIONS sip:ims.example SIP/2.0\r\nVia: SIP/2.0/UDP 10.128.0.1;branch=z9hG4bK1\r\nMax-Forwards: 70\r\n"
    sip += b"From: <sip:a@ims.example>;tag=1\r\nTo: <sip:b@ims.example>\r\nCall-ID: 1\r\nCSeq: 1 OPTIONS\r\n"
    inner = udp_packet(UE, P_CSCF, sip + b"Content-Length: 0\r\n\r\n")
    macs = Ether(src="02:00:0a:00:00:01", dst="02:00:0a:01:00:01")  # told: else scapy asks the network for them
    outer = macs / IP(src="127.64.0.1", dst="10.0.0.1") / UDP(sport=PORT, dport=PORT)
    path = tmp_path / "n3.pcap"
    wrpcap(str(path), [outer / Raw(encode(GPdu(1, inner)))])
    asked = ["-e", "frame.protocols", "-e", "gtp.teid", "-e", "sip.Method", "-e", "_ws.expert.message"]
    checked = ["-o", "ip.check_checksum:TRUE", "-o", "udp.check_checksum:TRUE"]
    shown = subprocess.run(
        ["tshark", "-r", str(path), "-T", "fields", *checked, *asked], capture_output=True, text=True, check=True
    ).stdout.strip("\n")
    assert shown.split("\t") == ["eth:ethertype:ip:udp:gtp:ip:udp:sip", "0x00000001", "OPTIONS", ""]
