"""Calls to the UDM: pairs that are asked for one after the other, and what each of them costs."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final

from regstorm.records import counters
from regstorm.records.operations import Nf
from regstorm.simulator.chain import Pair
from regstorm.simulator.equal_waits import EqualWaits
from regstorm.simulator.ledger import Account
from regstorm.simulator.population import Ue
from regstorm.simulator.stations import Station

_COUNTED: Final = (counters.UDM_OFFERED, counters.UDM_SERVED, counters.UDM_DROPPED)

Told = Callable[[Ue, Any, float], None]
"""Called with the UE, what the calls were tagged with, and `now`."""


def unheard(ue: Ue, tag: Any, now: float) -> None:
    """Told when nobody is interested, or not any more."""


class PairCounts:
    """Pairs on one interface, since they were last handed on."""

    __slots__ = ("_names", "dropped", "offered", "one", "served")

    def __init__(self, interface: str, as_sum: int) -> None:
        self._names = [(counted, f"{counted}.{interface}") for counted in _COUNTED]
        self.offered = self.served = self.dropped = 0
        self.one = as_sum
        """One of them in the sums of the books."""

    def hand_on(self, counts: dict[str, int]) -> None:
        """Adds them to `counts`, in all and by interface."""
        for names, pairs in zip(self._names, (self.offered, self.served, self.dropped), strict=True):
            if pairs:
                for name in names:
                    counts[name] += pairs
        self.offered = self.served = self.dropped = 0


class Charge:
    """What a pair costs, how far it is, who serves it and where it is counted, looked up once."""

    __slots__ = ("at_hss", "before_s", "cost", "interface", "pairs", "stations", "tier", "waits")

    def __init__(
        self,
        pair: Pair,
        tier: int,
        cost: float,
        before_s: float,
        waits: "EqualWaits[Call]",
        stations: "Sequence[Station[Call]]",
        pairs: PairCounts,
    ) -> None:
        self.tier = tier
        self.cost = cost
        self.before_s = before_s
        """From the cause of its first request to the function next to the UDM."""
        self.waits = waits
        """The time-outs of its first request, which count from the function next to the UDM."""
        self.at_hss = pair.operation.server is Nf.HSS
        """A DRA is on the way."""
        self.stations = stations
        """Which serves it, by the place of the UE's UDM."""
        self.interface = pair.operation.interface
        self.pairs = pairs


Charges = tuple[Charge, ...]


class Call:
    """Pairs that are asked for one after the other, and the request for one of them on its way."""

    __slots__ = (
        "account",
        "answered",
        "charge",
        "failed",
        "rest",
        "tag",
        "tries_left",
        "ue",
        "waiting",
    )

    def __init__(
        self, ue: Ue, tag: Any, charges: Iterator[Charge], account: Account | None, answered: Told, failed: Told
    ) -> None:
        self.ue = ue
        self.tag = tag
        self.charge: Charge
        """Of the pair that is asked for now."""
        self.rest = charges
        """Of those to be asked for after it."""
        self.account = account
        self.answered = answered
        self.failed = failed
        self.tries_left = 0
        self.waiting: EqualWaits[Call] | None = None
        """With the request; None: an answer to it is of no interest any more."""

    def stop_waiting(self) -> None:
        """The request was answered, or its answer is of no interest any more. Harmless if that was so."""
        if self.waiting is not None:
            del self.waiting.until[self]
            self.waiting = None

    def once_more(self) -> "Call":
        """The same with another request: the one that was given up is still on its way, or at the UDM."""
        call = Call(self.ue, self.tag, self.rest, self.account, self.answered, self.failed)
        call.charge = self.charge
        call.tries_left = self.tries_left - 1
        return call
