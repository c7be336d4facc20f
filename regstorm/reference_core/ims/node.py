"""A SIP node of the IMS core: it works its requests off one after the other, within a capacity of its own."""

from collections.abc import Callable, Mapping

from protocols.sip.encode import answer
from protocols.sip.messages import Request
from regstorm.overload.tiers import TierTable
from regstorm.records import ims_counters as counters
from regstorm.records.operations import Nf, Operation
from regstorm.records.ports import Tally
from regstorm.reference_core.bus import Bus, Call, Function, Handler, Reply
from regstorm.reference_core.service_queue import ServiceQueue


class SipNode(Function):
    """A function whose requests wait in a queue, ordered by the strategy's tiers; what it sheds gets a 503."""

    def __init__(
        self,
        nf: Nf,
        bus: Bus,
        handlers: Mapping[Operation, Handler],
        queue: ServiceQueue,
        tiers: Callable[[], TierTable],
        tally: Tally,
    ) -> None:
        """`tiers` gives the table in force: a strategy can be switched while the core runs."""
        super().__init__(nf, bus, handlers)
        self.queue = queue
        self._tiers = tiers
        self._tally = tally

    def arrives(self, call: Call, deadline_s: float, reply: Reply, now: float) -> None:
        """Takes the request into the queue, or refuses it."""

        def work_off(at: float) -> None:
            super(SipNode, self).arrives(call, deadline_s, reply, at)

        if self.queue.offer(now, self._tiers().tier(call.message_class), 1.0, work_off):
            return
        self._tally.count(counters.NODE_DROPPED, now)
        self._tally.count(f"{counters.NODE_DROPPED}.{self.nf}", now)
        request: Request = call.payload
        reply(answer(request, 503, to_tag=self.nf.lower()), now)
