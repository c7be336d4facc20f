"""The SMF: PDU sessions with their N1 side, addresses and subscription data (TS 23.502 4.3.2.2.1, TS 24.501 6).

The answer to CreateSMContext already carries what N1N2MessageTransfer would bring later (steps 5 and 11 in one).
The registration at the UDM follows the resource setup, as step 16c has it. A session that the UE asks for again
replaces the old one, whose registration at the UDM the new one overwrites: that costs no extra pair.
"""

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass

from protocols.causes import FivegsmCause
from protocols.nas5g.decode import decode_5gsm
from protocols.nas5g.encode import encode
from protocols.nas5g.messages import (
    FivegsmStatus,
    PduSessionEstablishmentAccept,
    PduSessionEstablishmentReject,
    PduSessionEstablishmentRequest,
    PduSessionReleaseCommand,
    PduSessionReleaseComplete,
    PduSessionReleaseReject,
    PduSessionReleaseRequest,
)
from protocols.nas5g.pco import wants_p_cscf, with_p_cscf
from protocols.ngap.messages import PduSessionTunnel
from regstorm.records import counters
from regstorm.records import operations as ops
from regstorm.records.operations import Nf
from regstorm.records.ports import Agenda, Due, Tally
from regstorm.reference_core.bus import Answer, Bus, Call, Failed, Function, Steps, follow_up_of
from regstorm.reference_core.payloads import (
    CreateSmContext,
    Done,
    SmContext,
    SmData,
    SmfRegistration,
    UpdateSmContext,
)
from regstorm.reference_core.upf import Upf

T3592_S = 16.0
"""Guards a PDU SESSION RELEASE COMMAND (TS 24.501 table 10.3.2); the session is gone at the fifth expiry."""
RETRANSMISSIONS = 4

UPF_ADDRESS = bytes((10, 0, 0, 1))
_FIRST_UE_ADDRESS = 0x0A800001  # 10.128.0.1: a quarter of 10/8, assumed enough
_RESTING_ADDRESSES = 1024
"""Given back, and not given out again before as many others have been."""
_UE_ADDRESSES = (1 << 22) - 1  # up to where credentials.prior_address begins

_REFUSALS = {
    "DNN_NOT_ALLOWED": FivegsmCause.MISSING_OR_UNKNOWN_DNN,
    "USER_NOT_FOUND": FivegsmCause.USER_AUTHENTICATION_FAILED,
}
"""5GSM causes for what UDM and PCF say (TS 29.524 clause 5)."""

Key = tuple[str, int]
"""SUPI and PDU session identity."""


@dataclass(slots=True)
class _Context:
    """One session. `releasing` while a PDU SESSION RELEASE COMMAND waits for its completion."""

    pti: int
    dnn: str
    address: int
    teid: int
    registered: bool = False
    gnb: PduSessionTunnel | None = None
    releasing: Due | None = None


