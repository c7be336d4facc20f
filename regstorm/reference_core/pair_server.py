"""The front door of a UDM/HSS: every pair passes it, whatever its interface, and is worked off behind it.

A pair is counted here, by interface, whoever asked. It is offered to the protected server at the cost of its
operation; what the server sheds gets no answer (the consumer's timeout tells it); what it serves gets its answer when
the work is done. Reads and writes at the UDR (N35) are part of that work and not counted.

One door may serve the operations of both UDM and HSS (processing units shared by EPC, IMS and 5GC), or each has one.
"""

from collections.abc import Callable, Mapping

from regstorm.overload.tiers import TierTable
from regstorm.records import counters
from regstorm.records.operations import Operation
from regstorm.records.ports import Tally
from regstorm.reference_core.bus import Answer, Call, Reply
from regstorm.reference_core.pair_ledger import PairLedger
from regstorm.reference_core.service_queue import ServiceQueue

PairHandler = Callable[[Call], Answer]

_BY_INTERFACE = {
    name: {interface: f"{name}.{interface}" for interface in ("N13", "N8", "N10", "Cx", "Sh")}
    for name in (counters.UDM_OFFERED, counters.UDM_SERVED, counters.UDM_DROPPED)
}
"""Names of the sub-counters, made once: two of them are counted for every pair."""


class PairServer:
    """Processing units with one capacity, and what they answer."""

    def __init__(
        self,
        queue: ServiceQueue,
        tiers: TierTable,
        tally: Tally,
        ledger: PairLedger,
        cost_per_operation: Mapping[str, float],
    ) -> None:
        self.queue = queue
        self.tiers = tiers
        self._tally = tally
        self._ledger = ledger
        self._costs = cost_per_operation
        self._handlers: dict[Operation, PairHandler] = {}

    def answers(self, handlers: Mapping[Operation, PairHandler]) -> None:
        """From now on these operations are served here."""
        self._handlers.update(handlers)

    def arrives(self, call: Call, deadline_s: float, reply: Reply, now: float) -> None:
        """Counts, charges, and serves or sheds. Does not look at the deadline: late work is done all the same."""
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
            self._tally.count(counters.UDM_REJECTION_WORK, now, work)

    def _serve(self, call: Call, reply: Reply, now: float) -> None:
        self._count(counters.UDM_SERVED, call, now)
        self._ledger.served(call.procedure, now, call.operation.interface)
        reply(self._handlers[call.operation](call), now)

    def _count(self, name: str, call: Call, now: float) -> None:
        self._tally.count(name, now)
        self._tally.count(_BY_INTERFACE[name][call.operation.interface], now)
