"""Associations and listeners under the watchers of gevent's event loop, for the paced clock.

What the loop reports is only read and noted in its callbacks; handlers hear of it when the clock says so (`tell`),
each end some messages at a time. What was sent goes out when the clock says so (`flush`), in one write for each end.
"""

from collections import deque
from collections.abc import Callable
from typing import Any, Protocol

import gevent

MESSAGES_AT_ONCE = 32  # told to one end's handlers before the next end has its turn
ACCEPTED_AT_ONCE = 64
OUT_OF_FILES_S = 0.1  # wall time until a listener that could not open another descriptor tries again
_READ, _WRITE = 1, 2  # of the event loop


class Watched(Protocol):
    """What can be watched: an association (association.py), or an end that speaks SIP (sip_sockets.py)."""

    number: int
    woken: Callable[[], None] | None

    @property
    def wants_attention(self) -> bool:
        """Something waits for flush or dispatch."""

    @property
    def has_untold(self) -> bool:
        """Something has arrived that dispatch has not told."""

    def receive(self) -> bool:
        """Takes from the wire what has arrived."""

    def dispatch(self, now: float, limit: int = ...) -> bool:
        """Tells handlers, at most `limit` things; True if more waits."""

    def attended(self) -> None:
        """The clock is about to flush and dispatch."""

    def flush(self) -> bool:
        """Hands to the wire what was sent; True if nothing is left."""


class WatchedListener(Protocol):
    """Where such ends arrive."""

    @property
    def on_association(self) -> Callable[[Any], None]:
        """Takes in what arrives."""

    def accept(self) -> Watched | None:
        """The next end that waits, or None; OSError if no file is left."""


class WatchedEnds:
    """All that one clock watches."""

    def __init__(self, ring: Callable[[], None]) -> None:
        """`ring`: called when there is something to do."""
        self.served = 0
        """Times that an end was told or flushed."""
        self.accept_failures = 0
        self.ring = ring
        self.loop = gevent.get_hub().loop
        self.watched: dict[int, _Attended | _Knocking] = {}
        self.readable: deque[_Attended] = deque()
        self.woken: list[_Attended] = []
        self.arrivals: deque[tuple[WatchedListener, Watched]] = deque()
        self._numbers = 0

    @property
    def have_work(self) -> bool:
        """Something is to be told or written."""
        return bool(self.readable or self.woken or self.arrivals)

    def attend(self, end: Watched) -> None:
        """Reads from it when it is readable, writes what it sends."""
        self._numbers += 1
        end.number = self._numbers
        self.watched[end.number] = _Attended(self, end)

    def attend_listener(self, listener: WatchedListener) -> None:
        """Accepts whoever knocks."""
        self._numbers += 1
        self.watched[self._numbers] = _Knocking(self, listener, self._numbers)

    def tell(self, moment: Callable[[], float], enough: Callable[[], bool]) -> bool:
        """Tells handlers what has arrived until `enough`, each end in its turn; True if more waits."""
        while self.arrivals:
            listener, end = self.arrivals.popleft()
            listener.on_association(end)  # before anything of it is told: it sets the handlers
            self.attend(end)
        for _ in range(len(self.readable)):
            attended = self.readable.popleft()
            attended.queued = False
            self.served += 1
            if attended.tell(moment()):
                attended.queue()
            if enough():
                break
        return bool(self.readable)

    def flush(self, moment: Callable[[], float]) -> None:
        """Writes what was sent."""
        woken, self.woken = self.woken, []
        self.served += len(woken)
        for attended in woken:
            attended.flush(moment())

    def let_go(self) -> None:
        """Watches nothing any more. Associations and listeners are their owners' to close."""
        for watched in list(self.watched.values()):
            watched.let_go()


class _Attended:
    """One end under the loop's watchers."""

    __slots__ = ("_ends", "_watchers", "end", "queued")

    def __init__(self, ends: WatchedEnds, end: Watched) -> None:
        self._ends = ends
        self.end = end
        self.queued = False
        descriptor = _descriptor(end)
        self._watchers: tuple[Any, ...] = ()
        """To read and to write; none once it is over."""
        if descriptor >= 0:
            self._watchers = ends.loop.io(descriptor, _READ), ends.loop.io(descriptor, _WRITE)
            self._watchers[0].start(self._readable)
        end.woken = self._wake
        if end.wants_attention:
            self._wake()

    def _readable(self) -> None:
        """In the loop's callback: reads at once, or the loop would report the same octets for ever. No handler runs.

        While there are messages that were not told yet nothing more is read: the peer has to wait.
        """
        if self.end.has_untold:
            self._watchers[0].stop()
        else:
            self.end.receive()
            self._let_go_if_over()
        self.queue()

    def queue(self) -> None:
        """There is something to tell."""
        if not self.queued:
            self.queued = True
            self._ends.readable.append(self)
            self._ends.ring()

    def tell(self, now: float) -> bool:
        """Tells some of what has arrived; True if there is more."""
        more = self.end.dispatch(now, MESSAGES_AT_ONCE)
        self._let_go_if_over()
        if not more and self._watchers and not self._watchers[0].active:
            self._watchers[0].start(self._readable)
        return more

    def flush(self, now: float) -> None:
        """Writes what was sent, and tells of an end that came from here."""
        end = self.end
        end.attended()
        written = end.flush()
        if self._watchers:
            writing = self._watchers[1]
            if written and writing.active:
                writing.stop()
            elif not written and not writing.active:
                writing.start(self._wake)
        if end.has_untold:
            self.queue()
        self._let_go_if_over()

    def _wake(self) -> None:
        self._ends.woken.append(self)
        self._ends.ring()

    def let_go(self) -> None:
        """Watches no more."""
        self._ends.watched.pop(self.end.number, None)
        for watcher in self._watchers:
            watcher.stop()
            watcher.close()
        self._watchers = ()

    def _let_go_if_over(self) -> None:
        """A watcher must not outlive its descriptor: the number is soon another association's."""
        if self._watchers and _descriptor(self.end) < 0:
            self.let_go()


class _Knocking:
    """A listener under the loop's watcher."""

    def __init__(self, ends: WatchedEnds, listener: WatchedListener, number: int) -> None:
        self._ends = ends
        self._listener = listener
        self._number = number
        self._watcher = ends.loop.io(_descriptor(listener), _READ)
        self._watcher.start(self._knock)

    def _knock(self) -> None:
        """In the loop's callback: takes the ends in; whoever they are for hears of them in the next turn."""
        for _ in range(ACCEPTED_AT_ONCE):
            if _descriptor(self._listener) < 0:
                self.let_go()
                return
            try:
                end = self._listener.accept()
            except OSError:  # no descriptor is left: try again when some may have been given back
                self._ends.accept_failures += 1
                self._watcher.stop()
                gevent.spawn_later(OUT_OF_FILES_S, self._go_on)
                return
            if end is None:
                return
            self._ends.arrivals.append((self._listener, end))
            self._ends.ring()

    def let_go(self) -> None:
        """Watches no more."""
        if self._ends.watched.pop(self._number, None) is not None:
            self._watcher.stop()
            self._watcher.close()

    def _go_on(self) -> None:
        if self._number in self._ends.watched:
            self._watcher.start(self._knock)


def _descriptor(thing: object) -> int:
    """Of an end or a listener; -1 once it is closed."""
    fileno = getattr(thing, "fileno", None)
    if fileno is None:
        raise TypeError(f"{type(thing).__name__} has no descriptor to watch: the paced clock needs real sockets")
    number: int = fileno()
    return number
