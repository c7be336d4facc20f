"""Captures: checked against scapy field by field, and against tshark as a whole."""

import random
import shutil
import subprocess
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scapy.layers.inet import IP
from scapy.layers.l2 import Ether
from scapy.layers.sctp import SCTP, SCTPChunkData, SCTPChunkShutdown
from scapy.layers.sctp import crc32c as scapy_crc32c
from scapy.utils import rdpcap

from regstorm.drivers.crc32c import LONGEST, crc32c
from regstorm.drivers.framed import FramedAssociation
from regstorm.drivers.lockstep import LockstepClock
from regstorm.drivers.memory import MemoryTransport
from regstorm.drivers.pcap import EPOCH_S, GNBS_MAX, Capture

needs_tshark = pytest.mark.skipif(shutil.which("tshark") is None, reason="needs tshark (Debian package tshark)")


class Captured:
    """Base stations and a core whose associations are captured."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.capture = Capture(path)
        self.clock = LockstepClock()
        self._transport = MemoryTransport()
        self._listener = self._transport.listen(lambda far: None)

    def association(self, gnb: int = 0) -> tuple[FramedAssociation, FramedAssociation]:
        near = self.clock.connect(self._transport, self._listener)
        far = self.clock.peer(near)
        for end in (near, far):
            end.on_message = lambda data, stream, ppid, now: None
        self.capture.attach(gnb, near, far, self.clock.now)
        return near, far

    def packets(self) -> list[Ether]:
        self.clock.run(until_s=3600.0)
        self.capture.close()
        return list(rdpcap(str(self.path)))


@pytest.fixture
def captured(tmp_path: Path):
    captured = Captured(tmp_path / "storm.pcap")
    yield captured
    captured.capture.close()


def data_chunks(packets: list[Ether]) -> list[Ether]:
    return [packet for packet in packets if SCTPChunkData in packet]


# ---- checksum


def test_the_checksum_of_the_published_examples():
    assert crc32c(b"123456789") == 0xE3069283  # the usual check value of CRC-32C
    assert crc32c(bytes(32)) == 0x8A9136AA  # RFC 3720 appendix B.4, all zeroes
    assert crc32c(b"\xff" * 32) == 0x62A8AB43  # all ones
    assert crc32c(bytes(range(32))) == 0x46DD794E  # incrementing


@settings(max_examples=50)
@given(st.binary(max_size=300))
def test_the_checksum_equals_scapys(octets):
    assert crc32c(octets).to_bytes(4, "little") == scapy_crc32c(octets).to_bytes(4, "big")


def test_more_than_a_packet_has_no_checksum():
    with pytest.raises(ValueError, match="at most"):
        crc32c(bytes(LONGEST + 1))


# ---- against scapy


def test_every_packet_is_what_scapy_would_have_built(captured):
    rng = random.Random(1)
    near, far = captured.association(gnb=7)
    for size in (1, 2, 3, 4, 5, 80, 1452, 1453, 5000):
        near.send(rng.randbytes(size), stream=rng.randrange(3))
        far.send(rng.randbytes(size), stream=rng.randrange(3))
    near.shutdown()
    packets = captured.packets()
    assert len(packets) > 25
    for packet in packets:
        rebuilt = packet.copy()
        del rebuilt[IP].len, rebuilt[IP].chksum, rebuilt[SCTP].chksum
        if SCTPChunkData in rebuilt:
            del rebuilt[SCTPChunkData].len
        assert bytes(rebuilt) == bytes(packet)


def test_a_message_travels_as_sctp_data_to_the_port_of_ngap(captured):
    near, far = captured.association(gnb=3)
    captured.clock.at(12.345678, lambda now: near.send(b"up", stream=5, ppid=60))
    captured.clock.at(13.0, lambda now: far.send(b"down", stream=6, ppid=18))
    up, down = data_chunks(captured.packets())
    assert (up[IP].src, up[IP].dst, up[SCTP].dport) == ("10.0.0.4", "10.1.0.1", 38412)
    assert (down[IP].src, down[IP].dst, down[SCTP].sport) == ("10.1.0.1", "10.0.0.4", 38412)
    assert up[SCTP].sport == down[SCTP].dport
    assert (bytes(up[SCTPChunkData].data), up[SCTPChunkData].stream_id, up[SCTPChunkData].proto_id) == (b"up", 5, 60)
    assert (bytes(down[SCTPChunkData].data), down[SCTPChunkData].stream_id, down[SCTPChunkData].proto_id) == (
        b"down",
        6,
        18,
    )
    assert float(up.time) == pytest.approx(EPOCH_S + 12.345678, abs=1e-6)


def test_tsn_runs_per_direction_and_stream_sequence_numbers_per_stream(captured):
    near, far = captured.association()
    for stream in (0, 1, 0, 0, 1):
        near.send(b"x", stream)
    far.send(b"y", stream=1)
    chunks = [packet[SCTPChunkData] for packet in data_chunks(captured.packets())]
    up, down = chunks[:5], chunks[5:]
    assert [chunk.tsn - up[0].tsn for chunk in up] == [0, 1, 2, 3, 4]
    assert [(chunk.stream_id, chunk.stream_seq) for chunk in up] == [(0, 0), (1, 0), (0, 1), (0, 2), (1, 1)]
    assert [(chunk.stream_id, chunk.stream_seq) for chunk in down] == [(1, 0)]


def test_the_stream_sequence_number_wraps_at_16_bits(captured):
    near, far = captured.association()
    far.tap._both.gnb._sequence[2] = 65534  # as after so many messages
    for _ in range(3):
        near.send(b"x", stream=2)
    sequences = [packet[SCTPChunkData].stream_seq for packet in data_chunks(captured.packets())]
    assert sequences == [65534, 65535, 0]


def test_a_long_message_is_fragmented_as_on_ethernet(captured):
    near, _ = captured.association()
    message = random.Random(2).randbytes(60_000)
    near.send(message)
    near.send(b"next")
    *fragments, after = [packet[SCTPChunkData] for packet in data_chunks(captured.packets())]
    assert b"".join(bytes(chunk.data) for chunk in fragments) == message
    assert [chunk.beginning for chunk in fragments] == [1] + [0] * (len(fragments) - 1)
    assert [chunk.ending for chunk in fragments] == [0] * (len(fragments) - 1) + [1]
    assert {chunk.stream_seq for chunk in fragments} == {0}
    assert after.stream_seq == 1


def chunk_names(packets: list[Ether]) -> list[tuple[str, str]]:
    return [(packet[IP].src, type(packet[SCTP].payload).__name__.removeprefix("SCTPChunk")) for packet in packets]


GNB, CORE = "10.0.0.1", "10.1.0.1"
HANDSHAKE = [(GNB, "Init"), (CORE, "InitAck"), (GNB, "CookieEcho"), (CORE, "CookieAck")]


@pytest.mark.parametrize(
    ("how", "by_core", "shown"),
    [
        ("shutdown", False, [(GNB, "Shutdown"), (CORE, "ShutdownAck"), (GNB, "ShutdownComplete")]),
        ("shutdown", True, [(CORE, "Shutdown"), (GNB, "ShutdownAck"), (CORE, "ShutdownComplete")]),
        ("abort", False, [(GNB, "Abort")]),
        ("abort", True, [(CORE, "Abort")]),
        ("cut", False, []),
    ],
)
def test_the_file_shows_how_an_association_began_and_ended_and_by_whom(captured, how, by_core, shown):
    near, far = captured.association()
    captured.clock.at(1.0, lambda now: getattr(far if by_core else near, how)())
    assert chunk_names(captured.packets()) == HANDSHAKE + shown


def test_a_shutdown_acknowledges_all_that_the_other_side_sent(captured):
    near, far = captured.association()
    near.send(b"x")
    for _ in range(5):
        far.send(b"y")
    captured.clock.at(1.0, lambda now: near.shutdown())
    packets = captured.packets()
    from_core = [packet[SCTPChunkData].tsn for packet in data_chunks(packets) if packet[IP].src == CORE]
    (shutdown,) = [packet[SCTPChunkShutdown] for packet in packets if SCTPChunkShutdown in packet]
    assert shutdown.cumul_tsn_ack == from_core[-1]


def test_an_abort_from_a_handler_is_shown_as_that_ends_own(captured):
    near, far = captured.association()
    far.on_message = lambda data, stream, ppid, now: far.abort()
    near.send(b"x")
    assert chunk_names(captured.packets()) == [*HANDSHAKE, (GNB, "Data"), (CORE, "Abort")]


def test_an_association_set_up_again_has_a_port_of_its_own(captured):
    near, _ = captured.association()
    near.cut()
    captured.clock.run(until_s=1.0)
    captured.association()
    inits = [packet for packet in captured.packets() if packet[SCTP].tag == 0]
    assert [packet[IP].src for packet in inits] == [GNB, GNB]
    assert inits[0][SCTP].sport != inits[1][SCTP].sport


def test_base_stations_have_addresses_of_their_own(captured):
    for gnb in (0, 249, 250, GNBS_MAX - 1):
        captured.association(gnb)
    inits = [packet for packet in captured.packets() if packet[SCTP].tag == 0]
    assert [packet[IP].src for packet in inits] == ["10.0.0.1", "10.0.0.250", "10.0.1.1", "10.0.249.250"]
    assert len({packet[Ether].src for packet in inits}) == 4


def test_a_base_station_that_no_address_is_left_for_is_a_mistake_of_the_program(captured):
    with pytest.raises(ValueError, match="numbered"):
        captured.association(GNBS_MAX)


# ---- the file


def a_little_traffic(path: Path) -> bytes:
    captured = Captured(path)
    near, far = captured.association()
    for n in range(20):
        captured.clock.at(n * 0.1, lambda now: (near.send(b"up"), far.send(b"down")))
    captured.packets()
    return path.read_bytes()


def test_the_same_traffic_gives_the_same_file(tmp_path):
    assert a_little_traffic(tmp_path / "first") == a_little_traffic(tmp_path / "second")


def test_an_interrupted_run_leaves_a_readable_file(captured):
    def interrupt(now: float) -> None:
        raise KeyboardInterrupt

    near, _ = captured.association()
    captured.clock.at(1.0, lambda now: near.send(b"before"))
    captured.clock.at(2.0, interrupt)
    with pytest.raises(KeyboardInterrupt), captured.capture:
        captured.clock.run(until_s=9.0)
    packets = rdpcap(str(captured.path))
    assert [bytes(packet[SCTPChunkData].data) for packet in data_chunks(packets)] == [b"before"]


# ---- against tshark


def ng_setup_request() -> bytes:
    """TS 38.413 clause 9.2.6.1, by pycrate."""
    from pycrate_asn1dir import NGAP

    plmn = b"\x00\xf1\x10"
    slices = [{"s-NSSAI": {"sST": b"\x01"}}]
    areas = [{"tAC": b"\0\0\1", "broadcastPLMNList": [{"pLMNIdentity": plmn, "tAISliceSupportList": slices}]}]
    node = ("globalGNB-ID", {"pLMNIdentity": plmn, "gNB-ID": ("gNB-ID", (1, 22))})
    elements = [
        {"id": 27, "criticality": "reject", "value": ("GlobalRANNodeID", node)},
        {"id": 102, "criticality": "reject", "value": ("SupportedTAList", areas)},
        {"id": 21, "criticality": "ignore", "value": ("PagingDRX", "v128")},
    ]
    value = ("NGSetupRequest", {"protocolIEs": elements})
    pdu = NGAP.NGAP_PDU_Descriptions.NGAP_PDU
    pdu.set_val(("initiatingMessage", {"procedureCode": 21, "criticality": "reject", "value": value}))
    return pdu.to_aper()


def tshark(path: Path, *arguments: str) -> list[str]:
    command = ["tshark", "-r", str(path), "-o", "sctp.checksum:crc-32c", "-o", "ip.check_checksum:TRUE"]
    return subprocess.run(
        [*command, *arguments], capture_output=True, text=True, check=True, timeout=60
    ).stdout.splitlines()


@needs_tshark
def test_tshark_dissects_ngap_and_finds_nothing_to_complain_about(captured):
    pytest.importorskip("pycrate_asn1dir")
    request = ng_setup_request()
    for gnb in range(3):
        near, far = captured.association(gnb)
        near.send(request)
        far.send(request, stream=1)
        captured.clock.at(1.0 + gnb, lambda now, end=near if gnb else far: end.shutdown())
    captured.clock.run(until_s=99.0)
    captured.capture.close()
    fields = ["-T", "fields", "-e", "sctp.data_payload_proto_id", "-e", "ngap.procedureCode", "-e", "ngap.gNB_ID"]
    assert tshark(captured.path, "-Y", "sctp && ngap", *fields) == ["60\t21\t000004"] * 6
    every = tshark(captured.path, "-T", "fields", "-e", "sctp.checksum.status", "-e", "ip.checksum.status")
    assert set(every) == {"1\t1"}
    assert len(every) == captured.capture.packets
    assert tshark(captured.path, "-Y", "_ws.expert || _ws.malformed") == []


@needs_tshark
def test_tshark_reassembles_a_long_message_and_follows_every_ending(captured):
    request = ng_setup_request()
    ends = [captured.association(gnb) for gnb in range(3)]
    ends[0][0].send(bytes(4000), ppid=0x7FFF)
    for near, _ in ends:
        near.send(request)
    captured.clock.at(1.0, lambda now: ends[0][0].shutdown())
    captured.clock.at(1.0, lambda now: ends[1][1].abort())
    captured.clock.at(1.0, lambda now: ends[2][0].cut())
    captured.clock.run(until_s=99.0)
    captured.capture.close()
    assert tshark(captured.path, "-Y", "sctp.fragments", "-T", "fields", "-e", "sctp.fragment") == ["13,14,15"]
    assert set(tshark(captured.path, "-T", "fields", "-e", "sctp.checksum.status")) == {"1"}
    assert tshark(captured.path, "-Y", "_ws.malformed || sctp.retransmission") == []
