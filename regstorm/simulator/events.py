"""The kinds of events on the agenda, and whose they are."""

from typing import Final

SUBJECT_BITS: Final = 27
"""Of a subject: a UE, and above it what of the UE's it is about. A kind takes the other five of 32."""

RETRY: Final = 0
"""A UE begins its next 5GMM attempt."""
ANSWER: Final = 1
"""A UE sends what it owes."""
GUARD: Final = 2
"""T3510, T3517 or T3521 of a UE."""
T3580: Final = 3
OPERATION: Final = 4
"""The user of a UE wants something."""
T3512: Final = 5
OUTAGE_BEGINS: Final = 6
OUTAGE_ENDS: Final = 7
CALL_ARRIVES: Final = 8
"""A request reaches the UDM."""
CALL_TIMEOUT: Final = 9
UDM_FINISHES: Final = 10
AMF_FINISHES: Final = 11
NAS_TIMER: Final = 12
"""T3550, T3560 or T3570 of the AMF."""
STAGE_ENDS: Final = 13
"""The last call of a stage has its answer."""
SESSION_PAUSE: Final = 14
"""A UE may ask for a session again; the subject is the UE and, above `UE_BITS`, the session."""
SBC_FINISHES: Final = 15
IMS_ARRIVES: Final = 16
"""A SIP request reaches a CSCF or an application server."""
IMS_NODE_FINISHES: Final = 17
IMS_SEEK: Final = 18
"""A UE begins its next initial registration in IMS."""
SIP_TIMER: Final = 19
"""Timer E or F of a UE."""
SIP_ANSWER: Final = 20
"""A UE answers a challenge."""
IMS_CLOCK: Final = 21
"""A registration in IMS is to be renewed, or expires."""
AS_RETRY: Final = 22
TELL_AGAIN: Final = 23
"""The S-CSCF repeats a third-party REGISTER."""
NOTIFY: Final = 24
INCIDENT: Final = 25
RETURN: Final = 26
"""A UE of the outage group finds its cell again."""
NODE_HEARD: Final = 27
"""Consumers learn that a UDM is lost, or there again."""
CONNECTION_OVER: Final = 28
"""The connection without resources, on which a packet of a UE waits, may have been released."""

KINDS: Final = 29
UE_BITS: Final = 24