class Smf:
    """Serves Nsmf_PDUSession."""

    def __init__(self, bus: Bus, agenda: Agenda, tally: Tally, aggregated_reads: bool = False) -> None:
        """`aggregated_reads`: subscription data come with the subscription (TS 23.502 4.3.2.2.1 NOTE 4)."""
        self._reads = (ops.SUBSCRIBE_SMF_WITH_DATA,) if aggregated_reads else (ops.GET_SM_DATA, ops.SUBSCRIBE_SMF)
        self.upf: Upf | None = None
        """The user plane; a core without IMS does without."""
        self.p_cscfs_of: Callable[[str], tuple[bytes, ...]] = _no_p_cscfs
        """What a UE is told that asks for P-CSCFs (TS 24.008 10.5.6.3), by its SUPI."""
        self._bus = bus
        self._agenda = agenda
        self._tally = tally
        self._contexts: dict[Key, _Context] = {}
        self._free_addresses: deque[int] = deque()
        """The one that has been free for longest first."""
        self._addresses = 0
        self._teid = 0
        handlers = {
            ops.CREATE_SM_CONTEXT: self._create,
            ops.UPDATE_SM_CONTEXT: self._update,
            ops.RELEASE_SM_CONTEXT: self._release,
        }
        Function(Nf.SMF, bus, handlers)

    @property
    def sessions(self) -> int:
        """How many there are."""
        return len(self._contexts)

    def provision(self, supi: str, pdu_session_id: int, dnn: str, address: int | None = None) -> None:
        """A session from before the run, registered at the UDM; `address` is what its UE believes to have."""
        self._forget((supi, pdu_session_id))
        context = self._new_context(0, dnn, address)
        context.registered = True
        self._contexts[supi, pdu_session_id] = context

    def forget(self, supi: str, pdu_session_id: int) -> None:
        """The session is gone without a word to anybody (an outage)."""
        self._forget((supi, pdu_session_id))

    # --- establishment ---------------------------------------------------------------------------------------------

    def _create(self, call: Call, now: float) -> Answer | Steps:
        wanted: CreateSmContext = call.payload
        request = decode_5gsm(wanted.n1)
        if not isinstance(request, PduSessionEstablishmentRequest):
            cause = FivegsmCause.MESSAGE_TYPE_NOT_IMPLEMENTED
            return _refused(encode(FivegsmStatus(wanted.pdu_session_id, 0, cause)))
        if not 1 <= request.pti <= 254:
            return _refused(encode(FivegsmStatus(wanted.pdu_session_id, request.pti, FivegsmCause.INVALID_PTI_VALUE)))
        if request.pdu_session_id != wanted.pdu_session_id or not 1 <= request.pdu_session_id <= 15:
            cause = FivegsmCause.INVALID_PDU_SESSION_IDENTITY
            return _refused(encode(FivegsmStatus(wanted.pdu_session_id, request.pti, cause)))
        return self._establish(call, wanted, request)

    def _establish(self, call: Call, wanted: CreateSmContext, request: PduSessionEstablishmentRequest) -> Steps:
        supi, psi = call.subject, wanted.pdu_session_id
        message_class = call.message_class
        for operation in (*self._reads, ops.CREATE_SM_POLICY):
            answer = yield Call(operation, supi, SmData(wanted.dnn), message_class)
            message_class = follow_up_of(message_class)
            if isinstance(answer, Failed):
                if answer.of_transport:
                    return answer
                cause = _REFUSALS.get(answer.why, FivegsmCause.REQUEST_REJECTED_UNSPECIFIED)
                return _refused(encode(PduSessionEstablishmentReject(psi, request.pti, cause)))
        self._forget((supi, psi))
        context = self._contexts[supi, psi] = self._new_context(request.pti, wanted.dnn)
        p_cscfs = self.p_cscfs_of(supi)
        options = with_p_cscf(p_cscfs) if p_cscfs and wants_p_cscf(request.pco) else None
        address = context.address.to_bytes(4)
        accept = PduSessionEstablishmentAccept(psi, request.pti, address, wanted.dnn, wanted.snssai, options)
        return SmContext(encode(accept), _tunnel(psi, context))

    def _new_context(self, pti: int, dnn: str, address: int | None = None) -> _Context:
        self._teid += 1
        if address is None:
            address = self._next_address()
        if self.upf is not None:
            self.upf.open(self._teid, address.to_bytes(4))
        return _Context(pti, dnn, address, self._teid)

    def _next_address(self) -> int:
        """Not one that was just given back: an SBC that knows a user by its address would take the new session for the
        old one, and ask for no proof."""
        if len(self._free_addresses) > _RESTING_ADDRESSES:
            return self._free_addresses.popleft()
        self._addresses += 1
        return _FIRST_UE_ADDRESS + (self._addresses - 1) % _UE_ADDRESSES

    # --- what comes for an existing session --------------------------------------------------------------------------

    def _update(self, call: Call, now: float) -> Answer | Steps:
        update: UpdateSmContext = call.payload
        key = call.subject, update.pdu_session_id
        context = self._contexts.get(key)
        if context is None:
            return Failed("CONTEXT_NOT_FOUND")
        if update.n1:
            return self._uplink(call, key, context, now)
        if update.setup_failed:
            self._forget(key)
            return SmContext(released=True)
        if update.activate:
            if self.upf is not None:
                self.upf.expect(context.teid)
            return SmContext(tunnel=_tunnel(update.pdu_session_id, context))
        context.gnb = update.tunnel
        if self.upf is not None:
            self.upf.point(context.teid, update.tunnel)
        return SmContext() if context.registered else self._register(call, context, update.pdu_session_id)

    def _register(self, call: Call, context: _Context, pdu_session_id: int) -> Steps:
        """Step 16c. A session whose registration got no answer stays: its user has service already."""
        registration = SmfRegistration(pdu_session_id, context.dnn)
        answer = yield Call(ops.REGISTER_SMF, call.subject, registration, follow_up_of(call.message_class))
        context.registered = isinstance(answer, Done)
        return answer if isinstance(answer, Failed) else SmContext()

    def _uplink(self, call: Call, key: Key, context: _Context, now: float) -> Answer | Steps:
        message = decode_5gsm(call.payload.n1)
        psi = key[1]
        if isinstance(message, PduSessionReleaseRequest):
            if message.pdu_session_id != psi:
                reject = PduSessionReleaseReject(psi, message.pti, FivegsmCause.INVALID_PDU_SESSION_IDENTITY)
                return SmContext(encode(reject))
            command = encode(PduSessionReleaseCommand(psi, message.pti, FivegsmCause.REGULAR_DEACTIVATION))
            self._start_t3592(key, context, command, RETRANSMISSIONS, now)
            return SmContext(command, release_resources=True)
        if isinstance(message, PduSessionReleaseComplete):
            if context.releasing is None:
                return SmContext()  # an answer to nothing: ignored
            self._forget(key)
            return self._leave(call, psi, context.dnn)
        if isinstance(message, FivegsmStatus):
            return SmContext()
        status = FivegsmStatus(psi, 0, FivegsmCause.MESSAGE_TYPE_NOT_IMPLEMENTED)
        return SmContext(encode(status))

    # --- the end ---------------------------------------------------------------------------------------------------

    def _release(self, call: Call, now: float) -> Answer | Steps:
        psi = call.payload.pdu_session_id
        context = self._contexts.get((call.subject, psi))
        if context is None:
            return SmContext(released=True)
        self._forget((call.subject, psi))
        return self._leave(call, psi, context.dnn)

    def _leave(self, call: Call, pdu_session_id: int, dnn: str) -> Steps:
        """The session is gone; the UDM is told (TS 23.502 4.3.4.2). Its silence changes nothing here."""
        yield Call(ops.UNSUBSCRIBE_SMF, call.subject, SmData(dnn), call.message_class)
        registration = SmfRegistration(pdu_session_id, dnn)
        yield Call(ops.DEREGISTER_SMF, call.subject, registration, call.message_class)
        return SmContext(released=True)

    def _start_t3592(self, key: Key, context: _Context, command: bytes, repeats_left: int, now: float) -> None:
        if context.releasing is not None:
            context.releasing.cancel()

        def expired(at: float) -> None:
            if repeats_left == 0:
                self._forget(key)
                return
            self._tally.count(f"{counters.SMF_RETRANSMISSIONS}.T3592", at)
            payload = SmContext(command, _tunnel(key[1], context))
            self._bus.call(Call(ops.N1N2_TRANSFER, key[0], payload), _unheard, at)
            self._start_t3592(key, context, command, repeats_left - 1, at)

        context.releasing = self._agenda.at(now + T3592_S, expired)

    def _forget(self, key: Key) -> None:
        context = self._contexts.pop(key, None)
        if context is None:
            return
        if context.releasing is not None:
            context.releasing.cancel()
        self._free_addresses.append(context.address)
        if self.upf is not None:
            self.upf.close(context.teid)


def _no_p_cscfs(supi: str) -> tuple[bytes, ...]:
    """There is no IMS."""
    return ()


def _refused(n1: bytes) -> SmContext:
    return SmContext(n1, released=True)


def _tunnel(pdu_session_id: int, context: _Context) -> PduSessionTunnel:
    return PduSessionTunnel(pdu_session_id, UPF_ADDRESS, context.teid.to_bytes(4))


def _unheard(answer: Answer, now: float) -> None:
    """Whether the AMF could pass a repetition on changes nothing: T3592 runs either way."""
