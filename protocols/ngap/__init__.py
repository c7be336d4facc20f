"""NGAP (TS 38.413): messages as values, to octets and back.

The ASN.1 is that of pycrate 0.8.1, which is Release 18 (its newest protocol IE is 443, id-ExtendedOldAMF).

    encode.encode(message) -> bytes               templates compiled from declared.py
    decode.decode(pdu) -> Message | Unreadable    never raises
    warm.warm(slices)                             learns what a registration sends, at start-up

Messages stand in messages.py, named causes in causes.py. Nothing is imported here: who only needs the values should
not wait for pycrate.
"""
