"""Full service as both sides see it: the UE has all its registrations and sessions, and both application servers hold
its registration in IMS.

A UE cannot know the latter: third-party registration happens behind its 200. An observer of UEs that stands between
them and the counts, for storms whose core is in the same process.
"""

from protocols.credentials import index_of
from protocols.identities import Plmn
from regstorm.records.ports import UeObserver
from regstorm.reference_core.ims.ims_core import ImsCore


class FullService:
    """A UeObserver that tells `counts` of full service only while UE and core agree on it."""

    def __init__(self, counts: UeObserver, ims: ImsCore, plmn: Plmn) -> None:
        self._counts = counts
        self._plmn = plmn
        self._ues: set[int] = set()
        self._core: set[int] = set()
        ims.service_changed = self._core_changed
        self.attempt_started = counts.attempt_started
        self.attempt_ended = counts.attempt_ended
        self.rejected = counts.rejected
        self.registration_lost = counts.registration_lost
        self.waiting = counts.waiting

    def service_changed(self, ue: int, in_service: bool, now: float) -> None:
        """The UE has reached what it knows of, or lost it."""
        self._change(self._ues, ue, in_service, now)

    def _core_changed(self, supi: str, in_service: bool, now: float) -> None:
        ue = index_of(supi, self._plmn)
        if ue is not None:
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
