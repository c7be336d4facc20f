"""The UDM and HSS units of the simulator as the scenario has them."""

from random import Random

from regstorm.overload import compose
from regstorm.overload.protected_server import ProtectedServer
from regstorm.records.nodes import Node
from regstorm.records.scenario import Scenario
from regstorm.records.strategy import Strategy
from regstorm.simulator import events
from regstorm.simulator.calls import Call
from regstorm.simulator.engine import EventHeap
from regstorm.simulator.stations import Station


def udm_units(scenario: Scenario, strategy: Strategy, heap: EventHeap, seed: int) -> list[Station[Call]]:
    """By node; where the HSS is apart, its units behind those of all UDMs."""
    core = scenario.core
    kinds = [("UDM", core.udm.capacity_pairs_per_s)]
    if core.udm.layout == "5gc_apart" and scenario.population.ims:
        kinds.append(("HSS", core.udm.hss_capacity))
    units: list[Station[Call]] = []
    for name, capacity in kinds:
        for place, node in enumerate(core.udm_nodes):

            def make(
                under: Strategy,
                node: Node = node,
                capacity: float = capacity,
                stream: str = f"{seed} {name} {place}" if place else f"{seed} {name}",
            ) -> ProtectedServer[Call]:
                shedding = core.udm.shedding_in_force
                if node.rejection_cost is not None:
                    shedding = shedding.model_copy(update={"rejection_cost": node.rejection_cost})
                return compose.server(shedding, capacity * node.part_of_capacity, under, Random(stream))

            units.append(Station(make, strategy, heap, events.UDM_FINISHES, len(units)))
    return units


def rejection_costs(scenario: Scenario) -> list[float]:
    """By node: what a pair that is shed costs, in pairs."""
    usual = scenario.core.udm.shedding_in_force.rejection_cost
    return [usual if node.rejection_cost is None else node.rejection_cost for node in scenario.core.udm_nodes]
