"""What outlives an attempt: the data of one UE (TS 24.501 5.1.3 states, 4.4 security, 5.3 identities and timers).

Plain data. The procedures change it, the rules read it, ue.py keeps the timers that belong to it.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Final, NamedTuple

from protocols.aka import UsimSqn
from protocols.credentials import Credentials, PriorContext
from protocols.identities import Guti, Suci
from protocols.nas5g.messages import NO_KEY, RegistrationAccept
from protocols.nas_security import Algorithms, SecurityContext, Side
from ue_models.rules import Standing, t3502_in_force_s
from ue_models.timers import T3502, T3512


class Mm(Enum):
    """5GMM main states (5.1.3.2.1)."""

    NULL = "5GMM-NULL"
    DEREGISTERED = "5GMM-DEREGISTERED"
    REGISTERED_INITIATED = "5GMM-REGISTERED-INITIATED"
    REGISTERED = "5GMM-REGISTERED"
    DEREGISTERED_INITIATED = "5GMM-DEREGISTERED-INITIATED"
    SERVICE_REQUEST_INITIATED = "5GMM-SERVICE-REQUEST-INITIATED"


class Substate(Enum):
    """Substates of 5GMM-DEREGISTERED and 5GMM-REGISTERED that a storm meets (5.1.3.2.1.2, 5.1.3.2.1.4)."""

    NORMAL_SERVICE = "NORMAL-SERVICE"
    LIMITED_SERVICE = "LIMITED-SERVICE"
    ATTEMPTING_REGISTRATION = "ATTEMPTING-REGISTRATION"
    ATTEMPTING_REGISTRATION_UPDATE = "ATTEMPTING-REGISTRATION-UPDATE"
    PLMN_SEARCH = "PLMN-SEARCH"
    NO_CELL_AVAILABLE = "NO-CELL-AVAILABLE"


class UpdateStatus(Enum):
    """5GS update status (5.1.3.2.2)."""

    UPDATED = "5U1"
    NOT_UPDATED = "5U2"
    ROAMING_NOT_ALLOWED = "5U3"


TRANSITIONS: Final[Mapping[Mm, frozenset[Mm]]] = {
    Mm.NULL: frozenset({Mm.DEREGISTERED}),
    Mm.DEREGISTERED: frozenset({Mm.REGISTERED_INITIATED, Mm.NULL}),
    Mm.REGISTERED_INITIATED: frozenset({Mm.REGISTERED, Mm.DEREGISTERED}),
    Mm.REGISTERED: frozenset(
        {Mm.REGISTERED_INITIATED, Mm.SERVICE_REQUEST_INITIATED, Mm.DEREGISTERED_INITIATED, Mm.DEREGISTERED}
    ),
    Mm.SERVICE_REQUEST_INITIATED: frozenset({Mm.REGISTERED, Mm.DEREGISTERED}),
    Mm.DEREGISTERED_INITIATED: frozenset({Mm.DEREGISTERED}),
}
"""Figure 5.1.3.2.1.1.1. Anything else is a programmer's mistake."""


class FreshKey(NamedTuple):
    """A partial native security context (4.4.2.1): K_AMF of a challenge that no SECURITY MODE COMMAND has used yet."""

    ngksi: int
    kamf: bytes


class AnsweredChallenge(NamedTuple):
    """RAND and RES*, kept while T3516 runs (5.4.1.3.3): the same challenge gets the same answer."""

    rand: bytes
    res_star: bytes


