"""The paced clock: scenario time is wall time, multiplied by a speed, on gevent's event loop.

The agenda and the verbs of the lockstep clock, for storms whose two halves live in two processes, that somebody
watches in Locust's web page, or that meet a core which is not ours. Per turn, each part bounded so that a turn ends
within some milliseconds of wall time:

    1. call the actions that are due, earliest first, and note how late each of them is;
    2. tell their handlers what has been read from the ends, some messages of each at a time;
    3. hand to the wire what was sent meanwhile, one write for each association;
    4. let every other greenlet run (Locust's web page, the control socket); rest until something is due or arrives.

After a turn that found work and finished it the whole thread naps until GRAIN_S after the turn's beginning, so that a
busy clock reads and writes in batches: waking up costs more than a registration's worth of messages to a sleeper that
is woken for each of them (50 µs on the machine where this was measured).

An action is told the time at which it is called, not the one at which it was due. Its lateness is measured from its
due time, past due times included: whoever schedules into the past because it is behind is late, and seen to be.
Wall time is monotonic; only the beginning is agreed as time of day, because the other half has to agree too.
"""

import heapq
import time
from collections.abc import Callable
from math import inf

import gevent
import gevent.monkey
from gevent.event import Event

from regstorm.drivers.agenda import ACTION, Entry, HeapAgenda
from regstorm.drivers.association import Address, Association, Listener, Transport
from regstorm.drivers.lateness import Lateness
from regstorm.drivers.lockstep import PROGRESS_EVERY_S, Ended
from regstorm.drivers.watched_ends import Watched, WatchedEnds, WatchedListener

TURN_S = 0.004  # wall time that a turn works before it lets others run, assumed: a web page needs no more
GRAIN_S = 0.001  # between the beginnings of two turns that find everything done: wall time,
GRAIN_SCENARIO_S = 0.005  # … or scenario time, whichever is less
LOOP_GRAIN_S = 0.001  # the event loop's waits end on whole milliseconds (epoll_wait)
REST_S = 0.1  # the longest rest: stop flags and ends of runs are looked at ten times a second

_block = gevent.monkey.get_original("time", "sleep")


def _nobody_watches(now: float) -> None:
    """The progress hook of a run that shows none."""


class _PastAgenda(HeapAgenda):
    """An agenda that keeps due times which have passed, because lateness is measured from them."""

    def at(self, due_s: float, action: Callable[[float], None]) -> Entry:
        if due_s != due_s:
            raise ValueError("an action cannot be due at NaN")
        self._added = added = self._added + 1
        entry = Entry((due_s, added, action, self))
        heapq.heappush(self._heap, entry)
        return entry

    def call_due(
        self, until_s: float, time_of: Callable[[], float], noted: Callable[[float], None], limit_s: float
    ) -> tuple[int, bool]:
        """Calls what is due, each at the time that `time_of` tells; how many, and whether more is due.

        `noted(late_s)` is told before each. Stops at scenario time `limit_s`, or after what is due at `until_s`.
        """
        heap, called = self._heap, 0
        while heap:
            entry = heap[0]
            due_s, _, action, _ = entry
            if action is None:
                heapq.heappop(heap)
                self._cancelled -= 1
                continue
            now = time_of()
            if due_s > now or due_s > until_s:
                break
            if now > limit_s:
                return called, True
            heapq.heappop(heap)
            entry[ACTION] = None
            if now > self.now:
                self.now = now
            noted(now - due_s)
            called += 1
            action(self.now)
        return called, False


