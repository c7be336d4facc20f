"""The AMF of the simulator: its own capacity, its front door, its procedures, and what it repeats.

Message by message, without bytes: what an uplink message costs, how long it waits, whether it is refused, lost or
answered. Every decision comes from regstorm.overload; the course of events is that of TS 23.502 4.2.2.2.2, 4.2.3.2
and 4.3.2.2.1, with the AMF's timers of TS 24.501 table 10.2.2.
"""

from random import Random
from typing import Final

from protocols.causes import FivegmmCause
from protocols.timers import GprsTimer2, GprsTimer3
from regstorm.overload import compose
from regstorm.overload.amplification import pairs_per_registration, uplink_messages_per_registration
from regstorm.overload.front_door import FrontDoor, Refused
from regstorm.overload.load_meter import LoadMeter
from regstorm.overload.protected_server import ProtectedServer
from regstorm.records import counters
from regstorm.records.message_classes import MessageClass
from regstorm.records.scenario import Scenario
from regstorm.records.strategy import Strategy
from regstorm.simulator import events
from regstorm.simulator.accounts import Accounts
from regstorm.simulator.back_end import BackEnd
from regstorm.simulator.chain import Chains, Repeats, Stage
from regstorm.simulator.engine import EventHeap
from regstorm.simulator.listener import Listener
from regstorm.simulator.population import NO_STAGE, Population
from regstorm.simulator.tally import SecondTally

NAS_TIMER_S: Final = 6.0
"""T3550, T3560, T3570 (TS 24.501 table 10.2.2)."""
NAS_RETRANSMISSIONS: Final = 4
"""The procedure is aborted at the expiry after the last of them."""

SERVICE_REQUEST: Final = 254
PERIODIC_UPDATE: Final = 253
"""Uplink messages beside the stages of a chain."""


