"""Funnel: how far the outage group has come back, stage by stage, and where it falls back.

Registered in the 5GC, every session up, registered in IMS: each stage includes those before it. Derived from what UEs
tell about their attempts (records.ports.UeObserver), so whoever tells of attempts has a funnel. Full service is the
service log's business.
"""

from array import array
from collections.abc import Sequence
from typing import Final, NamedTuple

from regstorm.measures.service_log import ServiceLog
from regstorm.measures.timeline import Timeline
from regstorm.records import domain_counters as names
from regstorm.records import procedures
from regstorm.records.scenario import IMS_DNN

_REGISTERED, _IN_IMS, _FIRST_SESSION = 1, 2, 4
_NOTHING: Final = 0


class _Stage(NamedTuple):
    """What a UE needs for it, and what is counted."""

    needs: int
    reached: str
    lost: str
    level: str


class _Change(NamedTuple):
    """What the end of a procedure does to what a UE has."""

    keeps: int
    gains: int


class _Way(NamedTuple):
    """From one depth to another: the stages between them, as they are counted."""

    levels: tuple[str, ...]
    step: int
    lost: tuple[str, ...]
    """Empty on the way up."""
    reached: int
    """Bit n: stage n. 0 on the way down."""


class Funnel:
    """Follows every UE of the outage group and is told of no other.

    `dnns` are the sessions of full service, the ims one among them.
    """

    def __init__(self, timeline: Timeline, log: ServiceLog, dnns: Sequence[str]) -> None:
        self._timeline = timeline
        self._outage_end_s = log.outage_end_s
        session_of = {procedures.pdu_session(dnn): _FIRST_SESSION << n for n, dnn in enumerate(dnns)}
        ims_procedure = procedures.pdu_session(IMS_DNN)
        ims_session = session_of[ims_procedure] | _IN_IMS
        sessions = _REGISTERED | sum(session_of.values())
        self._everything = sessions | _IN_IMS
        stages = _stages(sessions, self._everything)
        self._depth = bytes(
            sum(has & stage.needs == stage.needs for stage in stages) for has in range(self._everything + 1)
        )
        """By what a UE has: how many stages it has come, each of which includes those before it."""
        depths = range(len(stages) + 1)
        self._ways = [[_way(stages, was, now_is) for now_is in depths] for was in depths]
        """By the depth where a UE was and the one where it is."""
        self._reached_names = _by_bits([*(stage.reached for stage in stages), names.ATTEMPTED])
        self._attempted = 1 << len(stages)
        self._gone_at_start = {procedures.REGISTRATION: self._everything, **session_of, ims_procedure: ims_session}
        self._after_failure = {
            procedures.DEREGISTRATION: _Change(_NOTHING, _NOTHING),
            procedures.SESSION_RELEASE: _Change(~ims_session, _NOTHING),
            procedures.IMS_DEREGISTRATION: _Change(~_IN_IMS, _NOTHING),
        }
        self._after_success = self._after_failure | {
            procedures.REGISTRATION: _Change(_NOTHING, _REGISTERED),
            procedures.IMS_REGISTRATION: _Change(self._everything, _IN_IMS),
            procedures.IMS_REREGISTRATION: _Change(self._everything, _IN_IMS),
            **{name: _Change(self._everything, session) for name, session in session_of.items()},
        }
        self._has = array("H", [_NOTHING]) * log.outage_ues
        self._reached = bytearray(log.outage_ues)
        """Bit n: stage n has been reached since the end of the outage; the bit above them: an attempt was made."""

    def attempt_started(self, ue: int, procedure: str, now: float) -> None:
        """Whoever registers is not registered, whoever asks for a session has none."""
        gone = self._gone_at_start.get(procedure)
        if gone is None:
            return
        if gone & _REGISTERED and now >= self._outage_end_s and not self._reached[ue] & self._attempted:
            self._reach(ue, self._attempted, now)
        before = self._has[ue]
        if before & gone:
            self._stand(ue, before, before & ~gone, now)

    def attempt_ended(self, ue: int, procedure: str, now: float, failure: str | None) -> None:
        """A success brings a stage; what ends a registration or a session does so whatever the answer was."""
        change = (self._after_success if failure is None else self._after_failure).get(procedure)
        if change is not None:
            keeps, gains = change
            before = self._has[ue]
            self._stand(ue, before, before & keeps | gains, now)

    def registration_lost(self, ue: int, in_ims: bool, now: float) -> None:
        """Against the UE's will: the IMS registration, or that in the 5GC and everything with it."""
        before = self._has[ue]
        self._stand(ue, before, before & ~_IN_IMS if in_ims else _NOTHING, now)

    def service_changed(self, ue: int, in_service: bool, now: float) -> None:
        """Who has full service has every stage, also if that was so since before the run."""
        if in_service:
            self._stand(ue, self._has[ue], self._everything, now)
        elif now >= self._outage_end_s:
            self._timeline.count(names.FULL_SERVICE_LOST, now)

    # --- inside -------------------------------------------------------------------------------------------------------

    def _stand(self, ue: int, before: int, has: int, now: float) -> None:
        self._has[ue] = has
        was, now_is = self._depth[before], self._depth[has]
        if was == now_is:
            return
        levels, step, lost, reached = self._ways[was][now_is]
        self._timeline.gauge_each(levels, step, now)
        if now < self._outage_end_s:
            return
        if reached:
            self._reach(ue, reached, now)
        else:
            self._timeline.count_each(lost, now)

    def _reach(self, ue: int, stages: int, now: float) -> None:
        before = self._reached[ue]
        new = stages & ~before
        if new:
            self._reached[ue] = before | new
            self._timeline.count_each(self._reached_names[new], now)


def _stages(sessions: int, everything: int) -> tuple[_Stage, ...]:
    return (
        _Stage(_REGISTERED, names.REGISTERED, names.REGISTRATION_LOST, names.NOW_REGISTERED),
        _Stage(sessions, names.SESSIONS_UP, names.SESSIONS_LOST, names.NOW_SESSIONS_UP),
        _Stage(everything, names.IMS_REGISTERED, names.IMS_REGISTRATION_LOST, names.NOW_IMS_REGISTERED),
    )


def _way(stages: Sequence[_Stage], was: int, now_is: int) -> _Way:
    if now_is > was:
        gained = stages[was:now_is]
        return _Way(tuple(stage.level for stage in gained), 1, (), (1 << now_is) - (1 << was))
    lost = stages[now_is:was]
    return _Way(tuple(stage.level for stage in lost), -1, tuple(stage.lost for stage in lost), 0)


def _by_bits(counted: Sequence[str]) -> list[tuple[str, ...]]:
    """By a number: the names whose bits it has."""
    return [tuple(name for place, name in enumerate(counted) if bits >> place & 1) for bits in range(1 << len(counted))]
