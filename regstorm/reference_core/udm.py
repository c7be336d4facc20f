"""The UDM: one front door for every operation, a bounded capacity behind it, and the handlers (TS 29.503).

A pair is counted here, by interface, whoever asked. It is offered to the protected server at the cost of its
operation; what the server sheds gets no answer (the consumer's timeout tells it); what it serves gets its answer when
the work is done. Reads and writes at the UDR (N35) are part of that work and not counted.
"""

from random import Random
from typing import NamedTuple

from protocols.aka import generate_vector, next_sqn, resynchronise
from protocols.nas5g.messages import Snssai
from regstorm.overload.tiers import TierTable
from regstorm.records import counters
from regstorm.records import operations as ops
from regstorm.records.ports import Tally
from regstorm.reference_core.bus import Answer, Call, Failed, Reply
from regstorm.reference_core.pair_ledger import PairLedger
from regstorm.reference_core.payloads import (
    AmData,
    AmfRegistration,
    AuthenticationInfo,
    Done,
    HomeVector,
    SmData,
    SmfSelectionData,
)
from regstorm.reference_core.service_queue import ServiceQueue
from regstorm.reference_core.subscribers import Subscriber, Subscribers

_BY_INTERFACE = {
    name: {interface: f"{name}.{interface}" for interface in ("N13", "N8", "N10")}
    for name in (counters.UDM_OFFERED, counters.UDM_SERVED, counters.UDM_DROPPED)
}
"""Names of the sub-counters, made once: two of them are counted for every pair."""


class Subscription(NamedTuple):
    """What every subscriber of the population has."""

    slices: tuple[Snssai, ...]
    dnns: tuple[str, ...]


class Udm:
    """Serves every Nudm operation of the core."""

    def __init__(
        self,
        subscribers: Subscribers,
        subscription: Subscription,
        queue: ServiceQueue,
        tiers: TierTable,
        rng: Random,
        tally: Tally,
        ledger: PairLedger,
        cost_per_operation: dict[str, float],
    ) -> None:
        self.subscribers = subscribers
        self.subscription = subscription
        self.queue = queue
        self.tiers = tiers
        self._rng = rng
        self._tally = tally
        self._ledger = ledger
        self._costs = cost_per_operation
        self._handlers = {
            ops.GENERATE_AUTH_DATA: self._generate_auth_data,
            ops.CONFIRM_AUTHENTICATION: _acknowledge,
            ops.REGISTER_AMF: self._register_amf,
            ops.DEREGISTER_AMF: self._deregister_amf,
            ops.GET_AM_DATA: lambda call, subscriber: AmData(self.subscription.slices),
            ops.GET_SMF_SELECTION: lambda call, subscriber: SmfSelectionData(self.subscription.dnns),
            ops.GET_SM_DATA: self._get_sm_data,
            ops.GET_UE_CONTEXT_IN_SMF: _acknowledge,
            ops.SUBSCRIBE_AMF: _acknowledge,
            ops.UNSUBSCRIBE_AMF: _acknowledge,
            ops.SUBSCRIBE_SMF: _acknowledge,
            ops.UNSUBSCRIBE_SMF: _acknowledge,
            ops.REGISTER_SMF: _acknowledge,
            ops.DEREGISTER_SMF: _acknowledge,
        }

    # --- the front door ----------------------------------------------------------------------------------------------

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
        self._ledger.served(call.procedure, now)
        reply(self._answer(call), now)

    def _count(self, name: str, call: Call, now: float) -> None:
        self._tally.count(name, now)
        self._tally.count(_BY_INTERFACE[name][call.operation.interface], now)

    # --- the operations ----------------------------------------------------------------------------------------------

    def _answer(self, call: Call) -> Answer:
        if call.operation is ops.GENERATE_AUTH_DATA and call.payload.suci is not None:
            subscriber = self.subscribers.by_suci(call.payload.suci)
        else:
            subscriber = self.subscribers.by_supi(call.subject)
        if subscriber is None:
            return Failed("USER_NOT_FOUND")
        return self._handlers[call.operation](call, subscriber)

    def _generate_auth_data(self, call: Call, subscriber: Subscriber) -> Answer:
        """A fresh vector; after AUTS with the USIM's own sequence number as the base (TS 33.102 6.3.5)."""
        info: AuthenticationInfo = call.payload
        milenage = subscriber.milenage()
        if info.resynchronisation is not None:
            sqn_ms = resynchronise(milenage, info.resynchronisation.rand, info.resynchronisation.auts)
            if sqn_ms is None:
                return Failed("AUTHENTICATION_REJECTED")
            subscriber.sqn = sqn_ms
        subscriber.sqn = next_sqn(subscriber.sqn)
        rand = self._rng.randbytes(16)
        vector = generate_vector(milenage, subscriber.sqn, rand, subscriber.amf_field, info.serving_network)
        return HomeVector(subscriber.supi, vector.rand, vector.autn, vector.xres_star, vector.kausf)

    def _register_amf(self, call: Call, subscriber: Subscriber) -> Answer:
        registration: AmfRegistration = call.payload
        subscriber.serving_amf = registration.amf
        return Done()

    def _deregister_amf(self, call: Call, subscriber: Subscriber) -> Answer:
        subscriber.serving_amf = None
        return Done()

    def _get_sm_data(self, call: Call, subscriber: Subscriber) -> Answer:
        wanted: SmData = call.payload
        return wanted if wanted.dnn in self.subscription.dnns else Failed("DNN_NOT_ALLOWED")


def _acknowledge(call: Call, subscriber: Subscriber) -> Answer:
    """Stored; nothing in this core reads it back."""
    return Done()
