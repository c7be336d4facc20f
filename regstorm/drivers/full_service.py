"""Full service as both sides see it: the UE has all its registrations and sessions, and both application servers hold
its registration in IMS.

A UE cannot know the latter: third-party registration happens behind its 200. An observer of UEs that stands between
them and the counts. Where the core is in the same process it is told at once (FullService), elsewhere over the control
socket, a moment later (FullServiceToldLater).
"""

from collections.abc import Iterable
from heapq import heappop, heappush
from math import inf
from typing import Final, NamedTuple

from protocols.credentials import index_of
from protocols.identities import Plmn
from regstorm.records.ports import UeObserver
from regstorm.reference_core.ims.ims_core import ImsCore


class FullService:
    """A UeObserver that tells `counts` of full service only while UE and core agree on it."""

    def __init__(self, counts: UeObserver) -> None:
        self._counts = counts
        self._ues: set[int] = set()
        self._core: set[int] = set()
        self.attempt_started = counts.attempt_started
        self.attempt_ended = counts.attempt_ended
        self.rejected = counts.rejected
        self.registration_lost = counts.registration_lost
        self.waiting = counts.waiting

    def follow(self, ims: ImsCore, plmn: Plmn) -> None:
        """Listens to the core of this process. Who is no test subscriber changes nothing."""

        def changed(supi: str, in_service: bool, now: float) -> None:
            ue = index_of(supi, plmn)
            if ue is not None:
                self.core_changed(ue, in_service, now)

        ims.service_changed = changed

    def service_changed(self, ue: int, in_service: bool, now: float) -> None:
        """The UE has reached what it knows of, or lost it."""
        self._change(self._ues, ue, in_service, now)

    def core_changed(self, ue: int, in_service: bool, now: float) -> None:
        """Both application servers hold its registration, or no longer."""
        self._change(self._core, ue, in_service, now)

    def _change(self, side: set[int], ue: int, in_service: bool, now: float) -> None:
        before = ue in self._ues and ue in self._core
        if in_service:
            side.add(ue)
        else:
            side.discard(ue)
        after = ue in self._ues and ue in self._core
        if after != before:
            self._counts.service_changed(ue, after, now)


UE_SAYS: Final = False
CORE_SAYS: Final = True


class _Change(NamedTuple):
    """What one side has said; in order of time, then in the order in which it was said."""

    at_s: float
    number: int
    who: bool
    ue: int
    in_service: bool


class FullServiceToldLater(FullService):
    """The same where the core's word arrives a moment later: both sides' changes take effect in order of time, as soon
    as the core has told everything up to their time; what UEs say waits for it.
    """

    def __init__(self, counts: UeObserver) -> None:
        super().__init__(counts)
        self.through_s = -inf
        """Up to here both sides are known."""
        self._waiting: list[_Change] = []
        self._heard = 0

    def service_changed(self, ue: int, in_service: bool, now: float) -> None:
        """The UE has reached what it knows of, or lost it."""
        self._wait(UE_SAYS, ue, in_service, now)

    def core_told(self, through_s: float, changes: Iterable[tuple[float, int, bool]]) -> None:
        """Everything that changed in the core up to `through_s`, since it last told."""
        for at_s, ue, in_service in changes:
            self._wait(CORE_SAYS, ue, in_service, at_s)
        self.through_s = through_s
        waiting = self._waiting
        while waiting and waiting[0].at_s <= through_s:
            change = heappop(waiting)
            side = self._core if change.who is CORE_SAYS else self._ues
            self._change(side, change.ue, change.in_service, change.at_s)

    def finish(self) -> None:
        """The core tells no more: what UEs have said since counts with what is known."""
        self.core_told(inf, ())

    def _wait(self, who: bool, ue: int, in_service: bool, at_s: float) -> None:
        self._heard += 1
        heappush(self._waiting, _Change(at_s, self._heard, who, ue, in_service))
