"""What every part of a simulated UE rests on: its arrays, its connection, its guard timer, its wait for a next attempt.

A UE answers after a while, and what it owes meanwhile goes along. A connection on which nothing is sent is released
by the base station after its inactivity timer. Jitter is added to every retry here.
"""

from abc import ABC, abstractmethod
from random import Random
from typing import Final

from protocols.timers import GprsTimer2, GprsTimer3
from regstorm.records import procedures
from regstorm.records.ports import UeObserver
from regstorm.records.scenario import IMS_DNN, Scenario
from regstorm.simulator import events
from regstorm.simulator.chain import SESSION_RELEASE, SESSION_RELEASED, Chains, Stage
from regstorm.simulator.core import Core
from regstorm.simulator.engine import EventHeap
from regstorm.simulator.equal_waits import EqualWaits
from regstorm.simulator.ims_requests import ImsOwner
from regstorm.simulator.ims_ues import ImsUes
from regstorm.simulator.population import (
    OWES_COMPLETE,
    OWES_RELEASE,
    OWES_RELEASED,
    OWES_SESSION,
    OWES_STAGE,
    REGISTERING,
    Population,
    Ue,
    numbers,
    times_s,
)
from ue_models import rules
from ue_models.timers import T3247, T3346, T3502, T3511, T3525, T3580

WAITS: Final = ("", T3346.name, T3502.name, T3511.name, T3525.name, T3247.name)
"""The 5GMM timers before a next attempt, by the index that a UE keeps; 0 is a mere pause, or none."""


