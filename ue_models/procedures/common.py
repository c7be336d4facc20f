"""What the network may ask in the middle of any procedure (TS 24.501 5.4.1–5.4.3): identity, challenge, keys.

Each function is one request and its answer, to be used by `yield from` in whatever attempt runs, or by none at all
when the UE is connected without a procedure of its own.
"""

from collections.abc import Generator
from typing import Final

from protocols.aka import Answer, MacFailure, SeparationBitMissing, SynchFailure, answer_challenge
from protocols.causes import FivegmmCause
from protocols.identities import Imeisv, MobileIdentity, NoIdentity, STmsi, Suci
from protocols.milenage import Milenage
from protocols.nas5g.encode import encode
from protocols.nas5g.messages import (
    AuthenticationFailure,
    AuthenticationRequest,
    AuthenticationResponse,
    FivegmmStatus,
    IdentityRequest,
    IdentityResponse,
    IdentityType,
    SecurityModeCommand,
    SecurityModeComplete,
    SecurityModeReject,
    Unreadable,
)
from protocols.suci import conceal, conceal_profile_a
from ue_models.procedures.steps import Event, Heard, InitialRequest, Send, Start, Step, Stop, Ue
from ue_models.rules import MAX_AUTHENTICATION_FAILURES
from ue_models.timers import T3516, T3519, T3520, Timer
from ue_models.ue_state import AnsweredChallenge, FreshKey, UeState

Answering = Generator[Step, Event, bool]
"""True: carry on. False: the network is not genuine, the attempt is over."""

_DISCARDED: Final = frozenset({FivegmmCause.PROTOCOL_ERROR_UNSPECIFIED})


def answer(ue: Ue, heard: Heard, initial: InitialRequest | None, guard: Timer | None) -> Answering:
    """Answers what any procedure may be asked; `guard` is the timer of the procedure that waits, if one does."""
    match heard.message:
        case IdentityRequest(wanted):
            yield from ready_suci(ue)
            yield Send(IdentityResponse(identity(ue, wanted)))
        case AuthenticationRequest() as challenge:
            return (yield from authenticate(ue, challenge, guard))
        case SecurityModeCommand() as command:
            yield from take_security_context(ue, command, heard.protected, initial)
        case FivegmmStatus():
            pass  # 5.4.6: what to do about it is left to the UE
        case Unreadable(cause):
            if heard.protected and cause not in _DISCARDED:
                yield Send(FivegmmStatus(cause))  # 7.4, 7.5: #97 not implemented, #96 mandatory IE, #100 conditional IE
        case _:
            if heard.protected:
                yield Send(FivegmmStatus(FivegmmCause.MESSAGE_TYPE_NOT_COMPATIBLE_WITH_STATE))  # 7.4
    return True


# --- identity (5.4.3) ------------------------------------------------------------------------------------------------


def ready_suci(ue: Ue) -> Generator[Step, Event, None]:
    """Makes a SUCI if none is at hand; a concealed one is used again while T3519 runs (5.4.3.3, 5.5.1.2.2)."""
    state, settings = ue.state, ue.settings
    if state.suci is not None:
        return
    supi = state.credentials.supi
    if settings.home_key is None:
        state.suci = conceal(supi, settings.plmn)
        return
    state.suci = conceal_profile_a(supi, settings.plmn, settings.home_key, ue.rng.randbytes(32))
    yield Start(T3519)


def own_suci(state: UeState) -> Suci:
    """The SUCI that `ready_suci` made."""
    if state.suci is None:
        raise ValueError("no SUCI at hand: ready_suci comes first")
    return state.suci


def own_identity(state: UeState) -> MobileIdentity:
    """Who the UE says it is in a REGISTRATION REQUEST (5.5.1.2.2): its GUTI if it has one."""
    return own_suci(state) if state.guti is None else state.guti


def identity(ue: Ue, wanted: IdentityType) -> MobileIdentity:
    """The identity of the wanted type, or none (9.11.3.4)."""
    state = ue.state
    match wanted:
        case IdentityType.SUCI:
            return own_suci(state)
        case IdentityType.GUTI if state.guti is not None:
            return state.guti
        case IdentityType.S_TMSI if state.guti is not None:
            return STmsi(state.guti.set_id, state.guti.pointer, state.guti.tmsi)
        case IdentityType.IMEISV:
            return Imeisv(imeisv(state))
    return NoIdentity()


