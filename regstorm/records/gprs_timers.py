"""Which durations a GPRS timer can say: 0 to 31 units (TS 24.008 10.5.7.4 for timer 2, 10.5.7.4a for timer 3).

A scenario may only ask for what the network can tell: another duration would go out rounded. How the octets look is
the codec's business.
"""

from typing import Final

_STEPS: Final = 31
_UNITS2_S: Final = (2, 60, 360)
_UNITS3_S: Final = (2, 30, 60, 600, 3600, 36_000, 1_152_000)


def gprs_timer_2(seconds: int) -> int:
    """`seconds` if a GPRS timer 2 says exactly that; else ValueError with the nearest that it says."""
    return _exactly(seconds, _UNITS2_S, "GPRS timer 2")


def gprs_timer_3(seconds: int) -> int:
    """`seconds` if a GPRS timer 3 says exactly that; else ValueError with the nearest that it says."""
    return _exactly(seconds, _UNITS3_S, "GPRS timer 3")


def _exactly(seconds: int, units_s: tuple[int, ...], name: str) -> int:
    values = sorted({unit_s * step for unit_s in units_s for step in range(_STEPS + 1)})
    if seconds in values:
        return seconds
    below = max((value for value in values if value < seconds), default=None)
    above = min((value for value in values if value > seconds), default=None)
    nearest = " or ".join(str(value) for value in (below, above) if value is not None)
    raise ValueError(f"{name} cannot say {seconds} s; the nearest that it says: {nearest}")
