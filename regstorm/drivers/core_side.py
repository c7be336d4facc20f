"""The core of a storm behind its listener, and what the outage does to it.

One half of every storm, on either clock; the other half is population.py, in this process or in another one. Decides
nothing about overload (regstorm.overload).
"""

from collections.abc import Iterable
from itertools import chain
from random import Random

from protocols.credentials import home_network_private_keys
from regstorm.drivers.chance import stream_of_chance
from regstorm.drivers.n2 import Clock, CoreSide, Listen
from regstorm.records.population import Population
from regstorm.records.ports import Tally
from regstorm.records.scenario import Scenario
from regstorm.records.strategy import Strategy
from regstorm.reference_core.core import ReferenceCore


class CoreHalf:
    """The bundled core, listening for gNBs."""

    def __init__(
        self, scenario: Scenario, strategy: Strategy, seed: int, clock: Clock, tally: Tally, listen: Listen
    ) -> None:
        """`scenario` is that of the sample."""
        self.scenario = scenario
        population = scenario.population
        self.core = ReferenceCore(
            scenario.core,
            scenario.network,
            strategy,
            agenda=clock,
            rng=stream_of_chance(seed, "core"),
            tally=tally,
            seed=seed,
            population=population.outage_ues + population.online_ues,
            outage=scenario.outage,
            home_private_keys=home_network_private_keys(seed),
            ims=population.ims,
        )
        self.side = CoreSide(self.core, clock, listen)
        self._unprotected = _unprotected(population, stream_of_chance(seed, "unprotected"))

    def start(self, now: float) -> None:
        """Heartbeats begin."""
        self.core.start(now)

    def provision(self, outage_ues: int, online_ues: int) -> None:
        """So many UEs of each group are registered with their sessions up, by contexts from before the run."""
        first_online = self.scenario.population.outage_ues
        online: Iterable[int] = range(first_online, first_online + online_ues)
        self.core.provision(chain(range(outage_ues), online))

    def outage_begins(self, outage_ues: int, now: float) -> None:
        """The registrations of the outage group count as gone; if the AMF restarted, everybody's context is.

        If it has not, those of the share are that the scenario calls unprotected.
        """
        self.core.deregister_implicitly(range(outage_ues), now)
        self.core.forget((ue for ue in self._unprotected if ue < outage_ues), now)
        if self.scenario.outage.amf_context == "lost":
            self.core.lose_contexts(now)

    def take_capacity(self, nodes: Iterable[str], factor: float, now: float) -> None:
        """These nodes can do so much of what they could by the scenario from now on; 0: they are lost."""
        for node in nodes:
            self.core.take_capacity(node, factor, now)

    def close(self) -> None:
        """Lets go of the listener and of the associations."""
        self.side.close()


def _unprotected(population: Population, rng: Random) -> list[int]:
    """Those of the outage group whose context every outage takes: the same for all of a storm's outages."""
    share = population.unprotected
    return [ue for ue in range(population.outage_ues) if rng.random() < share] if share else []