class PacedClock:
    """Agenda and deliverer in one, on the hub of the thread that made it."""

    def __init__(
        self,
        speed: float = 1.0,
        progress: Callable[[float], None] = _nobody_watches,
        wall: Callable[[], float] = time.monotonic,
    ) -> None:
        """`speed`: scenario seconds per wall second."""
        if not speed > 0:
            raise ValueError(f"the speed of a clock must be above 0, not {speed}")
        self.speed = speed
        self.lateness = Lateness()
        self._agenda = _PastAgenda()
        self.at = self._agenda.at  # bound here, not wrapped: it is called for every timer of every UE
        self._wall = wall
        self._zero_wall_s: float | None = None
        self._progress = progress
        self._progress_due_s = 0.0
        self._stopping = False
        self._bell = Event()
        self._resting = False
        self._ends = WatchedEnds(self._ring)
        self.actions = 0  # called so far
        self.turns = 0

    # ---- time

    @property
    def now(self) -> float:
        """Scenario seconds, as the last action or handler was told them; 0 until the clock has begun."""
        return self._agenda.now

    @property
    def time_s(self) -> float:
        """Scenario seconds at this moment, whether anything happens in it or not; 0 until second 0."""
        return 0.0 if self._zero_wall_s is None else max(self._agenda.now, self._scenario_s())

    @property
    def waiting(self) -> int:
        """Actions that will still be called."""
        return self._agenda.waiting

    @property
    def began(self) -> bool:
        """Scenario second 0 is agreed."""
        return self._zero_wall_s is not None

    def begin(self, zero: float | None = None) -> None:
        """Scenario second 0 is at time of day `zero` (seconds since the epoch), by default now. Once."""
        if self._zero_wall_s is not None:
            raise RuntimeError("this clock has begun already")
        self._zero_wall_s = self._wall() + (0.0 if zero is None else zero - time.time())

    def stop(self) -> None:
        """run() returns after this turn; may be called from anywhere in this thread."""
        self._stopping = True
        self._ring()

    def run(self, until_s: float, finished: Callable[[], bool] = lambda: False) -> Ended:
        """Works until scenario time `until_s`; `finished` is asked after each turn. Can be called again to go on.

        Associations are served from the first turn on, actions from scenario second 0 on.
        """
        if self._zero_wall_s is None:
            self.begin()
        while True:
            began_wall_s, done = self._wall(), self._done
            more = self._turn(began_wall_s, until_s)
            if self._stopping:
                self._stopping = False
                return Ended.STOPPED
            if finished():
                return Ended.FINISHED
            if not more and self._scenario_s() >= until_s and self._next_due_s() > until_s:
                self._agenda.now = max(self._agenda.now, until_s)
                return Ended.UNTIL
            self._report_progress()
            if more:
                gevent.sleep(0)
            elif self._done > done:
                self._nap(began_wall_s + min(GRAIN_S, GRAIN_SCENARIO_S / self.speed) - self._wall())
            else:
                self._rest(until_s)

    def _next_due_s(self) -> float:
        due_s = self._agenda.next_due_s()
        return inf if due_s is None else due_s

    def _scenario_s(self) -> float:
        assert self._zero_wall_s is not None
        return (self._wall() - self._zero_wall_s) * self.speed

    def _turn(self, began_wall_s: float, until_s: float) -> bool:
        """True if something is left to do at once."""
        self.turns += 1
        stop_wall_s = began_wall_s + TURN_S
        more = self._call_due(until_s)
        more = self._ends.tell(self._moment, lambda: self._wall() > stop_wall_s) or more
        self._ends.flush(self._moment)
        return more or self._ends.have_work

    @property
    def _done(self) -> int:
        """Grows with whatever a turn finds to do."""
        return self.actions + self._ends.served

    def _call_due(self, until_s: float) -> bool:
        limit_s = self._scenario_s() + TURN_S * self.speed
        called, more = self._agenda.call_due(until_s, self._scenario_s, self.lateness.note, limit_s)
        self.actions += called
        return more

    def _report_progress(self) -> None:
        wall_s = self._wall()
        if wall_s >= self._progress_due_s:
            self._progress_due_s = wall_s + PROGRESS_EVERY_S
            self._progress(self._agenda.now)

    def _nap(self, wall_s: float) -> None:
        """Blocks the thread for a moment, then lets others run."""
        if wall_s > 0:
            _block(wall_s)
        gevent.sleep(0)

    def _rest(self, until_s: float) -> None:
        """Until an action is due or somebody rings; other greenlets run."""
        due_s = min(self._next_due_s(), until_s)
        rest_s = min(REST_S, (due_s - self._scenario_s()) / self.speed)
        if self._ends.have_work or self._stopping:
            return
        if rest_s < LOOP_GRAIN_S:
            self._nap(rest_s)
            return
        self._bell.clear()
        self._resting = True
        self._bell.wait(rest_s)
        self._resting = False

    def _ring(self) -> None:
        if self._resting:
            self._bell.set()

    # ---- associations

    def connect(self, transport: Transport, address: Address) -> Association:
        """One end, at once, perhaps still connecting; if it is refused, its on_closed is told so in a later turn."""
        end = transport.connect(address)
        self.attend(end)
        return end

    def listen(
        self, transport: Transport, on_association: Callable[[Association], None], address: Address | None = None
    ) -> Listener:
        """Listens; each end that arrives is attended and handed to `on_association`. OSError if `address` is taken."""
        listener = transport.listen(on_association, address)
        self._ends.attend_listener(listener)
        return listener

    def attend(self, end: Watched) -> None:
        """Takes over one end: reads when it is readable, writes what it sends."""
        self._ends.attend(end)

    def attend_listener(self, listener: WatchedListener) -> None:
        """Takes in whoever knocks there."""
        self._ends.attend_listener(listener)

    def close(self) -> None:
        """Watches nothing any more. Associations and listeners are their owners' to close."""
        self._ends.let_go()

    def _moment(self) -> float:
        """Now, for what arrives: never before what was told last, never before second 0."""
        now = self._scenario_s()
        if now > self._agenda.now:
            self._agenda.now = now
        return self._agenda.now
