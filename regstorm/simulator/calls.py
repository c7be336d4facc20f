"""Calls to the UDM, and who waits for an answer.

A call asks for pairs one after the other. Those who wait for the same time give up in the order in which they began,
so only the first of them stands in the event heap. Whoever has an answer is forgotten at once: of the many thousands
that are asked in the time of a time-out, few wait, and those few stay in the processor's caches.
"""

from collections import OrderedDict
from collections.abc import Callable

from regstorm.records import counters
from regstorm.records.operations import Nf
from regstorm.simulator import events
from regstorm.simulator.chain import Pair
from regstorm.simulator.engine import EventHeap
from regstorm.simulator.ledger import Account
from regstorm.simulator.population import Ue

Told = Callable[[Ue, int, float], None]
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
        self, ue: Ue, tag: int, charges: Charges, account: Account | None, answered: Told, failed: Told
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
        self.waiting: Waiting
        """With the request."""

    def stop_waiting(self) -> None:
        """The request was answered, or its answer is of no interest any more. Once only."""
        self.request = None
        self.waiting.forget(self)


Request = tuple[Call, Charge]
"""Told from another one of the same call by its identity."""


class Waiting:
    """Those who wait equally long. Its events have `index` as their subject."""

    __slots__ = ("_heap", "_index", "_timer_runs", "_until", "forget")

    def __init__(self, heap: EventHeap, index: int) -> None:
        self._heap = heap
        self._index = index
        self._until: OrderedDict[Call, float] = OrderedDict()
        """Until when, by call: the first is the first to give up."""
        self.forget = self._until.__delitem__
        """The call waits no longer."""
        self._timer_runs = False

    def add(self, call: Call, given_up_s: float) -> None:
        """The call waits for its next answer, no less long than those before it."""
        call.waiting = self
        self._until[call] = given_up_s
        if not self._timer_runs:
            self._timer_runs = True
            self._heap.at(given_up_s, events.CALL_TIMEOUT, self._index)

    def first_given_up(self, now: float) -> Call | None:
        """The time is over of the first who waited when the timer was set: the call, if it does still wait."""
        given_up = None
        for call, due_s in self._until.items():
            if due_s > now or given_up is not None:
                self._heap.at(due_s, events.CALL_TIMEOUT, self._index)
                break
            given_up = call
        else:
            self._timer_runs = False
        if given_up is not None:
            given_up.stop_waiting()
        return given_up
