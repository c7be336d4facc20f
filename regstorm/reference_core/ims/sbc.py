"""The SBC's entry: datagrams of UEs read, retransmissions absorbed, requests classified, let in or refused.

The same door, tiers and self-protection as at the AMF. A retransmission ends in its server transaction, before
anything is counted. What the door refuses is answered here: a refused first message with 503 and Retry-After, spread
over the strategy's window; a refused follow-up is dropped (the UE's Timer E asks again) or gets the same 503. What
exceeds the SBC's own capacity is dropped. 500, 503 and 504 that come from behind get their Retry-After here, so that
no UE is left to guess (section 6.1 b of the paper).
"""

from collections.abc import Callable
from typing import NamedTuple

from protocols.ims_identities import supi_of_identity
from protocols.sip.decode import decode
from protocols.sip.encode import answer, encode
from protocols.sip.fields import flaw, top_via
from protocols.sip.messages import Request, Response, Unreadable
from protocols.sip.server_transactions import Absorbed, Key, New, ServerTransactions
from protocols.sip.timers import GM
from protocols.sip.transactions import Output, Transmit
from regstorm.overload.front_door import FrontDoor, Refused
from regstorm.records import counters as common
from regstorm.records import ims_counters as counters
from regstorm.records import operations as ops
from regstorm.records.core_settings import Sbc as SbcSettings
from regstorm.records.message_classes import MessageClass
from regstorm.records.operations import Nf
from regstorm.records.ports import Agenda, Tally
from regstorm.reference_core.bus import Answer, Bus, Call, Failed, Reply
from regstorm.reference_core.ims import p_cscf
from regstorm.reference_core.ims.accounts import Accounts
from regstorm.reference_core.ims.classification import Classified, Standing, classify
from regstorm.reference_core.ims.hops import Hop, hops_left, returned
from regstorm.reference_core.ims.known_users import Endpoint, KnownUsers
from regstorm.reference_core.ims.names import PCSCF_ADDRESSES, ImsNames
from regstorm.reference_core.ims.reading import identity
from regstorm.reference_core.ims.towards_ues import TowardsUes
from regstorm.reference_core.service_queue import ServiceQueue

Send = Callable[[bytes, Endpoint, Endpoint], None]
"""send(datagram, source, destination)."""

_MENDED = frozenset((500, 503, 504))
_ALLOWED = "REGISTER, MESSAGE, OPTIONS"


class _Received(NamedTuple):
    """A request that has been let in, and what is known of its sender."""

    key: Key
    request: Request
    source: Endpoint
    reply_to: Endpoint
    local: Endpoint
    identity: str
    supi: str
    standing: Standing
    kind: Classified


