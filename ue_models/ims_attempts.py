"""The attempt that a UE's IMS side makes: begun, its requests sent, its end noticed; and what the network asks."""

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum, auto
from typing import Final, Protocol

from protocols.sip.decode import decode
from protocols.sip.encode import answer, encode
from protocols.sip.messages import Request, Response, Unreadable
from protocols.udp import Endpoint, NoDatagram, read_udp, udp_packet
from regstorm.records import procedures as names
from regstorm.records.ports import UeObserver
from ue_models.ims_rules import Failure, Recourse, Refused, described
from ue_models.ims_state import ImsState
from ue_models.procedures.ims_registration import (
    ImsAttempt,
    attempt_deregistration,
    attempt_message,
    attempt_registration,
    attempt_reregistration,
)
from ue_models.procedures.sip_requests import ImsUser
from ue_models.procedures.steps import Succeeded, Ue
from ue_models.profiles import Profile
from ue_models.sip_client import Answer, SipClient
from ue_models.timer_set import TimerSet

_ANSWER: Final = "SIP answer"
_TAG: Final = "ue"
_UNDERSTOOD: Final = frozenset({"MESSAGE", "NOTIFY", "OPTIONS"})


class ImsOwner(Protocol):
    """What the IMS side needs of its UE."""

    def send_packet(self, packet: bytes, now: float) -> None:
        """Sends an IP packet on the ims session, as soon as there is a way."""

    def forget_packets(self) -> None:
        """What still waits for a way is not sent: nobody waits for its answer any more."""

    def ims_changed(self, now: float) -> None:
        """Registered in IMS, or no longer, or still."""

    def ims_exhausted(self, recourse: Recourse, now: float) -> None:
        """Every P-CSCF has been asked in vain."""

    def packet_discarded(self, why: str, now: float) -> None:
        """A packet from the network could not be processed: to be counted."""


class Kind(Enum):
    """What an attempt is an attempt of. Calls will be one more."""

    INITIAL = auto()
    RENEWAL = auto()
    LEAVING = auto()
    MESSAGE = auto()


_ATTEMPTS: Final[dict[Kind, tuple[str, Callable[[ImsUser], ImsAttempt[Succeeded | Failure]]]]] = {
    Kind.INITIAL: (names.IMS_REGISTRATION, attempt_registration),
    Kind.RENEWAL: (names.IMS_REREGISTRATION, attempt_reregistration),
    Kind.LEAVING: (names.IMS_DEREGISTRATION, attempt_deregistration),
    Kind.MESSAGE: (names.IMS_MESSAGE, attempt_message),
}


@dataclass(slots=True)
class _Running:
    kind: Kind
    procedure: str
    attempt: ImsAttempt[Succeeded | Failure]
    started: float


