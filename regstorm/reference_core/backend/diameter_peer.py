"""One end of a Diameter connection between two peers (RFC 6733 5.6): octets in, events and octets out.

Either end: the one that connects sends CER and waits for CEA, the other waits for CER. Nothing but these is heard
before; DWR is answered at once, before any other message of the same octets, and DPR ends it. What the base protocol
wants of a request before anybody looks at its application (7.1) is decided here: realm, host, M bits, command.
No watchdog runs by itself: whoever owns the connection says when (RFC 3539 leaves the interval to it).
"""

from enum import Enum, auto
from typing import Final, NamedTuple

from protocols.diameter import base
from protocols.diameter.decode import decode
from protocols.diameter.encode import answer_to, encode, failed_avp, refusal, unsupported
from protocols.diameter.framing import StreamFraming
from protocols.diameter.layouts import RawAvp, Result
from protocols.diameter.messages import BY_NUMBERS, LAYOUTS, Content, Identifiers, Message, Other, Unreadable
from protocols.diameter.numbers import Application, DisconnectCause, ResultCode, Vendor

PRODUCT: Final = "regstorm"
_APPLICATIONS: Final = (base.CX_APPLICATION, base.SH_APPLICATION)
_SERVED: Final = frozenset((int(Application.CX), int(Application.SH), int(Application.RELAY)))
_RESULT_CODE: Final = 268


class Node(NamedTuple):
    """Who an end is."""

    host: str
    realm: str
    address: str
    """Host-IP-Address (5.3.5); for information only."""


class State(Enum):
    """Of one end; the names are those of 5.6."""

    WAIT_CEA = auto()
    WAIT_CER = auto()
    OPEN = auto()
    CLOSING = auto()
    CLOSED = auto()


class Opened(NamedTuple):
    """Capabilities are exchanged."""

    host: str


class Asked(NamedTuple):
    """A request of an application that this node serves."""

    message: Message


class Answered(NamedTuple):
    """The answer to a request of ours, or to none."""

    message: Message


class Alive(NamedTuple):
    """The peer has answered a DWR."""


class NotUnderstood(NamedTuple):
    """A message that is none, or that nobody here serves; it has been answered if it was a request."""

    why: str


class Over(NamedTuple):
    """The connection is to be closed. `peer_broke_it`: it did not keep to the protocol."""

    why: str
    peer_broke_it: bool


Event = Opened | Asked | Answered | Alive | NotUnderstood | Over