class UeSide(ABC):
    """Base of the UEs' side. All calls take `now` in scenario seconds, never decreasing."""

    def __init__(
        self,
        scenario: Scenario,
        chains: Chains,
        population: Population,
        core: Core,
        heap: EventHeap,
        observer: UeObserver,
        rng: Random,
    ) -> None:
        self._population = population
        self._ues = population.ues
        self._chains: tuple[tuple[Stage, ...], ...] = tuple(chain.stages for chain in chains.all)
        self._first_session = tuple(chain.first_session for chain in chains.all)
        self._session_names = {dnn: procedures.pdu_session(dnn) for dnn in scenario.network.dnns}
        self._core = core
        self._heap = heap
        self._observer = observer
        self._rng = rng
        self._answer_low_s, self._answer_high_s = scenario.ue.answer_s.low, scenario.ue.answer_s.high
        self._jitter_s = scenario.ue.retry_jitter_s
        self._online = scenario.online
        self._inactivity_s = scenario.online.inactivity_s
        self._t3502_s = rules.t3502_in_force_s(GprsTimer2.of(scenario.core.amf.t3502_s))
        self._t3512_s = float(GprsTimer3.of(scenario.core.amf.t3512_s).seconds or 0)
        self._arrivals_s = scenario.outage.arrivals_s
        self._loses_contexts = scenario.outage.amf_context == "lost"
        self._remember(population)
        self.ims: ImsUes | None = None
        """The IMS side, if the population has it."""
        self._ims_session = 0
        if core.ims is not None:
            self._ims_session = scenario.network.dnns.index(IMS_DNN)
            self.ims = ImsUes(scenario, population, core.ims, self._ims_owner(), heap, observer, rng)
            core.ims.listener = self.ims

    def _remember(self, population: Population) -> None:
        """Makes room for what only this side knows of each UE, and looks at now and then."""
        ues = population.size
        self._eutra = population.eutra
        self._next_attempt = numbers(ues)
        """Event of the next 5GMM attempt, if a UE waits for one."""
        self._retries = bytearray(ues)
        """What a UE asks for next, if it waits before it: IDLE, SERVICE_REQUEST or PERIODIC_UPDATE."""
        self._leaving = bytearray(ues)
        """How often it has sent its DEREGISTRATION REQUEST."""
        self._registration_attempts = bytearray(ues)
        self._service_attempts = bytearray(ues)
        self._hard_rejects = bytearray(ues)
        self._operation = numbers(ues)
        self._t3512_until_s = times_s(ues)
        """0: T3512 does not run."""
        self._awaits_t3512 = bytearray(ues)
        """There is an event for it, due then or before: who starts it ever anew needs no other."""
        self._t3580: EqualWaits[Ue] = EqualWaits(self._heap, T3580.seconds, events.T3580)
        """T3580, or T3582, which is as long."""
        self._guards: dict[float, EqualWaits[Ue]] = {}
        """By length: T3510, T3517 and T3521, which are equally long, and those of impatient UEs."""
        self._guards_in_order: list[EqualWaits[Ue]] = []
        self._repeats = bytearray(ues)
        """Expiries of T3580."""
        self._unsent = bytearray(ues)
        """A session request waits for a connection."""
        self._releasing = bytearray(ues)
        """It has its ims session released."""
        self._for_data = bytearray(ues)
        """Its last service request wanted the resources of its sessions."""
        self._has_resources = bytearray(ues)
        """The ims session has them on the connection that there is."""
        self._awaits_release = bytearray(ues)
        """There is an event to see whether the connection without them is gone."""
        self._barred_sessions = bytearray(ues)
        """Bit n: the session with the scenario's DNN n is not asked for any more."""
        self._paused_sessions = bytearray(ues)
        """Bit n: it is not asked for before a pause is over."""
        self._backs_off = bytearray(ues)
        """Bit n: T3396 runs for it; else its pause is the upper layers' own."""
        self._pauses: dict[int, int] = {}
        """By session and UE, as its event has them: the end of the pause."""

    @abstractmethod
    def _ims_owner(self) -> ImsOwner: ...

    # --- the connection ----------------------------------------------------------------------------------------------

    def _owe(self, ue: Ue, what: int, now: float) -> None:
        """An answer takes a while; what is owed meanwhile goes along."""
        ue.owes |= what
        if not ue.answer:
            after_s = self._answer_low_s + (self._answer_high_s - self._answer_low_s) * self._rng.random()
            ue.answer = self._heap.at(now + after_s, events.ANSWER, ue.index)

    def answers(self, index: int, now: float, number: int) -> None:
        """What is owed goes out, in order."""
        ue = self._ues[index]
        if number != ue.answer:
            return
        ue.answer = 0
        owes = ue.owes
        ue.owes = 0
        if now >= ue.idle_at_s and ue.phase != REGISTERING:  # no gNB releases a connection before it has the context
            return  # what was not sent went with the connection
        self._stay_connected(ue, now)
        if owes & OWES_STAGE:
            self._core.uplink(ue, ue.stage, now)
        if owes & OWES_COMPLETE:
            self._core.uplink(ue, self._first_session[ue.chain] - 1, now)
        if owes & OWES_RELEASED:  # and then asks for the session anew
            self._core.uplink(ue, SESSION_RELEASED, now)
        if owes & OWES_SESSION:
            self._core.uplink(ue, ue.stage, now)
        if owes & OWES_RELEASE:
            self._core.uplink(ue, SESSION_RELEASE, now)

    def _stay_connected(self, ue: Ue, now: float) -> None:
        """Something was sent: the base station's inactivity timer begins anew."""
        ue.idle_at_s = now + self._inactivity_s

    def _leave_connection(self, ue: Ue, now: float) -> None:
        """Local release of the NAS signalling connection (TS 24.501 5.3.1.3)."""
        ue.owes = ue.answer = 0
        ue.idle_at_s = 0.0
        self._core.disconnect(ue)

    def _start_guard(self, ue: Ue, length_s: float, now: float) -> None:
        guard = self._guards.get(length_s)
        if guard is None:
            guard = self._guards[length_s] = EqualWaits(self._heap, length_s, events.GUARD, len(self._guards_in_order))
            self._guards_in_order.append(guard)
        self._stop_guard(ue)
        ue.guard = guard
        guard.begin(ue, now)

    def _stop_guard(self, ue: Ue) -> None:
        if ue.guard is not None:
            del ue.guard.until[ue]
            ue.guard = None

    # --- waiting, and trying again -----------------------------------------------------------------------------------

    def _wait(self, ue: Ue, after_s: float, timer: str, now: float) -> None:
        if timer:
            ue.waits_on = WAITS.index(timer)
            self._observer.waiting(timer, 1, now)
        due_s = now + after_s + self._rng.random() * self._jitter_s
        self._next_attempt[ue.index] = self._heap.at(due_s, events.RETRY, ue.index)

    def _stop_waiting(self, ue: Ue, now: float) -> None:
        self._next_attempt[ue.index] = 0
        if ue.waits_on:
            self._observer.waiting(WAITS[ue.waits_on], -1, now)
            ue.waits_on = 0
