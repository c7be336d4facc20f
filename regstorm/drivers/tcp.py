"""Associations over TCP: the framing of framed.py on a non-blocking socket. The default for the bundled core.

Works pumped by a clock and, through `fileno()`, with readiness watchers of an event loop: flush when writable, receive
when readable. Nothing here blocks but the two waits, and nothing is called back but by dispatch.
"""

import errno
import select
import socket
import struct
from collections.abc import Callable

from regstorm.drivers.association import OUTBOX_LIMIT, Address, Association, CloseReason
from regstorm.drivers.framed import READ_OCTETS, FramedAssociation, WireBroken

LOOPBACK = "127.0.0.1"
KEEPALIVE_S = 30  # idle before the first probe; SCTP's default heartbeat interval (RFC 9260 clause 16)
BACKLOG = 1024  # a whole network of base stations may return in one instant

_NEVER_CAME_ABOUT = frozenset(
    (errno.ECONNREFUSED, errno.EHOSTUNREACH, errno.ENETUNREACH, errno.EADDRNOTAVAIL, errno.EACCES, errno.EPERM)
)
_DROP_AND_RESET = struct.pack("ii", 1, 0)  # SO_LINGER on, zero seconds: close() sends RST
# One for all: what recv_into brings is copied out before anything else can run. A fresh buffer of this size for each
# read costs more than the read itself (measured: 17 µs against 4 µs).
_READ_BUFFER = bytearray(READ_OCTETS)


class TcpAssociation(FramedAssociation):
    """One end on a socket, which may still be connecting."""

    def __init__(self, sock: socket.socket, outbox_limit: int = OUTBOX_LIMIT) -> None:
        super().__init__(outbox_limit)
        sock.setblocking(False)
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
        if hasattr(socket, "TCP_KEEPIDLE"):
            sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_KEEPIDLE, KEEPALIVE_S)
        self._socket: socket.socket | None = sock

    def fileno(self) -> int:
        """For a watcher; -1 once it is closed."""
        return -1 if self._socket is None else self._socket.fileno()

    @property
    def local_address(self) -> Address | None:
        """How the peer's listener sees this end; None once it is closed."""
        return None if self._socket is None else self._socket.getsockname()[:2]

    @property
    def peer_address(self) -> Address | None:
        """Who is at the other end; None once it is closed, or while nobody is."""
        try:
            return None if self._socket is None else self._socket.getpeername()[:2]
        except OSError:
            return None

    def _write(self, octets: memoryview | bytes) -> int:
        if self._socket is None:
            raise WireBroken
        try:
            return self._socket.send(octets)
        except (BlockingIOError, InterruptedError):
            return 0
        except OSError as error:
            raise self._broken(error) from error

    def _read(self) -> bytes | None:
        if self._socket is None:
            raise WireBroken
        try:
            read = self._socket.recv_into(_READ_BUFFER)
        except (BlockingIOError, InterruptedError):
            return None
        except OSError as error:
            raise self._broken(error) from error
        return bytes(memoryview(_READ_BUFFER)[:read])

    def _broken(self, error: OSError) -> WireBroken:
        silent_from_the_start = error.errno == errno.ETIMEDOUT and not (self.wire_sent or self.wire_received)
        refused = error.errno in _NEVER_CAME_ABOUT or silent_from_the_start
        return WireBroken(CloseReason.REFUSED if refused else CloseReason.LOST)

    def _close_wire(self, *, reset: bool) -> None:
        sock, self._socket = self._socket, None
        if sock is None:
            return
        try:
            if reset:
                sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _DROP_AND_RESET)
            else:
                _drain(sock)
        except OSError:
            pass  # it is broken already; closing it is all that is left
        sock.close()

    def wait_readable(self, timeout_s: float) -> bool:
        """Waits until there is something to receive, the end included."""
        return self._wait(select.POLLIN, timeout_s)

    def wait_writable(self, timeout_s: float) -> bool:
        """Waits until the kernel takes more."""
        return self._wait(select.POLLOUT, timeout_s)

    def meets(self, other: FramedAssociation) -> bool:
        """True if `other` is this connection seen from its far end; False once either is closed."""
        mine = self.peer_address
        return mine is not None and isinstance(other, TcpAssociation) and mine == other.local_address

    def _wait(self, event: int, timeout_s: float) -> bool:
        if self._socket is None:
            return True
        poll = select.poll()  # not select.select: that ends at descriptor 1024
        poll.register(self._socket, event)
        return bool(poll.poll(timeout_s * 1000))


def _drain(sock: socket.socket) -> None:
    """Reads away what nobody will hear: closing over unread octets sends RST, which can overtake our last word."""
    for _ in range(16):
        try:
            if not sock.recv(READ_OCTETS):
                return
        except (BlockingIOError, InterruptedError):
            return


class TcpListener:
    """A listening socket."""

    makes: type[TcpAssociation] = TcpAssociation

    def __init__(
        self, on_association: Callable[[Association], None], address: Address, outbox_limit: int = OUTBOX_LIMIT
    ) -> None:
        self.on_association = on_association
        self.outbox_limit = outbox_limit
        self._socket = socket.create_server(address, backlog=BACKLOG)
        self._socket.setblocking(False)
        self.address: Address = self._socket.getsockname()[:2]

    def fileno(self) -> int:
        """For a watcher; -1 once it is closed."""
        return self._socket.fileno()

    def accept(self) -> TcpAssociation | None:
        """The next end that waits, or None; OSError if this process may open no more files."""
        try:
            sock, _ = self._socket.accept()
        except OSError as error:
            if error.errno in (errno.EMFILE, errno.ENFILE):
                raise
            return None  # nobody waits, whoever waited has gone again, or we have closed
        return self.makes(sock, self.outbox_limit)

    def wait_readable(self, timeout_s: float) -> bool:
        """Waits until somebody connects."""
        poll = select.poll()
        poll.register(self._socket, select.POLLIN)
        return bool(poll.poll(timeout_s * 1000))

    def close(self) -> None:
        """Refuses from now on."""
        self._socket.close()


class TcpTransport:
    """TCP; listens on loopback unless told otherwise."""

    makes: type[TcpAssociation] = TcpAssociation
    listens: type[TcpListener] = TcpListener

    def __init__(self, outbox_limit: int = OUTBOX_LIMIT) -> None:
        self.outbox_limit = outbox_limit

    def listen(self, on_association: Callable[[Association], None], address: Address | None = None) -> TcpListener:
        """Listens at `address`, by default at a free port of 127.0.0.1; OSError if it is taken."""
        return self.listens(on_association, address or (LOOPBACK, 0), self.outbox_limit)

    def connect(self, address: Address) -> TcpAssociation:
        """One end, perhaps still connecting; what it sends meanwhile waits in its outbox."""
        sock = socket.socket(socket.AF_INET6 if ":" in address[0] else socket.AF_INET, socket.SOCK_STREAM)
        end = self.makes(sock, self.outbox_limit)
        try:
            failed = sock.connect_ex(address)
        except OSError as error:  # a name that does not resolve
            failed = error.errno or errno.EHOSTUNREACH
        # A free port of this machine may be given to the connecting socket itself, which then meets itself.
        if failed in (0, errno.EINPROGRESS) and sock.getsockname()[:2] != address:
            return end
        end.refuse()
        return end