class Sbc:
    """The front door of IMS."""

    def __init__(
        self,
        settings: SbcSettings,
        names: ImsNames,
        bus: Bus,
        agenda: Agenda,
        tally: Tally,
        door: FrontDoor,
        queue: ServiceQueue,
        accounts: Accounts,
        send: Send,
        addresses: tuple[str, ...] = PCSCF_ADDRESSES,
    ) -> None:
        """`addresses`: its own, on Gm."""
        self.addresses = addresses
        self.lost = False
        """It is down: whoever brings it messages lets them vanish."""
        self.door = door
        self.queue = queue
        self.users = KnownUsers()
        self._settings = settings
        self._names = names
        self._bus = bus
        self._tally = tally
        self._accounts = accounts
        self._send = send
        self._hop = Hop("p", addresses[0])
        self._transactions = ServerTransactions(reliable=False, timers=GM)
        self._towards_ues = TowardsUes(self._hop, self.users, agenda, send)
        bus.serve(Nf.SBC, self)

    # --- from UEs ----------------------------------------------------------------------------------------------------

    def receive(self, datagram: bytes, source: Endpoint, destination: Endpoint, now: float) -> None:
        """One datagram for a P-CSCF address. No octets raise anything."""
        if not datagram.strip(b"\r\n\0 "):
            return  # keep-alive (RFC 5626 4.4)
        message = decode(datagram)
        if isinstance(message, Unreadable):
            self._answer_unreadable(message, datagram, source, destination, now)
        else:
            self.take(message, source, destination, now)

    def take(self, message: Request | Response, source: Endpoint, destination: Endpoint, now: float) -> None:
        """One message, already read: from a connection, `destination` is a StreamEndpoint."""
        if isinstance(message, Request):
            self._take(message, source, destination, now)
        else:
            self._towards_ues.receive(message, now)

    def unreadable(self, now: float) -> None:
        """Octets came that are no message."""
        self._tally.count(common.DECODE_ERRORS, now)
        self._tally.count(f"{common.DECODE_ERRORS}.sip", now)

    def _answer_unreadable(
        self, message: Unreadable, datagram: bytes, source: Endpoint, destination: Endpoint, now: float
    ) -> None:
        self.unreadable(now)
        via = top_via(Request("", "", message.headers))
        if via is not None and datagram.lstrip()[:4].upper() != b"SIP/":
            self._send(
                encode(answer(message, message.status, self._hop.tag())), destination, p_cscf.reply_to(via, source)
            )

    def _take(self, request: Request, source: Endpoint, local: Endpoint, now: float) -> None:
        via = top_via(request)
        if via is None or request.method == "ACK":
            self._tally.count(common.PROTOCOL_ERRORS, now)
            return
        reply_to = p_cscf.reply_to(via, source)
        self._transactions.expire(now)
        found = self._transactions.receive(request, now)
        if isinstance(found, Absorbed):
            self._tally.count(counters.SBC_RETRANSMISSIONS, now)
            self._transmit(found.outputs, local, reply_to)
        elif isinstance(found, New):
            self._tally.count(counters.SBC_REQUESTS, now)
            self._new(found.key, p_cscf.stamped(request, source), source, reply_to, local, now)

    def _new(
        self, key: Key, request: Request, source: Endpoint, reply_to: Endpoint, local: Endpoint, now: float
    ) -> None:
        user = identity(request, "To" if request.method == "REGISTER" else "From")
        standing = self.users.standing(user, source[0], request, now)
        supi = supi_of_identity(user, self._names.plmn) or user
        kind = classify(request, standing)
        received = _Received(key, request, source, reply_to, local, user, supi, standing, kind)
        if flaw(request) is not None:
            self._tally.count(common.PROTOCOL_ERRORS, now)
            self._respond(received, self._own_answer(request, 400), now)
            return
        self._decide(received, now)

    # --- the decision ------------------------------------------------------------------------------------------------

    def _decide(self, received: _Received, now: float) -> None:
        kind = received.kind
        decision = self.door.decide(now, kind.message_class, kind.first)
        tier = self.door.tier(kind.message_class)
        if isinstance(decision, Refused):
            self._tally.count(counters.SBC_REFUSED_FIRST if decision.first else counters.SBC_REFUSED_FOLLOW_UP, now)
            if decision.action == "reject":
                self._work(received, tier, self._settings.shedding.rejection_cost, self._refuse, now)
            else:
                self._transactions.forget(received.key)
            return
        if kind.first:
            self._tally.count(counters.SBC_ADMITTED_FIRST, now)
        self._work(received, tier, 1.0, self._act, now)

    def _work(
        self, received: _Received, tier: int, cost: float, do: Callable[[_Received, float], None], now: float
    ) -> None:
        if not self.queue.offer(now, tier, cost, lambda at: do(received, at)):
            self._tally.count(counters.SBC_DROPPED, now)
            self._transactions.forget(received.key)

    def _refuse(self, received: _Received, now: float) -> None:
        if not received.kind.first and received.request.method == "REGISTER":
            self._accounts.failed(received.supi, now)
        self._respond(received, self._with_retry_after(self._own_answer(received.request, 503)), now)

    # --- what was let in ---------------------------------------------------------------------------------------------

    def _act(self, received: _Received, now: float) -> None:
        request, method = received.request, received.request.method
        if method == "OPTIONS":
            self._respond(received, self._own_answer(request, 200, (("Allow", _ALLOWED),)), now)
        elif hops_left(request) < 1:
            self._respond(received, self._own_answer(request, 483), now)
        elif method == "REGISTER":
            self._register(received, now)
        elif method == "MESSAGE":
            self._pass_on(received, now)
        else:
            self._respond(received, self._own_answer(request, 405, (("Allow", _ALLOWED),)), now)

    def _register(self, received: _Received, now: float) -> None:
        kind, standing = received.kind, received.standing
        protected = p_cscf.PENDING if standing.answers_challenge else p_cscf.ESTABLISHED if standing.bound else None
        request = p_cscf.register_for_core(received.request, received.local, self._names.domain, protected)
        if not kind.first:
            account = self._accounts.running(received.supi)
        elif kind.message_class is MessageClass.DEREGISTRATION:
            account = 0
        elif standing.bound:
            account = self._accounts.begin_refresh(received.supi)
        else:
            account = self._accounts.begin(received.supi, now)
        call = Call(ops.SIP_REGISTER_ICSCF, received.supi, self._hop.forwarded(request), kind.message_class, account)
        self._bus.call(call, lambda said, at: self._registered(received, self._response(received, said), at), now)

    def _registered(self, received: _Received, response: Response, now: float) -> None:
        """The final response to a REGISTER is on its way back."""
        user, supi = received.identity, received.supi
        if response.status == 401:
            response, nonce = p_cscf.challenge_for_ue(response)
            if nonce is not None:
                self.users.challenged(user, nonce, received.source[0], now)
        elif response.status == 200:
            self._accounts.succeeded(supi)
            bound = p_cscf.binding_in(received.request, response, received.source, received.local, now)
            if bound is None:
                self.users.unbind(user)
            else:
                self.users.bind(user, bound)
        else:
            self._accounts.failed(supi, now)
        self._respond(received, response, now)

    def _pass_on(self, received: _Received, now: float) -> None:
        """A request of a user in service; whom the SBC does not know has to register first."""
        bound = self.users.bound(received.identity, received.source[0], now)
        if bound is None:
            restoration = self._own_answer(received.request, 504, (("Content-Type", p_cscf.RESTORATION_TYPE),))
            self._respond(received, restoration._replace(body=p_cscf.RESTORATION), now)
            return
        request = self._hop.forwarded(p_cscf.request_for_core(received.request, received.identity, bound))
        call = Call(ops.SIP_MESSAGE_SCSCF, received.supi, request, received.kind.message_class)
        self._bus.call(call, lambda said, at: self._respond(received, self._response(received, said), at), now)

    # --- responses ---------------------------------------------------------------------------------------------------

    def _response(self, received: _Received, said: Answer) -> Response:
        """What came from behind, as the UE may see it; silence there is a 504."""
        if isinstance(said, Failed):
            return self._own_answer(received.request, 504)
        response: Response = said
        return returned(response)

    def _own_answer(self, request: Request, status: int, fields: tuple[tuple[str, str], ...] = ()) -> Response:
        return answer(request, status, self._hop.tag(), fields)

    def _with_retry_after(self, response: Response) -> Response:
        seconds = self.door.draw_retry_after_s()
        if seconds is None:
            return response
        return response._replace(headers=response.headers.after((("Retry-After", str(seconds)),)))

    def _respond(self, received: _Received, response: Response, now: float) -> None:
        if response.status in _MENDED and response.headers.first("Retry-After") is None and not response.body:
            mended = self._with_retry_after(response)
            if mended is not response:
                self._tally.count(counters.SBC_RETRY_AFTER_ADDED, now)
            response = mended
        self._tally.count(f"{counters.SBC_RESPONSES}.{response.status}", now)
        self._tally.count(counters.SBC_RESPONSES, now)
        outputs = self._transactions.respond(received.key, response, now)
        self._transmit(outputs, received.local, received.reply_to)

    def _transmit(self, outputs: tuple[Output, ...], local: Endpoint, to: Endpoint) -> None:
        for output in outputs:
            if isinstance(output, Transmit):
                self._send(output.octets, local, to)

    # --- to UEs, and restarts ----------------------------------------------------------------------------------------

    def arrives(self, call: Call, deadline_s: float, reply: Reply, now: float) -> None:
        """A request of the network for a UE (the bus's side of this node)."""
        request: Request = call.payload
        self._towards_ues.request(request, reply, now)
        if (request.headers.first("Subscription-State") or "").startswith("terminated"):
            self.users.unbind(identity(request, "To"))  # the registration is over, and the P-CSCF hears it too

    def restart(self) -> None:
        """Bindings, challenges and transactions are gone."""
        self.users.forget_all()
        self._transactions = ServerTransactions(reliable=False, timers=GM)
