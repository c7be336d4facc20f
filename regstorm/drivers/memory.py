"""In-memory associations: the framing of framed.py over two bounded pipes instead of a socket.

For tests and for machines where even loopback sockets are too much. Behaves like tcp.py, with the one difference that
nothing is ever on its way: what one end flushed, the other can read.
"""

from collections import deque
from collections.abc import Callable

from regstorm.drivers.association import OUTBOX_LIMIT, Address, Association
from regstorm.drivers.framed import READ_OCTETS, FramedAssociation, WireBroken

PIPE_OCTETS = 512 * 1024  # what one direction holds before its writer waits; about a loopback socket's buffers, assumed


class _Pipe:
    """One direction: octets in order, and whether either end has given it up."""

    def __init__(self) -> None:
        self.chunks: deque[bytes] = deque()
        self.octets = 0
        self.writer_gone = False
        self.reader_gone = False
        self.reset = False


class MemoryAssociation(FramedAssociation):
    """One end of a pair of pipes."""

    def __init__(self, inward: _Pipe, outward: _Pipe, outbox_limit: int = OUTBOX_LIMIT) -> None:
        super().__init__(outbox_limit)
        self._inward, self._outward = inward, outward

    def _write(self, octets: memoryview | bytes) -> int:
        pipe = self._outward
        if pipe.reader_gone:
            raise WireBroken
        taken = min(len(octets), PIPE_OCTETS - pipe.octets)
        if taken:
            pipe.chunks.append(bytes(octets[:taken]))
            pipe.octets += taken
        return taken

    def _read(self) -> bytes | None:
        pipe = self._inward
        if pipe.chunks:
            octets = pipe.chunks.popleft()
            if len(octets) > READ_OCTETS:
                pipe.chunks.appendleft(octets[READ_OCTETS:])
                octets = octets[:READ_OCTETS]
            pipe.octets -= len(octets)
            return octets
        if pipe.reset:
            raise WireBroken
        return b"" if pipe.writer_gone else None

    def _close_wire(self, *, reset: bool) -> None:
        if not self._outward.writer_gone:
            self._outward.writer_gone = True
            self._outward.reset = reset
            self._inward.reader_gone = True

    def wait_readable(self, timeout_s: float) -> bool:
        """At once: nothing is ever on its way."""
        return bool(self._inward.chunks) or self._inward.writer_gone

    def wait_writable(self, timeout_s: float) -> bool:
        """At once: only the reader can make room."""
        return self._outward.reader_gone or self._outward.octets < PIPE_OCTETS

    def meets(self, other: FramedAssociation) -> bool:
        """True if `other` has the other ends of the same pipes."""
        return isinstance(other, MemoryAssociation) and self._inward is other._outward


class MemoryListener:
    """Where in-memory associations arrive."""

    def __init__(
        self, transport: "MemoryTransport", address: Address, on_association: Callable[[Association], None]
    ) -> None:
        self.on_association = on_association
        self.address = address
        self._transport = transport
        self._waiting: deque[MemoryAssociation] = deque()

    def accept(self) -> MemoryAssociation | None:
        """The next end that waits, or None."""
        return self._waiting.popleft() if self._waiting else None

    def close(self) -> None:
        """Refuses from now on; ends that nobody accepted are lost, as with a socket's backlog."""
        self._transport.forget(self.address)
        while self._waiting:
            self._waiting.popleft().cut()

    def arrived(self, end: MemoryAssociation) -> None:
        """Called by the transport for each connection."""
        self._waiting.append(end)


class MemoryTransport:
    """A network of its own: addresses mean something only within one MemoryTransport."""

    def __init__(self, outbox_limit: int = OUTBOX_LIMIT) -> None:
        self.outbox_limit = outbox_limit
        self._listeners: dict[Address, MemoryListener] = {}
        self._next_port = 1

    def listen(self, on_association: Callable[[Association], None], address: Address | None = None) -> MemoryListener:
        """Listens at `address`, by default at the next free one."""
        if address is None:
            address = ("memory", self._next_port)
            self._next_port += 1
        if address in self._listeners:
            raise OSError(f"somebody listens at {address} already")
        listener = MemoryListener(self, address, on_association)
        self._listeners[address] = listener
        return listener

    def connect(self, address: Address) -> MemoryAssociation:
        """One end; `refused` is told by its first dispatch if nobody listens."""
        listener = self._listeners.get(address)
        there, back = _Pipe(), _Pipe()
        end = MemoryAssociation(back, there, self.outbox_limit)
        if listener is None:
            end.refuse()
        else:
            listener.arrived(MemoryAssociation(there, back, self.outbox_limit))
        return end

    def forget(self, address: Address) -> None:
        """The listener at `address` has closed."""
        self._listeners.pop(address, None)
