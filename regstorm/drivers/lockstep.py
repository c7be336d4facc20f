"""The lockstep clock: scenario time jumps as soon as every octet that was sent has been received.

UEs and core live in one process, octets cross real sockets (or in-memory pipes). Per instant:

    1. call every action that is due;
    2. serve the ends that have something to move or to tell, in the order in which they were created: move all that
       this end sent, wait until the other end has all of it, then dispatch there, then here;
    3. repeat 2 until no end is left: whatever a handler sends travels in the same instant, in its turn or next round;
    4. call what became due in this very instant (then 2 again), else jump to the next due time.

So nothing is ever late, and what a handler sees depends on the seed alone: the kernel may deliver a segment when it
likes, but no handler runs before the octets of the end whose turn it is are complete. An idle association costs
nothing. Wall time is read for two things only: progress, and patience with octets that do not arrive.
"""

import time
from collections.abc import Callable
from enum import StrEnum
from functools import partial
from operator import attrgetter

from regstorm.drivers.agenda import HeapAgenda
from regstorm.drivers.framed import FramedAssociation, FramedListener, FramedTransport

PATIENCE_S = 5.0  # wall time without a single octet of progress before the run fails
PROGRESS_EVERY_S = 0.2  # wall time between two calls of the progress hook
INSTANT_LIMIT = 1_000_000  # actions, and rounds of delivery, in one instant before it counts as a loop without end
_GLANCE_S = 0.05  # one wait for a descriptor

_by_number = attrgetter("number")


class Ended(StrEnum):
    """Why run() returned."""

    FINISHED = "finished"  # the caller's condition holds
    UNTIL = "until"  # scenario time is up
    STOPPED = "stopped"  # stop() was called
    IDLE = "idle"  # nothing is scheduled and nothing is in flight: nothing would ever happen again


class OctetsMissing(RuntimeError):
    """The machine did not deliver what was sent over its own loopback within the clock's patience."""


class NeverEnding(RuntimeError):
    """Actions or messages follow each other without scenario time passing: a mistake of the program."""


def _nobody_watches(now: float) -> None:
    """The progress hook of a run that shows none."""


