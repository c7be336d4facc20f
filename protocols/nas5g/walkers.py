"""Walkers generated from the message tables: from the octets of a message to the values of the IEs wanted.

A walker accepts any legal shape (any order, IEs that nobody asked for, IEs of later releases) and touches nothing
but the octets. The rules that it follows:
- mandatory IE missing or running over the end: `Malformed` #96 (TS 24.501 7.5.1);
- unknown IE: skipped by the format that its identifier tells, unless it is coded as "comprehension required"
  (bits 8 to 5 all zero): `Malformed` #96 (TS 24.007 11.2.4, TS 24.501 7.5.1 and 7.6.1);
- an IE that comes again: the first one counts (TS 24.501 7.6.3);
- optional IE running over the end: syntactically incorrect, so not present (TS 24.501 7.7.1).
"""

from collections.abc import Callable, Mapping
from typing import Any

from protocols.causes import FivegmmCause
from protocols.nas5g.tables import SPARE, Element, Format, Table

Walker = Callable[[bytes], Any]
"""Values in the order of the IE names given, as a tuple: int for half and single octets, else bytes; None is absent."""


class Malformed(Exception):
    """These octets are no legal message; `cause` is what a STATUS message would say. Never leaves the codec."""

    def __init__(self, cause: FivegmmCause, why: str) -> None:
        super().__init__(why)
        self.cause = cause
        self.why = why


def invalid(why: str) -> Malformed:
    """Invalid mandatory information, #96."""
    return Malformed(FivegmmCause.INVALID_MANDATORY_INFORMATION, why)


def compile_walker(table: Table, *names: str) -> Walker:
    """A function that takes the message's octets and returns the values of the IEs `names`.

    A 5GSM walker puts PDU session identity and PTI before them. The caller has looked at the message type; the
    walker does not look again.
    """
    known = {element.name for element in (*table.mandatory, *table.optional)}
    if unknown := [name for name in names if name not in known]:
        raise ValueError(f"{table.name} has no {unknown}")
    variables = {name: f"v{index}" for index, name in enumerate(names)}
    header = len(table.header)
    results = (["b[1]", "b[2]"] if header == 4 else []) + list(variables.values())
    lines = ["def walk(b):", " n = len(b)"]
    lines += _mandatory(table, variables)
    lines += _optional([e for e in table.optional if e.name in variables], variables)
    lines.append(f" return {', '.join(results)}{',' if len(results) == 1 else ''}" if results else " return ()")
    fixed = {e.iei: e.length for e in table.optional if e.format is Format.TV}
    namespace: dict[str, Any] = {"skip": _skip, "fixed": fixed, "invalid": invalid}
    exec("\n".join(lines), namespace)
    walker: Walker = namespace["walk"]
    return walker


def _skip(b: bytes, p: int, fixed: Mapping[int, int]) -> int:
    """Where the IE at `p` ends; `fixed` are the message's IEs without a length (TS 24.007 11.2.4)."""
    iei = b[p]
    if iei >= 0x80:
        return p + 1
    if iei in fixed:
        return p + 1 + fixed[iei]
    if iei >= 0x70:
        return p + 3 + (b[p + 1] << 8 | b[p + 2])
    if iei < 0x10:
        raise invalid(f"IE {iei:02X} is unknown and must be comprehended")
    return p + 2 + b[p + 1]


def _mandatory(table: Table, variables: dict[str, str]) -> list[str]:
    """The lines that read the mandatory part and leave `p` behind it."""
    lines = [" try:", f"  p = {len(table.header)}"]
    is_upper = True
    for element in table.mandatory:
        target = variables.get(element.name)
        match element.format:
            case Format.HALF:
                lines.append(f"  {target or '_'} = b[p] {'>> 4' if is_upper else '& 15'}")
                lines += [] if is_upper else ["  p += 1"]
                is_upper = not is_upper
            case Format.V if element.length == 1:
                lines += [f"  {target or '_'} = b[p]", "  p += 1"]
            case Format.V:
                lines += [f"  q = p + {element.length}", *_take(element, target, "p")]
            case Format.LV:
                lines += ["  q = p + 1 + b[p]", *_take(element, target, "p + 1")]
            case _:
                lines += ["  q = p + 2 + (b[p] << 8 | b[p + 1])", *_take(element, target, "p + 2")]
    if len(lines) == 2:
        return [f" p = {len(table.header)}"]
    return [*lines, f" except IndexError: raise invalid('{table.name} ends in its mandatory part') from None"]


def _take(element: Element, target: str | None, start: str) -> list[str]:
    """Take a mandatory value of more than one octet, if it is wanted, and step behind it."""
    take = [f"  {target} = b[{start}:q]"] if target and element.name != SPARE else []
    return [f"  if q > n: raise invalid('{element.name} runs over the end')", *take, "  p = q"]


def _optional(elements: list[Element], variables: dict[str, str]) -> list[str]:
    """The loop over the optional part, with a branch for each IE that is wanted."""
    lines = [f" {' = '.join(variables[e.name] for e in elements)} = None"] if elements else []
    lines += [" try:", "  while p < n:"]
    keyword = "if"
    if elements:
        lines.append("   t = b[p]")
    for element in elements:
        value = variables[element.name]
        if element.format is Format.HALF_TV:
            lines += [
                f"   {keyword} t >> 4 == {element.iei}:",
                f"    if {value} is None: {value} = t & 15",
                "    p += 1",
            ]
        else:
            end, start = _extent(element)
            taken = "b[p + 1]" if element.format is Format.TV and element.length == 1 else f"b[{start}:q]"
            lines += [
                f"   {keyword} t == {element.iei}:",
                f"    q = {end}",
                "    if q > n: break",
                f"    if {value} is None: {value} = {taken}",
                "    p = q",
            ]
        keyword = "elif"
    lines.append("   else: p = skip(b, p, fixed)" if elements else "   p = skip(b, p, fixed)")
    return [*lines, " except IndexError: pass"]


def _extent(element: Element) -> tuple[str, str]:
    """Expressions for the end of an optional IE at `p` and for the start of its value."""
    match element.format:
        case Format.TV:
            return f"p + {1 + element.length}", "p + 1"
        case Format.TLV:
            return "p + 2 + b[p + 1]", "p + 2"
        case _:
            return "p + 3 + (b[p + 1] << 8 | b[p + 2])", "p + 3"
