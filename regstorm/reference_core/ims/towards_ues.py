"""Requests of the network to UEs: NOTIFY, and MESSAGE for a user (TS 24.229 5.2.6.4), as client transactions on Gm."""

from collections.abc import Callable

from protocols.sip.encode import answer
from protocols.sip.framing import StreamEndpoint
from protocols.sip.messages import Request, Response
from protocols.sip.timers import GM
from protocols.sip.transactions import ClientTransaction, Deliver, Output, State, TimedOut, Transmit, client_key
from regstorm.records.ports import Agenda, Due
from regstorm.reference_core.bus import Failed, Reply
from regstorm.reference_core.ims.hops import Hop, returned
from regstorm.reference_core.ims.known_users import Endpoint, KnownUsers
from regstorm.reference_core.ims.reading import identity


class _Running:
    __slots__ = ("due", "reply", "request", "source", "target", "transaction")

    def __init__(
        self, transaction: ClientTransaction, request: Request, source: Endpoint, target: Endpoint, reply: Reply
    ) -> None:
        self.transaction = transaction
        self.request = request
        self.source = source
        self.target = target
        self.reply = reply
        self.due: Due | None = None


class TowardsUes:
    """The client side of the P-CSCF."""

    def __init__(
        self, hop: Hop, users: KnownUsers, agenda: Agenda, send: Callable[[bytes, Endpoint, Endpoint], None]
    ) -> None:
        self._hop = hop
        self._users = users
        self._agenda = agenda
        self._send = send
        self._running: dict[tuple[str, str], _Running] = {}

    def request(self, request: Request, reply: Reply, now: float) -> None:
        """Sends it to where its user is bound; 404 if nobody knows where."""
        bound = self._users.binding_of(identity(request, "To"))
        if bound is None:
            reply(answer(request, 404, self._hop.tag()), now)
            return
        source = bound.local or (self._hop.host, 5060)
        target = (bound.address, bound.port)
        reliable = isinstance(source, StreamEndpoint)
        via = self._hop.via("TCP" if reliable else "UDP")
        sent = Request(request.method, bound.contact or request.uri, request.headers.before((via,)), request.body)
        transaction = ClientTransaction(sent, reliable=reliable, timers=GM, now=now)
        key = client_key(sent)
        if key is None:
            reply(Failed("no CSeq"), now)
            return
        running = self._running[key] = _Running(transaction, request, source, target, reply)
        self._send(transaction.octets, source, target)
        self._await(key, running)

    def receive(self, response: Response, now: float) -> None:
        """A response from a UE; one that belongs to nothing is dropped."""
        key = client_key(response)
        running = None if key is None else self._running.get(key)
        if key is not None and running is not None:
            self._do(running, running.transaction.receive(response, now), now)
            self._await(key, running)

    def _expire(self, key: tuple[str, str], running: _Running, now: float) -> None:
        running.due = None
        self._do(running, running.transaction.expire(now), now)
        self._await(key, running)

    def _do(self, running: _Running, outputs: tuple[Output, ...], now: float) -> None:
        for output in outputs:
            if isinstance(output, Transmit):
                self._send(output.octets, running.source, running.target)
            elif isinstance(output, Deliver):
                if output.response.status >= 200:
                    running.reply(returned(output.response), now)
            elif isinstance(output, TimedOut):
                running.reply(answer(running.request, 408, self._hop.tag()), now)

    def _await(self, key: tuple[str, str], running: _Running) -> None:
        if running.due is not None:
            running.due.cancel()
            running.due = None
        due_s = running.transaction.due_s
        if running.transaction.state is State.TERMINATED or due_s is None:
            self._running.pop(key, None)
        else:
            running.due = self._agenda.at(due_s, lambda at: self._expire(key, running, at))
