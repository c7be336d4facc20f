"""Restriction: which users may try to register at all, released step by step.

The network bars users by their access class, of which there are ten, spread over all subscribers (TS 22.011 4.2;
unified access control of 5GS draws lots instead, TS 24.501 4.5, and would bar again who had been released). A step says
from which second on which share of them may register; whoever may not is refused, with a T3346 if there is one. The
class of a user is the last figure of its name, so that a step lets in the same users that the step before did, and
more. Nothing else is looked at: not the load, not the backlog.
"""

from bisect import bisect_right
from collections.abc import Hashable, Sequence
from random import Random

from regstorm.records.strategy import ReleaseStep

CLASSES = 10


class Restriction:
    """The steps of one door."""

    __slots__ = ("_from_s", "_rng", "_shares")

    def __init__(self, steps: Sequence[ReleaseStep], rng: Random) -> None:
        """`steps` by time. Before the first one everybody may register."""
        self._from_s = [step.from_s for step in steps]
        self._shares = [1.0, *(step.share for step in steps)]
        self._rng = rng

    def lets_in(self, sender: Hashable | None, now: float) -> bool:
        """Whether `sender` may register now; somebody whose name is not known takes part in a lottery."""
        share = self._shares[bisect_right(self._from_s, now)]
        if share >= 1.0:
            return True
        if sender is None:
            return self._rng.random() < share
        return int(str(sender)[-1]) < round(share * CLASSES)
