"""One UE for one Locust user, in blocking calls: for locustfiles that read top to bottom (locustfiles/hello_ue.py).

The UE is the same machine as in a storm; only its calls wait for their outcome, so that a task can be written without
knowing about clocks and events. A running greenlet for each UE costs ten times what a parked user costs: right for a
few thousand UEs, wrong for a storm. All UEs of a process share one gNB and, unless told where a core is, one bundled
core, which lives as long as the run.
"""

import time
from collections.abc import Callable
from math import inf
from random import Random

import gevent
from gevent.event import AsyncResult
from gevent.lock import BoundedSemaphore
from locust.env import Environment

from protocols.credentials import credentials
from protocols.identities import Plmn
from protocols.nas5g.messages import Snssai
from regstorm.drivers.association import Address, Association
from regstorm.drivers.core_link import CoreChild
from regstorm.drivers.n2 import GnbLink
from regstorm.drivers.paced import PacedClock
from regstorm.drivers.tcp import TcpTransport
from regstorm.drivers.ue_seats import ue_settings
from regstorm.locust.statistics import AttemptFailed, AttemptStatistics
from regstorm.records import procedures, sources
from regstorm.records.scenario import Scenario
from ue_models.gnb import Gnb
from ue_models.profiles import OBEDIENT
from ue_models.ue import UeMachine
from ue_models.ue_state import new_ue

SEED = 1
UES_PER_PROCESS = 100_000
"""Identities of one worker; the next worker's begin behind them."""
PROCESSES = 16
READY_WITHIN_S = 10.0
CALL_WITHIN_S = 120.0
"""Longest wait for an outcome; above every guard timer of one attempt (TS 24.501 10.2)."""

_ACCESS: dict[int, "_Access"] = {}
_STARTING = BoundedSemaphore()
"""The first user of a process starts core and gNB; the others wait for it."""


class OneUe:
    """A UE that is switched off until `register`. Its attempts are in Locust's statistics without further ado."""

    def __init__(self, environment: Environment, core: Address | None = None) -> None:
        """`core`: where a core listens for gNBs; the bundled one by default, which starts with the first register."""
        self._environment = environment
        self._core = core
        self._access: _Access | None = None
        self._machine: UeMachine | None = None
        self._awaited: dict[str, AsyncResult] = {}
        self._statistics: AttemptStatistics | None = AttemptStatistics(environment)

    @property
    def in_service(self) -> bool:
        """Registered, with every PDU session up."""
        return self._machine is not None and self._machine.in_service

    def register(self) -> None:
        """Switches the UE on and returns when it has full service. AttemptFailed with the cause if it was refused."""
        machine = self._machine or self._made()
        if not machine.in_service:
            self._call("service", machine.power_on)

    def deregister(self) -> None:
        """Returns when the network has agreed."""
        if self._machine is not None and self._machine.in_service:
            self._call(procedures.DEREGISTRATION, self._machine.deregister)

    def close(self) -> None:
        """The UE is gone: no retry is under way any more."""
        self._statistics = None  # what is cut off here is nobody's failure
        if self._machine is not None and self._access is not None:
            self._machine.lose_coverage(self._access.clock.time_s)

    def _made(self) -> UeMachine:
        """With the next identity of this process."""
        self._access = access = _access_of(self._environment, self._core)
        index = access.next_index()
        state = new_ue(index, "outage", credentials(SEED, index, access.plmn))
        chance = Random(f"{SEED} UE {index}")
        self._machine = UeMachine(state, OBEDIENT, access.settings, access.gnb, access.clock, chance, self)
        return self._machine

    def _call(self, awaited: str, act: Callable[[float], object]) -> None:
        assert self._access is not None
        self._awaited = {awaited: AsyncResult()}
        act(self._access.clock.time_s)
        try:
            self._awaited[awaited].get(timeout=CALL_WITHIN_S)
        except gevent.Timeout:
            raise AttemptFailed(f"no outcome within {CALL_WITHIN_S:g} s") from None

    # ---- what the machine tells (records.ports.UeObserver)

    def attempt_started(self, ue: int, procedure: str, now: float) -> None:
        """Counted when it ends."""

    def attempt_ended(self, ue: int, procedure: str, started: float, now: float, failure: str | None) -> None:
        """Into Locust's statistics; a failure ends whatever call waits."""
        if self._statistics is not None:
            self._statistics.attempt_ended(ue, procedure, started, now, failure)
        for awaited, result in self._awaited.items():
            if failure is not None and not result.ready():
                result.set_exception(AttemptFailed(f"{procedure}: {failure}"))
            elif procedure == awaited:
                result.set(None)

    def service_changed(self, ue: int, in_service: bool, now: float) -> None:
        """Full service is what `register` waits for."""
        if in_service and "service" in self._awaited:
            self._awaited["service"].set(None)

    def rejected(self, ue: int, cause: str, protected: bool, now: float) -> None:
        """The attempt's end says it too."""

    def registration_lost(self, ue: int, why: str, now: float) -> None:
        """`in_service` says it."""

    def waiting(self, timer: str, change: int, now: float) -> None:
        """Of no concern here."""


