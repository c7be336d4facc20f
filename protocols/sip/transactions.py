"""Non-INVITE transactions as state machines (RFC 3261 17.1.2 client, 17.2.2 server).

A transaction holds one request and sees to its retransmission. It is told what happens and when (`now`, seconds),
and returns what has to be done, in order; `due_s` says when `expire` wants to be called next (None: never). It opens
no socket, keeps no clock and never calls back. Over a reliable transport (TCP) nothing is retransmitted and nothing
absorbed. TRANSITIONS is the whole rule: a pair that is not in it changes nothing.

Which message belongs to which transaction: `client_key`, and server_transactions.py for the other side.
"""

from collections.abc import Mapping
from enum import Enum, auto
from typing import Final, NamedTuple

from protocols.sip.encode import encode
from protocols.sip.fields import cseq, top_via
from protocols.sip.messages import Request, Response
from protocols.sip.timers import TimerProfile


class State(Enum):
    """States of both machines (figures 6 and 8)."""

    TRYING = auto()
    PROCEEDING = auto()
    COMPLETED = auto()
    TERMINATED = auto()


# --- what a transaction wants done --------------------------------------------------------------------------------


class Transmit(NamedTuple):
    """Send these octets to where the request goes, or came from."""

    octets: bytes


class Deliver(NamedTuple):
    """A response for the transaction user: each provisional one, and the first final one."""

    response: Response


class TimedOut(NamedTuple):
    """Timer F: there was no final response. To be treated as 408 (8.1.3.1)."""


class TransportFailed(NamedTuple):
    """The octets could not be sent. A client treats it as 503 (8.1.3.1)."""


Output = Transmit | Deliver | TimedOut | TransportFailed


# --- client (17.1.2) ----------------------------------------------------------------------------------------------


class ClientEvent(Enum):
    """What happens to a client transaction."""

    PROVISIONAL = auto()
    FINAL = auto()
    TIMER_E = auto()
    TIMER_F = auto()
    TIMER_K = auto()
    TRANSPORT_ERROR = auto()


class ClientAction(Enum):
    """What a client transaction does about it."""

    DELIVER = auto()
    DELIVER_AND_ABSORB = auto()
    RETRANSMIT = auto()
    RETRANSMIT_RARELY = auto()
    GIVE_UP = auto()
    REPORT_TRANSPORT = auto()
    END = auto()


_T, _P, _C, _X = State.TRYING, State.PROCEEDING, State.COMPLETED, State.TERMINATED

CLIENT_TRANSITIONS: Final[Mapping[State, Mapping[ClientEvent, tuple[ClientAction, State]]]] = {
    _T: {
        ClientEvent.PROVISIONAL: (ClientAction.DELIVER, _P),
        ClientEvent.FINAL: (ClientAction.DELIVER_AND_ABSORB, _C),
        ClientEvent.TIMER_E: (ClientAction.RETRANSMIT, _T),
        ClientEvent.TIMER_F: (ClientAction.GIVE_UP, _X),
        ClientEvent.TRANSPORT_ERROR: (ClientAction.REPORT_TRANSPORT, _X),
    },
    _P: {
        ClientEvent.PROVISIONAL: (ClientAction.DELIVER, _P),
        ClientEvent.FINAL: (ClientAction.DELIVER_AND_ABSORB, _C),
        ClientEvent.TIMER_E: (ClientAction.RETRANSMIT_RARELY, _P),
        ClientEvent.TIMER_F: (ClientAction.GIVE_UP, _X),
        ClientEvent.TRANSPORT_ERROR: (ClientAction.REPORT_TRANSPORT, _X),
    },
    _C: {ClientEvent.TIMER_K: (ClientAction.END, _X)},
    _X: {},
}
"""Figure 6."""


class ClientTransaction:
    """One request on its way. Send `octets` once when it is made; then tell it what happens."""

    __slots__ = ("_e_s", "_end_s", "_interval_s", "_reliable", "_timers", "octets", "state")

    def __init__(self, request: Request, *, reliable: bool, timers: TimerProfile, now: float) -> None:
        self.octets = encode(request)
        self.state = State.TRYING
        self._reliable = reliable
        self._timers = timers
        self._interval_s = timers.t1_s
        self._e_s: float | None = None if reliable else now + timers.t1_s
        self._end_s: float | None = now + timers.f_s  # Timer F, from Completed on Timer K

    @property
    def due_s(self) -> float | None:
        """When to call `expire`: the next of Timers E, F and K."""
        if self._e_s is None or self._end_s is None:
            return self._end_s
        return min(self._e_s, self._end_s)

    def receive(self, response: Response, now: float) -> tuple[Output, ...]:
        """A response that belongs to this transaction (`client_key`) has arrived."""
        event = ClientEvent.PROVISIONAL if response.status < 200 else ClientEvent.FINAL
        return self._happens(event, now, response)

    def expire(self, now: float) -> tuple[Output, ...]:
        """`due_s` has come. Called too early it does nothing."""
        if self._end_s is not None and now >= self._end_s:
            return self._happens(ClientEvent.TIMER_K if self.state is _C else ClientEvent.TIMER_F, now)
        if self._e_s is not None and now >= self._e_s:
            return self._happens(ClientEvent.TIMER_E, now)
        return ()

    def transport_failed(self, now: float) -> tuple[Output, ...]:
        """The transport could not send, or the connection is gone."""
        return self._happens(ClientEvent.TRANSPORT_ERROR, now)

    def _happens(self, event: ClientEvent, now: float, response: Response | None = None) -> tuple[Output, ...]:
        transition = CLIENT_TRANSITIONS[self.state].get(event)
        if transition is None:
            return ()
        action, self.state = transition
        if action in (ClientAction.RETRANSMIT, ClientAction.RETRANSMIT_RARELY):
            return self._retransmit(now, rarely=action is ClientAction.RETRANSMIT_RARELY)
        if response is not None and action is ClientAction.DELIVER:
            return (Deliver(response),)
        self._e_s = self._end_s = None
        if response is not None:
            self._absorb(now)
            return (Deliver(response),)
        if action is ClientAction.GIVE_UP:
            return (TimedOut(),)
        return (TransportFailed(),) if action is ClientAction.REPORT_TRANSPORT else ()

    def _retransmit(self, now: float, rarely: bool) -> tuple[Output, ...]:
        """Timer E doubles up to T2 as long as nobody has answered, then it is T2 (17.1.2.2)."""
        t2_s = self._timers.t2_s
        self._interval_s = t2_s if rarely else min(2 * self._interval_s, t2_s)
        self._e_s = now + self._interval_s
        return (Transmit(self.octets),)

    def _absorb(self, now: float) -> None:
        """Timer K; it is zero over a reliable transport, and zero is now."""
        if self._reliable:
            self.state = _X
        else:
            self._end_s = now + self._timers.k_s


