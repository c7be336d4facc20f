"""A UE's NAS signalling connection: opened by an initial NAS message, closed by either side (TS 24.501 5.3.1).

Answers take a while: what is said within it goes along, protected in the order in which it was said.
"""

from collections.abc import Callable

from protocols.identities import STmsi
from protocols.nas5g.messages import FivegmmMessage
from regstorm.records.ports import Agenda, Due
from ue_models.nas_link import initial_octets, octets
from ue_models.procedures.steps import SendInitial, Ue
from ue_models.radio import BaseStation, Connectable
from ue_models.timer_set import TimerSet
from ue_models.timers import T3540


class NasConnection:
    """5GMM-CONNECTED mode while it exists. It keeps `state.connected` and `state.secure`, and T3540."""

    __slots__ = ("_agenda", "_flush", "_gnb", "_outbox", "_timers", "_ue", "_user")

    def __init__(self, ue: Ue, user: Connectable, gnb: BaseStation, agenda: Agenda, timers: TimerSet) -> None:
        self._ue = ue
        self._user = user
        self._gnb = gnb
        self._agenda = agenda
        self._timers = timers
        self._outbox: tuple[bytes, ...] = ()
        self._flush: Due | None = None

    def begin(self, initial: SendInitial, now: float) -> bool:
        """Sends an initial NAS message, on a new connection if there is none; False if none can be had."""
        state = self._ue.state
        if state.connected:
            message = initial.message
            self._later(octets(state, message) if state.secure else initial_octets(state, message), now)
            return True
        guti = state.guti
        s_tmsi = None if guti is None else STmsi(guti.set_id, guti.pointer, guti.tmsi)
        nas = initial_octets(state, initial.message)
        state.connected = self._gnb.connect(self._user, nas, initial.rrc_cause, s_tmsi, now)
        if not state.connected and state.security is not None:
            state.security.drop_ciphers()  # made for a message that nobody took: an idle UE keeps none
        return state.connected

    def say(self, message: FivegmmMessage, now: float) -> None:
        """Sends a message; nothing without a connection."""
        if self._ue.state.connected:
            self._later(octets(self._ue.state, message), now)

    def await_release(self, then: Callable[[float], None], now: float) -> None:
        """The network should release after a reject; after T3540 the UE does (5.3.1.3)."""
        if not self._ue.state.connected:
            return

        def give_up(now: float) -> None:
            self.leave(now)
            then(now)

        self._timers.start(T3540.name, now + T3540.seconds, give_up)

    def leave(self, now: float) -> None:
        """Local release."""
        if self._ue.state.connected:
            self._gnb.release(self._user, now)
            self.closed()

    def closed(self) -> None:
        """5GMM-IDLE: what was not sent yet is lost, and so is what belonged to the connection."""
        state = self._ue.state
        state.connected = state.secure = state.challenge_refused = False
        state.authentication_failures = 0
        self._outbox = ()
        if self._flush is not None:
            self._flush.cancel()
            self._flush = None
        self._timers.stop(T3540.name)
        if state.security is not None:
            state.security.drop_ciphers()

    def _later(self, nas: bytes, now: float) -> None:
        self._outbox = (*self._outbox, nas)
        if self._flush is None:
            delay_s = self._ue.rng.uniform(*self._ue.settings.answer_s)
            self._flush = self._agenda.at(now + delay_s, self._send_outbox)

    def _send_outbox(self, now: float) -> None:
        self._flush = None
        outbox, self._outbox = self._outbox, ()
        for nas in outbox:
            self._gnb.uplink(self._user, nas, now)
