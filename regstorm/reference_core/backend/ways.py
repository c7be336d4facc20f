"""How octets travel between a carrier and a door: what a driver hands over, and what it is handed.

A way is ordered and reliable (TCP). Whoever drives it tells the receiver what has arrived and, once, that it is over.
"""

from collections.abc import Callable
from typing import NamedTuple, Protocol

from regstorm.records.operations import Nf


class Way(NamedTuple):
    """One connection, as its near end sees it."""

    send: Callable[[bytes], None]
    """Queues octets; never calls back."""
    close: Callable[[], None]
    """Ends it once everything sent has gone. Harmless if it is over."""


class Receiver(Protocol):
    """Who owns a connection's near end."""

    def receive(self, octets: bytes, now: float) -> None:
        """These have arrived. No octets raise anything."""

    def lost(self, now: float) -> None:
        """The connection is over, whoever ended it; nothing comes after that."""


Dial = Callable[[Nf, Receiver, float], Way]
"""dial(consumer, receiver, now): a connection to the door, at once, perhaps still connecting."""
