"""Runs a procedure: a generator that yields what it needs and is resumed with it.

`yield from task.ask(message, timer, answers)` sends a NAS message and waits for one of the answers, sending it again
at every expiry of the timer, four times by default. `yield from task.call(operation, …)` calls a network function.
Both raise `Ended` subclasses when there is no answer; a procedure says itself what that means for the UE.
"""

from collections.abc import Callable, Generator
from typing import Any, NamedTuple

from protocols.nas5g.encode import encode as encode_nas
from protocols.ngap.messages import Cause
from regstorm.records import counters
from regstorm.records.message_classes import MessageClass
from regstorm.records.operations import Operation
from regstorm.records.ports import Due
from regstorm.reference_core.amf.environment import Environment
from regstorm.reference_core.amf.ue_context import Connection, UeContext
from regstorm.reference_core.bus import Call, Failed, PendingCall, follow_up_of


class NasTimer(NamedTuple):
    """A timer that guards a message of the network (TS 24.501 table 10.2.2)."""

    name: str
    seconds: float = 6.0
    repeats: bool = True
    """As often as `core.amf.nas_retransmissions` says; the expiry after the last of them aborts the procedure."""


T3522 = NasTimer("T3522")
"""DEREGISTRATION REQUEST."""
T3550 = NasTimer("T3550")
"""REGISTRATION ACCEPT with a new GUTI."""
T3560 = NasTimer("T3560")
"""AUTHENTICATION REQUEST and SECURITY MODE COMMAND."""
T3570 = NasTimer("T3570")
"""IDENTITY REQUEST."""
GNB_GUARD = NasTimer("gNB guard", seconds=10.0, repeats=False)
"""The gNB's answer to a context or resource setup; assumed, TS 38.413 leaves it to the AMF."""


class Expect(NamedTuple):
    """Waits for an uplink message of one of these types; `repeat(now)` is called at every expiry but the last."""

    wanted: tuple[type[Any], ...]
    timer: NasTimer
    repeat: Callable[[float], None] | None = None


class Ended(Exception):
    """A procedure ends without success."""


class Unanswered(Ended):
    """The UE (or the gNB) has not answered up to the last expiry of `timer`."""

    def __init__(self, timer: NasTimer) -> None:
        super().__init__(timer.name)
        self.timer = timer


class BackendFailed(Ended):
    """A call behind the AMF has not been answered."""


Steps = Generator[Call | Expect, Any, None]


