"""Node shares: which of several nodes serves which user, the same on the wire and in the simulator.

User i stands at the fractional part of i · φ, where φ is the kind's own irrational number, and belongs to the node
into whose stretch of 0..1 that falls, stretches being as long as shares. Such points fill 0..1 evenly (a Weyl
sequence): every contiguous range of users, and every n-th user, is split as the shares say, give or take a few. The
kinds use numbers that are independent of each other, so that the users of an AMF are spread over all UDMs.

Users of a lost node are shared by those that are left, in proportion to the capacity that these have: the stretch of
the lost node is divided anew. They go back when their node is back.
"""

from collections.abc import Sequence
from enum import Enum

from regstorm.records.nodes import Node

_CIRCLE = 1 << 64


class Kind(Enum):
    """A kind of node, with its step: round(2^64 · (√5 − 1)/2, (√2 − 1), (√3 − 1))."""

    UDM = 0x9E3779B97F4A7C15
    AMF = 0x6A09E667F3BCC909
    SBC = 0xBB67AE8584CAA73B


def node_of(nodes: Sequence[Node], ue: int, kind: Kind, factors: Sequence[float] = ()) -> int:
    """The place among `nodes` of the one that serves user `ue`.

    `factors`: what is left of the capacity of each, 0 for a node that is lost; none: all of it. Where nothing is left
    of any, a user stays with its node.
    """
    point = ue * kind.value % _CIRCLE / _CIRCLE
    home, within = _stretch([node.share for node in nodes], point)
    if not factors or factors[home] > 0:
        return home
    left = [node.part_of_capacity * factor for node, factor in zip(nodes, factors, strict=True)]
    total = sum(left)
    return home if total <= 0 else _stretch([one / total for one in left], within)[0]


def _stretch(lengths: Sequence[float], point: float) -> tuple[int, float]:
    """The stretch that `point` (0..1) falls into, and how far into it as a share of its length."""
    begins, last = 0.0, (0, 0.0)
    for place, length in enumerate(lengths):
        if length > 0:
            last = (place, min((point - begins) / length, 1.0))
            if point < begins + length:
                return last
        begins += length
    return last
