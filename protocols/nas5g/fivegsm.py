"""Octets to 5GSM messages, one function each: what the payload container of NAS transport holds (TS 24.501 8.3)."""

from collections.abc import Callable
from typing import Final

from protocols.causes import FivegsmCause
from protocols.nas5g import messages as m
from protocols.nas5g.elements import dnn_from, new, snssai_from, timer3_from
from protocols.nas5g.tables import FIVEGSM
from protocols.nas5g.walkers import compile_walker

_CAUSES: Final = tuple(FivegsmCause(octet) for octet in range(256))

_ESTABLISHMENT_REQUEST = compile_walker(FIVEGSM[193], "ExtProtConfig")
_ESTABLISHMENT_ACCEPT = compile_walker(FIVEGSM[194], "PDUAddress", "SNSSAI", "ExtProtConfig", "DNN")
_ESTABLISHMENT_REJECT = compile_walker(FIVEGSM[195], "5GSMCause", "BackOffTimer")
_RELEASE_REQUEST = compile_walker(FIVEGSM[209], "5GSMCause")
_RELEASE_REJECT = compile_walker(FIVEGSM[210], "5GSMCause")
_RELEASE_COMMAND = compile_walker(FIVEGSM[211], "5GSMCause", "BackOffTimer")
_RELEASE_COMPLETE = compile_walker(FIVEGSM[212])
_FIVEGSM_STATUS = compile_walker(FIVEGSM[214], "5GSMCause")


def _ipv4(address: bytes | None) -> bytes:
    """The IPv4 address in a PDU address (9.11.4.10); empty if there is none."""
    if not address:
        return b""
    match address[0] & 7:
        case 1 if len(address) >= 5:
            return address[1:5]
        case 3 if len(address) >= 13:  # IPv4v6: the interface identifier comes first
            return address[9:13]
    return b""


def _establishment_request(data: bytes) -> m.PduSessionEstablishmentRequest:
    pdu_session_id, pti, pco = _ESTABLISHMENT_REQUEST(data)
    return new(m.PduSessionEstablishmentRequest, (pdu_session_id, pti, pco or None))


def _establishment_accept(data: bytes) -> m.PduSessionEstablishmentAccept:
    pdu_session_id, pti, address, snssai, pco, dnn = _ESTABLISHMENT_ACCEPT(data)
    slice_ = None if snssai is None else snssai_from(snssai)
    values = pdu_session_id, pti, _ipv4(address), dnn_from(dnn) or "", slice_, pco or None
    return new(m.PduSessionEstablishmentAccept, values)


def _establishment_reject(data: bytes) -> m.PduSessionEstablishmentReject:
    pdu_session_id, pti, cause, back_off = _ESTABLISHMENT_REJECT(data)
    return new(m.PduSessionEstablishmentReject, (pdu_session_id, pti, _CAUSES[cause], timer3_from(back_off)))


def _release_request(data: bytes) -> m.PduSessionReleaseRequest:
    pdu_session_id, pti, cause = _RELEASE_REQUEST(data)
    known_cause = None if cause is None else _CAUSES[cause]
    return new(m.PduSessionReleaseRequest, (pdu_session_id, pti, known_cause))


def _release_reject(data: bytes) -> m.PduSessionReleaseReject:
    pdu_session_id, pti, cause = _RELEASE_REJECT(data)
    return new(m.PduSessionReleaseReject, (pdu_session_id, pti, _CAUSES[cause]))


def _release_command(data: bytes) -> m.PduSessionReleaseCommand:
    pdu_session_id, pti, cause, back_off = _RELEASE_COMMAND(data)
    return new(m.PduSessionReleaseCommand, (pdu_session_id, pti, _CAUSES[cause], timer3_from(back_off)))


def _release_complete(data: bytes) -> m.PduSessionReleaseComplete:
    return new(m.PduSessionReleaseComplete, _RELEASE_COMPLETE(data))


def _fivegsm_status(data: bytes) -> m.FivegsmStatus:
    pdu_session_id, pti, cause = _FIVEGSM_STATUS(data)
    return new(m.FivegsmStatus, (pdu_session_id, pti, _CAUSES[cause]))


READERS: Final[dict[int, Callable[[bytes], m.FivegsmMessage]]] = {
    193: _establishment_request,
    194: _establishment_accept,
    195: _establishment_reject,
    209: _release_request,
    210: _release_reject,
    211: _release_command,
    212: _release_complete,
    214: _fivegsm_status,
}
