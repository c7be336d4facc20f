"""The conductor: one storm after the other in wall time, as Locust starts and stops them.

It lives in Locust's only process or in its master. It begins a storm (conducted_storm.py) when Locust's shape asks for
users, passes on what performers tell, and ends it when Locust stops.
"""

import logging
from argparse import Namespace

import gevent
from gevent import Greenlet
from locust.env import Environment

from regstorm.locust.conducted_storm import BAD_INPUT, ConductedStorm, Crew
from regstorm.locust.live import LiveStorm, Phase
from regstorm.locust.options import StormOptions, read_options
from regstorm.locust.parked import OnlineUe, OutageUe
from regstorm.locust.performer import Message
from regstorm.records.files import BadFile

log = logging.getLogger(__name__)


class Conductor:
    """`live` is what there is to see of it."""

    def __init__(self, environment: Environment, crew: Crew) -> None:
        self.live = LiveStorm()
        self.exit_code: int | None = None
        self._environment = environment
        self._crew = crew
        self._storm: ConductedStorm | None = None
        self._wanted = False
        self._watching: Greenlet | None = None

    def want(self) -> None:
        """Somebody has started Locust's run: the next question of the shape begins a storm."""
        self._wanted = True

    def population(self) -> int | None:
        """What Locust's shape asks every second: how many users there shall be; None: the storm is over."""
        if self._storm is None and not (self._wanted and self._begin()):
            self._wanted = False
            return None
        assert self._storm is not None
        if self._storm.over:
            self._storm = None
            self._wanted = False
            return None
        return self._storm.ues

    def heard(self, source: str, kind: str, message: Message) -> None:
        """A performer tells something."""
        if self._storm is not None:
            self._storm.heard(source, kind, message)

    def reported(self, source: str, message: Message) -> None:
        """A performer's regular report."""
        if self._storm is not None:
            self._storm.reported(source, message)

    def stop(self, why: str) -> None:
        """Locust stops: the storm that goes on ends here. Returns when its record is written."""
        self._wanted = False
        storm = self._storm
        if storm is None:
            return
        if not storm.over:
            storm.end(why)
        if self._watching is not None and self._watching is not gevent.getcurrent():
            self._watching.join()
        self._storm = None

    def _begin(self) -> bool:
        try:
            options = read_options(self._environment.parsed_options or Namespace())
            self.live = _fresh(self.live, options)
            self._storm = storm = ConductedStorm(
                options, self.live, self._crew, self._environment, self._note_exit_code
            )
        except BadFile as error:
            self.live.phase, self.live.why = Phase.FAILED, str(error)
            self.exit_code = BAD_INPUT
            log.error("%s", error)
            return False
        self._storm = storm
        OutageUe.fixed_count, OnlineUe.fixed_count = storm.outage_ues, storm.online_ues
        self._watching = gevent.spawn(storm.watch)
        return True

    def _note_exit_code(self, code: int) -> None:
        self.exit_code = code


def _fresh(before: LiveStorm, options: StormOptions) -> LiveStorm:
    """The same object, because pages hold it, about the next storm."""
    plan = options.plan
    number = before.number + 1
    before.__init__(  # type: ignore[misc]
        number=number,
        phase=Phase.SEATING,
        strategy=plan.strategy.name,
        scenario=plan.scenario.sampled(plan.sample),
        sample=plan.sample,
        speed=plan.speed,
        out=plan.out,
        core_is_ours=options.core_is_ours,
    )
    return before
