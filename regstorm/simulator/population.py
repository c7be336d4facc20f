"""The population as compact arrays: what is remembered of each UE, on its own side and on the core's.

A UE is an index; indices below `outage_ues` are the outage group. The two sides are kept apart: a UE that has given
up does not know what the core still does for it. Where an array holds the number of an event, that event counts and
any other that comes is stale; 0 is none.
"""

from array import array
from dataclasses import replace
from random import Random
from typing import Final

from regstorm.records.population import Population as PopulationSettings
from regstorm.simulator.ims_population import ImsPopulation
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
"""What a registered UE waits for an answer to."""

OWES_STAGE: Final = 1
OWES_COMPLETE: Final = 2
OWES_SESSION: Final = 4
OWES_RELEASE: Final = 8
OWES_RELEASED: Final = 16
"""What a UE is about to send: its registration's next message, REGISTRATION COMPLETE, its session request, PDU SESSION
RELEASE REQUEST or COMPLETE."""

NO_STAGE: Final = 255


class Population:
    """Arrays by UE index."""

    def __init__(self, settings: PopulationSettings, sessions: int, rng: Random) -> None:
        """`sessions`: how many each UE wants."""
        self.outage_ues = settings.outage_ues
        self.size = ues = settings.outage_ues + settings.online_ues
        self.profiles, self.profile = _profiles(settings, ues, rng)
        share = settings.eutra_coverage
        self.eutra = bytearray(rng.random() < share for _ in range(ues)) if share else bytearray(ues)
        share = settings.unprotected
        self.unprotected = [ue for ue in range(self.outage_ues) if rng.random() < share] if share else []
        """Those whose security context the outage takes from the AMF."""
        self.ims = ImsPopulation(ues) if settings.ims else None
        """None: the population does without."""

        # --- the UE's side
        self.phase = bytearray([IN_SERVICE]) * ues
        self.asks = bytearray(ues)
        """IDLE, SERVICE_REQUEST or PERIODIC_UPDATE."""
        self.retries = bytearray(ues)
        """Which of these comes next, if the UE waits before it."""
        self.chain = bytearray(ues)
        self.stage = bytearray(ues)
        """Of its chain: whose uplink message it has sent, or sends next."""
        self.owes = bytearray(ues)
        self.releasing = bytearray(ues)
        """It has its ims session released."""
        self.returns = bytearray(ues)
        """It deregisters only to register again."""
        self.unsent = bytearray(ues)
        """A session request waits for a connection."""
        self.registration_attempts = bytearray(ues)
        self.service_attempts = bytearray(ues)
        self.hard_rejects = bytearray(ues)
        self.repeats = bytearray(ues)
        """Expiries of T3580."""
        self.has_guti = bytearray([1]) * ues
        self.waits_on = bytearray(ues)
        """Index of the 5GMM timer that it waits on; 0: none."""
        self.sessions_wanted = (1 << sessions) - 1
        self.sessions = bytearray([self.sessions_wanted]) * ues
        """Bit n: the session with the scenario's DNN n is up."""
        self.barred_sessions = bytearray(ues)
        """Bit n: it is not asked for any more."""
        self.backs_off = bytearray(ues)
        """Bit n: T3396 runs for it; else its pause is the upper layers' own."""
        self.started = array("d", bytes(8 * ues))
        """When its 5GMM attempt began."""
        self.session_started = array("d", bytes(8 * ues))
        self.idle_at = array("d", bytes(8 * ues))
        """When the base station will have released its connection, if nothing is sent before."""
        self.retry = _numbers(ues)
        self.answer = _numbers(ues)
        self.guard = _numbers(ues)
        self.t3580 = _numbers(ues)
        self.pauses = tuple(_numbers(ues) for _ in range(sessions))
        """By session: the end of the pause before it is asked for again."""
        self.operation = _numbers(ues)
        self.t3512 = _numbers(ues)

        # --- the core's side
        self.known = bytearray([1]) * ues
        """The AMF has its GUTI and its security context."""
        self.secured = bytearray(ues)
        """Secure exchange is established on this connection."""
        self.follows_registration = bytearray(ues)
        """A registration was admitted on this connection, and its sessions are not all up yet."""
        self.on_probation = bytearray(ues)
        """Its registration goes on to its authentication; then the door is asked again."""
        self.connection = _numbers(ues)
        """Changes whenever a connection begins or ends: what was sent on another is not heard."""
        self.expected = bytearray([NO_STAGE]) * ues
        """The stage whose uplink message the registration waits for."""
        self.worked_on = bytearray([NO_STAGE]) * ues
        """The stage that calls are made for."""
        self.nas_repeats = bytearray(ues)
        self.nas_timer = _numbers(ues)
        self.stage_end = _numbers(ues)

    def shares_context(self, ue: int) -> bool:
        """The AMF can tell from an initial message who the UE is, and protect what it answers."""
        return bool(self.known[ue] and self.has_guti[ue])


def _numbers(ues: int) -> "array[int]":
    return array("I", bytes(4 * ues))


def _profiles(settings: PopulationSettings, ues: int, rng: Random) -> tuple[tuple[Profile, ...], bytearray]:
    """The kinds of behaviour, and which one each UE has."""
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
        return kinds, bytearray(ues)
    return kinds, bytearray(rng.choices(range(len(kinds)), weights, k=ues))
