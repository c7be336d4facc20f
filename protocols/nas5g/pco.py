"""Extended protocol configuration options, as far as IMS needs them: the addresses of P-CSCFs (TS 24.008 10.5.6.3).

A UE asks by an empty container, the network answers with one container for each address. Options of other kinds are
passed over; whatever octets a peer sends, nothing raises.
"""

from collections.abc import Iterable, Iterator
from typing import Final

P_CSCF_IPV4: Final = 0x000C
""" "P-CSCF IPv4 Address Request" in the direction to the network, "P-CSCF IPv4 Address" in the other."""

_CONFIGURATION_PROTOCOL: Final = b"\x80"
"""Extension bit, and PPP for use with IP PDP type or IP PDN type."""
_CONTAINER_HEADER: Final = 3
_IPV4: Final = 4


def p_cscf_request() -> bytes:
    """The options of a UE that wants to know its P-CSCFs."""
    return _CONFIGURATION_PROTOCOL + _container(b"")


def wants_p_cscf(pco: bytes | None) -> bool:
    """Whether the options of a UE ask for P-CSCFs."""
    return any(number == P_CSCF_IPV4 for number, _ in _containers(pco))


def with_p_cscf(addresses: Iterable[bytes]) -> bytes:
    """The options of a network that has these P-CSCFs, best first; each address is four octets."""
    containers = []
    for address in addresses:
        if len(address) != _IPV4:
            raise ValueError(f"no IPv4 address: {address!r}")
        containers.append(_container(address))
    return _CONFIGURATION_PROTOCOL + b"".join(containers)


def p_cscf_addresses(pco: bytes | None) -> tuple[bytes, ...]:
    """The P-CSCF addresses that a network gave, in its order."""
    return tuple(contents for number, contents in _containers(pco) if number == P_CSCF_IPV4 and len(contents) == _IPV4)


def _container(contents: bytes) -> bytes:
    return P_CSCF_IPV4.to_bytes(2) + len(contents).to_bytes(1) + contents


def _containers(pco: bytes | None) -> Iterator[tuple[int, bytes]]:
    """Container (or protocol) identifiers with their contents; ends where a length does not fit."""
    if not pco:
        return
    at = 1
    while at + _CONTAINER_HEADER <= len(pco):
        end = at + _CONTAINER_HEADER + pco[at + 2]
        if end > len(pco):
            return
        yield int.from_bytes(pco[at : at + 2]), pco[at + _CONTAINER_HEADER : end]
        at = end