class Task:
    """One running procedure of one UE."""

    __slots__ = (
        "_call",
        "_done",
        "_expected",
        "_expiries",
        "_on_end",
        "_release_cause",
        "_stepping",
        "_steps",
        "_timer",
        "account",
        "bound_to_connection",
        "env",
        "message_class",
        "now",
        "repeats_of",
        "ue",
    )

    def __init__(
        self,
        env: Environment,
        ue: UeContext,
        message_class: MessageClass,
        account: int = 0,
        bound_to_connection: bool = True,
        repeats_of: bytes = b"",
    ) -> None:
        """`account`: its number in the books on pairs. `repeats_of`: the request, to know a repetition of it."""
        self.env = env
        self.ue = ue
        self.message_class = message_class
        self.account = account
        self.bound_to_connection = bound_to_connection
        self.repeats_of = repeats_of
        self.now = 0.0
        self._done = False
        self._steps: Steps | None = None
        self._stepping = False
        self._on_end: Callable[[float], None] | None = None
        self._expected: Expect | None = None
        self._expiries = 0
        self._timer: Due | None = None
        self._call: PendingCall | None = None
        self._release_cause: Cause | None = None

    # --- for whoever owns the task -----------------------------------------------------------------------------------

    def start(self, steps: Steps, on_end: Callable[[float], None], now: float) -> None:
        """Runs `steps`; `on_end(now)` is called when they have returned, not after `abort`."""
        self._steps = steps
        self._on_end = on_end
        self._step(None, now)

    def waits_for(self, event: Any) -> bool:
        """The procedure wants this kind of message now."""
        return self._expected is not None and isinstance(event, self._expected.wanted)

    def deliver(self, event: Any, now: float) -> bool:
        """Hands it an uplink message; False if it does not wait for such a one."""
        if not self.waits_for(event):
            return False
        self._stop_waiting()
        self._step(event, now)
        return True

    def abort(self, now: float) -> None:
        """It ends without an outcome; one that is not bound to a connection had its outcome before. Harmless after the
        end."""
        if self._steps is not None:
            self.close(now)
            if self.bound_to_connection:
                self.env.tally.count(counters.AMF_ABANDONED, now)

    def close(self, now: float) -> None:
        """Nothing of it happens any more; its call is cancelled, and it comes to nothing unless it is done. Harmless
        after the end."""
        steps, self._steps = self._steps, None
        if steps is None:
            return
        self._stop_waiting()
        if self._call is not None:
            self._call.cancel()
            self._call = None
        if not self._stepping:
            steps.close()
        self._write_off(now)

    # --- for the procedure -------------------------------------------------------------------------------------------

    @property
    def connection(self) -> Connection:
        """The UE's connection; a task that is bound to it does not outlive it."""
        connection = self.ue.connection
        if connection is None:
            raise RuntimeError("a procedure of an idle UE has no connection to speak on")
        return connection

    def call(self, operation: Operation, payload: Any = None, subject: str | None = None) -> Generator[Call, Any, Any]:
        """The answer of a network function, or what it said instead (Failed); BackendFailed if it said nothing.

        Only the first one is of the class of the procedure's first message: what has cost nothing yet is shed first.
        """
        about = subject or self.ue.supi or ""
        answer = yield Call(operation, about, payload, self.message_class, self.account)
        self.message_class = follow_up_of(self.message_class)
        if isinstance(answer, Failed) and answer.of_transport:
            raise BackendFailed(answer.why)
        return answer

    def ask(
        self, message: Any, timer: NasTimer, wanted: tuple[type[Any], ...], header_type: int | None = None
    ) -> Generator[Expect, Any, Any]:
        """The UE's answer to `message`; Unanswered after the last expiry of `timer`."""
        plain = encode_nas(message)

        def send(now: float) -> None:
            self.tell_plain(plain, header_type)

        send(self.now)
        return (yield Expect(wanted, timer, send))

    def release_at_end(self, cause: Cause) -> None:
        """The connection is released when the procedure returns, which it has to do next."""
        self._release_cause = cause

    def done(self) -> None:
        """The UE has what it asked for, whatever becomes of the rest: its pairs are open until its full service."""
        self._done = True
        self.ue.open_procedures.append(self.account)

    def write_off(self) -> None:
        """The procedure comes to nothing; so do its pairs, unless it is done."""
        self._write_off(self.now)

    def tell(self, message: Any) -> None:
        """A NAS message that needs no answer."""
        self.tell_plain(encode_nas(message))

    def tell_plain(self, plain: bytes, header_type: int | None = None) -> None:
        """A coded NAS message, protected as the connection demands, or under `header_type` with the new context."""
        self.env.n2.send_nas(self.connection, self.protect(plain, header_type))

    def protect(self, plain: bytes, header_type: int | None = None) -> bytes:
        """`plain` with the security context in use, if secure exchange is established."""
        ue = self.ue
        if header_type is not None:
            if ue.candidate is None:
                raise RuntimeError("no security context to take into use")
            return ue.candidate.protect(plain, header_type)
        if ue.security is None or not self.connection.secured:
            return plain
        return ue.security.protect(plain, _CIPHERED)

    # --- stepping ----------------------------------------------------------------------------------------------------

    def _step(self, value: Any, now: float) -> None:
        """Resumes the procedure with `value`, or with `value` raised if it is how a procedure ends."""
        steps = self._steps
        if steps is None:
            return
        self.now = now
        self._stepping = True
        try:
            wanted = steps.throw(value) if isinstance(value, Ended) else steps.send(value)
        except StopIteration:
            self._end(now)
            return
        except Ended:  # an end that the procedure has nothing to say about
            self.write_off()
            self.env.tally.count(counters.AMF_ABANDONED, now)
            self._end(now)
            return
        finally:
            self._stepping = False
        if self._steps is None:  # aborted by what it did itself: a release of its own connection, say
            steps.close()
        elif isinstance(wanted, Call):
            self._call = self.env.bus.call(wanted, self._answered, now)
        else:
            self._expiries = 0
            self._wait(wanted, now)

    def _answered(self, answer: Any, now: float) -> None:
        self._call = None
        self._step(answer, now)

    def _wait(self, expect: Expect, now: float) -> None:
        self._expected = expect
        self._timer = self.env.agenda.at(now + expect.timer.seconds, self._expired)

    def _stop_waiting(self) -> None:
        self._expected = None
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _expired(self, now: float) -> None:
        expect = self._expected
        if expect is None:
            return
        self._stop_waiting()
        if expect.timer.repeats and self._expiries < self.env.settings.nas_retransmissions:
            self._expiries += 1
            self.now = now
            if expect.repeat is not None:
                self.env.tally.count(counters.NAS_RETRANSMISSIONS, now)
                self.env.tally.count(f"{counters.NAS_RETRANSMISSIONS}.{expect.timer.name}", now)
                expect.repeat(now)
            self._wait(expect, now)
        else:
            self._step(Unanswered(expect.timer), now)

    def _write_off(self, now: float) -> None:
        if not self._done:
            self.env.ledger.write_off(self.account, now)

    def _end(self, now: float) -> None:
        if self._steps is None:
            return
        self._steps = None
        if self._on_end is not None:
            self._on_end(now)
        if self._release_cause is not None and self.ue.connection is not None:
            self.env.n2.release(self.ue.connection, self._release_cause, now)


_CIPHERED = 2
