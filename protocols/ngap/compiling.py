"""What the compiled messages share: fields of sessions, numbered list items, flat values and back."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from typing import Any, NamedTuple

from protocols.ngap.messages import PduSessionResource, PduSessionTunnel
from protocols.template import Bits, Int, Kind, Make, Octets, Static, Template

Values = tuple[Any, ...]

MAX_COMPILED_ITEMS = 4  # sessions in a list; longer lists are left to the declaration
COUNTS = range(MAX_COMPILED_ITEMS + 1)

AMF_ID = Int(5)
RAN_ID = Int(4)
IDS: dict[str, Kind] = {"amf": AMF_ID, "ran": RAN_ID}
SESSION: dict[str, Kind] = {
    "id": Bits(8),
    "snssai": Static(),
    "address": Octets(),
    "teid": Octets(),
    "nas": Octets(),
}
TUNNEL: dict[str, Kind] = {"id": Bits(8), "address": Octets(), "teid": Octets()}


# a NamedTuple from a tuple of its values, without the cost of its constructor
_new = tuple.__new__


class Compiled(NamedTuple):
    """A template and the function that makes a message from its values (None: they make no message)."""

    template: Template
    make: Make


def plain(message: type[Any]) -> Make:
    """For messages whose fields are flat already."""
    return partial(_new, message)


def numbered(count: int, **kinds: Kind) -> dict[str, Kind]:
    """The fields of `count` list items: `id0`, `address0`, …, `id1`, …"""
    return {f"{name}{index}": kind for index in range(count) for name, kind in kinds.items()}


def flat(items: Iterable[Iterable[Any]]) -> Iterator[Any]:
    """The values of list items one after the other."""
    return (value for item in items for value in item)


def grouped(values: Sequence[Any], size: int) -> Iterator[Any]:
    """Flat values as list items of `size` values each."""
    return (values[start : start + size] for start in range(0, len(values), size))


def resources(values: Values, start: int) -> tuple[PduSessionResource, ...]:
    """The flat values of a setup request from `start` on as sessions."""
    size = len(SESSION)
    places = range(start, len(values), size)
    return tuple([_new(PduSessionResource, values[place : place + size]) for place in places])


def tunnels(values: Values, start: int) -> tuple[PduSessionTunnel, ...]:
    """The flat values of a setup response from `start` on as tunnels."""
    size = len(TUNNEL)
    places = range(start, len(values), size)
    return tuple([_new(PduSessionTunnel, values[place : place + size]) for place in places])


def build_with_items(build: Callable[..., bytes], size: int, amf: int, ran: int, **items: Any) -> bytes:
    """Call a declaration whose third argument is a list of items with `size` fields."""
    return build(amf, ran, list(grouped(tuple(items.values()), size)))
