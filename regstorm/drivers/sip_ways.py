"""The ways of SIP between phones and their P-CSCFs on real sockets: one UDP socket for all phones of a process, or a
TCP connection for each phone.

Over UDP a response finds its phone by the branch of its Via, a request by the user part of its URI, which is that of
the phone's Contact. Over TCP the connection says it; it is made when a phone has something to say. Every REGISTER
passes the cap on attempts (attempts_cap.py).
"""

from abc import abstractmethod
from collections.abc import Callable
from typing import Final

from protocols.sip.decode import decode
from protocols.sip.fields import BRANCH_COOKIE, SipUri, top_via
from protocols.sip.messages import Request, Response, Unreadable
from protocols.udp import Endpoint
from regstorm.drivers.association import Address
from regstorm.drivers.attempts_cap import AttemptsCap
from regstorm.drivers.paced import PacedClock
from regstorm.drivers.sip_sockets import UDP, Message, SipConnection, SipDatagrams, connect
from ue_models.ims_state import SIP_PORT, SipAccess
from ue_models.sip_phone import SipPhone, SipWay

_REGISTER: Final = b"REGISTER "


class Ways(SipWay):
    """What both have in common. `discarded` counts messages that were for no phone."""

    def __init__(self, clock: PacedClock, cap: AttemptsCap | None) -> None:
        self.discarded = 0
        self._clock = clock
        self._cap = cap

    def shut(self) -> None:
        """Lets go of the sockets."""

    def send(self, phone: SipPhone, octets: bytes, destination: Endpoint) -> None:
        """One message, now or when the cap allows it."""
        if self._cap is None or not octets.startswith(_REGISTER):
            self._go(phone, octets, destination)
        else:
            self._cap.pass_on(octets, 0, lambda data, stream: self._go(phone, data, destination), self._clock.now)

    @abstractmethod
    def _go(self, phone: SipPhone, octets: bytes, destination: Endpoint) -> None: ...


class UdpWays(Ways):
    """One socket; every phone has the same address and port, and is told apart by what it says."""

    def __init__(self, clock: PacedClock, host: str, p_cscf_port: int, cap: AttemptsCap | None = None) -> None:
        """`host`: the address that phones speak from."""
        super().__init__(clock, cap)
        self._by_index: dict[int, SipPhone] = {}
        self._by_user: dict[str, SipPhone] = {}
        self._datagrams = SipDatagrams((host, 0), self._heard)
        self._access = SipAccess("UDP", self._datagrams.address[1], p_cscf_port)
        clock.attend(self._datagrams)

    def open(self, phone: SipPhone) -> SipAccess:
        """The phone hears what is for it."""
        self._by_index[phone.index] = phone
        self._by_user[_user(phone)] = phone
        return self._access

    def close(self, phone: SipPhone) -> None:
        """It hears nothing any more."""
        self._by_index.pop(phone.index, None)
        self._by_user.pop(_user(phone), None)

    def shut(self) -> None:
        """Lets go of the socket."""
        self._datagrams.close()

    def _go(self, phone: SipPhone, octets: bytes, destination: Endpoint) -> None:
        self._datagrams.send(octets, destination)

    def _heard(self, payload: bytes, source: Endpoint, now: float) -> None:
        message = decode(payload)
        phone = self._meant(message)
        if phone is None:
            self.discarded += 1
        else:
            phone.take(message, source, now)

    def _meant(self, message: Message) -> SipPhone | None:
        match message:
            case Response():
                index = _index_in(message)
                return None if index is None else self._by_index.get(index)
            case Request():
                uri = SipUri.read(message.uri)
                return None if uri is None else self._by_user.get(uri.user or "")
            case Unreadable():
                return None


class TcpWays(Ways):
    """A connection for each phone, to the P-CSCF that it talks to."""

    def __init__(self, clock: PacedClock, host: str, p_cscf_port: int, cap: AttemptsCap | None = None) -> None:
        """`host`: the address that phones speak from."""
        super().__init__(clock, cap)
        self._host = host
        self._access = SipAccess("TCP", SIP_PORT, p_cscf_port)
        self._connections: dict[int, SipConnection] = {}

    def open(self, phone: SipPhone) -> SipAccess:
        """A connection comes with the first message."""
        return self._access

    def close(self, phone: SipPhone) -> None:
        """Hangs up."""
        connection = self._connections.pop(phone.index, None)
        if connection is not None:
            connection.close()

    def shut(self) -> None:
        """Hangs up everywhere."""
        for connection in self._connections.values():
            connection.close()
        self._connections.clear()

    def _go(self, phone: SipPhone, octets: bytes, destination: Endpoint) -> None:
        connection = self._connections.get(phone.index)
        if connection is not None and connection.peer != destination:
            self.close(phone)
            connection = None
        if connection is None:
            connection = self._connect(phone, destination)
        if connection is not None:
            connection.send(octets)

    def _connect(self, phone: SipPhone, destination: Address) -> SipConnection | None:
        connection = connect(destination, self._host)
        if connection is None:
            self._clock.at(self._clock.now, phone.way_lost)
            return None
        connection.on_message = lambda message, now: phone.take(message, destination, now)
        connection.on_closed = lambda now: self._lost(phone, connection, now)
        self._connections[phone.index] = connection
        self._clock.attend(connection)
        return connection

    def _lost(self, phone: SipPhone, connection: SipConnection, now: float) -> None:
        if self._connections.get(phone.index) is connection:
            del self._connections[phone.index]
            phone.way_lost(now)


def ways(
    transport: str, clock: PacedClock, host: str, p_cscf_port: int, cap: AttemptsCap | None = None
) -> UdpWays | TcpWays:
    """By the name of the transport (sip_sockets.TRANSPORTS)."""
    made: Callable[..., UdpWays | TcpWays] = UdpWays if transport == UDP else TcpWays
    return made(clock, host, p_cscf_port, cap)


def _user(phone: SipPhone) -> str:
    """The user part of its Contact."""
    return phone.ims.state.impi.partition("@")[0]


def _index_in(response: Response) -> int | None:
    """Whose request it answers: phones begin their branches with their index (procedures/sip_requests.py)."""
    via = top_via(response)
    if via is None or via.branch is None:
        return None
    try:
        return int(via.branch.removeprefix(BRANCH_COOKIE).partition(".")[0], 16)
    except ValueError:
        return None
