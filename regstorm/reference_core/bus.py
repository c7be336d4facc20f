"""The bus: calls between network functions, their due times, timeouts, retries and heartbeats.

A handler is a plain function, or a generator that yields `Call` and is sent the answer. It cannot tell whether the
function that it calls runs in the same process; it sees an answer or `Failed`. The bus delivers a call `hop_s` after
it was made (the way there and the answer's way back together).

Who calls a server that calls nobody (UDM, PCF) waits `timeout_s` and repeats the call `retries` times. Who calls a
server that calls others itself (AUSF, SMF) waits for as long as those calls may take together and does not repeat:
retries at every hop would multiply at the back end. So timeouts shrink towards the back end; besides, a nested call
never outlives the call that caused it.

A consumer whose procedure has ended cancels its call: the answer will not reach it. What has already arrived at the
server is worked off all the same, and is wasted.
"""

from collections import Counter
from collections.abc import Callable, Generator, Mapping
from types import GeneratorType
from typing import Any, NamedTuple, Protocol

from regstorm.records import counters
from regstorm.records.core_settings import Bus as BusSettings
from regstorm.records.domain_counters import NODE_REQUESTS
from regstorm.records.message_classes import MessageClass
from regstorm.records.operations import (
    AUTHENTICATE,
    CONFIRM_5G_AKA,
    CREATE_SM_CONTEXT,
    RELEASE_SM_CONTEXT,
    SIP_MESSAGE_ICSCF,
    SIP_MESSAGE_IP_SM_GW,
    SIP_MESSAGE_SCSCF,
    SIP_REGISTER_ICSCF,
    SIP_REGISTER_IP_SM_GW,
    SIP_REGISTER_SCSCF,
    SIP_REGISTER_TAS,
    SIP_TO_UE,
    UPDATE_SM_CONTEXT,
    Nf,
    Operation,
)
from regstorm.records.ports import Agenda, Due, Tally

HEARTBEATS_LOST_UNTIL_DOWN = 3
"""Lost one after the other, until a peer counts as down."""

NESTED_CALLS = {
    AUTHENTICATE: 1,
    CONFIRM_5G_AKA: 1,
    CREATE_SM_CONTEXT: 3,
    UPDATE_SM_CONTEXT: 2,
    RELEASE_SM_CONTEXT: 2,
    SIP_REGISTER_ICSCF: 3,  # UAR, and what the S-CSCF asks for: MAR or SAR; one more for the hop between them
    SIP_REGISTER_SCSCF: 1,
    SIP_REGISTER_TAS: 5,
    SIP_REGISTER_IP_SM_GW: 3,
    SIP_MESSAGE_ICSCF: 3,
    SIP_MESSAGE_SCSCF: 1,
    SIP_MESSAGE_IP_SM_GW: 1,
    SIP_TO_UE: 1,
}
"""Calls that an operation's handler makes one after the other; the caller's patience has to cover them all."""


class Call(NamedTuple):
    """A service operation asked of whoever serves it. `payload` is a record of operations' module `payloads`."""

    operation: Operation
    subject: str
    """SUPI, or SUCI in its text form: whom it is about."""
    payload: Any = None
    message_class: MessageClass = MessageClass.FOLLOW_UP
    procedure: int = 0
    """The procedure that asks, for the books (pair_ledger.py); 0 is none."""
    consumer: Nf | None = None
    """Who asks; only a carrier looks at it, where several functions share an interface."""

    def asked_by(self, consumer: Nf, procedure: int) -> "Call":
        """The same call, asked by `consumer` for `procedure`; the quick way, because every nested call goes it."""
        return tuple.__new__(Call, (*self[:4], procedure, consumer))


_NEVER = float("inf")
_REQUESTS_OF = {nf: f"{NODE_REQUESTS}.{nf}" for nf in Nf}
_KEEP_THEIR_CLASS = frozenset({MessageClass.EMERGENCY, MessageClass.HIGH_PRIORITY, MessageClass.DEREGISTRATION})


def follow_up_of(first: MessageClass) -> MessageClass:
    """The class of what a procedure asks for after its first pair: at the UDM too, it is the first that is shed."""
    return first if first in _KEEP_THEIR_CLASS else MessageClass.FOLLOW_UP


CONGESTED = "NF_CONGESTION"
"""Why a server refuses that says so (TS 29.500 table 5.2.7.2-1); most say nothing."""


class Failed(NamedTuple):
    """What a consumer gets instead of an answer: `timeout`, `peer down`, or an error of the application (TS 29.503)."""

    why: str

    @property
    def of_transport(self) -> bool:
        """The server did not get to it: no answer came, or that it is congested; else it answered with an error."""
        return self.why in ("timeout", "peer down", CONGESTED)


