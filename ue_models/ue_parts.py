"""What the machine of one UE is made of: its data, its parts, and what its layers expect of each other.

The machine is one object in layers, a file each, every one built on those before it:

ue_parts.py       data and parts, here
ue_service.py     registered or not, in full service or not, and what begins by the clock meanwhile
ue_attempts.py    the attempt under way: begun, fed, ended
ue_retries.py     what a failure or a deregistration makes the UE do next
ue_requests.py    which procedures may begin, and how
ue_ims.py         the IMS side: its session, its packets, what it asks of the 5GS
ue.py             the machine, as composers, base stations and sessions see it
"""

from abc import ABC, abstractmethod
from random import Random

from protocols.ims_identities import home_domain, private_identity, public_identity
from protocols.nas5g.messages import FivegmmMessage, RegistrationType, ServiceType
from regstorm.records.ports import Agenda, UeObserver
from ue_models.attempt_runner import Running
from ue_models.ims_rules import Recourse
from ue_models.ims_state import ImsState
from ue_models.ims_ue import ImsUe
from ue_models.nas_connection import NasConnection
from ue_models.next_attempt import Kind, NextAttempt
from ue_models.procedures.common import imei_urn
from ue_models.procedures.steps import Outcome, Ue
from ue_models.profiles import Profile
from ue_models.radio import BaseStation
from ue_models.rules import Failure
from ue_models.settings import UeSettings
from ue_models.timer_set import TimerSet
from ue_models.ue_sessions import UeSessions
from ue_models.ue_state import UeState


class UeParts(ABC):
    """The lowest layer. What upper layers do for lower ones is declared at its end."""

    __slots__ = (
        "_connection",
        "_covered",
        "_gnb",
        "_held",
        "_ims",
        "_in_service",
        "_kind",
        "_next",
        "_observer",
        "_profile",
        "_returns",
        "_running",
        "_sessions",
        "_timers",
        "_ue",
        "_unsent",
        "_wanted",
        "state",
    )

    def __init__(
        self,
        state: UeState,
        profile: Profile,
        settings: UeSettings,
        gnb: BaseStation,
        agenda: Agenda,
        rng: Random,
        observer: UeObserver,
    ) -> None:
        self.state = state
        self._ue = Ue(state, settings, rng)
        self._profile = profile
        self._gnb = gnb
        self._observer = observer
        self._timers = self._timer_set(agenda)
        self._connection = self._nas_connection(agenda)
        self._next = NextAttempt(self._ue, self._timers, observer, self)
        self._sessions = UeSessions(self._ue, self, profile, self._timers, observer)
        self._running: Running[Outcome] | None = None
        self._kind: Kind | None = None
        """What the attempt under way is an attempt of; None is a deregistration."""
        self._unsent: tuple[FivegmmMessage, ...] = ()
        self._covered = True
        self._wanted = True
        """It registers of itself: not after a deregistration or a hard cause, until the next power-on."""
        self._in_service = False
        self._ims = self._ims_side() if settings.ims else None
        self._held: tuple[bytes, ...] = ()
        """Packets for the ims session that wait for user-plane resources."""
        self._returns = False
        """The deregistration under way is to be followed by a registration."""

    @property
    def index(self) -> int:
        """Its place in the population."""
        return self.state.index

    @property
    def in_service(self) -> bool:
        """Registered, every session of the scenario up, and registered in IMS if the scenario has it."""
        return self._in_service

    @property
    def wants_service(self) -> bool:
        """It will try of itself, sooner or later; not so after a deregistration or a hard cause."""
        return self._wanted

    @property
    def running_timers(self) -> tuple[str, ...]:
        """The names of the timers that run."""
        return self._timers.running

    @property
    def waits_on(self) -> str | None:
        """The timer that forbids the next attempt, "" for a mere pause, None if none is planned."""
        return self._next.waits_on

    # --- its parts: whoever records what a UE does puts others in their place (traced_ue.py) --------------------------

    def _timer_set(self, agenda: Agenda) -> TimerSet:
        return TimerSet(agenda)

    def _nas_connection(self, agenda: Agenda) -> NasConnection:
        return NasConnection(self._ue, self, self._gnb, agenda, self._timers)

    def _ims_side(self) -> ImsUe:
        return ImsUe(self._ue, self._ims_state(), self, self._profile, self._timers, self._observer)

    def _ims_state(self) -> ImsState:
        state, settings = self.state, self._ue.settings
        supi, plmn = state.credentials.supi, settings.plmn
        ims = ImsState(private_identity(supi, plmn), public_identity(supi, plmn), home_domain(plmn), imei_urn(state))
        ims.wished_s = settings.ims_expires_s
        return ims

    # --- what upper layers do -----------------------------------------------------------------------------------------

    @abstractmethod
    def update(self, kind: RegistrationType, now: float) -> bool:
        """Mobility or periodic registration update; False if it may not begin now."""

    @abstractmethod
    def request_service(self, kind: ServiceType, now: float) -> bool:
        """Service request from 5GMM-IDLE; False if it may not begin now."""

    @abstractmethod
    def downlink(self, nas: bytes, now: float) -> None:
        """A NAS message from the network, whatever it is."""

    @abstractmethod
    def user_packet(self, pdu_session_id: int, packet: bytes, now: float) -> None:
        """An IP packet arrived on a PDU session."""

    @abstractmethod
    def send_packet(self, packet: bytes, now: float) -> None:
        """Sends an IP packet on the ims session, at once or when there are resources for it again."""

    @abstractmethod
    def forget_packets(self) -> None:
        """What still waits for resources is not sent."""

    @abstractmethod
    def ims_changed(self, now: float) -> None:
        """Registered in IMS, or no longer, or still."""

    @abstractmethod
    def ims_exhausted(self, recourse: Recourse, now: float) -> None:
        """Every P-CSCF has been asked in vain."""

    @abstractmethod
    def packet_discarded(self, why: str, now: float) -> None:
        """A packet from the network could not be processed."""

    @abstractmethod
    def released(self, now: float) -> None:
        """The connection is gone: 5GMM-IDLE."""

    @abstractmethod
    def send_on_connection(self, message: FivegmmMessage, now: float) -> None:
        """Sends now if connected; else once a service request has brought a connection."""

    @abstractmethod
    def sessions_changed(self, now: float) -> None:
        """A session came up, went down, or may be asked for again."""

    @abstractmethod
    def begin_planned(self, now: float) -> None:
        """The wait is over: the next attempt, if it is still wanted."""

    @abstractmethod
    def _succeeded(self, now: float) -> None:
        """The attempt has ended well."""

    @abstractmethod
    def _failed(self, outcome: Failure, failure: str, now: float) -> None:
        """The attempt has ended without success; `failure` says it in words."""

    @abstractmethod
    def _deregistered(self, now: float) -> None:
        """The UE's own deregistration is over."""

    @abstractmethod
    def _resume(self, now: float) -> None:
        """What a UE does of itself once nothing else is under way."""
