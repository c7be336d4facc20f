"""One UE: owns its state, runs attempts, keeps the timers, tells the observer (TS 24.501 clause 5).

What an attempt says is procedures/, when the next one is due is rules.py as the UE's profile takes it, and how
octets travel is the base station's. Here the three are joined, in layers that ue_parts.py lists; this is the uppermost,
with what composers, base stations and sessions call. Nothing in here reads a clock.
"""

from protocols.credentials import PriorContext
from protocols.nas5g.messages import (
    DlNasTransport,
    FivegmmMessage,
    NetworkDeregistrationRequest,
    RegistrationType,
    ServiceType,
)
from protocols.nas_security import AES, Algorithms
from ue_models.nas_link import Discarded, read
from ue_models.procedures.steps import ConnectionLost, Heard
from ue_models.timers import T3512
from ue_models.ue_ims import PriorIms, WithIms
from ue_models.ue_retries import E_UTRA
from ue_models.ue_state import Mm, Substate, UpdateStatus

__all__ = ["E_UTRA", "UeMachine"]


class UeMachine(WithIms):
    """A UE on one base station. All calls take `now` in scenario seconds, never decreasing."""

    __slots__ = ()

    # --- what a composer calls ----------------------------------------------------------------------------------------

    def provision(
        self,
        prior: PriorContext,
        now: float = 0.0,
        algorithms: Algorithms = AES,
        t3512_s: float = T3512.seconds,
        prior_ims: PriorIms | None = None,
    ) -> None:
        """Registered since before the run, sessions up, 5GMM-IDLE; its T3512 is somewhere in its course.

        `prior_ims` is its registration in IMS, if it has an IMS side.
        """
        state = self.state
        state.t3512_s = t3512_s
        state.restore(prior, algorithms)
        state.enter(Mm.REGISTERED_INITIATED)
        state.enter(Mm.REGISTERED)
        state.update_status = UpdateStatus.UPDATED
        for psi in range(1, len(self._ue.settings.dnns) + 1):
            state.sessions |= 1 << psi
        self._start_t3512(now, self._ue.rng.random())
        if self._ims is not None and prior_ims is not None:
            self._ims.provision(*prior_ims, now)
        self._update_service(now)

    def power_on(self, now: float) -> None:
        """Switched on in coverage: the counters are reset and the UE registers (5.5.1.2.1)."""
        if self.state.mm is Mm.NULL:
            self.state.enter(Mm.DEREGISTERED)
        self._wanted = True
        self.return_to_coverage(now)

    def return_to_coverage(self, now: float) -> None:
        """A cell is found again: initial registration, unless T3346 or T3247 still runs."""
        self._covered = True
        state = self.state
        if self._running is not None or state.registered or not self._wanted:
            return
        state.enter(Mm.DEREGISTERED)
        state.registration_attempts = state.service_attempts = 0
        if self._next.held:
            if not state.high_priority:
                return
        else:
            self._next.cancel(now)
        self._register(now)

    def lose_coverage(self, now: float) -> None:
        """The cell is gone: what runs is aborted, the registration is lost. T3346 and T3247 go on (5.3.9, 5.3.20)."""
        self._covered = False
        if not self._next.held:
            self._next.cancel(now)
        self._stop_operating()
        self._abort("coverage lost", now)
        self._connection.leave(now)
        if self.state.mm is not Mm.NULL:
            self._deregister("coverage lost", Substate.NO_CELL_AVAILABLE, now)

    # --- what the base station calls ----------------------------------------------------------------------------------

    def downlink(self, nas: bytes, now: float) -> None:
        """A NAS message from the network, whatever it is."""
        heard = read(self.state, nas, self._ue.settings.null_integrity_accepted)
        if isinstance(heard, Discarded):
            self._gnb.discarded(heard.why, now)
        else:
            self._hear(heard, now)

    def _hear(self, heard: Heard, now: float) -> None:
        match heard:
            case Heard(DlNasTransport() as message, True):
                if self.state.registered:
                    self._sessions.heard(message, now)
            case Heard(NetworkDeregistrationRequest() as request, True):
                self._deregistered_by_network(request, now)
            case _ if self._running is not None:
                self._advance(heard, now)
            case _:
                self._answer_alone(heard, now)

    def released(self, now: float) -> None:
        """The connection is gone: 5GMM-IDLE."""
        if not self.state.connected:
            return
        self._connection.closed()
        if self._running is not None:
            self._advance(ConnectionLost(), now)
        elif self.state.registered:
            if self._kind is RegistrationType.EMERGENCY:
                self._emergency_ended(now)
            else:
                self._resume(now)

    # --- what the sessions call ---------------------------------------------------------------------------------------

    def send_on_connection(self, message: FivegmmMessage, now: float) -> None:
        """Sends now if connected; else once a service request has brought a connection."""
        if self.state.connected:
            self._connection.say(message, now)
            return
        self._unsent = (message,)
        if self._next.waits_on is None:
            self.request_service(ServiceType.SIGNALLING, now)

    def sessions_changed(self, now: float) -> None:
        """A session came up, went down, or may be asked for again."""
        self._update_service(now)
        self._resume(now)

    # --- of itself ----------------------------------------------------------------------------------------------------

    def _succeeded(self, now: float) -> None:
        if self._kind is RegistrationType.EMERGENCY:
            return
        unsent, self._unsent = self._unsent, ()
        if self.state.connected and self._sessions.busy:  # the request of an attempt that has ended is not sent
            for message in unsent:
                self._connection.say(message, now)
        self._send_held(now)
        self._update_service(now)
        self._resume(now)

    def begin_planned(self, now: float) -> None:
        """The wait is over: the next attempt, if it is still wanted."""
        if not self._covered or not self._wanted:
            return
        kind = self._next.kind
        if not self.state.registered:
            self._register(now)
        elif isinstance(kind, ServiceType):
            self.request_service(kind, now)
        elif kind is not RegistrationType.INITIAL:
            self.update(kind, now)

    def _resume(self, now: float) -> None:
        """What a UE does of itself once nothing else is under way: missing sessions, else T3512 when idle."""
        state = self.state
        if self._running is not None or not state.registered or self._kind is RegistrationType.EMERGENCY:
            return
        wanted = None if self._sessions.busy else self._sessions.next_wanted()
        if wanted is not None and state.connected:
            self._sessions.establish(wanted, now)
        elif wanted is not None and self._next.waits_on is None:
            self.request_service(ServiceType.SIGNALLING, now)
        elif self._held and not state.connected:
            self._fetch_resources(now)
        else:
            self._after_idle(now)
