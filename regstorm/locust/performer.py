"""The performer: the UEs of one Locust process. Locust's users sit down here, the conductor says when to begin.

It lives in every process that has users: in Locust's only process, or in each worker. What it is told and what it
tells are messages (`Message`), because the conductor is often in another process. It never decides when a storm is
over; it plays its part of the script until it is told to end.
"""

import logging
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, Final, Protocol

import gevent
from gevent import Greenlet
from gevent.event import Event
from locust.env import Environment
from pydantic import TypeAdapter

from regstorm.drivers.core_process import raise_file_limit
from regstorm.drivers.paced_population import PacedPopulation
from regstorm.drivers.sip_population import SipPopulation
from regstorm.drivers.target_population import TargetPopulation
from regstorm.drivers.traces import Traces, traces_of
from regstorm.drivers.transports import transport_named
from regstorm.drivers.ue_seats import BREATHE_EVERY, Share
from regstorm.drivers.warming import warm_codecs
from regstorm.locust.parked import OnlineUe, ParkedUe
from regstorm.locust.statistics import AttemptStatistics
from regstorm.records.sip_aim import SipAim
from regstorm.records.storm_plan import StormPlan
from regstorm.records.target import Target

log = logging.getLogger(__name__)

PLAN: TypeAdapter[StormPlan] = TypeAdapter(StormPlan)
SEATS_EVERY_S: Final = 0.1

SEATED, READY, BROKEN, FINAL = "storm_seated", "storm_ready", "storm_broken", "storm_final"
"""From performer to conductor."""
SHARE, CORE_HOLDS, GO, END = "storm_share", "storm_core_holds", "storm_go", "storm_end"
"""From conductor to performer."""
REPORT: Final = "storm"
"""Key of a performer's report in what a Locust worker reports to its master."""

Message = Mapping[str, Any]


class Tell(Protocol):
    """Carries a message to the conductor."""

    def __call__(self, kind: str, message: Message) -> None: ...


class Performer:
    """A hub for parked users (locust.parked.Hub)."""

    def __init__(self, environment: Environment, tell: Tell) -> None:
        self._environment = environment
        self._tell = tell
        self._users: list[ParkedUe] = []
        self._told_seats = (-1, -1)
        self._seating: Greenlet | None = None
        self._playing: Greenlet | None = None
        self._population: PacedPopulation | None = None
        self._ending: Event | None = None
        self._traces: Traces | None = None

    # ---- Locust's users

    def open_the_doors(self) -> None:
        """A test has begun in this process: users will come."""
        self.end()
        self._users.clear()
        self._told_seats = (-1, -1)
        if self._seating is None:
            self._seating = gevent.spawn(self._tell_seats)

    def admit(self, user: ParkedUe) -> None:
        """A user sits down; who it is, is decided when everybody does."""
        self._users.append(user)

    def release(self, user: ParkedUe) -> None:
        """A user leaves; its UE stays in a storm that goes on, because nobody switches off a phone for Locust."""
        user.ue = None

    def _tell_seats(self) -> None:
        while True:
            online = sum(isinstance(user, OnlineUe) for user in self._users)
            seats = (len(self._users) - online, online)
            if self._population is None and seats != self._told_seats:
                self._told_seats = seats
                self._tell(SEATED, {"outage": seats[0], "online": seats[1]})
            gevent.sleep(SEATS_EVERY_S)

    # ---- what the conductor says

    def heard(self, kind: str, message: Message) -> None:
        """A message of the conductor. Returns at once."""
        match kind:
            case "storm_share":
                self._playing = gevent.spawn(self._guarded, partial(self._take_share, message))
            case "storm_core_holds":
                if self._population is not None:
                    self._population.core_holds(message["through_s"], message["changes"])
            case "storm_go":
                self._playing = gevent.spawn(self._guarded, partial(self._play, message["zero"]))
            case "storm_end":
                gevent.spawn(self.end)

    def _guarded(self, act: Callable[[], None]) -> None:
        """What goes wrong here is the conductor's business too: it would wait for ever."""
        try:
            act()
        except Exception as error:
            log.exception("the storm is broken in this process")
            self._tell(BROKEN, {"why": f"{type(error).__name__}: {error}"})

    def _take_share(self, message: Message) -> None:
        plan = PLAN.validate_json(message["plan"])
        scenario = plan.scenario.sampled(plan.sample)
        raise_file_limit()
        warm_codecs(scenario.network)  # a hundredth of a second where the plugin has done it already
        self._traces = traces_of(plan)
        share = Share(message["part"], message["parts"], range(*message["outage"]), range(*message["online"]))
        attempts, trace_of, cap = AttemptStatistics(self._environment), self._traces.of, plan.attempts_cap
        population: PacedPopulation
        if message["aim"] is not None:
            aim = SipAim.model_validate_json(message["aim"])
            population = SipPopulation(scenario, plan.seed, plan.speed, aim, attempts, share, cap)
        elif message["target"] is not None:
            target = Target.model_validate_json(message["target"])
            population = TargetPopulation(scenario, plan.seed, target, attempts, share, trace_of, cap)
        else:
            core, n2 = tuple(message["core"]), transport_named(plan.transport)
            population = PacedPopulation(scenario, plan.seed, plan.speed, core, n2, attempts, share, trace_of, cap)
        self._population = population
        for number, user in enumerate(self._users):
            seats = population.seats
            user.ue = seats.take_online() if isinstance(user, OnlineUe) else seats.take_outage()
            if number % BREATHE_EVERY == 0:
                gevent.sleep(0)
        population.get_ready(partial(gevent.sleep, 0))
        self._tell(READY, {})

    def _play(self, zero: float) -> None:
        assert self._population is not None
        self._population.run(zero)

    # ---- what it tells

    def report(self) -> Message:
        """What has happened since the last report."""
        if self._population is None or self._ending is not None:  # the final report says what is left
            return {}
        return self._report(self._population)

    def _report(self, population: PacedPopulation) -> Message:
        if not population.begun:
            return {}
        first, seconds = population.untold_seconds()
        lateness = population.clock.lateness
        return {
            "first": first,
            "seconds": [[dict(counted), dict(sampled)] for counted, sampled in seconds],
            "changes": [list(change) for change in population.untold_changes()],
            "lateness": list(lateness.buckets.items()),
            "lateness_max_s": lateness.max_s,
        }

    def end(self) -> None:
        """The storm is over, or Locust stops: the books are closed, and told."""
        population = self._population
        if population is None:
            return
        if self._ending is not None:
            self._ending.wait()
            return
        ending = self._ending = Event()
        if population.begun:
            population.stop()
        if self._playing is not None:
            self._playing.join(timeout=1.0)
        ended_s = population.close_books()
        final = {
            **self._report(population),
            "ended_s": ended_s,
            "waited": population.ue_counts.waited_ue_minutes(ended_s),
            "traces": [] if self._traces is None else self._traces.lines(),
        }
        population.leave()
        self._population = self._traces = self._ending = None
        population.close()
        self._tell(FINAL, final)
        ending.set()
