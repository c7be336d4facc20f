"""The back end of a core on sockets (`--backend wire`): consumers dial the doors of UDM and HSS over TCP.

Both ends live in the core's process: what the bus carries crosses the kernel as HTTP/2 and Diameter, and others may
knock at the same doors. Ties carriers and doors to associations and decides nothing. In lockstep the octets take no
scenario time; the hop of the bus is counted as in process.
"""

from collections.abc import Callable
from random import Random
from typing import Final, NamedTuple

from protocols.diameter.messages import Identifiers
from regstorm.drivers.association import Address, Association, CloseReason, Listener
from regstorm.drivers.chance import stream_of_chance
from regstorm.drivers.n2 import Clock
from regstorm.records.operations import Nf
from regstorm.records.ports import Tally
from regstorm.reference_core.backend.cx_sh import HssNames
from regstorm.reference_core.backend.hss_carrier import HssCarrier
from regstorm.reference_core.backend.hss_door import HssDoor
from regstorm.reference_core.backend.nudm_carrier import NudmCarrier
from regstorm.reference_core.backend.nudm_door import NudmDoor
from regstorm.reference_core.backend.nudm_requests import Api
from regstorm.reference_core.backend.ways import Receiver, Way
from regstorm.reference_core.core import ReferenceCore

HOST_IP_ADDRESS: Final = "127.0.0.1"
"""What CER and CEA name (RFC 6733 5.3.5); for information only."""


class Doors(NamedTuple):
    """How a clock makes connections: what `BackEndOnWire` is handed."""

    listen: Callable[[Nf, Callable[[Association], None]], Listener]
    """listen(server, on_association)."""
    dial: Callable[[Nf, Nf, Listener, float], Association]
    """dial(consumer, server, listener, now): an end of a connection to `listener`, at once."""


class BackEndOnWire:
    """Doors before UDM and HSS, and carriers on the bus instead of them."""

    def __init__(self, core: ReferenceCore, clock: Clock, tally: Tally, seed: int, doors: Doors) -> None:
        """Everything from the seed; identifiers have a stream of chance of their own."""
        self._clock = clock
        self._doors = doors
        self._rng = stream_of_chance(seed, "backend")
        self._listeners: dict[Nf, Listener] = {}
        self._associations: dict[int, Association] = {}
        self._numbers = 0
        self._put_udm_on_wire(core, tally)
        if core.ims is not None:
            self._put_hss_on_wire(core, tally)

    def address(self, server: Nf) -> Address | None:
        """Where the door of UDM or HSS is; None: there is none."""
        listener = self._listeners.get(server)
        return None if listener is None else listener.address

    def close(self) -> None:
        """Lets go of listeners and connections."""
        for listener in self._listeners.values():
            listener.close()
        for association in list(self._associations.values()):
            association.abort()

    def _put_udm_on_wire(self, core: ReferenceCore, tally: Tally) -> None:
        identity = core.identity
        api = Api(identity.plmn, identity.slice, identity.guami)
        carrier = NudmCarrier(api, lambda consumer, receiver, now: self._dial(consumer, Nf.UDM, receiver, now), tally)
        self._open(Nf.UDM, NudmDoor(api, core.bus.carry(Nf.UDM, carrier), tally))

    def _put_hss_on_wire(self, core: ReferenceCore, tally: Tally) -> None:
        names = HssNames(core.identity.plmn)

        def identifiers(consumer: Nf) -> Identifiers:
            return Identifiers(self._clock.now, Random(self._rng.getrandbits(64)))

        def dial(consumer: Nf, receiver: Receiver, now: float) -> Way:
            return self._dial(consumer, Nf.HSS, receiver, now)

        carrier = HssCarrier(names, HOST_IP_ADDRESS, identifiers, dial, tally)
        hss = core.bus.carry(Nf.HSS, carrier)
        self._open(Nf.HSS, HssDoor(names, HOST_IP_ADDRESS, identifiers(Nf.HSS), hss, tally))

    # ---- associations

    def _open(self, server: Nf, door: NudmDoor | HssDoor) -> None:
        def arrived(association: Association) -> None:
            visitor = door.accept(_way(association), self._clock.now)
            self._tie(association, visitor)

        self._listeners[server] = self._doors.listen(server, arrived)

    def _dial(self, consumer: Nf, server: Nf, receiver: Receiver, now: float) -> Way:
        association = self._doors.dial(consumer, server, self._listeners[server], now)
        self._tie(association, receiver)
        return _way(association)

    def _tie(self, association: Association, receiver: Receiver) -> None:
        self._numbers += 1
        number = self._numbers
        self._associations[number] = association

        def heard(data: bytes, stream: int, ppid: int, now: float) -> None:
            receiver.receive(data, now)

        def closed(reason: CloseReason, now: float) -> None:
            del self._associations[number]
            receiver.lost(now)

        association.on_message = heard
        association.on_closed = closed


def _way(association: Association) -> Way:
    return Way(association.send, association.shutdown)
