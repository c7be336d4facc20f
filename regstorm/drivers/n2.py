"""N2: the associations between gNBs and a core, at either end, on whatever clock drives them.

Ties callables to associations; decides nothing. A gNB or a core sees octets, a stream and `now`, never a socket. How
an association comes about is the caller's: a `Dial` makes one, a `Listen` takes them in.
"""

from collections.abc import Callable
from functools import partial
from typing import Protocol

from regstorm.drivers.association import Association, CloseReason, Listener
from regstorm.drivers.attempts_cap import AttemptsCap, begins_attempt
from regstorm.drivers.n3 import N3_PPID, N3Link, UpfSide
from regstorm.records.ports import Agenda
from regstorm.reference_core.core import ReferenceCore
from ue_models.gnb import Gnb

RECONNECT_AFTER_S = 5.0  # scenario seconds until a gNB that lost its association tries again, assumed

Dial = Callable[[int, float], Association]
"""Called with a gNB's number and `now`: one end of an association to the core, at once, perhaps still connecting."""
Listen = Callable[[Callable[[Association], None]], Listener]
"""Called with who takes in what arrives."""


class Clock(Agenda, Protocol):
    """An agenda that knows what time it is."""

    @property
    def now(self) -> float:
        """Scenario seconds."""


class CoreSide:
    """The core's listener: every association that arrives becomes a peer with a number."""

    def __init__(self, core: ReferenceCore, clock: Clock, listen: Listen) -> None:
        self._core = core
        self._clock = clock
        self._peers = 0
        self._associations: dict[int, Association] = {}
        self._n3 = UpfSide(core, lambda: clock.now)
        self.listener = listen(self._arrived)

    @property
    def associations(self) -> int:
        """Associations that stand."""
        return len(self._associations)

    def close(self) -> None:
        """No further gNB is let in; the associations that stand are aborted."""
        self.listener.close()
        for association in list(self._associations.values()):
            association.abort()

    def _arrived(self, association: Association) -> None:
        self._peers += 1
        peer, core = self._peers, self._core
        self._associations[peer] = association

        def heard(data: bytes, stream: int, ppid: int, now: float) -> None:
            if ppid == N3_PPID:
                self._n3.heard(peer, association, data, now)
            else:
                core.receive(peer, data, stream, now)

        def closed(reason: CloseReason, now: float) -> None:
            del self._associations[peer]
            self._n3.closed(peer)
            core.association_lost(peer, reason, now)

        association.on_message = heard
        association.on_closed = closed
        core.association_up(peer, association.send, self._clock.now, association.abort)


class GnbLink:
    """One gNB's association with the core; it can be cut, and set up again."""

    def __init__(self, number: int, clock: Clock, dial: Dial, cap: AttemptsCap | None = None) -> None:
        self.number = number
        self._clock = clock
        self._dial = dial
        self._cap = cap
        self._association: Association | None = None
        self._wanted = False
        """The gNB should have an association: nobody has cut or closed it."""
        self.gnb: Gnb | None = None
        """Set once, before connect: a gNB needs `send` to come into being."""
        self.n3: N3Link | None = None
        """The path of its user plane, which comes and goes with this association; None without IMS."""

    def send(self, data: bytes, stream: int) -> None:
        """What the gNB calls. Without an association the message goes nowhere, as on a cut cable."""
        if self._association is None:
            return
        if self._cap is not None and begins_attempt(data):
            self._cap.pass_on(data, stream, self._association.send, self._clock.now)
        else:
            self._association.send(data, stream)

    def connect(self, now: float) -> None:
        """Sets the association up; the gNB begins NG Setup."""
        assert self.gnb is not None
        self._wanted = True
        near = self._dial(self.number, now)
        near.on_message = self._heard
        near.on_closed = partial(self._closed, near)
        self._association = near
        self.gnb.associated(now)
        if self.n3 is not None:
            self.n3.connect(now)

    def cut(self, now: float) -> None:
        """The path breaks: both ends notice that the association is lost."""
        self._wanted = False
        if self._association is not None:
            self._association.cut()
        if self.n3 is not None:
            self.n3.cut()

    def close(self) -> None:
        """The run is over: lets go of the socket."""
        self._wanted = False
        if self._association is not None:
            self._association.abort()
            self._association = None
        if self.n3 is not None:
            self.n3.close()

    def _heard(self, data: bytes, stream: int, ppid: int, now: float) -> None:
        assert self.gnb is not None
        self.gnb.receive(data, stream, now)

    def _closed(self, association: Association, reason: CloseReason, now: float) -> None:
        assert self.gnb is not None
        if association is not self._association:
            return  # the gNB has another one by now
        self._association = None
        self.gnb.association_lost(str(reason), now)
        if self._wanted:  # nobody of ours did it: a core that restarts, a path that failed
            self._clock.at(now + RECONNECT_AFTER_S, self._connect_again)

    def _connect_again(self, now: float) -> None:
        if self._wanted and self._association is None:
            self.connect(now)