@dataclass(slots=True)
class UeState:
    """One UE. `index` is its place in the population, `group` whether the outage hits it (`outage` or `online`)."""

    index: int
    group: str
    credentials: Credentials
    sqn: UsimSqn
    eutra: bool = False
    high_priority: bool = False

    mm: Mm = Mm.DEREGISTERED
    substate: Substate = Substate.NORMAL_SERVICE
    update_status: UpdateStatus = UpdateStatus.NOT_UPDATED
    updating: bool = False
    """The registration procedure under way updates a registration that exists (5.5.1.3)."""
    connected: bool = False
    """5GMM-CONNECTED mode, else 5GMM-IDLE (5.3.1)."""
    secure: bool = False
    """Secure exchange of NAS messages is established for this connection (4.4.2.5)."""

    guti: Guti | None = None
    tai_list: bytes | None = None
    security: SecurityContext | None = None
    candidate: SecurityContext | None = None
    """The context a verified SECURITY MODE COMMAND wants in use."""
    fresh_key: FreshKey | None = None
    challenge: AnsweredChallenge | None = None
    suci: Suci | None = None
    """Used again while T3519 runs."""

    registration_attempts: int = 0
    service_attempts: int = 0
    hard_rejects: int = 0
    authentication_failures: int = 0
    """Challenges in a row that did not prove the network genuine."""
    challenge_refused: bool = False
    """T3520 runs: the guard timer of the procedure waits for a better challenge (5.4.1.3.7)."""
    t3502_s: float = T3502.seconds
    t3512_s: float = T3512.seconds

    sessions: int = 0
    """Bit n is set while the PDU session with identity n is active."""
    ims_address: bytes = b""
    """The UE's own address on the ims session, four octets."""
    p_cscfs: tuple[bytes, ...] = ()
    """P-CSCF addresses that came with it, best first."""
    barred_sessions: int = 0
    """Bit n is set if that session is not asked for any more (back-off timer "deactivated")."""

    @property
    def ngksi(self) -> int:
        """What an initial NAS message says of the context in use."""
        return NO_KEY if self.security is None else self.security.ngksi

    @property
    def registered(self) -> bool:
        """5GMM-REGISTERED, or in a procedure that began there and does not end the registration if it fails."""
        return self.mm in _REGISTERED or (self.mm is Mm.REGISTERED_INITIATED and self.updating)

    def enter(self, state: Mm, substate: Substate = Substate.NORMAL_SERVICE) -> None:
        """The only way in which the main state changes."""
        if state is not self.mm and state not in TRANSITIONS[self.mm]:
            raise ValueError(f"no way from {self.mm.value} to {state.value}")
        self.mm = state
        self.substate = substate

    def standing(self) -> Standing:
        """What the registration rules look at."""
        return Standing(self.registration_attempts, self.t3502_s, self.hard_rejects, self.eutra)

    def service_standing(self) -> Standing:
        """What the service request rules look at."""
        return Standing(self.service_attempts, self.t3502_s, self.hard_rejects, self.eutra)

    def accept_registration(self, accept: RegistrationAccept) -> None:
        """5.5.1.2.4, 5.5.1.3.4: what a REGISTRATION ACCEPT leaves behind."""
        self.enter(Mm.REGISTERED)
        self.updating = False
        self.update_status = UpdateStatus.UPDATED
        self.registration_attempts = self.service_attempts = self.hard_rejects = 0
        if accept.guti is not None:
            self.guti = accept.guti
            self.suci = None
        self.tai_list = accept.tai_list if accept.tai_list is not None else self.tai_list
        self.t3502_s = t3502_in_force_s(accept.t3502)
        if accept.t3512 is not None:
            self.t3512_s = float(accept.t3512.seconds or 0)  # zero and deactivated: no periodic update
        self.keep_sessions(accept.pdu_session_status)

    def forget(self) -> None:
        """ "delete any 5G-GUTI, last visited registered TAI, TAI list and ngKSI" (5.5.1.2.5, 5.5.1.2.7)."""
        self.guti = self.tai_list = self.security = self.candidate = self.fresh_key = self.challenge = None

    def session_active(self, pdu_session_id: int) -> bool:
        """The session is up as far as the UE knows."""
        return bool(self.sessions >> pdu_session_id & 1)

    def session_status(self) -> bytes:
        """PDU session status (9.11.3.44): the first octet has sessions 0–7, the second 8–15."""
        return self.sessions.to_bytes(2, "little")

    def keep_sessions(self, status: bytes | None) -> None:
        """Releases locally what the network does not have (5.6.1.4.1, 5.5.1.3.4)."""
        if status is not None:
            self.sessions &= int.from_bytes(status[:2], "little")

    def restore(self, prior: PriorContext, algorithms: Algorithms) -> None:
        """Identity and native security context from before the run."""
        self.guti = prior.guti
        self.security = SecurityContext(
            Side.UE, prior.ngksi, prior.kamf, algorithms, prior.uplink_count, prior.downlink_count
        )


_REGISTERED: Final = frozenset({Mm.REGISTERED, Mm.SERVICE_REQUEST_INITIATED, Mm.DEREGISTERED_INITIATED})


def new_ue(index: int, group: str, credentials: Credentials, *, eutra: bool = False) -> UeState:
    """A UE that was never registered. Its USIM accepted `credentials.sqn` last."""
    return UeState(index, group, credentials, UsimSqn(credentials.sqn), eutra)
