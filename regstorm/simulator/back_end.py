"""The back end of the simulator: the bus to the UDM and HSS, and these themselves, pair by pair.

Pairs are asked for one after the other. A request takes a hop for each function on its way; the UDM serves or sheds
it. Who asked waits `timeout_s` and asks again `retries` times; an answer to a request that was given up meets a
closed stream. What is at the UDM is worked off even if nobody waits for it any more.
"""

from typing import Any, Final, NamedTuple, Protocol

from regstorm.overload import compose
from regstorm.overload.node_shares import Kind
from regstorm.records import counters
from regstorm.records.message_classes import MessageClass
from regstorm.records.node_counters import CAPACITY_OUT, HSS, UDM, of_node
from regstorm.records.operations import Nf
from regstorm.records.scenario import Scenario
from regstorm.records.strategy import Strategy
from regstorm.reference_core.bus import HEARTBEATS_LOST_UNTIL_DOWN
from regstorm.simulator import events
from regstorm.simulator.calls import Call, Charge, Charges, PairCounts, Told, unheard
from regstorm.simulator.chain import Pair, Stage
from regstorm.simulator.dra import Dra
from regstorm.simulator.engine import EventHeap
from regstorm.simulator.equal_waits import EqualWaits
from regstorm.simulator.ledger import Account, Ledger
from regstorm.simulator.node_tally import Levels, PairsByNode
from regstorm.simulator.population import Population, Ue
from regstorm.simulator.stations import Homes, Station
from regstorm.simulator.tally import SecondTally
from regstorm.simulator.udm_units import rejection_costs, udm_units

_MOST_HOPS_BEFORE: Final = 3
"""Between a request's cause and the function next to the UDM."""
_ASKED_BY_AMF: Final = "N8"
"""The interface on which nobody stands between the AMF and the UDM."""


class Asker(Protocol):
    """The AMF: what becomes of the pairs it asked for."""

    ledger: Ledger

    def pairs_answered(self, ue: Ue, index: int, now: float) -> None:
        """Every pair of the stage has its answer."""

    def back_end_failed(self, ue: Ue, index: int, now: float) -> None:
        """One of them has none, and no more retries."""

    def late_pairs_over(self, ue: Ue, index: int, now: float) -> None:
        """Those that nobody waits for are answered."""

    def late_pairs_failed(self, ue: Ue, index: int, now: float) -> None:
        """They will not be."""


class _StageCharges(NamedTuple):
    """Of one stage."""

    following: Charges
    """Of a stage that follows an admitted first message."""
    alone: Charges
    """The same of a session that is asked for by itself."""
    late: Charges


