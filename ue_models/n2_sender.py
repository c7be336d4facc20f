"""What a gNB sends on its association: which message on which stream (TS 38.412 clause 7)."""

from collections.abc import Callable
from typing import Final

from protocols.ngap.encode import encode
from protocols.ngap.messages import (
    ErrorIndication,
    InitialContextSetupResponse,
    InitialUeMessage,
    NgResetAcknowledge,
    NgSetupRequest,
    PduSessionResourceReleaseResponse,
    PduSessionResourceSetupResponse,
    UeContextReleaseComplete,
    UeContextReleaseRequest,
    UplinkNasTransport,
)
from ue_models.gnb_contexts import UeContext

NON_UE_STREAM: Final = 0
"""One stream pair is reserved for non UE-associated signalling."""

_Common = ErrorIndication | NgResetAcknowledge | NgSetupRequest
_UeAssociated = (
    InitialContextSetupResponse
    | InitialUeMessage
    | PduSessionResourceReleaseResponse
    | PduSessionResourceSetupResponse
    | UeContextReleaseComplete
    | UeContextReleaseRequest
    | UplinkNasTransport
)


class N2Sender:
    """The gNB's way to its AMF. `send(data, stream)` must not call back."""

    __slots__ = ("_send", "_ue_streams")

    def __init__(self, send: Callable[[bytes, int], None], streams: int) -> None:
        self._send = send
        self._ue_streams = max(2, streams) - 1

    def common(self, message: _Common) -> None:
        """A message that belongs to no UE."""
        self._send(encode(message), NON_UE_STREAM)

    def of_ue(self, context: UeContext, message: _UeAssociated) -> None:
        """A message of a UE: on any stream but the reserved one, the same for all messages of that UE."""
        self._send(encode(message), 1 + context.ran_id % self._ue_streams)
