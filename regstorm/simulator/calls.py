"""Calls to the UDM: pairs that are asked for one after the other, and what each of them costs."""

from collections.abc import Callable
from typing import Any

from regstorm.records import counters
from regstorm.records.operations import Nf
from regstorm.simulator.chain import Pair
from regstorm.simulator.equal_waits import EqualWaits
from regstorm.simulator.ledger import Account
from regstorm.simulator.population import Ue

Told = Callable[[Ue, Any, float], None]
"""Called with the UE, what the calls were tagged with, and `now`."""


class Charge:
    """What a pair costs, how far it is and where it is counted, looked up once."""

    __slots__ = ("at_hss", "cost", "dropped", "hops_before", "interface", "offered", "served", "tier", "unit")

    def __init__(self, pair: Pair, tier: int, cost: float, unit: int) -> None:
        self.hops_before = pair.hops - 1
        """Between the cause of its request and the function next to the UDM."""
        self.tier = tier
        self.cost = cost
        self.unit = unit
        """Added to the place of the UE's UDM: where units of its own serve this pair."""
        self.at_hss = pair.operation.server is Nf.HSS
        """A DRA is on the way."""
        self.interface = interface = pair.operation.interface
        self.offered = f"{counters.UDM_OFFERED}.{interface}"
        self.served = f"{counters.UDM_SERVED}.{interface}"
        self.dropped = f"{counters.UDM_DROPPED}.{interface}"


Charges = tuple[Charge, ...]


class Call:
    """Pairs that are asked for one after the other. An answer to any request but `request` is of no interest."""

    __slots__ = (
        "account",
        "answered",
        "charges",
        "failed",
        "position",
        "request",
        "tag",
        "tries_left",
        "ue",
        "waiting",
    )

    def __init__(
        self, ue: Ue, tag: Any, charges: Charges, account: Account | None, answered: Told, failed: Told
    ) -> None:
        self.ue = ue
        self.tag = tag
        self.charges = charges
        self.account = account
        self.answered = answered
        self.failed = failed
        self.position = 0
        self.tries_left = 0
        self.request: Request | None = None
        self.waiting: EqualWaits[Call]
        """With the request."""

    def stop_waiting(self) -> None:
        """The request was answered, or its answer is of no interest any more. Once only."""
        self.request = None
        self.waiting.end(self)


Request = tuple[Call, Charge]
"""Told from another one of the same call by its identity."""
