"""N2: the associations between gNBs and the core, both ends in this process, on a clock that owns them.

Ties callables to associations; decides nothing. A gNB or a core sees octets, a stream and `now`, never a socket.
"""

from regstorm.drivers.association import Association, CloseReason
from regstorm.drivers.framed import FramedAssociation, FramedTransport
from regstorm.drivers.lockstep import LockstepClock
from regstorm.drivers.pcap import Capture
from regstorm.reference_core.core import ReferenceCore
from ue_models.gnb import Gnb


class CoreSide:
    """The core's listener: every association that arrives becomes a peer with a number."""

    def __init__(self, core: ReferenceCore, clock: LockstepClock, transport: FramedTransport) -> None:
        self._core = core
        self._clock = clock
        self._peers = 0
        self.listener = transport.listen(self._arrived)

    def close(self) -> None:
        """No further gNB is let in."""
        self.listener.close()

    def _arrived(self, association: Association) -> None:
        self._peers += 1
        peer, core = self._peers, self._core

        def heard(data: bytes, stream: int, ppid: int, now: float) -> None:
            core.receive(peer, data, stream, now)

        def closed(reason: CloseReason, now: float) -> None:
            core.association_lost(peer, reason, now)

        association.on_message = heard
        association.on_closed = closed
        core.association_up(peer, association.send, self._clock.now)


class GnbLink:
    """One gNB's association with the core; it can be cut, and set up again."""

    def __init__(
        self,
        number: int,
        clock: LockstepClock,
        transport: FramedTransport,
        core_side: CoreSide,
        capture: Capture | None,
    ) -> None:
        self._number = number
        self._clock = clock
        self._transport = transport
        self._core_side = core_side
        self._capture = capture
        self._association: FramedAssociation | None = None
        self.gnb: Gnb | None = None
        """Set once, before connect: a gNB needs `send` to come into being."""

    def send(self, data: bytes, stream: int) -> None:
        """What the gNB calls. Without an association the message goes nowhere, as on a cut cable."""
        if self._association is not None:
            self._association.send(data, stream)

    def connect(self, now: float) -> None:
        """Sets the association up; the gNB begins NG Setup."""
        assert self.gnb is not None
        near = self._clock.connect(self._transport, self._core_side.listener)
        near.on_message = self._heard
        near.on_closed = self._closed
        self._association = near
        far = self._clock.peer(near)
        if self._capture is not None and far is not None:
            self._capture.attach(self._number, near, far, now)
        self.gnb.associated(now)

    def cut(self, now: float) -> None:
        """The path breaks: both ends notice that the association is lost."""
        if self._association is not None:
            self._association.cut()

    def close(self) -> None:
        """The run is over: lets go of the socket."""
        if self._association is not None:
            self._association.abort()
            self._association = None

    def _heard(self, data: bytes, stream: int, ppid: int, now: float) -> None:
        assert self.gnb is not None
        self.gnb.receive(data, stream, now)

    def _closed(self, reason: CloseReason, now: float) -> None:
        assert self.gnb is not None
        self._association = None
        self.gnb.association_lost(str(reason), now)
