"""One storm as its conductor sees it, from the options to the record.

Starts the core, waits until all users sit, gives each process its share of the population, agrees on second 0, gathers
what everybody has counted, ends the storm when everybody is back or time is up, and leaves the run directory. What it
does not see itself it is told by the performers and by the core; whoever of them is lost makes the record incomplete,
and ends the storm.
"""

import logging
import time
from collections.abc import Callable, Mapping
from itertools import accumulate, pairwise
from typing import Any, Final, Protocol

import gevent
from gevent.event import Event
from locust.env import Environment

from regstorm.drivers import sip_population
from regstorm.drivers.association import Address
from regstorm.drivers.control import SipAt
from regstorm.drivers.core_link import CoreChild, CoreUnusable
from regstorm.drivers.lateness import Lateness
from regstorm.drivers.population import calm_again
from regstorm.drivers.target_population import leaving_s
from regstorm.drivers.traces import write_traces
from regstorm.locust import record_files
from regstorm.locust.live import LiveStorm, Phase
from regstorm.locust.options import StormOptions
from regstorm.locust.outage_commands import OutageCommands
from regstorm.locust.performer import CORE_HOLDS, END, GO, PLAN, SHARE, Message
from regstorm.measures.merged import MergedService, MergedTimeline, MergedWaits
from regstorm.measures.run_record import HowItRan, Measured
from regstorm.measures.service_log import ServiceLog

log = logging.getLogger(__name__)

CORE: Final = "core"
LEAD_S: Final = 1.0  # wall time from the agreement on second 0 to second 0: a message to every worker
LOOK_EVERY_S: Final = 0.25
SEATING_S: Final = 120.0  # wall time for Locust to spawn the population and for UEs to get ready
FINAL_S: Final = 10.0  # wall time for the performers' last reports
PASSED, BROKEN_RUN, BAD_INPUT, MISSED = 0, 1, 2, 3
"""Exit codes of Locust after a storm."""


class Crew(Protocol):
    """The performers' processes."""

    def send(self, kind: str, message: Message, to: str | None = None) -> None:
        """To one of them, or to all."""

    def lost(self) -> list[str]:
        """Those that are gone."""


