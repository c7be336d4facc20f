"""One end of an association over the kernel's SCTP (RFC 9260, TS 38.412): the transport of real cores.

Works pumped and, through `fileno()`, with readiness watchers, as tcp.py does. There is no framing and there are no
octets to count, so the lockstep clock cannot drive it: the paced one does.

What SCTP does otherwise than the private framing:

| our end       | on the wire                             | a far end of ours hears                                    |
|---------------|-----------------------------------------|-------------------------------------------------------------|
| `shutdown()`  | SHUTDOWN once the outbox is empty and   | `shutdown`; what it had not flushed by then is discarded,  |
|               | acknowledged                            | answers included (RFC 9260 clause 9.2)                     |
| `abort()`     | ABORT                                   | `abort`, also in the middle of a message                   |
| `cut()`       | ABORT: a host cannot leave without a    | `abort`, as from a base station that crashed; `lost` is    |
|               | word, nor say which ABORT it means      | heard by our end only                                      |
| process dies  | ABORT                                   | `abort`                                                    |
| path fails    | nothing                                 | `lost`, when retransmissions or heartbeats have run out    |
| host restarts | INIT within the association             | `lost`, as what was under way is: set it up again          |

Nothing leaves the outbox before the association is up, because only then is it known how many streams the peer takes.
A message for a stream beyond them goes on one that there is, always the same one; stream 0 stays by itself, since it is
reserved for signalling that belongs to no UE (TS 38.412 clause 7).
"""

import errno
import select
import socket
from collections import deque
from collections.abc import Sequence

from regstorm.drivers import sctp_socket as kernel
from regstorm.drivers.association import (
    MESSAGE_LIMIT,
    NGAP_PPID,
    OUTBOX_LIMIT,
    Address,
    Association,
    CloseReason,
    Signal,
    State,
)
from regstorm.drivers.sctp_socket import Change, Event

MESSAGES_PER_READ = 64  # taken by one receive(), so that one busy association does not keep the loop to itself

_READ_BUFFER = bytearray(MESSAGE_LIMIT)  # one for all: what a read brings is copied out before anything else can run
_ENDS = {errno.ECONNREFUSED: CloseReason.REFUSED, errno.ECONNRESET: CloseReason.ABORT}


