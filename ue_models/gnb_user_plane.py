"""The user plane of a gNB: its UEs' IP packets in GTP-U tunnels to and from the UPF (TS 38.415, TS 29.281).

The gNB's end of a tunnel is named by connection and session: RAN UE NGAP ID and PDU session identity make the TEID, so
that a downlink packet finds its way without a table.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from protocols.gtpu import EchoRequest, EchoResponse, EndMarker, ErrorIndication, GPdu, Unreadable, decode, encode
from protocols.ngap.messages import PduSessionResource, PduSessionTunnel
from ue_models.gnb_contexts import UeContext, UeContexts
from ue_models.radio import Connectable

_SESSION_BITS: Final = 4
_SESSION_MASK: Final = (1 << _SESSION_BITS) - 1
_TEID_MASK: Final = 0xFFFF_FFFF

SendUserPlane = Callable[[bytes], None]


@dataclass(slots=True)
class UserPlaneCounts:
    """What a gNB's user plane carried and what it could not."""

    uplink: int = 0
    downlink: int = 0
    no_tunnel: int = 0
    """Downlink packets for a connection that is gone: the UE went idle."""
    unreadable: int = 0
    errors_indicated: int = 0
    """Error Indications of the UPF: it does not know the tunnel."""


class UserPlane:
    """One gNB's. `send(octets)` is its path to the UPF, None where the core has none."""

    __slots__ = ("_address", "_contexts", "_send", "counts")

    def __init__(self, gnb_id: int, contexts: UeContexts, send: SendUserPlane | None) -> None:
        self._address = n3_address(gnb_id)
        self._contexts = contexts
        self._send = send
        self.counts = UserPlaneCounts()

    def set_up(self, context: UeContext, sessions: tuple[PduSessionResource, ...]) -> tuple[PduSessionTunnel, ...]:
        """Tunnels to the UPF's ends that the AMF has named; these are this gNB's ends."""
        for session in sessions:
            context.tunnels[session.pdu_session_id] = int.from_bytes(session.teid)
        return tuple(
            PduSessionTunnel(session.pdu_session_id, self._address, _teid(context, session.pdu_session_id).to_bytes(4))
            for session in sessions
        )

    def release(self, context: UeContext, sessions: tuple[int, ...]) -> None:
        """These sessions have no resources any more."""
        for session in sessions:
            context.tunnels.pop(session, None)

    def uplink(self, ue: Connectable, pdu_session_id: int, packet: bytes, now: float) -> bool:
        """A packet of a UE; False if there is no tunnel for it."""
        context = self._contexts.of_ue(ue)
        teid = None if context is None else context.tunnels.get(pdu_session_id)
        if context is None or teid is None or self._send is None:
            return False
        context.last_activity = now
        self.counts.uplink += 1
        self._send(encode(GPdu(teid, packet)))
        return True

    def receive(self, data: bytes, now: float) -> None:
        """One GTP-U message from the UPF, or whatever it sent."""
        message = decode(data)
        match message:
            case GPdu(teid, packet):
                self._deliver(teid, packet, now)
            case EchoRequest(sequence) if self._send is not None:
                self._send(encode(EchoResponse(sequence)))
            case ErrorIndication():
                self.counts.errors_indicated += 1
            case EchoRequest() | EchoResponse() | EndMarker():
                pass
            case Unreadable():
                self.counts.unreadable += 1

    def _deliver(self, teid: int, packet: bytes, now: float) -> None:
        context = self._contexts.with_ran_id(teid >> _SESSION_BITS)
        session = teid & _SESSION_MASK
        if context is None or context.ue is None or session not in context.tunnels:
            self.counts.no_tunnel += 1
            return
        context.last_activity = now
        self.counts.downlink += 1
        context.ue.user_packet(session, packet, now)


def n3_address(gnb_id: int) -> bytes:
    """Where a gNB's user plane is, as it tells the AMF: from 127.64/10, by gNB."""
    return bytes((127, 64 | gnb_id >> 16 & 63, gnb_id >> 8 & 255, gnb_id & 255))


def _teid(context: UeContext, pdu_session_id: int) -> int:
    return context.ran_id << _SESSION_BITS & _TEID_MASK | pdu_session_id & _SESSION_MASK