Answer = Any
"""A record of payloads.py, or Failed."""
Reply = Callable[[Answer, float], None]
Steps = Generator[Call, Answer, Answer]
Handler = Callable[[Call, float], Answer | Steps]
Watch = Callable[[Call, bool], None]
"""watch(call, False) when a request has reached its server, watch(call, True) when its answer has come back."""


class Producer(Protocol):
    """A network function that serves calls."""

    def arrives(self, call: Call, deadline_s: float, reply: Reply, now: float) -> None:
        """A call is there. Calls `reply` once, now or later, or never: then the consumer's timeout decides."""


class Carrier(Producer, Protocol):
    """What brings calls to a network function over sockets; to the bus it looks like the function itself."""

    def beat(self, now: float) -> bool:
        """Asks the far end whether it is alive; False: it has not answered the last time."""


class PendingCall:
    """A call that waits for its answer; `cancel` is all that a consumer may do with it."""

    __slots__ = ("_answer", "attempt", "bus", "call", "deadline_s", "timeout", "tries_left")

    def __init__(self, bus: "Bus", call: Call, answer: Reply, tries_left: int, deadline_s: float) -> None:
        self.bus = bus
        self.call = call
        self._answer: Reply | None = answer
        self.tries_left = tries_left
        self.deadline_s = deadline_s
        self.attempt = 0
        self.timeout: Due | None = None

    @property
    def waits(self) -> bool:
        """Neither answered nor cancelled."""
        return self._answer is not None

    def cancel(self) -> None:
        """The answer is of no interest any more. Harmless if it has come."""
        self._answer = None
        if self.timeout is not None:
            self.timeout.cancel()
            self.timeout = None

    def conclude(self, answer: Answer, now: float) -> None:
        """Hands the answer to the consumer, once."""
        consumer, self._answer = self._answer, None
        timeout, self.timeout = self.timeout, None
        if timeout is not None:
            timeout.cancel()
        if consumer is not None:
            consumer(answer, now)


class Bus:
    """Carries calls between the network functions of one core."""

    def __init__(self, settings: BusSettings, agenda: Agenda, tally: Tally) -> None:
        self.settings = settings
        self.agenda = agenda
        self.tally = tally
        self.calls: Counter[Operation] = Counter()
        """Calls made so far by operation, retries included; for a look from outside, not for the timeline."""
        self.counts_by_node = False
        """Requests that reach a node are counted for it."""
        self.watch: Watch | None = None
        """Somebody who looks at every message (regstorm amplification)."""
        self._patience_s: dict[Operation, float] = {}
        self._producers: dict[Nf, Producer] = {}
        self._carriers: dict[Nf, Carrier] = {}
        self._out_of_service: dict[Nf, bool] = {}
        self._lost_heartbeats: dict[Nf, int] = {}

    def serve(self, nf: Nf, producer: Producer) -> None:
        """From now on `producer` serves the operations of `nf`."""
        self._producers[nf] = producer
        self._out_of_service[nf] = False
        self._lost_heartbeats[nf] = 0

    def carry(self, nf: Nf, carrier: Carrier) -> Producer:
        """From now on calls to `nf` travel by `carrier`; returns the function itself, for the far end."""
        function = self._producers[nf]
        self._carriers[nf] = self._producers[nf] = carrier
        return function

    # --- calls -----------------------------------------------------------------------------------------------------

    def call(self, call: Call, answer: Reply, now: float, within_s: float | None = None) -> PendingCall:
        """Makes a call; `answer(result, now)` is called once, unless it is cancelled before.

        `within_s` is the time at which the caller itself has to answer: nothing nested outlives it.
        """
        nested = NESTED_CALLS.get(call.operation, 0)
        pending = PendingCall(
            self,
            call,
            answer,
            tries_left=0 if nested else self.settings.retries,
            deadline_s=_NEVER if within_s is None else within_s - self.settings.hop_s,
        )
        self._try(pending, now)
        return pending

    def patience_s(self, operation: Operation) -> float:
        """How long a consumer waits for one attempt of `operation`."""
        known = self._patience_s.get(operation)
        if known is None:
            known = self._patience_s[operation] = _patience_s(self.settings, NESTED_CALLS.get(operation, 0))
        return known

    def _try(self, pending: PendingCall, now: float) -> None:
        call = pending.call
        operation = call.operation
        server = operation.server
        if self._lost_heartbeats[server] >= HEARTBEATS_LOST_UNTIL_DOWN:
            pending.timeout = self.agenda.at(now, lambda at: pending.conclude(Failed("peer down"), at))
            return
        self.calls[operation] += 1
        pending.attempt = attempt = pending.attempt + 1
        ends_s = min(now + self.patience_s(operation), pending.deadline_s)
        pending.timeout = self.agenda.at(max(ends_s, now), lambda at: self._timed_out(pending, at))

        def reply(answer: Answer, at: float) -> None:
            if self.watch is not None:
                self.watch(call, True)
            # an answer to an attempt that was given up meets a closed stream
            if pending.attempt == attempt:
                pending.conclude(answer, at)

        def arrives(at: float) -> None:
            if self._out_of_service[server]:
                return
            if self.counts_by_node:
                self.tally.count(_REQUESTS_OF[server], at)
            if self.watch is not None:
                self.watch(call, False)
            self._producers[server].arrives(call, ends_s, reply, at)

        self.agenda.at(now + self.settings.hop_s, arrives)

    def _timed_out(self, pending: PendingCall, now: float) -> None:
        self.tally.count(counters.BUS_TIMEOUTS, now)
        if pending.tries_left > 0 and now < pending.deadline_s:
            pending.tries_left -= 1
            self.tally.count(counters.BUS_RETRIES, now)
            self._try(pending, now)
        else:
            pending.conclude(Failed("timeout"), now)

    # --- liveness --------------------------------------------------------------------------------------------------

    def start_heartbeats(self, now: float) -> None:
        """Every peer is asked every `heartbeat_every_s` from now on whether it is alive (HTTP/2 PING, RFC 9113 6.7)."""
        for nf in self._producers:
            self._beat(nf, now)

    def is_down(self, nf: Nf) -> bool:
        """Three heartbeats to `nf` were lost in a row: calls to it fail at once until it answers one again."""
        return self._lost_heartbeats[nf] >= HEARTBEATS_LOST_UNTIL_DOWN

    def take_out_of_service(self, nf: Nf) -> None:
        """`nf` falls silent: what reaches it is lost, heartbeats included."""
        self._out_of_service[nf] = True

    def bring_into_service(self, nf: Nf) -> None:
        """`nf` answers again; its consumers learn it by the next heartbeat."""
        self._out_of_service[nf] = False

    def _beat(self, nf: Nf, now: float) -> None:
        """A transport answers PING beside the queue of requests, so it tells a dead peer from a busy one."""
        self.agenda.at(now + self.settings.hop_s, lambda at: self._heard(nf, at))
        self.agenda.at(now + self.settings.heartbeat_every_s, lambda at: self._beat(nf, at))

    def _heard(self, nf: Nf, now: float) -> None:
        carrier = self._carriers.get(nf)
        if not self._out_of_service[nf] and (carrier is None or carrier.beat(now)):
            if self.is_down(nf):
                self.tally.count(counters.PEER_UP, now)
            self._lost_heartbeats[nf] = 0
            return
        self._lost_heartbeats[nf] += 1
        self.tally.count(f"{counters.HEARTBEATS_LOST}.{nf}", now)
        if self._lost_heartbeats[nf] == HEARTBEATS_LOST_UNTIL_DOWN:
            self.tally.count(counters.PEER_DOWN, now)


