"""What the UDM is told when the UE has its answer already, and what of it is given up or made up for.

A deregistration (TS 23.502 4.2.2.3), a released session (4.3.4.2), and a session's registration that got no answer
(4.3.2.2.1 step 16c).
"""

from typing import NamedTuple

from regstorm.records import counters
from regstorm.records.message_classes import MessageClass
from regstorm.simulator.back_end import BackEnd
from regstorm.simulator.calls import Charges, unheard
from regstorm.simulator.chain import LEAVES_AMF, LEAVES_SMF
from regstorm.simulator.population import Ue
from regstorm.simulator.tally import SecondTally

_Steps = tuple[Charges, ...]
"""Of a deregistration."""


class _Leaving(NamedTuple):
    """What the SMF has still to say of a session, and what the AMF has after that; None: nothing."""

    pairs: Charges
    steps: _Steps | None


class UdmNews:
    """Of all UEs of the AMFs."""

    __slots__ = ("_back_end", "_counts", "_leaves", "_leaving", "_releasing", "_unregistered")

    def __init__(self, back_end: BackEnd, tally: SecondTally) -> None:
        self._back_end = back_end
        self._counts = tally.counts
        self._leaving: Charges = ()
        self._releasing: Charges = ()
        self._leaves: dict[int, tuple[Charges, ...]] = {}
        """By UE: what is still to be told of its deregistration."""
        self._unregistered: dict[int, tuple[int, ...]] = {}
        """By UE: the stages of its sessions whose registration got no answer."""
        self.follow_strategy()

    def follow_strategy(self) -> None:
        """What it costs under the back end's strategy."""
        charge = self._back_end.charge
        self._leaving = tuple(charge(one, MessageClass.DEREGISTRATION) for one in LEAVES_AMF)
        self._releasing = tuple(charge(one, MessageClass.PDU_SESSION) for one in LEAVES_SMF)

    def begins_anew(self, ue: Ue) -> None:
        """The UE registers: what was still to be told of it before is of no interest any more."""
        self._leaves.pop(ue.index, None)
        self._unregistered.pop(ue.index, None)

    # --- what ends ---------------------------------------------------------------------------------------------------

    def session_released(self, ue: Ue, now: float) -> None:
        """Two pairs."""
        self._leave_smf(ue, _Leaving(self._releasing, None), now)

    def leaves(self, ue: Ue, now: float) -> None:
        """Two pairs for each session, and two for the UE."""
        sessions = [self._releasing] * ue.sessions.bit_count()
        self._leaves[ue.index] = steps = (*sessions, *((one,) for one in self._leaving))
        self._go_on(ue, steps, now)

    def _go_on(self, ue: Ue, steps: _Steps, now: float) -> None:
        if self._leaves.get(ue.index) is not steps:
            return
        if not steps:
            del self._leaves[ue.index]
            return
        self._leaves[ue.index] = left = steps[1:]
        if len(left) >= len(LEAVES_AMF):
            self._leave_smf(ue, _Leaving(steps[0], left), now)
        else:
            self._back_end.ask_for(ue, left, steps[0], None, self._go_on, self._untold, now)

    def _leave_smf(self, ue: Ue, leaving: _Leaving, now: float) -> None:
        """One pair after the other: the UDM's silence changes nothing for the SMF."""
        pairs, steps = leaving
        if pairs:
            go_on, left = self._leave_smf, _Leaving(pairs[1:], steps)
            self._back_end.ask_for(ue, left, pairs[:1], None, go_on, go_on, now)
        elif steps is not None:
            self._go_on(ue, steps, now)

    def _untold(self, ue: Ue, left: _Steps, now: float) -> None:
        self._counts[counters.AMF_BACKEND_FAILURES] += 1

    # --- sessions whose registration is missing ----------------------------------------------------------------------

    def lacks_registration(self, ue: Ue, index: int, now: float) -> None:
        """The UE has the session of stage `index`, and the UDM does not know who serves it."""
        self._unregistered[ue.index] = (*self._unregistered.get(ue.index, ()), index)

    def comes_up(self, ue: Ue, index: int) -> None:
        """The session of stage `index` is there anew: what was lacking of the one before is of no interest any more."""
        lacking = self._unregistered.get(ue.index, ())
        if index in lacking:
            self._unregistered[ue.index] = tuple(one for one in lacking if one != index)

    def make_up(self, ue: Ue, now: float) -> None:
        """Its sessions have resources anew: the SMF registers those that it could not."""
        for index in self._unregistered.pop(ue.index, ()):
            late = self._back_end.late_charges(ue, index)
            self._back_end.ask_for(ue, index, late, None, unheard, self.lacks_registration, now)
