"""Reads an uplink NAS message: what it says, whether its protection is right, and whose it is (TS 24.501 4.4.4).

What may be processed without integrity protection before secure exchange is established, and nothing else, is read
from a plain message. After that, only messages whose MAC is right get through.
"""

from typing import Any, NamedTuple

from protocols.causes import FivegmmCause
from protocols.identities import Guti, STmsi
from protocols.nas5g.decode import decode
from protocols.nas5g.messages import (
    NO_KEY,
    AuthenticationFailure,
    AuthenticationResponse,
    DeregistrationRequest,
    IdentityResponse,
    NetworkDeregistrationAccept,
    Protected,
    RegistrationRequest,
    SecurityModeReject,
    ServiceRequest,
    Unreadable,
)
from protocols.nas_security import HeaderType, SecurityContext, Unprotected
from regstorm.reference_core.amf.environment import NetworkIdentity
from regstorm.reference_core.amf.ue_context import Connection, UeContext, UeContexts

INITIAL_MESSAGES = (RegistrationRequest, ServiceRequest, DeregistrationRequest)
"""Initial NAS messages (TS 24.501 4.4.4.1), those used here."""

WITHOUT_INTEGRITY = (
    *INITIAL_MESSAGES,
    IdentityResponse,
    AuthenticationResponse,
    AuthenticationFailure,
    SecurityModeReject,
    NetworkDeregistrationAccept,
)
"""Processed without integrity protection until secure exchange is established (4.4.4.3)."""

_NEW_CONTEXT = (HeaderType.NEW_CONTEXT, HeaderType.NEW_CONTEXT_CIPHERED)


class Reading(NamedTuple):
    """An uplink message that may be acted upon."""

    message: Any
    verified: bool
    """Its MAC is right under the UE's context."""
    nas_count: int = 0
    """Its uplink NAS COUNT, if verified."""
    ue: UeContext | None = None
    """Whose it is, as far as the message tells."""
    took_candidate: bool = False
    """It came under the security context that a SECURITY MODE COMMAND offered."""

    @property
    def security(self) -> SecurityContext | None:
        """What an answer to it is protected with; None where the sender is not known for sure."""
        return self.ue.security if self.verified and self.ue is not None else None


class Unusable(NamedTuple):
    """A message that is discarded, and why: `unreadable`, or a reason of the peer's making."""

    why: str
    unreadable: bool = False
    cause: FivegmmCause | None = None
    """What a 5GMM STATUS would say of it; None: nothing is said."""


def read_initial(
    nas: bytes, s_tmsi: STmsi | None, contexts: UeContexts, identity: NetworkIdentity
) -> Reading | Unusable:
    """The NAS message of an INITIAL UE MESSAGE."""
    outer = decode(nas)
    if not isinstance(outer, Protected):
        return _initial(outer, None)
    inner = decode(outer.inner) if outer.header_type in (HeaderType.INTEGRITY, HeaderType.NEW_CONTEXT) else None
    ue = find_ue(getattr(inner, "identity", None) or s_tmsi, contexts, identity)
    security = None if ue is None else _context_for(ue, inner)
    if ue is None or security is None:
        return _initial(inner, ue)
    trusted = security.unprotect(nas)
    if not isinstance(trusted, Unprotected):
        return _initial(inner, ue)
    if security is ue.candidate:
        ue.take_candidate()
    plain, _, count = trusted
    message = inner if inner is not None else decode(plain)
    if not isinstance(message, INITIAL_MESSAGES):
        return _initial(message, ue)
    if message.ngksi != security.ngksi:
        return Reading(message, verified=False, ue=ue)
    message = _with_container(message, security, count)
    return Reading(message, verified=True, nas_count=count, ue=ue)


def _context_for(ue: UeContext, message: Any) -> SecurityContext | None:
    """The context that the message names by its ngKSI: the one in use, or one whose acceptance got lost."""
    candidate = ue.candidate
    if candidate is not None and getattr(message, "ngksi", NO_KEY) == candidate.ngksi:
        return candidate
    return ue.security


def read_uplink(nas: bytes, connection: Connection, ue: UeContext) -> Reading | Unusable:
    """The NAS message of an UPLINK NAS TRANSPORT on the connection of `ue`."""
    outer = decode(nas)
    if not isinstance(outer, Protected):
        if isinstance(outer, Unreadable):
            return Unusable(outer.why, True, outer.cause)
        return _unprotected(outer, connection, ue)
    new_context = ue.candidate is not None and outer.header_type in _NEW_CONTEXT
    security = ue.candidate if new_context else ue.security
    trusted = None if security is None else security.unprotect(nas)
    if isinstance(trusted, Unprotected):
        plain, _, count = trusted
        message = decode(plain)
        if isinstance(message, Unreadable):
            return Unusable(message.why, True, message.cause)
        if isinstance(message, Protected):
            return Unusable("protected twice", True, FivegmmCause.PROTOCOL_ERROR_UNSPECIFIED)
        if security is not None and isinstance(message, INITIAL_MESSAGES):
            message = _with_container(message, security, count)
        return Reading(message, verified=True, nas_count=count, ue=ue, took_candidate=new_context)
    # a UE may protect under a context that this AMF does not have (any more)
    inner = decode(outer.inner)
    if isinstance(inner, Unreadable | Protected):
        return Unusable("not protected under a context that is known here")
    return _unprotected(inner, connection, ue)


def find_ue(identity: Any, contexts: UeContexts, network: NetworkIdentity) -> UeContext | None:
    """The UE that a GUTI or S-TMSI names, if this AMF gave it out, or has secured the UE that came with it from a lost
    AMF of its set; a SUCI does not name one."""
    guami = network.guami
    if isinstance(identity, Guti) and network.is_ours(identity):
        return contexts.by_tmsi(identity.tmsi)
    if isinstance(identity, Guti):
        return contexts.by_old_guti(identity)
    if isinstance(identity, STmsi) and (identity.set_id, identity.pointer) == (guami.set_id, guami.pointer):
        return contexts.by_tmsi(identity.tmsi)
    return None


def _initial(message: Any, ue: UeContext | None) -> Reading | Unusable:
    if isinstance(message, INITIAL_MESSAGES):
        return Reading(message, verified=False, ue=ue)
    if isinstance(message, Unreadable):
        return Unusable(message.why, unreadable=True)
    return Unusable("no initial NAS message")


def _unprotected(message: Any, connection: Connection, ue: UeContext) -> Reading | Unusable:
    if connection.secured:
        return Unusable("not integrity protected in a secure exchange")
    if not isinstance(message, WITHOUT_INTEGRITY):
        return Unusable("not integrity protected")
    return Reading(message, verified=False, ue=ue)


def _with_container(message: Any, security: SecurityContext, count: int) -> Any:
    """The complete initial message out of its ciphered container, if it has one (4.4.6)."""
    if getattr(message, "container", None) is None:
        return message
    complete = decode(security.decipher_container(message.container, count))
    return complete if isinstance(complete, type(message)) else message
