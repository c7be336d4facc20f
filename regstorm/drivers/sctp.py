"""Associations over the kernel's SCTP: listening, connecting, several addresses, and whether the kernel has it at all.

One-to-one sockets of the standard library; what one end does is in sctp_association.py.
"""

import errno
import select
import socket
from collections.abc import Callable, Sequence

from regstorm.drivers import sctp_socket as kernel
from regstorm.drivers.association import OUTBOX_LIMIT, Address, Association
from regstorm.drivers.sctp_association import SctpAssociation, ready
from regstorm.drivers.sctp_socket import InitSettings
from regstorm.drivers.tcp import BACKLOG, LOOPBACK

_DEFAULT_SETTINGS = InitSettings()


class SctpUnavailable(OSError):
    """This machine's kernel has no SCTP; the text says what to do."""


def kernel_has_sctp() -> bool:
    """True if a socket of that kind can be made."""
    return kernel.why_no_sctp() is None


def require_sctp() -> None:
    """Raises SctpUnavailable if the kernel has no SCTP."""
    why = kernel.why_no_sctp()
    if why is not None:
        raise SctpUnavailable(
            f"this kernel has no SCTP ({why}): load it (modprobe sctp), or use the tcp transport with the bundled core"
        )


class SctpListener:
    """A listening socket, at one address or several."""

    def __init__(
        self,
        sock: socket.socket,
        host: str,
        on_association: Callable[[Association], None],
        outbox_limit: int = OUTBOX_LIMIT,
    ) -> None:
        """`sock` is bound, to `host` among others: of several addresses the kernel names any."""
        kernel.aborts_when_closed(sock)
        self.on_association = on_association
        self.outbox_limit = outbox_limit
        self._socket = sock
        sock.listen(BACKLOG)
        self.address: Address = (host, sock.getsockname()[1])

    def fileno(self) -> int:
        """For a watcher; -1 once it is closed."""
        return self._socket.fileno()

    def accept(self) -> SctpAssociation | None:
        """The next end that waits, or None; OSError if this process may open no more files."""
        try:
            sock, _ = self._socket.accept()
        except OSError as error:
            if error.errno in (errno.EMFILE, errno.ENFILE):
                raise
            return None  # nobody waits, whoever waited has gone again, or we have closed
        return SctpAssociation(sock, self.outbox_limit)

    def wait_readable(self, timeout_s: float) -> bool:
        """Waits until somebody connects."""
        return ready(self._socket, select.POLLIN, timeout_s)

    def close(self) -> None:
        """Refuses from now on; ends that nobody accepted are aborted."""
        self._socket.close()


class SctpTransport:
    """Kernel SCTP; listens on loopback unless told otherwise. SctpUnavailable where the kernel has none."""

    def __init__(
        self,
        outbox_limit: int = OUTBOX_LIMIT,
        hosts: Sequence[str] = (),
        settings: InitSettings = _DEFAULT_SETTINGS,
    ) -> None:
        """`hosts`: this end's addresses if it shall have several, or a certain one (multi-homing)."""
        require_sctp()
        self.outbox_limit = outbox_limit
        self.hosts = tuple(hosts)
        self.settings = settings

    def listen(self, on_association: Callable[[Association], None], address: Address | None = None) -> SctpListener:
        """Listens at `address` and at `hosts`, by default at a free port of 127.0.0.1; OSError if it is taken."""
        host, port = address or (self.hosts[0] if self.hosts else LOOPBACK, 0)
        sock = kernel.open_socket(kernel.family_of(host), self.settings)
        try:
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            _bind(sock, (host, *self.hosts), port)
            return SctpListener(sock, host, on_association, self.outbox_limit)
        except OSError:
            sock.close()
            raise

    def connect(self, address: Address, also_at: Sequence[str] = ()) -> SctpAssociation:
        """One end, perhaps still connecting. `also_at`: further addresses of the same peer, tried as well."""
        host, port = address
        sock = kernel.open_socket(kernel.family_of(host), self.settings)
        end = SctpAssociation(sock, self.outbox_limit)
        try:
            if self.hosts:
                _bind(sock, self.hosts, 0)
            if also_at:
                kernel.connect_to_all(sock, _each_once((host, *also_at)), port)
            else:
                sock.connect((host, port))
        except BlockingIOError:
            pass  # under way: COMM_UP or an error will tell
        except OSError:
            end.refuse()
            return end
        # A free port of this machine may be given to the connecting socket itself, which then meets itself.
        if sock.getsockname()[:2] == address:
            end.refuse()
        return end


def _bind(sock: socket.socket, hosts: Sequence[str], port: int) -> None:
    first, *others = _each_once(hosts)
    sock.bind((first, port))
    if others:
        kernel.bind_also(sock, others)


def _each_once(hosts: Sequence[str]) -> tuple[str, ...]:
    """The kernel takes no address twice."""
    return tuple(dict.fromkeys(hosts))
