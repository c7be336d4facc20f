"""A node with a front door: an AMF or an SBC, with its gate, its own capacity, and the cost of a rejection."""

from collections.abc import Callable
from dataclasses import dataclass
from random import Random
from typing import Any, Generic, TypeVar

from regstorm.overload import compose
from regstorm.overload.amplification import back_ends, pairs_per_registration, uplink_messages_per_registration
from regstorm.overload.front_door import FrontDoor
from regstorm.overload.protected_server import ProtectedServer
from regstorm.overload.second_door import width_of_second_door
from regstorm.records.core_settings import Amf, Sbc
from regstorm.records.nodes import Node
from regstorm.records.operations import UPLINK_MESSAGES_PER_IMS_REGISTRATION
from regstorm.records.scenario import Scenario
from regstorm.records.strategy import Strategy
from regstorm.simulator import events
from regstorm.simulator.engine import EventHeap
from regstorm.simulator.stations import Station

SBC_DEPTH = 2.0
"""The SBC's bucket is deeper than the AMF's by this factor, as in the reference core (ims_core.py)."""

Job = TypeVar("Job")


@dataclass(slots=True)
class Front(Generic[Job]):
    """One AMF or SBC."""

    door: FrontDoor
    station: Station[Job]
    rejection_cost: float
    make_door: Callable[[Strategy], FrontDoor]
    uplink: int = 0
    """NAS messages since they were last counted."""

    def take_strategy(self, strategy: Strategy) -> None:
        """A new door, and the queue behind it in the strategy's order."""
        self.door = self.make_door(strategy)
        self.station.take_strategy(strategy)


def amfs(scenario: Scenario, strategy: Strategy, heap: EventHeap, seed: int) -> list[Front[Any]]:
    """Every AMF: its gate has its share of what all may admit together."""
    messages = uplink_messages_per_registration(scenario)
    core = scenario.core
    return [
        _front(
            scenario,
            core.amf,
            node,
            strategy,
            heap,
            (events.AMF_FINISHES, place),
            _stream(seed, "AMF", place),
            _door(scenario, messages, node.name, node.share, Random(_stream(seed, "door", place))),
        )
        for place, node in enumerate(core.amf_nodes)
    ]


def sbcs(scenario: Scenario, strategy: Strategy, heap: EventHeap, seed: int) -> list[Front[Any]]:
    """Every SBC, with a gate as wide as `share_of_amf` says."""
    core = scenario.core
    return [
        _front(
            scenario,
            core.sbc,
            node,
            strategy,
            heap,
            (events.SBC_FINISHES, place),
            _stream(seed, "SBC", place),
            _door(
                scenario,
                UPLINK_MESSAGES_PER_IMS_REGISTRATION,
                node.name,
                core.sbc.share_of_amf * node.share,
                Random(_stream(seed, "SBC door", place)),
                second=True,
            ),
        )
        for place, node in enumerate(core.sbc_nodes)
    ]


def _front(
    scenario: Scenario,
    kind: Amf | Sbc,
    node: Node,
    strategy: Strategy,
    heap: EventHeap,
    event: tuple[int, int],
    stream: str,
    make_door: Callable[[Strategy], FrontDoor],
) -> Front[Any]:
    shedding = kind.shedding
    if node.rejection_cost is not None:
        shedding = shedding.model_copy(update={"rejection_cost": node.rejection_cost})
    capacity = kind.capacity_messages_per_s * node.part_of_capacity

    def make(under: Strategy) -> ProtectedServer[Job]:
        return compose.server(shedding, capacity, under, Random(stream))

    return Front(make_door(strategy), Station(make, strategy, heap, *event), shedding.rejection_cost, make_door)


def _door(
    scenario: Scenario,
    messages_per_ue: int,
    node: str,
    share: float,
    rng: Random,
    second: bool = False,
) -> Callable[[Strategy], FrontDoor]:
    tightest = back_ends(scenario.core, pairs_per_registration(scenario))[0]

    def make(strategy: Strategy) -> FrontDoor:
        return compose.front_door(
            strategy,
            tightest.as_if_all_pairs_per_s,
            tightest.pairs_per_ue,
            messages_per_ue,
            rng,
            width=width_of_second_door(strategy, share) if second else share,
            depth=SBC_DEPTH if second else 1.0,
            node=node,
        )

    return make


def _stream(seed: int, name: str, place: int) -> str:
    """The first of a kind has the name of the only one."""
    return f"{seed} {name} {place}" if place else f"{seed} {name}"
