"""The UE contexts of a gNB: UE-associated logical NG-connections, by both their IDs and by UE (TS 38.413 8.3, 10.6)."""

from dataclasses import dataclass, field
from typing import Final

from regstorm.records.ports import Due
from ue_models.radio import Connectable

FIRST_RAN_UE_ID: Final = 65_536
"""All RAN UE NGAP IDs from here on have one length class in APER (INTEGER (0..4294967295))."""

_LAST_RAN_UE_ID: Final = 0xFFFF_FFFF


@dataclass(slots=True, eq=False)
class UeContext:
    """One UE-associated logical NG-connection; `ue` is None once the UE has gone and only the AMF has to agree."""

    ran_id: int
    ue: Connectable | None
    amf_id: int | None = None
    last_activity: float = 0.0
    inactivity: Due | None = None
    tunnels: dict[int, int] = field(default_factory=dict)
    """The UPF's TEID of each PDU session that has resources."""


class UeContexts:
    """All of one gNB. A context that is dropped or forgotten stops its inactivity timer."""

    __slots__ = ("_by_amf_id", "_by_ran_id", "_by_ue", "_first_ran_id", "_next_ran_id", "_step")

    def __init__(self, leg: int = 0, legs: int = 1) -> None:
        """RAN UE NGAP IDs are those of one of so many associations of the base station: every `legs`-th number."""
        self._first_ran_id = self._next_ran_id = FIRST_RAN_UE_ID + leg
        self._step = legs
        self._by_ran_id: dict[int, UeContext] = {}
        self._by_amf_id: dict[int, UeContext] = {}
        self._by_ue: dict[Connectable, UeContext] = {}

    @property
    def connected_ues(self) -> int:
        """UEs that have a connection."""
        return len(self._by_ue)

    @property
    def ran_ue_ids(self) -> tuple[int, ...]:
        """Of all contexts, oldest first."""
        return tuple(self._by_ran_id)

    def add(self, ue: Connectable, now: float) -> UeContext:
        """A new connection of `ue`, which has none."""
        context = UeContext(self._next_ran_id, ue, last_activity=now)
        following = self._next_ran_id + self._step
        self._next_ran_id = following if following <= _LAST_RAN_UE_ID else self._first_ran_id
        self._by_ran_id[context.ran_id] = context
        self._by_ue[ue] = context
        return context

    def of_ue(self, ue: Connectable) -> UeContext | None:
        """The connection of that UE."""
        return self._by_ue.get(ue)

    def with_ran_id(self, ran_id: int) -> UeContext | None:
        """The connection with that RAN UE NGAP ID."""
        return self._by_ran_id.get(ran_id)

    def with_amf_id(self, amf_id: int) -> UeContext | None:
        """The connection with that AMF UE NGAP ID."""
        return self._by_amf_id.get(amf_id)

    def with_either(self, amf_id: int | None, ran_id: int | None) -> UeContext | None:
        """The connection that a list or an error names, by whichever of its IDs is given and known."""
        context = self._by_ran_id.get(ran_id) if ran_id is not None else None
        if context is None and amf_id is not None:
            context = self._by_amf_id.get(amf_id)
        return context

    def learn_amf_id(self, context: UeContext, amf_id: int) -> None:
        """The AMF's first message on the connection has named it."""
        context.amf_id = amf_id
        self._by_amf_id[amf_id] = context

    def part(self, ue: Connectable) -> UeContext | None:
        """The UE has gone of itself: its context stays until the AMF agrees."""
        context = self._by_ue.pop(ue, None)
        if context is not None:
            context.ue = None
        return context

    def drop(self, context: UeContext, now: float) -> None:
        """Local release; the UE, if it is still there, loses its connection."""
        self.forget(context)
        ue, context.ue = context.ue, None
        if ue is not None:
            del self._by_ue[ue]
            ue.released(now)

    def drop_all(self, now: float) -> None:
        """Local release of every connection."""
        for context in list(self._by_ran_id.values()):
            self.drop(context, now)

    def forget(self, context: UeContext) -> None:
        """Its IDs mean nothing here any more."""
        self._by_ran_id.pop(context.ran_id, None)
        if context.amf_id is not None and self._by_amf_id.get(context.amf_id) is context:
            del self._by_amf_id[context.amf_id]
        if context.inactivity is not None:
            context.inactivity.cancel()
            context.inactivity = None
