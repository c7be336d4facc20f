"""Encoders generated from the message tables: straight-line concatenation, any legal shape, nothing to learn.

A NAS message is octets that its type fixes and values that stand in it as they are, so its encoder can be written
down from the table: no differential template is needed, and a container of a length never seen costs no pycrate
call in the middle of a storm. What the values look like inside is encode.py's business.
"""

from collections.abc import Callable
from typing import Any

from protocols.nas5g.tables import SPARE, Element, Format, Table

Writer = Callable[..., bytes]
"""Values in the order of the IE names given: int for half and single octets, else bytes; None leaves an IE out."""

OCTET = {value: bytes((value,)) for value in range(256)}
"""One octet by value. A dict, so that a value out of range raises instead of counting from the end."""

_HALVES = {high: {low: bytes((high << 4 | low,)) for low in range(16)} for high in range(16)}
"""One octet by its upper and lower half."""


def compile_writer(table: Table, *names: str) -> Writer:
    """A function that writes `table`'s message with the IEs `names`.

    For a 5GSM message the first two values are PDU session identity and PTI. A value that its IE cannot hold
    raises LookupError, ValueError or OverflowError.
    """
    elements = {element.name: element for element in (*table.mandatory, *table.optional)}
    missing = [e.name for e in table.mandatory if e.name != SPARE and e.name not in names]
    unknown = [name for name in names if name not in elements]
    if missing or unknown:
        raise ValueError(f"{table.name}: mandatory and not given {missing}, unknown {unknown}")
    variables = {name: f"v{index}" for index, name in enumerate(names)}
    is_fivegsm = len(table.header) == 4
    lines = [f"def write({', '.join((['psi', 'pti'] if is_fivegsm else []) + list(variables.values()))}):"]
    lines += _length_checks([elements[name] for name in names], variables)
    start = (
        [repr(table.header[:1]), "octet[psi]", "octet[pti]", repr(table.header[3:])]
        if is_fivegsm
        else [repr(table.header)]
    )
    lines.append(f" octets = {' + '.join(start + _mandatory(table.mandatory, variables))}")
    for element in table.optional:
        if element.name in variables:
            value = variables[element.name]
            lines.append(f" if {value} is not None: octets += {_optional(element, value)}")
    lines.append(" return octets")
    namespace: dict[str, Any] = {"octet": OCTET, "halves": _HALVES}
    exec("\n".join(lines), namespace)
    writer: Writer = namespace["write"]
    return writer


def _length_checks(elements: list[Element], variables: dict[str, str]) -> list[str]:
    """A value of fixed length has that length, or the octets after it would be read as something else."""
    return [
        f" if {variables[e.name]} is not None and len({variables[e.name]}) != {e.length}: "
        f"raise ValueError('{e.name}: {e.length} octets')"
        for e in elements
        if e.length > 1
    ]


def _mandatory(elements: tuple[Element, ...], variables: dict[str, str]) -> list[str]:
    """Expressions for the mandatory part; two half octets share an octet, the first of them the upper half."""
    expressions = []
    upper: str | None = None
    for element in elements:
        value = variables.get(element.name, "0")
        if element.format is Format.HALF:
            if upper is None:
                upper = value
            else:
                expressions.append(f"halves[{upper}][{value}]")
                upper = None
        elif element.format is Format.V:
            expressions.append(value if element.length > 1 else f"octet[{value}]")
        elif element.format is Format.LV:
            expressions += [f"octet[len({value})]", value]
        else:
            expressions += [f"len({value}).to_bytes(2, 'big')", value]
    return expressions


def _optional(element: Element, value: str) -> str:
    """The expression for one optional IE that is present."""
    iei = repr(bytes((element.iei,)))
    match element.format:
        case Format.HALF_TV:
            return f"halves[{element.iei}][{value}]"
        case Format.TV:
            return f"{iei} + {value}" if element.length > 1 else f"{iei} + octet[{value}]"
        case Format.TLV:
            return f"{iei} + octet[len({value})] + {value}"
        case _:
            return f"{iei} + len({value}).to_bytes(2, 'big') + {value}"
