"""A UE's attempt in IMS: begun, its requests sent and repeated, its answer heard. ims_ues.py says what follows."""

from abc import ABC, abstractmethod
from random import Random
from typing import Final, Protocol

from protocols.sip.timers import GM
from regstorm.records import procedures
from regstorm.records.ports import UeObserver
from regstorm.records.scenario import Scenario
from regstorm.simulator import events
from regstorm.simulator.barred import Barred
from regstorm.simulator.engine import EventHeap
from regstorm.simulator.ims_core import ImsCore
from regstorm.simulator.ims_population import IDLE, UNKNOWN
from regstorm.simulator.listener import SipResponse
from regstorm.simulator.population import Population, Ue, numbers, times_s
from ue_models.ims_rules import REGISTRATION_EXPIRES_S, Failure, Recourse, Refused, TimerF, reregister_after_s

_UNAUTHORIZED: Final = 401
NAMES: Final = ("", procedures.IMS_REGISTRATION, procedures.IMS_REREGISTRATION, procedures.IMS_MESSAGE)
"""Of the kinds of attempts, IDLE first."""
_SERIALS: Final = 0xFFFF_FFFF


class ImsOwner(Protocol):
    """What the IMS side needs of its UE."""

    def has_connection(self, ue: Ue, now: float) -> bool:
        """Packets can be sent and received now."""

    def packet(self, ue: Ue, now: float) -> None:
        """One was sent or received: the base station's inactivity timer begins anew."""

    def fetch_resources(self, ue: Ue, now: float) -> None:
        """A packet waits for a connection."""

    def ims_changed(self, ue: Ue, now: float) -> None:
        """Registered in IMS, or no longer, or still."""

    def core_service_changed(self, ue: Ue, now: float) -> None:
        """Both application servers hold it, or no more."""

    def ims_exhausted(self, ue: Ue, recourse: Recourse, now: float) -> None:
        """Every P-CSCF has been asked in vain."""


