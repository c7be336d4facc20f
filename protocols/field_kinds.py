"""Kinds of fields of a template: how values divide messages into shapes, and how they become octets.

Expressions (`key`, `put`, `get`, `conditions`) are Python source that template.py puts into generated
functions; they may use `_int` (int.from_bytes), `_bcd` and `_digits`.
"""

from abc import ABC, abstractmethod
from random import Random
from typing import Any

_SWAP_NIBBLES = bytes((octet & 15) << 4 | octet >> 4 for octet in range(256))
STRUCT_CODES = {1: "B", 2: "H", 4: "I", 8: "Q"}


class Kind(ABC):
    """How values of a field divide messages into shapes."""

    def key(self, name: str) -> str | None:
        """The expression that computes the class of the variable `name`; None if every value has the same."""
        return None

    def class_of(self, value: Any) -> Any:
        """The class of `value`: what its encoding's length and structure depend on."""
        return None

    def compiles(self, class_: Any) -> bool:
        """Whether shapes with this class are worth learning; the reference serves the others."""
        return True

    @abstractmethod
    def draw(self, rng: Random, class_: Any) -> Any:
        """A random value of the class, for the check against the reference."""


class Verbatim(Kind):
    """A field that stands in the message as whole octets."""

    @abstractmethod
    def samples(self, class_: Any) -> tuple[Any, Any]:
        """Two values of the class whose encodings differ in every octet."""

    @abstractmethod
    def put(self, name: str, class_: Any) -> str:
        """The expression that makes the octets out of the variable `name`."""

    @abstractmethod
    def get(self, local: str, class_: Any) -> str:
        """The expression that makes the value out of the octets (or the number, see `code`) in `local`."""

    @abstractmethod
    def wire(self, value: Any, class_: Any) -> bytes:
        """The octets of `value`, the same as `put` makes."""

    def code(self, size: int) -> str:
        """How `struct` reads the octets."""
        return f"{size}s"

    def conditions(self, local: str, class_: Any) -> tuple[str, ...]:
        """What must hold of the octets in `local` for them to be what `put` makes."""
        return ()


class Int(Verbatim):
    """An unsigned integer that takes as many octets as its value needs (APER ranges above 64K)."""

    def __init__(self, max_octets: int) -> None:
        self.max_octets = max_octets

    def key(self, name: str) -> str:
        return f"({name}.bit_length() + 7 >> 3 or 1)"

    def class_of(self, value: int) -> int:
        octets = (value.bit_length() + 7) >> 3 or 1
        if value < 0 or octets > self.max_octets:
            raise OverflowError(f"{value} does not fit {self.max_octets} octets")
        return octets

    def samples(self, class_: int) -> tuple[int, int]:
        return int.from_bytes(b"\x5a" * class_), int.from_bytes(b"\xa5" * class_)

    def draw(self, rng: Random, class_: int) -> int:
        return rng.randrange(1 << 8 * (class_ - 1) if class_ > 1 else 0, 1 << 8 * class_)

    def put(self, name: str, class_: int) -> str:
        return f"{name}.to_bytes({class_}, 'big')"

    def get(self, local: str, class_: int) -> str:
        return local if class_ in STRUCT_CODES else f"_int({local}, 'big')"

    def code(self, size: int) -> str:
        return STRUCT_CODES.get(size, f"{size}s")

    def wire(self, value: int, class_: int) -> bytes:
        return value.to_bytes(class_)

    def conditions(self, local: str, class_: int) -> tuple[str, ...]:
        if class_ == 1:
            return ()
        # a leading zero octet would belong to a shorter class
        return (f"{local} >= {1 << 8 * (class_ - 1)}" if class_ in STRUCT_CODES else f"{local}[0]",)


class Octets(Verbatim):
    """Octets as they are. Fields longer than `longest` are left to the reference (fragmented lengths)."""

    def __init__(self, longest: int = 4096) -> None:
        self.longest = longest

    def compiles(self, class_: int) -> bool:
        return class_ <= self.longest

    def key(self, name: str) -> str:
        return f"len({name})"

    def class_of(self, value: bytes) -> int:
        return len(value)

    def samples(self, class_: int) -> tuple[bytes, bytes]:
        return b"\x5a" * class_, b"\xa5" * class_

    def draw(self, rng: Random, class_: int) -> bytes:
        return rng.randbytes(class_)

    def put(self, name: str, class_: int) -> str:
        return name

    def get(self, local: str, class_: int) -> str:
        return local

    def wire(self, value: bytes, class_: int) -> bytes:
        return value


class Bcd(Verbatim):
    """A string of decimal digits, two to an octet, the first in the low nibble, filled with 0xF."""

    def key(self, name: str) -> str:
        return f"len({name})"

    def class_of(self, value: str) -> int:
        return len(value)

    def samples(self, class_: int) -> tuple[str, str]:
        return "5" * class_, "1" * class_

    def draw(self, rng: Random, class_: int) -> str:
        return "".join(rng.choices("0123456789", k=class_))

    def put(self, name: str, class_: int) -> str:
        return f"_bcd({name})"

    def get(self, local: str, class_: int) -> str:
        return f"_digits({local}, {class_})"

    def wire(self, value: str, class_: int) -> bytes:
        return bcd_octets(value)

    def conditions(self, local: str, class_: int) -> tuple[str, ...]:
        decimal = (f"_digits({local}, {class_}).isdecimal()",)
        return decimal if class_ % 2 == 0 else (f"{local}[-1] >= 0xf0", *decimal)


class Bits(Kind):
    """An unsigned number of fixed width at any bit position; what is coded is its distance from `lowest`."""

    def __init__(self, width: int, lowest: int = 0, highest: int | None = None) -> None:
        self.width = width
        self.lowest = lowest
        self.highest = lowest + (1 << width) - 1 if highest is None else highest

    def draw(self, rng: Random, class_: None) -> int:
        return rng.randint(self.lowest, self.highest)


class Static(Kind):
    """What steers the structure: an enumeration, an optional part, the contents of a list. Never patched."""

    def key(self, name: str) -> str:
        return name

    def class_of(self, value: Any) -> Any:
        return value

    def draw(self, rng: Random, class_: Any) -> Any:
        return class_


def bcd_octets(digits: str) -> bytes:
    """Decimal digits as semi-octets; an odd number is filled with 0xF."""
    if digits and not digits.isdecimal():
        raise ValueError(f"not decimal digits: {digits!r}")
    return bytes.fromhex(digits if len(digits) % 2 == 0 else digits + "f").translate(_SWAP_NIBBLES)


def bcd_digits(octets: bytes, count: int) -> str:
    """The first `count` semi-octets as hexadecimal digits."""
    return octets.translate(_SWAP_NIBBLES).hex()[:count]