def imeisv(state: UeState) -> str:
    """Sixteen digits: a type allocation code that no device has, the UE's index, software version 01."""
    return f"99000000{state.index % 1_000_000:06d}01"


def imei_urn(state: UeState) -> str:
    """The same device as a URN (RFC 7254): type allocation code, serial number, and the spare digit."""
    digits = imeisv(state)
    return f"urn:gsma:imei:{digits[:8]}-{digits[8:14]}-0"


# --- authentication (5.4.1.3) ----------------------------------------------------------------------------------------


def authenticate(ue: Ue, challenge: AuthenticationRequest, guard: Timer | None) -> Answering:
    """5G-AKA from the UE's side: RES*, or #20, #21 with AUTS, #26, #71."""
    state = ue.state
    kept = state.challenge
    if kept is not None and kept.rand == challenge.rand:  # T3516 runs: no second look at SQN
        yield Send(AuthenticationResponse(kept.res_star))
        return True
    if state.security is not None and state.security.ngksi == challenge.ngksi:
        return (yield from _refuse(state, FivegmmCause.NGKSI_ALREADY_IN_USE, None, guard))
    credentials = state.credentials
    milenage = Milenage(credentials.k, credentials.opc)
    rand, autn, abba = challenge.rand, challenge.autn, challenge.abba
    match answer_challenge(milenage, state.sqn, rand, autn, ue.settings.snn, credentials.supi, abba):
        case Answer() as genuine:
            state.sqn = genuine.sqn
            state.fresh_key = FreshKey(challenge.ngksi, genuine.kamf)
            state.challenge = AnsweredChallenge(rand, genuine.res_star)
            state.authentication_failures = 0
            if state.challenge_refused:  # the timers that the first failure stopped run again (5.4.1.3.7)
                state.challenge_refused = False
                yield Stop(T3520)
                if guard is not None:
                    yield Start(guard)
            yield Start(T3516)
            yield Send(AuthenticationResponse(genuine.res_star))
            return True
        case SynchFailure(auts):
            return (yield from _refuse(state, FivegmmCause.SYNCH_FAILURE, auts, guard))
        case SeparationBitMissing():
            return (yield from _refuse(state, FivegmmCause.NON_5G_AUTHENTICATION_UNACCEPTABLE, None, guard))
        case MacFailure():
            return (yield from _refuse(state, FivegmmCause.MAC_FAILURE, None, guard))


def _refuse(state: UeState, cause: FivegmmCause, auts: bytes | None, guard: Timer | None) -> Answering:
    """5.4.1.3.7: T3520 waits for a better challenge; the third in a row that fails and the network is not genuine.

    #71 says nothing about the network and is not counted.
    """
    state.authentication_failures += cause is not FivegmmCause.NGKSI_ALREADY_IN_USE
    if state.authentication_failures >= MAX_AUTHENTICATION_FAILURES:
        return False
    if guard is not None:
        yield Stop(guard)
    state.challenge_refused = True
    yield Start(T3520)
    yield Send(AuthenticationFailure(cause, auts))
    return True


# --- security mode control (5.4.2) -----------------------------------------------------------------------------------


def take_security_context(
    ue: Ue, command: SecurityModeCommand, verified: bool, initial: InitialRequest | None
) -> Generator[Step, Event, None]:
    """SECURITY MODE COMPLETE under the new context, or REJECT under whatever was in use (5.4.2.3, 5.4.2.5).

    The complete initial NAS message goes along if it could not be sent under protection, or if the network asks.
    """
    state = ue.state
    capability = ue.settings.security_capability
    candidate, state.candidate = state.candidate, None
    if command.replayed_capability[: len(capability)] != capability:
        yield Send(SecurityModeReject(FivegmmCause.UE_SECURITY_CAPABILITIES_MISMATCH))
        return
    if not verified or candidate is None:
        yield Send(SecurityModeReject(FivegmmCause.SECURITY_MODE_REJECTED_UNSPECIFIED))
        return
    state.security = candidate
    state.secure = True
    state.fresh_key = state.challenge = None
    yield Stop(T3516)
    wanted = initial is not None and (command.container_requested or not initial.protected)
    yield Send(
        SecurityModeComplete(
            imeisv=imeisv(state) if command.imeisv_requested else None,
            container=encode(initial.message) if wanted and initial is not None else None,
        )
    )
