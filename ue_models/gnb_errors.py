"""Resets and errors at a gNB: what does not fit is counted and answered with ERROR INDICATION (TS 38.413 8.7.4, 10)."""

from dataclasses import dataclass, field
from typing import Final

from protocols.ngap import causes
from protocols.ngap.messages import Cause, ErrorIndication, NgReset, NgResetAcknowledge, Unreadable
from ue_models.gnb_contexts import UeContext, UeContexts
from ue_models.n2_sender import N2Sender

_ERROR_INDICATION_PREFIX: Final = b"\x00\x09"
"""initiatingMessage, procedure code 9: an unreadable one is not answered by another (10.4)."""


@dataclass(slots=True)
class Faults:
    """What a gNB and its UEs met that should not happen."""

    ngap_unreadable: int = 0
    ngap_unexpected: int = 0
    unknown_ids: int = 0
    errors_indicated: int = 0
    """ERROR INDICATIONs that the AMF sent."""
    nas_discarded: dict[str, int] = field(default_factory=dict)
    """NAS messages that a UE did not process, by reason."""


class ErrorHandling:
    """Finds the connection that a message names, and deals with what names none or cannot be read."""

    __slots__ = ("_contexts", "_n2", "faults")

    def __init__(self, contexts: UeContexts, n2: N2Sender) -> None:
        self.faults = Faults()
        self._contexts = contexts
        self._n2 = n2

    def find(self, amf_id: int, ran_id: int, now: float) -> UeContext | None:
        """The connection with these IDs; else ERROR INDICATION, and local release if they do not match (10.6)."""
        context = self._contexts.with_ran_id(ran_id)
        if context is None:
            self._unknown(causes.UNKNOWN_LOCAL_UE_NGAP_ID, amf_id, ran_id)
            return None
        if context.amf_id is None:
            self._contexts.learn_amf_id(context, amf_id)
        elif context.amf_id != amf_id:
            self._unknown(causes.INCONSISTENT_REMOTE_UE_NGAP_ID, amf_id, ran_id)
            self._contexts.drop(context, now)
            return None
        return context

    def find_by_amf_id(self, amf_id: int) -> UeContext | None:
        """The connection that the AMF names by its own ID alone; else ERROR INDICATION."""
        context = self._contexts.with_amf_id(amf_id)
        if context is None:
            self._unknown(causes.UNKNOWN_LOCAL_UE_NGAP_ID, amf_id)
        return context

    def reset(self, reset: NgReset, now: float) -> None:
        """8.7.4: the whole interface, or the listed connections; acknowledged with the same list."""
        if not reset.connections:
            self._contexts.drop_all(now)
        for amf_id, ran_id in reset.connections:
            self._drop_if_known(amf_id, ran_id, now)
        self._n2.common(NgResetAcknowledge(reset.connections))

    def indicated(self, error: ErrorIndication, now: float) -> None:
        """The AMF did not understand, or does not know the connection: then it is released here too (10.6)."""
        self.faults.errors_indicated += 1
        if error.cause in (causes.UNKNOWN_LOCAL_UE_NGAP_ID, causes.INCONSISTENT_REMOTE_UE_NGAP_ID):
            self._drop_if_known(error.amf_ue_id, error.ran_ue_id, now)

    def unreadable(self, message: Unreadable, data: bytes) -> None:
        """Octets that are no NGAP message that a gNB reads."""
        self.faults.ngap_unreadable += 1
        if message.told and data[:2] != _ERROR_INDICATION_PREFIX:
            self._indicate(message.cause, message.amf_ue_id, message.ran_ue_id)

    def unexpected(self) -> None:
        """A message that no AMF sends."""
        self.faults.ngap_unexpected += 1
        self._indicate(causes.MESSAGE_NOT_COMPATIBLE_WITH_RECEIVER_STATE)

    def nas_discarded(self, why: str) -> None:
        """A UE did not process a NAS message."""
        self.faults.nas_discarded[why] = self.faults.nas_discarded.get(why, 0) + 1

    def _unknown(self, cause: Cause, amf_id: int, ran_id: int | None = None) -> None:
        self.faults.unknown_ids += 1
        self._indicate(cause, amf_id, ran_id)

    def _indicate(self, cause: Cause, amf_id: int | None = None, ran_id: int | None = None) -> None:
        self._n2.common(ErrorIndication(amf_id, ran_id, cause))

    def _drop_if_known(self, amf_id: int | None, ran_id: int | None, now: float) -> None:
        context = self._contexts.with_either(amf_id, ran_id)
        if context is not None:
            self._contexts.drop(context, now)
