"""A storm as its onlookers see it while it goes on: the Storm tab, the /storm page, the metrics endpoint.

Holds what there is to see; changes nothing. Whoever runs the storm (conductor.py) keeps it up to date. Before the
first storm, and where a figure cannot be seen (the UDM of a core that is not ours), there is None.
"""

from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Any

from regstorm.measures.overload_windows import window_s
from regstorm.measures.service_log import ServiceLog
from regstorm.measures.timeline import Timeline
from regstorm.measures.ue_counts import reject_cause
from regstorm.records import counters
from regstorm.records.scenario import Scenario

RECORD_FILES = ("run.json", "timeline.csv", "report.html", "traces.jsonl")
"""What of a run directory can be downloaded."""


class Phase(StrEnum):
    """How far a storm is."""

    IDLE = "no storm yet"
    SEATING = "UEs take their seats"
    RUNNING = "running"
    WRITING = "writing the record"
    OVER = "over"
    FAILED = "failed"


@dataclass
class LiveStorm:
    """The storm that goes on, or the last one."""

    number: int = 0
    """Counts storms of this process: an onlooker that sees another number begins anew."""
    phase: Phase = Phase.IDLE
    why: str = ""
    """Why it failed, or why its record is partial."""
    strategy: str = ""
    scenario: Scenario | None = None
    """That of the sample."""
    sample: int = 1
    speed: float = 1.0
    core_is_ours: bool = True
    out: Path | None = None
    timeline: Timeline | None = None
    log: ServiceLog | None = None
    lateness_p99_s: float = 0.0
    verdict: dict[str, Any] | None = None
    workers_lost: list[str] = field(default_factory=list)

    @property
    def scenario_s(self) -> int:
        """Complete scenario seconds."""
        return 0 if self.timeline is None else self.timeline.complete

    @property
    def files(self) -> list[str]:
        """Those of RECORD_FILES that there are."""
        return [] if self.out is None else [name for name in RECORD_FILES if (self.out / name).is_file()]

    def figures(self) -> list[tuple[str, str, str]]:
        """Name, value now, value of the whole run: the table of the Storm tab."""
        rows = [("Storm", self._headline(), self.why)]
        if self.timeline is None or self.scenario is None or self.log is None:
            return rows
        total, level = self.timeline.total, self.timeline.level
        outage_ues, online_ues = self.scenario.population.outage_ues, self.scenario.population.online_ues
        rows += [
            ("Scenario clock", _clock(self.scenario_s), f"outage over at {_clock(self.log.outage_end_s)}"),
            ("Outage group in service", f"{level(counters.OUTAGE_IN_SERVICE)} of {outage_ues}", self._back()),
            ("Online group in service", f"{level(counters.ONLINE_IN_SERVICE)} of {online_ues}", self._failed()),
            ("Initial registrations", f"{self._per_second(counters.REG_INIT_REQ):.1f}/s", self._attempts()),
        ]
        if self.core_is_ours:
            load = self._per_second(counters.UDM_OFFERED) / self.scenario.core.udm.capacity_pairs_per_s
            dropped = f"{total(counters.UDM_DROPPED)} of {total(counters.UDM_OFFERED)} pairs dropped"
            refused = f"{total(counters.REFUSED_FIRST)} first, {total(counters.REFUSED_FOLLOW_UP)} follow-ups"
            refusing = self._per_second(counters.REFUSED_FIRST) + self._per_second(counters.REFUSED_FOLLOW_UP)
            rows += [
                ("UDM load offered", f"{load:.0%}", dropped),
                ("Refused at the gate", f"{refusing:.1f}/s", refused),
            ]
        rows += [(f"Waiting on {timer}", str(ues), "") for timer, ues in self._waiting()]
        rows += [
            (f"Rejects {reject_cause(suffix)}", f"{self._per_second(f'{counters.REJECT}.{suffix}'):.1f}/s", str(count))
            for suffix, count in self.timeline.subtotals(counters.REJECT).items()
        ]
        return [*rows, ("Lateness p99", f"{self.lateness_p99_s * 1000:.0f} ms", "scenario time")]

    def curves(self, first: int) -> dict[str, Any]:
        """The page's data from scenario second `first` on."""
        seen: dict[str, Any] = {"storm": self.number, "phase": self.phase, "why": self.why, "files": self.files}
        seen["figures"] = self.figures()
        if self.timeline is None or self.scenario is None:
            return seen
        column, outage = self.timeline.column, self.scenario.outage
        capacity = self.scenario.core.udm.capacity_pairs_per_s if self.core_is_ours else None
        return seen | {
            "first": first,
            "seconds": self.scenario_s,
            "outage": {"begins_s": outage.begins_s, "ends_s": outage.end_s},
            "ues": self.scenario.population.outage_ues,
            "capacity": capacity,
            "window_s": window_s(capacity) if capacity else 1,
            "in_service": {
                "outage group": column(counters.OUTAGE_IN_SERVICE, first),
                "online group": column(counters.ONLINE_IN_SERVICE, first),
            },
            "udm": {
                name: column(counter, first)
                for name, counter in (
                    ("offered", counters.UDM_OFFERED),
                    ("served", counters.UDM_SERVED),
                    ("dropped", counters.UDM_DROPPED),
                )
            }
            if self.core_is_ours
            else {},
            "waiting": {timer: column(f"{counters.WAITING}.{timer}", first) for timer in self._timers()},
            "rejects": {
                reject_cause(suffix): column(f"{counters.REJECT}.{suffix}", first)
                for suffix in self.timeline.subtotals(counters.REJECT)
            },
        }

    def _headline(self) -> str:
        if self.scenario is None:
            return str(self.phase)
        verdict = ""
        if self.verdict is not None:
            verdict = ": passed" if self.verdict["pass"] else f": missed: {'; '.join(self.verdict['failed'])}"
        return f"{self.scenario.name}, {self.strategy}, 1:{self.sample}, {self.speed:g} x: {self.phase}{verdict}"

    def _back(self) -> str:
        assert self.log is not None
        reached = [
            f"{name} {recovery:.0f} s"
            for name, share in (("T50", 0.5), ("T90", 0.9), ("T99", 0.99), ("T100", 1.0))
            if (recovery := self.log.recovery_s(share)) is not None
        ]
        return ", ".join([f"{self.log.back} back", *reached])

    def _failed(self) -> str:
        assert self.timeline is not None
        procedures, failed = (
            self.timeline.total(counters.ONLINE_PROCEDURES),
            self.timeline.total(counters.ONLINE_FAILED),
        )
        return f"{failed} of {procedures} procedures failed"

    def _attempts(self) -> str:
        assert self.timeline is not None
        requests, successes = self.timeline.total(counters.REG_INIT_REQ), self.timeline.total(counters.REG_INIT_SUCC)
        return f"{requests} attempts, {successes} successes"

    def _per_second(self, counter: str, over_s: int = 10) -> float:
        """Mean over the last seconds."""
        assert self.timeline is not None
        last = self.timeline.column(counter, max(0, self.scenario_s - over_s))
        return sum(last) / len(last) if last else 0.0

    def _timers(self) -> list[str]:
        assert self.timeline is not None
        return self.timeline.levels_under(counters.WAITING)

    def _waiting(self) -> list[tuple[str, int]]:
        assert self.timeline is not None
        return [(timer, self.timeline.level(f"{counters.WAITING}.{timer}")) for timer in self._timers()]


def _clock(seconds: float) -> str:
    return f"{int(seconds) // 60}:{int(seconds) % 60:02d}"
