"""Runs one storm in the event heap and leaves the same run directory as the wire: run.json and timeline.csv."""

import gc
from collections.abc import Callable, Sequence
from math import ceil
from random import Random
from time import monotonic
from typing import Final

import orjson

from regstorm.measures.domains import Domains
from regstorm.measures.run_record import HowItRan, Measured, document, run_entry
from regstorm.measures.service_log import ServiceLog
from regstorm.measures.timeline import Timeline
from regstorm.measures.ue_counts import UeCounts
from regstorm.records import counters
from regstorm.records.files import write_whole
from regstorm.records.scenario import Scenario
from regstorm.records.storm_plan import Progress, StopFlag, StormPlan
from regstorm.records.strategy import Strategy
from regstorm.simulator import events
from regstorm.simulator.chain import chains
from regstorm.simulator.core import Core
from regstorm.simulator.engine import EventHeap, Handler
from regstorm.simulator.population import Population
from regstorm.simulator.tally import SecondTally
from regstorm.simulator.ues import Ues

PROGRESS_EVERY_S: Final = 1.0
"""Wall seconds between two reports."""


class Storm:
    """One storm: everything in it, and its clock. `scenario` is already that of the sample."""

    def __init__(
        self, scenario: Scenario, strategy: Strategy, seed: int, later: Sequence[tuple[float, Strategy]] = ()
    ) -> None:
        """`later`: strategies that incidents put in force, each with its second."""
        self.scenario = scenario
        self._later = later
        outage, ues = scenario.outage, scenario.population
        self.outage_end_s = outage.end_s
        self.until_s = outage.last_end_s + outage.recovery_within_s
        self.second = 0
        self.timeline = Timeline(self.outage_end_s)
        self.log = ServiceLog.of(scenario)
        self.ue_counts = UeCounts(self.timeline, self.log, domains=Domains.of(scenario, self.timeline, self.log))
        self._tally = SecondTally(self.timeline)
        self.heap = EventHeap()
        way_back = chains(scenario)
        population = Population(ues, len(scenario.network.dnns), Random(f"{seed} population"))
        self.core = Core(scenario, strategy, way_back, population, self.heap, self._tally, seed)
        rng = Random(f"{seed} UEs")
        self.ues = Ues(scenario, way_back, population, self.core, self.heap, self.ue_counts, rng)
        self.core.listener = self.ues
        self._handlers = _handlers(self.ues, self.core, self._incident)
        self.refused = 0
        self.offered_in_second = 0
        self._begin()

    @property
    def over(self) -> bool:
        """The hour is over, or everybody has been back and the calm minutes have passed."""
        return self.second >= self.until_s

    def run_second(self) -> None:
        """One scenario second."""
        begins = self.second
        self.second += 1
        self.heap.run(self.second, self._handlers)
        self.core.report_load(float(self.second))
        self.core.count_messages()
        self.core.back_end.count_pairs()
        self.core.ledger.hand_on()
        counts = self._tally.counts
        self.refused += counts[counters.REFUSED_FIRST] + counts[counters.REFUSED_FOLLOW_UP]
        self.offered_in_second = counts[counters.UDM_OFFERED]
        self._tally.flush(float(begins))
        back_s, outage = self.log.everybody_back_s, self.scenario.outage
        if back_s is not None:
            calm_until_s = ceil(back_s - outage.last_end_s) + outage.last_end_s + outage.calm_after_s
            self.until_s = min(self.until_s, calm_until_s)

    def progress(self, wall_s: float) -> Progress:
        """How far it is."""
        capacity = self.scenario.core.udm.capacity_pairs_per_s
        return Progress(
            scenario_s=float(self.second),
            until_s=self.until_s,
            in_service=self.timeline.level(counters.OUTAGE_IN_SERVICE)
            + self.timeline.level(counters.ONLINE_IN_SERVICE),
            back=self.log.back,
            outage_ues=self.log.outage_ues,
            refused=self.refused,
            udm_load=self.offered_in_second / capacity,
            wall_s=wall_s,
        )

    def _begin(self) -> None:
        outage = self.scenario.outage
        self.ues.begin(0.0)
        if self.core.ims is not None:
            self.core.ims.begin()
        for begins_s in outage.beginnings_s:
            self.heap.at(begins_s, events.OUTAGE_BEGINS, 0)
            self.heap.at(begins_s + outage.lasts_s, events.OUTAGE_ENDS, 0)
        for place, incident in enumerate(self.scenario.incidents):
            self.heap.at(incident.at_s, events.INCIDENT, place)

    def _incident(self, place: int, now: float, number: int) -> None:
        """Nodes lose or regain capacity, or another strategy is in force."""
        incident = self.scenario.incidents[place]
        for name in incident.nodes:
            self.core.take_capacity(name, incident.capacity or 0.0, now)
        if incident.strategy is not None:
            self.core.take_strategy(next(strategy for at_s, strategy in self._later if at_s == incident.at_s))


