"""UE counts: turns what UEs tell about themselves (records.ports.UeObserver) into counters and levels.

Attempts are counted by procedure under the names of TS 28.552, failures by cause as well. An attempt of a user of the
online group counts as failed online procedure if that user was in service when it began and it was refused or
unanswered; the outage group's return never does. Dropped is a user of the online group who lost the registration
while in service. Waiting is counted for each timer, and in UE-seconds for the whole run.
"""

from dataclasses import dataclass
from functools import cache
from typing import Final, Protocol

from regstorm.measures.domains import Domains
from regstorm.measures.service_log import BACK, ServiceLog
from regstorm.measures.timeline import Timeline
from regstorm.records import counters, procedures
from regstorm.records import ims_ue_counters as ims

FLOW_CONTROL_TIMERS: Final = frozenset({"T3346", "T3396", "T3584", "T3585", "5GSM_backoff", "Retry-After"})
"""Timers with which the network holds UEs back (TS 24.501 5.3.9, 6.2.7, 6.2.8; RFC 3261 20.33). T3502, T3511, T3525
and the back-off of RFC 5626 are the UE's own pauses after failures."""

ABORTED: Final = "aborted"
"""A failure that is nobody's refusal: the UE or the run ended the attempt."""


class AttemptListener(Protocol):
    """Whoever else wants to hear how attempts ended (Locust's statistics)."""

    def attempt_ended(self, ue: int, procedure: str, started: float, now: float, failure: str | None) -> None:
        """As in records.ports.UeObserver."""


@dataclass(frozen=True, slots=True)
class Family:
    """The counters of one procedure."""

    requests: str
    successes: str
    failures: str


FAMILIES: Final = {
    procedures.REGISTRATION: Family(counters.REG_INIT_REQ, counters.REG_INIT_SUCC, counters.REG_INIT_FAIL),
    procedures.EMERGENCY_REGISTRATION: Family(counters.REG_EMERG_REQ, counters.REG_EMERG_SUCC, counters.REG_EMERG_FAIL),
    procedures.MOBILITY_UPDATE: Family(counters.REG_MOB_REQ, counters.REG_MOB_SUCC, counters.REG_MOB_FAIL),
    procedures.PERIODIC_UPDATE: Family(counters.REG_PERIOD_REQ, counters.REG_PERIOD_SUCC, counters.REG_PERIOD_FAIL),
    procedures.SERVICE_REQUEST: Family(counters.SERVICE_REQ, counters.SERVICE_SUCC, counters.SERVICE_FAIL),
    procedures.SESSION_RELEASE: Family(ims.SESSION_RELEASE_ATT, ims.SESSION_RELEASE_SUCC, ims.SESSION_RELEASE_FAIL),
    procedures.IMS_REGISTRATION: Family(ims.INIT_REG_ATT, ims.INIT_REG_SUCC, ims.INIT_REG_FAIL),
    procedures.IMS_REREGISTRATION: Family(ims.RE_REG_ATT, ims.RE_REG_SUCC, ims.RE_REG_FAIL),
    procedures.IMS_DEREGISTRATION: Family(ims.DE_REG_ATT, ims.DE_REG_SUCC, ims.DE_REG_FAIL),
    procedures.IMS_MESSAGE: Family(ims.MESSAGE_ATT, ims.MESSAGE_SUCC, ims.MESSAGE_FAIL),
}
SESSIONS: Final = Family(counters.PDU_REQ, counters.PDU_SUCC, counters.PDU_FAIL)
_UNCOUNTED: Final = Family("", "", "")
"""Of procedures that have no counters: deregistration, NG Setup."""
_A_SESSION: Final = procedures.pdu_session("")
SIP: Final = "SIP "
"""How the causes of refusals in IMS begin."""
_LOST_IN_IMS: Final = "IMS "


def family_of(procedure: str) -> Family:
    """The counters of `procedure`."""
    return SESSIONS if procedure.startswith(_A_SESSION) else FAMILIES.get(procedure, _UNCOUNTED)


def cause_suffix(failure: str) -> str:
    """How a failure is called in a sub-counter: `5GMM #22` is 22, `SIP 503` is 503, `T3510 expired` is T3510."""
    if "#" in failure:
        return failure.rpartition("#")[2]
    return failure.removeprefix(SIP).removesuffix(" expired").removesuffix(" failure").replace(" ", "_")


def reject_suffix(cause: str) -> str:
    """How a reject is called in a sub-counter: `5GMM #22` is 5GMM_22."""
    return cause.replace(" #", "_").replace(" ", "_")


def reject_cause(suffix: str) -> str:
    """The cause that `reject_suffix` has written."""
    family, number = suffix.rsplit("_", 1)
    return f"{family} #{number}"


@cache
def _of_failure(failures: str, failure: str) -> tuple[str, str]:
    return failures, f"{failures}.{cause_suffix(failure)}"


@cache
def _of_reject(cause: str, protected: bool) -> tuple[str, ...]:
    if cause.startswith(SIP):
        return ims.REJECT, f"{ims.REJECT}.{cause_suffix(cause)}"
    by_trust = counters.PROTECTED_REJECTS if protected else counters.UNPROTECTED_REJECTS
    return counters.REJECT, f"{counters.REJECT}.{reject_suffix(cause)}", by_trust


@dataclass(slots=True)
class _Wait:
    """On one timer."""

    levels: tuple[str, str]
    """Of all timers, and of this one."""
    ue_s: float = 0.0
    """Less what those who wait now have begun with: exact once their wait, or the run, has an end."""


