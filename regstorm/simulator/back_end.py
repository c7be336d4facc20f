"""The back end of the simulator: the bus to the UDM and the UDM itself, pair by pair.

A stage's pairs are asked for one after the other. A request takes a hop for each function on its way; the UDM serves
or sheds it. Who asked waits `timeout_s` and asks again `retries` times; an answer to a request that was given up
meets a closed stream. What is at the UDM is worked off even if nobody waits for it any more.
"""

from random import Random
from typing import Final, NamedTuple, Protocol

from regstorm.overload import compose
from regstorm.overload.protected_server import ProtectedServer
from regstorm.overload.tiers import TierTable
from regstorm.records import counters
from regstorm.records.message_classes import MessageClass
from regstorm.records.scenario import Scenario
from regstorm.records.strategy import Strategy
from regstorm.reference_core.pair_ledger import PairLedger
from regstorm.simulator import events
from regstorm.simulator.chain import Pair, Stage
from regstorm.simulator.engine import EventHeap, Patience
from regstorm.simulator.population import Population
from regstorm.simulator.tally import SecondTally

_HOP_BITS: Final = 2
_HOP_MASK: Final = (1 << _HOP_BITS) - 1
_MOST_HOPS: Final = _HOP_MASK
"""Between a request's cause and the function next to the UDM."""


class Asker(Protocol):
    """The AMF: what becomes of the pairs it asked for."""

    ledger: PairLedger

    def pairs_answered(self, ue: int, index: int, now: float) -> None:
        """Every pair of the stage has its answer."""

    def back_end_failed(self, ue: int, index: int, now: float) -> None:
        """One of them has none, and no more retries."""

    def late_pairs_over(self, ue: int) -> None:
        """Those that nobody waits for are answered, or will not be."""


class _Charge:
    """What a pair costs, how far it is and where it is counted, looked up once."""

    __slots__ = ("cost", "dropped", "hops", "offered", "served", "tier")

    def __init__(self, pair: Pair, tier: int, cost: float) -> None:
        self.hops = pair.hops
        self.tier = tier
        self.cost = cost
        interface = pair.operation.interface
        self.offered = f"{counters.UDM_OFFERED}.{interface}"
        self.served = f"{counters.UDM_SERVED}.{interface}"
        self.dropped = f"{counters.UDM_DROPPED}.{interface}"


class _Call:
    """The pairs of one stage, asked for one after the other. `number` is that of the request whose answer counts."""

    __slots__ = ("account", "charges", "late", "number", "position", "stage", "tries_left", "ue")

    def __init__(self, ue: int, stage: int, charges: "tuple[_Charge, ...]", account: int, late: bool) -> None:
        self.ue = ue
        self.stage = stage
        self.charges = charges
        self.account = account
        self.late = late
        self.position = 0
        self.tries_left = 0
        self.number = 0


_Request = tuple[_Call, int, _Charge]
"""A request, its number, and what it costs."""


class _Charges(NamedTuple):
    """Of one stage."""

    following: tuple[_Charge, ...]
    """Of a stage that follows an admitted first message."""
    alone: tuple[_Charge, ...]
    """The same of a session that is asked for by itself."""
    late: tuple[_Charge, ...]


