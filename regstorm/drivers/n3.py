"""N3: the paths of user packets between gNBs and a core, at either end, on whatever clock drives them.

In a network GTP-U travels in UDP. Here each gNB has one association for it beside its N2, to the same listener, so
that lockstep knows when every packet has arrived; a private payload protocol identifier says which is which. It ties
callables to associations and decides nothing; a capture shows the packets as UDP on port 2152.
"""

from collections.abc import Callable
from functools import partial

from protocols.gtpu import PORT, EchoRequest, encode
from protocols.udp import Endpoint
from regstorm.drivers.association import Association, CloseReason
from regstorm.records.ports import Agenda
from regstorm.reference_core.core import ReferenceCore

N3_PPID = PORT
"""Ours, and only between our own ends: GTP-U has no payload protocol identifier."""
RECONNECT_AFTER_S = 5.0  # scenario seconds until a gNB that lost its path tries again, assumed

DialN3 = Callable[[int, float], Association]
"""Called with a gNB's number and `now`: one end of an association for its user plane."""


class N3Link:
    """One gNB's path to the UPF; it can be cut, and set up again."""

    def __init__(self, number: int, agenda: Agenda, dial: DialN3) -> None:
        self._number = number
        self._agenda = agenda
        self._dial = dial
        self._association: Association | None = None
        self._wanted = False
        self.receive: Callable[[bytes, float], None] | None = None
        """Who hears what comes from the UPF: set once, before connect."""

    def send(self, octets: bytes) -> None:
        """One GTP-U message to the UPF. Without a path it goes nowhere, as on a cut cable."""
        if self._association is not None:
            self._association.send(octets, ppid=N3_PPID)

    def connect(self, now: float) -> None:
        """Sets the path up; an Echo Request tells the core that it is one for GTP-U."""
        self._wanted = True
        if self._association is not None:
            return  # it stands: only the association beside it was lost
        near = self._dial(self._number, now)
        near.on_message = self._heard
        near.on_closed = partial(self._closed, near)
        self._association = near
        self.send(encode(EchoRequest()))

    def cut(self) -> None:
        """The path breaks: both ends notice."""
        self._wanted = False
        if self._association is not None:
            self._association.cut()

    def close(self) -> None:
        """The run is over: lets go of the socket."""
        self._wanted = False
        if self._association is not None:
            self._association.abort()
            self._association = None

    def _heard(self, data: bytes, stream: int, ppid: int, now: float) -> None:
        if self.receive is not None:
            self.receive(data, now)

    def _closed(self, association: Association, reason: CloseReason, now: float) -> None:
        if association is not self._association:
            return
        self._association = None
        if self._wanted:
            self._agenda.at(now + RECONNECT_AFTER_S, self._connect_again)

    def _connect_again(self, now: float) -> None:
        if self._wanted and self._association is None:
            self.connect(now)


class UpfSide:
    """The core's end of all paths. What comes without IMS in the core is dropped: there is no user plane then."""

    def __init__(self, core: ReferenceCore, now: Callable[[], float]) -> None:
        self._upf = core.upf
        self._paths: set[int] = set()
        if core.ims is not None and core.upf is not None:
            upf = core.upf

            def to_ue(payload: bytes, source: Endpoint, destination: Endpoint) -> None:
                upf.send(payload, source, destination, now())

            core.ims.send = to_ue

    def heard(self, peer: int, association: Association, data: bytes, now: float) -> None:
        """A message with the identifier of N3: from now on that association is a path to a gNB."""
        if self._upf is None:
            return
        if peer not in self._paths:
            self._paths.add(peer)
            self._upf.association_up(peer, partial(association.send, ppid=N3_PPID))
        self._upf.receive(peer, data, now)

    def closed(self, peer: int) -> None:
        """The association is gone. Harmless if it was no path."""
        if self._upf is not None and peer in self._paths:
            self._paths.discard(peer)
            self._upf.association_lost(peer)
