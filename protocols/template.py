"""Templates: fast encoders and decoders, compiled from a slow reference encoder by differential encoding.

The idea. A reference encoder (`build(**fields) -> bytes`) knows everything about a message but is slow. For
messages of one *shape* (same lengths, same optional parts) its output only differs where the fields stand.
So a Template encodes a shape a few times with different sample values, compares the results octet by octet,
and thereby finds where every field stands, all its occurrences included. What does not move is constant.
From that it writes a straight-line Python function that joins constants and fields, and another that takes
them apart. Both are checked against the reference on random values before they are used, and are then a
hundred times as fast.

Nothing here knows ASN.1 or NAS: length determinants, preambles and nested containers are whatever the
reference made of them, and constant within a shape. The kind of a field (field_kinds.py) says how it divides
messages into shapes:

    Int      an integer in as many octets as its value needs     a shape per number of octets
    Octets   octets as they are                                  a shape per length
    Bcd      a string of decimal digits, two to an octet         a shape per number of digits
    Bits     an unsigned number of fixed width, at any bit       no shapes of its own
    Static   whatever steers the structure (hashable)            a shape per value

Learning a shape costs a few milliseconds: do it at start-up for what a storm sends (encode samples once).
A value that the reference cannot encode raises what the reference raises. Decoding never learns.
"""

import struct
from collections.abc import Callable, Iterator
from random import Random
from typing import Any, NamedTuple

from protocols.field_kinds import (
    STRUCT_CODES,
    Bcd,
    Bits,
    Int,
    Kind,
    Octets,
    Static,
    Verbatim,
    bcd_digits,
    bcd_octets,
)

__all__ = ["Bcd", "Bits", "Int", "Kind", "Make", "Octets", "Shapes", "Static", "Template", "TemplateError"]

Encoder = Callable[..., bytes]
Decoder = Callable[[bytes], tuple[Any, ...] | None]
Make = Callable[[tuple[Any, ...]], Any]
Shapes = dict[int, list[tuple[Decoder, Make]]]  # by length of the message
Classes = dict[str, Any]  # field name -> the class of its value; together the shape

CHECKS_PER_SHAPE = 4
MAX_SHAPES = 4096


class TemplateError(Exception):
    """The reference encoder does what differential encoding cannot follow: a mistake in a declaration."""


# --- the template ------------------------------------------------------------------------------------------


class Template:
    """A message compiled from `build`, which takes the fields by keyword and returns octets.

    `encode(*values)` takes them by position, in the order of `fields`; `decode(octets)` gives the tuple back.
    """

    encode: Encoder
    max_shapes = MAX_SHAPES

    def __init__(self, build: Encoder, /, **fields: Kind) -> None:
        self._build = build
        self._fields = fields
        self._encoders: dict[tuple[Any, ...], Encoder] = {}
        self._decoders: dict[int, list[Decoder]] = {}  # by length of the message
        self._shared: list[tuple[Shapes, Make]] = []
        self.encode = self._compile_dispatch()

    def share(self, shapes: Shapes, make: Make) -> None:
        """From now on, add each shape that is learnt to `shapes`: its decoder together with `make`.

        So a caller who expects one of several templates finds the right decoder by length alone; `make` is what
        the caller makes of the values.
        """
        self._shared.append((shapes, make))

    @property
    def shapes(self) -> int:
        """How many shapes were learnt."""
        return len(self._encoders)

    def decode(self, octets: bytes) -> tuple[Any, ...] | None:
        """The field values whose encoding is `octets`; None unless its shape was learnt.

        A strict inverse: whatever is returned encodes to exactly the same octets.
        """
        for decoder in self._decoders.get(len(octets), ()):
            values = decoder(octets)
            if values is not None:
                return values
        return None

    def _compile_dispatch(self) -> Encoder:
        """`encode`: look the shape up and call its encoder, or learn it first."""
        names = ", ".join(self._fields)
        keys = [key for name, kind in self._fields.items() if (key := kind.key(name))]
        source = (
            f"def encode({names}):\n"
            f"    encoder = _encoders.get(({''.join(key + ', ' for key in keys)}))\n"
            f"    if encoder is None: encoder = _learn({names})\n"
            f"    return encoder({names})\n"
        )
        namespace: dict[str, Any] = {"_encoders": self._encoders, "_learn": self._learn}
        exec(source, namespace)
        encode: Encoder = namespace["encode"]
        return encode

    def _learn(self, *values: Any) -> Encoder:
        """Compile, check and keep the shape of `values`. A full cache keeps no more: the reference serves."""
        if len(self._encoders) >= self.max_shapes:
            return self.reference
        self.reference(*values)  # raises here for what cannot be encoded
        items = list(zip(self._fields.items(), values, strict=True))
        classes = {name: kind.class_of(value) for (name, kind), value in items}
        if not all(kind.compiles(classes[name]) for name, kind in self._fields.items()):
            return self.reference
        shape = _Shape(self._build, self._fields, classes)
        encoder, decoder = shape.compile()
        self._check(encoder, decoder, classes)
        key = tuple(classes[name] for name, kind in self._fields.items() if kind.key(name))
        self._encoders[key] = encoder
        self._decoders.setdefault(len(shape.reference), []).append(decoder)
        for shapes, make in self._shared:
            shapes.setdefault(len(shape.reference), []).append((decoder, make))
        return encoder

    def reference(self, *values: Any) -> bytes:
        """What `encode` gives, slowly: the octets from the declaration itself."""
        return self._build(**dict(zip(self._fields, values, strict=True)))

    def _check(self, encoder: Encoder, decoder: Decoder, classes: Classes) -> None:
        """Compare with the reference on random values; the same ones in every run."""
        rng = Random(1)
        for _ in range(CHECKS_PER_SHAPE):
            values = tuple(kind.draw(rng, classes[name]) for name, kind in self._fields.items())
            expected = self.reference(*values)
            if encoder(*values) != expected:
                raise TemplateError(f"encodes {values} as {encoder(*values).hex()}, not {expected.hex()}")
            if decoder(expected) != values:
                raise TemplateError(f"decodes {values} as {decoder(expected)}")


