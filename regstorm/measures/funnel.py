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


class Funnel:
    """Follows every UE of the outage group. `dnns` are the sessions of full service, the ims one among them."""

    def __init__(self, timeline: Timeline, log: ServiceLog, dnns: Sequence[str]) -> None:
        self._timeline = timeline
        self._log = log
        self._session = {procedures.pdu_session(dnn): _FIRST_SESSION << n for n, dnn in enumerate(dnns)}
        self._ims_session = self._session[procedures.pdu_session(IMS_DNN)]
        sessions = _REGISTERED | sum(self._session.values())
        self._everything = sessions | _IN_IMS
        self._stages = (
            _Stage(_REGISTERED, names.REGISTERED, names.REGISTRATION_LOST, names.NOW_REGISTERED),
            _Stage(sessions, names.SESSIONS_UP, names.SESSIONS_LOST, names.NOW_SESSIONS_UP),
            _Stage(self._everything, names.IMS_REGISTERED, names.IMS_REGISTRATION_LOST, names.NOW_IMS_REGISTERED),
        )
        self._depth = bytes(
            sum(has & stage.needs == stage.needs for stage in self._stages) for has in range(self._everything + 1)
        )
        """By what a UE has: how many stages it has come, each of which includes those before it."""
        self._after_failure = {
            procedures.DEREGISTRATION: _Change(_NOTHING, _NOTHING),
            procedures.SESSION_RELEASE: _Change(~(self._ims_session | _IN_IMS), _NOTHING),
            procedures.IMS_DEREGISTRATION: _Change(~_IN_IMS, _NOTHING),
        }
        self._after_success = self._after_failure | {
            procedures.REGISTRATION: _Change(_NOTHING, _REGISTERED),
            procedures.IMS_REGISTRATION: _Change(self._everything, _IN_IMS),
            procedures.IMS_REREGISTRATION: _Change(self._everything, _IN_IMS),
            **{name: _Change(self._everything, session) for name, session in self._session.items()},
        }
        self._outage_ues = log.outage_ues
        self._has = array("H", [_NOTHING]) * log.outage_ues
        self._reached = bytearray(log.outage_ues)
        """Bit n: stage n has been reached since the end of the outage; the bit above them: an attempt was made."""

    def attempt_started(self, ue: int, procedure: str, now: float) -> None:
        """Whoever registers is not registered, whoever asks for a session has none."""
        if ue >= self._outage_ues:
            return
        if procedure == procedures.REGISTRATION:
            self._attempted(ue, now)
            self._stand(ue, _NOTHING, now)
        elif procedure in self._session:
            self._lose_session(ue, self._session[procedure], now)

    def attempt_ended(self, ue: int, procedure: str, now: float, failure: str | None) -> None:
        """A success brings a stage; what ends a registration or a session does so whatever the answer was."""
        if ue >= self._outage_ues:
            return
        change = (self._after_success if failure is None else self._after_failure).get(procedure)
        if change is not None:
            self._stand(ue, self._has[ue] & change.keeps | change.gains, now)

    def registration_lost(self, ue: int, in_ims: bool, now: float) -> None:
        """Against the UE's will: the IMS registration, or that in the 5GC and everything with it."""
        if ue < self._outage_ues:
            self._stand(ue, self._has[ue] & ~_IN_IMS if in_ims else _NOTHING, now)

    def service_changed(self, ue: int, in_service: bool, now: float) -> None:
        """Who has full service has every stage, also if that was so since before the run."""
        if ue >= self._outage_ues:
            return
        if in_service:
            self._stand(ue, self._everything, now)
        elif now >= self._log.outage_end_s:
            self._timeline.count(names.FULL_SERVICE_LOST, now)

    # --- inside -------------------------------------------------------------------------------------------------------

    def _attempted(self, ue: int, now: float) -> None:
        bit = 1 << len(self._stages)
        if now >= self._log.outage_end_s and not self._reached[ue] & bit:
            self._reached[ue] |= bit
            self._timeline.count(names.ATTEMPTED, now)

    def _lose_session(self, ue: int, session: int, now: float) -> None:
        gone = session | _IN_IMS if session == self._ims_session else session
        self._stand(ue, self._has[ue] & ~gone, now)

    def _stand(self, ue: int, has: int, now: float) -> None:
        before = self._has[ue]
        if has == before:
            return
        self._has[ue] = has
        was, now_is = self._depth[before], self._depth[has]
        if was == now_is:
            return
        self._timeline.advance(now)
        gained = now_is > was
        for number in range(was, now_is) if gained else range(now_is, was):
            stage = self._stages[number]
            self._timeline.gauge(stage.level, 1 if gained else -1)
            if now < self._log.outage_end_s:
                continue
            if not gained:
                self._timeline.count(stage.lost, now)
            elif not self._reached[ue] >> number & 1:
                self._reached[ue] |= 1 << number
                self._timeline.count(stage.reached, now)
