"""An association: one ordered, message-keeping connection between a base station and a core (RFC 9260 in manner).

Knows what every transport promises, and does the bookkeeping that all of them share: handlers, counters, the order of
what arrived, and how an association ends. Does not know how bytes travel (tcp.py, memory.py) nor who decides when
they do: a clock (lockstep.py now, a paced one beside it) calls three verbs, and only these touch the wire or a handler:

    flush()         hands to the wire what was sent, as much as it takes
    receive()       takes from the wire what has arrived, and keeps it
    dispatch(now)   tells the handlers what was kept, in order

So `send`, `shutdown` and `abort` never call back, and a handler may call any of them.

How an association ends is told once at each end, as the last thing its handlers hear:

| reason     | our end                                            | the far end hears                      |
|------------|----------------------------------------------------|----------------------------------------|
| `shutdown` | `shutdown()`, and all that was sent has arrived    | `shutdown`, after the last message     |
| `abort`    | `abort()`                                          | `abort`; `lost` if half a message went |
| `overflow` | the outbox would have outgrown its bound           | as with `abort`                        |
| `protocol` | the peer sent what is no frame                     | as with `abort`                        |
| `lost`     | the connection broke and the peer did not say why  | whatever it sees itself                |
| `refused`  | nobody listens there                               | nothing                                |
"""

from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum, StrEnum, auto
from typing import Protocol

NGAP_PPID = 60  # TS 38.412 clause 7, IANA's registry of SCTP payload protocol identifiers
MESSAGE_LIMIT = 65_536  # octets of one message; far above any NGAP message, assumed
EVERYTHING = 1 << 62  # no limit for dispatch
OUTBOX_LIMIT = 4 * 1024 * 1024  # octets that wait at one end before it overflows; some 30 000 messages, assumed

Address = tuple[str, int]
MessageHandler = Callable[[bytes, int, int, float], None]  # data, stream, PPID, now


class CloseReason(StrEnum):
    """Why an association ended, seen from one of its ends (table above)."""

    SHUTDOWN = "shutdown"
    LOST = "lost"
    ABORT = "abort"
    REFUSED = "refused"
    OVERFLOW = "overflow"
    PROTOCOL = "protocol"


class State(Enum):
    """What an end may still do; the names are those of RFC 9260 clause 4."""

    ESTABLISHED = auto()
    SHUTDOWN_SENT = auto()  # we asked to shut down: nothing more goes out, what comes in is still heard
    SHUTDOWN_RECEIVED = auto()  # the peer asked, and has sent its last message: our outbox empties, then it is over
    CLOSED = auto()


class Signal(Enum):
    """What a peer says about the association itself, in order with its messages."""

    SHUTDOWN = auto()
    SHUTDOWN_ACK = auto()


@dataclass(slots=True)
class Counters:
    """What one end has sent and heard; octets are those of messages, without framing."""

    sent: int = 0  # messages accepted by send()
    sent_octets: int = 0
    received: int = 0  # messages told to on_message
    received_octets: int = 0
    sends_after_close: int = 0  # messages that send() dropped because the association was over or ending
    discarded_octets: int = 0  # of the outbox, framing included, when abort, loss or overflow emptied it


class Tap(Protocol):
    """Somebody who listens in at one end."""

    def message(self, data: bytes, stream: int, ppid: int, now: float) -> None:
        """A message that arrived at this end."""

    def closed(self, reason: CloseReason, ended_here: bool, now: float) -> None:
        """This end is over."""


class NoHandler(RuntimeError):
    """A message or an end arrived before its handler was set: a mistake of the program, not of the peer."""


def _no_message_handler(data: bytes, stream: int, ppid: int, now: float) -> None:
    raise NoHandler("a message arrived at an association without on_message")


def _unheard_end(reason: CloseReason, now: float) -> None:
    """An association whose end interests nobody is legal."""


