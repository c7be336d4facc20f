"""An IMS side that records what it says and hears, for the UE of traced_ue.py."""

from typing import Protocol

from protocols.sip.fields import cseq, retry_after
from protocols.sip.messages import Request, Response
from protocols.udp import Endpoint
from regstorm.records.ports import UeObserver
from ue_models.ims_attempts import ImsOwner
from ue_models.ims_state import ImsState
from ue_models.ims_ue import ImsUe
from ue_models.procedures.steps import Ue
from ue_models.profiles import Profile
from ue_models.timer_set import TimerSet

TRANSACTIONS = ("SIP transaction", "SIP answer")
"""Timers of single messages, too many to be recorded."""


class Trace(Protocol):
    """As in traced_ue.py."""

    def note(self, at_s: float, event: str, name: str, detail: str = "") -> None: ...


class TracedIms(ImsUe):
    """Made as any, with a trace. Retransmissions are not recorded."""

    __slots__ = ("_trace",)

    def __init__(
        self,
        ue: Ue,
        state: ImsState,
        owner: ImsOwner,
        profile: Profile,
        timers: TimerSet,
        observer: UeObserver,
        trace: Trace,
    ) -> None:
        super().__init__(ue, state, owner, profile, timers, observer)
        self._trace = trace

    def _ask(self, request: Request, now: float) -> None:
        self._trace.note(now, "up", f"SIP {request.method}", self._detail(request))
        super()._ask(request, now)

    def _hear(self, response: Response, now: float) -> None:
        self._trace.note(now, "down", f"SIP {response.status} {response.reason}", self._detail(response))
        super()._hear(response, now)

    def _asked(self, request: Request, source: Endpoint, now: float) -> None:
        self._trace.note(now, "down", f"SIP {request.method}", self._detail(request))
        super()._asked(request, source, now)

    def _detail(self, message: Request | Response) -> str:
        """No identity and no key: which request it is, and for how long the UE is turned away."""
        number, hint = cseq(message), retry_after(message)
        said = [] if number is None else [f"CSeq {number.text()}"]
        if isinstance(message, Request):
            said.append(f"P-CSCF {self.state.p_cscf + 1}")
        if hint is not None:
            said.append(f"Retry-After {hint.seconds} s")
        return ", ".join(said)
