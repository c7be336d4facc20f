"""The cap on attempts: however a storm is set up, it begins no more than so many attempts in a second of wall time.

Looks at what a gNB sends: INITIAL UE MESSAGE begins an attempt of a UE (TS 38.413 8.6.1). One that comes above the cap
waits here, in order, and is counted; everything else passes. A message that waits is never lost but with its
association, as if it had been on its way.
"""

from collections import deque
from collections.abc import Callable

from regstorm.overload.token_bucket import TokenBucket
from regstorm.records.ports import Agenda, Tally

DEPTH_S = 0.1  # wall seconds of attempts that may come at once
ATTEMPTS_DELAYED = "ues.attempts_delayed"
"""A column of timeline.csv in runs in which the cap had to do something."""
_INITIAL_UE_MESSAGE = b"\x00\x0f"  # initiating message, procedure code 15 (TS 38.413 9.4)

Send = Callable[[bytes, int], None]


def begins_attempt(data: bytes) -> bool:
    """An NGAP PDU that begins a UE's attempt."""
    return data[:2] == _INITIAL_UE_MESSAGE


class AttemptsCap:
    """One for all gNBs of a process."""

    def __init__(self, per_wall_s: float, speed: float, agenda: Agenda, tally: Tally) -> None:
        """`speed`: scenario seconds per wall second; the agenda's time is the scenario's."""
        if not per_wall_s > 0:
            raise ValueError(f"a cap on attempts must be above 0, not {per_wall_s}")
        self.delayed = 0
        """Attempts that had to wait so far."""
        self._rate = per_wall_s / speed
        self._bucket = TokenBucket(self._rate, max(DEPTH_S * per_wall_s, 1.0))
        self._agenda = agenda
        self._tally = tally
        self._waiting: deque[tuple[bytes, int, Send]] = deque()

    @property
    def waiting(self) -> int:
        """Attempts that wait now."""
        return len(self._waiting)

    def pass_on(self, data: bytes, stream: int, send: Send, now: float) -> None:
        """Sends the beginning of an attempt, now or when its turn has come."""
        if not self._waiting and self._bucket.admits(now):
            send(data, stream)
            return
        self.delayed += 1
        self._tally.count(ATTEMPTS_DELAYED, now)
        self._waiting.append((data, stream, send))
        if len(self._waiting) == 1:
            self._agenda.at(now + 1 / self._rate, self._let_go)

    def _let_go(self, now: float) -> None:
        while self._waiting and self._bucket.admits(now):
            data, stream, send = self._waiting.popleft()
            send(data, stream)
        if self._waiting:
            self._agenda.at(now + 1 / self._rate, self._let_go)
