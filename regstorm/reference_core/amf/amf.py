"""The AMF as a whole: puts its parts together and is the way in from N2 and from the bus."""

from collections.abc import Callable
from typing import Literal

from protocols.nas5g.messages import NetworkDeregistrationRequest
from regstorm.overload.front_door import FrontDoor
from regstorm.records import operations as ops
from regstorm.records.core_settings import Amf as AmfSettings
from regstorm.records.message_classes import MessageClass
from regstorm.records.operations import Nf
from regstorm.records.ports import Agenda, Tally
from regstorm.reference_core.amf.dispatch import Dispatcher
from regstorm.reference_core.amf.entry import Entry
from regstorm.reference_core.amf.environment import Environment, NetworkIdentity
from regstorm.reference_core.amf.n2 import N2
from regstorm.reference_core.amf.ngap_handling import NgapHandler
from regstorm.reference_core.amf.session import pass_on
from regstorm.reference_core.amf.task import Task
from regstorm.reference_core.amf.ue_context import TmsiAllocator, UeContext, UeContexts
from regstorm.reference_core.bus import Answer, Bus, Call, Failed, Function
from regstorm.reference_core.pair_ledger import PairLedger
from regstorm.reference_core.payloads import Done, SmContext
from regstorm.reference_core.service_queue import ServiceQueue


class Amf:
    """An AMF with its entry gate."""

    def __init__(
        self,
        settings: AmfSettings,
        identity: NetworkIdentity,
        authenticate: Literal["always", "when_needed"],
        bus: Bus,
        agenda: Agenda,
        tally: Tally,
        ledger: PairLedger,
        door: FrontDoor,
        queue: ServiceQueue,
        aggregated_reads: bool = False,
    ) -> None:
        self.contexts = UeContexts()
        self.n2 = N2(self._connection_gone)
        tmsis = TmsiAllocator(self.contexts)
        self.env = Environment(
            settings,
            identity,
            authenticate,
            bus,
            agenda,
            tally,
            ledger,
            self.contexts,
            tmsis,
            self.n2,
            door,
            aggregated_reads,
        )
        self._dispatcher = Dispatcher(self.env)
        self._ngap = NgapHandler(self.env, Entry(self.env, queue, self._dispatcher.dispatch))
        self.function = Function(Nf.AMF, bus, {ops.N1N2_TRANSFER: self._n1n2_transfer})

    # --- N2 ----------------------------------------------------------------------------------------------------------

    def association_up(self, peer: int, send: Callable[[bytes, int], None]) -> None:
        """A gNB has connected; NG Setup comes next."""
        self.n2.association_up(peer, send)

    def receive(self, peer: int, data: bytes, stream: int, now: float) -> None:
        """One NGAP PDU of that gNB; nothing it contains raises."""
        association = self.n2.association(peer)
        if association is not None:
            self._ngap.receive(association, data, stream, now)

    def association_lost(self, peer: int, now: float) -> None:
        """The gNB is gone, its connections and what ran on them as well."""
        self.n2.association_lost(peer, now)

    # --- UEs ---------------------------------------------------------------------------------------------------------

    def know(self, ue: UeContext) -> None:
        """A context from before the run."""
        if ue.supi is None or ue.guti is None:
            raise ValueError("a provisioned context needs a SUPI and a GUTI")
        self.contexts.identify(ue, ue.supi)
        self.contexts.adopt_guti(ue, ue.guti)

    def deregister_implicitly(self, ue: UeContext, now: float) -> None:
        """The UE is deregistered without a word; GUTI and security context are kept (TS 24.501 5.3.7)."""
        if ue.connection is not None:
            self.n2.drop(ue.connection, now)
        for task in ue.tasks():
            task.abort(now)
        ue.procedure = None
        ue.session_tasks.clear()
        self.env.write_off_open(ue, now)
        ue.registered = False
        ue.sessions.clear()

    def deregister(self, ue: UeContext, request: NetworkDeregistrationRequest, now: float) -> None:
        """Network-initiated deregistration, guarded by T3522."""
        self._dispatcher.deregister_by_network(ue, request, now)

    def forget(self, supi: str, now: float) -> None:
        """The subscriber has registered elsewhere; harmless if it is not known."""
        ue = self.contexts.by_supi(supi)
        if ue is not None:
            self.deregister_implicitly(ue, now)
            self.contexts.drop(ue)

    def lose_contexts(self, now: float) -> None:
        """The AMF forgets every UE, as after a restart; associations stay."""
        for association in self.n2.associations():
            self.n2.drop_all(association, now)
        for ue in self.contexts.all():
            self.deregister_implicitly(ue, now)
        self.contexts.clear()

    def _connection_gone(self, ue: UeContext, now: float) -> None:
        self._dispatcher.connection_gone(ue, now)

    # --- N11, from the SMF --------------------------------------------------------------------------------------------

    def _n1n2_transfer(self, call: Call, now: float) -> Answer:
        """Namf_Communication: the SMF has a message for the UE."""
        ue = self.contexts.by_supi(call.subject)
        content: SmContext = call.payload
        if ue is None or ue.connection is None or not ue.connection.secured or content.tunnel is None:
            return Failed("UE_NOT_REACHABLE")
        task = Task(self.env, ue, MessageClass.FOLLOW_UP)
        task.now = now
        pass_on(task, content.tunnel.pdu_session_id, content)
        return Done()
