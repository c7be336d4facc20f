"""Captures: what the associations of a run carried, written as SCTP so that Wireshark dissects it (`--pcap FILE`).

Whatever transport was used, the file shows Ethernet, IPv4 and SCTP with the real payload protocol identifier, as a
capture at the core's port would: the handshake, one packet per message (more for one beyond MTU), the end. There are
no SACKs, and of messages only those that arrived. The addresses are private ones that stand in the file only.
Timestamps are scenario seconds after a fixed epoch, so that the same run gives the same file.

scapy builds what an association needs once; each message is patched into a copy (7 µs), because building a packet
by scapy takes 0.7 ms.
"""

import struct
from collections import defaultdict
from pathlib import Path
from types import TracebackType

from scapy.layers.inet import IP
from scapy.layers.l2 import Ether
from scapy.layers.sctp import (
    SCTP,
    SCTPChunkAbort,
    SCTPChunkCookieAck,
    SCTPChunkCookieEcho,
    SCTPChunkData,
    SCTPChunkInit,
    SCTPChunkInitAck,
    SCTPChunkParamStateCookie,
    SCTPChunkShutdown,
    SCTPChunkShutdownAck,
    SCTPChunkShutdownComplete,
)

from regstorm.drivers.association import Association, CloseReason
from regstorm.drivers.crc32c import crc32c

EPOCH_S = 1_735_689_600  # 2025-01-01T00:00:00Z is scenario second 0
NGAP_PORT = 38412  # TS 38.412 clause 7
CORE_ADDRESS = "10.1.0.1"
CORE_MAC = "02:00:0a:01:00:01"
FIRST_PORT = 49152  # of a base station's first association; the next one takes the next
PORTS = 16384
GNBS_MAX = 250 * 250
FRAGMENT_OCTETS = 1452  # of user data per packet: an MTU of 1500 less IPv4, SCTP and DATA chunk headers
BUFFER_OCTETS = 1 << 20  # what waits in memory before it is written
STREAMS = 16
RECEIVE_WINDOW = 1 << 20

_FILE_HEADER = struct.Struct("<IHHiIII")  # magic, version, zone, accuracy, longest packet, link type
_RECORD = struct.Struct("<IIII")  # seconds, microseconds, octets here, octets on the wire
_ETHERNET, _LONGEST = 1, 262_144

# Where the template's fields stand: 14 octets of Ethernet, 20 of IPv4, 12 of SCTP, 16 of the DATA chunk
_IP_LENGTH, _IP_CHECKSUM, _SCTP, _SCTP_CHECKSUM, _CHUNK, _HEADERS = 16, 24, 34, 42, 46, 62
_CHUNK_FIELDS = struct.Struct("!BBHIHHI")  # type, flags, length, TSN, stream, stream sequence number, PPID
_BEGINNING, _ENDING = 2, 1


class Capture:
    """A capture file. Close it, or use it as a context: what it buffers is written then, on Ctrl-C too."""

    def __init__(self, path: Path, core_port: int = NGAP_PORT) -> None:
        self.packets = 0
        self._core_port = core_port
        self._file = open(path, "wb", buffering=BUFFER_OCTETS)  # noqa: SIM115 - closed by close()
        self._file.write(_FILE_HEADER.pack(0xA1B2C3D4, 2, 4, 0, 0, _LONGEST, _ETHERNET))
        self._associations: defaultdict[int, int] = defaultdict(int)

    def attach(self, gnb: int, near: Association, far: Association, now: float) -> None:
        """Captures an association of base station `gnb` (from 0): `near` is its end, `far` the core's."""
        if not 0 <= gnb < GNBS_MAX:
            raise ValueError(f"base stations are numbered 0 to {GNBS_MAX - 1} in a capture, not {gnb}")
        nth = self._associations[gnb]
        self._associations[gnb] += 1
        both = _CapturedAssociation(self, gnb, nth, self._core_port, now)
        near.tap = _End(both, sender=both.core, own=both.gnb)
        far.tap = _End(both, sender=both.gnb, own=both.core)

    def write(self, packet: bytes, now: float) -> None:
        """One packet at scenario second `now`."""
        microseconds = round(now * 1e6)
        seconds, rest = divmod(microseconds, 1_000_000)
        size = len(packet)
        self._file.write(_RECORD.pack(EPOCH_S + seconds, rest, size, size))
        self._file.write(packet)
        self.packets += 1

    def close(self) -> None:
        """Writes what is buffered; harmless if closed already."""
        self._file.close()

    def __enter__(self) -> "Capture":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