class BackEnd:
    """Bus and UDM for one population."""

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
        self._population = population
        self._heap = heap
        self._counts = tally.counts
        bus, udm = scenario.core.bus, scenario.core.udm
        self._hop_s, self._timeout_s, self._retries = bus.hop_s, bus.timeout_s, bus.retries
        tiers = compose.tier_table(strategy)
        self._charges = [[_charges(stage, tiers, udm.cost_per_operation) for stage in chain] for chain in chains]
        self.server: ProtectedServer[_Request] = compose.server(
            udm.shedding_in_force, udm.capacity_pairs_per_s, strategy, Random(f"{seed} UDM")
        )
        self._milli_pairs_per_rejection = 1000 * udm.shedding_in_force.rejection_cost
        self._server_finishes = False
        self._number = 0
        self._calls: dict[int, _Call] = {}
        """By number: requests whose timeout has not come."""
        self._on_the_way: dict[int, _Request] = {}
        """By number: requests that have not arrived."""
        self._patience = [Patience(heap, events.CALL_TIMEOUT, self._still_waits) for _ in range(_MOST_HOPS + 1)]
        """By hops before the request: timers of one length are only then started in the order of their ends."""
        self._asked: dict[int, _Call] = {}
        """By UE: what its running stage waits for."""

    def ask(self, ue: int, stage: int, account: int, now: float) -> None:
        """Asks for the pairs of a stage; `account` is the procedure's in the books.

        What the UE's stage before still waits for (it asks for another session now) is of no interest any more.
        """
        self.cancel(ue)
        population = self._population
        charges = self._charges[population.chain[ue]][stage]
        wanted = charges.following if population.follows_registration[ue] else charges.alone
        self._asked[ue] = call = _Call(ue, stage, wanted, account, late=False)
        self._send(call, now)

    def ask_late(self, ue: int, stage: int, account: int, now: float) -> None:
        """Asks for the pairs of a stage that nobody waits for."""
        charges = self._charges[self._population.chain[ue]][stage].late
        self._send(_Call(ue, stage, charges, account, late=True), now)

    def cancel(self, ue: int) -> None:
        """The UE's stage is over: an answer is of no interest any more."""
        call = self._asked.pop(ue, None)
        if call is not None:
            call.number = 0

    # --- the bus -----------------------------------------------------------------------------------------------------

    def _send(self, call: _Call, now: float) -> None:
        call.tries_left = self._retries
        hops = call.charges[call.position].hops - 1
        self._try(call, hops, now + hops * self._hop_s)

    def _try(self, call: _Call, hops: int, now: float) -> None:
        """From the function next to the UDM, which was reached after `hops`."""
        self._number = call.number = number = self._number + 1
        self._calls[number] = call
        self._on_the_way[number] = (call, number, call.charges[call.position])
        self._heap.at(now + self._hop_s, events.CALL_ARRIVES, number)
        self._patience[hops].start(now + self._timeout_s, number << _HOP_BITS | hops)

    def _still_waits(self, subject: int) -> bool:
        """Whether the request's timeout would tell anything; else the request is forgotten."""
        number = subject >> _HOP_BITS
        if self._calls[number].number == number:
            return True
        del self._calls[number]
        return False

    def timed_out(self, subject: int, now: float, _: int) -> None:
        """The patience for a request is over."""
        number = subject >> _HOP_BITS
        call = self._calls.pop(number)
        if call.number == number:
            self._give_up(call, now)
        self._patience[subject & _HOP_MASK].expired()

    def _give_up(self, call: _Call, now: float) -> None:
        """Once more, or the stage has failed."""
        self._counts[counters.BUS_TIMEOUTS] += 1
        if call.tries_left:
            call.tries_left -= 1
            self._counts[counters.BUS_RETRIES] += 1
            self._try(call, 0, now)
            return
        call.number = 0
        if call.late:
            self._counts[counters.AMF_BACKEND_FAILURES] += 1
            self._asker.late_pairs_over(call.ue)
        else:
            del self._asked[call.ue]
            self._asker.back_end_failed(call.ue, call.stage, now)

    def _answered(self, call: _Call, now: float) -> None:
        call.number = 0
        call.position += 1
        if call.position < len(call.charges):
            self._send(call, now)
        elif call.late:
            self._asker.late_pairs_over(call.ue)
        else:
            del self._asked[call.ue]
            self._asker.pairs_answered(call.ue, call.stage, now)

    # --- the UDM -----------------------------------------------------------------------------------------------------

    def arrives(self, number: int, now: float, _: int) -> None:
        """A request is at the UDM's front door, wanted or not."""
        request = self._on_the_way.pop(number)
        charge = request[2]
        counts = self._counts
        counts[counters.UDM_OFFERED] += 1
        counts[charge.offered] += 1
        if not self.server.offer(now, charge.tier, charge.cost, request):
            counts[counters.UDM_DROPPED] += 1
            counts[charge.dropped] += 1
            counts[counters.UDM_REJECTION_WORK] += round(self._milli_pairs_per_rejection * charge.cost)
        elif not self._server_finishes:
            self._await_server()

    def finishes(self, subject: int, now: float, _: int) -> None:
        """The UDM has served a pair."""
        call, number, charge = self.server.finish(now)
        self._await_server()
        counts = self._counts
        counts[counters.UDM_SERVED] += 1
        counts[charge.served] += 1
        self._asker.ledger.served(call.account, now)
        if call.number == number:
            self._answered(call, now)

    def _await_server(self) -> None:
        """One server, one event: when the job in service is done."""
        due_s = self.server.next_finish
        self._server_finishes = due_s is not None
        if due_s is not None:
            self._heap.at(due_s, events.UDM_FINISHES, 0)


def _charges(stage: Stage, tiers: TierTable, costs: dict[str, float]) -> _Charges:
    def charge(pair: Pair, message_class: MessageClass) -> _Charge:
        return _Charge(pair, tiers.tier(message_class), costs.get(pair.operation.name, 1.0))

    def row(first: MessageClass) -> tuple[_Charge, ...]:
        classes = [first, *[MessageClass.FOLLOW_UP] * len(stage.pairs)]
        return tuple(charge(pair, one) for pair, one in zip(stage.pairs, classes, strict=False))

    begins = any(pair.first for pair in stage.pairs)
    return _Charges(
        following=row(MessageClass.INITIAL_REGISTRATION if begins else MessageClass.FOLLOW_UP),
        alone=row(MessageClass.PDU_SESSION),
        late=tuple(charge(pair, MessageClass.FOLLOW_UP) for pair in stage.late_pairs),
    )
