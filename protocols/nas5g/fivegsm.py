"""Octets to 5GSM messages: what the payload container of a NAS transport message holds (TS 24.501 8.3).

Same promises as decode.py: any octets, no exception.
"""

from collections.abc import Callable
from typing import Final

from protocols.causes import FivegmmCause, FivegsmCause
from protocols.nas5g import messages as m
from protocols.nas5g.elements import dnn_from, snssai_from
from protocols.nas5g.tables import FIVEGSM
from protocols.nas5g.walkers import Malformed, compile_walker
from protocols.timers import GprsTimer3

_new = tuple.__new__  # builds a named tuple at half the cost of calling its class

_CAUSES: Final = tuple(FivegsmCause(octet) for octet in range(256))
_TIMERS3: Final = tuple(GprsTimer3(octet) for octet in range(256))
_EPD: Final = 0x2E
"""Extended protocol discriminator of 5GSM (TS 24.007 11.2.3.1.1A)."""


def decode_5gsm(data: bytes) -> m.FivegsmMessage | m.Unreadable:
    """The 5GSM message in `data`, whatever `data` is."""
    if len(data) < 4:
        return m.Unreadable(FivegmmCause.PROTOCOL_ERROR_UNSPECIFIED, "too short for a 5GSM message type")
    if data[0] != _EPD:
        return m.Unreadable(
            FivegmmCause.PROTOCOL_ERROR_UNSPECIFIED, f"extended protocol discriminator {data[0]:02X}, not 5GSM"
        )
    reader = _READERS.get(data[3])
    if reader is None:
        return m.Unreadable(FivegmmCause.MESSAGE_TYPE_NOT_IMPLEMENTED, f"5GSM message type {data[3]}")
    try:
        return reader(data)
    except Malformed as malformed:
        return m.Unreadable(malformed.cause, malformed.why)


_ESTABLISHMENT_REQUEST = compile_walker(FIVEGSM[193], "ExtProtConfig")
_ESTABLISHMENT_ACCEPT = compile_walker(FIVEGSM[194], "PDUAddress", "SNSSAI", "DNN")
_ESTABLISHMENT_REJECT = compile_walker(FIVEGSM[195], "5GSMCause", "BackOffTimer")
_RELEASE_REQUEST = compile_walker(FIVEGSM[209], "5GSMCause")
_RELEASE_REJECT = compile_walker(FIVEGSM[210], "5GSMCause")
_RELEASE_COMMAND = compile_walker(FIVEGSM[211], "5GSMCause", "BackOffTimer")
_RELEASE_COMPLETE = compile_walker(FIVEGSM[212])
_FIVEGSM_STATUS = compile_walker(FIVEGSM[214], "5GSMCause")


def _timer3(octets: bytes | None) -> GprsTimer3 | None:
    return _TIMERS3[octets[0]] if octets else None


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
    return _new(m.PduSessionEstablishmentRequest, (pdu_session_id, pti, pco or None))


def _establishment_accept(data: bytes) -> m.PduSessionEstablishmentAccept:
    pdu_session_id, pti, address, snssai, dnn = _ESTABLISHMENT_ACCEPT(data)
    slice_ = None if snssai is None else snssai_from(snssai)
    return _new(m.PduSessionEstablishmentAccept, (pdu_session_id, pti, _ipv4(address), dnn_from(dnn) or "", slice_))


def _establishment_reject(data: bytes) -> m.PduSessionEstablishmentReject:
    pdu_session_id, pti, cause, back_off = _ESTABLISHMENT_REJECT(data)
    return _new(m.PduSessionEstablishmentReject, (pdu_session_id, pti, _CAUSES[cause], _timer3(back_off)))


def _release_request(data: bytes) -> m.PduSessionReleaseRequest:
    pdu_session_id, pti, cause = _RELEASE_REQUEST(data)
    known_cause = None if cause is None else _CAUSES[cause]
    return _new(m.PduSessionReleaseRequest, (pdu_session_id, pti, known_cause))


def _release_reject(data: bytes) -> m.PduSessionReleaseReject:
    pdu_session_id, pti, cause = _RELEASE_REJECT(data)
    return _new(m.PduSessionReleaseReject, (pdu_session_id, pti, _CAUSES[cause]))


def _release_command(data: bytes) -> m.PduSessionReleaseCommand:
    pdu_session_id, pti, cause, back_off = _RELEASE_COMMAND(data)
    return _new(m.PduSessionReleaseCommand, (pdu_session_id, pti, _CAUSES[cause], _timer3(back_off)))


def _release_complete(data: bytes) -> m.PduSessionReleaseComplete:
    return _new(m.PduSessionReleaseComplete, _RELEASE_COMPLETE(data))


def _fivegsm_status(data: bytes) -> m.FivegsmStatus:
    pdu_session_id, pti, cause = _FIVEGSM_STATUS(data)
    return _new(m.FivegsmStatus, (pdu_session_id, pti, _CAUSES[cause]))


_READERS: Final[dict[int, Callable[[bytes], m.FivegsmMessage]]] = {
    193: _establishment_request,
    194: _establishment_accept,
    195: _establishment_reject,
    209: _release_request,
    210: _release_reject,
    211: _release_command,
    212: _release_complete,
    214: _fivegsm_status,
}