class _Sender:
    """One direction: what its packets have in common, and its running numbers."""

    def __init__(self, headers: object, tag: int, peer_tag: int) -> None:
        self.headers = headers  # scapy's Ethernet, IP and SCTP layers
        self.tag = tag  # this end's own, as it gave it in INIT
        self.first_tsn = tag  # RFC 9260 clause 3.3.2 allows the same value
        self._tsn = self.first_tsn
        self._sequence: defaultdict[int, int] = defaultdict(int)
        data = SCTPChunkData(beginning=1, ending=1, tsn=0, stream_id=0, stream_seq=0, proto_id=0, data=b"")
        self._template = bytearray(self.layers(data, peer_tag))
        self._template[_IP_CHECKSUM : _IP_CHECKSUM + 2] = b"\0\0"
        self._template[_SCTP_CHECKSUM : _SCTP_CHECKSUM + 4] = b"\0\0\0\0"
        self._template[_IP_LENGTH : _IP_LENGTH + 2] = b"\0\0"
        self._ip_sum = sum(struct.unpack_from("!10H", self._template, 14))

    @property
    def last_tsn(self) -> int:
        """Of what was sent last."""
        return (self._tsn - 1) & 0xFFFFFFFF

    def layers(self, chunk: object, peer_tag: int) -> bytes:
        """A packet with one chunk, built by scapy with its checksums."""
        packet = self.headers / chunk  # type: ignore[operator]
        packet[SCTP].tag = peer_tag
        return bytes(packet)

    def data(self, message: bytes, stream: int, ppid: int) -> list[bytes]:
        """The packets of one message; fragments share its stream sequence number (RFC 9260 clause 6.9)."""
        sequence = self._sequence[stream]
        self._sequence[stream] = (sequence + 1) & 0xFFFF
        last = len(message) - 1
        packets = []
        for at in range(0, len(message), FRAGMENT_OCTETS):
            part = message[at : at + FRAGMENT_OCTETS]
            flags = (_BEGINNING if at == 0 else 0) | (_ENDING if at + FRAGMENT_OCTETS > last else 0)
            packets.append(self._packet(part, flags, stream, sequence, ppid))
            self._tsn = (self._tsn + 1) & 0xFFFFFFFF
        return packets

    def _packet(self, part: bytes, flags: int, stream: int, sequence: int, ppid: int) -> bytes:
        packet = self._template + part + bytes(-len(part) % 4)
        _CHUNK_FIELDS.pack_into(packet, _CHUNK, 0, flags, 16 + len(part), self._tsn, stream, sequence, ppid)
        length = len(packet) - 14
        packet[_IP_LENGTH : _IP_LENGTH + 2] = length.to_bytes(2, "big")
        folded = self._ip_sum + length
        folded = (folded & 0xFFFF) + (folded >> 16)
        folded = (folded & 0xFFFF) + (folded >> 16)
        packet[_IP_CHECKSUM : _IP_CHECKSUM + 2] = (folded ^ 0xFFFF).to_bytes(2, "big")
        packet[_SCTP_CHECKSUM : _SCTP_CHECKSUM + 4] = crc32c(packet[_SCTP:]).to_bytes(4, "little")
        return bytes(packet)


