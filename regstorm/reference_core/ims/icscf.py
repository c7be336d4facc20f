"""The I-CSCF: finds the S-CSCF of a user (TS 24.229 5.3). It keeps nothing."""

from protocols.diameter.cx import (
    LocationInfoAnswer,
    LocationInfoRequest,
    UserAuthorizationAnswer,
    UserAuthorizationRequest,
)
from protocols.diameter.layouts import ExperimentalResult, Result
from protocols.diameter.numbers import ExperimentalResultCode, UserAuthorizationType
from protocols.sip.encode import answer
from protocols.sip.messages import Request, Response
from regstorm.records import ims_counters as counters
from regstorm.records import operations as ops
from regstorm.records.ports import Tally
from regstorm.reference_core.bus import Answer, Call, Failed, Handler, Steps, follow_up_of
from regstorm.reference_core.ims.classification import is_deregistration
from regstorm.reference_core.ims.hops import Hop, returned
from regstorm.reference_core.ims.names import ImsNames, host_of
from regstorm.reference_core.ims.reading import credentials, identity


class Icscf:
    """Serves what comes from P-CSCFs and from other networks."""

    def __init__(self, names: ImsNames, tally: Tally, on_hss_failure: int) -> None:
        self._names = names
        self._tally = tally
        self._on_hss_failure = on_hss_failure
        self._hop = Hop("i", host_of(names.icscf))
        self.handlers: dict[ops.Operation, Handler] = {
            ops.SIP_REGISTER_ICSCF: self._register,
            ops.SIP_MESSAGE_ICSCF: self._deliver,
        }

    def _register(self, call: Call, now: float) -> Steps:
        """UAR, then the S-CSCF (5.3.1.2)."""
        request: Request = call.payload
        public = identity(request, "To")
        given = credentials(request)
        private = given.username if given is not None else public.removeprefix("sip:")
        leaves = is_deregistration(request)
        kind = UserAuthorizationType.DE_REGISTRATION if leaves else UserAuthorizationType.REGISTRATION
        question = UserAuthorizationRequest(private, public, self._names.domain.encode(), kind)
        said = yield Call(ops.USER_AUTHORIZATION, call.subject, question, call.message_class)
        if not isinstance(said, UserAuthorizationAnswer):
            return self._hss_failed(request, now)
        if not may_register(said):
            return self._own_answer(request, 403)
        onward = Call(
            ops.SIP_REGISTER_SCSCF, call.subject, self._hop.forwarded(request), follow_up_of(call.message_class)
        )
        return self._back(request, (yield onward))

    def _deliver(self, call: Call, now: float) -> Steps:
        """A request for a user: LIR, then the S-CSCF (5.3.2.1)."""
        request: Request = call.payload
        question = LocationInfoRequest(request.uri)
        said = yield Call(ops.LOCATION_INFO, call.subject, question, call.message_class)
        if not isinstance(said, LocationInfoAnswer):
            return self._hss_failed(request, now)
        if said.server_name is None:
            return self._own_answer(request, 404 if unknown(said.result) else 480)
        onward = Call(
            ops.SIP_MESSAGE_SCSCF, call.subject, self._hop.forwarded(request), follow_up_of(call.message_class)
        )
        return self._back(request, (yield onward))

    def _back(self, request: Request, said: Answer) -> Response:
        return self._own_answer(request, 504) if isinstance(said, Failed) else returned(said)

    def _hss_failed(self, request: Request, now: float) -> Response:
        self._tally.count(counters.HSS_FAILURES, now)
        return self._own_answer(request, self._on_hss_failure)

    def _own_answer(self, request: Request, status: int) -> Response:
        return answer(request, status, self._hop.tag())


def may_register(said: UserAuthorizationAnswer) -> bool:
    """2001 or 2002 of any kind: there is an S-CSCF for the user (TS 29.228 6.1.1)."""
    result = said.result
    code = result.code if isinstance(result, ExperimentalResult) else result
    return code // 1000 == 2


def unknown(result: Result) -> bool:
    """DIAMETER_ERROR_USER_UNKNOWN."""
    return isinstance(result, ExperimentalResult) and result.code is ExperimentalResultCode.USER_UNKNOWN
