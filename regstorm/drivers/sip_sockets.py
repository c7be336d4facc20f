"""SIP on real sockets: datagrams (RFC 3261 18.1.1, 18.2.1) and messages in a TCP stream (18.3), for the paced clock.

Three things to watch (watched_ends.Watched): a UDP socket, a TCP connection, and a listener that takes connections in.
Handlers are told what has arrived when the clock says so, and what was sent goes out when the clock says so. Whom a
message is for, and what a lost one means, is not known here.
"""

import errno
import socket
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from typing import Final

from protocols.sip.framing import PONG, Ping, StreamFraming
from protocols.sip.messages import Request, Response, Unreadable
from protocols.udp import Endpoint
from regstorm.drivers.association import EVERYTHING, OUTBOX_LIMIT, Address

Message = Request | Response | Unreadable

UDP, TCP = "udp", "tcp"
TRANSPORTS: Final = (UDP, TCP)

DATAGRAMS_AT_ONCE: Final = 512
"""Read before handlers are told, so that a burst waits here and not in the kernel's small buffer."""
KERNEL_BUFFER: Final = 4 * 1024 * 1024  # octets asked for in each direction; the kernel gives what it may
_LARGEST_DATAGRAM: Final = 65_535
_READ_OCTETS: Final = 1 << 16
_BACKLOG: Final = 1024
_TRY_LATER: Final = (BlockingIOError, InterruptedError)


class SipEnd:
    """What the ends have in common: a queue of what was not told yet, and the clock's attention."""

    def __init__(self, sock: socket.socket) -> None:
        sock.setblocking(False)
        self.number = 0
        self.woken: Callable[[], None] | None = None
        self._socket: socket.socket | None = sock
        self._awake = False

    def fileno(self) -> int:
        """For a watcher; -1 once it is closed."""
        return -1 if self._socket is None else self._socket.fileno()

    def attended(self) -> None:
        """The clock is about to flush."""
        self._awake = False

    @property
    def wants_attention(self) -> bool:
        """Something waits for flush."""
        return self._awake

    def _wake(self) -> None:
        if not self._awake:
            self._awake = True
            if self.woken is not None:
                self.woken()

    def _shut(self) -> None:
        sock, self._socket = self._socket, None
        if sock is not None:
            sock.close()
        self._wake()


class SipDatagrams(SipEnd):
    """A UDP socket. `on_datagram(payload, source, now)` is told each datagram."""

    def __init__(
        self, address: Address, on_datagram: Callable[[bytes, Endpoint, float], None], outbox_limit: int = OUTBOX_LIMIT
    ) -> None:
        """Binds to `address` (port 0: any). OSError if it is taken."""
        sock = socket.socket(_family(address), socket.SOCK_DGRAM)
        for direction in (socket.SO_RCVBUF, socket.SO_SNDBUF):
            sock.setsockopt(socket.SOL_SOCKET, direction, KERNEL_BUFFER)
        try:
            sock.bind(address)
        except OSError:
            sock.close()
            raise
        super().__init__(sock)
        self.address: Address = sock.getsockname()[:2]
        self.dropped = 0
        """Datagrams that were not sent: the outbox was full, or the kernel refused them."""
        self._on_datagram = on_datagram
        self._limit = outbox_limit
        self._waiting_octets = 0
        self._outbox: deque[tuple[bytes, Endpoint]] = deque()
        self._arrived: deque[tuple[bytes, Endpoint]] = deque()

    def send(self, payload: bytes, destination: Endpoint) -> None:
        """Queues a datagram; one that does not fit is lost, as datagrams may be."""
        if self._waiting_octets + len(payload) > self._limit or self._socket is None:
            self.dropped += 1
            return
        self._waiting_octets += len(payload)
        self._outbox.append((payload, destination))
        self._wake()

    def flush(self) -> bool:
        """Hands the outbox to the kernel; True if nothing is left of it."""
        outbox = self._outbox
        while outbox and self._socket is not None:
            payload, destination = outbox[0]
            try:
                self._socket.sendto(payload, destination)
            except _TRY_LATER:
                return False
            except (OSError, OverflowError):  # an address that cannot be reached, a port that is none
                self.dropped += 1
            outbox.popleft()
            self._waiting_octets -= len(payload)
        return True

    def receive(self) -> bool:
        """Takes what has arrived from the kernel."""
        if self._socket is None:
            return False
        for _ in range(DATAGRAMS_AT_ONCE):
            try:
                payload, source = self._socket.recvfrom(_LARGEST_DATAGRAM)
            except _TRY_LATER:
                break
            except OSError:  # what an earlier datagram met (ICMP): says nothing about this socket
                continue
            self._arrived.append((payload, source[:2]))
        return bool(self._arrived)

    @property
    def has_untold(self) -> bool:
        """A datagram has arrived that dispatch has not told."""
        return bool(self._arrived)

    def dispatch(self, now: float, limit: int = EVERYTHING) -> bool:
        """Tells at most `limit` datagrams; True if more wait."""
        arrived = self._arrived
        while arrived and limit:
            limit -= 1
            self._on_datagram(*arrived.popleft(), now)
        return bool(arrived)

    def close(self) -> None:
        """Lets go of the socket; what waits in either direction is lost."""
        self._arrived.clear()
        self._outbox.clear()
        self._shut()


