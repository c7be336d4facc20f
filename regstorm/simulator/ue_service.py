"""Registered UEs of the simulator: full service, and what users in service do (TS 24.501 5.5.1.3, 5.6.1).

Users in service ask for a connection for their data, or update their registration; packets of IMS wait for one.
"""

from typing import Final

from regstorm.records import procedures
from regstorm.simulator import events
from regstorm.simulator.chain import PERIODIC_UPDATE as PERIODIC_UPDATE_MESSAGE
from regstorm.simulator.chain import SERVICE_REQUEST as SERVICE_REQUEST_MESSAGE
from regstorm.simulator.population import (
    ESTABLISHING,
    IDLE,
    IN_SERVICE,
    LACKS_SESSION,
    OWES_RELEASE,
    OWES_SESSION,
    PERIODIC_UPDATE,
    SERVICE_REQUEST,
    Ue,
)
from regstorm.simulator.ue_sessions import SessionUes
from ue_models.timers import T3510, T3517

REGISTERED: Final = frozenset({ESTABLISHING, LACKS_SESSION, IN_SERVICE})
NAMES: Final = ("", procedures.SERVICE_REQUEST, procedures.PERIODIC_UPDATE, procedures.DEREGISTRATION)
"""Of what a registered UE asks for."""
_MESSAGES: Final = (0, SERVICE_REQUEST_MESSAGE, PERIODIC_UPDATE_MESSAGE)