# --- learning one shape ------------------------------------------------------------------------------------


class _Piece(NamedTuple):
    """Some octets of a message: the expression that makes them, and how they are read and checked.

    The decoder reads them by the struct code `code` into a local variable named after the place (`_local`).
    """

    start: int
    end: int
    put: str
    code: str
    reads: tuple[tuple[str, str], ...] = ()  # (field, expression for its value)
    conditions: tuple[str, ...] = ()


class _BitSlot(NamedTuple):
    """Where a bit field stands: `shift` counts bits from the end of the message (or of its window)."""

    name: str
    shift: int
    width: int


def _local(start: int) -> str:
    return f"_p{start}"


class _Shape:
    """Messages of one shape: finds where the fields stand and writes the two functions."""

    def __init__(self, build: Encoder, fields: dict[str, Kind], classes: Classes) -> None:
        self._build = build
        self._fields = fields
        self._classes = classes
        self._base = {name: self._first_sample(name, kind) for name, kind in fields.items()}
        self.reference = build(**self._base)

    def _first_sample(self, name: str, kind: Kind) -> Any:
        if isinstance(kind, Verbatim):
            return kind.samples(self._classes[name])[0]
        return kind.lowest if isinstance(kind, Bits) else self._classes[name]

    def compile(self) -> tuple[Encoder, Decoder]:
        """The encoder and the decoder of this shape."""
        moving = [*self._verbatim_pieces(), *self._bit_pieces()]
        pieces = list(self._with_constants(sorted(moving)))
        namespace: dict[str, Any] = {
            "_int": int.from_bytes,
            "_bcd": bcd_octets,
            "_digits": bcd_digits,
            "_classes": self._classes,
            "_unpack": struct.Struct(">" + "".join(piece.code for piece in pieces)).unpack,
        }
        exec(self._encoder_source(pieces) + self._decoder_source(pieces), namespace)
        return namespace["encode"], namespace["decode"]

    def _vary(self, name: str, value: Any) -> bytes:
        varied = self._build(**{**self._base, name: value})
        if len(varied) != len(self.reference):
            raise TemplateError(f"{name}: the length varies within a class")
        return varied

    def _verbatim_pieces(self) -> Iterator[_Piece]:
        """Every occurrence of every field of whole octets."""
        for name, kind in self._fields.items():
            class_ = self._classes[name]
            if not isinstance(kind, Verbatim) or class_ == 0:
                continue
            first, second = kind.samples(class_)
            old, new = kind.wire(first, class_), kind.wire(second, class_)
            varied = self._vary(name, second)
            for start in _places(name, self.reference, varied, len(old)):
                end = start + len(old)
                if self.reference[start:end] != old or varied[start:end] != new:
                    raise TemplateError(f"{name}: does not stand verbatim at octet {start}")
                local = _local(start)
                reads = ((name, kind.get(local, class_)),)
                checks = kind.conditions(local, class_)
                yield _Piece(start, end, kind.put(name, class_), kind.code(len(old)), reads, checks)

    def _bit_slots(self) -> Iterator[_BitSlot]:
        """Every occurrence of every bit field: where its lowest and its highest value differ."""
        for name, kind in self._fields.items():
            if not isinstance(kind, Bits):
                continue
            span = kind.highest - kind.lowest
            width = span.bit_length()
            trailing_zeros = (span & -span).bit_length() - 1
            differing = int.from_bytes(self.reference) ^ int.from_bytes(self._vary(name, kind.highest))
            if not differing:
                raise TemplateError(f"{name}: has no effect on the encoding")
            while differing:
                shift = (differing & -differing).bit_length() - 1 - trailing_zeros
                if shift < 0 or (differing >> shift) & ((1 << width) - 1) != span:
                    raise TemplateError(f"{name}: not a plain field of {width} bits")
                yield _BitSlot(name, shift, width)
                differing &= ~(((1 << width) - 1) << shift)

    def _bit_pieces(self) -> Iterator[_Piece]:
        """A piece for every run of octets that bit fields share."""
        size = len(self.reference)
        windows: list[tuple[int, int, list[_BitSlot]]] = []
        for slot in sorted(self._bit_slots(), key=lambda slot: -slot.shift - slot.width):
            start, end = size - (slot.shift + slot.width + 7) // 8, size - slot.shift // 8
            if windows and start < windows[-1][1]:
                known_start, known_end, slots = windows[-1]
                windows[-1] = (known_start, max(known_end, end), [*slots, slot])
            else:
                windows.append((start, end, [slot]))
        for start, end, slots in windows:
            yield self._window(start, end, [slot._replace(shift=slot.shift - (size - end) * 8) for slot in slots])

    def _window(self, start: int, end: int, slots: list[_BitSlot]) -> _Piece:
        """The octets from `start` to `end`, with bit fields at `slots` and constant bits between."""
        size = end - start
        whole = f"_int({_local(start)}, 'big')" if size not in STRUCT_CODES else _local(start)
        mask, terms, reads, conditions = 0, [], [], []
        for name, shift, width in slots:
            kind = self._fields[name]
            assert isinstance(kind, Bits)
            ones = (1 << width) - 1
            mask |= ones << shift
            terms.append(f"{name} - {kind.lowest} << {shift}")
            value = f"({whole} >> {shift} & {ones}) + {kind.lowest}"
            reads.append((name, value))
            if kind.highest - kind.lowest != ones:
                conditions.append(f"{value} <= {kind.highest}")
        rest = ((1 << 8 * size) - 1) ^ mask
        constant = int.from_bytes(self.reference[start:end]) & rest
        if rest:
            conditions.append(f"{whole} & {rest} == {constant}")
        put = f"({constant} | {' | '.join(terms)}).to_bytes({size}, 'big')"
        return _Piece(start, end, put, STRUCT_CODES.get(size, f"{size}s"), tuple(reads), tuple(conditions))

    def _with_constants(self, moving: list[_Piece]) -> Iterator[_Piece]:
        """The moving pieces and the constant ones between them: the whole message."""
        position = 0
        for piece in [*moving, _Piece(len(self.reference), len(self.reference), "", "")]:
            if piece.start < position:
                raise TemplateError(f"fields overlap at octet {piece.start}")
            if piece.start > position:
                constant = self.reference[position : piece.start]
                check = f"{_local(position)} == {constant!r}"
                yield _Piece(position, piece.start, repr(constant), f"{len(constant)}s", (), (check,))
            if piece.code:
                yield piece
            position = piece.end

    def _encoder_source(self, pieces: list[_Piece]) -> str:
        guards = "".join(
            f"    if not {kind.lowest} <= {name} <= {kind.highest}: raise OverflowError({name!r})\n"
            for name, kind in self._fields.items()
            if isinstance(kind, Bits)
        )
        puts = ", ".join(piece.put for piece in pieces)
        return f"def encode({', '.join(self._fields)}):\n{guards}    return b''.join(({puts},))\n"

    def _decoder_source(self, pieces: list[_Piece]) -> str:
        conditions = [condition for piece in pieces for condition in piece.conditions]
        values = {name: f"_classes[{name!r}]" for name, kind in self._fields.items() if isinstance(kind, Static)}
        for name, expression in (read for piece in pieces for read in piece.reads):
            if name in values:  # another occurrence must agree with the first
                conditions.append(f"{values[name]} == {expression}")
            else:
                values[name] = expression
        # a field of no octets (class 0) stands nowhere
        found = "".join(f"{values.get(name, repr(self._base[name]))}, " for name in self._fields)
        locals_ = "".join(f"{_local(piece.start)}, " for piece in pieces)
        test = f"    if not ({' and '.join(conditions)}): return None\n" if conditions else ""
        return f"def decode(octets):\n    {locals_} = _unpack(octets)\n{test}    return ({found})\n"


def _places(name: str, one: bytes, other: bytes, size: int) -> list[int]:
    """Where two messages differ, as the starts of runs of `size` octets."""
    starts: list[int] = []
    for position, (left, right) in enumerate(zip(one, other, strict=True)):
        if left != right and not (starts and position < starts[-1] + size):
            starts.append(position)
    if not starts:
        raise TemplateError(f"{name}: has no effect on the encoding")
    return starts
