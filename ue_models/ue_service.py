"""A UE's standing: registered or not, in full service or not, and what begins by the clock meanwhile.

Periodic updates by T3512 (TS 24.501 5.3.7), and the operations of a user in service.
"""

from protocols.nas5g.messages import RegistrationType, ServiceType
from ue_models.timers import T3512
from ue_models.ue_parts import UeParts
from ue_models.ue_state import Mm, Substate

_OPERATION = "operation"


class InService(UeParts):
    """Gains and loses registration and service, and tells the observer."""

    __slots__ = ()

    def _update_service(self, now: float) -> None:
        """Tells when full service is gained or lost; a user in service operates."""
        in_service = self.state.registered and self._sessions.complete
        if self._ims is not None:
            in_service = in_service and self._ims.registered
        if in_service is not self._in_service:
            self._in_service = in_service
            self._observer.service_changed(self.index, in_service, now)
            if in_service:
                self.start_operating(now)

    def _deregister(self, why: str, substate: Substate, now: float) -> None:
        """Enters 5GMM-DEREGISTERED; tells if a registration is lost thereby."""
        state = self.state
        lost = state.registered
        self._sessions.abandon("aborted", now)
        self._timers.stop(T3512.name)
        state.updating = False
        if state.mm is not Mm.DEREGISTERED:
            state.enter(Mm.DEREGISTERED, substate)
        else:
            state.substate = substate
        self._update_service(now)
        if lost:
            self._observer.registration_lost(self.index, why, now)

    # --- T3512 --------------------------------------------------------------------------------------------------------

    def _after_idle(self, now: float) -> None:
        if not self.state.connected and not self._timers.runs(T3512.name):
            self._start_t3512(now)

    def _start_t3512(self, now: float, share: float = 1.0) -> None:
        """T3512 runs in 5GMM-IDLE (5.3.7); zero and deactivated mean no periodic update."""
        if self.state.t3512_s:
            self._timers.start(T3512.name, now + share * self.state.t3512_s, self._t3512_expired)

    def _t3512_expired(self, now: float) -> None:
        self.update(RegistrationType.PERIODIC, now)

    # --- operations of a user -----------------------------------------------------------------------------------------

    def start_operating(self, now: float) -> None:
        """The operations of a user begin: one every `operations_every_s` on average, exponential."""
        if not self._timers.runs(_OPERATION):
            pause_s = self._ue.rng.expovariate(1 / self._ue.settings.operations_every_s)
            self._timers.start(_OPERATION, now + pause_s, self._operate)

    def _operate(self, now: float) -> None:
        """One operation of the user, if the UE is idle and free to begin; and when the next one is due."""
        self.start_operating(now)
        if not self._in_service or self.state.connected or self._next.waits_on is not None:
            return
        drawn = self._ue.rng.random()
        if drawn < self._ue.settings.periodic_update_share:
            self.update(RegistrationType.PERIODIC, now)
        elif self._ims is not None and drawn >= 1 - self._ue.settings.message_share:
            self._ims.send_message(now)
        else:
            self.request_service(ServiceType.DATA, now)

    def _stop_operating(self) -> None:
        self._timers.stop(_OPERATION)