def client_key(message: Request | Response) -> tuple[str, str] | None:
    """What a request and its responses have in common: branch of the top Via and method of CSeq (17.1.3)."""
    via = top_via(message)
    number = cseq(message)
    if via is None or via.branch is None or number is None:
        return None
    return via.branch, number.method


# --- server (17.2.2) ----------------------------------------------------------------------------------------------


class ServerEvent(Enum):
    """What happens to a server transaction."""

    RETRANSMISSION = auto()
    PROVISIONAL = auto()
    FINAL = auto()
    TIMER_J = auto()
    TRANSPORT_ERROR = auto()


class ServerAction(Enum):
    """What a server transaction does about it."""

    SEND = auto()
    SEND_AND_ABSORB = auto()
    SEND_AGAIN = auto()
    REPORT_TRANSPORT = auto()
    END = auto()


SERVER_TRANSITIONS: Final[Mapping[State, Mapping[ServerEvent, tuple[ServerAction, State]]]] = {
    _T: {  # a retransmission is discarded: there is no response yet to send again
        ServerEvent.PROVISIONAL: (ServerAction.SEND, _P),
        ServerEvent.FINAL: (ServerAction.SEND_AND_ABSORB, _C),
    },
    _P: {
        ServerEvent.RETRANSMISSION: (ServerAction.SEND_AGAIN, _P),
        ServerEvent.PROVISIONAL: (ServerAction.SEND, _P),
        ServerEvent.FINAL: (ServerAction.SEND_AND_ABSORB, _C),
        ServerEvent.TRANSPORT_ERROR: (ServerAction.REPORT_TRANSPORT, _X),
    },
    _C: {  # "any other final responses passed by the TU MUST be discarded"
        ServerEvent.RETRANSMISSION: (ServerAction.SEND_AGAIN, _C),
        ServerEvent.TIMER_J: (ServerAction.END, _X),
        ServerEvent.TRANSPORT_ERROR: (ServerAction.REPORT_TRANSPORT, _X),
    },
    _X: {},
}
"""Figure 8."""


class ServerTransaction:
    """One request that has arrived. The transaction user answers it with `respond`, once finally."""

    __slots__ = ("_answer", "_reliable", "_timers", "due_s", "state")

    def __init__(self, *, reliable: bool, timers: TimerProfile) -> None:
        self.state = State.TRYING
        self.due_s: float | None = None
        """When to call `expire` (Timer J); None before the final response: the transaction user must give one."""
        self._answer = b""
        self._reliable = reliable
        self._timers = timers

    def respond(self, response: Response, now: float) -> tuple[Output, ...]:
        """The transaction user answers."""
        event = ServerEvent.PROVISIONAL if response.status < 200 else ServerEvent.FINAL
        return self._happens(event, now, response)

    def retransmitted(self, now: float) -> tuple[Output, ...]:
        """The request has arrived again: the last response once more, if there is one."""
        return self._happens(ServerEvent.RETRANSMISSION, now)

    def expire(self, now: float) -> tuple[Output, ...]:
        """`due_s` has come. Called too early it does nothing."""
        if self.due_s is None or now < self.due_s:
            return ()
        return self._happens(ServerEvent.TIMER_J, now)

    def transport_failed(self, now: float) -> tuple[Output, ...]:
        """A response could not be sent."""
        return self._happens(ServerEvent.TRANSPORT_ERROR, now)

    def _happens(self, event: ServerEvent, now: float, response: Response | None = None) -> tuple[Output, ...]:
        transition = SERVER_TRANSITIONS[self.state].get(event)
        if transition is None:
            return ()
        action, self.state = transition
        if action is ServerAction.SEND_AGAIN:
            return (Transmit(self._answer),)
        if response is None:
            self.due_s = None
            return (TransportFailed(),) if action is ServerAction.REPORT_TRANSPORT else ()
        self._answer = encode(response)
        if action is ServerAction.SEND_AND_ABSORB:
            self._absorb(now)
        return (Transmit(self._answer),)

    def _absorb(self, now: float) -> None:
        """Timer J; it is zero over a reliable transport, and zero is now."""
        if self._reliable:
            self.state = _X
        else:
            self.due_s = now + self._timers.j_s
