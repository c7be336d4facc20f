"""Transports by the name that a user gives them."""

from regstorm.drivers.association import Transport
from regstorm.drivers.sctp import SctpTransport
from regstorm.drivers.tcp import TcpTransport

TRANSPORT_NAMES = ("tcp", "sctp")


def transport_named(name: str) -> Transport:
    """`tcp`: the private framing, for the bundled core. `sctp`: the kernel's; SctpUnavailable where it has none."""
    match name:
        case "tcp":
            return TcpTransport()
        case "sctp":
            return SctpTransport()
    raise ValueError(f"there is no transport {name}; choose {' or '.join(TRANSPORT_NAMES)}")
