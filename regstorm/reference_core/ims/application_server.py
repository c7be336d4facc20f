"""What the application servers have in common: they hold registered users, with data that they got on Sh.

A third-party REGISTER of a user whom the AS does not hold makes it ask the HSS; only when everything has been answered
the AS answers 200 and holds the user. For one whom it holds there is nothing to ask. When the HSS says nothing the AS
answers 500 and, where the session continues all the same, asks again after a while.
"""

from collections.abc import Callable
from random import Random
from typing import Any, NamedTuple

from protocols.diameter.numbers import ResultCode
from protocols.diameter.sh import UserIdentity
from protocols.sip.encode import answer
from protocols.sip.fields import expires_s
from protocols.sip.messages import Request, Response
from regstorm.records import ims_counters as counters
from regstorm.records.message_classes import MessageClass
from regstorm.records.operations import Operation
from regstorm.records.ports import Agenda, Due, Tally
from regstorm.records.ranges import Range
from regstorm.reference_core.bus import Call, Failed, Steps
from regstorm.reference_core.ims.hops import Hop
from regstorm.reference_core.ims.node import SipNode
from regstorm.reference_core.ims.reading import identity


class ShStep(NamedTuple):
    """One operation on Sh, for one user."""

    operation: Operation
    request: Any


Download = Callable[[UserIdentity], tuple[ShStep, ...]]


class ApplicationServer:
    """Holds users by SUPI. `node` is set by whoever puts the core together."""

    def __init__(
        self,
        host: str,
        arrival: Download,
        departure: Download,
        agenda: Agenda,
        tally: Tally,
        retry: Range,
        tries_again: bool,
        rng: Random,
        changed: Callable[[str, float], None],
    ) -> None:
        """`arrival` and `departure`: what is asked of the HSS when a user comes and goes. `changed(supi, now)` is
        called when a user is held, or no more. `tries_again`: after a failure, as the default handling is."""
        self._hop = Hop("a", host)
        self._arrival = arrival
        self._departure = departure
        self._agenda = agenda
        self._tally = tally
        self._retry = retry
        self._tries_again = tries_again
        self._rng = rng
        self._changed = changed
        self._held: dict[str, str] = {}
        self._retries: dict[str, Due] = {}
        self.node: SipNode

    def holds(self, supi: str) -> bool:
        """The user is registered here, with all that the AS needs to serve it."""
        return supi in self._held

    def provision(self, supi: str, public: str) -> None:
        """A user from before the run."""
        self._held[supi] = public

    def forget(self, supi: str) -> None:
        """The user is gone without a word to anybody (an outage)."""
        self._held.pop(supi, None)
        self._stop_retrying(supi)

    # --- REGISTER ----------------------------------------------------------------------------------------------------

    def register(self, call: Call, now: float) -> Response | Steps:
        """A third-party REGISTER."""
        request: Request = call.payload
        user = identity(request, "To")
        if expires_s(request) == 0:
            return self._leave(call, request, user)
        if self.holds(call.subject):
            return answer(request, 200, self._hop.tag())
        return self._take(call, request, user)

    def _take(self, call: Call, request: Request, public: str) -> Steps:
        self._stop_retrying(call.subject)
        done = yield from self._ask(call, self._arrival(UserIdentity(public)))
        if not done:
            if self._tries_again:
                self._retry_later(call, public)
            return answer(request, 500, self._hop.tag())
        self._hold(call.subject, public)
        return answer(request, 200, self._hop.tag())

    def _leave(self, call: Call, request: Request, public: str) -> Response | Steps:
        """The user is gone at once; the HSS is told after that."""
        self._stop_retrying(call.subject)
        if self._held.pop(call.subject, None) is not None:
            self._changed(call.subject, self.node.now)
            cause = Call(call.operation, call.subject, None, MessageClass.DEREGISTRATION)
            self.node.begin(self._ask(cause, self._departure(UserIdentity(public))), cause, self.node.now)
        return answer(request, 200, self._hop.tag())

    def _ask(self, call: Call, steps: tuple[ShStep, ...]) -> Steps:
        """True if the HSS has answered everything."""
        for step in steps:
            said = yield Call(step.operation, call.subject, step.request, call.message_class)
            if isinstance(said, Failed) or said.result is not ResultCode.SUCCESS:
                return False
        return True

    def _hold(self, supi: str, public: str) -> None:
        now = self.node.now
        self._held[supi] = public
        self._tally.count(counters.THIRD_PARTY, now)
        self._tally.count(f"{counters.THIRD_PARTY}.{self.node.nf}", now)
        self._changed(supi, now)

    # --- trying again ------------------------------------------------------------------------------------------------

    def _retry_later(self, call: Call, public: str) -> None:
        def again(now: float) -> None:
            self._retries.pop(call.subject, None)
            if not self.holds(call.subject):
                self.node.begin(self._make_up(call, public), call, now)

        wait_s = self._rng.uniform(self._retry.low, self._retry.high)
        self._retries[call.subject] = self._agenda.at(self.node.now + wait_s, again)

    def _make_up(self, call: Call, public: str) -> Steps:
        done = yield from self._ask(call, self._arrival(UserIdentity(public)))
        if done:
            self._hold(call.subject, public)
        else:
            self._retry_later(call, public)

    def _stop_retrying(self, supi: str) -> None:
        waiting = self._retries.pop(supi, None)
        if waiting is not None:
            waiting.cancel()
