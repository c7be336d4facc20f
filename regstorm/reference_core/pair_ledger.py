"""The books on served UDM pairs: which of them led to full service, and which were wasted.

A pair is entered under the procedure that asked for it. The rule:

* Full service of a UE settles all its open procedures: their pairs were well spent.
* A procedure that fails or is abandoned is written off: its pairs so far, and any that are served for it later.
* A UE that registers anew before it had full service writes off what it had open: it starts from nothing.

So at any time served = settled + written off + open. A service request or a periodic update asks for no pairs and
needs no procedure here; pairs of number 0 (deregistrations) are the price of leaving and are not wasted.
"""

from regstorm.records import counters
from regstorm.records.ports import Tally

NO_PROCEDURE = 0


class PairLedger:
    """Pairs by procedure, for one core."""

    def __init__(self, tally: Tally) -> None:
        self._tally = tally
        self._open: dict[int, int] = {}
        self._last = NO_PROCEDURE
        self.settled = 0
        self.written_off = 0

    def open(self) -> int:
        """A number for a new procedure."""
        self._last += 1
        self._open[self._last] = 0
        return self._last

    @property
    def pending(self) -> int:
        """Pairs of procedures whose end is not known yet."""
        return sum(self._open.values())

    def served(self, procedure: int, now: float) -> None:
        """The UDM has served one pair for `procedure`."""
        if procedure in self._open:
            self._open[procedure] += 1
        elif procedure == NO_PROCEDURE:
            self.settled += 1
        else:
            self._lose(1, now)

    def settle(self, procedure: int) -> None:
        """The UE of `procedure` is in full service. Harmless if it is closed already."""
        self.settled += self._open.pop(procedure, 0)

    def write_off(self, procedure: int, now: float) -> None:
        """`procedure` has come to nothing. Harmless if it is closed already."""
        self._lose(self._open.pop(procedure, 0), now)

    def _lose(self, pairs: int, now: float) -> None:
        if pairs:
            self.written_off += pairs
            self._tally.count(counters.UDM_PAIRS_LOST, now, pairs)
