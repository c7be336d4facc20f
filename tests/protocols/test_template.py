"""Templates find every kind of field in what a reference encoder wrote, and are its strict inverse."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from protocols.field_kinds import bcd_digits, bcd_octets
from protocols.template import Bcd, Bits, Int, Octets, Static, Template, TemplateError


def octets_of(number):
    return number.to_bytes((number.bit_length() + 7) // 8 or 1)


def build(number, payload, digits, cause, flags, branch):
    """A made-up message: lengths, a repeated field, bit fields across octets, an optional part."""
    value = octets_of(number)
    bits = (cause - 1 << 7 | 0b101 << 4 | flags) << 1 | 1
    head = b"\x7e" + bytes((len(value),)) + value + bits.to_bytes(3)
    body = len(payload).to_bytes(2) + payload + b"\x00" + bytes((len(digits),)) + bcd_octets(digits)
    tail = {"none": b"", "once": b"\x01" + value, "twice": b"\x02" + payload + payload}[branch]
    return head + body + tail


def fresh():
    return Template(
        build,
        number=Int(5),
        payload=Octets(),
        digits=Bcd(),
        cause=Bits(13, lowest=1, highest=5000),
        flags=Bits(4),
        branch=Static(),
    )


SHARED = fresh()
VALUES = st.tuples(
    st.integers(0, 2**40 - 1) | st.integers(0, 255),
    st.binary(max_size=20),
    st.text("0123456789", max_size=9),
    st.integers(1, 5000),
    st.integers(0, 15),
    st.sampled_from(("none", "once", "twice")),
)


@settings(max_examples=100, deadline=None)
@given(VALUES)
def test_encoding_is_the_references_and_decoding_gives_the_values_back(values):
    octets = SHARED.encode(*values)
    assert octets == SHARED.reference(*values)
    assert SHARED.decode(octets) == values


@settings(max_examples=200, deadline=None)
@given(VALUES, st.data())
def test_what_is_decoded_encodes_to_the_same_octets(values, data):
    octets = bytearray(SHARED.encode(*values))
    for _ in range(data.draw(st.integers(1, 3))):
        bit = data.draw(st.integers(0, 8 * len(octets) - 1))
        octets[bit // 8] ^= 1 << bit % 8
    decoded = SHARED.decode(bytes(octets))
    assert decoded is None or SHARED.encode(*decoded) == octets


@settings(max_examples=100, deadline=None)
@given(st.binary(max_size=60))
def test_random_octets_are_none_or_encode_to_themselves(octets):
    decoded = SHARED.decode(octets)
    assert decoded is None or SHARED.encode(*decoded) == octets


@given(st.text("0123456789", max_size=20))
def test_digits_survive_semi_octets(digits):
    assert bcd_digits(bcd_octets(digits), len(digits)) == digits


def test_a_shape_is_learnt_once_and_values_within_it_need_no_reference():
    calls = []

    def counted(**fields):
        calls.append(fields)
        return build(**fields)

    template = Template(counted, **{name: kind for name, kind in fresh()._fields.items()})
    template.encode(70_000, b"abc", "123", 1, 0, "once")
    learnt = len(calls)
    template.encode(80_000, b"xyz", "987", 5000, 15, "once")
    assert len(calls) == learnt
    assert template.shapes == 1
    template.encode(80_000, b"longer", "987", 5000, 15, "once")
    assert template.shapes == 2


def test_decoding_never_learns():
    octets = build(1, b"abc", "12", 7, 3, "none")
    template = fresh()
    assert template.decode(octets) is None
    assert template.shapes == 0


def test_a_full_cache_learns_no_more_and_still_encodes_rightly():
    template = fresh()
    template.max_shapes = 1
    template.encode(1, b"a", "1", 1, 0, "none")
    assert template.encode(1, b"ab", "1", 1, 0, "none") == build(1, b"ab", "1", 1, 0, "none")
    assert template.shapes == 1


def test_a_field_longer_than_its_longest_is_left_to_the_reference():
    template = Template(lambda payload: len(payload).to_bytes(2) + payload, payload=Octets(longest=4))
    assert template.encode(b"12345") == b"\x00\x0512345"
    assert template.shapes == 0


def test_two_runs_learn_the_same_functions():
    first, second = fresh(), fresh()
    values = (70_000, b"abc", "123", 12, 3, "twice")
    assert first.encode(*values) == second.encode(*values)
    assert first.decode(first.encode(*values)) == second.decode(second.encode(*values)) == values


def test_shared_shapes_hold_every_decoder_by_length():
    shapes = {}
    template = fresh()
    template.share(shapes, list)
    octets = template.encode(1, b"a", "1", 1, 0, "none")
    ((decoder, make),) = shapes[len(octets)]
    assert make(decoder(octets)) == [1, b"a", "1", 1, 0, "none"]


@pytest.mark.parametrize(
    "values",
    [
        (2**40, b"", "", 1, 0, "none"),
        (-1, b"", "", 1, 0, "none"),
        (1, b"", "", 0, 0, "none"),
        (1, b"", "", 5001, 0, "none"),
        (1, b"", "", 1, 16, "none"),
    ],
)
def test_numbers_out_of_range_overflow_whether_the_shape_is_known_or_not(values):
    template = fresh()
    with pytest.raises(OverflowError):
        template.encode(*values)
    template.encode(1, b"", "", 1, 0, "none")
    with pytest.raises(OverflowError):
        template.encode(*values)


def test_digits_that_are_none_are_refused():
    SHARED.encode(1, b"", "12", 1, 0, "none")
    with pytest.raises(ValueError, match="not decimal"):
        SHARED.encode(1, b"", "1f", 1, 0, "none")


@pytest.mark.parametrize(
    ("declaration", "kind", "value"),
    [
        (lambda field: b"\x00", Octets(), b"abc"),  # no effect
        (lambda field: field[::-1] + b"x" + bytes(o ^ 1 for o in field), Octets(), b"abc"),  # not verbatim
        (lambda field: bytes((field ^ field >> 1,)), Bits(8), 3),  # not linear in its bits
        (lambda field: bytes(field & 1) + field.to_bytes(), Bits(8), 3),  # of varying length
        (lambda field: field + bytes((sum(field) & 255,)), Octets(), b"abc"),  # a checksum that moves
    ],
)
def test_what_differential_encoding_cannot_follow_is_a_template_error(declaration, kind, value):
    with pytest.raises(TemplateError):
        Template(lambda field: declaration(field), field=kind).encode(value)
