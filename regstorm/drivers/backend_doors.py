"""How connections of the back end come about on each clock (backend_wire.py is handed one of these)."""

from collections import Counter
from collections.abc import Callable
from typing import Final

from regstorm.drivers.association import Address, Association, Listener
from regstorm.drivers.backend_wire import Doors
from regstorm.drivers.lockstep import LockstepClock
from regstorm.drivers.octets import OctetListener, OctetTransport
from regstorm.drivers.paced import PacedClock
from regstorm.drivers.pcap import Capture
from regstorm.drivers.pcap_tcp import attach_tcp
from regstorm.drivers.tcp import LOOPBACK
from regstorm.records.operations import Nf

ANYWHERE: Final = (LOOPBACK, 0)


def lockstep_doors(clock: LockstepClock, capture: Capture | None) -> Doors:
    """Free ports of loopback; every connection is captured if there is a capture."""
    transport = OctetTransport()
    connections: Counter[Nf] = Counter()

    def listen(server: Nf, on_association: Callable[[Association], None]) -> OctetListener:
        return transport.listen(on_association)

    def dial(consumer: Nf, server: Nf, listener: OctetListener, now: float) -> Association:
        near = clock.connect(transport, listener)
        far = clock.peer(near)
        if capture is not None and far is not None:
            attach_tcp(capture, near, far, consumer, server, connections[consumer], now)
            connections[consumer] += 1
        return near

    return Doors(listen, dial)


def paced_doors(clock: PacedClock, addresses: dict[Nf, Address]) -> Doors:
    """At `addresses`, so that others can knock too; OSError if one of them is taken."""
    transport = OctetTransport()

    def listen(server: Nf, on_association: Callable[[Association], None]) -> Listener:
        return clock.listen(transport, on_association, addresses.get(server, ANYWHERE))

    def dial(consumer: Nf, server: Nf, listener: Listener, now: float) -> Association:
        return clock.connect(transport, listener.address)

    return Doors(listen, dial)
