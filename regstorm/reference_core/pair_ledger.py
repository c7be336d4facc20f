"""The books on served UDM pairs: which of them led to full service, and which were wasted.

A pair is entered under the procedure that asked for it. The rule:

* Full service of a UE settles all its open procedures: their pairs were well spent.
* A procedure that fails or is abandoned is written off: its pairs so far, and any that are served for it later. A
  registration that was accepted and a session that is up have not failed, whatever becomes of the REGISTRATION
  COMPLETE or of the session's registration at the UDM: their UE can reach full service with them.
* A UE that registers anew before it had full service writes off what it had open: it starts from nothing.

Where full service needs IMS as well, the procedures of a UE that has reached it in 5GS are kept until both
application servers hold the UE's registration (`ready`, `in_full_service`).

So at any time served = settled + written off + open. A service request or a periodic update asks for no pairs and
needs no procedure here; pairs of number 0 (deregistrations) are the price of leaving and are not wasted.
"""

from collections.abc import Callable, Mapping
from typing import Final

from regstorm.records import counters
from regstorm.records.ports import Tally

NO_PROCEDURE = 0
_NO_PAIRS: Final[Mapping[str, int]] = {}


class PairLedger:
    """Pairs by procedure, for one core."""

    def __init__(self, tally: Tally) -> None:
        self._tally = tally
        self._open: dict[int, dict[str, int]] = {}
        """Pairs by interface."""
        self._last = NO_PROCEDURE
        self._kept: dict[str, list[int]] = {}
        self.is_served: Callable[[str], bool] | None = None
        """Says of a SUPI whether it has full service in IMS; None: full service needs no IMS."""
        self.settled = 0
        self.written_off = 0

    def open(self) -> int:
        """A number for a new procedure."""
        self._last += 1
        self._open[self._last] = {}
        return self._last

    @property
    def pending(self) -> int:
        """Pairs of procedures whose end is not known yet."""
        return sum(sum(pairs.values()) for pairs in self._open.values())

    def served(self, procedure: int, now: float, interface: str = "") -> None:
        """The UDM has served one pair for `procedure`; `interface` empty: not known."""
        pairs = self._open.get(procedure)
        if pairs is not None:
            pairs[interface] = pairs.get(interface, 0) + 1
        elif procedure == NO_PROCEDURE:
            self.settled += 1
        else:
            self._lose({interface: 1}, now)

    def settle(self, procedure: int) -> None:
        """The UE of `procedure` is in full service. Harmless if it is closed already."""
        self.settled += sum(self._open.pop(procedure, _NO_PAIRS).values())

    def ready(self, supi: str, procedure: int) -> None:
        """`procedure` has done its part for the full service of `supi`: settled as soon as that is reached."""
        if self.is_served is None or self.is_served(supi):
            self.settle(procedure)
        else:
            self._kept.setdefault(supi, []).append(procedure)

    def in_full_service(self, supi: str) -> None:
        """Everything that was ready for it is settled."""
        for procedure in self._kept.pop(supi, ()):
            self.settle(procedure)

    def starts_anew(self, supi: str, now: float) -> None:
        """The UE begins from nothing: what was ready has come to nothing. Harmless if there is nothing."""
        for procedure in self._kept.pop(supi, ()):
            self.write_off(procedure, now)

    def write_off(self, procedure: int, now: float) -> None:
        """`procedure` has come to nothing. Harmless if it is closed already."""
        self._lose(self._open.pop(procedure, _NO_PAIRS), now)

    def _lose(self, pairs: Mapping[str, int], now: float) -> None:
        """Where full service needs IMS, waste is counted by interface as well."""
        lost = sum(pairs.values())
        if not lost:
            return
        self.written_off += lost
        self._tally.count(counters.UDM_PAIRS_LOST, now, lost)
        if self.is_served is not None:
            for interface, of_it in pairs.items():
                if interface:
                    self._tally.count(f"{counters.UDM_PAIRS_LOST}.{interface}", now, of_it)
