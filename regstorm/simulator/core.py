"""The AMFs of the simulator: their front doors and their own capacity.

Message by message, without bytes: what an uplink message costs, how long it waits, whether it is refused, lost or
answered. Every decision comes from regstorm.overload.

core.py            what comes in, and whether it may
amf_procedures.py  what becomes of what was let in
"""

from typing import Final

from protocols.causes import FivegmmCause
from regstorm.overload.front_door import FrontDoor, Refused
from regstorm.overload.load_meter import LoadMeter
from regstorm.records import counters
from regstorm.records.guided_counters import PRE_AUTHENTICATED
from regstorm.records.message_classes import MessageClass
from regstorm.records.node_counters import AMF, CAPACITY_OUT, of_node
from regstorm.records.scenario import Scenario
from regstorm.records.strategy import Strategy
from regstorm.simulator.amf_procedures import AmfProcedures, Job
from regstorm.simulator.chain import (
    DEREGISTRATION,
    PERIODIC_UPDATE,
    SERVICE_REQUEST,
    SESSION_RELEASE,
    SESSION_RELEASED,
    Chains,
)
from regstorm.simulator.engine import EventHeap
from regstorm.simulator.node_tally import Levels
from regstorm.simulator.population import Population, Ue
from regstorm.simulator.stations import Station
from regstorm.simulator.tally import SecondTally

_BESIDE_CHAINS: Final = {
    SERVICE_REQUEST: (MessageClass.SERVICE_REQUEST, True),
    PERIODIC_UPDATE: (MessageClass.PERIODIC_UPDATE, True),
    DEREGISTRATION: (MessageClass.DEREGISTRATION, True),
}
_ADMITTED, _REFUSED, _ON_PROBATION = range(3)
"""What the front door has said."""
_FOLLOW_UP: Final = (MessageClass.FOLLOW_UP, False)
_SESSION: Final = (MessageClass.PDU_SESSION, True)