class Association(ABC):
    """One end. Handlers are attributes, set before anything can arrive; `woken` belongs to the clock."""

    def __init__(self, outbox_limit: int = OUTBOX_LIMIT) -> None:
        self.on_message: MessageHandler = _no_message_handler
        self.on_closed: Callable[[CloseReason, float], None] = _unheard_end
        self.tap: Tap | None = None  # sees what the handlers are told, just before them: captures
        self.woken: Callable[[], None] | None = None  # told once when flush and dispatch are wanted
        self.number = 0  # creation number, given by the clock: the order in which ends are served
        self.counters = Counters()
        self.state = State.ESTABLISHED
        self.reason: CloseReason | None = None  # set as soon as the end is certain, told by the next dispatch
        self.ended_here = False  # this end asked for it or broke it off; False if it came from the wire
        self.told = False  # on_closed has been called
        self.outbox_limit = outbox_limit
        self._arrived: deque[tuple[bytes, int, int] | Signal | CloseReason] = deque()
        self._awake = False

    # ---- what a base station or a core calls

    @abstractmethod
    def send(self, data: bytes, stream: int = 0, ppid: int = NGAP_PPID) -> None:
        """Queues one message; never blocks, never calls back.

        On an association that is over or ending the message is dropped and counted, because the sender cannot know
        yet: its on_closed is under way. A message beyond MESSAGE_LIMIT or an empty one raises ValueError.
        """

    @abstractmethod
    def shutdown(self) -> None:
        """Ends it once everything sent has arrived; what the peer sends meanwhile is still heard."""

    @abstractmethod
    def abort(self) -> None:
        """Ends it at once: what is queued here and what has arrived but was not told is lost."""

    @abstractmethod
    def cut(self) -> None:
        """Breaks it as a failing path would: no word to the peer, both ends hear `lost`."""

    @property
    @abstractmethod
    def queued_octets(self) -> int:
        """What waits in the outbox, framing included."""

    # ---- what a clock calls

    @abstractmethod
    def flush(self) -> bool:
        """Hands the outbox to the wire; True if nothing is left of it."""

    @abstractmethod
    def receive(self) -> bool:
        """Takes one read's worth from the wire; True if it brought anything, the end included."""

    def dispatch(self, now: float, limit: int = EVERYTHING) -> bool:
        """Tells the handlers what arrived, in order, at most `limit` things; True if more waits to be told.

        After the end it tells nothing.
        """
        arrived = self._arrived
        counters = self.counters
        while arrived and limit:
            limit -= 1
            item = arrived.popleft()
            if type(item) is tuple:
                data, stream, ppid = item
                counters.received += 1
                counters.received_octets += len(data)
                if self.tap is not None:
                    self.tap.message(data, stream, ppid, now)
                self.on_message(data, stream, ppid, now)
            elif isinstance(item, Signal):
                self._heard(item)
            elif isinstance(item, CloseReason):
                self.told = True
                if self.tap is not None:
                    self.tap.closed(item, self.ended_here, now)
                self.on_closed(item, now)
        return bool(arrived)

    @property
    def has_untold(self) -> bool:
        """Something has arrived that dispatch has not told."""
        return bool(self._arrived)

    @abstractmethod
    def _heard(self, signal: Signal) -> None:
        """Acts on what the peer said about the association; all earlier messages have been told."""

    # ---- shared by transports

    def _end(self, reason: CloseReason, *, at_once: bool = False) -> None:
        """The association is over: told after what has arrived, or instead of it (`at_once`)."""
        if self.reason is not None:
            if at_once and self._arrived:  # the end was certain but not told yet: now nothing is told before it
                self._arrived.clear()
                self._arrived.append(self.reason)
            return
        self.state = State.CLOSED
        self.reason = reason
        if at_once:
            self._arrived.clear()
        self._arrived.append(reason)
        self._wake()

    def _wake(self) -> None:
        if not self._awake:
            self._awake = True
            if self.woken is not None:
                self.woken()

    def attended(self) -> None:
        """The clock is about to flush and dispatch: whatever comes after this wakes it again."""
        self._awake = False

    @property
    def wants_attention(self) -> bool:
        """Something waits for flush or dispatch: for a clock that takes over an end which is in use already."""
        return self._awake


class Listener(Protocol):
    """Where associations arrive."""

    on_association: Callable[[Association], None]

    @property
    def address(self) -> Address:
        """Where to connect to."""

    def accept(self) -> Association | None:
        """The next end that waits, or None; never blocks. Whoever calls it hands it to on_association."""

    def close(self) -> None:
        """From now on connecting here is refused; associations that stand are left alone."""


class Transport(Protocol):
    """How associations come about."""

    def listen(self, on_association: Callable[[Association], None], address: Address | None = None) -> Listener:
        """Listens at `address`, by default at a free one on this machine."""

    def connect(self, address: Address) -> Association:
        """One end, at once; it may be used before the other end exists. Failure is told as `refused`."""