def run_storm(plan: StormPlan, on_progress: Callable[[Progress], None], stop: StopFlag) -> None:
    """Runs the storm of `plan` and writes run.json and timeline.csv to its run directory.

    `on_progress` is called about once a wall second. A storm that is told to stop writes what there is, marked
    partial.
    """
    began = told = monotonic()
    gc.disable()  # there is no cyclic garbage, and looking for it among all requests that wait takes 15 % of the time
    try:
        storm = Storm(plan.scenario.sampled(plan.sample), plan.strategy, plan.seed, plan.later)
        while not storm.over and not stop.is_set():
            storm.run_second()
            now = monotonic()
            if now - told >= PROGRESS_EVERY_S:
                told = now
                on_progress(storm.progress(now - began))
    finally:
        gc.enable()
    on_progress(storm.progress(monotonic() - began))
    _write(plan, storm)


def _write(plan: StormPlan, storm: Storm) -> None:
    ended_s = float(storm.second)
    storm.timeline.close(ended_s)
    how = HowItRan(
        engine="sim",
        clock=None,
        ended_s=ended_s,
        complete=storm.over,
        why=None if storm.over else "interrupted",
    )
    entry = run_entry(plan, how, Measured(storm.timeline, storm.log, storm.ue_counts))
    record = document(plan.scenario, plan.sample, [entry])
    write_whole(plan.out / "timeline.csv", storm.timeline.csv())
    write_whole(plan.out / "run.json", orjson.dumps(record, option=orjson.OPT_INDENT_2) + b"\n")


def _handlers(ues: Ues, core: Core, incident: Handler) -> list[Handler]:
    """Who handles which kind of event."""
    by_kind: dict[int, Handler] = {
        events.RETURN: ues.returns,
        events.RETRY: ues.retry_due,
        events.ANSWER: ues.answers,
        events.GUARD: ues.guard_expired,
        events.T3580: ues.t3580_expired,
        events.SESSION_PAUSE: ues.pause_over,
        events.OPERATION: ues.operation_due,
        events.CONNECTION_OVER: ues.connection_over,
        events.T3512: ues.t3512_expired,
        events.OUTAGE_BEGINS: ues.outage_begins,
        events.OUTAGE_ENDS: ues.outage_ends,
        events.CALL_ARRIVES: core.back_end.arrives,
        events.CALL_TIMEOUT: core.back_end.timed_out,
        events.UDM_FINISHES: core.back_end.finishes,
        events.AMF_FINISHES: core.server_finishes,
        events.NAS_TIMER: core.nas_timer_expired,
        events.STAGE_ENDS: core.stage_ends,
        events.INCIDENT: incident,
        events.NODE_HEARD: core.back_end.node_heard,
    }
    ims, ims_ues = core.ims, ues.ims
    if ims is not None and ims_ues is not None:
        by_kind |= {
            events.SBC_FINISHES: ims.sbc_finishes,
            events.IMS_ARRIVES: ims.nodes.arrives,
            events.IMS_NODE_FINISHES: ims.nodes.finishes,
            events.IMS_SEEK: ims_ues.seek,
            events.SIP_TIMER: ims_ues.timer_expired,
            events.SIP_ANSWER: ims_ues.answer_due,
            events.IMS_CLOCK: ims_ues.clock,
            events.AS_RETRY: ims.retry_due,
            events.TELL_AGAIN: ims.tell_again,
            events.NOTIFY: ims.notify_due,
        }
    return [by_kind.get(kind, _nobody) for kind in range(events.KINDS)]


def _nobody(subject: int, now: float, number: int) -> None:
    """Events of IMS do not happen in a storm without it."""
    raise AssertionError("nobody handles this event")
