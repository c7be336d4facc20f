"""The server transactions of one element: which request is new, and which is one that it knows (RFC 3261 17.2.3).

Retransmissions end here: whoever counts or admits requests behind this sees each of them once. Entries leave by
Timer J; `due_s` says when `expire` wants to be called next. A request whose transaction user never answers stays: it
has to be answered, or given up with `forget`.
"""

from collections import deque
from typing import NamedTuple

from protocols.sip.fields import BRANCH_COOKIE, address, cseq, top_via
from protocols.sip.messages import Request, Response
from protocols.sip.timers import TimerProfile
from protocols.sip.transactions import Output, ServerTransaction, State

Key = tuple[str, ...]


def server_key(request: Request) -> Key | None:
    """Branch, sent-by and method (17.2.3); None if the request has no Via that can be read.

    A branch of RFC 2543, without the magic cookie, is not unique: then Request-URI, From tag, Call-ID, CSeq and the
    whole top Via say whether it is the same request.
    """
    via = top_via(request)
    if via is None:
        return None
    if via.branch is not None and via.branch.startswith(BRANCH_COOKIE):
        return via.branch, via.sent_by, request.method
    sender, number = address(request, "From"), cseq(request)
    return (
        via.text(),
        request.method,
        request.uri,
        (sender.tag if sender else None) or "",
        request.headers.first("Call-ID") or "",
        number.text() if number else "",
    )


class New(NamedTuple):
    """A request for the transaction user, which answers it through the table under this key."""

    key: Key


class Absorbed(NamedTuple):
    """A retransmission: nothing for the transaction user, at most the last response once more."""

    outputs: tuple[Output, ...]


class WithoutVia(NamedTuple):
    """No transaction can be made of it and no response would find its way back: drop it."""


class ServerTransactions:
    """All server transactions of one element on one kind of transport."""

    __slots__ = ("_leaving", "_reliable", "_timers", "_transactions")

    def __init__(self, *, reliable: bool, timers: TimerProfile) -> None:
        self._reliable = reliable
        self._timers = timers
        self._transactions: dict[Key, ServerTransaction] = {}
        self._leaving: deque[tuple[float, Key, ServerTransaction]] = deque()  # in order: Timer J is the same for all

    def __len__(self) -> int:
        return len(self._transactions)

    @property
    def due_s(self) -> float | None:
        """When to call `expire`."""
        return self._leaving[0][0] if self._leaving else None

    def receive(self, request: Request, now: float) -> New | Absorbed | WithoutVia:
        """A request has arrived."""
        key = server_key(request)
        if key is None:
            return WithoutVia()
        known = self._transactions.get(key)
        if known is not None:
            return Absorbed(known.retransmitted(now))
        self._transactions[key] = ServerTransaction(reliable=self._reliable, timers=self._timers)
        return New(key)

    def respond(self, key: Key, response: Response, now: float) -> tuple[Output, ...]:
        """The transaction user answers a request; nothing happens if the transaction is gone."""
        transaction = self._transactions.get(key)
        if transaction is None:
            return ()
        outputs = transaction.respond(response, now)
        self._after(key, transaction, outputs)
        return outputs

    def transport_failed(self, key: Key, now: float) -> tuple[Output, ...]:
        """A response under this key could not be sent."""
        transaction = self._transactions.get(key)
        if transaction is None:
            return ()
        outputs = transaction.transport_failed(now)
        self._after(key, transaction, ())
        return outputs

    def forget(self, key: Key) -> None:
        """The transaction user will not answer. A retransmission is a new request from now on."""
        self._transactions.pop(key, None)

    def expire(self, now: float) -> None:
        """`due_s` has come: takes out every transaction whose Timer J has run out."""
        while self._leaving and self._leaving[0][0] <= now:
            _, key, transaction = self._leaving.popleft()
            transaction.expire(now)
            if self._transactions.get(key) is transaction:
                del self._transactions[key]

    def _after(self, key: Key, transaction: ServerTransaction, outputs: tuple[Output, ...]) -> None:
        if transaction.state is State.TERMINATED:
            del self._transactions[key]
        elif outputs and transaction.due_s is not None:
            self._leaving.append((transaction.due_s, key, transaction))