class ImsAttempts(ABC):
    """At most one attempt at a time."""

    __slots__ = (
        "_client",
        "_observer",
        "_owner",
        "_profile",
        "_renewal_due",
        "_running",
        "_timers",
        "_up",
        "_user",
        "_waits_on",
        "state",
    )

    def __init__(
        self, ue: Ue, state: ImsState, owner: ImsOwner, profile: Profile, timers: TimerSet, observer: UeObserver
    ) -> None:
        self.state = state
        self._user = ImsUser(ue, state)
        self._owner = owner
        self._profile = profile
        self._timers = timers
        self._observer = observer
        self._client = SipClient(timers, self._transmit, self._advance)
        self._running: _Running | None = None
        self._up = False
        """The ims session is up."""
        self._waits_on: str | None = None
        """What the next registration waits on, "" for a mere pause, None if none is planned."""
        self._renewal_due = False
        """The re-registration fell due while another attempt ran."""

    @property
    def index(self) -> int:
        """The UE's place in the population."""
        return self._user.ue.state.index

    @property
    def registered(self) -> bool:
        """A binding stands, as far as the UE knows."""
        return self.state.registered

    @property
    def session_is_up(self) -> bool:
        """It has a session to work on."""
        return self._up

    @property
    def busy(self) -> bool:
        """An attempt is under way."""
        return self._running is not None

    @property
    def waits_on(self) -> str | None:
        """The timer that the next registration waits on, "" for a mere pause, None if none is planned."""
        return self._waits_on

    # --- what upper layers do ----------------------------------------------------------------------------------------

    @abstractmethod
    def _succeeded(self, kind: Kind, now: float) -> None:
        """The attempt has ended well."""

    @abstractmethod
    def _failed(self, kind: Kind, failure: Failure, now: float) -> None:
        """The attempt has ended without success."""

    @abstractmethod
    def _renew(self, now: float) -> None:
        """The binding is to be renewed."""

    @abstractmethod
    def _deregistered_by_network(self, for_good: bool, now: float) -> None:
        """A NOTIFY of the reg event has ended the registration; `for_good`: it is not to be tried again."""

    # --- attempts ----------------------------------------------------------------------------------------------------

    def _begin(self, kind: Kind, now: float) -> bool:
        procedure, attempt_of = _ATTEMPTS[kind]
        attempt = attempt_of(self._user)
        self._running = _Running(kind, procedure, attempt, now)
        self._observer.attempt_started(self.index, procedure, now)
        self._ask(next(attempt), now)
        return True

    def _advance(self, heard: Answer, now: float) -> None:
        """Gives the attempt its answer; the next request goes out when the UE has worked it out."""
        running = self._running
        if running is None:
            return
        try:
            request = running.attempt.send(heard)
        except StopIteration as end:
            self._ended(running, end.value, now)
            return
        self._timers.start(_ANSWER, now + self._answer_s(), lambda now: self._ask(request, now))

    def _ended(self, running: _Running, outcome: Succeeded | Failure, now: float) -> None:
        self._running = None
        self._owner.forget_packets()
        failure = None if isinstance(outcome, Succeeded) else described(outcome)
        self._observer.attempt_ended(self.index, running.procedure, running.started, now, failure)
        if isinstance(outcome, Succeeded):
            self._succeeded(running.kind, now)
        else:
            if isinstance(outcome, Refused):
                self._observer.rejected(self.index, described(outcome), False, now)
            self._failed(running.kind, outcome, now)
        if self._renewal_due:
            self._renew(now)

    def _abort(self, now: float) -> None:
        """Ends what runs from outside."""
        running, self._running = self._running, None
        self._client.abort()
        self._timers.stop(_ANSWER)
        self._owner.forget_packets()
        if running is not None:
            running.attempt.close()
            self._observer.attempt_ended(self.index, running.procedure, running.started, now, "aborted")

    def _answer_s(self) -> float:
        ue = self._user.ue
        return ue.rng.uniform(*ue.settings.answer_s)

    # --- octets ------------------------------------------------------------------------------------------------------

    def packet(self, packet: bytes, now: float) -> None:
        """An IP packet came on the ims session."""
        datagram = read_udp(packet)
        if isinstance(datagram, NoDatagram):
            self._owner.packet_discarded(datagram.why, now)
            return
        self.take(decode(datagram.payload), datagram.source, now)

    def take(self, message: Request | Response | Unreadable, source: Endpoint, now: float) -> None:
        """A message came, from there."""
        match message:
            case Response():
                self._hear(message, now)
            case Request():
                self._asked(message, source, now)
            case Unreadable(_, why):
                self._owner.packet_discarded(why, now)

    def transport_lost(self, now: float) -> None:
        """The connection on which an answer was awaited broke, or could not be had."""
        self._client.transport_lost(now)

    def _ask(self, request: Request, now: float) -> None:
        """A request goes out for the first time."""
        self._client.ask(request, now, self.state.access.reliable)

    def _hear(self, response: Response, now: float) -> None:
        """A response came."""
        self._client.hear(response, now)

    def _transmit(self, octets: bytes, now: float) -> None:
        self._send_to(self.state.p_cscf_endpoint, octets, now)

    def _send_to(self, destination: Endpoint, octets: bytes, now: float) -> None:
        self._owner.send_packet(udp_packet(self.state.endpoint, destination, octets), now)

    def _asked(self, request: Request, source: Endpoint, now: float) -> None:
        """The network asks: 200 to what is understood, the same for a retransmission; else 501, and nothing to ACK."""
        if request.method == "ACK":
            return
        status = 200 if request.method in _UNDERSTOOD else 501
        self._send_to(source, encode(answer(request, status, _TAG)), now)
        if request.method == "NOTIFY" and request.headers.first("Event") == "reg" and b'"terminated"' in request.body:
            # 5.1.1.7: "rejected" ends it; after "deactivated" or "expired" the UE registers (RFC 3680 5.2.1)
            self._deregistered_by_network(b'"rejected"' in request.body, now)
