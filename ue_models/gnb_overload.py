"""A gNB obeys OVERLOAD START: which RRC connection requests it rejects (TS 38.413 v17 8.7.7, 9.3.1.105).

An answer to paging (mt-Access) passes under every action. The percentage is of the kind of traffic that the action
names, at its present rate; without one all of it is rejected. An OVERLOAD START without an action names no traffic.
"""

from collections.abc import Mapping
from random import Random
from typing import Final

from protocols.ngap.messages import OverloadAction, OverloadStart, RrcCause

_MO_DATA: Final = frozenset({RrcCause.MO_DATA, RrcCause.MO_SMS, RrcCause.MO_VIDEO_CALL, RrcCause.MO_VOICE_CALL})
_HIGH_PRIORITY: Final = frozenset(
    {RrcCause.HIGH_PRIORITY_ACCESS, RrcCause.MPS_PRIORITY_ACCESS, RrcCause.MCS_PRIORITY_ACCESS}
)
_ALL: Final = frozenset(RrcCause)

REJECTED: Final[Mapping[OverloadAction, frozenset[RrcCause]]] = {
    OverloadAction.REJECT_NON_EMERGENCY_MO_DT: _MO_DATA,
    OverloadAction.REJECT_RRC_SIGNALLING: _MO_DATA | {RrcCause.MO_SIGNALLING},
    OverloadAction.PERMIT_EMERGENCY_AND_MT: _ALL - {RrcCause.EMERGENCY, RrcCause.MT_ACCESS},
    OverloadAction.PERMIT_HIGH_PRIORITY_AND_MT: _ALL - _HIGH_PRIORITY - {RrcCause.MT_ACCESS},
}
"""The establishment causes that an action is about."""


def rejects(overload: OverloadStart | None, cause: RrcCause, rng: Random) -> bool:
    """Whether a request with this cause is rejected while `overload` is in force."""
    if overload is None or overload.action is None or cause not in REJECTED[overload.action]:
        return False
    return overload.percentage is None or rng.random() * 100 < overload.percentage
