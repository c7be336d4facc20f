"""A strict reader of aligned PER (ITU-T X.691), as much of it as NGAP's elements need.

It reads what we have declared and nothing else: `Malformed` says that octets are no encoding, `Beyond` that they may
be one, but of something that only a full ASN.1 decoder reads (an extension, another branch of a choice).
"""

from protocols.ngap.causes import TRANSFER_SYNTAX_ERROR
from protocols.ngap.messages import Cause


class Malformed(Exception):
    """Octets that are no encoding; `cause` is what an ERROR INDICATION would carry, if one is wanted (`told`)."""

    def __init__(self, why: str, cause: Cause = TRANSFER_SYNTAX_ERROR, told: bool = True) -> None:
        super().__init__(why)
        self.cause = cause
        self.told = told


class Beyond(Exception):
    """Octets that may be legal but are not for the small readers."""


class Reader:
    """A position, in bits, in the octets of one element. Reading beyond the end raises Malformed."""

    __slots__ = ("_octets", "_position", "_size")

    def __init__(self, octets: bytes) -> None:
        self._octets = octets
        self._position = 0
        self._size = 8 * len(octets)

    def bits(self, count: int) -> int:
        """An unsigned number of `count` bits, unaligned."""
        start = self._position
        end = start + count
        if end > self._size:
            raise Malformed("ends early")
        self._position = end
        last = (end + 7) >> 3
        return int.from_bytes(self._octets[start >> 3 : last], "big") >> 8 * last - end & (1 << count) - 1

    def align(self) -> None:
        """To the next octet; padding is zero (X.691 11.2.3)."""
        if self._position & 7 and self.bits(-self._position & 7):
            raise Malformed("padding is not zero")

    def octets(self, count: int) -> bytes:
        """`count` octets, aligned."""
        self.align()
        start = self._position >> 3
        self._position += 8 * count
        if self._position > self._size:
            raise Malformed("ends early")
        return self._octets[start : start + count]

    def aligned(self, count: int) -> int:
        """An unsigned number of `count` octets, aligned."""
        return int.from_bytes(self.octets(count), "big")

    def integer(self, length_bits: int, most: int) -> int:
        """An integer of a range above 64K: number of octets less one in `length_bits`, then the octets (11.5.7.4).

        The range has `most` octets, which may be fewer than the length could say.
        """
        count = self.bits(length_bits) + 1
        if count > most:
            raise Malformed("integer is out of its range")
        value = self.aligned(count)
        if count > 1 and not value >> 8 * (count - 1):
            raise Malformed("integer is not minimal")
        return value

    def octet_string(self) -> bytes:
        """An octet string of any length, fragmented from 16K (11.9)."""
        self.align()
        content, end = length_prefixed(self._octets, self._position >> 3)
        self._position = 8 * end
        return content

    def block(self) -> tuple[int, bool]:
        """How many items follow, and whether another block follows them: a list that may have 64K items (11.9)."""
        length = self.aligned(1)
        if length >= 192:
            if not 193 <= length <= 196:
                raise Malformed("no such fragment")
            return (length & 63) << 14, True
        return (length if length < 128 else (length & 63) << 8 | self.aligned(1)), False

    def is_plain(self, optional: int = 0) -> int:
        """The preamble of an extensible sequence: bitmap of its `optional` elements, iE-Extensions last.

        Raises Beyond if there are extensions of either sort.
        """
        preamble = self.bits(1 + optional)
        if preamble >> optional or (optional and preamble & 1):
            raise Beyond
        return preamble

    def no_extension(self) -> None:
        """The extension bit of an enumeration, a string or a bit string; Beyond if it is set."""
        if self.bits(1):
            raise Beyond

    def choice(self, known: int, width: int) -> int:
        """The index of a choice, `width` bits; Beyond unless it is one of the first `known`."""
        index = self.bits(width)
        if index >= known:
            raise Beyond
        return index

    def end(self) -> None:
        """Nothing may follow but padding to a whole octet."""
        self.align()
        if self._position != self._size:
            raise Malformed("goes on after its end")


def length_prefixed(octets: bytes, start: int) -> tuple[bytes, int]:
    """The content behind the length determinant at `start`, and where it ends (X.691 11.9, fragments joined)."""
    parts = []
    size = len(octets)
    while True:
        if start >= size:
            raise Malformed("ends early")
        length = octets[start]
        start += 1
        fragment = length >= 192
        if fragment:
            if not 193 <= length <= 196:
                raise Malformed("no such fragment")
            length = (length & 63) << 14
        elif length >= 128:
            if start >= size:
                raise Malformed("ends early")
            length = (length & 63) << 8 | octets[start]
            start += 1
        end = start + length
        if end > size:
            raise Malformed("ends early")
        parts.append(octets[start:end])
        start = end
        if not fragment:
            return parts[0] if len(parts) == 1 else b"".join(parts), end
