"""The UPF: IP packets between the tunnels of gNBs (N3, TS 29.281) and the data network (N6); one for all sessions.

The SMF tells it of sessions as PFCP would (TS 29.244): `open` with the UPF's own TEID and the UE's address, `expect`
when resources are being set up, `point` to the gNB's end when they are there, `close`. A downlink packet for a UE that
is idle would have to be buffered and the UE paged (TS 23.502 4.2.3.3); it is dropped and counted. Answers come within
the gNB's inactivity time. While resources are being set up, for a new session or by a service request, packets wait for
the gNB's end of the tunnel (BUFF in TS 29.244 5.2.3.1): the UE may send as soon as it has heard of its resources, and
answers can be quicker than the SMF (TS 23.502 4.2.3.2).

N3 travels on one association for each gNB, which stands for the gNB's address: where uplink packets of a session come
from, its downlink packets go to.
"""

from collections.abc import Callable
from dataclasses import dataclass

from protocols.gtpu import EchoRequest, EchoResponse, EndMarker, ErrorIndication, GPdu, Unreadable, decode, encode
from protocols.ngap.messages import PduSessionTunnel
from protocols.udp import Endpoint, NoDatagram, destination_address, read_udp, source_address, udp_packet
from regstorm.records import user_plane_counters as counters
from regstorm.records.ports import Tally

Send = Callable[[bytes], None]
"""Takes one GTP-U message to a gNB."""
Deliver = Callable[[bytes, Endpoint, Endpoint, float], None]
"""deliver(payload, source, destination, now): a datagram of a UE for the data network."""


_MOST_WAITING = 4
"""Packets that wait for one session's tunnel, assumed."""


@dataclass(slots=True)
class _Session:
    address: bytes
    gnb_teid: int | None = None
    """The gNB's end; None before there was one, and while the UE is known to be idle."""
    gnb_address: bytes = b""
    """Of that end, or of the last one that there was."""
    peer: int = 0
    """The association that its uplink packets came on; 0 if none has come from that gNB."""
    waiting: tuple[bytes, ...] = ()
    """Downlink packets that wait for the gNB's end."""
    expected: bool = True
    """The gNB's end is about to be known."""


class Upf:
    """`address` (four octets) is its own on N3; `deliver` takes what UEs send."""

    __slots__ = ("_address", "_by_address", "_by_teid", "_deliver", "_peers", "_tally")

    def __init__(self, address: bytes, deliver: Deliver, tally: Tally) -> None:
        self._address = address
        self._deliver = deliver
        self._tally = tally
        self._peers: dict[int, Send] = {}
        self._by_teid: dict[int, _Session] = {}
        self._by_address: dict[bytes, _Session] = {}

    @property
    def sessions(self) -> int:
        """How many there are."""
        return len(self._by_teid)

    # --- N4 ----------------------------------------------------------------------------------------------------------

    def open(self, teid: int, address: bytes) -> None:
        """A session: uplink packets come with this TEID, from and for this address."""
        session = _Session(address)
        self._by_teid[teid] = self._by_address[address] = session

    def expect(self, teid: int) -> None:
        """Resources for the session are being set up: the gNB's end that was known is void, and another will come."""
        session = self._by_teid.get(teid)
        if session is not None:
            session.gnb_teid, session.expected, session.waiting = None, True, ()

    def point(self, teid: int, tunnel: PduSessionTunnel | None) -> None:
        """The gNB's end of the session's tunnel, or that there is none: the UE went idle."""
        session = self._by_teid.get(teid)
        if session is None:
            return
        session.expected = False
        if tunnel is None:
            session.gnb_teid = None
            return
        if session.gnb_address not in (b"", tunnel.address):
            session.peer = 0
        session.gnb_teid, session.gnb_address = int.from_bytes(tunnel.teid), tunnel.address
        waiting, session.waiting = session.waiting, ()
        for packet in waiting:
            self._send(session.peer, encode(GPdu(session.gnb_teid, packet)))

    def close(self, teid: int) -> None:
        """The session is gone. Harmless if it was not there."""
        session = self._by_teid.pop(teid, None)
        if session is not None and self._by_address.get(session.address) is session:
            del self._by_address[session.address]

    # --- N3 ----------------------------------------------------------------------------------------------------------

    def association_up(self, peer: int, send: Send) -> None:
        """A gNB's path is there. `peer` is a number, from 1, that no other gNB has."""
        self._peers[peer] = send

    def association_lost(self, peer: int) -> None:
        """It is gone."""
        self._peers.pop(peer, None)

    def receive(self, peer: int, data: bytes, now: float) -> None:
        """One GTP-U message came from that gNB. No octets raise anything."""
        message = decode(data)
        match message:
            case GPdu(teid, packet):
                self._uplink(peer, teid, packet, now)
            case EchoRequest(sequence):
                self._send(peer, encode(EchoResponse(sequence)))
            case EchoResponse() | ErrorIndication() | EndMarker():
                pass
            case Unreadable():
                self._tally.count(counters.UNREADABLE, now)

    def _uplink(self, peer: int, teid: int, packet: bytes, now: float) -> None:
        session = self._by_teid.get(teid)
        if session is None:  # TS 29.281 7.3.1
            self._drop("unknown_tunnel", now)
            self._send(peer, encode(ErrorIndication(teid, self._address)))
            return
        if source_address(packet) != session.address:
            self._drop("wrong_source", now)
            return
        session.peer = peer
        self._tally.count(counters.UPLINK, now)
        datagram = read_udp(packet)
        if isinstance(datagram, NoDatagram):
            self._tally.count(counters.UNREADABLE, now)
        else:
            self._deliver(datagram.payload, datagram.source, datagram.destination, now)

    # --- N6 ----------------------------------------------------------------------------------------------------------

    def send(self, payload: bytes, source: Endpoint, destination: Endpoint, now: float) -> None:
        """A datagram of the data network for a UE."""
        packet = udp_packet(source, destination, payload)
        session = self._by_address.get(destination_address(packet))
        if session is None:
            self._drop("no_session", now)
        elif session.peer in self._peers and session.expected and len(session.waiting) < _MOST_WAITING:
            self._tally.count(counters.DOWNLINK, now)
            session.waiting += (packet,)
        elif session.gnb_teid is None or session.peer not in self._peers:
            self._drop("idle", now)
        else:
            self._tally.count(counters.DOWNLINK, now)
            self._send(session.peer, encode(GPdu(session.gnb_teid, packet)))

    def _send(self, peer: int, octets: bytes) -> None:
        send = self._peers.get(peer)
        if send is not None:
            send(octets)

    def _drop(self, why: str, now: float) -> None:
        self._tally.count(counters.DROPPED, now)
        self._tally.count(f"{counters.DROPPED}.{why}", now)