class UeCounts:
    """A UeObserver for the whole population of a process."""

    def __init__(
        self,
        timeline: Timeline,
        log: ServiceLog,
        listener: AttemptListener | None = None,
        domains: Domains | None = None,
    ) -> None:
        """`domains`: what is measured besides where the population has IMS."""
        self._domains = domains
        self._timeline = timeline
        self._log = log
        self._outage_ues = log.outage_ues
        self._listener = listener
        self._begun_in_service: set[tuple[int, str]] = set()
        self._families: dict[str, Family] = {}
        """By procedure, those that were met: looked up at every attempt."""
        self._wait_over: tuple[str, float] | None = None
        """The timer, and when. In the same instant the UE tells that its next attempt begins: so it is known whose."""
        self._waits: dict[str, _Wait] = {}
        """By timer."""

    def attempt_started(self, ue: int, procedure: str, now: float) -> None:
        """An attempt's first octet went out."""
        online = ue >= self._outage_ues
        domains = self._domains
        if domains is not None:
            if self._wait_over is not None:
                timer, over_s = self._wait_over
                self._wait_over = None
                if over_s == now and not online:
                    domains.late.waited(ue, timer)
            (domains.renewals if online else domains.funnel).attempt_started(ue, procedure, now)
        family = self._families.get(procedure) or self._meet(procedure)
        if family is _UNCOUNTED:
            return
        self._timeline.count(family.requests, now)
        if online and self._log.in_service(ue):
            self._timeline.count(counters.ONLINE_PROCEDURES, now)
            self._begun_in_service.add((ue, procedure))

    def attempt_ended(self, ue: int, procedure: str, started: float | None, now: float, failure: str | None) -> None:
        """It ended: None is success."""
        if self._listener is not None and started is not None:
            self._listener.attempt_ended(ue, procedure, started, now, failure)
        online = ue >= self._outage_ues
        domains = self._domains
        if domains is not None:
            (domains.renewals if online else domains.funnel).attempt_ended(ue, procedure, now, failure)
        family = self._families.get(procedure) or self._meet(procedure)
        if family is _UNCOUNTED:
            return
        begun_in_service = online and (ue, procedure) in self._begun_in_service
        if begun_in_service:
            self._begun_in_service.remove((ue, procedure))
        if failure is None:
            self._timeline.count(family.successes, now)
            return
        self._timeline.count_each(_of_failure(family.failures, failure), now)
        if begun_in_service and failure != ABORTED:
            self._timeline.count(counters.ONLINE_FAILED, now)

    def rejected(self, ue: int, cause: str, protected: bool, now: float) -> None:
        """A reject arrived, `cause` as `5GMM #22`, `5GSM #26` or `SIP 503`; a SIP response is neither protected nor
        not, as there is no IPsec."""
        self._timeline.count_each(_of_reject(cause, protected), now)

    def service_changed(self, ue: int, in_service: bool, now: float) -> None:
        """The UE gained full service or lost it, now or a moment ago. Harmless if it was so before."""
        change = self._log.change(ue, in_service, now)
        if not change:
            return
        step = 1 if in_service else -1
        if ue >= self._outage_ues:
            self._timeline.gauge(counters.ONLINE_IN_SERVICE, step, now)
            return
        self._timeline.gauge(counters.OUTAGE_IN_SERVICE, step, now)
        if change == BACK:
            self._timeline.gauge(counters.OUTAGE_BACK, 1, now)
            if self._domains is not None:
                self._domains.late.back(ue, now)
        if self._domains is not None:
            self._domains.funnel.service_changed(ue, in_service, now)

    def registration_lost(self, ue: int, why: str, now: float) -> None:
        """A registered UE is deregistered though it did not ask for it; before or after it has lost service."""
        online, in_ims = ue >= self._outage_ues, why.startswith(_LOST_IN_IMS)
        if self._domains is not None:
            (self._domains.renewals if online else self._domains.funnel).registration_lost(ue, in_ims, now)
        if in_ims:
            self._timeline.count(ims.LOST, now)
            self._timeline.count(f"{ims.LOST}.{reject_suffix(why.removeprefix(_LOST_IN_IMS))}", now)
        if online and (self._log.in_service(ue) or self._log.last_loss_s(ue) == now):
            self._timeline.count(counters.ONLINE_DROPPED, now)
            self._timeline.count(f"{counters.ONLINE_DROPPED}.{reject_suffix(why)}", now)

    def waiting(self, timer: str, change: int, now: float) -> None:
        """One UE more (+1) or fewer (−1) waits on `timer`."""
        if change < 0:
            self._wait_over = timer, now
        wait = self._waits.get(timer)
        if wait is None:
            wait = self._waits[timer] = _Wait((counters.WAITING, f"{counters.WAITING}.{timer}"))
        self._timeline.gauge_each(wait.levels, change, now)
        wait.ue_s -= change * now

    def waited_ue_minutes(self, end_s: float) -> dict[str, float]:
        """UE-minutes spent waiting until `end_s`, by timer, sorted."""
        level = self._timeline.level
        return {timer: (wait.ue_s + level(wait.levels[1]) * end_s) / 60 for timer, wait in sorted(self._waits.items())}

    def _meet(self, procedure: str) -> Family:
        family = self._families[procedure] = family_of(procedure)
        return family
