"""Load meter: what a server was asked for since the last reading, as a share of what it can do.

It is the load control information that a network function reports of itself (TS 29.500 6.3), with two differences: it
is fresh every second, and it is not cut off at 100 %, because what was asked for above that waits or was refused.
"""

from typing import Any

from regstorm.overload.protected_server import ProtectedServer


class LoadMeter:
    """Call it once for each interval of `every_s`."""

    __slots__ = ("_before", "_every_s", "_server")

    def __init__(self, server: ProtectedServer[Any], every_s: float = 1.0) -> None:
        """What the server was asked for before is none of its business."""
        self._server = server
        self._every_s = every_s
        self._before = self._asked()

    def __call__(self) -> float:
        """Load of the interval that ends now: what was offered, and the work of rejections."""
        asked = self._asked()
        load = (asked - self._before) * (1.0 / (self._server.capacity * self._every_s))  # as it is now
        self._before = asked
        return load

    def _asked(self) -> float:
        return self._server.offered_work + self._server.rejection_work
