"""What a storm on the paced clock needs of whoever takes part in it: UEs behind gNBs (population.py), or phones that
speak to an SBC without a 5GC (sip_population.py)."""

from collections.abc import Callable, Sequence
from typing import Protocol

from regstorm.drivers.n2 import GnbLink


class Seats(Protocol):
    """Which UE is who."""

    def take_outage(self) -> object:
        """The next UE of the outage group."""

    def take_online(self) -> object:
        """The next UE of the online group."""


class People(Protocol):
    """The UEs of one process."""

    @property
    def links(self) -> Sequence[GnbLink]:
        """Their gNBs."""

    @property
    def seats(self) -> Seats:
        """Taken before anything else."""

    def in_service_since_before(self, now: float, breathe: Callable[[], None]) -> None:
        """Every UE is registered; the core has its own copies."""

    def outage_begins(self, now: float) -> None:
        """The outage group loses its access."""

    def outage_ends(self, now: float) -> None:
        """The outage group comes back, one by one."""

    def close(self) -> None:
        """Lets go of sockets."""