class _Access:
    """Core, gNB and clock of this process."""

    def __init__(self, environment: Environment, core: Address | None) -> None:
        self._worker = max(0, getattr(environment.runner, "worker_index", 0))
        self._next = self._worker * UES_PER_PROCESS
        self._core: CoreChild | None = None
        scenario = _scenario()
        self.clock = PacedClock()
        self.plmn = Plmn(scenario.network.mcc, scenario.network.mnc)
        self.settings = ue_settings(scenario, SEED)
        self._address = core or self._start_core(scenario)
        link = GnbLink(self._worker, self.clock, self._dial)
        self.gnb = link.gnb = Gnb(
            gnb_id=self._worker + 1,
            plmn=self.plmn,
            tac=scenario.network.tac,
            slices=(Snssai(scenario.network.sst),),
            agenda=self.clock,
            rng=Random(f"{SEED} gNB {self._worker}"),
            send=link.send,
            observer=_Silent(),
        )
        self._link = link
        self.clock.begin()
        link.connect(self.clock.time_s)
        self._running = gevent.spawn(self.clock.run, inf)
        self._await_cell()

    def next_index(self) -> int:
        """Of a UE that no other process has."""
        self._next += 1
        return self._next - 1

    def close(self) -> None:
        """Lets go of the gNB's association and of the core."""
        self.clock.stop()
        self._running.join(timeout=1.0)
        self._link.close()
        self.clock.close()
        if self._core is not None:
            self._core.link.stop(self.clock.time_s)
            self._core.end()

    def _start_core(self, scenario: Scenario) -> Address:
        self._core = CoreChild(lambda first, seconds: None, lambda why: None)
        strategy, _ = sources.strategy("self_protection")
        address = self._core.link.set_up(scenario, strategy, SEED, 0, 0)
        self._core.link.begin(time.time(), 1.0)
        return address

    def _dial(self, number: int, now: float) -> Association:
        return self.clock.connect(TcpTransport(), self._address)

    def _await_cell(self) -> None:
        with gevent.Timeout(READY_WITHIN_S, AttemptFailed(f"no core answers at {self._address}")):
            while not self.gnb.ready:
                gevent.sleep(0.01)


class _Silent:
    """The observer of the gNB itself."""

    def attempt_started(self, ue: int, procedure: str, now: float) -> None: ...

    def attempt_ended(self, ue: int, procedure: str, started: float, now: float, failure: str | None) -> None: ...

    def rejected(self, ue: int, cause: str, protected: bool, now: float) -> None: ...

    def service_changed(self, ue: int, in_service: bool, now: float) -> None: ...

    def registration_lost(self, ue: int, why: str, now: float) -> None: ...

    def waiting(self, timer: str, change: int, now: float) -> None: ...


def _access_of(environment: Environment, core: Address | None) -> _Access:
    with _STARTING:
        access = _ACCESS.get(id(environment))
        if access is None:
            access = _ACCESS[id(environment)] = _Access(environment, core)
            environment.events.test_stop.add_listener(_close)
            environment.events.quitting.add_listener(_close)
        return access


def _close(environment: Environment, **_: object) -> None:
    access = _ACCESS.pop(id(environment), None)
    if access is not None:
        access.close()


def _scenario() -> Scenario:
    """A network without a storm: a core that is never short of anything."""
    return Scenario.model_validate(
        {
            "name": "hello",
            "title": "One UE after the other",
            "population": {"outage_ues": PROCESSES * UES_PER_PROCESS, "online_ues": 0},
            "core": {"udm": {"capacity_pairs_per_s": 1e6}, "amf": {"capacity_messages_per_s": 1e6}},
        }
    )