class SctpAssociation(Association):
    """One end on a socket, which may still be connecting."""

    def __init__(self, sock: socket.socket, outbox_limit: int = OUTBOX_LIMIT) -> None:
        super().__init__(outbox_limit)
        sock.setblocking(False)
        kernel.aborts_when_closed(sock)
        self.outbound_streams: int | None = None  # None until the association is up
        self._socket: socket.socket | None = sock
        self._outbox: deque[tuple[bytes, int, int]] = deque()
        self._queued = 0
        self._parts: list[bytes] = []  # of a message that the kernel delivers piece by piece
        self._shutdown_asked = False  # of the kernel
        self._write_error = 0  # a failed write takes the socket's error, which says why the association was lost

    def fileno(self) -> int:
        """For a watcher; -1 once it is closed."""
        return -1 if self._socket is None else self._socket.fileno()

    @property
    def local_address(self) -> Address | None:
        """One of this end's addresses; None once it is closed."""
        return None if self._socket is None else self._socket.getsockname()[:2]

    @property
    def peer_address(self) -> Address | None:
        """The peer's primary address; None once it is closed, or while nobody is there."""
        try:
            return None if self._socket is None else self._socket.getpeername()[:2]
        except OSError:
            return None

    @property
    def queued_octets(self) -> int:
        """What waits in the outbox."""
        return self._queued

    # ---- sending

    def send(self, data: bytes, stream: int = 0, ppid: int = NGAP_PPID) -> None:
        """Queues one message (see Association)."""
        size = len(data)
        if not 0 < size <= MESSAGE_LIMIT:
            raise ValueError(f"a message has 1 to {MESSAGE_LIMIT} octets, not {size}")
        if not (0 <= stream <= 0xFFFF and 0 <= ppid <= 0xFFFF):
            raise ValueError(f"stream {stream} and PPID {ppid} must fit 16 bits each")
        if self.state is not State.ESTABLISHED:
            self.counters.sends_after_close += 1
            return
        if self._queued + size > self.outbox_limit:
            self._break_off(CloseReason.OVERFLOW)
            return
        self._outbox.append((data, stream, ppid))
        self._queued += size
        self.counters.sent += 1
        self.counters.sent_octets += size
        if not self._awake:
            self._wake()

    def flush(self) -> bool:
        """Hands the outbox to the kernel, as much as it takes; True if nothing is left."""
        if self._socket is not None and self.outbound_streams is not None:
            try:
                self._push(self._socket, self.outbound_streams)
            except (BlockingIOError, InterruptedError):
                return False
            except OSError as error:
                self._write_error = error.errno or 0
                self._hear_last_words()
        return not self._outbox

    def _push(self, sock: socket.socket, streams: int) -> None:
        outbox = self._outbox
        while outbox:
            data, stream, ppid = outbox[0]
            kernel.send_message(sock, data, folded(stream, streams), ppid)
            outbox.popleft()
            self._queued -= len(data)
        if self.state is State.SHUTDOWN_SENT and not self._shutdown_asked:
            self._shutdown_asked = True
            sock.shutdown(socket.SHUT_WR)

    def _hear_last_words(self) -> None:
        """A write failed: what the peer said before is still there to be read, and says why."""
        self._discard_outbox()
        while self.receive():
            pass
        if self.state in (State.ESTABLISHED, State.SHUTDOWN_SENT):  # it did not say
            self._finish(self._reason_of(self._write_error))

    # ---- receiving

    def receive(self) -> bool:
        """Takes some messages from the kernel; True if that brought anything."""
        for reads in range(MESSAGES_PER_READ):
            if self._socket is None or not self._read(self._socket):
                return reads > 0
        return True

    def _read(self, sock: socket.socket) -> bool:
        """One message, a piece of one, or an event; False if nothing is there."""
        try:
            size, ancillary, flags, _ = sock.recvmsg_into((_READ_BUFFER,), kernel.ANCILLARY_OCTETS)
        except (BlockingIOError, InterruptedError):
            return False
        except OSError as error:
            self._finish(self._reason_of(error.errno or 0))
            return True
        octets = bytes(memoryview(_READ_BUFFER)[:size])
        if flags & kernel.MSG_NOTIFICATION:
            event = kernel.read_event(octets)
            if event is not None:
                self._hear(event, sock)
        elif size == 0:
            self._finish(CloseReason.LOST if self.state is State.ESTABLISHED else CloseReason.SHUTDOWN)
        else:
            self._take(octets, whole=bool(flags & kernel.MSG_EOR), ancillary=ancillary)
        return True

    def _take(self, octets: bytes, *, whole: bool, ancillary: Sequence[tuple[int, int, bytes]]) -> None:
        if self._parts or not whole:
            self._parts.append(octets)
            if sum(map(len, self._parts)) > MESSAGE_LIMIT:
                self._break_off(CloseReason.PROTOCOL, at_once=False)
                return
            if not whole:
                return
            octets = b"".join(self._parts)
            self._parts.clear()
        self._arrived.append((octets, *kernel.stream_and_ppid(ancillary)))

    def _hear(self, event: Event, sock: socket.socket) -> None:
        match event.change:
            case Change.COMM_UP:
                self.outbound_streams = event.outbound_streams
                self._wake()  # what was sent meanwhile may go
            case Change.SHUTDOWN_BEGUN:  # the kernel takes no more messages for this peer
                self._discard_outbox()
                self.state = State.SHUTDOWN_RECEIVED
            case Change.SHUTDOWN_COMP:
                self._finish(CloseReason.SHUTDOWN)
            case Change.CANT_STR_ASSOC:
                self._finish(CloseReason.REFUSED)
            case Change.COMM_LOST:
                broken_off = errno.ECONNRESET if event.error else kernel.pending_error(sock)
                self._finish(self._reason_of(self._write_error or broken_off))
            case Change.RESTART:
                self.cut()

    def _reason_of(self, error: int) -> CloseReason:
        if self.outbound_streams is None:
            return CloseReason.REFUSED
        if error == errno.ENOTCONN and self.state is not State.ESTABLISHED:
            return CloseReason.SHUTDOWN
        return _ENDS.get(error, CloseReason.LOST)

    def _heard(self, signal: Signal) -> None:
        """Never called: what this peer says about the association is acted on as it arrives."""

    # ---- ending

    def shutdown(self) -> None:
        """Ends it once everything sent has arrived; a second call changes nothing."""
        if self.state is State.ESTABLISHED:
            self.state = State.SHUTDOWN_SENT
            self.ended_here = True
            self._wake()

    def abort(self) -> None:
        """Ends it at once and tells the peer so."""
        self._break_off(CloseReason.ABORT)

    def cut(self) -> None:
        """Breaks it as a failing path would, as far as SCTP can (table above)."""
        self._break_off(CloseReason.LOST)

    def refuse(self) -> None:
        """This end never met another."""
        self._finish(CloseReason.REFUSED)

    def _break_off(self, reason: CloseReason, *, at_once: bool = True) -> None:
        if self.state is not State.CLOSED:
            self.ended_here = True
            self._discard_outbox()
            self._close()
        self._end(reason, at_once=at_once)

    def _finish(self, reason: CloseReason) -> None:
        """The association is over: for us too, after what has arrived has been told."""
        self._discard_outbox()
        self._close()
        self._end(reason)

    def _close(self) -> None:
        sock, self._socket = self._socket, None
        self._parts.clear()
        if sock is not None:
            sock.close()

    def _discard_outbox(self) -> None:
        self.counters.discarded_octets += self._queued
        self._outbox.clear()
        self._queued = 0

    # ---- waiting

    def wait_readable(self, timeout_s: float) -> bool:
        """Waits until there is something to receive, the end included."""
        return self._socket is None or ready(self._socket, select.POLLIN, timeout_s)

    def wait_writable(self, timeout_s: float) -> bool:
        """Waits until the kernel takes more."""
        return self._socket is None or ready(self._socket, select.POLLOUT, timeout_s)


def folded(stream: int, streams: int) -> int:
    """The stream that stands for `stream` where there are only so many; 0 is only ever 0 while there is another."""
    if stream < streams:
        return stream
    return 1 + (stream - 1) % (streams - 1) if streams > 1 else 0


def ready(sock: socket.socket, event: int, timeout_s: float) -> bool:
    """Waits for one of poll's events; False if it does not come in time."""
    poll = select.poll()  # not select.select: that ends at descriptor 1024
    poll.register(sock, event)
    return bool(poll.poll(timeout_s * 1000))
