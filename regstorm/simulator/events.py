"""The kinds of events in the heap, and whose they are."""

from typing import Final

RETRY: Final = 0
"""A UE begins its next 5GMM attempt."""
ANSWER: Final = 1
"""A UE sends what it owes."""
GUARD: Final = 2
"""T3510 or T3517 of a UE."""
SESSION_TIMER: Final = 3
"""T3580 of a UE, or the end of its pause before it asks for a session again."""
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

KINDS: Final = 14
