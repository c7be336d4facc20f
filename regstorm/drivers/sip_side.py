"""The SBC's end on real sockets: one address, over UDP and TCP, beside the one inside PDU sessions (n3.py).

Ties the IMS core to sockets and decides nothing. Over UDP a response goes where Via says (RFC 3581); over TCP it goes
back on the connection that the request came on (RFC 3261 18.2.2), and if that is gone the client asks again.
"""

from collections.abc import Callable

from protocols.sip.framing import StreamEndpoint
from protocols.sip.messages import Unreadable
from protocols.udp import Endpoint
from regstorm.drivers import control
from regstorm.drivers.association import Address
from regstorm.drivers.paced import PacedClock
from regstorm.drivers.sip_sockets import Message, SipConnection, SipDatagrams, SipListener
from regstorm.reference_core.ims.ims_core import ImsCore

_NO_PORT_FOR_BOTH = 16
"""A free port of UDP may be taken in TCP: so many are tried."""


class SipSide:
    """Listens from the first moment on. It can go down and come back, as a node that restarts."""

    def __init__(self, ims: ImsCore, clock: PacedClock, address: Address) -> None:
        """OSError if the address is taken."""
        self._ims = ims
        self._clock = clock
        self._connections: dict[Endpoint, SipConnection] = {}
        self._udp, self._tcp = sockets_at(address, self._datagram, self._connected)
        self.address: Address = self._udp.address
        self._attend()
        self._elsewhere = ims.send
        ims.send = self._send

    @property
    def connections(self) -> int:
        """TCP connections that stand."""
        return len(self._connections)

    def restart(self, down_s: float, now: float) -> None:
        """Down, and back after `down_s`."""
        self.go_down(now)
        self._clock.at(now + down_s, self.come_back)

    def go_down(self, now: float) -> None:
        """Nobody listens any more, and all connections break. The core knows nothing of it."""
        self.close()

    def come_back(self, now: float) -> None:
        """Listens at the same address, as a node does that has restarted: without bindings."""
        self._ims.restart_sbc()
        self._udp, self._tcp = sockets_at(self.address, self._datagram, self._connected)
        self._attend()

    def close(self) -> None:
        """Lets go of the sockets."""
        self._udp.close()
        self._tcp.close()
        for connection in self._connections.values():
            connection.close()
        self._connections.clear()

    def _attend(self) -> None:
        self._clock.attend(self._udp)
        self._clock.attend_listener(self._tcp)

    # --- from UEs ----------------------------------------------------------------------------------------------------

    def _datagram(self, payload: bytes, source: Endpoint, now: float) -> None:
        self._ims.receive(payload, source, self.address, now)

    def _connected(self, connection: SipConnection) -> None:
        self._connections[connection.peer] = connection
        connection.on_message = lambda message, now: self._message(connection, message, now)
        connection.on_closed = lambda now: self._disconnected(connection)

    def _message(self, connection: SipConnection, message: Message, now: float) -> None:
        if isinstance(message, Unreadable):
            self._ims.sbc.unreadable(now)  # the framing is lost with it, and the connection has been closed
        else:
            self._ims.sbc.take(message, connection.peer, StreamEndpoint(*self.address), now)

    def _disconnected(self, connection: SipConnection) -> None:
        if self._connections.get(connection.peer) is connection:
            del self._connections[connection.peer]

    # --- to UEs ------------------------------------------------------------------------------------------------------

    def _send(self, datagram: bytes, source: Endpoint, destination: Endpoint) -> None:
        if isinstance(source, StreamEndpoint):
            connection = self._connections.get(destination)
            if connection is not None:
                connection.send(datagram)
        elif source == self.address:
            self._udp.send(datagram, destination)
        else:
            self._elsewhere(datagram, source, destination)


def sip_side(
    ims: ImsCore | None, clock: PacedClock, wanted: control.SipAt | None, otherwise: Address | None
) -> SipSide | None:
    """The SBC where a set-up wants it, else where the process has it; None: nowhere. OSError if that is taken."""
    if wanted is None and otherwise is None:
        return None
    if ims is None:
        raise ValueError("SIP on sockets of its own: this scenario has no IMS (population.ims)")
    address = (wanted.host, wanted.port) if wanted is not None else otherwise
    assert address is not None
    side = SipSide(ims, clock, address)
    if wanted is not None and wanted.ues_at is not None:
        ims.sbc.users.move_all(wanted.ues_at, side.address)
    return side


def sockets_at(
    address: Address,
    on_datagram: Callable[[bytes, Endpoint, float], None],
    on_connection: Callable[[SipConnection], None],
) -> tuple[SipDatagrams, SipListener]:
    """Both sockets at one address; with port 0 at a port that is free for both. OSError if it is taken."""
    for left in reversed(range(_NO_PORT_FOR_BOTH)):
        udp = SipDatagrams(address, on_datagram)
        try:
            return udp, SipListener(udp.address, on_connection)
        except OSError:
            udp.close()
            if address[1] or not left:
                raise
    raise AssertionError("the loop returns or raises")
