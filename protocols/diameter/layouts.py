"""AVPs on the wire (RFC 6733 4.1), and layouts: which AVPs a message or a grouped AVP has, in which field.

`split` cuts octets into AVPs without looking into them; a `Layout` turns what it found into a value and back. Both
raise `Malformed` only, which decode.py catches.
"""

from collections.abc import Callable, Sequence
from enum import Enum, auto
from struct import Struct
from typing import Any, Final, NamedTuple

from protocols.diameter.numbers import ExperimentalResultCode, ResultCode, Vendor

_VENDOR: Final = 0x80000000
_MANDATORY: Final = 0x40000000
_LENGTH: Final = 0xFFFFFF
_PADDING: Final = (b"", b"\0\0\0", b"\0\0", b"\0")

_TWO: Final = Struct(">LL")
_THREE: Final = Struct(">LLL")
_read_two: Final = _TWO.unpack_from
_read_three: Final = _THREE.unpack_from


class Malformed(Exception):
    """Why some octets are no Diameter message: the Result-Code to answer with, and a word about it."""

    def __init__(self, result: ResultCode, why: str) -> None:
        super().__init__(why)
        self.result = result
        self.why = why


class RawAvp(NamedTuple):
    """An AVP as it came, or as it has to go."""

    code: int
    data: bytes
    vendor: int = Vendor.IETF
    mandatory: bool = True

    def octets(self) -> bytes:
        """With header and padding."""
        return avp_octets(self.code, self.vendor, _MANDATORY if self.mandatory else 0, self.data)


def avp_octets(code: int, vendor: int, mandatory: int, data: bytes) -> bytes:
    """An AVP with header and padding; `mandatory` is the M bit at its place."""
    if vendor:
        length = 12 + len(data)
        header = _THREE.pack(code, _VENDOR | mandatory | length, vendor)
    else:
        length = 8 + len(data)
        header = _TWO.pack(code, mandatory | length)
    return header + data + _PADDING[length & 3]


Found = dict[int, list[tuple[int, bytes]]]
"""AVPs by vendor · 2³² + code, each with the word that its flags are in."""


def split(data: bytes, at: int = 0) -> Found:
    """The AVPs in `data` from `at` on."""
    found: Found = {}
    end = len(data)
    while at < end:
        if end - at < 8:
            raise Malformed(ResultCode.INVALID_AVP_LENGTH, "octets behind the last AVP")
        key, word = _read_two(data, at)
        start = at + 8
        stop = at + (word & _LENGTH)
        if word & _VENDOR:
            start = at + 12
            if start > end:
                raise Malformed(ResultCode.INVALID_AVP_LENGTH, f"AVP {key} is cut")
            key |= _read_three(data, at)[2] << 32
        if not start <= stop <= end:
            raise Malformed(ResultCode.INVALID_AVP_LENGTH, f"AVP {key & 0xFFFFFFFF} is longer than what holds it")
        if key in found:
            found[key].append((word, data[start:stop]))
        else:
            found[key] = [(word, data[start:stop])]
        at = (stop + 3) & -4
    return found


def raw_avps(found: Found) -> tuple[RawAvp, ...]:
    """What `split` found, as it came."""
    return tuple(
        RawAvp(key & 0xFFFFFFFF, data, key >> 32, bool(word & _MANDATORY))
        for key, several in found.items()
        for word, data in several
    )


# --- kinds of AVP -------------------------------------------------------------------------------------------------


class Form(NamedTuple):
    """How a value stands in an AVP's data. `read` raises Malformed."""

    write: Callable[[Any], bytes]
    read: Callable[[bytes], Any]
    is_group: bool = False


class AvpKind:
    """An AVP of the tables: name, code, vendor, M bit, form."""

    __slots__ = ("_mandatory", "_write", "code", "is_group", "key", "mandatory", "name", "read", "vendor")

    def __init__(self, name: str, code: int, form: Form, vendor: int = Vendor.IETF, mandatory: bool = True) -> None:
        self.name = name
        self.code = code
        self.vendor = int(vendor)
        self.key = self.vendor << 32 | code
        self.mandatory = mandatory
        self.is_group = form.is_group
        self.read = form.read
        self._write = form.write
        self._mandatory = _MANDATORY if mandatory else 0

    def octets(self, value: Any) -> bytes:
        """The whole AVP for a value."""
        return avp_octets(self.code, self.vendor, self._mandatory, self._write(value))


class Need(Enum):
    """How often an AVP stands in a message."""

    ONCE = auto()
    AT_MOST_ONCE = auto()
    ANY_NUMBER = auto()


class Field(NamedTuple):
    """One field of a value: its AVP, and what an absent one means."""

    kind: AvpKind
    need: Need
    absent: Any = None


def one(kind: AvpKind) -> Field:
    """Has to be there."""
    return Field(kind, Need.ONCE)


def maybe(kind: AvpKind, absent: object = None) -> Field:
    """May be there once; otherwise the field is `absent`."""
    return Field(kind, Need.AT_MOST_ONCE, absent)


def many(kind: AvpKind) -> Field:
    """May be there any number of times: a tuple."""
    return Field(kind, Need.ANY_NUMBER, ())


class Layout:
    """The AVPs of a value, one for each of its fields and in their order."""

    __slots__ = ("_make", "_readers", "_writers")

    def __init__(self, make: Callable[..., Any], fields: Sequence[Field]) -> None:
        self._make = make
        self._writers = [(field.kind.octets, field.need is Need.ANY_NUMBER) for field in fields]
        self._readers = [(field.kind.key, field.kind.read, field) for field in fields]

    def write(self, value: Sequence[Any]) -> bytes:
        """The AVPs of a value; None is left out."""
        parts: list[bytes] = []
        for (octets, several), part in zip(self._writers, value, strict=True):
            if several:
                parts += [octets(one_of_them) for one_of_them in part]
            elif part is not None:
                parts.append(octets(part))
        return b"".join(parts)

    def parts(self, found: Found) -> list[Any]:
        """What the fields hold; it is taken out of `found`."""
        take = found.pop
        parts: list[Any] = []
        for key, read, field in self._readers:
            several = take(key, None)
            if several is None:
                parts.append(_absent(field))
            elif field.need is _ANY_NUMBER:
                parts.append(tuple([read(data) for _, data in several]))
            elif len(several) == 1:
                parts.append(read(several[0][1]))
            else:
                raise Malformed(ResultCode.AVP_OCCURS_TOO_MANY_TIMES, f"{field.kind.name} more than once")
        return parts

    def read(self, found: Found) -> Any:
        """The value; what it takes is taken out of `found`."""
        return self._make(*self.parts(found))


_ANY_NUMBER: Final = Need.ANY_NUMBER


def _absent(field: Field) -> Any:
    if field.need is Need.ONCE:
        raise Malformed(ResultCode.MISSING_AVP, f"{field.kind.name} is missing")
    return field.absent


def group(layout: Layout) -> Form:
    """The form of a grouped AVP. AVPs in it that its layout does not know are passed over."""
    return Form(layout.write, lambda data: layout.read(split(data)), is_group=True)


# --- results ------------------------------------------------------------------------------------------------------


class ExperimentalResult(NamedTuple):
    """A result that a vendor defined (RFC 6733 7.6)."""

    code: ExperimentalResultCode
    vendor: int = Vendor.TGPP


Result = ResultCode | ExperimentalResult
