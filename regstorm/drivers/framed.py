"""Messages on a stream of octets: the private framing that tcp.py and memory.py share.

A frame is eight octets, then the message: length (32 bits), stream (16), PPID (16), in network order. A length of zero
is no message (SCTP has no empty ones either) but a word about the association, its code in the PPID's place:
SHUTDOWN and SHUTDOWN-ACK as in RFC 9260 clause 9.2, ABORT as in 9.1. They are what tells `shutdown`, `abort` and `lost`
apart on a transport that itself only knows "closed": whoever goes without a word is lost.

The framing is ours, is never claimed to be a 3GPP transport, and only ever meets itself.
"""

import struct
from abc import abstractmethod
from collections.abc import Callable
from typing import Protocol

from regstorm.drivers.association import (
    MESSAGE_LIMIT,
    NGAP_PPID,
    OUTBOX_LIMIT,
    Address,
    Association,
    CloseReason,
    Listener,
    Signal,
    State,
)

HEADER = struct.Struct("!IHH")  # length, stream, PPID
READ_OCTETS = 256 * 1024  # of one read

_SHUTDOWN, _SHUTDOWN_ACK, _ABORT = 1, 2, 3
_SIGNALS = {_SHUTDOWN: Signal.SHUTDOWN, _SHUTDOWN_ACK: Signal.SHUTDOWN_ACK}


def _word(code: int) -> bytes:
    return HEADER.pack(0, 0, code)


class WireBroken(Exception):
    """The stream is of no use any more; `reason` is `lost`, or `refused` if it never came about."""

    def __init__(self, reason: CloseReason = CloseReason.LOST) -> None:
        super().__init__(reason)
        self.reason = reason


