"""UDP in IPv4, as a UE's datagrams travel inside its PDU session (RFC 791, RFC 768).

Headers and checksums are real ones. Options are passed over, fragments and other protocols are not read. Whatever
octets a peer sends, `read_udp` answers with a datagram or with what is wrong.
"""

import struct
from functools import lru_cache
from ipaddress import AddressValueError, IPv4Address
from typing import Final, NamedTuple

Endpoint = tuple[str, int]
"""IPv4 address in dotted form, and port."""

_UDP: Final = 17
_TIME_TO_LIVE: Final = 64
_VERSION_AND_LENGTH: Final = 0x45
_DO_NOT_FRAGMENT: Final = 0x4000
_FRAGMENT: Final = 0x3FFF  # more fragments, or an offset
_IP: Final = struct.Struct("!BBHHHBBH4s4s")
_UDP_HEADER: Final = struct.Struct("!HHHH")
_IP_OCTETS, _UDP_OCTETS = _IP.size, _UDP_HEADER.size
_MOST: Final = 0xFFFF


class Datagram(NamedTuple):
    """What one end sends to another."""

    source: Endpoint
    destination: Endpoint
    payload: bytes


class NoDatagram(NamedTuple):
    """No UDP datagram in IPv4."""

    why: str


def udp_packet(source: Endpoint, destination: Endpoint, payload: bytes) -> bytes:
    """The IPv4 packet of a datagram. It is never fragmented, so its identification is 0 (RFC 6864 4.1)."""
    sender, receiver = address_octets(source[0]), address_octets(destination[0])
    length = _UDP_OCTETS + len(payload)
    if _IP_OCTETS + length > _MOST:
        raise ValueError(f"{len(payload)} octets are too many for a datagram")
    start = (_VERSION_AND_LENGTH, 0, _IP_OCTETS + length, 0, _DO_NOT_FRAGMENT, _TIME_TO_LIVE, _UDP)
    header = _IP.pack(*start, _checksum(_IP.pack(*start, 0, sender, receiver)), sender, receiver)
    ports = source[1], destination[1]
    pseudo = sender + receiver + _UDP.to_bytes(2) + length.to_bytes(2)
    summed = _checksum(pseudo + _UDP_HEADER.pack(*ports, length, 0) + payload)
    return header + _UDP_HEADER.pack(*ports, length, summed or _MOST) + payload  # 0 would mean "no checksum"


def read_udp(packet: bytes) -> Datagram | NoDatagram:
    """The datagram in an IPv4 packet; octets beyond its total length are no part of it."""
    if len(packet) < _IP_OCTETS or packet[0] >> 4 != 4:
        return NoDatagram("no IPv4 packet")
    _, _, total, _, fragment, _, protocol, _, sender, receiver = _IP.unpack_from(packet)
    header = (packet[0] & 15) * 4
    if header < _IP_OCTETS or total < header + _UDP_OCTETS or total > len(packet):
        return NoDatagram("IPv4 header of a wrong length")
    if _checksum(packet[:header]) != 0:
        return NoDatagram("IPv4 header with a wrong checksum")
    if protocol != _UDP or fragment & _FRAGMENT:
        return NoDatagram("no UDP, or a fragment")
    source_port, destination_port, length, summed = _UDP_HEADER.unpack_from(packet, header)
    if not _UDP_OCTETS <= length <= total - header:
        return NoDatagram("UDP header of a wrong length")
    octets = packet[header : header + length]
    if summed and _checksum(sender + receiver + _UDP.to_bytes(2) + length.to_bytes(2) + octets) != 0:
        return NoDatagram("UDP with a wrong checksum")
    source, destination = (address_text(sender), source_port), (address_text(receiver), destination_port)
    return Datagram(source, destination, octets[_UDP_OCTETS:])


def source_address(packet: bytes) -> bytes:
    """Who sent an IPv4 packet: four octets, fewer if it is none."""
    return packet[12:16]


def destination_address(packet: bytes) -> bytes:
    """For whom an IPv4 packet is: four octets, fewer if it is none."""
    return packet[16:20]


@lru_cache(maxsize=1024)
def address_octets(address: str) -> bytes:
    """Four octets; ValueError if the text is no IPv4 address."""
    try:
        return IPv4Address(address).packed
    except AddressValueError as error:
        raise ValueError(f"{address!r} is no IPv4 address") from error


def address_text(octets: bytes) -> str:
    """Four octets in dotted form."""
    return "%d.%d.%d.%d" % tuple(octets)  # noqa: UP031 - four times as fast as a join


def _checksum(octets: bytes) -> int:
    """The Internet checksum (RFC 1071): the ones' complement sum of 16-bit words is the number modulo 2¹⁶ − 1."""
    return -int.from_bytes(octets if len(octets) % 2 == 0 else octets + b"\0") % _MOST