def _patience_s(settings: BusSettings, nested: int) -> float:
    """One attempt at a server that makes `nested` calls of its own, one after the other, each with all its retries."""
    if not nested:
        return settings.timeout_s
    one_nested_call_s = settings.timeout_s * (settings.retries + 1) + settings.hop_s
    return nested * one_nested_call_s + 2 * settings.hop_s


class Function:
    """A network function whose own work costs nothing here: it runs its handlers at once, and their calls nested."""

    def __init__(self, nf: Nf, bus: Bus, handlers: Mapping[Operation, Handler]) -> None:
        self.nf = nf
        self.now = 0.0
        """When the step that is running began; what a generator reads after it was sent an answer."""
        self._bus = bus
        self._handlers = handlers
        bus.serve(nf, self)

    def arrives(self, call: Call, deadline_s: float, reply: Reply, now: float) -> None:
        """Runs the operation's handler; the answer of a generator is what it returns."""
        self.now = now
        answer = self._handlers[call.operation](call, now)
        if isinstance(answer, GeneratorType):
            self._step(answer, None, call, deadline_s, reply, now)
        else:
            reply(answer, now)

    def begin(self, steps: Steps, cause: Call, now: float) -> None:
        """Runs `steps` by itself: nobody waits for how they end. `cause` is whose books their pairs stand in."""
        self._step(steps, None, cause, _NEVER, _nobody, now)

    def _step(self, steps: Steps, sent: Answer, cause: Call, deadline_s: float, reply: Reply, now: float) -> None:
        self.now = now
        try:
            nested = steps.send(sent)
        except StopIteration as end:
            reply(end.value, now)
            return
        self._bus.call(
            nested.asked_by(self.nf, cause.procedure),
            lambda answer, at: self._step(steps, answer, cause, deadline_s, reply, at),
            now,
            deadline_s,
        )


def _nobody(answer: Answer, now: float) -> None:
    """What became of it is known already."""
