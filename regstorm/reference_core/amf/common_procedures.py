"""Identification, authentication and security mode control: the common procedures inside others (TS 24.501 5.4)."""

from collections.abc import Generator
from hmac import compare_digest
from typing import Any

from protocols.aka import ABBA, hres_star, k_amf
from protocols.causes import FivegmmCause
from protocols.identities import Suci
from protocols.nas5g.decode import decode
from protocols.nas5g.messages import (
    NO_KEY,
    AuthenticationFailure,
    AuthenticationReject,
    AuthenticationRequest,
    AuthenticationResponse,
    IdentityRequest,
    IdentityResponse,
    IdentityType,
    RegistrationRequest,
    SecurityModeCommand,
    SecurityModeComplete,
    SecurityModeReject,
)
from protocols.nas_security import HeaderType, SecurityContext, Side, choose_algorithms
from regstorm.records import operations as ops
from regstorm.reference_core.amf.task import T3560, T3570, Ended, Expect, Task
from regstorm.reference_core.bus import Call, Failed
from regstorm.reference_core.payloads import (
    Authenticated,
    AuthenticationInfo,
    Challenge,
    Confirmation,
    Resynchronisation,
)

_KEY_SETS = 7


class Rejected(Ended):
    """The UE is to be told this cause."""

    def __init__(self, cause: FivegmmCause) -> None:
        super().__init__(cause.name)
        self.cause = cause


class AuthenticationFailed(Ended):
    """The UE could not prove who it is: AUTHENTICATION REJECT (5.4.1.3.5)."""


class SecurityModeRefused(Ended):
    """SECURITY MODE REJECT: the procedure that needed it is aborted (5.4.2.5)."""


Subprocedure = Generator[Call | Expect, Any, Any]


def identify(task: Task) -> Subprocedure:
    """The UE's SUCI (5.4.3). Rejected with #9 if it answers with anything else."""
    answer: IdentityResponse = yield from task.ask(IdentityRequest(IdentityType.SUCI), T3570, (IdentityResponse,))
    if not isinstance(answer.identity, Suci):
        raise Rejected(FivegmmCause.UE_IDENTITY_CANNOT_BE_DERIVED)
    return answer.identity


class _Challenger:
    """One authentication: what was asked for last, and which failures the UE has answered with already."""

    def __init__(self, task: Task, suci: Suci | None) -> None:
        self.task = task
        self.suci = suci
        self.ngksi_tries = 0
        self.ngksi = 0
        self.take_other_key_set()
        self.synch_failed = False
        self.mac_failed = False

    @property
    def subject(self) -> str:
        return self.suci.text() if self.suci is not None else self.task.ue.supi or ""

    def take_other_key_set(self) -> None:
        """An ngKSI that neither the UE's request nor this AMF uses (5.4.1.3.2)."""
        ue = self.task.ue
        used = (ue.ngksi, ue.request.ngksi if ue.request is not None else NO_KEY)
        self.ngksi = (self.ngksi + 1) % _KEY_SETS
        while self.ngksi in used:
            self.ngksi = (self.ngksi + 1) % _KEY_SETS

    def challenge(self, resynchronisation: Resynchronisation | None) -> Subprocedure:
        """A challenge from the AUSF, or the end of it."""
        info = AuthenticationInfo(self.suci, self.task.env.identity.snn, resynchronisation)
        challenge = yield from self.task.call(ops.AUTHENTICATE, info, self.subject)
        if isinstance(challenge, Challenge):
            return challenge
        if isinstance(challenge, Failed) and challenge.why == "USER_NOT_FOUND":
            raise Rejected(FivegmmCause.ILLEGAL_UE)
        raise AuthenticationFailed(str(challenge))

    def after_failure(self, failure: AuthenticationFailure, challenge: Challenge) -> Subprocedure:
        """What to ask the AUSF for next (5.4.1.3.7); a failure of the same kind again ends it."""
        match failure.cause:
            case FivegmmCause.SYNCH_FAILURE if failure.auts is not None and not self.synch_failed:
                self.synch_failed = True
                return Resynchronisation(challenge.rand, failure.auts)
            case FivegmmCause.MAC_FAILURE if not self.mac_failed:
                self.mac_failed = True
                self.suci = yield from identify(self.task)  # c: the GUTI may have been another UE's
                return None
            case FivegmmCause.NGKSI_ALREADY_IN_USE if self.ngksi_tries < _KEY_SETS:
                self.ngksi_tries += 1
                self.take_other_key_set()
                return None
        raise AuthenticationFailed(failure.cause.name)

    def after_wrong_answer(self) -> Subprocedure:
        """RES* is wrong (5.4.1.3.5): a UE known by its GUTI may have been taken for another, so it says its SUCI and is
        asked again; one known by its SUCI is rejected."""
        if self.suci is not None:
            raise AuthenticationFailed("RES*")
        self.suci = yield from identify(self.task)


def authenticate(task: Task, suci: Suci | None) -> Subprocedure:
    """5G-AKA (5.4.1.3): returns the SUPI, K_AMF and ngKSI. `suci` is None where the SUPI is known."""
    asking = _Challenger(task, suci)
    resynchronisation: Resynchronisation | None = None
    while True:
        challenge = yield from asking.challenge(resynchronisation)
        request = AuthenticationRequest(asking.ngksi, ABBA, challenge.rand, challenge.autn)
        answer = yield from task.ask(request, T3560, (AuthenticationResponse, AuthenticationFailure))
        if isinstance(answer, AuthenticationFailure):
            resynchronisation = yield from asking.after_failure(answer, challenge)
            continue
        # the SEAF's check comes first: a wrong answer costs the home network no operation (TS 33.501 6.1.3.2.0 step 9)
        if not compare_digest(hres_star(challenge.rand, answer.res_star), challenge.hxres_star):
            resynchronisation = yield from asking.after_wrong_answer()
            continue
        confirmation = Confirmation(challenge.context, answer.res_star)
        verdict = yield from task.call(ops.CONFIRM_5G_AKA, confirmation, asking.subject)
        if not isinstance(verdict, Authenticated):
            raise AuthenticationFailed(str(verdict))
        return verdict.supi, k_amf(verdict.kseaf, verdict.supi), asking.ngksi


def establish_security(task: Task, ngksi: int, kamf: bytes, ask_for_request: bool) -> Subprocedure:
    """Security mode control (5.4.2). Takes the new context into use; returns the complete initial message or None."""
    ue, identity = task.ue, task.env.identity
    algorithms = choose_algorithms(ue.capability, identity.ciphering, identity.integrity)
    if algorithms is None:
        raise Rejected(FivegmmCause.UE_SECURITY_CAPABILITIES_MISMATCH)
    candidate = ue.candidate = SecurityContext(Side.NETWORK, ngksi, kamf, algorithms)
    command = SecurityModeCommand(
        ngksi, algorithms.ciphering, algorithms.integrity, ue.capability, container_requested=ask_for_request
    )
    answer = yield from task.ask(command, T3560, (SecurityModeComplete, SecurityModeReject), HeaderType.NEW_CONTEXT)
    if isinstance(answer, SecurityModeReject):
        ue.candidate = None
        raise SecurityModeRefused(answer.cause.name)
    ue.take_candidate()
    task.connection.secured = True
    task.connection.base_count = candidate.uplink_count - 1  # that of SECURITY MODE COMPLETE
    if answer.container is None:
        return None
    complete = decode(answer.container)
    return complete if isinstance(complete, RegistrationRequest) else None


def reject_authentication(task: Task) -> None:
    """AUTHENTICATION REJECT, as the connection demands."""
    task.tell(AuthenticationReject())
