"""GPRS timer 2 and GPRS timer 3 (TS 24.008 10.5.7.4 and 10.5.7.4a; used by TS 24.501 9.11.2.4 and 9.11.2.5).

A coded timer is one octet, unit in bits 8–6 and value in bits 5–1. Zero and deactivated are values of their
own: "neither zero nor deactivated" is what most rules of TS 24.501 ask, and `CodedTimer.runs` answers it.

T3346 and T3502 are GPRS timer 2; T3512 and the 5GSM back-off timers are GPRS timer 3. The codes are coarse
(beyond 62 s a GPRS timer 2 knows whole minutes only), so a spread over many UEs has to be dithered before it
is coded: `of(…, u)`.
"""

from bisect import bisect_left
from collections.abc import Mapping
from typing import Final, NamedTuple, Self

_MINUTE: Final = 60
_DECIHOUR: Final = 360
_HOUR: Final = 3600
_DEACTIVATED_UNIT: Final = 0b111

_UNITS2: Final[Mapping[int, int]] = {
    0: 2,
    1: _MINUTE,
    2: _DECIHOUR,
    3: _MINUTE,  # 3–6: "Other values shall be interpreted as multiples of 1 minute"
    4: _MINUTE,
    5: _MINUTE,
    6: _MINUTE,
}
"""Seconds per step of GPRS timer 2 (10.5.7.4, which refers to table 10.5.172 of 10.5.7.3)."""

_UNITS3: Final[Mapping[int, int]] = {
    0: 10 * _MINUTE,
    1: _HOUR,
    2: 10 * _HOUR,
    3: 2,
    4: 30,
    5: _MINUTE,
    6: 320 * _HOUR,
}
"""Seconds per step of GPRS timer 3 (table 10.5.163a of 10.5.7.4a)."""


def _durations(units: Mapping[int, int]) -> tuple[int | None, ...]:
    """What each of the 256 octets means, in seconds; None is deactivated."""
    return tuple(None if octet >> 5 == _DEACTIVATED_UNIT else units[octet >> 5] * (octet & 31) for octet in range(256))


class _Codes:
    """The durations that a coded timer can express, in order, each with the octet that we send for it."""

    def __init__(self, units: Mapping[int, int], preference: tuple[int, ...]) -> None:
        """`preference`: units from the most to the least wanted, where several can express a duration."""
        octets: dict[int, int] = {}
        for unit in preference:
            for value in range(1, 32):
                octets.setdefault(units[unit] * value, unit << 5 | value)
        self._durations = sorted(octets)
        self._octets = octets

    def octet(self, seconds: float, u: float) -> int:
        """The code of one of the two expressible durations around `seconds`.

        The upper one is taken with a probability that keeps the mean for a uniform `u`; u = 0.5 takes the
        nearer one.
        """
        if not seconds >= 0:
            raise ValueError(f"a timer cannot last {seconds} s")
        if seconds == 0:
            return 0
        above = bisect_left(self._durations, seconds)
        if above == 0:  # never zero for a positive duration: zero means "no timer" to the UE
            return self._octets[self._durations[0]]
        if above == len(self._durations):
            return self._octets[self._durations[-1]]
        low, high = self._durations[above - 1], self._durations[above]
        return self._octets[high if (seconds - low) / (high - low) + u >= 1 else low]


_SECONDS2: Final = _durations(_UNITS2)
_SECONDS3: Final = _durations(_UNITS3)
_CODES2: Final = _Codes(_UNITS2, preference=(0, 1, 2))  # finest first: 60 s is 30 × 2 s
_CODES3: Final = _Codes(_UNITS3, preference=(6, 2, 1, 0, 5, 4, 3))  # coarsest first: 540 s is 9 × 1 min


class GprsTimer2(NamedTuple):
    """GPRS timer 2 (TS 24.008 10.5.7.4), 0–186 minutes: T3346, T3502. Every octet has a meaning."""

    octet: int

    @property
    def seconds(self) -> int | None:
        """The duration, 0 if the timer is zero, None if it is deactivated."""
        return _SECONDS2[self.octet]

    @property
    def runs(self) -> bool:
        """Neither zero nor deactivated."""
        return bool(_SECONDS2[self.octet])

    @classmethod
    def of(cls, seconds: float, u: float = 0.5) -> Self:
        """Code a duration: up to 62 s in steps of 2 s, up to 31 min in minutes, up to 186 min in steps of 6
        min.

        u = 0.5 rounds to the nearest code; a `u` drawn uniformly from [0, 1) dithers, so that the mean over
        many UEs is the wanted duration. A positive duration never becomes zero; one above the maximum becomes
        the maximum.
        """
        return cls(_CODES2.octet(seconds, u))


class GprsTimer3(NamedTuple):
    """GPRS timer 3 (TS 24.008 10.5.7.4a), 0–9 920 hours: T3512, T3396. Every octet has a meaning."""

    octet: int

    @property
    def seconds(self) -> int | None:
        """The duration, 0 if the timer is zero, None if it is deactivated."""
        return _SECONDS3[self.octet]

    @property
    def runs(self) -> bool:
        """Neither zero nor deactivated."""
        return bool(_SECONDS3[self.octet])

    @classmethod
    def of(cls, seconds: float, u: float = 0.5) -> Self:
        """Code a duration in the coarsest unit that expresses it exactly, else as the nearest code.

        `u` dithers as in `GprsTimer2.of`; positive never becomes zero, above the maximum becomes the maximum.
        """
        return cls(_CODES3.octet(seconds, u))


CodedTimer = GprsTimer2 | GprsTimer3

ZERO2: Final = GprsTimer2(0)
DEACTIVATED2: Final = GprsTimer2(_DEACTIVATED_UNIT << 5)
ZERO3: Final = GprsTimer3(0)
DEACTIVATED3: Final = GprsTimer3(_DEACTIVATED_UNIT << 5)
