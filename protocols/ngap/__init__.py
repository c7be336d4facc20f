"""NGAP (TS 38.413): messages as values, to octets and back.

The ASN.1 is that of pycrate 0.8.1, which is Release 18 (its newest protocol IE is 443, id-ExtendedOldAMF).

    encode(message) -> bytes            templates compiled from declared.py
    decode(pdu) -> Message | Unreadable never raises
    warm(slices)                        learns what a registration sends, at start-up

Messages stand in messages.py, named causes in causes.py.
"""

from protocols.ngap.decode import Counters, decode
from protocols.ngap.encode import encode
from protocols.ngap.warm import warm

__all__ = ["Counters", "decode", "encode", "warm"]
