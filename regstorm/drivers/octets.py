"""TCP as it is: octets without a framing of ours, for protocols that bring their own (HTTP/2, Diameter).

An end is an association whose messages are whatever one read brought, so that both clocks drive it like any other.
Stream and PPID mean nothing here. A FIN is an orderly end; what the peer has sent before it has been told by then.
"""

from regstorm.drivers.association import CloseReason, Signal, State
from regstorm.drivers.tcp import TcpAssociation, TcpListener, TcpTransport


class OctetStream(TcpAssociation):
    """One end."""

    def send(self, data: bytes, stream: int = 0, ppid: int = 0) -> None:
        """Queues octets; never blocks, never calls back. What would outgrow the outbox ends the connection."""
        if self.state is not State.ESTABLISHED:
            self.counters.sends_after_close += 1
            return
        if self._queued + len(data) > self.outbox_limit:
            self._break_off(CloseReason.OVERFLOW, at_once=True)
            return
        self._outbox.append(data)
        self._queued += len(data)
        self.counters.sent += 1
        self.counters.sent_octets += len(data)
        self._wake()

    def shutdown(self) -> None:
        """Ends it once everything sent has gone out."""
        if self.state is State.ESTABLISHED:
            self.state = State.SHUTDOWN_RECEIVED  # nothing is left but to empty the outbox: flush closes
            self.ended_here = True
            self._wake()

    def receive(self) -> bool:
        """Takes one read from the wire; True if it brought anything. The peer's FIN ends both directions."""
        if self.state is State.CLOSED:
            return False
        self._ack_heard = True  # there are no words about the association: whoever closes ends it in order
        return super().receive()

    def _cut(self, octets: bytes) -> None:
        self._arrived.append((octets, 0, 0))

    def _heard(self, signal: Signal) -> None:
        raise AssertionError("a stream of octets has no signals")

    def _wire_stands_between_frames(self) -> bool:
        return False  # so that nobody says ABORT: the peer sees a reset


class OctetListener(TcpListener):
    """A listening socket."""

    makes = OctetStream


class OctetTransport(TcpTransport):
    """TCP without a framing of ours."""

    makes = OctetStream
    listens = OctetListener
