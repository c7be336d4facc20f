"""What is measured of UEs only where the population has IMS: funnel, re-registrations that fall due, late returns."""

from regstorm.measures.funnel import Funnel
from regstorm.measures.service_log import ServiceLog
from regstorm.measures.timeline import Timeline
from regstorm.records import domain_counters as names
from regstorm.records import procedures
from regstorm.records.scenario import Scenario

LATE_S = 720.0
"""The paper's precise control: "a few after 12 min"."""
NO_WAIT = "none"
_REGISTERED_IN_IMS = (procedures.IMS_REREGISTRATION, procedures.IMS_REGISTRATION)


class Renewals:
    """Re-registrations in IMS since the end of the outage; told of online users only."""

    def __init__(self, timeline: Timeline, log: ServiceLog) -> None:
        self._timeline = timeline
        self._outage_end_s = log.outage_end_s
        self._under_way: set[int] = set()
        self._seen = bytearray(log.ues)

    def attempt_started(self, ue: int, procedure: str, now: float) -> None:
        """A re-REGISTER falls due when its first attempt begins."""
        if procedure != procedures.IMS_REREGISTRATION or now < self._outage_end_s or ue in self._under_way:
            return
        self._under_way.add(ue)
        self._timeline.count(names.ONLINE_RENEWALS_DUE, now)
        if not self._seen[ue]:
            self._seen[ue] = True
            self._timeline.count(names.ONLINE_RENEWING_USERS, now)

    def attempt_ended(self, ue: int, procedure: str, now: float, failure: str | None) -> None:
        """Registered again, one way or the other."""
        if failure is None and procedure in _REGISTERED_IN_IMS:
            self._over(ue, names.ONLINE_RENEWALS_KEPT, now)

    def registration_lost(self, ue: int, in_ims: bool, now: float) -> None:
        """In IMS or in the 5GC: the binding has not been kept."""
        self._over(ue, names.ONLINE_RENEWALS_LOST, now)

    def _over(self, ue: int, name: str, now: float) -> None:
        if ue in self._under_way:
            self._under_way.discard(ue)
            self._timeline.count(name, now)


class LateReturns:
    """Outage users back after minute 12, by the timer that ended their last wait; told of the outage group only."""

    def __init__(self, timeline: Timeline, log: ServiceLog) -> None:
        self._timeline = timeline
        self._outage_end_s = log.outage_end_s
        self._timers = {NO_WAIT: 0}
        self._last = bytearray(log.outage_ues)
        """By UE: the place of that timer among them."""

    def waited(self, ue: int, timer: str) -> None:
        """The UE's wait is over."""
        self._last[ue] = self._timers.setdefault(timer, len(self._timers))

    def back(self, ue: int, now: float) -> None:
        """The UE has full service for the first time since the end of the outage."""
        if now - self._outage_end_s > LATE_S:
            timer = list(self._timers)[self._last[ue]]
            self._timeline.count(names.BACK_LATE, now)
            self._timeline.count(f"{names.BACK_LATE}.{timer.replace(' ', '_')}", now)


class Domains:
    """The parts, for ue_counts.UeCounts: it tells each of the group that it looks at."""

    def __init__(self, timeline: Timeline, log: ServiceLog, dnns: tuple[str, ...]) -> None:
        self.funnel = Funnel(timeline, log, dnns)
        self.late = LateReturns(timeline, log)
        self.renewals = Renewals(timeline, log)

    @classmethod
    def of(cls, scenario: Scenario, timeline: Timeline, log: ServiceLog) -> "Domains | None":
        """None where the population does without IMS."""
        return cls(timeline, log, scenario.network.dnns) if scenario.population.ims else None
