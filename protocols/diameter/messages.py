"""A Diameter message: a command of base.py, cx.py, sh.py or s6a.py with its envelope (RFC 6733 3)."""

from random import Random
from typing import Final, NamedTuple

from protocols.diameter import base, cx, s6a, sh
from protocols.diameter.commands import CommandLayout
from protocols.diameter.layouts import RawAvp
from protocols.diameter.numbers import ResultCode


class Other(NamedTuple):
    """A command that no layout knows; all of its AVPs are in `Message.others`."""

    command: int
    application: int
    is_request: bool


Content = base.BaseContent | cx.CxContent | sh.ShContent | s6a.S6aContent | Other


class Message(NamedTuple):
    """What is said, and from whom to whom. `others` are the AVPs that the command's layout does not know.

    Answers, and the commands between two peers, have no destination; the latter have no session either.
    """

    content: Content
    hop_by_hop: int
    end_to_end: int
    origin_host: str
    origin_realm: str
    session_id: str | None = None
    destination_realm: str | None = None
    destination_host: str | None = None
    retransmitted: bool = False
    others: tuple[RawAvp, ...] = ()


class Header(NamedTuple):
    """The numbers in the first twenty octets of a message."""

    command: int
    application: int
    is_request: bool
    is_proxiable: bool
    hop_by_hop: int
    end_to_end: int


class Unreadable(NamedTuple):
    """No Diameter message. `result` is what RFC 6733 7.1 wants as answer if it was a request, which `header` tells if
    it could be read; `session_id` stands where it has to, or is None (encode.refusal)."""

    result: ResultCode
    why: str
    header: Header | None = None
    session_id: str | None = None


LAYOUTS: Final[dict[type, CommandLayout]] = {}
"""The layout of each command's value."""
BY_NUMBERS: Final[dict[tuple[int, int, bool], CommandLayout]] = {}
"""The same by application, command code and R bit."""

for _layout in (*base.COMMANDS, *cx.COMMANDS, *sh.COMMANDS, *s6a.COMMANDS):
    LAYOUTS[_layout.make] = _layout
    BY_NUMBERS[_layout.application, _layout.command, _layout.is_request] = _layout


class Identifiers:
    """The identifiers of the requests of one node (RFC 6733 3): hop-by-hop for each connection, end-to-end for all.

    `now` (seconds) and `rng` keep those of two runs of a node apart, as section 3 asks for End-to-End Identifiers.
    """

    __slots__ = ("_end_to_end", "_hop_by_hop", "_sessions", "_started_s")

    def __init__(self, now: float, rng: Random) -> None:
        self._started_s = int(now)
        self._end_to_end = (self._started_s & 0xFFF) << 20 | rng.getrandbits(20)
        self._hop_by_hop = rng.getrandbits(32)
        self._sessions = 0

    def hop_by_hop(self) -> int:
        """The next Hop-by-Hop Identifier."""
        self._hop_by_hop = (self._hop_by_hop + 1) & 0xFFFFFFFF
        return self._hop_by_hop

    def end_to_end(self) -> int:
        """The next End-to-End Identifier."""
        self._end_to_end = (self._end_to_end + 1) & 0xFFFFFFFF
        return self._end_to_end

    def session_id(self, host: str) -> str:
        """The next Session-Id (8.8)."""
        self._sessions += 1
        return f"{host};{self._started_s};{self._sessions}"