class ConductedStorm:
    """`live` is kept up to date; `note_exit_code` is told what Locust shall exit with."""

    def __init__(
        self,
        options: StormOptions,
        live: LiveStorm,
        crew: Crew,
        environment: Environment,
        note_exit_code: Callable[[int], None],
    ) -> None:
        self.plan = plan = options.plan
        self.live = live
        self.over = False
        self.scenario = scenario = plan.scenario.sampled(plan.sample)
        self.outage_ues, self.online_ues = scenario.population.outage_ues, scenario.population.online_ues
        self._crew = crew
        self._core_host = options.core_host
        self._target, self._aim = options.target, options.aim
        self._core_is_ours = options.core_is_ours
        self._environment = environment
        self._note_exit_code = note_exit_code
        self._seats: dict[str, tuple[int, int]] = {}
        self._shares: dict[str, tuple[range, range]] = {}
        """Whose are which UEs, of the outage group and of the online group, by index."""
        self._ready: set[str] = set()
        self._finals: dict[str, Message] = {}
        self._lateness: dict[str, tuple[Mapping[int, int], float]] = {}
        self._waits = MergedWaits()
        self._trace_lines: list[str] = []
        self._why: str | None = None
        self._ended_s = 0.0
        self._ending = False
        self._done = Event()
        self._zero: float | None = None
        self._core: CoreChild | None = None
        self._commands: OutageCommands | None = None
        self._n2: Address | None = None
        self._timeline = MergedTimeline(scenario.outage.end_s, self._tellers())
        self._log = ServiceLog.of(scenario)
        self._service = MergedService(self._log)

    @property
    def ues(self) -> int:
        """Of both groups."""
        return self.outage_ues + self.online_ues

    # ---- the beginning

    def watch(self) -> None:
        """In a greenlet of its own, from the core's start to the record; Locust spawns users meanwhile."""
        record_files.begin(self.plan)
        try:
            self._start_core()
            self._seat_everybody()
            self._let_it_begin()
            while self._why is None and not self._is_finished():
                gevent.sleep(LOOK_EVERY_S)
                self._look()
        except (_Broken, CoreUnusable) as error:
            self._lose(str(error))
        if not self.over:
            self.end(self._why)

    def _tellers(self) -> list[str]:
        """Who tells about seconds besides the performers: a core that is ours."""
        return [CORE] if self._core_is_ours else []

    def _start_core(self) -> None:
        if not self._core_is_ours:
            return
        sip = None if self._aim is None else SipAt(host=self._core_host, ues_at=self._core_host)
        self._core = CoreChild(
            self._core_counted, self._lose, self._core_host, self.plan.transport, on_service=self._core_holds
        )
        self._n2 = self._core.link.set_up(
            self.scenario, self.plan.strategy, self.plan.seed, self.outage_ues, self.online_ues, sip
        )
        if self._aim is not None and self._core.link.sip_address is not None:
            self._aim = self._aim.at(*self._core.link.sip_address)

    def _seat_everybody(self) -> None:
        self._wait_until(lambda: sum(map(sum, self._seats.values())) >= self.ues, "Locust has not spawned everybody")
        seats = {source: seats for source, seats in sorted(self._seats.items()) if any(seats)}
        outage = _blocks([outage for outage, _ in seats.values()])
        online = _blocks([online for _, online in seats.values()])
        if (outage[-1][1], online[-1][1]) != (self.outage_ues, self.online_ues):
            raise _Broken(f"Locust has spawned {outage[-1][1]} and {online[-1][1]} users of the two groups")
        self._timeline = MergedTimeline(self.scenario.outage.end_s, [*self._tellers(), *seats])
        self.live.timeline, self.live.log = self._timeline, self._log
        plan = PLAN.dump_json(self.plan, by_alias=True)
        target = None if self._target is None else self._target.model_dump_json(by_alias=True)
        aim = None if self._aim is None else self._aim.model_dump_json()
        for part, source in enumerate(seats):
            share = {"plan": plan, "core": self._n2, "target": target, "aim": aim, "part": part, "parts": len(seats)}
            self._shares[source] = self._indices(outage[part], online[part])
            self._crew.send(SHARE, share | {"outage": outage[part], "online": online[part]}, source)
        self._wait_until(lambda: self._ready >= set(seats), "the UEs did not get ready")

    def _indices(self, outage: tuple[int, int], online: tuple[int, int]) -> tuple[range, range]:
        first = self.outage_ues
        return range(*outage), range(first + online[0], first + online[1])

    def _let_it_begin(self) -> None:
        self._zero = zero = time.time() + LEAD_S
        if self._core is not None:
            self._core.link.begin(zero, self.plan.speed)
            for begins_s in self.scenario.outage.beginnings_s:
                if self._aim is None:
                    self._core.link.outage(self.outage_ues, begins_s)
                else:
                    self._core.link.restart_sbc(self.scenario.outage.lasts_s, begins_s)
            self._core.link.incidents(self.scenario, self.plan.later)
        elsewhere = self._target or self._aim
        if elsewhere is not None:
            self._commands = OutageCommands(elsewhere.outage, self.scenario.outage, zero, self._lose)
        self._crew.send(GO, {"zero": zero})
        self.live.phase = Phase.RUNNING
        log.info("storm: %s, %s, 1:%d, speed %g", *self._name(), self.plan.sample, self.plan.speed)

    def _wait_until(self, condition: Callable[[], bool], otherwise: str) -> None:
        give_up_at = time.monotonic() + SEATING_S
        while not condition():
            if self._why is not None:
                raise _Broken(self._why)
            if time.monotonic() > give_up_at:
                raise _Broken(f"{otherwise} within {SEATING_S:g} s")
            gevent.sleep(LOOK_EVERY_S / 5)
            self._look_for_losses()

    # ---- what the others tell

    def heard(self, source: str, kind: str, message: Message) -> None:
        """A performer's message."""
        match kind:
            case "storm_seated":
                self._seats[source] = (message["outage"], message["online"])
            case "storm_ready":
                self._ready.add(source)
            case "storm_broken":
                self._lose(f"{source}: {message['why']}")
            case "storm_final":
                self.reported(source, message)
                self._finals[source] = message

    def reported(self, source: str, message: Message) -> None:
        """A performer's seconds, changes of service and lateness."""
        if "first" not in message or self._zero is None:
            return
        self._timeline.tell(source, message["first"], message["seconds"])
        self._service.tell(message["changes"])
        self._lateness[source] = (dict(message["lateness"]), message["lateness_max_s"])

    def _core_counted(self, first: int, seconds: list[tuple[dict[str, int], dict[str, int]]]) -> None:
        self._timeline.tell(CORE, first, seconds)

    def _core_holds(self, through_s: float, changes: list[tuple[float, int, bool]]) -> None:
        """Each performer hears of its own UEs."""
        for source, (outage, online) in self._shares.items():
            own = [change for change in changes if change[1] in outage or change[1] in online]
            self._crew.send(CORE_HOLDS, {"through_s": through_s, "changes": own}, source)

    def _lose(self, why: str) -> None:
        if self._why is None and not self.over:
            self._why = why
            log.error("storm: %s", why)

    # ---- while it runs

    def _look(self) -> None:
        self._look_for_losses()
        self._service.advance(self._timeline.complete)
        self.live.lateness_p99_s = self._summed_lateness().p99_s

    def _look_for_losses(self) -> None:
        for source in self._crew.lost():
            if source in self._seats and source not in self.live.workers_lost and source not in self._finals:
                self.live.workers_lost.append(source)
                at_s = f" at scenario second {self._timeline.complete}" if self._zero is not None else ""
                self._lose(f"worker {source} was lost{at_s}")

    def _is_finished(self) -> bool:
        complete_s, outage = self._timeline.complete, self.scenario.outage
        if complete_s >= outage.last_end_s + outage.recovery_within_s:
            return True
        return calm_again(self._log, complete_s, outage.calm_after_s)

    def _summed_lateness(self) -> Lateness:
        summed = Lateness()
        for buckets, max_s in self._lateness.values():
            summed.add(buckets, max_s)
        return summed

    # ---- the end

    def end(self, why: str | None) -> None:
        """Everybody's last word, and the record. `why` says what cut the storm short; None: nothing did."""
        if self._ending:
            self._done.wait()
            return
        self._ending = True
        self._why = why
        self.live.phase = Phase.WRITING
        try:
            self._hear_the_last_words()
            self._write()
        except Exception as error:
            log.exception("the record could not be written")
            self._fail(f"{type(error).__name__}: {error}")
        finally:
            self._let_go_of_core()
            if self._commands is not None:
                self._commands.cancel()
            self.over = True
            self._done.set()

    def _hear_the_last_words(self) -> None:
        if self._zero is None:
            self._crew.send(END, {})
            return
        expected = {source for source, seats in self._seats.items() if any(seats)} - set(self.live.workers_lost)
        self._crew.send(END, {})
        leaving = 0.0 if self._target is None else leaving_s(self._target, self.ues)
        leaving += 0.0 if self._aim is None else sip_population.leaving_s(self._aim, self.ues)
        give_up_at = time.monotonic() + FINAL_S + leaving
        while not expected <= set(self._finals) and time.monotonic() < give_up_at:
            gevent.sleep(0.05)
        for source in sorted(expected - set(self._finals)):
            self._why = self._why or f"worker {source} did not tell its last seconds"
        for final in self._finals.values():
            self._waits.tell(final["waited"])
            self._trace_lines += final["traces"]
        self._ended_s = max([float(final["ended_s"]) for final in self._finals.values()], default=self._now_s())
        self._hear_the_core()
        self._timeline.finish()
        self._service.advance(float("inf"))

    def _hear_the_core(self) -> None:
        if self._core is None:
            return
        last_words = self._core.link.stop(self._ended_s)
        if last_words is not None:
            self._lateness[CORE] = (last_words.lateness, last_words.lateness_max_s)
        elif self._why is None:
            self._why = "the core did not tell its last seconds"

    def _now_s(self) -> float:
        return 0.0 if self._zero is None else max(0.0, (time.time() - self._zero) * self.plan.speed)

    def _write(self) -> None:
        if self._zero is None:
            self._fail(self._why or "it did not begin")
            return
        lateness = self._summed_lateness()
        self.live.lateness_p99_s = lateness.p99_s
        how = HowItRan(
            engine="wire",
            clock="paced",
            ended_s=round(self._ended_s, 3),
            speed=self.plan.speed,
            complete=self._why is None,
            why=self._why,
            lateness_p99_s=round(lateness.p99_s, 4),
            core_is_ours=self._core_is_ours,
        )
        measured = Measured(self._timeline, self._log, self._waits)
        entry = record_files.write(self.plan, how, measured, self._environment, self.live.workers_lost)
        write_traces(self.plan.out, self._trace_lines)
        self.live.verdict = entry["verdict"] if self._why is None else None
        self.live.why = self._why or ""
        self.live.phase = Phase.OVER
        passed = entry["verdict"]["pass"]
        self._note_exit_code(BROKEN_RUN if self._why is not None else PASSED if passed else MISSED)
        log.info("storm: %s, %s: %s; record in %s", *self._name(), self._how_it_went(entry), self.plan.out)

    def _how_it_went(self, entry: Mapping[str, Any]) -> str:
        if self._why is not None:
            return f"PARTIAL ({self._why})"
        verdict = entry["verdict"]
        return "passed" if verdict["pass"] else f"missed: {'; '.join(verdict['failed'])}"

    def _fail(self, why: str) -> None:
        record_files.fail(self.plan, why)
        self.live.phase, self.live.why = Phase.FAILED, why
        self._note_exit_code(BROKEN_RUN)

    def _let_go_of_core(self) -> None:
        core, self._core = self._core, None
        if core is not None:
            core.end()

    def _name(self) -> tuple[str, str]:
        return self.plan.scenario.name, self.plan.strategy.name


class _Broken(Exception):
    """The storm cannot begin."""


def _blocks(counts: list[int]) -> list[tuple[int, int]]:
    """Blocks of these sizes, one after the other, each as (first, behind the last)."""
    return list(pairwise(accumulate(counts, initial=0)))
