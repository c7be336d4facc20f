"""When a session that was not established is asked for again: the retry rules of 5GSM (TS 24.501 v17 clause 6)."""

from typing import Final

from protocols.causes import FivegsmCause as Sm
from protocols.timers import CodedTimer
from ue_models.outcomes import Never, NotForwarded, Retry, SessionFailure, SessionRejected
from ue_models.timers import T3396

SESSION_PAUSE_S: Final = 16.0
"""Pause of the upper layers before they ask again for a session where no timer forbids it (assumed: one T3580)."""

DEFAULT_SESSION_BACK_OFF_S: Final = 720.0
"""6.4.1.4.3: 12 min for causes that a repetition will not change, where the network gave no value."""

_FUTILE_SESSION_CAUSES: Final = frozenset(Sm(cause) for cause in (8, 27, 29, 32, 33))

_SESSION_CONGESTION: Final = frozenset(
    {Sm.INSUFFICIENT_RESOURCES, Sm.INSUFFICIENT_RESOURCES_FOR_SLICE_AND_DNN, Sm.INSUFFICIENT_RESOURCES_FOR_SLICE}
)


def session_failed(failure: SessionFailure) -> Retry | Never:
    """When a session that was not established is asked for again (6.2.7, 6.4.1.4, 6.4.1.6; 5.4.5.3.3)."""
    match failure:
        case SessionRejected(cause, back_off) if cause in _SESSION_CONGESTION or back_off is not None:
            return _session_back_off(back_off)
        case SessionRejected(cause) if cause in _FUTILE_SESSION_CAUSES:
            return Retry(DEFAULT_SESSION_BACK_OFF_S, T3396.name, attempts=0)
        case NotForwarded(_, back_off):
            return _session_back_off(back_off)
    return Retry(SESSION_PAUSE_S, "", attempts=0)


def _session_back_off(back_off: CodedTimer | None) -> Retry | Never:
    """6.4.1.4.2: a value is waited for, zero allows at once, deactivated forbids; without one nothing is forbidden."""
    if back_off is None:
        return Retry(SESSION_PAUSE_S, "", attempts=0)
    seconds = back_off.seconds
    if seconds is None:
        return Never(forget=False)
    return Retry(float(seconds), T3396.name if seconds else "", attempts=0)
