"""A carrier's connections: one for each consumer, set up when first needed, and again after it was lost.

A connection that was lost is not set up again at once: what is asked meanwhile is lost as well, and the consumer's
timeout decides, as with any transport.
"""

from collections.abc import Callable
from typing import Generic, Protocol, TypeVar

from regstorm.records.operations import Nf
from regstorm.reference_core.backend.ways import Dial, Receiver, Way

RECONNECT_AFTER_S = 1.0
"""Between the loss of a connection and the next attempt (assumed)."""


class Connection(Receiver, Protocol):
    """One connection of one consumer."""

    ended_s: float | None
    """When it was over; None while it stands."""

    def begin(self, way: Way, now: float) -> None:
        """There is a way: what the protocol begins with goes out."""

    def beat(self, now: float) -> bool:
        """Asks the far end whether it is alive; False: it has not answered the last time."""


C = TypeVar("C", bound=Connection)


class Connections(Generic[C]):
    """By consumer."""

    def __init__(self, consumers: tuple[Nf, ...], make: Callable[[Nf], C], dial: Dial) -> None:
        self._consumers = consumers
        self._make = make
        self._dial = dial
        self._of: dict[Nf, C] = {}

    def of(self, consumer: Nf, now: float) -> C | None:
        """The consumer's connection; None if it was lost a moment ago."""
        known = self._of.get(consumer)
        if known is not None:
            if known.ended_s is None:
                return known
            if now < known.ended_s + RECONNECT_AFTER_S:
                return None
        made = self._of[consumer] = self._make(consumer)
        made.begin(self._dial(consumer, made, now), now)
        return made

    def beat(self, now: float) -> bool:
        """Asks on every connection; False if one of them has not answered the last time, or is lost."""
        alive = True
        for consumer in self._consumers:
            connection = self.of(consumer, now)
            alive = connection is not None and connection.beat(now) and alive
        return alive
