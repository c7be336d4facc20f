"""The SIP nodes behind the SBC: each works its requests off one after the other, within a capacity of its own."""

from collections.abc import Callable
from random import Random
from typing import Any, Final

from regstorm.overload import compose
from regstorm.overload.protected_server import ProtectedServer
from regstorm.records import ims_counters as counters
from regstorm.records.operations import Nf
from regstorm.records.scenario import Scenario
from regstorm.records.strategy import Strategy
from regstorm.simulator import events
from regstorm.simulator.engine import EventHeap
from regstorm.simulator.stations import Station
from regstorm.simulator.tally import SecondTally

_NODES: Final = (Nf.ICSCF, Nf.SCSCF, Nf.TAS, Nf.IP_SM_GW)

Handler = Callable[[Any, float], None]
_Job = tuple[Handler, Any]
_Request = tuple[int, int, Handler, Handler, Any]
"""Node, tier, what to do when it has been worked off, or shed, and with what."""


class ImsNodes:
    """I-CSCF, S-CSCF, telephony AS and IP-SM-GW."""

    def __init__(self, scenario: Scenario, strategy: Strategy, heap: EventHeap, tally: SecondTally, seed: int) -> None:
        self.tiers = compose.tier_table(strategy)
        self._heap = heap
        self._counts = tally.counts
        self._hop_s = scenario.core.bus.hop_s
        self._place = {nf: place for place, nf in enumerate(_NODES)}
        ims = scenario.core.ims
        settings = (ims.cscf, ims.cscf, ims.application_server, ims.application_server)
        self._stations: list[Station[_Job]] = []
        for place, one in enumerate(settings):

            def make(under: Strategy, place: int = place, of: Any = one) -> ProtectedServer[_Job]:
                stream = Random(f"{seed} {_NODES[place]}")
                return compose.server(of.shedding, of.capacity_messages_per_s, under, stream)

            self._stations.append(Station(make, strategy, heap, events.IMS_NODE_FINISHES, place))

    def take_strategy(self, strategy: Strategy) -> None:
        """Queues in another order from now on."""
        self.tiers = compose.tier_table(strategy)
        for station in self._stations:
            station.take_strategy(strategy)

    def send(self, nf: Nf, tier: int, then: Handler, shed: Handler, what: Any, now: float) -> None:
        """A request to that node: a hop, its queue, and then `then(what, now)`, or `shed` if it could not take it."""
        request = (self._place[nf], tier, then, shed, what)
        self._heap.near(now + self._hop_s, events.IMS_ARRIVES, request)

    def arrives(self, request: _Request, now: float, _: int) -> None:
        """A request is there."""
        place, tier, then, shed, what = request
        if not self._stations[place].server.offer(now, tier, 1.0, (then, what)):
            self._counts[counters.NODE_DROPPED] += 1
            self._counts[f"{counters.NODE_DROPPED}.{_NODES[place]}"] += 1
            shed(what, now)

    def finishes(self, node: Station[_Job], now: float, number: int) -> None:
        """A request has been worked off."""
        if now == node.server.next_finish:
            then, what = node.server.finish(now)
            then(what, now)