class BackEnd:
    """Bus, and UDM/HSS units, for one population."""

    def __init__(
        self,
        scenario: Scenario,
        strategy: Strategy,
        asker: Asker,
        population: Population,
        chains: tuple[tuple[Stage, ...], ...],
        heap: EventHeap,
        tally: SecondTally,
        seed: int,
    ) -> None:
        self._asker = asker
        self._enter = asker.ledger.enter
        self._pairs: dict[str, PairCounts] = {}
        """By interface."""
        self._chains = chains
        self._heap = heap
        self._counts = tally.counts
        bus = scenario.core.bus
        self._hop_s, self._retries = bus.hop_s, bus.retries
        self.homes = Homes(scenario.core.udm_nodes, Kind.UDM, population.size)
        self.units = udm_units(scenario, strategy, heap, seed)
        """By node; where the HSS is apart, its units stand behind those of all UDMs."""
        self._milli_pairs_per_rejection = [1000 * one for one in rejection_costs(scenario)] * 2
        self._cost_per_operation = scenario.core.udm.cost_per_operation
        several = len(self.homes.nodes) > 1
        self._by_node = PairsByNode(self.homes.nodes, tally) if several else None
        self._out = Levels(tally)
        self._says_refusals = scenario.core.udm.refusals == "answered"
        self._heartbeat_every_s = bus.heartbeat_every_s
        self._factors = [1.0] * len(self.homes.nodes)
        self._heard_of: dict[int, float] = {}
        """By event: what consumers will know of a node then."""
        self._hss_units_from = len(self.homes.nodes) if len(self.units) > len(self.homes.nodes) else 0
        self._stage_charges: list[list[_StageCharges]]
        self._dra = Dra(scenario, strategy, tally)
        self._waiting: list[EqualWaits[Call]] = [
            EqualWaits(heap, bus.timeout_s, events.CALL_TIMEOUT, hops) for hops in range(_MOST_HOPS_BEFORE + 1)
        ]
        """By the hops before the function next to the UDM: time-outs begin as many hops later."""
        self.take_strategy(strategy)

    def take_strategy(self, strategy: Strategy) -> None:
        """Tiers, and the order of the queues, of another strategy. What is under way keeps its tier."""
        self._tiers = compose.tier_table(strategy)
        self._dra.take_strategy(strategy)
        self._stage_charges = [[self._charges_of(stage) for stage in chain] for chain in self._chains]
        for unit in self.units:
            unit.take_strategy(strategy)

    def take_capacity(self, name: str, factor: float, now: float) -> bool:
        """The node of that name can do this part of what it could; False: it is no UDM.

        Whoever calls it learns by its heartbeats that it is lost, or there again; until then it is called in vain.
        """
        place = self.homes.place_of(name)
        if place is None:
            return False
        for kind, unit in zip((UDM, HSS), self.units[place :: len(self.homes.nodes)], strict=False):
            unit.take_capacity(factor)
            self._out.tell(of_node(kind, CAPACITY_OUT, name), unit.milli_capacity_out(factor))
        self._factors[place] = factor
        beats = HEARTBEATS_LOST_UNTIL_DOWN if factor <= 0 else 1
        event = self._heap.at(now + beats * self._heartbeat_every_s, events.NODE_HEARD, place)
        self._heard_of[event] = factor
        return True

    def node_heard(self, place: int, now: float, event: int) -> None:
        """Consumers know now; unless it has changed again meanwhile."""
        factor = self._heard_of.pop(event)
        if self._factors[place] == factor:
            self.homes.change(place, factor)

    # --- what others ask for -----------------------------------------------------------------------------------------

    def ask(self, ue: Ue, stage: int, account: Account | None, now: float) -> None:
        """Asks for the pairs of a stage; `account` is the procedure's in the books.

        What the UE's stage before still waits for (it asks for another session now) is of no interest any more.
        """
        self.cancel(ue)
        charges = self._stage_charges[ue.chain][stage]
        wanted = charges.following if ue.follows_registration else charges.alone
        ue.asked = call = Call(ue, stage, iter(wanted), account, self._stage_answered, self._stage_failed)
        self._begin(call, now)

    def ask_late(self, ue: Ue, stage: int, account: Account | None, now: float) -> None:
        """Asks for the pairs of a stage that nobody waits for."""
        asker = self._asker
        late = self.late_charges(ue, stage)
        self.ask_for(ue, stage, late, account, asker.late_pairs_over, asker.late_pairs_failed, now)

    def late_charges(self, ue: Ue, stage: int) -> Charges:
        """What these cost."""
        return self._stage_charges[ue.chain][stage].late

    def ask_for(
        self, ue: Ue, tag: Any, charges: Charges, account: Account | None, answered: Told, failed: Told, now: float
    ) -> None:
        """Asks for any pairs; one of `answered` and `failed` is called with the tag."""
        self._begin(Call(ue, tag, iter(charges), account, answered, failed), now)

    def cancel(self, ue: Ue) -> None:
        """The UE's stage is over: an answer is of no interest any more. What the AUSF or the SMF asks for in its course
        they ask for all the same: they do not hear of that."""
        call = ue.asked
        if call is None:
            return
        ue.asked = None
        if call.charge.interface == _ASKED_BY_AMF:
            call.stop_waiting()
        else:
            call.answered = call.failed = unheard

    def charge(self, pair: Pair, message_class: MessageClass) -> Charge:
        """What the pair costs as part of a message of that class, under the strategy in force."""
        cost = self._cost_per_operation.get(pair.operation.name, 1.0)
        interface = pair.operation.interface
        counts = self._pairs.setdefault(interface, PairCounts(interface, self._asker.ledger.sums.one(interface)))
        hops = pair.hops - 1
        tier = self._tiers.tier(message_class)
        stations = self.units[self._hss_units_from :] if pair.operation.server is Nf.HSS else self.units
        return Charge(pair, tier, cost, hops * self._hop_s, self._waiting[hops], stations, counts)

    def count_pairs(self) -> None:
        """Adds the pairs of the second that ends to what was counted in it."""
        for pairs in self._pairs.values():
            pairs.hand_on(self._counts)

    def _stage_answered(self, ue: Ue, stage: int, now: float) -> None:
        ue.asked = None
        self._asker.pairs_answered(ue, stage, now)

    def _stage_failed(self, ue: Ue, stage: int, now: float) -> None:
        ue.asked = None
        self._asker.back_end_failed(ue, stage, now)

    # --- the bus -----------------------------------------------------------------------------------------------------

    def _begin(self, call: Call, now: float) -> None:
        call.tries_left = self._retries
        call.charge = charge = next(call.rest)
        self._send(call, charge.waits, now + charge.before_s)

    def _send(self, call: Call, waits: EqualWaits[Call], now: float) -> None:
        """The request for its pair, from the function next to the UDM."""
        self._heap.near(now + self._hop_s, events.CALL_ARRIVES, call)
        call.waiting = waits
        waits.begin(call, now)

    def timed_out(self, hops_before: int, now: float, _: int) -> None:
        """The patience for a request is over: it is sent once more, or the call has failed."""
        call = self._waiting[hops_before].over(now)
        if call is None:
            return
        call.waiting = None
        self._counts[counters.BUS_TIMEOUTS] += 1
        if not call.tries_left:
            call.failed(call.ue, call.tag, now)
            return
        self._counts[counters.BUS_RETRIES] += 1
        again = call.once_more()
        if call.ue.asked is call:
            call.ue.asked = again
        self._send(again, self._waiting[0], now)

    # --- the UDM -----------------------------------------------------------------------------------------------------

    def arrives(self, call: Call, now: float, _: int) -> None:
        """A request is at the front door of the UE's UDM, wanted or not."""
        charge = call.charge
        by_node = self._by_node
        station = charge.stations[0 if by_node is None else self.homes.of[call.ue.index]]  # one UDM: the first
        if charge.at_hss and self._dra.limits and not self._passes_dra(call, now):
            self._tell_refusal(call, now)
            return
        if station.lost:
            return
        charge.pairs.offered += 1
        if by_node is not None:
            by_node.count(station.place, counters.UDM_OFFERED, charge.interface)
        if not station.server.offer(now, charge.tier, charge.cost, call):
            self._shed(call, station.place, now)

    def _passes_dra(self, call: Call, now: float) -> bool:
        return self._dra.passes(self.homes.of[call.ue.index], call.charge.interface, now)

    def _shed(self, call: Call, unit: int, now: float) -> None:
        charge = call.charge
        charge.pairs.dropped += 1
        work = round(self._milli_pairs_per_rejection[unit] * charge.cost)
        self._counts[counters.UDM_REJECTION_WORK] += work
        if self._by_node is not None:
            self._by_node.count(unit, counters.UDM_DROPPED, charge.interface)
            self._by_node.count_work(unit, work)
        if self._says_refusals:
            self._tell_refusal(call, now)

    def _tell_refusal(self, call: Call, now: float) -> None:
        """An answer is no timeout: nobody repeats what was refused."""
        if call.waiting is not None:
            call.stop_waiting()
            call.failed(call.ue, call.tag, now)

    def finishes(self, unit: Station[Call], now: float, _: int) -> None:
        """A UDM has served a pair."""
        server = unit.server
        if now != server.next_finish:
            return
        call = server.finish(now)
        charge = call.charge
        pairs = charge.pairs
        pairs.served += 1
        if self._by_node is not None:
            self._by_node.count(unit.place, counters.UDM_SERVED, charge.interface)
        account = call.account
        if account is not None and account.pairs >= 0:  # as most are: not worth a call
            account.pairs += pairs.one
        else:
            self._enter(account, pairs.one)
        waiting = call.waiting
        if waiting is None:
            return
        del waiting.until[call]
        following = next(call.rest, None)
        if following is not None:
            call.charge = following
            call.tries_left = self._retries
            self._send(call, following.waits, now + following.before_s)
        else:
            call.waiting = None
            answered = call.answered  # not as a method: see protected_server.py
            answered(call.ue, call.tag, now)

    # --- set-up ------------------------------------------------------------------------------------------------------

    def _charges_of(self, stage: Stage) -> _StageCharges:
        def row(first: MessageClass) -> Charges:
            classes = [first, *[MessageClass.FOLLOW_UP] * len(stage.pairs)]
            return tuple(self.charge(pair, one) for pair, one in zip(stage.pairs, classes, strict=False))

        begins = any(pair.first for pair in stage.pairs)
        return _StageCharges(
            following=row(MessageClass.INITIAL_REGISTRATION if begins else MessageClass.FOLLOW_UP),
            alone=row(MessageClass.PDU_SESSION),
            late=tuple(self.charge(pair, MessageClass.FOLLOW_UP) for pair in stage.late_pairs),
        )
