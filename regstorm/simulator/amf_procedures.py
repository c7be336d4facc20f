"""The procedures of the simulator's AMFs: registrations, sessions and what stands beside them, stage by stage.

The course of events is that of TS 23.502 4.2.2.2.2, 4.2.3.2 and 4.3.2.2.1, with the AMF's timers of TS 24.501 table
10.2.2.
"""

from random import Random
from typing import Final

from protocols.causes import FivegmmCause
from protocols.timers import GprsTimer2, GprsTimer3
from regstorm.overload.front_door import Refused
from regstorm.records import counters
from regstorm.records.node_counters import AMF, COUNTED
from regstorm.records.scenario import IMS_DNN, Scenario
from regstorm.records.strategy import Strategy
from regstorm.simulator import events
from regstorm.simulator.amf_set import AmfSet
from regstorm.simulator.back_end import BackEnd
from regstorm.simulator.chain import (
    DEREGISTRATION,
    SERVICE_REQUEST,
    SESSION_RELEASE,
    SESSION_RELEASED,
    Chains,
    Stage,
)
from regstorm.simulator.engine import EventHeap
from regstorm.simulator.equal_waits import EqualWaits
from regstorm.simulator.front import Front, amfs
from regstorm.simulator.ims_core import ImsCore
from regstorm.simulator.ledger import Ledger
from regstorm.simulator.listener import Listener
from regstorm.simulator.node_tally import names_of_nodes
from regstorm.simulator.population import NO_STAGE, Population, Ue
from regstorm.simulator.tally import SecondTally
from regstorm.simulator.udm_news import UdmNews

Job = tuple[Ue, int, int, int]
"""A message at an AMF: its UE, the message, on which connection, and what the front door has said."""

NAS_TIMER_S: Final = 6.0
"""T3550, T3560, T3570 (TS 24.501 table 10.2.2)."""