class RegisteredUes(SessionUes):
    """What UEs do between their registration and its end."""

    # --- full service ------------------------------------------------------------------------------------------------

    def _enter_service(self, ue: Ue, now: float) -> None:
        ue.phase = IN_SERVICE
        self._tell_service(ue, now)
        if not self._operation[ue.index]:
            self._await_operation(ue, now)
        self._start_t3512(ue, (ue.idle_at_s or now) + self._t3512_s)

    def _tell_service(self, ue: Ue, now: float) -> None:
        """Full service: registered with every session, and in IMS as UE and core see it. Harmless if it was so."""
        served = ue.phase == IN_SERVICE
        if self.ims is not None:
            served = served and self.ims.in_full_service(ue)
        self._observer.service_changed(ue.index, served, now)

    def in_service(self, ue: Ue) -> bool:
        """Every session is up."""
        return ue.phase == IN_SERVICE

    def sessions_with_data(self, ue: Ue) -> int:
        """Of how many sessions its service request wants the resources (TS 24.501 5.6.1.2)."""
        return ue.sessions.bit_count() if self._for_data[ue.index] else 0

    # --- operations of users in service ------------------------------------------------------------------------------

    def _await_operation(self, ue: Ue, now: float) -> None:
        due_s = now + self._rng.expovariate(1 / self._online.every_s)
        self._operation[ue.index] = self._heap.at(due_s, events.OPERATION, ue.index)

    def operation_due(self, index: int, now: float, number: int) -> None:
        """One operation of the user, if the UE is idle and free to begin; and when the next one is due."""
        ue = self._ues[index]
        if number != self._operation[ue.index]:
            return
        self._await_operation(ue, now)
        ims = self.ims
        free = ue.phase == IN_SERVICE and not ue.asks and not self._next_attempt[ue.index]
        if free and now >= ue.idle_at_s and (ims is None or ims.is_registered(ue)):
            drawn = self._rng.random()
            if drawn < self._online.periodic_update_share:
                self._ask(ue, PERIODIC_UPDATE, now)
            elif ims is not None and drawn >= 1 - self._online.message_share:
                ims.send_message(ue, now)
            else:
                self._ask(ue, SERVICE_REQUEST, now, for_data=True)

    def _start_t3512(self, ue: Ue, due_s: float) -> None:
        """T3512 runs in 5GMM-IDLE (TS 24.501 5.3.7); zero and deactivated mean no periodic update."""
        if self._t3512_s:
            self._t3512_until_s[ue.index] = due_s
            if not self._awaits_t3512[ue.index]:
                self._awaits_t3512[ue.index] = True
                self._heap.at(due_s, events.T3512, ue.index)

    def t3512_expired(self, index: int, now: float, number: int) -> None:
        """A periodic update, unless the UE may not begin one."""
        self._awaits_t3512[index] = False
        until_s = self._t3512_until_s[index]
        ue = self._ues[index]
        if until_s > now:
            self._start_t3512(ue, until_s)
        elif until_s and ue.phase in REGISTERED:
            self._t3512_until_s[index] = 0.0
            if not ue.asks and not self._next_attempt[ue.index]:
                self._ask(ue, PERIODIC_UPDATE, now)

    def _ask(self, ue: Ue, what: int, now: float, for_data: bool = False) -> None:
        """A service request, for signalling or data, or a periodic update begins."""
        ue.asks = what
        self._for_data[ue.index] = for_data
        self._has_resources[ue.index] = False
        self._t3512_until_s[ue.index] = 0.0
        self._observer.attempt_started(ue.index, NAMES[what], now)
        profile = ue.profile
        self._start_guard(ue, profile.guard_s(T3517 if what == SERVICE_REQUEST else T3510), now)
        ue.owes = ue.answer = 0  # what was not sent went with the connection before
        self._core.connect(ue)
        self._stay_connected(ue, now)
        self._core.uplink(ue, _MESSAGES[what], now)

    def accepted(self, ue: Ue, now: float) -> None:
        """SERVICE ACCEPT, or the accept of a periodic update, which is released unless it asked to follow on."""
        what = ue.asks
        if not what:
            return
        ue.asks = IDLE
        self._stop_guard(ue)
        self._registration_attempts[ue.index] = self._service_attempts[ue.index] = 0
        self._observer.attempt_ended(ue.index, NAMES[what], None, now, None)
        if what == SERVICE_REQUEST or self._lacks_session(ue):
            self._stay_connected(ue, now)
        else:
            self._leave_connection(ue, now)
        self._start_t3512(ue, (ue.idle_at_s or now) + self._t3512_s)
        if self._unsent[ue.index] and what == SERVICE_REQUEST:
            self._unsent[ue.index] = False
            self._owe(ue, OWES_RELEASE if self._releasing[ue.index] else OWES_SESSION, now)
        if self.ims is not None and self._for_data[ue.index]:
            self._has_resources[ue.index] = True
            self.ims.connected(ue, now)
        self._resume(ue, now)

    # --- what the IMS side calls -------------------------------------------------------------------------------------

    def has_connection(self, ue: Ue, now: float) -> bool:
        """Packets can be sent and received now."""
        return now < ue.idle_at_s and ue.phase in REGISTERED and bool(self._has_resources[ue.index])

    def packet(self, ue: Ue, now: float) -> None:
        """One was sent or received: the base station's inactivity timer begins anew."""
        self._stay_connected(ue, now)

    def fetch_resources(self, ue: Ue, now: float) -> None:
        """A packet waits: a service request, unless something forbids it; while connected without resources it waits
        on."""
        if now < ue.idle_at_s:
            if not self._awaits_release[ue.index]:
                self._awaits_release[ue.index] = True
                self._heap.at(ue.idle_at_s, events.CONNECTION_OVER, ue.index)
        elif ue.phase in REGISTERED and not ue.asks and not self._next_attempt[ue.index]:
            self._ask(ue, SERVICE_REQUEST, now, for_data=True)

    def connection_over(self, index: int, now: float, number: int) -> None:
        """The base station has released the connection on which a packet waited, unless it was used meanwhile."""
        self._awaits_release[index] = False
        ue = self._ues[index]
        if self.ims is not None and self.ims.holds_packet(ue):
            self._resume(ue, now)

    def ims_changed(self, ue: Ue, now: float) -> None:
        """Registered in IMS, or no longer, or still."""
        self._tell_service(ue, now)

    def core_service_changed(self, ue: Ue, now: float) -> None:
        """Both application servers hold it, or no more."""
        self._tell_service(ue, now)
