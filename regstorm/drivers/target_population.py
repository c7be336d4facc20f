"""The population of a storm against a core that is not ours: nothing is there from before, and nothing is left behind.

Everybody registers first, at a rate of the target's choosing; then the outage, as our gNBs or somebody's command make
it; at the end everybody deregisters. Only what UEs see can be measured.
"""

from collections.abc import Callable
from itertools import cycle

from protocols.credentials import Credentials
from regstorm.drivers.association import Association
from regstorm.drivers.leaving import leave
from regstorm.drivers.lockstep import Ended
from regstorm.drivers.paced_population import PacedPopulation
from regstorm.drivers.population import Population
from regstorm.drivers.transports import transport_named
from regstorm.drivers.ue_seats import Share, TraceOf, UeSeats, go_on
from regstorm.measures.ue_counts import AttemptListener
from regstorm.records.scenario import Scenario
from regstorm.records.target import Target

SPEED = 1.0
"""Somebody else's core knows no other clock than the wall's."""
LEAVE_GUARD_S = 20.0  # scenario seconds for the last deregistrations: four times T3521 would be 60, assumed enough


class TargetPopulation(PacedPopulation):
    """A share of the population that meets `target`."""

    population: Population
    seats: UeSeats

    def __init__(
        self,
        scenario: Scenario,
        seed: int,
        target: Target,
        attempts: AttemptListener,
        share: Share,
        trace_of: TraceOf,
        attempts_per_wall_s: float,
    ) -> None:
        self.target = target
        self._amfs = cycle(target.addresses)
        super().__init__(
            scenario,
            seed,
            SPEED,
            target.addresses[0],
            transport_named(target.transport),
            attempts,
            share,
            trace_of,
            attempts_per_wall_s,
            credentials_of=lambda index: credentials_of(target, index),
        )

    def get_ready(self, breathe: Callable[[], None] = go_on) -> None:
        """Nobody is in service yet."""

    def run(self, zero: float, finished: Callable[[], bool] = lambda: False) -> Ended:
        """As any population; everybody registers before the outage."""
        rate = self.target.register_per_s / self.population.share.parts
        for number, ue in enumerate(self.seats.everybody):
            self.clock.at(1.0 + number / rate, ue.power_on)
        return super().run(zero, finished)

    def leave(self) -> None:
        """Everybody deregisters, as fast as they came; returns when they have, or after a while."""
        if not self.target.deregister or not self.begun:
            return
        per_s = self.target.register_per_s / self.population.share.parts
        leave(self.clock, self.seats.everybody, per_s, lambda ue: ue.state.registered, LEAVE_GUARD_S)

    def _core_has_a_say(self) -> bool:
        """What it holds for its users is not ours to see."""
        return False

    def _dial(self, number: int, now: float) -> Association:
        return self.clock.connect(self._transport, next(self._amfs))

    def _outage_begins(self, now: float) -> None:
        if self.target.outage.how == "drop_n2":
            super()._outage_begins(now)
        else:  # the associations are left to whoever takes the core down
            for ue in self.seats.outage_group:
                ue.lose_coverage(now)

    def _outage_ends(self, now: float) -> None:
        if self.target.outage.how == "drop_n2":
            super()._outage_ends(now)
        else:
            self.population.ues_come_back(now)


def leaving_s(target: Target, ues: int) -> float:
    """The longest that leaving may take, in seconds."""
    return ues / target.register_per_s + LEAVE_GUARD_S if target.deregister else 0.0


def credentials_of(target: Target, index: int) -> Credentials:
    """Of the UE at that place of the population."""
    subscriber = target.subscriber(index)
    return Credentials(
        subscriber.supi,
        bytes.fromhex(subscriber.k),
        bytes.fromhex(subscriber.opc),
        bytes.fromhex(subscriber.amf),
        subscriber.sqn,
    )