class FramedAssociation(Association):
    """An end on a stream. A transport adds four methods: write, read, close, and how to wait."""

    def __init__(self, outbox_limit: int = OUTBOX_LIMIT) -> None:
        super().__init__(outbox_limit)
        self.wire_sent = 0  # octets handed to the wire
        self.wire_received = 0  # octets taken from it
        self._outbox: list[bytes] = []  # headers and messages that were not yet joined
        self._batch = b""  # joined, on its way
        self._batch_at = 0  # octets of it which the wire has taken
        self._queued = 0
        self._partial = b""  # the beginning of a frame whose rest has not arrived
        self._ack_heard = False

    # ---- the wire

    @abstractmethod
    def _write(self, octets: memoryview | bytes) -> int:
        """How many octets the wire took, 0 if it takes none now; raises WireBroken."""

    @abstractmethod
    def _read(self) -> bytes | None:
        """At most READ_OCTETS, None if nothing is there, b"" if the peer closed; raises WireBroken."""

    @abstractmethod
    def _close_wire(self, *, reset: bool) -> None:
        """Gives the wire up; with `reset` what it still carries is dropped as well. Harmless if given up already."""

    @abstractmethod
    def wait_readable(self, timeout_s: float) -> bool:
        """Waits in wall time until receive() would bring something; False if it would not."""

    @abstractmethod
    def wait_writable(self, timeout_s: float) -> bool:
        """Waits in wall time until flush() would get on; False if it would not."""

    @abstractmethod
    def meets(self, other: "FramedAssociation") -> bool:
        """True if `other` is the far end of this one."""

    # ---- sending

    @property
    def queued_octets(self) -> int:
        """What waits in the outbox, framing included."""
        return self._queued

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
        if self._queued + size + HEADER.size > self.outbox_limit:
            self._break_off(CloseReason.OVERFLOW, at_once=True)
            return
        self._outbox.append(HEADER.pack(size, stream, ppid))
        self._outbox.append(data)
        self._queued += size + HEADER.size
        self.counters.sent += 1
        self.counters.sent_octets += size
        if not self._awake:
            self._wake()

    def flush(self) -> bool:
        """Hands the outbox to the wire in as few writes as it takes; True if nothing is left."""
        try:
            while self._queued:
                if self._batch_at == len(self._batch):
                    self._batch, self._batch_at = b"".join(self._outbox), 0
                    self._outbox.clear()
                rest: bytes | memoryview = self._batch
                if self._batch_at:
                    rest = memoryview(self._batch)[self._batch_at :]
                taken = self._write(rest)
                if not taken:
                    return False
                self._batch_at += taken
                self._queued -= taken
                self.wire_sent += taken
        except WireBroken as broken:
            self._hear_last_words(broken.reason)
        if self.state is State.SHUTDOWN_RECEIVED:
            self._finish(CloseReason.SHUTDOWN)
        return True

    def _hear_last_words(self, reason: CloseReason) -> None:
        """A write failed: what the peer said before it went is still there to be read, and says why it went."""
        self._discard_outbox()
        if reason is CloseReason.REFUSED:  # there never was a peer: reading would only find the stream closed
            self._finish(reason)
        while self.state is not State.CLOSED:
            if not self.receive():
                self._finish(reason)

    # ---- receiving

    def receive(self) -> bool:
        """Takes one read from the wire and cuts it into messages; True if it brought anything."""
        if self.state is State.CLOSED:
            return False
        try:
            octets = self._read()
        except WireBroken as broken:
            self._finish(broken.reason)
            return True
        if octets is None:
            return False
        if octets:
            self.wire_received += len(octets)
            self._cut(self._partial + octets if self._partial else octets)
        else:  # the peer closed, in order only if it had acknowledged our shutdown
            self._finish(CloseReason.SHUTDOWN if self._ack_heard else CloseReason.LOST)
        return True

    def _cut(self, octets: bytes) -> None:
        """Frames to messages; keeps the beginning of the last one."""
        at, end = 0, len(octets)
        arrived, header, unpack = self._arrived, HEADER.size, HEADER.unpack_from
        while end - at >= header:
            size, stream, ppid = unpack(octets, at)
            if not 0 < size <= MESSAGE_LIMIT:
                if size or not self._hear_word(ppid):
                    self._break_off(CloseReason.PROTOCOL, at_once=False)
                if self.state is State.CLOSED:
                    return
                at += header
                continue
            next_at = at + header + size
            if next_at > end:
                break
            arrived.append((octets[at + header : next_at], stream, ppid))
            at = next_at
        self._partial = octets[at:]

    def _hear_word(self, code: int) -> bool:
        """A word about the association; False if there is no such word."""
        if code == _ABORT:
            self._finish(CloseReason.ABORT)
            return True
        signal = _SIGNALS.get(code)
        if signal is None:
            return False
        self._ack_heard = self._ack_heard or signal is Signal.SHUTDOWN_ACK
        self._arrived.append(signal)
        return True

    # ---- ending

    def shutdown(self) -> None:
        """Ends it once everything sent has arrived; a second call changes nothing."""
        if self.state is State.ESTABLISHED:
            self.state = State.SHUTDOWN_SENT
            self.ended_here = True
            self._queue_word(_SHUTDOWN)

    def _heard(self, signal: Signal) -> None:
        """RFC 9260 clause 9.2: who is asked sends what it has and acknowledges; who is acknowledged is done."""
        match self.state, signal:
            case State.CLOSED, _:
                pass
            case State.ESTABLISHED, Signal.SHUTDOWN:
                self.state = State.SHUTDOWN_RECEIVED
                self._queue_word(_SHUTDOWN_ACK)
            case State.SHUTDOWN_SENT, Signal.SHUTDOWN:  # both asked at the same time
                self._queue_word(_SHUTDOWN_ACK)
            case State.SHUTDOWN_SENT, Signal.SHUTDOWN_ACK:
                self.state = State.SHUTDOWN_RECEIVED  # nothing is left but our own acknowledgement, if we owe one
                self.flush()
            case _:
                self._break_off(CloseReason.PROTOCOL, at_once=False)

    def abort(self) -> None:
        """Ends it at once and tells the peer so, unless half a message is on the wire: then it is `lost` there."""
        self._break_off(CloseReason.ABORT, at_once=True)

    def cut(self) -> None:
        """Breaks it as a failing path would."""
        if self.state is not State.CLOSED:
            self.ended_here = True
            self._discard_outbox()
            self._close_wire(reset=True)
        self._end(CloseReason.LOST, at_once=True)

    def refuse(self) -> None:
        """For a transport: this end never met another."""
        self._finish(CloseReason.REFUSED)

    def _queue_word(self, code: int) -> None:
        self._outbox.append(_word(code))
        self._queued += HEADER.size
        self._wake()

    def _break_off(self, reason: CloseReason, *, at_once: bool) -> None:
        if self.state is not State.CLOSED:
            self.ended_here = True
            whole = self._wire_stands_between_frames()
            self._discard_outbox()
            self._close_wire(reset=not (whole and self._says_abort()))
        self._end(reason, at_once=at_once)

    def _says_abort(self) -> bool:
        try:
            taken = self._write(_word(_ABORT))
        except WireBroken:
            return False
        self.wire_sent += taken
        return taken == HEADER.size

    def _finish(self, reason: CloseReason) -> None:
        """The wire is over: for us too, after what has arrived has been told."""
        self._discard_outbox()
        self._close_wire(reset=False)
        self._end(reason)

    def _discard_outbox(self) -> None:
        self.counters.discarded_octets += self._queued
        self._outbox.clear()
        self._batch, self._batch_at, self._queued = b"", 0, 0

    def _wire_stands_between_frames(self) -> bool:
        at = 0
        while at < self._batch_at:
            at += HEADER.size + int(HEADER.unpack_from(self._batch, at)[0])
        return at == self._batch_at


class FramedListener(Listener, Protocol):
    """A listener whose associations a clock can move octet by octet."""

    def accept(self) -> FramedAssociation | None:
        """The next end that waits, or None."""


class FramedTransport(Protocol):
    """A transport whose associations a clock can move octet by octet (see Transport)."""

    def listen(self, on_association: Callable[[Association], None], address: Address | None = None) -> FramedListener:
        """Listens at `address`, by default at a free one on this machine."""

    def connect(self, address: Address) -> FramedAssociation:
        """One end, at once."""