class ImsRequests(ABC):
    """At most one attempt of a UE at a time."""

    def __init__(
        self,
        scenario: Scenario,
        population: Population,
        core: ImsCore,
        owner: ImsOwner,
        heap: EventHeap,
        observer: UeObserver,
        rng: Random,
    ) -> None:
        self._ues = population.ues
        self._remember(population.size)
        self._asks_longer = population.asks_longer
        self._core = core
        self._owner = owner
        self._heap = heap
        self._observer = observer
        self._rng = rng
        self._answer_low_s, self._answer_high_s = scenario.ue.answer_s.low, scenario.ue.answer_s.high
        self._jitter_s = scenario.ue.retry_jitter_s
        ims = scenario.core.ims
        self._granted_s = float(min(ims.expires_s, max(ims.min_expires_s, REGISTRATION_EXPIRES_S)))
        self._renew_after_s = reregister_after_s(self._granted_s)
        self._serial = 0

    def _remember(self, ues: int) -> None:
        """Makes room for what only this side knows of each UE, and looks at now and then."""
        self._up = bytearray([True]) * ues
        """The ims session is up."""
        self._bound = bytearray([True]) * ues
        """A binding stands, as far as the UE knows."""
        self._held = bytearray(ues)
        """The request under way waits for user-plane resources."""
        self._timer = numbers(ues)
        """Event of Timer E or F; or at which it answers a challenge."""
        self._planned = numbers(ues)
        """Event of its next initial registration, if one is planned."""
        self._asked_s = times_s(ues)
        """When its request went out first."""
        self._repeats = bytearray(ues)
        """Expiries of Timer E."""
        self._renewal_due = bytearray(ues)
        """The re-registration fell due while another attempt ran."""
        self._failures = bytearray(ues)
        self._renewal_failed = bytearray(ues)
        self._p_cscf = bytearray(ues)
        self._in_vain = bytearray(ues)
        """Bit n: P-CSCF n was asked in vain."""
        self._barred = Barred(ues)
        self._waits_on = bytearray(ues)
        """Index of the timer that it waits on; 0: a mere pause, or none."""
        self._bound_since_s = times_s(ues)
        self._renews = bytearray(ues)
        """The binding's renewal is still to come."""
        self._clock = numbers(ues)
        """Event of whatever comes first: renewal, end of the binding, end of the registration in the core."""

    @abstractmethod
    def _ended(self, ue: Ue, failure: Failure | None, now: float) -> None:
        """The attempt is over."""

    def _begin(self, ue: Ue, kind: int, now: float) -> None:
        ue.ims_runs = kind
        self._observer.attempt_started(ue.index, NAMES[kind], now)
        self._ask(ue, False, now)

    def _ask(self, ue: Ue, answers: bool, now: float) -> None:
        """A request goes out for the first time."""
        self._serial = self._serial % _SERIALS + 1
        ue.ims_serial = self._serial
        ue.ims_transaction = UNKNOWN
        ue.ims_answers = answers
        self._asked_s[ue.index] = now
        self._repeats[ue.index] = 0
        self._timer[ue.index] = self._heap.at(now + GM.t1_s, events.SIP_TIMER, ue.index)
        self._transmit(ue, now)

    def _transmit(self, ue: Ue, now: float) -> None:
        """At once, or when there are resources for it again."""
        if self._owner.has_connection(ue, now):
            self._held[ue.index] = False
            self._owner.packet(ue, now)
            self._core.receive(ue, now)
        else:
            self._held[ue.index] = True
            self._owner.fetch_resources(ue, now)

    def connected(self, ue: Ue, now: float) -> None:
        """There is a connection with resources: what was held goes out, unless nobody waits for its answer any more."""
        if self._held[ue.index]:
            self._held[ue.index] = False
            if self._timer[ue.index]:
                self._transmit(ue, now)

    def timer_expired(self, index: int, now: float, number: int) -> None:
        """Timer E: once more, twice as late up to T2; at the end Timer F."""
        ue = self._ues[index]
        if number != self._timer[ue.index]:
            return
        gives_up_s = self._asked_s[ue.index] + GM.f_s
        if now >= gives_up_s:
            self._timer[ue.index] = ue.ims_serial = 0
            self._ended(ue, TimerF(), now)
            return
        self._repeats[ue.index] += 1
        pause_s = min(GM.t1_s * 2.0 ** self._repeats[ue.index], GM.t2_s)
        self._timer[ue.index] = self._heap.at(min(now + pause_s, gives_up_s), events.SIP_TIMER, ue.index)
        self._transmit(ue, now)

    def sip_response(self, ue: Ue, response: SipResponse, now: float) -> bool:
        """To the request under way; False: the UE has no connection, and does not hear it."""
        if not self._owner.has_connection(ue, now):
            return False
        self._owner.packet(ue, now)
        self._held[ue.index] = False
        self._timer[ue.index] = 0
        if response.status == _UNAUTHORIZED:
            after_s = self._answer_s()
            self._timer[ue.index] = self._heap.at(now + after_s, events.SIP_ANSWER, ue.index)
            return True
        ue.ims_serial = 0
        failed = response.status >= 300
        refused = Refused(response.status, response.retry_after_s, response.min_expires_s, response.restoration)
        self._ended(ue, refused if failed else None, now)
        return True

    def answer_due(self, index: int, now: float, number: int) -> None:
        """The answer to a challenge goes out."""
        ue = self._ues[index]
        if number == self._timer[ue.index]:
            self._ask(ue, True, now)

    def _abort(self, ue: Ue, now: float) -> None:
        """Ends what runs from outside."""
        kind, ue.ims_runs = ue.ims_runs, IDLE
        self._timer[ue.index] = ue.ims_serial = 0
        if kind != IDLE:
            self._observer.attempt_ended(ue.index, NAMES[kind], None, now, "aborted")

    def _answer_s(self) -> float:
        return self._answer_low_s + (self._answer_high_s - self._answer_low_s) * self._rng.random()

    def core_service_changed(self, ue: Ue, now: float) -> None:
        """Both application servers hold it, or no more."""
        self._owner.core_service_changed(ue, now)
