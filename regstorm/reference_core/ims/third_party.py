"""Third-party registration: the S-CSCF tells application servers who is registered (TS 24.229 5.4.1.7).

A failed one follows the default handling of its filter criterion. Session continued: the user stays registered and
the service is missing until it is made up for: by the AS itself if the REGISTER had reached it, by another REGISTER
if there was no answer. Session terminated: the S-CSCF takes the registration away, and the UE registers anew.
"""

from collections.abc import Callable
from random import Random

from protocols.ims_identities import supi_of_identity
from protocols.sip.messages import Headers, Request, Response
from regstorm.records import ims_counters as counters
from regstorm.records import operations as ops
from regstorm.records.message_classes import MessageClass
from regstorm.records.ports import Agenda, Tally
from regstorm.records.ranges import Range
from regstorm.reference_core.bus import Answer, Call, Steps
from regstorm.reference_core.ims.hops import Hop
from regstorm.reference_core.ims.names import ImsNames, host_of
from regstorm.reference_core.ims.node import SipNode
from regstorm.reference_core.ims.registrations import Registration
from regstorm.reference_core.ims.user_profile import FilterCriteria

_NEVER_TOLD = frozenset((408, 503, 504))
"""Answers after which the AS knows nothing of the user."""


class ThirdParties:
    """The S-CSCF's side of ISC. `terminate` and `node` are set by whoever puts the core together."""

    def __init__(self, names: ImsNames, agenda: Agenda, tally: Tally, retry: Range, rng: Random) -> None:
        self._names = names
        self._agenda = agenda
        self._tally = tally
        self._retry = retry
        self._rng = rng
        self._hop = Hop("t", host_of(names.scscf))
        self._register_at = {names.tas: ops.SIP_REGISTER_TAS, names.ip_sm_gw: ops.SIP_REGISTER_IP_SM_GW}
        self._message_at = {names.ip_sm_gw: ops.SIP_MESSAGE_IP_SM_GW}
        self.node: SipNode
        self.terminate: Callable[[Registration, str, float], None]
        self.is_current: Callable[[Registration], bool]

    def supi(self, identity: str) -> str:
        """The subject of calls about a public identity."""
        return supi_of_identity(identity, self._names.plmn) or identity

    def wants_message(self, registration: Registration) -> ops.Operation | None:
        """Where a MESSAGE of the user goes by the filter criteria."""
        for one in registration.criteria:
            if "MESSAGE" in one.methods and one.server in self._message_at:
                return self._message_at[one.server]
        return None

    def register(self, registration: Registration, expires_s: int, cause: Call, now: float) -> None:
        """The user is registered, or registered again: every AS that its criteria name is told."""
        for one in registration.criteria:
            if "REGISTER" in one.methods and one.server in self._register_at:
                self.node.begin(self._tell(registration, one, expires_s, cause), cause, now)

    def deregister(self, registration: Registration, cause: Call, now: float) -> None:
        """The user is registered no more. Whether an AS hears it changes nothing here."""
        for one in registration.criteria:
            if "REGISTER" in one.methods and one.server in self._register_at:
                request = self._request(registration, one.server, 0)
                call = Call(self._register_at[one.server], registration.supi, request, MessageClass.DEREGISTRATION)
                self.node.begin(_only(call), cause, now)

    def notify_ue(self, registration: Registration, now: float) -> None:
        """NOTIFY of the registration event package: deactivated, which asks for a new registration (RFC 3680 5.4).

        The subscription is implicit: the bundled UE does not send SUBSCRIBE, and takes this NOTIFY all the same.
        """
        identity = registration.identity
        body = (
            '<?xml version="1.0"?><reginfo xmlns="urn:ietf:params:xml:ns:reginfo" version="0" state="full">'
            f'<registration aor="{identity}" id="a" state="terminated"><contact id="c" state="terminated" '
            f'event="deactivated"><uri>{registration.contact}</uri></contact></registration></reginfo>'
        ).encode()
        headers = Headers(
            (
                ("Max-Forwards", "70"),
                *(("Route", one) for one in registration.path),
                ("From", f"<{identity}>;tag={self._hop.tag()}"),
                ("To", f"<{identity}>"),
                ("Call-ID", f"{self._hop.tag()}@{self._names.domain}"),
                ("CSeq", "1 NOTIFY"),
                ("Contact", f"<{self._names.scscf}>"),
                ("Event", "reg"),
                ("Subscription-State", "terminated;reason=deactivated"),
                ("Content-Type", "application/reginfo+xml"),
            )
        )
        request = Request("NOTIFY", registration.contact or identity, headers.before((self._hop.via(),)), body)
        call = Call(ops.SIP_TO_UE, registration.supi, request, MessageClass.FOLLOW_UP)
        self.node.begin(_only(call), call, now)

    def _tell(self, registration: Registration, criteria: FilterCriteria, expires_s: int, cause: Call) -> Steps:
        request = self._request(registration, criteria.server, expires_s)
        operation = self._register_at[criteria.server]
        said = yield Call(operation, registration.supi, request, MessageClass.FOLLOW_UP)
        if isinstance(said, Response) and 200 <= said.status < 300:
            return
        now = self.node.now
        self._tally.count(counters.THIRD_PARTY_FAILED, now)
        self._tally.count(f"{counters.THIRD_PARTY_FAILED}.{operation.server}", now)
        if not self.is_current(registration):
            return
        if criteria.handling == "terminated":
            self.terminate(registration, "network", now)
        elif _never_told(said):
            self._later(registration, criteria, expires_s, cause, now)

    def _later(
        self, registration: Registration, criteria: FilterCriteria, expires_s: int, cause: Call, now: float
    ) -> None:
        def again(at: float) -> None:
            if self.is_current(registration):
                self.node.begin(self._tell(registration, criteria, expires_s, cause), cause, at)

        self._agenda.at(now + self._rng.uniform(self._retry.low, self._retry.high), again)

    def _request(self, registration: Registration, server: str, expires_s: int) -> Request:
        """The S-CSCF registers on behalf of the user (5.4.1.7)."""
        scscf = self._names.scscf
        headers = Headers(
            (
                self._hop.via(),
                ("Max-Forwards", "70"),
                ("From", f"<{scscf}>;tag={self._hop.tag()}"),
                ("To", f"<{registration.identity}>"),
                ("Call-ID", f"{self._hop.tag()}@{self._names.domain}"),
                ("CSeq", "1 REGISTER"),
                ("Contact", f"<{scscf}>"),
                ("Expires", str(expires_s)),
            )
        )
        return Request("REGISTER", server, headers)


def _never_told(said: Answer) -> bool:
    return not isinstance(said, Response) or said.status in _NEVER_TOLD


def _only(call: Call) -> Steps:
    yield call
