"""What is measured of UEs only where the population has IMS: funnel, re-registrations that fall due, late returns.

A UE tells that its wait has ended, and in the same instant that its next attempt begins: so the timer belongs to it.
"""

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
    """Re-registrations in IMS of online users, since the end of the outage."""

    def __init__(self, timeline: Timeline, log: ServiceLog) -> None:
        self._timeline = timeline
        self._log = log
        self._under_way: set[int] = set()
        self._seen: set[int] = set()

    def attempt_started(self, ue: int, procedure: str, now: float) -> None:
        """A re-REGISTER falls due when its first attempt begins."""
        if procedure != procedures.IMS_REREGISTRATION or now < self._log.outage_end_s:
            return
        if self._log.is_online_group(ue) and ue not in self._under_way:
            self._under_way.add(ue)
            self._timeline.count(names.ONLINE_RENEWALS_DUE, now)
            if ue not in self._seen:
                self._seen.add(ue)
                self._timeline.count(names.ONLINE_RENEWING_USERS, now)

    def attempt_ended(self, ue: int, procedure: str, now: float, failure: str | None) -> None:
        """Registered again, one way or the other."""
        if failure is None and procedure in _REGISTERED_IN_IMS:
            self._over(ue, names.ONLINE_RENEWALS_KEPT, now)

    def registration_lost(self, ue: int, now: float) -> None:
        """In IMS or in the 5GC: the binding has not been kept."""
        self._over(ue, names.ONLINE_RENEWALS_LOST, now)

    def _over(self, ue: int, name: str, now: float) -> None:
        if ue in self._under_way:
            self._under_way.discard(ue)
            self._timeline.count(name, now)


class LateReturns:
    """Outage users back after minute 12, by the timer that ended their last wait."""

    def __init__(self, timeline: Timeline, log: ServiceLog) -> None:
        self._timeline = timeline
        self._log = log
        self._ended: tuple[str, float] | None = None
        self._last: dict[int, str] = {}

    def wait_ended(self, timer: str, now: float) -> None:
        """Somebody's wait is over."""
        self._ended = timer, now

    def attempt_started(self, ue: int, now: float) -> None:
        """If a wait has just ended, it was this UE's."""
        ended = self._ended
        if ended is None:
            return
        self._ended = None
        if ended[1] == now and not self._log.is_online_group(ue):
            self._last[ue] = ended[0]

    def back(self, ue: int, now: float) -> None:
        """The UE has full service for the first time since the end of the outage."""
        timer = self._last.pop(ue, NO_WAIT)
        if now - self._log.outage_end_s > LATE_S:
            self._timeline.count(names.BACK_LATE, now)
            self._timeline.count(f"{names.BACK_LATE}.{timer.replace(' ', '_')}", now)


class Domains:
    """Told by ue_counts.UeCounts of everything that UEs tell."""

    def __init__(self, timeline: Timeline, log: ServiceLog, dnns: tuple[str, ...]) -> None:
        self._funnel = Funnel(timeline, log, dnns)
        self._renewals = Renewals(timeline, log)
        self._late = LateReturns(timeline, log)

    @classmethod
    def of(cls, scenario: Scenario, timeline: Timeline, log: ServiceLog) -> "Domains | None":
        """None where the population does without IMS."""
        return cls(timeline, log, scenario.network.dnns) if scenario.population.ims else None

    def attempt_started(self, ue: int, procedure: str, now: float) -> None:
        """As in records.ports.UeObserver."""
        self._late.attempt_started(ue, now)
        self._funnel.attempt_started(ue, procedure, now)
        self._renewals.attempt_started(ue, procedure, now)

    def attempt_ended(self, ue: int, procedure: str, now: float, failure: str | None) -> None:
        """As in records.ports.UeObserver."""
        self._funnel.attempt_ended(ue, procedure, now, failure)
        self._renewals.attempt_ended(ue, procedure, now, failure)

    def registration_lost(self, ue: int, in_ims: bool, now: float) -> None:
        """As in records.ports.UeObserver."""
        self._funnel.registration_lost(ue, in_ims, now)
        self._renewals.registration_lost(ue, now)

    def service_changed(self, ue: int, in_service: bool, first_time: bool, now: float) -> None:
        """The UE's service has changed; `first_time` since the end of the outage."""
        self._funnel.service_changed(ue, in_service, now)
        if first_time:
            self._late.back(ue, now)

    def wait_ended(self, timer: str, now: float) -> None:
        """One UE fewer waits on `timer`."""
        self._late.wait_ended(timer, now)
