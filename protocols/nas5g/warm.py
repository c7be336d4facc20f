"""Start-up: build every encoder and walker, and hold each message of a registration against pycrate once.

Importing encode.py and decode.py compiles all of them, so nothing is learned later and no shape is slow when it first
comes in the middle of a storm. What is left to do before a run is the check.
"""

from typing import Final

from protocols.causes import FivegmmCause, FivegsmCause
from protocols.identities import Guti, Plmn, STmsi, Suci
from protocols.nas5g import messages as m
from protocols.nas5g.declared import build
from protocols.nas5g.decode import decode, decode_5gsm
from protocols.nas5g.encode import encode
from protocols.timers import GprsTimer2, GprsTimer3

_TEST_PLMN: Final = Plmn("001", "01")
_SUCI: Final = Suci(_TEST_PLMN, "0000", 0, 0, bytes.fromhex("0000000010"))
_GUTI: Final = Guti(_TEST_PLMN, 1, 1, 1, 0xC0000001)
_SLICE: Final = m.Snssai(1, 0x010203)
_CAPABILITY: Final = bytes.fromhex("e0e0")
_REQUEST: Final = m.RegistrationRequest(
    m.RegistrationType.INITIAL, _SUCI, security_capability=_CAPABILITY, requested_nssai=(_SLICE,)
)
_PDU_REQUEST: Final = m.PduSessionEstablishmentRequest(1, 1)
_PDU_ACCEPT: Final = m.PduSessionEstablishmentAccept(1, 1, bytes((10, 0, 0, 1)), "internet", _SLICE)
_CONGESTION: Final = FivegmmCause.CONGESTION

REGISTRATION: Final[dict[str, m.Message | m.Protected]] = {
    "Registration Request": _REQUEST,
    "Registration Accept": m.RegistrationAccept(
        _GUTI,
        bytes.fromhex("0000f110000001"),
        (_SLICE,),
        GprsTimer3.of(3600),
        GprsTimer2.of(720),
        features=b"\x01",
    ),
    "Registration Complete": m.RegistrationComplete(),
    "Registration Reject": m.RegistrationReject(_CONGESTION, GprsTimer2.of(120)),
    "Identity Request": m.IdentityRequest(m.IdentityType.SUCI),
    "Identity Response": m.IdentityResponse(_SUCI),
    "Authentication Request": m.AuthenticationRequest(0, bytes(2), bytes(range(16)), bytes(range(16, 32))),
    "Authentication Response": m.AuthenticationResponse(bytes(range(16))),
    "Authentication Failure": m.AuthenticationFailure(FivegmmCause.SYNCH_FAILURE, bytes(range(14))),
    "Authentication Reject": m.AuthenticationReject(),
    "Security Mode Command": m.SecurityModeCommand(0, 2, 2, _CAPABILITY, True, True),
    "Security Mode Complete": m.SecurityModeComplete("3512345678901234", encode(_REQUEST)),
    "UL NAS Transport": m.UlNasTransport(encode(_PDU_REQUEST), 1, 1, _SLICE, "internet"),
    "DL NAS Transport": m.DlNasTransport(encode(_PDU_ACCEPT), 1),
    "PDU Session Establishment Request": _PDU_REQUEST,
    "PDU Session Establishment Accept": _PDU_ACCEPT,
    "PDU Session Establishment Reject": m.PduSessionEstablishmentReject(
        1, 1, FivegsmCause.INSUFFICIENT_RESOURCES, GprsTimer3.of(60)
    ),
    "Service Request": m.ServiceRequest(0, m.ServiceType.DATA, STmsi(1, 1, 0xC0000001), bytes(2)),
    "Service Accept": m.ServiceAccept(bytes(2)),
    "Service Reject": m.ServiceReject(_CONGESTION, GprsTimer2.of(60)),
    "Security protected": m.Protected(2, b"\x11\x22\x33\x44", 0, b"\x7e\x00\x43"),
}
"""One of each message that a registration with a PDU session may meet, and those of a user in service."""


class CodecMismatch(Exception):
    """Our octets differ from pycrate's, or do not decode to what they were made of: this installation is unfit."""


def warm() -> None:
    """Call once before a run. About 20 ms; `CodecMismatch` if encoder, decoder and pycrate disagree."""
    for name, message in REGISTRATION.items():
        octets = encode(message)
        if octets != build(message):
            raise CodecMismatch(f"{name}: {octets.hex()}, pycrate says {build(message).hex()}")
        if decode_any(octets) != message:
            raise CodecMismatch(f"{name}: {octets.hex()} decodes to {decode_any(octets)}")


def decode_any(octets: bytes) -> m.Message | m.Protected | m.Unreadable:
    """5GMM or 5GSM, whichever the octets begin with."""
    return decode_5gsm(octets) if octets[:1] == b"\x2e" else decode(octets)
