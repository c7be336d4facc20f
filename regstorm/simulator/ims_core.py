"""The IMS core of the simulator: SBC, CSCFs and application servers, message by message, without SIP.

Reads like docs/ims.md: what the SBC lets in goes to the I-CSCF (UAR), the S-CSCF (MAR and a challenge, or SAR and
200), and from there to both application servers, which ask the HSS for their data. What is decided at the door and in
the queues comes from regstorm.overload. Time-outs of a caller behind which another call runs are not played: the
HSS's silence ends a registration first.

ims_core.py      SBC, I-CSCF, S-CSCF
ims_services.py  application servers, third-party registration, the end of registrations, full service
"""

from collections.abc import Callable
from typing import Final

from regstorm.overload.front_door import Refused
from regstorm.overload.node_shares import Kind
from regstorm.records import ims_counters as counters
from regstorm.records.message_classes import MessageClass
from regstorm.records.node_counters import CAPACITY_OUT, COUNTED, SBC, of_node
from regstorm.records.operations import Nf
from regstorm.records.scenario import Scenario
from regstorm.records.strategy import Strategy
from regstorm.simulator import ims_chain
from regstorm.simulator.back_end import BackEnd
from regstorm.simulator.calls import Charges
from regstorm.simulator.engine import EventHeap
from regstorm.simulator.front import Front, sbcs
from regstorm.simulator.ims_nodes import ImsNodes
from regstorm.simulator.ims_population import ANSWERED, IN_PROGRESS, MESSAGE, UNKNOWN
from regstorm.simulator.ims_services import ImsServices
from regstorm.simulator.ledger import Account, Ledger
from regstorm.simulator.listener import SipResponse
from regstorm.simulator.node_tally import Levels, names_of_nodes
from regstorm.simulator.population import Population, Ue
from regstorm.simulator.stations import Homes, Station
from regstorm.simulator.tally import SecondTally
from ue_models.ims_rules import REGISTRATION_EXPIRES_S

Answered = Callable[[Ue, "Sip", float], None]

_MENDED: Final = frozenset((500, 503, 504))


class Sip:
    """A request of a UE, on its way through the core. `serial` tells it from the UE's others."""

    __slots__ = ("account", "answers", "first", "message_class", "method", "serial", "ue", "vouched")

    def __init__(self, ue: Ue, serial: int, method: int, answers: bool, vouched: bool, kind: MessageClass) -> None:
        self.ue = ue
        self.serial = serial
        self.method = method
        self.answers = answers
        self.vouched = vouched
        """The P-CSCF knows the address (ip-assoc-yes): no challenge."""
        self.message_class = kind
        self.first = not answers
        self.account: Account | None = None


