"""The S-CSCF: registers users, challenges them, tells the application servers (TS 24.229 5.4.1).

Reads like the call flow: who is it, does the request prove it, if not a challenge, then the HSS (SAR), then 200, and
a third-party REGISTER to each application server of the user's profile. A re-registration that the P-CSCF vouches for,
or whose digest counts on under the nonce in use, is not challenged again.
"""

from collections.abc import Callable, Generator
from random import Random
from typing import Any

from protocols.diameter.cx import (
    DIGEST_AKAV1_MD5,
    SIP_DIGEST,
    MultimediaAuthAnswer,
    MultimediaAuthRequest,
    ServerAssignmentAnswer,
    ServerAssignmentRequest,
    SipAuthDataItem,
)
from protocols.diameter.numbers import ResultCode
from protocols.diameter.numbers import ServerAssignmentType as Assignment
from protocols.digest import AKAV1_MD5, AUTH, MD5, Challenge, aka_nonce, auts_of
from protocols.sip.authentication import WWW_AUTHENTICATE, challenge_text
from protocols.sip.encode import answer
from protocols.sip.messages import Request, Response
from regstorm.records import ims_counters as counters
from regstorm.records import operations as ops
from regstorm.records.core_settings import Ims as ImsSettings
from regstorm.records.message_classes import MessageClass
from regstorm.records.ports import Agenda, Tally
from regstorm.reference_core.bus import Answer, Call, Failed, Handler, Steps, follow_up_of
from regstorm.reference_core.ims.accounts import Accounts
from regstorm.reference_core.ims.hops import Hop, returned
from regstorm.reference_core.ims.known_users import REG_AWAIT_AUTH_S
from regstorm.reference_core.ims.names import ImsNames, host_of
from regstorm.reference_core.ims.node import SipNode
from regstorm.reference_core.ims.proofs import continues, proves, rand_and_auts
from regstorm.reference_core.ims.reading import credentials
from regstorm.reference_core.ims.registrations import (
    Challenges,
    Registrant,
    Registration,
    Registrations,
    Vector,
    registrant,
)
from regstorm.reference_core.ims.third_party import ThirdParties
from regstorm.reference_core.ims.user_profile import read_criteria

MOST_RESYNCHRONISATIONS = 2
"""A UE answers two invalid challenges in a row and no third, so no more new ones are sent (TS 24.229 5.4.1.2.3)."""

Part = Generator[Call, Answer, Any]