class DiameterPeer:
    """One end of one connection."""

    def __init__(self, node: Node, identifiers: Identifiers, connects: bool) -> None:
        """`connects`: this end has set the connection up, and speaks first."""
        self.state = State.WAIT_CEA if connects else State.WAIT_CER
        self.peer_host = ""
        self._node = node
        self._identifiers = identifiers
        self._framing = StreamFraming()
        self._out: list[bytes] = []
        if connects:
            self._request(_cer(node))

    @property
    def over(self) -> bool:
        """Nothing is said or heard any more."""
        return self.state is State.CLOSED

    def octets(self) -> bytes:
        """What is to be sent; asked for after every other call."""
        octets = b"".join(self._out)
        self._out.clear()
        return octets

    # ---- saying

    def request(
        self, content: Content, destination_host: str, others: tuple[RawAvp, ...] = (), session: str | None = None
    ) -> int:
        """A request of an application; the Hop-by-Hop Identifier that its answer will have. Only when open."""
        ids = self._identifiers
        hop_by_hop = ids.hop_by_hop()
        message = Message(
            content,
            hop_by_hop,
            ids.end_to_end(),
            self._node.host,
            self._node.realm,
            session or ids.session_id(self._node.host),
            self._node.realm,
            destination_host,
            others=others,
        )
        self._out.append(encode(message))
        return hop_by_hop

    def answer(self, request: Message, content: Content, others: tuple[RawAvp, ...] = ()) -> None:
        """The answer to a request that was told; harmless if the connection is over."""
        if not self.over:
            self._out.append(encode(answer_to(request, content, self._node.host, self._node.realm, others)))

    def refuse(self, request: Message, result: ResultCode = ResultCode.COMMAND_UNSUPPORTED) -> None:
        """The answer to a request that nobody here serves."""
        self.answer(request, *_refused(request, result, ()))

    def watch(self) -> None:
        """DWR: asks whether the peer is alive (5.5)."""
        if self.state is State.OPEN:
            self._request(base.DeviceWatchdogRequest())

    def disconnect(self, cause: DisconnectCause = DisconnectCause.REBOOTING) -> None:
        """DPR: this end is going (5.4). Its answer ends the connection."""
        if self.state is State.OPEN:
            self.state = State.CLOSING
            self._request(base.DisconnectPeerRequest(cause))

    def _request(self, content: Content) -> None:
        ids = self._identifiers
        hop_by_hop, end_to_end = ids.hop_by_hop(), ids.end_to_end()
        self._out.append(encode(Message(content, hop_by_hop, end_to_end, self._node.host, self._node.realm)))

    # ---- hearing

    def receive(self, octets: bytes) -> list[Event]:
        """What these octets come to. No octets raise anything."""
        if self.over:
            return []
        told: list[Event] = []
        messages = [decode(one) for one in self._framing.feed(octets)]
        if self.state is State.OPEN:
            messages.sort(key=_after_the_watchdog)
        for message in messages:
            told += self._heard(message)
            if self.over:
                return told
        if self._framing.broken:
            told.append(self._close("no message boundary", peer_broke_it=True))
        return told

    def _heard(self, message: Message | Unreadable) -> list[Event]:
        if isinstance(message, Unreadable):
            return self._not_read(message)
        match self.state:
            case State.WAIT_CER:
                return [self._meet(message)]
            case State.WAIT_CEA:
                return [self._be_met(message)]
        match message.content:
            case base.DeviceWatchdogRequest():
                self.answer(message, base.DeviceWatchdogAnswer(ResultCode.SUCCESS))
                return []
            case base.DeviceWatchdogAnswer():
                return [Alive()]
            case base.DisconnectPeerRequest():
                self.answer(message, base.DisconnectPeerAnswer(ResultCode.SUCCESS))
                return [self._close("DPR", peer_broke_it=False)]
            case base.DisconnectPeerAnswer():
                return [self._close("DPA", peer_broke_it=self.state is not State.CLOSING)]
            case base.CapabilitiesExchangeRequest():  # again, on an open connection (5.6.1)
                self._accept(message)
                return []
            case base.CapabilitiesExchangeAnswer():
                return []
        return self._of_an_application(message)

    def _not_read(self, unreadable: Unreadable) -> list[Event]:
        """Before capabilities are exchanged anything but a CER or CEA ends it."""
        answer = refusal(unreadable, self._node.host, self._node.realm)
        if answer is not None:
            self._out.append(encode(answer))
        if self.state in (State.WAIT_CER, State.WAIT_CEA):
            return [self._close(unreadable.why, peer_broke_it=True)]
        return [NotUnderstood(unreadable.why)]

    # ---- capabilities

    def _meet(self, message: Message) -> Event:
        content = message.content
        if not isinstance(content, base.CapabilitiesExchangeRequest):
            return self._close("no CER", peer_broke_it=True)
        named = {int(one) for one in content.auth_applications}
        named |= {int(one.auth_application or 0) for one in content.vendor_applications}
        if not named & _SERVED:
            self.answer(message, self._cea(ResultCode.NO_COMMON_APPLICATION))
            return self._close("no common application", peer_broke_it=False)
        self._accept(message)
        self.state = State.OPEN
        self.peer_host = message.origin_host
        return Opened(message.origin_host)

    def _accept(self, cer: Message) -> None:
        self.answer(cer, self._cea(ResultCode.SUCCESS))

    def _cea(self, result: Result) -> base.CapabilitiesExchangeAnswer:
        return base.CapabilitiesExchangeAnswer(result, *_cer(self._node))

    def _be_met(self, message: Message) -> Event:
        content = message.content
        if not isinstance(content, base.CapabilitiesExchangeAnswer):
            return self._close("no CEA", peer_broke_it=True)
        if content.result is not ResultCode.SUCCESS:
            return self._close(f"CEA {content.result}", peer_broke_it=False)
        self.state = State.OPEN
        self.peer_host = message.origin_host
        return Opened(message.origin_host)

    # ---- applications

    def _of_an_application(self, message: Message) -> list[Event]:
        if not _is_request(message):
            return [Answered(message)]
        result, others = self._objection(message)
        if result is None:
            return [Asked(message)]
        self.answer(message, *_refused(message, result, others))
        return [NotUnderstood(result.name)]

    def _objection(self, message: Message) -> tuple[ResultCode | None, tuple[RawAvp, ...]]:
        """Why nobody here serves a request (6.1.4 to 6.1.6, 7.1.3, 7.1.5)."""
        if message.destination_realm is not None and message.destination_realm != self._node.realm:
            return ResultCode.REALM_NOT_SERVED, ()
        if message.destination_host is not None and message.destination_host != self._node.host:
            return ResultCode.UNABLE_TO_DELIVER, ()
        if isinstance(message.content, Other):
            served = message.content.application in _SERVED or message.content.application == Application.BASE
            return (ResultCode.COMMAND_UNSUPPORTED if served else ResultCode.APPLICATION_UNSUPPORTED), ()
        culprit = unsupported(message)
        return (None, ()) if culprit is None else (ResultCode.AVP_UNSUPPORTED, (failed_avp(culprit),))

    def _close(self, why: str, *, peer_broke_it: bool) -> Over:
        self.state = State.CLOSED
        return Over(why, peer_broke_it)


def _cer(node: Node) -> base.CapabilitiesExchangeRequest:
    """Both applications, vendor-specific as TS 29.229 5.6 and TS 29.329 5.6 want them."""
    return base.CapabilitiesExchangeRequest(
        (node.address,), PRODUCT, supported_vendors=(int(Vendor.TGPP),), vendor_applications=_APPLICATIONS
    )


def _after_the_watchdog(message: Message | Unreadable) -> bool:
    """Watchdogs stand in no queue: False sorts first, and what stays equal keeps its order."""
    content = None if isinstance(message, Unreadable) else message.content
    return not isinstance(content, base.DeviceWatchdogRequest | base.DeviceWatchdogAnswer)


def _is_request(message: Message) -> bool:
    layout = LAYOUTS.get(type(message.content))
    if layout is not None:
        return layout.is_request
    return isinstance(message.content, Other) and message.content.is_request


def _refused(request: Message, result: ResultCode, others: tuple[RawAvp, ...]) -> tuple[Content, tuple[RawAvp, ...]]:
    """An answer of the request's command with a result and no more."""
    content = request.content
    if isinstance(content, Other):
        code = RawAvp(_RESULT_CODE, int(result).to_bytes(4, "big"))
        return Other(content.command, content.application, is_request=False), (code, *others)
    asked = LAYOUTS[type(content)]
    made: Content = BY_NUMBERS[asked.application, asked.command, False].make(result)
    return made, others