class AmfProcedures:
    """What the AMFs do for the UEs that were let in, with all that stands behind them."""

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
        self._ues = population.ues
        self._on_probation = bytearray(population.size)
        """By UE: its registration goes on to its authentication; then the door is asked again."""
        self._nas_timer: EqualWaits[Ue] = EqualWaits(heap, NAS_TIMER_S, events.NAS_TIMER)
        self._nas_repeats = bytearray(population.size)
        self._heap = heap
        self._counts = tally.counts
        self._settings = scenario.core.amf
        self._hop_s = scenario.core.bus.hop_s
        self.homes = AmfSet(scenario.core.amf_nodes, population.size, Random(f"{seed} AMF choice"))
        self.fronts: list[Front[Job]] = amfs(scenario, strategy, heap, seed)
        self._several = len(self.fronts) > 1
        self._names = names_of_nodes(AMF, self.homes.nodes, COUNTED[AMF])
        self.ledger = Ledger(population.ues, tally, by_interface=population.has_ims)
        self.back_end = BackEnd(scenario, strategy, self, population, self._chains, heap, tally, seed)
        self._udm_news = UdmNews(self.back_end, tally)
        self.ims: ImsCore | None = None
        if population.has_ims:
            self.ims = ImsCore(scenario, strategy, population, self.ledger, self.back_end, heap, tally, seed)

    def busy_with(self, ue: Ue) -> bool:
        """A procedure of the UE is under way."""
        return not ue.expected == ue.worked_on == NO_STAGE

    # --- the connection ----------------------------------------------------------------------------------------------

    def connect(self, ue: Ue) -> None:
        """A new signalling connection: nothing is known of it yet."""
        self.disconnect(ue)
        ue.known = self.homes.connect(ue.index, ue.has_guti)
        ue.secured = ue.shares_context

    def disconnect(self, ue: Ue) -> None:
        """The connection is gone: what runs for the UE is aborted; what is already at the UDM is worked off."""
        ue.connection += 1
        ue.follows_registration = False
        if not self.busy_with(ue):
            ue.stage_end = 0
        else:
            self._counts[counters.AMF_ABANDONED] += (ue.expected != NO_STAGE) + (ue.worked_on != NO_STAGE)
            self._end_procedure(ue)

    def _count(self, place: int, counter: str, times: int = 1) -> None:
        """For all AMFs, and for the one at `place` if there are several."""
        self._counts[counter] += times
        if self._several:
            self._counts[self._names[place][counter]] += times

    # --- procedures --------------------------------------------------------------------------------------------------

    def _operation(self, ue: Ue, message: int, now: float) -> None:
        """Beside the chains: the AMF has all that it needs, if it knows the UE."""
        if message == DEREGISTRATION:
            self._udm_news.leaves(ue, now)
            self.listener.deregistered(ue, now)
        elif message == SESSION_RELEASE:
            self.ledger.session_gone(ue, IMS_DNN)
            self.listener.session_released(ue, True, now)
        elif message == SESSION_RELEASED:
            self._udm_news.session_released(ue, now)
        elif not ue.shares_context:
            self._reject(ue, FivegmmCause.UE_IDENTITY_CANNOT_BE_DERIVED, None, now)
        elif message == SERVICE_REQUEST:
            # the SMF is asked for the resources of every session that has data
            self._end_stage_at(ue, now + self._hop_s * self.listener.sessions_with_data(ue))
        else:
            self.listener.accepted(ue, now)

    def _begin_registration(self, ue: Ue, now: float) -> None:
        self._udm_news.begins_anew(ue)
        self.ledger.write_off(ue)
        self.ledger.open(ue)
        ue.follows_registration = True
        self._work_on(ue, 0, now)

    def _follow_up(self, ue: Ue, message: int, now: float) -> None:
        """An answer that the registration waits for, or a session request; a repetition of either is ignored."""
        stage = self._chains[ue.chain][message]
        if ue.expected == message:
            ue.expected = NO_STAGE
            del self._nas_timer.until[ue]
            if stage.timer != "T3550":
                self._work_on(ue, message, now)
        elif stage.dnn is not None and ue.worked_on != message:
            if ue.worked_on != NO_STAGE:
                self.ledger.write_off_running(ue)  # the UE has given that session up, and will not take its accept
            self.ledger.session_gone(ue, stage.dnn)  # an initial request for a session that is there: that one is gone
            self.ledger.open(ue)
            self._work_on(ue, message, now)

    def _work_on(self, ue: Ue, index: int, now: float) -> None:
        ue.worked_on = index
        stage = self._chains[ue.chain][index]
        if stage.secures:
            ue.secured = True
            # should the rest fail, the UE comes back with this GUTI and the new context
            ue.known = ue.has_guti
            self.homes.knows(ue.index)
            if self._on_probation[ue.index] and not self._passes_probation(ue, now):
                return
        if stage.pairs:
            self.back_end.ask(ue, index, self.ledger.running(ue), now)
        else:
            self._end_stage(ue, index, now)

    def _passes_probation(self, ue: Ue, now: float) -> bool:
        """It has been authenticated: does the door let it go on, or is it to wait as anyone is?"""
        self._on_probation[ue.index] = False
        place = self.homes.of[ue.index]
        if not isinstance(self.fronts[place].door.after_probation(now, ue.index), Refused):
            self._count(place, counters.ADMITTED_FIRST)
            return True
        self._count(place, counters.REFUSED_FIRST)
        self._reject_for_congestion(ue, now)
        return False

    def pairs_answered(self, ue: Ue, index: int, now: float) -> None:
        """Every pair of the stage has its answer."""
        stage = self._chains[ue.chain][index]
        if stage.dnn is not None and now >= ue.idle_at_s:
            self.disconnect(ue)  # the base station has released the connection, and the session's set-up ends with it
        elif stage.hops_after:
            self._end_stage_at(ue, now + stage.hops_after * self._hop_s)
        else:
            self._end_stage(ue, index, now)

    def _end_stage_at(self, ue: Ue, due_s: float) -> None:
        ue.stage_end = self._heap.near(due_s, events.STAGE_ENDS, ue)

    def stage_ends(self, ue: Ue, now: float, number: int) -> None:
        """The last hop of a stage, or of a service request, is done."""
        if number != ue.stage_end:
            return
        ue.stage_end = 0
        if ue.worked_on == NO_STAGE:
            self.listener.accepted(ue, now)
            if self.listener.sessions_with_data(ue):
                self._udm_news.make_up(ue, now)
        else:
            self._end_stage(ue, ue.worked_on, now)

    def _end_stage(self, ue: Ue, index: int, now: float) -> None:
        ue.worked_on = NO_STAGE
        stage = self._chains[ue.chain][index]
        if stage.dnn is not None:
            account = self.ledger.running(ue)
            account.dnn = stage.dnn
            self._udm_news.comes_up(ue, index)
            if self.ims is not None and stage.dnn == IMS_DNN:
                self.ims.session_comes_up(ue)
            self.listener.session_accepted(ue, index, now)
            if stage.late_pairs:
                self.back_end.ask_late(ue, index, account, now)
            else:
                self.late_pairs_over(ue, index, now)
            return
        self._expect(ue, index + 1, now)
        if stage.accepts:
            ue.known = True
            self.homes.gives_guti(ue.index)
            self.listener.registered(ue, index + 1, now)
        else:
            self.listener.asked(ue, index + 1, now)

    def late_pairs_failed(self, ue: Ue, index: int, now: float) -> None:
        """The user has the session; the network lacks its registration at the UDM, which the next one makes."""
        self._counts[counters.AMF_BACKEND_FAILURES] += 1
        self._udm_news.lacks_registration(ue, index, now)
        self.late_pairs_over(ue, index, now)

    def late_pairs_over(self, ue: Ue, index: int, now: float) -> None:
        """The network side of a session is complete, or will not be."""
        if self.listener.in_service(ue):
            self.ledger.full_in_5gs(ue, served=self.ims is None or self.ims.serves(ue))
            ue.follows_registration = False

    def back_end_failed(self, ue: Ue, index: int, now: float) -> None:
        """A call of the stage got no answer: what the UE hears is a setting, and each makes another storm."""
        session = self._chains[ue.chain][index].dnn is not None
        if session and now >= ue.idle_at_s:
            self.disconnect(ue)  # the base station has released the connection, and the session's set-up ended with it
            return
        self._counts[counters.AMF_BACKEND_FAILURES] += 1
        ue.worked_on = NO_STAGE
        setting = self._settings.on_backend_failure
        self.ledger.write_off_running(ue)
        if setting == "silent":
            return
        congestion = setting == "22_t3346"
        if session:
            cause = FivegmmCause.CONGESTION if congestion else FivegmmCause.PAYLOAD_WAS_NOT_FORWARDED
            self.listener.session_returned(ue, index, cause, self._back_off(ue) if congestion else None, now)
        elif congestion:
            self._reject_for_congestion(ue, now)
        else:
            self._reject(ue, FivegmmCause.PROTOCOL_ERROR_UNSPECIFIED, None, now)

    # --- what the AMF repeats ----------------------------------------------------------------------------------------

    def _expect(self, ue: Ue, index: int, now: float) -> None:
        ue.expected = index
        self._nas_repeats[ue.index] = 0
        self._nas_timer.begin_anew(ue, now)

    def nas_timer_expired(self, _: int, now: float, number: int) -> None:
        """T3550, T3560 or T3570: again, and at the expiry after the last of them no more."""
        ue = self._nas_timer.over(now)
        if ue is None:
            return
        index = ue.expected
        stage = self._chains[ue.chain][index]
        if stage.timer == "T3550" and now >= ue.idle_at_s:
            self.disconnect(ue)  # with the connection, which the base station has released
            return
        if self._nas_repeats[ue.index] >= self._settings.nas_retransmissions:
            self.disconnect(ue)
            self.listener.released(ue, now)
            return
        self._nas_repeats[ue.index] += 1
        self._nas_timer.begin(ue, now)
        self._counts[counters.NAS_RETRANSMISSIONS] += 1
        self._counts[f"{counters.NAS_RETRANSMISSIONS}.{stage.timer}"] += 1
        if stage.timer == "T3550":
            self.listener.registered(ue, index, now)
        else:
            self.listener.asked(ue, index, now)

    # --- ends --------------------------------------------------------------------------------------------------------

    def _reject(self, ue: Ue, cause: FivegmmCause, t3346: GprsTimer2 | None, now: float) -> None:
        """REGISTRATION REJECT or SERVICE REJECT, and the connection is released."""
        protected = ue.secured
        self._counts[f"{counters.AMF_REJECTS}.{'protected' if protected else 'plain'}"] += 1
        self._end_procedure(ue)
        self.listener.rejected(ue, cause, t3346, protected, now)

    def _reject_for_congestion(self, ue: Ue, now: float) -> None:
        """5GMM #22 with the T3346 that the door draws for this UE."""
        door = self.fronts[self.homes.of[ue.index]].door
        secured = ue.secured
        t3346 = door.draw_t3346(now, ue.index if secured else None, secured)
        self._reject(ue, FivegmmCause.CONGESTION, t3346, now)

    def _back_off(self, ue: Ue) -> GprsTimer3 | None:
        """The 5GSM back-off of one refused message: drawn as T3346 is, coded as the 5GSM timers are."""
        timer = self.fronts[self.homes.of[ue.index]].door.draw_t3346()
        return None if timer is None or timer.seconds is None else GprsTimer3.of(timer.seconds)

    def _end_procedure(self, ue: Ue) -> None:
        ue.stage_end = 0
        if not self.busy_with(ue):
            return
        accepted = ue.worked_on == NO_STAGE and self._chains[ue.chain][ue.expected].timer == "T3550"
        ue.expected = NO_STAGE
        ue.worked_on = NO_STAGE
        self._nas_timer.end_if_it_runs(ue)
        self.back_end.cancel(ue)
        if not accepted:  # else the UE can have its sessions with this registration
            self.ledger.write_off_running(ue)
