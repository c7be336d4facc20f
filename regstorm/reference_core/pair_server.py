"""The front door of a UDM/HSS: every pair passes it, whatever its interface, and is worked off behind it.

A pair is counted here, by interface, whoever asked. It is offered to the protected server at the cost of its
operation; what the server sheds gets no answer (the consumer's timeout tells it), or is told so at once where the
scenario wants it; what it serves gets its answer when the work is done. Reads and writes at the UDR (N35) are part of
that work and not counted.

One door may serve the operations of both UDM and HSS (processing units shared by EPC, IMS and 5GC), or each has one.
"""

from collections.abc import Callable, Mapping
from typing import Protocol

from regstorm.overload.tiers import TierTable
from regstorm.records import counters
from regstorm.records.node_counters import UDM, of_node
from regstorm.records.operations import Operation
from regstorm.records.ports import Tally
from regstorm.reference_core.bus import CONGESTED, Answer, Call, Failed, Producer, Reply
from regstorm.reference_core.pair_ledger import PairLedger
from regstorm.reference_core.service_queue import ServiceQueue

PairHandler = Callable[[Call], Answer]

_INTERFACES = ("N13", "N8", "N10", "Cx", "Sh")
_BY_INTERFACE = (counters.UDM_OFFERED, counters.UDM_SERVED, counters.UDM_DROPPED)


def _names(kind: str, node: str | None) -> dict[str, dict[str, tuple[str, ...]]]:
    """What is counted for a pair on each interface, made once: two of them are counted for every pair."""
    names = {}
    for name in _BY_INTERFACE:
        whole = (name,) if node is None else (name, of_node(kind, name, node))
        names[name] = {interface: (*whole, *(f"{one}.{interface}" for one in whole)) for interface in _INTERFACES}
    return names


class Doors(Producer, Protocol):
    """Where the pairs of a UDM or HSS arrive: at one door, or at those of several nodes."""

    def answers(self, handlers: Mapping[Operation, PairHandler]) -> None:
        """From now on these operations are served there."""


class PairServer:
    """Processing units with one capacity, and what they answer."""

    def __init__(
        self,
        queue: ServiceQueue,
        tiers: TierTable,
        tally: Tally,
        ledger: PairLedger,
        cost_per_operation: Mapping[str, float],
        kind: str = UDM,
        node: str | None = None,
    ) -> None:
        """`node`: its name, if there are several of `kind` (records.node_counters)."""
        self.queue = queue
        self.tiers = tiers
        self._tally = tally
        self._ledger = ledger
        self._costs = cost_per_operation
        self._handlers: dict[Operation, PairHandler] = {}
        self._names = _names(kind, node)
        rejected = counters.UDM_REJECTION_WORK
        self._names_of_rejections = (rejected,) if node is None else (rejected, of_node(kind, rejected, node))
        self.lost = False
        """It is down: nothing that comes is heard."""
        self.says_refusals = False
        """Whom it sheds is told so at once."""

    def answers(self, handlers: Mapping[Operation, PairHandler]) -> None:
        """From now on these operations are served here."""
        self._handlers.update(handlers)

    def arrives(self, call: Call, deadline_s: float, reply: Reply, now: float) -> None:
        """Counts, charges, and serves or sheds. Does not look at the deadline: late work is done all the same."""
        if self.lost:
            return
        self._count(counters.UDM_OFFERED, call, now)
        tier = self.tiers.tier(call.message_class)
        cost = self._costs.get(call.operation.name, 1.0)
        server = self.queue.server
        rejected_before = server.rejection_work
        if self.queue.offer(now, tier, cost, lambda at: self._serve(call, reply, at)):
            return
        self._count(counters.UDM_DROPPED, call, now)
        work = round(1000 * (server.rejection_work - rejected_before))
        if work:
            for name in self._names_of_rejections:
                self._tally.count(name, now, work)
        if self.says_refusals:
            reply(Failed(CONGESTED), now)

    def _serve(self, call: Call, reply: Reply, now: float) -> None:
        self._count(counters.UDM_SERVED, call, now)
        self._ledger.served(call.procedure, now, call.operation.interface)
        reply(self._handlers[call.operation](call), now)

    def _count(self, name: str, call: Call, now: float) -> None:
        for one in self._names[name][call.operation.interface]:
            self._tally.count(one, now)
