"""A UE that is nothing but its IMS side, on SIP transports of its own instead of a PDU session.

For storms on an SBC alone and for peers that have no 5GC before them: registration, renewal, digest, timers and retry
rules are those of ims_ue.py. Access comes and goes as coverage does in 5GS. When every P-CSCF was asked in vain there
is no session to ask for anew: the phone asks them all again after the back-off of RFC 5626 4.5.
"""

from collections.abc import Callable
from dataclasses import replace
from functools import lru_cache
from random import Random
from typing import NamedTuple, Protocol

from protocols.credentials import PriorBinding
from protocols.identities import Plmn
from protocols.ims_identities import home_domain, private_identity, public_identity
from protocols.sip.messages import Request, Response, Unreadable
from protocols.udp import Endpoint
from regstorm.records.ports import Agenda, UeObserver
from ue_models.ims_rules import Recourse, back_off_s
from ue_models.ims_state import ImsState, SipAccess
from ue_models.ims_ue import ImsUe
from ue_models.procedures.common import imei_urn
from ue_models.procedures.steps import Ue
from ue_models.profiles import Profile
from ue_models.settings import UeSettings
from ue_models.timer_set import TimerSet
from ue_models.ue_state import UeState

_AGAIN = "SIP access"


class PriorPhone(NamedTuple):
    """A registration from before the run, granted for `granted_s`; `share` of the time to its renewal is to come."""

    binding: PriorBinding
    granted_s: float
    share: float


class SipWay(Protocol):
    """What carries the messages of a phone."""

    def open(self, phone: "SipPhone") -> SipAccess:
        """The phone has access from now on."""

    def send(self, phone: "SipPhone", octets: bytes, destination: Endpoint) -> None:
        """One message; it may be lost."""

    def close(self, phone: "SipPhone") -> None:
        """The phone has no access any more."""


class _OnTransports(ImsUe):
    """Its messages go out as they are, not in packets."""

    __slots__ = ("send_message_to",)

    send_message_to: Callable[[bytes, Endpoint], None]

    def _send_to(self, destination: Endpoint, octets: bytes, now: float) -> None:
        self.send_message_to(octets, destination)


@lru_cache
def _of_one_p_cscf(profile: Profile) -> Profile:
    """Retry-After says when to ask the only one again; there is no other."""
    return replace(profile, waits_at_p_cscf=True)


class SipPhone:
    """All calls take `now` in scenario seconds, never decreasing."""

    __slots__ = ("_host", "_observer", "_p_cscfs", "_rng", "_timers", "_way", "discarded", "ims", "in_service", "state")

    def __init__(
        self,
        state: UeState,
        plmn: Plmn,
        profile: Profile,
        settings: UeSettings,
        way: SipWay,
        host: str,
        p_cscfs: tuple[str, ...],
        agenda: Agenda,
        rng: Random,
        observer: UeObserver,
        domain: str | None = None,
        password: str | None = None,
    ) -> None:
        """`host`: its own address. `domain`, `password`: of a registrar that knows users by plain digest."""
        self.state = state
        self.in_service = False
        self.discarded = 0
        """Messages that could not be read."""
        self._way = way
        self._host = host
        self._p_cscfs = p_cscfs
        self._rng = rng
        self._observer = observer
        self._timers = TimerSet(agenda)
        home, supi = domain or home_domain(plmn), state.credentials.supi
        private, public = private_identity(supi, plmn), public_identity(supi, plmn)
        if domain is not None:
            private, public = (f"{text.partition('@')[0]}@{domain}" for text in (private, public))
        ims = ImsState(private, public, home, imei_urn(state))
        ims.wished_s = settings.ims_expires_s
        ims.password = None if password is None else password.encode()
        if len(p_cscfs) == 1:
            profile = _of_one_p_cscf(profile)
        self.ims = _OnTransports(Ue(state, settings, rng), ims, self, profile, self._timers, observer)
        self.ims.send_message_to = self._send

    @property
    def index(self) -> int:
        """Its place in the population."""
        return self.state.index

    # --- access ------------------------------------------------------------------------------------------------------

    def provision(self, prior: PriorPhone, now: float) -> None:
        """It has had access all the while, and is registered."""
        self.ims.state.access = self._way.open(self)
        self.ims.provision(prior.binding, self._host, self._p_cscfs, prior.granted_s, prior.share, now)
        self._update_service(now)

    def return_to_coverage(self, now: float) -> None:
        """It has access: it registers."""
        self._timers.stop(_AGAIN)
        self.ims.state.access = self._way.open(self)
        self.ims.session_up(self._host, self._p_cscfs, now)

    def lose_coverage(self, now: float) -> None:
        """No access any more, and no registration."""
        was = self.in_service
        self._timers.stop(_AGAIN)
        self.ims.session_down(now)
        self._way.close(self)
        self._update_service(now)
        if was:
            self._observer.registration_lost(self.index, "coverage lost", now)

    def deregister(self, now: float) -> bool:
        """Leaves IMS; False if it may not begin now."""
        return self.ims.deregister(now)

    # --- messages ----------------------------------------------------------------------------------------------------

    def take(self, message: Request | Response | Unreadable, source: Endpoint, now: float) -> None:
        """A message came for it."""
        self.ims.take(message, source, now)

    def way_lost(self, now: float) -> None:
        """Its connection broke or could not be had: who waits for an answer learns it."""
        self.ims.transport_lost(now)

    def _send(self, octets: bytes, destination: Endpoint) -> None:
        self._way.send(self, octets, destination)

    # --- what the IMS side calls (ims_attempts.ImsOwner) -------------------------------------------------------------

    def send_packet(self, packet: bytes, now: float) -> None:
        """Never: messages go out as they are."""
        raise NotImplementedError("a phone on transports of its own has no packets")

    def forget_packets(self) -> None:
        """Nothing waits: messages go out as they are."""

    def ims_changed(self, now: float) -> None:
        """Registered in IMS, or no longer, or still."""
        self._update_service(now)

    def ims_exhausted(self, recourse: Recourse, now: float) -> None:
        """Every P-CSCF has been asked in vain. E-UTRA has none other."""
        self._come_again(now)

    def packet_discarded(self, why: str, now: float) -> None:
        """A message could not be read."""
        self.discarded += 1

    def _come_again(self, now: float) -> None:
        wait_s = back_off_s(self.ims.state.failures, self._rng)
        self._timers.start(_AGAIN, now + wait_s, self._renew_access)

    def _renew_access(self, now: float) -> None:
        self.ims.session_down(now)
        self._update_service(now)
        self.return_to_coverage(now)

    def _update_service(self, now: float) -> None:
        registered = self.ims.registered
        if registered != self.in_service:
            self.in_service = registered
            self._observer.service_changed(self.index, registered, now)