class SipConnection(SipEnd):
    """A TCP connection. A double line end is answered (RFC 5626 3.5.1); what cannot be framed ends it (18.3)."""

    def __init__(self, sock: socket.socket, peer: Endpoint, outbox_limit: int = OUTBOX_LIMIT) -> None:
        super().__init__(sock)
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.peer = peer
        self.on_message: Callable[[Message, float], None] = lambda message, now: None
        self.on_closed: Callable[[float], None] = lambda now: None
        """Told once, unless this end was closed here."""
        self._limit = outbox_limit
        self._framing = StreamFraming()
        self._outbox = bytearray()
        self._arrived: deque[Message | None] = deque()
        """None is the end."""

    @property
    def local(self) -> Endpoint | None:
        """This end's address; None once it is closed."""
        return None if self._socket is None else self._socket.getsockname()[:2]

    def send(self, octets: bytes) -> None:
        """Queues a message; a peer that reads nothing for too long is hung up on."""
        if self._socket is None:
            return
        if len(self._outbox) + len(octets) > self._limit:
            self._break()
            return
        self._outbox += octets
        self._wake()

    def flush(self) -> bool:
        """Hands the outbox to the kernel; True if nothing is left of it."""
        outbox = self._outbox
        while outbox and self._socket is not None:
            try:
                del outbox[: self._socket.send(outbox)]
            except _TRY_LATER:
                return False
            except OSError as error:
                if error.errno in (errno.EAGAIN, errno.ENOTCONN):  # still connecting
                    return False
                self._break()
        return True

    def receive(self) -> bool:
        """Takes one read's worth from the kernel."""
        if self._socket is None:
            return False
        try:
            octets = self._socket.recv(_READ_OCTETS)
        except _TRY_LATER:
            return False
        except OSError:
            octets = b""
        for item in self._framing.feed(octets):
            if isinstance(item, Ping):
                self.send(PONG)
            else:
                self._arrived.append(item)
        if not octets or self._framing.broken:
            self._break()
        return bool(self._arrived)

    @property
    def has_untold(self) -> bool:
        """Something has arrived that dispatch has not told."""
        return bool(self._arrived)

    def dispatch(self, now: float, limit: int = EVERYTHING) -> bool:
        """Tells at most `limit` messages, or the end; True if more waits."""
        arrived = self._arrived
        while arrived and limit:
            limit -= 1
            item = arrived.popleft()
            if item is None:
                self.on_closed(now)
            else:
                self.on_message(item, now)
        return bool(arrived)

    def close(self) -> None:
        """Hangs up; nothing is told any more."""
        self._outbox.clear()
        self._shut()
        self._arrived.clear()

    def _break(self) -> None:
        """It is over, and told so after what has arrived."""
        if self._socket is not None:
            self._outbox.clear()
            self._shut()
            self._arrived.append(None)


class SipListener:
    """A listening TCP socket (watched_ends.WatchedListener)."""

    def __init__(self, address: Address, on_connection: Callable[[SipConnection], None]) -> None:
        """OSError if the address is taken."""
        self.on_association = on_connection
        self._socket = socket.create_server(address, family=_family(address), backlog=_BACKLOG)
        self._socket.setblocking(False)
        self.address: Address = self._socket.getsockname()[:2]

    def fileno(self) -> int:
        """For a watcher; -1 once it is closed."""
        return self._socket.fileno()

    def accept(self) -> SipConnection | None:
        """The next one that waits, or None; OSError if this process may open no more files."""
        try:
            sock, peer = self._socket.accept()
        except OSError as error:
            if error.errno in (errno.EMFILE, errno.ENFILE):
                raise
            return None
        return SipConnection(sock, peer[:2])

    def close(self) -> None:
        """Refuses from now on."""
        self._socket.close()


def connect(address: Address, local_host: str | None = None) -> SipConnection | None:
    """A connection, perhaps still connecting; None if it is refused at once."""
    sock = socket.socket(_family(address), socket.SOCK_STREAM)
    sock.setblocking(False)
    with suppress(OSError):
        if local_host is not None:
            sock.bind((local_host, 0))
        if sock.connect_ex(address) in (0, errno.EINPROGRESS):
            return SipConnection(sock, address)
    sock.close()
    return None


def _family(address: Address) -> socket.AddressFamily:
    return socket.AF_INET6 if ":" in address[0] else socket.AF_INET
