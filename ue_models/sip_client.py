"""One SIP request of a UE at a time, from its first octet to its final response or Timer F (RFC 3261 17.1.2).

With the timers of the Gm interface (TS 24.229 table 7.7.1). What the request is about is not known here.
"""

from collections.abc import Callable
from typing import Final

from protocols.sip.messages import Request, Response
from protocols.sip.timers import GM
from protocols.sip.transactions import (
    ClientTransaction,
    Deliver,
    Output,
    TimedOut,
    Transmit,
    TransportFailed,
    client_key,
)
from ue_models.ims_rules import TimerF, TransportLost
from ue_models.timer_set import TimerSet

TRANSACTION_TIMER: Final = "SIP transaction"

Answer = Response | TimerF | TransportLost
"""How a request ended."""


class SipClient:
    """`transmit(octets, now)` sends, `over(answer, now)` is told the end; neither is called by `abort`."""

    __slots__ = ("_key", "_over", "_timers", "_transaction", "_transmit")

    def __init__(
        self, timers: TimerSet, transmit: Callable[[bytes, float], None], over: Callable[[Answer, float], None]
    ) -> None:
        self._timers = timers
        self._transmit = transmit
        self._over = over
        self._transaction: ClientTransaction | None = None
        self._key: tuple[str, str] | None = None

    def ask(self, request: Request, now: float, reliable: bool = False) -> None:
        """Sends a request, over UDP or `reliable`; one that has not ended is forgotten."""
        self._key = client_key(request)
        self._transaction = transaction = ClientTransaction(request, reliable=reliable, timers=GM, now=now)
        self._transmit(transaction.octets, now)
        self._await(transaction)

    def hear(self, response: Response, now: float) -> None:
        """A response. One to nothing that was asked, or a repeated one, is silently discarded (18.1.2)."""
        transaction = self._transaction
        if transaction is not None and client_key(response) == self._key:
            self._perform(transaction, transaction.receive(response, now), now)

    def transport_lost(self, now: float) -> None:
        """What was asked could not be sent, or its answer has no way any more."""
        transaction = self._transaction
        if transaction is not None:
            self._perform(transaction, transaction.transport_failed(now), now)

    def abort(self) -> None:
        """Nobody waits for the answer any more."""
        self._transaction = self._key = None
        self._timers.stop(TRANSACTION_TIMER)

    def _await(self, transaction: ClientTransaction) -> None:
        if transaction.due_s is not None:
            self._timers.start(TRANSACTION_TIMER, transaction.due_s, self._due)

    def _due(self, now: float) -> None:
        transaction = self._transaction
        if transaction is not None:
            self._perform(transaction, transaction.expire(now), now)

    def _perform(self, transaction: ClientTransaction, outputs: tuple[Output, ...], now: float) -> None:
        """Timer K is not waited for: with the transaction gone, late responses are discarded just the same."""
        self._await(transaction)
        for output in outputs:
            match output:
                case Transmit(octets):
                    self._transmit(octets, now)
                case Deliver(response) if response.status >= 200:
                    self._end(response, now)
                case TimedOut():
                    self._end(TimerF(), now)
                case TransportFailed():
                    self._end(TransportLost(), now)

    def _end(self, answer: Answer, now: float) -> None:
        self.abort()
        self._over(answer, now)
