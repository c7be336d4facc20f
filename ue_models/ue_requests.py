"""Which procedures a UE may begin now, and their beginning: what a user, a composer or a retry asks for."""

from protocols.nas5g.messages import RegistrationType, ServiceType
from regstorm.records import procedures as names
from ue_models import rules
from ue_models.procedures.deregistration import attempt_deregistration
from ue_models.procedures.initial_registration import attempt_initial_registration
from ue_models.procedures.registration_update import attempt_registration_update
from ue_models.procedures.service_request import attempt_service_request
from ue_models.timers import T3346
from ue_models.ue_retries import Retrying
from ue_models.ue_state import Mm

_UPDATE_PROCEDURES = {
    RegistrationType.MOBILITY: names.MOBILITY_UPDATE,
    RegistrationType.PERIODIC: names.PERIODIC_UPDATE,
}


class Requesting(Retrying):
    """Begins procedures where the state and the timers allow it."""

    __slots__ = ()

    def update(self, kind: RegistrationType, now: float) -> bool:
        """Mobility or periodic registration update; False if it may not begin now."""
        if not self._may_begin(registered=True):
            return False
        procedure = _UPDATE_PROCEDURES[kind]
        self._begin(procedure, attempt_registration_update(self._ue, kind), kind, now)
        return True

    def request_service(self, kind: ServiceType, now: float) -> bool:
        """Service request from 5GMM-IDLE; False if it may not begin now."""
        paged = kind is ServiceType.MOBILE_TERMINATED
        emergency = kind in (ServiceType.EMERGENCY, ServiceType.EMERGENCY_FALLBACK)
        if self.state.connected or self.state.guti is None:
            return False
        if not self._may_begin(registered=True, paged=paged, emergency=emergency):
            return False
        self._begin(names.SERVICE_REQUEST, attempt_service_request(self._ue, kind), kind, now)
        return True

    def page(self, now: float) -> bool:
        """A paging: stops T3346 and is answered (5.6.2.2.1)."""
        return self.request_service(ServiceType.MOBILE_TERMINATED, now)

    def register_for_emergency(self, now: float) -> bool:
        """Emergency registration of a UE that is not registered; no back-off holds it (5.5.1.2.7 a)."""
        if not self._may_begin(registered=False, emergency=True):
            return False
        kind = RegistrationType.EMERGENCY
        self._begin(names.EMERGENCY_REGISTRATION, attempt_initial_registration(self._ue, kind), kind, now)
        return True

    def deregister(self, now: float, switch_off: bool = False) -> bool:
        """Deregistration; T3346 does not forbid it (5.3.9)."""
        if not self._may_begin(registered=True, leaving=True):
            return False
        self._begin(names.DEREGISTRATION, attempt_deregistration(self._ue, switch_off), None, now)
        if switch_off:
            self.state.enter(Mm.NULL)
        return True

    def _register(self, now: float) -> None:
        if self._may_begin(registered=False):
            kind = RegistrationType.INITIAL
            self._begin(names.REGISTRATION, attempt_initial_registration(self._ue, kind), kind, now)

    def _may_begin(
        self, *, registered: bool, emergency: bool = False, paged: bool = False, leaving: bool = False
    ) -> bool:
        """No attempt is under way, the state is right, and no timer forbids it (5.3.9; 5.1.3.2.1.3.3, 5.6.1.7)."""
        state = self.state
        if self._running is not None or not self._covered or state.registered is not registered:
            return False
        if not registered and state.mm is not Mm.DEREGISTERED:
            return False
        if self._next.waits_on in (None, T3346.name):
            return rules.may_start(
                t3346_runs=self._next.waits_on is not None,
                emergency=emergency,
                high_priority=state.high_priority,
                paged=paged,
                leaving=leaving,
            )
        return emergency or paged or leaving  # T3511, T3502, T3525, T3247: what is planned comes first
