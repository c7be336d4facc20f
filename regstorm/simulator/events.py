"""The kinds of events in the heap, and whose they are.

Each is written where an event carries it, above the bits of its subject.
"""

from typing import Final

SUBJECT_BITS: Final = 32

RETRY: Final = 0 << SUBJECT_BITS
"""A UE begins its next 5GMM attempt."""
ANSWER: Final = 1 << SUBJECT_BITS
"""A UE sends what it owes."""
GUARD: Final = 2 << SUBJECT_BITS
"""T3510 or T3517 of a UE."""
T3580: Final = 3 << SUBJECT_BITS
OPERATION: Final = 4 << SUBJECT_BITS
"""The user of a UE wants something."""
T3512: Final = 5 << SUBJECT_BITS
OUTAGE_BEGINS: Final = 6 << SUBJECT_BITS
OUTAGE_ENDS: Final = 7 << SUBJECT_BITS
CALL_ARRIVES: Final = 8 << SUBJECT_BITS
"""A request reaches the UDM."""
CALL_TIMEOUT: Final = 9 << SUBJECT_BITS
UDM_FINISHES: Final = 10 << SUBJECT_BITS
AMF_FINISHES: Final = 11 << SUBJECT_BITS
NAS_TIMER: Final = 12 << SUBJECT_BITS
"""T3550, T3560 or T3570 of the AMF."""
STAGE_ENDS: Final = 13 << SUBJECT_BITS
"""The last call of a stage has its answer."""
SESSION_PAUSE: Final = 14 << SUBJECT_BITS
"""A UE may ask for a session again; the subject is the UE and, above `UE_BITS`, the session."""
SBC_FINISHES: Final = 15 << SUBJECT_BITS
IMS_ARRIVES: Final = 16 << SUBJECT_BITS
"""A SIP request reaches a CSCF or an application server."""
IMS_NODE_FINISHES: Final = 17 << SUBJECT_BITS
IMS_SEEK: Final = 18 << SUBJECT_BITS
"""A UE begins its next initial registration in IMS."""
SIP_TIMER: Final = 19 << SUBJECT_BITS
"""Timer E or F of a UE."""
SIP_ANSWER: Final = 20 << SUBJECT_BITS
"""A UE answers a challenge."""
IMS_CLOCK: Final = 21 << SUBJECT_BITS
"""A registration in IMS is to be renewed, or expires."""
AS_RETRY: Final = 22 << SUBJECT_BITS
TELL_AGAIN: Final = 23 << SUBJECT_BITS
"""The S-CSCF repeats a third-party REGISTER."""
NOTIFY: Final = 24 << SUBJECT_BITS
INCIDENT: Final = 25 << SUBJECT_BITS
RETURN: Final = 26 << SUBJECT_BITS
"""A UE of the outage group finds its cell again."""
NODE_HEARD: Final = 27 << SUBJECT_BITS
"""Consumers learn that a UDM is lost, or there again."""

KINDS: Final = 28
UE_BITS: Final = 24
