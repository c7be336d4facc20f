"""Pairs by interface, in one whole number: to add a pair, or what others have added up, is one addition."""

from typing import Final

_BITS: Final = 32
"""For each interface: four thousand million pairs, more than a whole storm has."""
_MASK: Final = (1 << _BITS) - 1


class PairSums:
    """Knows which part of a sum belongs to which interface."""

    __slots__ = ("_interfaces",)

    def __init__(self) -> None:
        self._interfaces: list[str] = []

    def one(self, interface: str) -> int:
        """One pair on that interface, as a sum."""
        if interface not in self._interfaces:
            self._interfaces.append(interface)
        return 1 << _BITS * self._interfaces.index(interface)

    def parts(self, pairs: int) -> dict[str, int]:
        """What a sum has of each interface that it has anything of."""
        parts = {}
        for interface in self._interfaces:
            if part := pairs & _MASK:
                parts[interface] = part
            pairs >>= _BITS
        return parts

    def total(self, pairs: int) -> int:
        """What a sum comes to."""
        return sum(self.parts(pairs).values())