class Core(AmfProcedures):
    """AMFs and what stands behind them, for one population."""

    def __init__(
        self,
        scenario: Scenario,
        strategy: Strategy,
        chains: Chains,
        population: Population,
        heap: EventHeap,
        tally: SecondTally,
        seed: int,
    ) -> None:
        """`scenario` is already that of the sample."""
        super().__init__(scenario, strategy, chains, population, heap, tally, seed)
        self._out = Levels(tally)
        self._follow_strategy()
        self._meter()

    @property
    def door(self) -> FrontDoor:
        """Of the first AMF."""
        return self.fronts[0].door

    # --- what happens to the core ------------------------------------------------------------------------------------

    def take_strategy(self, strategy: Strategy) -> None:
        """Another overload control from now on: new doors, and the queues behind them in its order."""
        for front in self.fronts:
            front.take_strategy(strategy)
        self.back_end.take_strategy(strategy)
        if self.ims is not None:
            self.ims.take_strategy(strategy)
        self._follow_strategy()

    def take_capacity(self, name: str, factor: float, now: float) -> None:
        """The node of that name can do this part of what it could; 0: it is lost."""
        if self.back_end.take_capacity(name, factor, now):
            self._meter()
            return
        if self.ims is not None and self.ims.take_capacity(name, factor):
            return
        place = self.homes.place_of(name)
        if place is None:
            return  # an SBC in a storm without IMS
        station = self.fronts[place].station
        station.take_capacity(factor)
        self._out.tell(of_node(AMF, CAPACITY_OUT, name), station.milli_capacity_out(factor))
        self._meter()
        for index in self.homes.take_capacity(place, factor):
            self._lose(self._ues[index], now)

    def _lose(self, ue: Ue, now: float) -> None:
        """The UE's AMF is gone: its context, and its connection if it had one."""
        ue.known = False
        if now < ue.idle_at_s or ue.guard is not None or self.busy_with(ue):
            self.disconnect(ue)
            self.listener.released(ue, now)

    def _follow_strategy(self) -> None:
        self._tiers = {one: self.door.tier(one) for one in MessageClass}
        self._udm_news.follow_strategy()

    def _meter(self) -> None:
        """New meters: what was asked for in the second that runs is not known to those of lost servers."""
        self._udm_loads = [LoadMeter(unit.server) for unit in self.back_end.units]
        self._own_loads = [LoadMeter(front.station.server) for front in self.fronts]

    # --- what a UE does ----------------------------------------------------------------------------------------------

    def uplink(self, ue: Ue, message: int, now: float) -> None:
        """A NAS message arrives: `message` is a stage of the UE's chain, or one of those that chain.py
        has beside them.

        The front door decides at once; what it lets in and what it rejects takes its share of the AMF's capacity.
        """
        place = self.homes.of[ue.index]
        front = self.fronts[place]
        if front.station.lost:  # no AMF is left: no base station has anybody to connect the UE to
            self.disconnect(ue)
            self.listener.released(ue, now)
            return
        front.uplink += 1
        message_class, first = self._classify(ue, message)
        secured = ue.secured
        name = ue.index if secured else None  # who it is has to be proven
        decision = front.door.decide(now, message_class, first, name, secured, probation=message == 0)
        fate, cost = _ADMITTED, 1.0
        if isinstance(decision, Refused):
            self._count(place, counters.REFUSED_FIRST if decision.first else counters.REFUSED_FOLLOW_UP)
            if decision.action == "drop" and message_class is not MessageClass.PDU_SESSION:
                return
            fate, cost = _REFUSED, front.rejection_cost
        elif decision.on_probation:
            fate = _ON_PROBATION
            self._counts[PRE_AUTHENTICATED] += 1
        elif first:
            self._count(place, counters.ADMITTED_FIRST)
        job = (ue, message, ue.connection, fate)
        if not front.station.server.offer(now, self._tiers[message_class], cost, job):
            self._count(place, counters.AMF_DROPPED)

    def count_messages(self) -> None:
        """Adds those of the second that ends to what was counted in it."""
        for place, front in enumerate(self.fronts):
            if front.uplink:
                self._count(place, counters.AMF_UPLINK, front.uplink)
                front.uplink = 0

    def report_load(self, now: float) -> None:
        """Once a second: every door hears of the highest load since the last time, of AMFs and UDMs."""
        load = max([load() for load in (*self._udm_loads, *self._own_loads)])
        for front in self.fronts:
            front.door.observe(load, now)

    def lose_contexts(self, everybody: bool) -> None:
        """The AMFs have restarted and know nobody; or only the share of UEs is forgotten that the scenario names."""
        for ue in self._ues if everybody else self._population.unprotected:
            ue.known = False
            self.homes.forget(ue.index)

    # --- the way in --------------------------------------------------------------------------------------------------

    def server_finishes(self, amf: Station[Job], now: float, number: int) -> None:
        """An AMF has worked off a message: its procedure goes on, or its sender is told of the refusal."""
        if now != amf.server.next_finish:
            return
        ue, message, connection, fate = amf.server.finish(now)
        if ue.connection != connection:
            return
        if fate == _REFUSED:
            self._refuse(ue, message, now)
        elif message >= SESSION_RELEASED:
            self._operation(ue, message, now)
        elif message == 0:
            self._on_probation[ue.index] = fate == _ON_PROBATION
            self._begin_registration(ue, now)
        else:
            self._follow_up(ue, message, now)

    def _classify(self, ue: Ue, message: int) -> tuple[MessageClass, bool]:
        """The message's class, and whether it begins a procedure."""
        if message == 0:
            return MessageClass.INITIAL_REGISTRATION, True
        if message > SESSION_RELEASE:
            return _BESIDE_CHAINS[message]
        if ue.follows_registration:
            return _FOLLOW_UP
        if message >= SESSION_RELEASED or self._chains[ue.chain][message].dnn is not None:
            return _SESSION
        return _FOLLOW_UP

    def _refuse(self, ue: Ue, message: int, now: float) -> None:
        """5GMM #22 with T3346; a 5GSM message comes back with a back-off. What is accepted cannot be rejected."""
        if message == SESSION_RELEASE:
            self.listener.session_released(ue, False, now)
            return
        if message == SESSION_RELEASED:
            return
        if message > SESSION_RELEASE or message == 0:
            self._reject_for_congestion(ue, now)
            return
        stage = self._chains[ue.chain][message]
        if stage.dnn is not None:
            self.listener.session_returned(ue, message, FivegmmCause.CONGESTION, self._back_off(ue), now)
        elif stage.timer == "T3550" or not self.busy_with(ue):
            return
        else:
            if stage.secures:
                ue.secured = True  # refused as it is, it shows that the UE uses the new context
            self._reject_for_congestion(ue, now)
