"""Octets to messages: `decode(data)` reads any octets and never raises.

What is a message of messages.py becomes one; a security protected PDU becomes `Protected` (whoever holds the keys
looks inside and calls again); everything else becomes `Unreadable` with the cause that TS 24.501 clause 7 wants in a
STATUS message. 5GSM payloads of NAS transport go to `decode_5gsm`. pycrate never sees octets from a peer.
"""

from typing import Final

from protocols.causes import FivegmmCause
from protocols.nas5g import fivegmm, fivegsm
from protocols.nas5g import messages as m
from protocols.nas5g.elements import new
from protocols.nas5g.walkers import Malformed

_PLAIN: Final = b"\x7e\x00"
_PROTECTED: Final = frozenset((b"\x7e\x01", b"\x7e\x02", b"\x7e\x03", b"\x7e\x04"))
_FIVEGSM: Final = 0x2E
"""Extended protocol discriminator of 5GSM; that of 5GMM is 7E (TS 24.007 11.2.3.1.1A)."""

_PROTOCOL_ERROR: Final = FivegmmCause.PROTOCOL_ERROR_UNSPECIFIED


def decode(data: bytes) -> m.FivegmmMessage | m.Protected | m.Unreadable:
    """The 5GMM message in `data`, whatever `data` is."""
    header = data[:2]
    if header == _PLAIN and len(data) > 2:
        reader = fivegmm.READERS.get(data[2])
        if reader is None:
            return m.Unreadable(FivegmmCause.MESSAGE_TYPE_NOT_IMPLEMENTED, f"message type {data[2]}")
        try:
            return reader(data)
        except Malformed as malformed:
            return m.Unreadable(malformed.cause, malformed.why)
    if header in _PROTECTED and len(data) > 7:
        return new(m.Protected, (data[1], data[2:6], data[6], data[7:]))
    return _unusual(data)


def _unusual(data: bytes) -> m.FivegmmMessage | m.Protected | m.Unreadable:
    """Too short, another protocol, or spare bits that are not zero and have to be ignored (TS 24.007 11.2.3.1.1)."""
    if len(data) < 3:
        return m.Unreadable(_PROTOCOL_ERROR, "too short for a message type")
    if data[0] != _PLAIN[0]:
        return m.Unreadable(_PROTOCOL_ERROR, f"extended protocol discriminator {data[0]:02X}, not 5GMM")
    if data[1] > 15:
        return decode(bytes((data[0], data[1] & 15)) + data[2:])
    if data[1] > 4:
        return m.Unreadable(_PROTOCOL_ERROR, f"security header type {data[1]} is reserved")
    return m.Unreadable(_PROTOCOL_ERROR, "too short for a security protected message")


def decode_5gsm(data: bytes) -> m.FivegsmMessage | m.Unreadable:
    """The 5GSM message in `data`, whatever `data` is."""
    if len(data) < 4:
        return m.Unreadable(_PROTOCOL_ERROR, "too short for a 5GSM message type")
    if data[0] != _FIVEGSM:
        return m.Unreadable(_PROTOCOL_ERROR, f"extended protocol discriminator {data[0]:02X}, not 5GSM")
    reader = fivegsm.READERS.get(data[3])
    if reader is None:
        return m.Unreadable(FivegmmCause.MESSAGE_TYPE_NOT_IMPLEMENTED, f"5GSM message type {data[3]}")
    try:
        return reader(data)
    except Malformed as malformed:
        return m.Unreadable(malformed.cause, malformed.why)