class _CapturedAssociation:
    """Both directions of one association, from its handshake to its end."""

    def __init__(self, capture: Capture, gnb: int, nth: int, core_port: int, now: float) -> None:
        self._capture = capture
        self._over = False
        high, low = divmod(gnb, 250)
        gnb_mac, gnb_address = f"02:00:0a:00:{high:02x}:{low + 1:02x}", f"10.0.{high}.{low + 1}"
        gnb_port = FIRST_PORT + nth % PORTS
        # Any value but zero is a legal tag; these tell base station, association and direction apart.
        gnb_tag = (1 + gnb << 12 | nth % 2048 << 1) & 0xFFFFFFFF
        core_tag = gnb_tag | 1
        self.gnb = _Sender(
            Ether(src=gnb_mac, dst=CORE_MAC)
            / IP(src=gnb_address, dst=CORE_ADDRESS, flags="DF", id=0)
            / SCTP(sport=gnb_port, dport=core_port),
            gnb_tag,
            core_tag,
        )
        self.core = _Sender(
            Ether(src=CORE_MAC, dst=gnb_mac)
            / IP(src=CORE_ADDRESS, dst=gnb_address, flags="DF", id=0)
            / SCTP(sport=core_port, dport=gnb_port),
            core_tag,
            gnb_tag,
        )
        self._write_handshake(now)

    def message(self, sender: _Sender, data: bytes, stream: int, ppid: int, now: float) -> None:
        """Somebody's message has arrived."""
        for packet in sender.data(data, stream, ppid):
            self._capture.write(packet, now)

    def closed(self, own: _Sender, reason: CloseReason, ended_here: bool, now: float) -> None:
        """One end heard that it is over; the first to hear decides what the file shows. A loss shows nothing."""
        if self._over:
            return
        self._over = True
        far = self.core if own is self.gnb else self.gnb
        first, second = (own, far) if ended_here else (far, own)
        match reason:
            case CloseReason.SHUTDOWN:
                self._write(first, SCTPChunkShutdown(cumul_tsn_ack=second.last_tsn), now)
                self._write(second, SCTPChunkShutdownAck(), now)
                self._write(first, SCTPChunkShutdownComplete(), now)
            case CloseReason.ABORT | CloseReason.OVERFLOW | CloseReason.PROTOCOL:
                self._write(first, SCTPChunkAbort(), now)

    def _write_handshake(self, now: float) -> None:
        gnb, core = self.gnb, self.core
        cookie = struct.pack("!I", core.tag)
        sizes = {"a_rwnd": RECEIVE_WINDOW, "n_out_streams": STREAMS, "n_in_streams": STREAMS}
        init = SCTPChunkInit(init_tag=gnb.tag, init_tsn=gnb.first_tsn, **sizes)
        state_cookie = SCTPChunkParamStateCookie(cookie=cookie)
        init_ack = SCTPChunkInitAck(init_tag=core.tag, init_tsn=core.first_tsn, params=[state_cookie], **sizes)
        self._capture.write(gnb.layers(init, 0), now)  # the only packet with a tag of zero, clause 8.5.1
        self._write(core, init_ack, now)
        self._write(gnb, SCTPChunkCookieEcho(cookie=cookie), now)
        self._write(core, SCTPChunkCookieAck(), now)

    def _write(self, sender: _Sender, chunk: object, now: float) -> None:
        peer = self.core if sender is self.gnb else self.gnb
        self._capture.write(sender.layers(chunk, peer.tag), now)


class _End:
    """The tap at one end: what arrives there was sent by the other."""

    def __init__(self, both: _CapturedAssociation, sender: _Sender, own: _Sender) -> None:
        self._both, self._sender, self._own = both, sender, own

    def message(self, data: bytes, stream: int, ppid: int, now: float) -> None:
        """See association.Tap."""
        self._both.message(self._sender, data, stream, ppid, now)

    def closed(self, reason: CloseReason, ended_here: bool, now: float) -> None:
        """See association.Tap."""
        self._both.closed(self._own, reason, ended_here, now)