class Scscf:
    """Serves every user of the network."""

    def __init__(
        self,
        settings: ImsSettings,
        names: ImsNames,
        agenda: Agenda,
        tally: Tally,
        accounts: Accounts,
        rng: Random,
        third_parties: ThirdParties,
        changed: Callable[[str, float], None],
    ) -> None:
        """`changed(supi, now)` is called when a user is registered, or no more."""
        self._settings = settings
        self._names = names
        self._tally = tally
        self._accounts = accounts
        self._rng = rng
        self._hop = Hop("s", host_of(names.scscf))
        self._third_parties = third_parties
        self._changed = changed
        self.service_route = f"<{names.scscf.replace('sip:', 'sip:orig@')};lr>"
        """Where a user's requests enter (TS 24.229 5.4.1.2.2F)."""
        third_parties.terminate = self.deregister
        third_parties.is_current = self.is_current
        self.registrations = Registrations(agenda, self._expired)
        self.challenges = Challenges(agenda, REG_AWAIT_AUTH_S, self._unanswered)
        self.node: SipNode
        """Set by whoever puts the core together: the node that these handlers run on."""
        self.handlers: dict[ops.Operation, Handler] = {
            ops.SIP_REGISTER_SCSCF: self._register,
            ops.SIP_MESSAGE_SCSCF: self._message,
        }

    # --- REGISTER ----------------------------------------------------------------------------------------------------

    def _register(self, call: Call, now: float) -> Response | Steps:
        request: Request = call.payload
        who = registrant(request, self._settings.expires_s)
        if who is None:
            return self._own_answer(request, 400)
        if 0 < who.expires_s < self._settings.min_expires_s:
            shortest = (("Min-Expires", str(self._settings.min_expires_s)),)
            return self._own_answer(request, 423, shortest)
        return self._proved_or_challenged(call, request, who)

    def _proved_or_challenged(self, call: Call, request: Request, who: Registrant) -> Steps:
        given = credentials(request)
        waiting = self.challenges.waiting(who.identity)
        if given is not None and waiting is not None and given.nonce == waiting.nonce:
            auts = auts_of(given)
            if auts is not None and waiting.resynchronised < MOST_RESYNCHRONISATIONS:
                self._tally.count(counters.RESYNCHRONISATIONS, self.node.now)
                in_a_row = waiting.resynchronised + 1
                return (yield from self._challenge(call, request, who, rand_and_auts(given, auts), in_a_row))
            self.challenges.take(who.identity)
            if not proves(given, waiting, request):
                self._tally.count(counters.AUTHENTICATION_FAILED, self.node.now)
                return self._own_answer(request, 403)
            return (yield from self._assign(call, request, who, waiting))
        known = self.registrations.of(who.identity)
        if known is not None and (who.protected or continues(given, known.vector, request)):
            return (yield from self._assign(call, request, who, known.vector))
        return (yield from self._challenge(call, request, who, None))

    def _challenge(
        self, call: Call, request: Request, who: Registrant, rand_and_auts: bytes | None, resynchronised: int = 0
    ) -> Part:
        """MAR, then 401 (5.4.1.2.1)."""
        wanted = SipAuthDataItem(DIGEST_AKAV1_MD5, authorization=rand_and_auts)
        question = MultimediaAuthRequest(who.private, who.identity, self._names.scscf, wanted)
        said = yield Call(ops.MULTIMEDIA_AUTH, call.subject, question, call.message_class)
        if not isinstance(said, MultimediaAuthAnswer):
            return self._hss_failed(request)
        if said.result is not ResultCode.SUCCESS or not said.items:
            return self._own_answer(request, 403)
        vector, challenge = self._challenge_of(said.items[0])
        vector.resynchronised = resynchronised
        self.challenges.ask(who.identity, vector, self.node.now)
        self._tally.count(counters.CHALLENGES, self.node.now)
        return self._own_answer(request, 401, ((WWW_AUTHENTICATE, challenge_text(challenge)),))

    def _challenge_of(self, item: SipAuthDataItem) -> tuple[Vector, Challenge]:
        password = item.authorization or b""
        if item.scheme == SIP_DIGEST or item.authenticate is None:
            nonce = self._rng.randbytes(16).hex()
            return Vector(nonce, MD5, password), Challenge(self._names.domain, nonce, MD5, (AUTH,))
        nonce = aka_nonce(item.authenticate[:16], item.authenticate[16:])
        asked = Challenge(self._names.domain, nonce, AKAV1_MD5, (AUTH,))
        if item.ck is not None and item.ik is not None:
            asked = asked._replace(ck=item.ck.hex(), ik=item.ik.hex())
        return Vector(nonce, AKAV1_MD5, password), asked

    def _assign(self, call: Call, request: Request, who: Registrant, vector: Vector | None) -> Part:
        """SAR, then 200 (5.4.1.2.2), or 200 to a user who leaves (5.4.1.4)."""
        known = self.registrations.of(who.identity)
        leaves = who.contact is None or who.expires_s == 0
        said = yield from self._tell_hss(call, who, _assignment(known is not None, leaves))
        if not isinstance(said, ServerAssignmentAnswer):
            return self._hss_failed(request)
        if said.result is not ResultCode.SUCCESS:
            return self._own_answer(request, 403)
        if who.contact is None or leaves:
            return self._leave(call, request, who)
        granted_s = min(who.expires_s, self._settings.expires_s)
        registration = Registration(
            who.identity,
            call.subject,
            who.private,
            self.node.now + granted_s,
            who.contact.uri,
            tuple(request.headers.listed("Path")),
            vector,
            read_criteria(said.user_data) if said.user_data is not None else known.criteria if known else (),
        )
        self.registrations.keep(registration)
        self._tally.count(counters.REGISTERED if known is None else counters.REREGISTERED, self.node.now)
        self._changed(call.subject, self.node.now)
        self._third_parties.register(registration, granted_s, call, self.node.now)
        return self._granted(request, who, granted_s)

    def _tell_hss(self, call: Call, who: Registrant, kind: Assignment) -> Part:
        known = self.registrations.of(who.identity)
        has_profile = known is not None and bool(known.criteria)
        told = ServerAssignmentRequest(self._names.scscf, kind, who.private, (who.identity,), has_profile)
        return (yield Call(ops.SERVER_ASSIGNMENT, call.subject, told, call.message_class))

    def _granted(self, request: Request, who: Registrant, granted_s: int) -> Response:
        contact = who.contact
        text = (
            ""
            if contact is None
            else contact._replace(parameters=contact.parameters.replaced("expires", str(granted_s))).text()
        )
        fields = [("Contact", text)]
        fields += [("Path", one) for one in request.headers.listed("Path")]
        fields.append(("Service-Route", self.service_route))
        fields.append(("P-Associated-URI", f"<{who.identity}>"))
        return self._own_answer(request, 200, tuple(fields))

    def _leave(self, call: Call, request: Request, who: Registrant) -> Response:
        known = self.registrations.drop(who.identity)
        self._tally.count(f"{counters.DEREGISTERED}.user", self.node.now)
        self._tally.count(counters.DEREGISTERED, self.node.now)
        self._changed(call.subject, self.node.now)
        if known is not None:
            self._third_parties.deregister(known, call, self.node.now)
        return self._own_answer(request, 200)

    def is_current(self, registration: Registration) -> bool:
        """The user has not been registered again, or deregistered, since."""
        return self.registrations.of(registration.identity) is registration

    # --- what ends without the user ----------------------------------------------------------------------------------

    def deregister(self, registration: Registration, why: str, now: float) -> None:
        """The network takes the registration away (5.4.1.5): HSS, application servers and the UE are told."""
        if self.is_current(registration):
            self.registrations.drop(registration.identity)
            self._end(registration, why, Assignment.ADMINISTRATIVE_DEREGISTRATION, now)
            self._third_parties.notify_ue(registration, now)

    def _expired(self, registration: Registration, now: float) -> None:
        self._end(registration, "expired", Assignment.TIMEOUT_DEREGISTRATION, now)

    def _end(self, registration: Registration, why: str, kind: Assignment, now: float) -> None:
        self._tally.count(f"{counters.DEREGISTERED}.{why}", now)
        self._tally.count(counters.DEREGISTERED, now)
        self._changed(registration.supi, now)
        told = ServerAssignmentRequest(self._names.scscf, kind, registration.private, (registration.identity,), True)
        cause = Call(ops.SIP_REGISTER_SCSCF, registration.supi, None, MessageClass.DEREGISTRATION)

        def tell_hss() -> Steps:
            yield Call(ops.SERVER_ASSIGNMENT, registration.supi, told, MessageClass.DEREGISTRATION)

        self.node.begin(tell_hss(), cause, now)
        self._third_parties.deregister(registration, cause, now)

    def _unanswered(self, identity: str, now: float) -> None:
        """reg-await-auth: the challenge has come to nothing, and so has the registration."""
        self._tally.count(counters.UNANSWERED_CHALLENGES, now)
        self._accounts.failed(self._third_parties.supi(identity), now)

    # --- MESSAGE -----------------------------------------------------------------------------------------------------

    def _message(self, call: Call, now: float) -> Response | Steps:
        """From a user in service to the first application server that wants it; to a user by the P-CSCF."""
        request: Request = call.payload
        routes = request.headers.listed("Route")
        if routes and "sip:orig@" in routes[0]:
            return self._originating(call, request)
        return self._terminating(call, request)

    def _originating(self, call: Call, request: Request) -> Response | Steps:
        asserted = request.headers.first("P-Asserted-Identity") or ""
        known = self.registrations.of(asserted.strip("<>"))
        if known is None:
            return self._own_answer(request, 403)
        operation = self._third_parties.wants_message(known)
        if operation is None:
            return self._own_answer(request, 404)
        passed = self._hop.forwarded(request._replace(headers=request.headers.without("Route")))
        return self._via_bus(Call(operation, call.subject, passed, follow_up_of(call.message_class)), request)

    def _terminating(self, call: Call, request: Request) -> Response | Steps:
        known = self.registrations.of(request.uri)
        if known is None:
            return self._own_answer(request, 480)
        routes = [("Route", one) for one in known.path]
        passed = self._hop.forwarded(request._replace(headers=request.headers.without("Route")), routes)
        return self._via_bus(Call(ops.SIP_TO_UE, call.subject, passed, follow_up_of(call.message_class)), request)

    def _via_bus(self, call: Call, request: Request) -> Steps:
        said = yield call
        return self._own_answer(request, 504) if isinstance(said, Failed) else returned(said)

    # --- answers -----------------------------------------------------------------------------------------------------

    def _hss_failed(self, request: Request) -> Response:
        self._tally.count(counters.HSS_FAILURES, self.node.now)
        return self._own_answer(request, self._settings.on_hss_failure)

    def _own_answer(self, request: Request, status: int, fields: tuple[tuple[str, str], ...] = ()) -> Response:
        return answer(request, status, self._hop.tag(), fields)


def _assignment(registered: bool, leaves: bool) -> Assignment:
    if leaves:
        return Assignment.USER_DEREGISTRATION
    return Assignment.RE_REGISTRATION if registered else Assignment.REGISTRATION
