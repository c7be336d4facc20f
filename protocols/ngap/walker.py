"""Walks an NGAP PDU element by element, without ASN.1: header, then (id, criticality, content) for each one.

Strict about lengths: every octet belongs to something, and what belongs to nothing makes the PDU malformed. What the
contents mean is not known here.
"""

from typing import NamedTuple

from protocols.ngap.aper import Malformed, length_prefixed
from protocols.ngap.causes import ABSTRACT_SYNTAX_ERROR_FALSELY_CONSTRUCTED_MESSAGE


class Walked(NamedTuple):
    """The elements of a PDU by ProtocolIE-ID, and the criticality that the sender gave each (0 is reject)."""

    elements: dict[int, bytes]
    criticalities: dict[int, int]


def walk(pdu: bytes) -> Walked:
    """The elements of a PDU, whose first three octets the caller has looked at. Raises Malformed."""
    value, end = length_prefixed(pdu, 3)
    if end != len(pdu):
        raise Malformed("octets after the PDU")
    return walk_container(value)


def walk_container(value: bytes) -> Walked:
    """The elements of a message's or a transfer's value: an extensible sequence of one ProtocolIE-Container."""
    elements: dict[int, bytes] = {}
    criticalities: dict[int, int] = {}
    try:
        if value[0]:
            raise Malformed("message extensions")
        count = value[1] << 8 | value[2]
        start = 3
        for _ in range(count):
            id_ = value[start] << 8 | value[start + 1]
            criticality = value[start + 2]
            length = value[start + 3]
            if length < 128:
                end = start + 4 + length
                content = value[start + 4 : end]
            else:
                content, end = length_prefixed(value, start + 3)
            if criticality & 63 or criticality >= 192:
                raise Malformed("no such criticality")
            if id_ in elements:
                raise Malformed(f"element {id_} twice", ABSTRACT_SYNTAX_ERROR_FALSELY_CONSTRUCTED_MESSAGE)
            elements[id_] = content
            criticalities[id_] = criticality >> 6
            start = end
    except IndexError:
        raise Malformed("ends early") from None
    if start != len(value):
        raise Malformed("elements do not fill the message")
    return Walked(elements, criticalities)