class Core:
    """One AMF and what stands behind it, for one population."""

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
        self.listener: Listener
        self._chains: tuple[tuple[Stage, ...], ...] = tuple(chain.stages for chain in chains.all)
        self._population = population
        self._heap = heap
        self._counts = tally.counts
        amf, udm = scenario.core.amf, scenario.core.udm
        self._settings = amf
        self._rejection_cost = amf.shedding.rejection_cost
        self._hop_s = scenario.core.bus.hop_s
        self._activation_s = self._hop_s * len(scenario.network.dnns)
        self.door: FrontDoor = compose.front_door(
            strategy,
            udm.capacity_pairs_per_s,
            sum(pairs_per_registration(scenario).values()),
            uplink_messages_per_registration(scenario),
            Random(f"{seed} door"),
        )
        self._tiers = {one: self.door.tier(one) for one in MessageClass}
        self.server: ProtectedServer[tuple[int, int, int, bool]] = compose.server(
            amf.shedding, amf.capacity_messages_per_s, strategy, Random(f"{seed} AMF")
        )
        self._own_load = LoadMeter(self.server)
        self._server_finishes = False
        self._accounts = Accounts(tally)
        self.ledger = self._accounts.ledger
        self.back_end = BackEnd(scenario, strategy, self, population, self._chains, heap, tally, seed)
        self._udm_load = LoadMeter(self.back_end.server)

    # --- what a UE does ----------------------------------------------------------------------------------------------

    def connect(self, ue: int) -> None:
        """A new signalling connection: nothing is known of it yet."""
        population = self._population
        self.disconnect(ue)
        population.secured[ue] = population.shares_context(ue)

    def disconnect(self, ue: int) -> None:
        """The connection is gone: what runs for the UE is aborted; what is already at the UDM is worked off."""
        population = self._population
        population.connection[ue] = (population.connection[ue] + 1) & 0xFFFFFFFF
        population.follows_registration[ue] = 0
        if population.expected[ue] == population.worked_on[ue] == NO_STAGE:
            population.stage_end[ue] = 0
        else:
            self._counts[counters.AMF_ABANDONED] += 1
            self._end_procedure(ue)

    def uplink(self, ue: int, message: int, now: float) -> None:
        """A NAS message arrives: `message` is a stage of the UE's chain, or one of those above.

        The front door decides at once; what it lets in and what it rejects takes its share of the AMF's capacity.
        """
        counts = self._counts
        counts[counters.AMF_UPLINK] += 1
        message_class, first = self._classify(ue, message)
        decision = self.door.decide(now, message_class, first, ue, bool(self._population.secured[ue]))
        refused = isinstance(decision, Refused)
        if isinstance(decision, Refused):
            counts[counters.REFUSED_FIRST if decision.first else counters.REFUSED_FOLLOW_UP] += 1
            if decision.action == "drop" and message_class is not MessageClass.PDU_SESSION:
                return
        elif first:
            counts[counters.ADMITTED_FIRST] += 1
        cost = self._rejection_cost if refused else 1.0
        job = (ue, message, self._population.connection[ue], refused)
        if not self.server.offer(now, self._tiers[message_class], cost, job):
            counts[counters.AMF_DROPPED] += 1
        elif not self._server_finishes:
            self._await_server()

    def report_load(self, now: float) -> None:
        """Once a second: what the AMF and the UDM were asked for since the last time, told to the door."""
        self.door.observe(max(self._own_load(), self._udm_load()), now)

    def lose_contexts(self) -> None:
        """The AMF has restarted: it knows nobody."""
        self._population.known[:] = bytes(self._population.size)

    # --- the way in --------------------------------------------------------------------------------------------------

    def server_finishes(self, _: int, now: float, number: int) -> None:
        """The AMF has worked off a message: its procedure goes on, or its sender is told of the refusal."""
        ue, message, connection, refused = self.server.finish(now)
        self._await_server()
        if self._population.connection[ue] != connection:
            return
        if refused:
            self._refuse(ue, message, now)
        elif message >= PERIODIC_UPDATE:
            self._operation(ue, message, now)
        elif message == 0:
            self._begin_registration(ue, now)
        else:
            self._follow_up(ue, message, now)

    def _await_server(self) -> None:
        due_s = self.server.next_finish
        self._server_finishes = due_s is not None
        if due_s is not None:
            self._heap.at(due_s, events.AMF_FINISHES, 0)

    def _classify(self, ue: int, message: int) -> tuple[MessageClass, bool]:
        """The message's class, and whether it begins a procedure."""
        if message == 0:
            return MessageClass.INITIAL_REGISTRATION, True
        if message == SERVICE_REQUEST:
            return MessageClass.SERVICE_REQUEST, True
        if message == PERIODIC_UPDATE:
            return MessageClass.PERIODIC_UPDATE, True
        population = self._population
        if self._chains[population.chain[ue]][message].dnn is not None and not population.follows_registration[ue]:
            return MessageClass.PDU_SESSION, True
        return MessageClass.FOLLOW_UP, False

    def _refuse(self, ue: int, message: int, now: float) -> None:
        """5GMM #22 with T3346; a 5GSM message comes back with a back-off. What is accepted cannot be rejected."""
        population = self._population
        if message >= PERIODIC_UPDATE or message == 0:
            self._reject_for_congestion(ue, now)
            return
        stage = self._chains[population.chain[ue]][message]
        if stage.dnn is not None:
            self.listener.session_returned(ue, message, FivegmmCause.CONGESTION, self._back_off(), now)
        elif stage.timer == "T3550" or population.expected[ue] == population.worked_on[ue] == NO_STAGE:
            return
        else:
            if stage.secures:
                population.secured[ue] = 1  # refused as it is, it shows that the UE uses the new context
            self._reject_for_congestion(ue, now)

    # --- procedures --------------------------------------------------------------------------------------------------

    def _operation(self, ue: int, message: int, now: float) -> None:
        """A service request or a periodic update: the AMF has all that it needs, if it knows the UE."""
        if not self._population.shares_context(ue):
            self._reject(ue, FivegmmCause.UE_IDENTITY_CANNOT_BE_DERIVED, None, now)
        elif message == SERVICE_REQUEST:
            # the SMF is asked for each session's resources
            self._population.stage_end[ue] = self._heap.at(now + self._activation_s, events.STAGE_ENDS, ue)
        else:
            self.listener.accepted(ue, now)

    def _begin_registration(self, ue: int, now: float) -> None:
        self._accounts.write_off(ue)
        self._accounts.open(ue)
        population = self._population
        population.follows_registration[ue] = 1
        self._work_on(ue, 0, now)

    def _follow_up(self, ue: int, message: int, now: float) -> None:
        """An answer that the registration waits for, or a session request; a repetition of either is ignored."""
        population = self._population
        if population.expected[ue] == message:
            population.expected[ue] = NO_STAGE
            population.nas_timer[ue] = 0
            stage = self._chains[population.chain[ue]][message]
            if stage.timer != "T3550":
                self._work_on(ue, message, now)
        elif self._chains[population.chain[ue]][message].repeats is Repeats.UE and population.worked_on[ue] != message:
            self._accounts.open(ue)
            self._work_on(ue, message, now)

    def _work_on(self, ue: int, index: int, now: float) -> None:
        population = self._population
        population.worked_on[ue] = index
        stage = self._chains[population.chain[ue]][index]
        if stage.secures:
            population.secured[ue] = 1
            # should the rest fail, the UE comes back with this GUTI and the new context
            population.known[ue] = population.has_guti[ue]
        if stage.pairs:
            self.back_end.ask(ue, index, self._accounts.running(ue), now)
        else:
            self._end_stage(ue, index, now)

    def pairs_answered(self, ue: int, index: int, now: float) -> None:
        """Every pair of the stage has its answer."""
        population = self._population
        stage = self._chains[population.chain[ue]][index]
        if stage.dnn is not None and now >= population.idle_at[ue]:
            self.disconnect(ue)  # the base station has released the connection, and the session's set-up ends with it
        elif stage.hops_after:
            due_s = now + stage.hops_after * self._hop_s
            population.stage_end[ue] = self._heap.at(due_s, events.STAGE_ENDS, ue)
        else:
            self._end_stage(ue, index, now)

    def stage_ends(self, ue: int, now: float, number: int) -> None:
        """The last hop of a stage, or of a service request, is done."""
        population = self._population
        if number != population.stage_end[ue]:
            return
        population.stage_end[ue] = 0
        if population.worked_on[ue] == NO_STAGE:
            self.listener.accepted(ue, now)
        else:
            self._end_stage(ue, population.worked_on[ue], now)

    def _end_stage(self, ue: int, index: int, now: float) -> None:
        population = self._population
        population.worked_on[ue] = NO_STAGE
        stage = self._chains[population.chain[ue]][index]
        if stage.dnn is not None:
            account = self._accounts.running(ue)
            self.listener.session_accepted(ue, index, now)
            if stage.late_pairs:
                self.back_end.ask_late(ue, index, account, now)
            else:
                self.late_pairs_over(ue)
            return
        self._expect(ue, index + 1, now)
        if stage.accepts:
            population.known[ue] = 1
            self.listener.registered(ue, index + 1, now)
        else:
            self.listener.asked(ue, index + 1, now)

    def late_pairs_over(self, ue: int) -> None:
        """The network side of a session is complete, or will not be."""
        if self.listener.in_service(ue):
            self._accounts.settle(ue)
            self._population.follows_registration[ue] = 0

    def back_end_failed(self, ue: int, index: int, now: float) -> None:
        """A call of the stage got no answer: what the UE hears is a setting, and each makes another storm."""
        population = self._population
        self._counts[counters.AMF_BACKEND_FAILURES] += 1
        population.worked_on[ue] = NO_STAGE
        setting = self._settings.on_backend_failure
        session = self._chains[population.chain[ue]][index].dnn is not None
        self._accounts.write_off_running(ue)
        if setting == "silent":
            return
        congestion = setting == "22_t3346"
        if session:
            cause = FivegmmCause.CONGESTION if congestion else FivegmmCause.PAYLOAD_WAS_NOT_FORWARDED
            self.listener.session_returned(ue, index, cause, self._back_off() if congestion else None, now)
        elif congestion:
            self._reject_for_congestion(ue, now)
        else:
            self._reject(ue, FivegmmCause.PROTOCOL_ERROR_UNSPECIFIED, None, now)

    # --- what the AMF repeats ----------------------------------------------------------------------------------------

    def _expect(self, ue: int, index: int, now: float) -> None:
        population = self._population
        population.expected[ue] = index
        population.nas_repeats[ue] = 0
        population.nas_timer[ue] = self._heap.at(now + NAS_TIMER_S, events.NAS_TIMER, ue)

    def nas_timer_expired(self, ue: int, now: float, number: int) -> None:
        """T3550, T3560 or T3570: again, and at the fifth expiry no more."""
        population = self._population
        if number != population.nas_timer[ue]:
            return
        index = population.expected[ue]
        stage = self._chains[population.chain[ue]][index]
        if population.nas_repeats[ue] >= NAS_RETRANSMISSIONS:
            self.disconnect(ue)
            self.listener.released(ue, now)
            return
        population.nas_repeats[ue] += 1
        population.nas_timer[ue] = self._heap.at(now + NAS_TIMER_S, events.NAS_TIMER, ue)
        self._counts[counters.NAS_RETRANSMISSIONS] += 1
        self._counts[f"{counters.NAS_RETRANSMISSIONS}.{stage.timer}"] += 1
        if stage.timer == "T3550":
            self.listener.registered(ue, index, now)
        else:
            self.listener.asked(ue, index, now)

    # --- ends --------------------------------------------------------------------------------------------------------

    def _reject(self, ue: int, cause: FivegmmCause, t3346: GprsTimer2 | None, now: float) -> None:
        """REGISTRATION REJECT or SERVICE REJECT, and the connection is released."""
        protected = bool(self._population.secured[ue])
        self._counts[f"{counters.AMF_REJECTS}.{'protected' if protected else 'plain'}"] += 1
        self._end_procedure(ue)
        self.listener.rejected(ue, cause, t3346, protected, now)

    def _reject_for_congestion(self, ue: int, now: float) -> None:
        """5GMM #22 with the T3346 that the door draws for this UE."""
        t3346 = self.door.draw_t3346(now, ue, bool(self._population.secured[ue]))
        self._reject(ue, FivegmmCause.CONGESTION, t3346, now)

    def _back_off(self) -> GprsTimer3 | None:
        """The 5GSM back-off of one refused message: drawn as T3346 is, coded as the 5GSM timers are."""
        timer = self.door.draw_t3346()
        return None if timer is None or timer.seconds is None else GprsTimer3.of(timer.seconds)

    def _end_procedure(self, ue: int) -> None:
        population = self._population
        population.stage_end[ue] = 0
        if population.expected[ue] == population.worked_on[ue] == NO_STAGE:
            return
        population.expected[ue] = NO_STAGE
        population.worked_on[ue] = NO_STAGE
        population.nas_timer[ue] = 0
        self.back_end.cancel(ue)
        self._accounts.write_off_running(ue)