class ImsCore(ImsServices):
    """For one population."""

    def __init__(
        self,
        scenario: Scenario,
        strategy: Strategy,
        population: Population,
        ledger: Ledger,
        back_end: BackEnd,
        heap: EventHeap,
        tally: SecondTally,
        seed: int,
    ) -> None:
        super().__init__(scenario, population, ledger, back_end, heap, tally, seed)
        self.homes = Homes(scenario.core.sbc_nodes, Kind.SBC, population.size)
        self.fronts: list[Front[tuple[Sip, bool]]] = sbcs(scenario, strategy, heap, seed)
        self._names = names_of_nodes(SBC, self.homes.nodes, COUNTED[SBC])
        self._out = Levels(tally)
        self.nodes = ImsNodes(scenario, strategy, heap, tally, seed)
        self._asks_longer = population.asks_longer
        self._on_hss_failure = scenario.core.ims.on_hss_failure
        shortest_s = scenario.core.ims.min_expires_s
        self._too_brief = SipResponse(423, min_expires_s=shortest_s) if shortest_s > REGISTRATION_EXPIRES_S else None
        self._authorization: dict[MessageClass, Charges]
        self._follow_strategy()

    # --- what happens to the core ------------------------------------------------------------------------------------

    def take_strategy(self, strategy: Strategy) -> None:
        """Another overload control from now on; the back end has it already."""
        for front in self.fronts:
            front.take_strategy(strategy)
        self.nodes.take_strategy(strategy)
        self._follow_strategy()

    def take_capacity(self, name: str, factor: float) -> bool:
        """The SBC of that name can do this part of what it could; False: it is none.

        A lost one is silent, and knows nobody when it is back. Its users find out by Timer F: they have its addresses
        until their ims session comes up anew.
        """
        place = self.homes.place_of(name)
        if place is None:
            return False
        station = self.fronts[place].station
        station.take_capacity(factor)
        self._out.tell(of_node(SBC, CAPACITY_OUT, name), station.milli_capacity_out(factor))
        for index in self.homes.note(place, factor):
            self._forget(self._ues[index])
        return True

    def session_comes_up(self, ue: Ue) -> None:
        """The SMF tells the UE the addresses of its SBC."""
        if self.homes.assign(ue.index):
            self._forget(ue)

    def _forget(self, ue: Ue) -> None:
        """The SBC knows nothing of the UE."""
        ue.ims_bound = ue.ims_challenged_at_sbc = False
        ue.ims_transaction = UNKNOWN

    def _follow_strategy(self) -> None:
        charge, (authorization,) = self._back_end.charge, ims_chain.AUTHORIZATION
        self._authorization = {one: (charge(authorization, one),) for one in MessageClass}
        self._tier = self.nodes.tiers.tier
        self._price()

    # --- the SBC -----------------------------------------------------------------------------------------------------

    def receive(self, ue: Ue, now: float) -> None:
        """The UE's request arrives, for the first time or again."""
        counts = self._counts
        place = self.homes.of[ue.index]
        if self.fronts[place].station.lost:
            return
        state = ue.ims_transaction
        if state != UNKNOWN:
            counts[counters.SBC_RETRANSMISSIONS] += 1
            if state == ANSWERED and ue in self._unheard:
                self._say(ue, self._unheard.pop(ue), now)
            return
        self._count(place, counters.SBC_REQUESTS)
        ue.ims_transaction = IN_PROGRESS
        self._decide(self._classified(ue), now)

    def _classified(self, ue: Ue) -> Sip:
        method, serial = ue.ims_runs, ue.ims_serial
        bound = ue.ims_bound
        if method == MESSAGE:
            return Sip(ue, serial, method, False, bound, MessageClass.SERVICE_REQUEST)
        if ue.ims_answers and ue.ims_challenged_at_sbc:
            return Sip(ue, serial, method, True, False, MessageClass.FOLLOW_UP)
        own = MessageClass.PERIODIC_UPDATE if bound else MessageClass.INITIAL_REGISTRATION
        return Sip(ue, serial, method, False, bound, own)

    def _decide(self, request: Sip, now: float) -> None:
        place = self.homes.of[request.ue.index]
        front = self.fronts[place]
        decision = front.door.decide(now, request.message_class, request.first)
        refused = isinstance(decision, Refused)
        if isinstance(decision, Refused):
            self._count(place, counters.SBC_REFUSED_FIRST if decision.first else counters.SBC_REFUSED_FOLLOW_UP)
            if decision.action == "drop":
                self._forget_transaction(request)
                return
        elif request.first:
            self._count(place, counters.SBC_ADMITTED_FIRST)
        cost = front.rejection_cost if refused else 1.0
        if not front.station.server.offer(now, self._tier(request.message_class), cost, (request, refused)):
            self._count(place, counters.SBC_DROPPED)
            self._forget_transaction(request)

    def _count(self, place: int, counter: str) -> None:
        """For all SBCs, and for the one at `place` if there are several."""
        self._counts[counter] += 1
        name = self._names[place].get(counter)
        if name is not None:
            self._counts[name] += 1

    def _forget_transaction(self, request: Sip) -> None:
        if request.ue.ims_serial == request.serial:
            request.ue.ims_transaction = UNKNOWN

    def sbc_finishes(self, sbc: Station[tuple[Sip, bool]], now: float, number: int) -> None:
        """An SBC has worked off a request."""
        if now != sbc.server.next_finish:
            return
        request, refused = sbc.server.finish(now)
        if refused:
            if not request.first and request.method != MESSAGE:
                self._ledger.failed_in_ims(request.ue)
            self._answer(request, SipResponse(503, self._retry_after_s(request)), now)
        elif request.method == MESSAGE:
            self._pass_message_on(request, now)
        else:
            self._register(request, now)

    def _register(self, request: Sip, now: float) -> None:
        ue, ledger = request.ue, self._ledger
        if not request.first:
            request.account = ue.account_in_ims
        elif request.vouched:
            request.account = ledger.refresh_in_ims(ue)
        else:
            request.account = ledger.begin_in_ims(ue)
        tier = self._tier(request.message_class)
        self.nodes.send(Nf.ICSCF, tier, self._at_icscf, self._shed, request, now)

    def _pass_message_on(self, request: Sip, now: float) -> None:
        """Whom the SBC does not know has to register first."""
        if not request.vouched:
            self._answer(request, SipResponse(504, restoration=True), now)
            return
        tier = self._tier(MessageClass.SERVICE_REQUEST)
        self.nodes.send(Nf.SCSCF, tier, self._message_at_scscf, self._shed, request, now)

    # --- I-CSCF and S-CSCF -------------------------------------------------------------------------------------------

    def _at_icscf(self, request: Sip, now: float) -> None:
        charges = self._authorization[request.message_class]
        self._ask(request, charges, self._authorized, now)

    def _ask(self, request: Sip, charges: Charges, answered: Answered, now: float) -> None:
        """A pair on Cx for a request."""
        self._back_end.ask_for(request.ue, request, charges, request.account, answered, self._hss_failed, now)

    def _authorized(self, ue: Ue, request: Sip, now: float) -> None:
        self.nodes.send(Nf.SCSCF, self._follow_up, self._at_scscf, self._shed, request, now)

    def _at_scscf(self, request: Sip, now: float) -> None:
        """Does it ask for long enough (RFC 3261 10.3), and prove who it is? If not, 423 or a challenge."""
        ue = request.ue
        if self._too_brief is not None and not self._asks_longer[ue.index]:
            self._ledger.failed_in_ims(ue)
            self._answer(request, self._too_brief, now)
        elif request.answers and self._awaits_answer[ue.index]:
            self._awaits_answer[ue.index] = False
            self._ask(request, self._assignment, self._assigned, now)
        elif self.known_until_s[ue.index] and request.vouched:
            self._ask(request, self._assignment, self._assigned, now)
        else:
            self._ask(request, self._challenge, self._challenged, now)

    def _challenged(self, ue: Ue, request: Sip, now: float) -> None:
        self._counts[counters.CHALLENGES] += 1
        self._awaits_answer[ue.index] = ue.ims_challenged_at_sbc = True
        self._respond(request, 401, now)

    def _assigned(self, ue: Ue, request: Sip, now: float) -> None:
        self._counts[counters.REREGISTERED if self.known_until_s[ue.index] else counters.REGISTERED] += 1
        self.registered(ue, request.account, now)
        self._ledger.succeeded_in_ims(ue, self.serves(ue))
        ue.ims_bound = ue.ims_serial == request.serial
        ue.ims_challenged_at_sbc = False
        self._respond(request, 200, now)

    def _hss_failed(self, ue: Ue, request: Sip, now: float) -> None:
        self._counts[counters.HSS_FAILURES] += 1
        self._ledger.failed_in_ims(ue)
        self._respond(request, self._on_hss_failure, now)

    def _shed(self, request: Sip, now: float) -> None:
        """A CSCF or an application server could not take it."""
        if request.method != MESSAGE:
            self._ledger.failed_in_ims(request.ue)
        self._respond(request, 503, now)

    def _message_at_scscf(self, request: Sip, now: float) -> None:
        if not self.known_until_s[request.ue.index]:
            self._respond(request, 403, now)
            return
        self.nodes.send(Nf.IP_SM_GW, self._follow_up, self._message_arrives, self._shed, request, now)

    def _message_arrives(self, request: Sip, now: float) -> None:
        self._counts[counters.MESSAGES] += 1
        self._respond(request, 202, now)

    # --- responses ---------------------------------------------------------------------------------------------------

    def _retry_after_s(self, request: Sip) -> int | None:
        return self.fronts[self.homes.of[request.ue.index]].door.draw_retry_after_s()

    def _respond(self, request: Sip, status: int, now: float) -> None:
        """500, 503 and 504 from behind do not leave the SBC without Retry-After, if the strategy has any."""
        retry_after_s = self._retry_after_s(request) if status in _MENDED else None
        if retry_after_s is not None:
            self._counts[counters.SBC_RETRY_AFTER_ADDED] += 1
        self._answer(request, SipResponse(status, retry_after_s), now)

    def _answer(self, request: Sip, response: SipResponse, now: float) -> None:
        self._counts[f"{counters.SBC_RESPONSES}.{response.status}"] += 1
        self._counts[counters.SBC_RESPONSES] += 1
        if request.ue.ims_serial == request.serial:
            request.ue.ims_transaction = ANSWERED
            self._say(request.ue, response, now)

    def _say(self, ue: Ue, response: SipResponse, now: float) -> None:
        if not self.listener.sip_response(ue, response, now):
            self._unheard[ue] = response