class LockstepClock:
    """Agenda and deliverer in one. Every end it drives is joined in pairs, or alone if it was refused."""

    def __init__(
        self,
        progress: Callable[[float], None] = _nobody_watches,
        patience_s: float = PATIENCE_S,
        instant_limit: int = INSTANT_LIMIT,
    ) -> None:
        self._agenda = HeapAgenda()
        self._progress = progress
        self._patience_s = patience_s
        self._instant_limit = instant_limit
        self._progress_due_s = 0.0  # wall time
        self._stopping = False
        self._ends = 0
        self._peers: dict[FramedAssociation, FramedAssociation] = {}
        self._woken: list[FramedAssociation] = []
        self.at = self._agenda.at  # bound here, not wrapped: it is called for every timer of every UE
        self.actions = 0  # called so far
        self.instants = 0

    @property
    def now(self) -> float:
        """Scenario seconds."""
        return self._agenda.now

    @property
    def waiting(self) -> int:
        """Actions that will still be called."""
        return self._agenda.waiting

    # ---- associations

    def join(self, near: FramedAssociation, far: FramedAssociation | None) -> None:
        """Takes over both ends of an association; the order of joining is the order of serving."""
        for end in (near, far):
            if end is not None:
                self._ends += 1
                end.number = self._ends
                end.woken = partial(self._wake, end)
                if end.wants_attention:
                    self._wake(end)
        if far is not None:
            self._peers[near], self._peers[far] = far, near

    def connect(self, transport: FramedTransport, listener: FramedListener) -> FramedAssociation:
        """Connects to a listener of this process; the far end has been given to its on_association on return.

        If the listener has closed, the near end is `refused`, and told so in the next delivery.
        """
        near = transport.connect(listener.address)
        if near.reason is not None:
            self.join(near, None)
            return near
        far = self._accepted(near, listener)
        self.join(near, far)
        if far is not None:
            listener.on_association(far)
        return near

    def peer(self, end: FramedAssociation) -> FramedAssociation | None:
        """The far end, for captures; None if there is none or it is over for both."""
        return self._peers.get(end)

    def _accepted(self, near: FramedAssociation, listener: FramedListener) -> FramedAssociation | None:
        """The other end of `near`; None if the connection was refused. Whoever else knocks is turned away."""
        give_up_at = time.monotonic() + self._patience_s
        while near.reason is None:
            far = listener.accept()
            if far is not None:
                if far.meets(near):
                    return far
                far.cut()
            elif near.wait_readable(0.0):
                near.receive()
            elif time.monotonic() > give_up_at:
                raise OctetsMissing(f"no connection to {listener.address} within {self._patience_s:g} s")
            else:
                near.wait_readable(0.001)
        return None

    def _wake(self, end: FramedAssociation) -> None:
        self._woken.append(end)

    # ---- time

    def stop(self) -> None:
        """run() returns before the next instant; may be called by an action, a handler or a signal handler."""
        self._stopping = True

    def run(self, until_s: float, finished: Callable[[], bool] = lambda: False) -> Ended:
        """Runs every instant up to and including `until_s`; `finished` is asked after each.

        After UNTIL `now` is `until_s`, otherwise it is the last instant. Can be called again to go on.
        """
        agenda = self._agenda
        self._complete_instant()
        while not finished():
            if self._stopping:
                self._stopping = False
                return Ended.STOPPED
            due_s = agenda.next_due_s()
            if due_s is None:
                return Ended.IDLE
            if due_s > until_s:
                agenda.now = max(agenda.now, until_s)
                return Ended.UNTIL
            agenda.now = due_s
            self._complete_instant()
            self.instants += 1
            self._report_progress()
        return Ended.FINISHED

    def _report_progress(self) -> None:
        wall_s = time.monotonic()
        if wall_s >= self._progress_due_s:
            self._progress_due_s = wall_s + PROGRESS_EVERY_S
            self._progress(self._agenda.now)

    def _complete_instant(self) -> None:
        agenda, left = self._agenda, self._instant_limit
        while True:
            called = agenda.run_due(left)
            self.actions += called
            left -= called
            while self._woken and left > 0:
                self._serve_round()
                left -= 1
            if left <= 0:
                raise NeverEnding(f"at {agenda.now:.6f} s one thing led to another {self._instant_limit} times")
            due_s = agenda.next_due_s()
            if due_s is None or due_s > agenda.now:
                return

    # ---- octets

    def _serve_round(self) -> None:
        """One turn for every end that was woken, in order of creation."""
        ends, self._woken = self._woken, []
        if len(ends) > 1:
            ends.sort(key=_by_number)
        now = self._agenda.now
        for end in ends:
            end.attended()
            peer = self._peers.get(end)
            if peer is not None:
                self._move(end, peer)
                peer.dispatch(now)
            end.dispatch(now)
            if peer is not None and end.told and peer.told:
                del self._peers[end], self._peers[peer]  # nothing can come of it any more

    def _move(self, end: FramedAssociation, peer: FramedAssociation) -> None:
        """Everything `end` has sent, and its end if it has ended, arrives at `peer`; nothing is told yet."""
        if peer.reason is not None:
            return  # nobody is there to receive; `end` learns it in the peer's turn, if it has not yet
        flushed = end.flush()
        waiting_since = None
        while peer.reason is None:
            over = end.reason is not None  # then `peer` has to hear of it, not only to count octets
            if flushed and not over and peer.wire_received == end.wire_sent:
                return
            if peer.receive():
                waiting_since = None
            elif waiting_since is None:
                waiting_since = time.monotonic()
            elif time.monotonic() - waiting_since > self._patience_s:
                raise OctetsMissing(
                    f"association end {peer.number}: {peer.wire_received} of {end.wire_sent + end.queued_octets} octets"
                    f" arrived, and no more for {self._patience_s:g} s"
                )
            elif flushed:
                peer.wait_readable(_GLANCE_S)
            else:
                end.wait_writable(_GLANCE_S)
            if not flushed:
                flushed = end.flush()
