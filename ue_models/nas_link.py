"""A UE's NAS messages to octets and back, protected as TS 24.501 4.4 asks.

What comes in is checked before anybody acts on it: a message that must be protected and is not, or whose check fails,
is `Discarded`. What goes out is protected by the state of the connection. Knows no procedure.
"""

from typing import Final, NamedTuple

from protocols.nas5g.decode import decode
from protocols.nas5g.encode import encode
from protocols.nas5g.messages import (
    AuthenticationReject,
    AuthenticationRequest,
    DeregistrationAccept,
    DeregistrationRequest,
    FivegmmMessage,
    IdentityRequest,
    IdentityType,
    Protected,
    RegistrationReject,
    RegistrationRequest,
    SecurityModeCommand,
    SecurityModeComplete,
    ServiceReject,
    ServiceRequest,
    Unreadable,
)
from protocols.nas_security import (
    NULL_ALGORITHM,
    SUPPORTED_ALGORITHMS,
    Algorithms,
    HeaderType,
    Rejected,
    SecurityContext,
    Side,
)
from ue_models.procedures.steps import Heard, InitialMessage
from ue_models.ue_state import UeState

_ONLY_PROTECTED_CAUSES: Final = frozenset({76, 78, 81, 82})
"""5GMM causes of a REGISTRATION REJECT or SERVICE REJECT that count only under protection (4.4.4.2 d, f)."""

_UNCHECKED_TYPES: Final = (
    IdentityRequest,
    AuthenticationRequest,
    AuthenticationReject,
    RegistrationReject,
    ServiceReject,
    DeregistrationAccept,
)


class Discarded(NamedTuple):
    """A message that the UE does not process, and why."""

    why: str


# --- receiving -------------------------------------------------------------------------------------------------------


def read(state: UeState, data: bytes, null_integrity_accepted: bool = False) -> Heard | Discarded:
    """What the network said, if it may be believed (4.4.4.2)."""
    message = decode(data)
    if not isinstance(message, Protected):
        if state.secure:
            return Discarded("not protected after secure exchange was established")
        if not _processed_unchecked(message):
            return Discarded("not protected, and none of the messages that need no protection")
        return Heard(message, False)
    if message.header_type == HeaderType.NEW_CONTEXT:
        return _read_command(state, message, data, null_integrity_accepted)
    if state.security is None:
        return Discarded("no security context")
    if message.header_type == HeaderType.NEW_CONTEXT_CIPHERED:
        return Discarded("header type 4 is the UE's")
    opened = state.security.unprotect(data)
    if isinstance(opened, Rejected):
        return Discarded(opened.why)
    state.secure = True  # 4.4.2.5: the network answered under the context that the UE offered
    inner = decode(opened.plain)
    return Discarded("protected twice") if isinstance(inner, Protected) else Heard(inner, True)


def _processed_unchecked(message: FivegmmMessage | Unreadable) -> bool:
    """4.4.4.2: the messages processed before secure exchange is established."""
    match message:
        case IdentityRequest(wanted):
            return wanted is IdentityType.SUCI
        case RegistrationReject(cause) | ServiceReject(cause):
            return cause not in _ONLY_PROTECTED_CAUSES
    return isinstance(message, _UNCHECKED_TYPES)


def _read_command(state: UeState, message: Protected, data: bytes, null_integrity_accepted: bool) -> Heard | Discarded:
    """A SECURITY MODE COMMAND is checked with the keys that it selects (5.4.2.3).

    Heard as not protected if that fails, so that the UE can answer with SECURITY MODE REJECT; a repetition of one
    that was accepted already is discarded.
    """
    command = decode(message.inner)
    if not isinstance(command, SecurityModeCommand):
        return Discarded("header type 3 and no SECURITY MODE COMMAND")
    state.candidate = None
    if command.integrity == NULL_ALGORITHM and not null_integrity_accepted:
        return Heard(command, False)
    candidate = _candidate(state, command)
    if candidate is None:
        return Heard(command, False)
    opened = candidate.unprotect(data)
    if isinstance(opened, Rejected):
        return Discarded(opened.why) if opened.why == "replayed" else Heard(command, False)
    state.candidate = candidate
    return Heard(command, True)


def _candidate(state: UeState, command: SecurityModeCommand) -> SecurityContext | None:
    """The context that the command selects by ngKSI: the fresh key, or the context in use with these algorithms."""
    algorithms = Algorithms(command.ciphering, command.integrity)
    if not {*algorithms} <= {*SUPPORTED_ALGORITHMS}:
        return None
    fresh, current = state.fresh_key, state.security
    if fresh is not None and fresh.ngksi == command.ngksi:
        return SecurityContext(Side.UE, fresh.ngksi, fresh.kamf, algorithms)
    if current is None or current.ngksi != command.ngksi:
        return None
    if current.algorithms == algorithms:
        return current
    return SecurityContext(
        Side.UE, current.ngksi, current.kamf, algorithms, current.uplink_count, current.downlink_count
    )


# --- sending ---------------------------------------------------------------------------------------------------------


def initial_octets(state: UeState, message: InitialMessage) -> bytes:
    """An initial NAS message on a new connection (4.4.6).

    Without a context: its cleartext IEs, plain; the rest follows in SECURITY MODE COMPLETE. With one: the cleartext
    IEs and, if there are others, the complete message ciphered in the NAS message container, integrity protected.
    """
    cleartext = _cleartext(message)
    context = state.security
    if context is None:
        return encode(cleartext)
    if cleartext != message and not isinstance(cleartext, DeregistrationRequest):
        cleartext = cleartext._replace(container=context.cipher_container(encode(message)))
    return context.protect(encode(cleartext), HeaderType.INTEGRITY)


def _cleartext(message: InitialMessage) -> InitialMessage:
    """The message reduced to what 4.4.6 lists as cleartext IEs."""
    match message:
        case RegistrationRequest():
            return message._replace(requested_nssai=(), pdu_session_status=None)
        case ServiceRequest():
            return message._replace(uplink_data_status=None, pdu_session_status=None)
    return message


def octets(state: UeState, message: FivegmmMessage) -> bytes:
    """Any other message, protected if secure exchange is established (4.4.4.1, 4.4.5)."""
    plain = encode(message)
    if not state.secure or state.security is None:
        return plain
    complete = isinstance(message, SecurityModeComplete)
    return state.security.protect(plain, HeaderType.NEW_CONTEXT_CIPHERED if complete else HeaderType.CIPHERED)
