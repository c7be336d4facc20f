"""Diameter: base protocol (RFC 6733), Cx (TS 29.228/29.229), Sh (TS 29.328/29.329), S6a (TS 29.272).

Every command of a registration is a named tuple with the AVPs that it needs; AVPs that it does not know travel beside
it. AVPs are looked up by code *and* vendor: code 621 is OC-Supported-Features of the IETF and Primary-CCF-Name of 3GPP.

    numbers.py    applications, commands, result codes, enumerated values; those of tomorrow are kept
    avps.py       the AVPs: code, vendor, M bit, form of the value
    layouts.py    which AVPs a message or a grouped AVP has
    base.py  cx.py  sh.py  s6a.py    the commands as values, each beside its layout
    messages.py   Message: a command with its envelope; Unreadable
    encode.py     messages to octets, answers to requests       decode.py    octets to messages
    framing.py    messages in a TCP stream

What it does not do: peer state machine, routing, TLS, accounting.
"""
