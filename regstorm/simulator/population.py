"""The population: what is remembered of each UE, on its own side and on the core's.

Indices below `outage_ues` are the outage group. The two sides are kept apart: a UE that has given up does not know
what the core still does for it. Where a field holds the number of an event, that event counts and any other that
comes is stale; 0 is none.

What is looked at with almost every event lies together, in a record. What only one part of the simulator knows, and
looks at now and then, stands in compact arrays there: 300 000 records of everything would not fit in 300 MB.
"""

from array import array
from dataclasses import dataclass, replace
from random import Random
from typing import TYPE_CHECKING, Final

from regstorm.records.population import Population as PopulationSettings
from regstorm.simulator.chain import KNOWN
from regstorm.simulator.ims_population import ImsUe
from ue_models.ims_rules import Recourse
from ue_models.profiles import (
    IGNORES_RETRY_AFTER,
    IGNORES_T3346,
    OBEDIENT,
    Profile,
    endless,
    impatient,
    restless,
)

if TYPE_CHECKING:
    from regstorm.simulator.calls import Call
    from regstorm.simulator.equal_waits import EqualWaits
    from regstorm.simulator.ledger import Account

AWAY: Final = 0
"""Without coverage."""
DEREGISTERED: Final = 1
"""Waits for its next initial registration."""
REGISTERING: Final = 2
ESTABLISHING: Final = 3
"""Registered; asks for a session."""
LACKS_SESSION: Final = 4
"""Registered; will ask for the missing sessions after a pause, or when it has a connection."""
IN_SERVICE: Final = 5
STOPPED: Final = 6
"""No automatic attempt any more, or gone to E-UTRA."""

IDLE: Final = 0
SERVICE_REQUEST: Final = 1
PERIODIC_UPDATE: Final = 2
LEAVING: Final = 3
"""What a registered UE waits for an answer to; the last of them to a DEREGISTRATION REQUEST."""

OWES_STAGE: Final = 1
OWES_COMPLETE: Final = 2
OWES_SESSION: Final = 4
OWES_RELEASE: Final = 8
OWES_RELEASED: Final = 16
"""What a UE is about to send: its registration's next message, REGISTRATION COMPLETE, its session request, PDU SESSION
RELEASE REQUEST or COMPLETE."""

NO_STAGE: Final = 255


@dataclass(slots=True, eq=False)
class Ue(ImsUe):
    """One UE, as its own side and the core look at it all the time."""

    index: int
    profile: Profile

    # --- the UE's side
    phase: int = IN_SERVICE
    asks: int = IDLE
    """IDLE, SERVICE_REQUEST, PERIODIC_UPDATE or LEAVING."""
    chain: int = KNOWN
    stage: int = 0
    """Of its chain: whose uplink message it has sent, or sends next."""
    owes: int = 0
    has_guti: bool = True
    waits_on: int = 0
    """Index of the 5GMM timer that it waits on; 0: none."""
    sessions: int = 0
    """Bit n: the session with the scenario's DNN n is up."""
    idle_at_s: float = 0.0
    """When the base station will have released its connection, if nothing is sent before; 0: it has none."""
    answer: int = 0
    guard: "EqualWaits[Ue] | None" = None
    """T3510, T3517 or T3521, if it runs; the first two are shorter with an impatient UE."""

    # --- the core's side
    known: bool = True
    """The AMF that it is connected to has its GUTI and its security context."""
    secured: bool = False
    """Secure exchange is established on this connection."""
    follows_registration: bool = False
    """A registration was admitted on this connection, and its sessions are not all up yet."""
    connection: int = 0
    """Changes whenever a connection begins or ends: what was sent on another is not heard."""
    expected: int = NO_STAGE
    """The stage whose uplink message the registration waits for."""
    worked_on: int = NO_STAGE
    """The stage that calls are made for."""
    asked: "Call | None" = None
    """The pairs that this stage waits for."""
    accounts: "tuple[Account, ...]" = ()
    """In 5GS: open since its last full service."""
    account_in_ims: "Account | None" = None
    """Of the registration in IMS that runs."""
    registered_in_ims: "Account | None" = None
    """Of the last registration in IMS that was to lead to full service, and has not yet."""
    stage_end: int = 0

    @property
    def shares_context(self) -> bool:
        """The AMF can tell from an initial message who the UE is, and protect what it answers."""
        return self.known and self.has_guti


class Population:
    """All UEs, by index."""

    def __init__(self, settings: PopulationSettings, sessions: int, rng: Random) -> None:
        """`sessions`: how many each UE wants."""
        self.outage_ues = settings.outage_ues
        self.size = settings.outage_ues + settings.online_ues
        self.has_ims = settings.ims
        self.sessions_wanted = (1 << sessions) - 1
        self.ues = [Ue(index, profile) for index, profile in enumerate(_profiles(settings, self.size, rng))]
        for ue in self.ues:
            ue.sessions = self.sessions_wanted
        share = settings.eutra_coverage
        self.eutra = bytearray(rng.random() < share for _ in self.ues) if share else bytearray(self.size)
        """By index: there is E-UTRA coverage where it is."""
        self.asks_longer = bytearray(self.size)
        """By index: it was told 423, and asks for Min-Expires."""
        share = settings.unprotected
        self.unprotected = [ue for ue in self.outage_group if rng.random() < share] if share else []
        """Those whose security context the outage takes from the AMF."""

    @property
    def outage_group(self) -> list[Ue]:
        """Those that the outage strikes."""
        return self.ues[: self.outage_ues]


def numbers(ues: int) -> "array[int]":
    """Numbers of events, by index of the UE: none."""
    return array("I", bytes(4 * ues))


def times_s(ues: int) -> "array[float]":
    """Times by index of the UE, 0 at first."""
    return array("d", bytes(8 * ues))


def _profiles(settings: PopulationSettings, ues: int, rng: Random) -> list[Profile]:
    """How each UE behaves."""
    shares, recourse = settings.profiles, Recourse(settings.p_cscfs_exhausted)
    known = (
        OBEDIENT,
        IGNORES_T3346,
        restless(shares.restless_mean_s),
        impatient(shares.impatient_every_s),
        endless(shares.endless_every_s),
        IGNORES_RETRY_AFTER,
    )
    waits = settings.refused_by_p_cscf == "wait"
    kinds = tuple(replace(one, recourse=recourse, waits_at_p_cscf=waits) for one in known)
    weights = (
        shares.obedient,
        shares.ignores_t3346,
        shares.restless,
        shares.impatient,
        shares.endless,
        shares.ignores_retry_after,
    )
    if shares.obedient == 1:
        return [kinds[0]] * ues
    return rng.choices(kinds, weights, k=ues)
