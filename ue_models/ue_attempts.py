"""The attempt under way: begun, fed with what is heard and with expiries, its steps performed, its end noticed.

What an attempt says is procedures/; what its end means is ue_retries.py.
"""

from functools import partial

from protocols.nas5g.messages import RegistrationAccept, RegistrationComplete, RegistrationType
from ue_models.attempt_runner import Running
from ue_models.next_attempt import Kind
from ue_models.procedures.common import answer
from ue_models.procedures.steps import (
    Attempt,
    Event,
    Expired,
    Heard,
    Outcome,
    Receive,
    Send,
    SendInitial,
    Start,
    Step,
    Stop,
    Succeeded,
)
from ue_models.timers import T3510, T3512, T3516, T3517, T3519, T3520, T3521, Timer
from ue_models.ue_service import InService
from ue_models.verdicts import described

_OF_ATTEMPT = (T3510.name, T3517.name, T3520.name, T3521.name)


class Attempting(InService):
    """At most one 5GMM attempt at a time."""

    __slots__ = ()

    def _begin(
        self,
        procedure: str,
        attempt: Attempt[Outcome],
        kind: Kind | None,
        now: float,
    ) -> None:
        """Starts an attempt. Whatever was planned is superseded, except that an emergency leaves a back-off alone."""
        if kind is not RegistrationType.EMERGENCY and kind is not None:
            self._next.cancel(now)
        if not self.state.registered:
            self._connection.leave(now)  # an initial registration has a connection of its own
        self._timers.stop(T3512.name)
        self._kind = kind
        self._running = running = Running(procedure, attempt, now)
        self._observer.attempt_started(self.index, procedure, now)
        self._after(running.begin(lambda step: self._perform(step, now)), now)

    def _advance(self, event: Event, now: float) -> None:
        running = self._running
        if running is not None:
            self._after(running.take(event, lambda step: self._perform(step, now)), now)

    def _after(self, outcome: Outcome | None, now: float) -> None:
        """What follows when the attempt has ended."""
        running = self._running
        if outcome is None or running is None:
            return
        self._running = None
        self._timers.stop(*_OF_ATTEMPT)
        failure = None if isinstance(outcome, Succeeded) else described(outcome, self._kind)
        self._observer.attempt_ended(self.index, running.procedure, running.started, now, failure)
        if self._kind is None:
            self._deregistered(now)
        elif isinstance(outcome, Succeeded):
            self._succeeded(now)
        else:
            self._failed(outcome, failure or "", now)

    def _abort(self, why: str, now: float) -> None:
        """Ends what runs from outside."""
        running, self._running = self._running, None
        if running is not None:
            running.attempt.close()
            self._timers.stop(*_OF_ATTEMPT)
            self._observer.attempt_ended(self.index, running.procedure, running.started, now, why)
        self._sessions.abandon(why, now)

    # --- its steps and timers -----------------------------------------------------------------------------------------

    def _perform(self, step: Step, now: float) -> None:
        match step:
            case Send(message):
                self._connection.say(message, now)
            case Start(timer):
                self._timers.start(timer.name, now + self._profile.guard_s(timer), partial(self._expired, timer))
            case Stop(timer):
                self._timers.stop(timer.name)
            case SendInitial():
                if not self._connection.begin(step, now) and self._running is not None:
                    self._running.connection_refused = True
            case Receive():
                raise ValueError("RECEIVE is not performed")

    def _expired(self, timer: Timer, now: float) -> None:
        match timer:
            case _ if timer is T3516:
                self.state.challenge = None
            case _ if timer is T3519:
                self.state.suci = None
            case _ if self._running is not None:
                self._advance(Expired(timer), now)
            case _:  # T3520 without a procedure of the UE: the network is not genuine (5.4.1.3.7)
                self._connection.leave(now)
                self._resume(now)

    # --- without an attempt -------------------------------------------------------------------------------------------

    def _answer_alone(self, heard: Heard, now: float) -> None:
        """A request of the network while no 5GMM procedure of the UE runs."""
        if isinstance(heard.message, RegistrationAccept) and self.state.registered:
            self.state.accept_registration(heard.message)  # T3550 expired: our COMPLETE did not arrive (5.5.1.2.8 c)
            self._connection.say(RegistrationComplete(), now)
            return
        answering = answer(self._ue, heard, None, None)
        try:
            while True:
                self._perform(next(answering), now)
        except StopIteration as end:
            if not end.value:
                self._connection.leave(now)
                self._resume(now)
