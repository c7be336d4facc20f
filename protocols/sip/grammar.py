"""The grammar that SIP headers share (RFC 3261 25.1): lists, parameters, quoted strings, comments.

Every function takes any text and raises nothing. The patterns are possessive: none of them can go back and try
again, so the time is linear in the text whatever a peer sends.
"""

import re
from typing import Final

MOST_SECONDS: Final = 2**32 - 1
"""The most that delta-seconds can say (RFC 3261 20.19); more is taken as this."""

_QUOTED: Final = r'"(?:[^"\\]++|\\.)*+"'
_ELEMENT: Final = re.compile(rf'(?:[^,"<]++|{_QUOTED}|<[^>]*+>)++', re.DOTALL)
_PARAMETER: Final = re.compile(rf'(?:[^;"]++|{_QUOTED})++', re.DOTALL)
_ESCAPED: Final = re.compile(r"\\(.)", re.DOTALL)
_DIGITS: Final = re.compile(r"[ \t]*+0*+([0-9]*+)")


class Parameters(tuple[tuple[str, str | None], ...]):
    """Parameters in their order, as (name, value as it stands on the wire); without `=` the value is None."""

    __slots__ = ()

    def get(self, name: str) -> str | None:
        """What the parameter says, without its quotes; None if it is absent or has no value. Names are lower case."""
        for key, value in self:
            if key == name or key.lower() == name:
                return value if value is None or value[:1] != '"' else unquoted(value)
        return None

    def has(self, name: str) -> bool:
        """Whether the parameter is there, with a value or without (`lr`, `rport`)."""
        return any(key == name or key.lower() == name for key, _ in self)

    def text(self) -> str:
        """As they stand behind a header value: `;branch=z9hG4bK1;rport`."""
        return "".join([f";{key}" if value is None else f";{key}={value}" for key, value in self])

    def replaced(self, name: str, value: str | None) -> "Parameters":
        """With this value for the parameter, at its place or at the end."""
        if not self.has(name):
            return Parameters((*self, (name, value)))
        return Parameters((key, value if key.lower() == name else old) for key, old in self)


NO_PARAMETERS: Final = Parameters()


def parameters(text: str) -> Parameters | None:
    """The parameters in `;a=1;b`, with or without the first semicolon; None if a quoted string does not end."""
    text = text.strip(" \t")
    if not text:
        return NO_PARAMETERS
    pieces = text.split(";") if '"' not in text else _pieces(_PARAMETER, text, ";")
    return None if pieces is None else Parameters([_parameter(piece) for piece in pieces if piece.strip(" \t")])


def _parameter(piece: str) -> tuple[str, str | None]:
    name, equals, value = piece.partition("=")
    return name.strip(" \t"), value.strip(" \t") if equals else None


def listed(text: str) -> list[str]:
    """The elements of a comma-separated header value; commas in quotes and angle brackets separate nothing.

    A value whose quotes or brackets do not end is one element, for whoever reads it to refuse.
    """
    if "," not in text:
        return [text] if text else []
    plain = '"' not in text and "<" not in text
    pieces = text.split(",") if plain else _pieces(_ELEMENT, text, ",")
    if pieces is None:
        return [text]
    stripped = [piece.strip(" \t") for piece in pieces]
    return [piece for piece in stripped if piece]


def _pieces(pattern: re.Pattern[str], text: str, separator: str) -> list[str] | None:
    """What the pattern finds in the text; None if there is anything but separators between the pieces."""
    pieces: list[str] = []
    at = 0
    for found in pattern.finditer(text):
        if text[at : found.start()].strip(separator):
            return None
        pieces.append(found[0])
        at = found.end()
    return None if text[at:].strip(separator) else pieces


def quoted(text: str) -> str:
    """`text` as a quoted string."""
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def unquoted(text: str) -> str:
    """What a quoted string says; other text as it is."""
    if len(text) < 2 or text[0] != '"' or text[-1] != '"':
        return text
    inside = text[1:-1]
    return _ESCAPED.sub(r"\1", inside) if "\\" in inside else inside


def comment(text: str) -> tuple[str | None, str]:
    """The comment that `text` begins with, and what is left; comments nest and know `\\)` (RFC 3261 25.1)."""
    text = text.lstrip(" \t")
    if not text.startswith("("):
        return None, text
    depth = 0
    escaped = False
    for at, sign in enumerate(text):
        if escaped:
            escaped = False
        elif sign == "\\":
            escaped = True
        elif sign == "(":
            depth += 1
        elif sign == ")":
            depth -= 1
            if depth == 0:
                return _ESCAPED.sub(r"\1", text[1:at]), text[at + 1 :]
    return None, ""


def leading_seconds(text: str) -> tuple[int | None, str]:
    """The delta-seconds that `text` begins with, and what is left."""
    found = _DIGITS.match(text)
    end = found.end() if found else 0
    if found is None or not text[:end].strip(" \t"):
        return None, text
    digits = found[1]
    return (min(int(digits or "0"), MOST_SECONDS) if len(digits) <= 10 else MOST_SECONDS), text[end:]


def delta_seconds(text: str | None) -> int | None:
    """A whole number of seconds: Expires, Min-Expires, the expires parameter; None if absent or something else."""
    if text is None:
        return None
    if len(text) < 10 and text.isascii() and text.isdigit():
        return int(text)
    seconds, rest = leading_seconds(text)
    return seconds if not rest.strip(" \t") else None
