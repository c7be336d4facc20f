"""The UE's timers: name, value and where TS 24.501 v17 says so (tables 10.2.1 and 10.3.1).

Values in seconds. A timer without a value gets it from the network or from a draw (rules.py).
"""

from typing import Final, NamedTuple


class Timer(NamedTuple):
    """A timer of the UE. `seconds` is its value where the specification gives one."""

    name: str
    seconds: float
    clause: str


_GIVEN: Final = 0.0

T3247: Final = Timer("T3247", _GIVEN, "5.3.20: drawn, 30–60 min, after an unprotected reject with a hard cause")
T3346: Final = Timer("T3346", _GIVEN, "5.3.9: given by the network, or drawn from 15–30 min")
T3396: Final = Timer("T3396", _GIVEN, "6.2.7: given by the network, per DNN")
T3502: Final = Timer("T3502", 720.0, "10.2 and 5.3.8: default 12 min; after five failed registration attempts")
T3510: Final = Timer("T3510", 15.0, "5.5.1.2.2: from REGISTRATION REQUEST to ACCEPT or REJECT")
T3511: Final = Timer("T3511", 10.0, "5.5.1.2.7: after a failed registration attempt, fewer than five so far")
T3512: Final = Timer("T3512", 3240.0, "5.3.7: default 54 min; periodic registration update, runs in 5GMM-IDLE")
T3516: Final = Timer("T3516", 30.0, "5.4.1.3.3: RAND and RES* kept, in case the challenge is repeated")
T3517: Final = Timer("T3517", 15.0, "5.6.1.2: from SERVICE REQUEST to its answer")
T3519: Final = Timer("T3519", 60.0, "5.4.3.3: a fresh SUCI may be used again")
T3520: Final = Timer("T3520", 15.0, "5.4.1.3.7: from AUTHENTICATION FAILURE to a better challenge")
T3521: Final = Timer("T3521", 15.0, "5.5.2.2: from DEREGISTRATION REQUEST to its answer")
T3525: Final = Timer("T3525", 60.0, "5.6.1.7: after five unanswered service requests")
T3540: Final = Timer("T3540", 10.0, "5.3.1.3: the network should release the connection after a reject")
T3580: Final = Timer("T3580", 16.0, "6.4.1.2: from PDU SESSION ESTABLISHMENT REQUEST to its answer")
T3582: Final = Timer("T3582", 16.0, "6.4.3.2: from PDU SESSION RELEASE REQUEST to its answer")

RETRANSMISSIONS: Final = 4
"""T3521, T3580, T3582: the request is repeated on the first four expiries, the fifth ends it (10.2, 10.3)."""
