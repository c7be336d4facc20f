"""What is remembered of each UE in IMS, on its own side and on the core's, and looked at all the time (population.py).

A P-CSCF is a number here, 0 or 1. Where a field holds the number of an event, that event counts and any other that
comes is stale; 0 is none.
"""

from dataclasses import dataclass
from typing import Final

P_CSCFS: Final = 2
"""In the list that comes with the session; both are addresses of one SBC."""

IDLE: Final = 0
INITIAL: Final = 1
RENEWAL: Final = 2
MESSAGE: Final = 3
"""What a UE's attempt under way is an attempt of."""

UNKNOWN: Final = 0
IN_PROGRESS: Final = 1
ANSWERED: Final = 2
"""What the SBC's transactions know of the UE's request (RFC 3261 17.2.2)."""


@dataclass(slots=True, eq=False)
class ImsUe:
    """One UE, registered before the run."""

    # --- the UE's side
    up: bool = True
    """The ims session is up."""
    registered: bool = True
    runs: int = IDLE
    """IDLE, INITIAL, RENEWAL or MESSAGE."""
    answers: bool = False
    """The request under way answers a challenge."""
    held: bool = False
    """It waits for user-plane resources."""
    asks_longer: bool = False
    """It was told 423, and asks for Min-Expires."""
    planned: int = 0
    """Event of the next initial registration."""
    serial: int = 0
    """Of its request; 0: none, and what comes is not heard."""
    timer: int = 0
    """Event of Timer E, or of Timer F."""

    # --- the core's side
    transaction: int = UNKNOWN
    """UNKNOWN, IN_PROGRESS or ANSWERED."""
    bound: bool = True
    """The SBC has a binding to the address that the UE uses."""
    challenged_at_sbc: bool = False
    challenged: bool = False
    """The S-CSCF waits for an answer."""
    known: bool = True
    """The S-CSCF has a registration."""
    version: int = 0
    """Changes with every registration at the S-CSCF and with its end."""
    known_until_s: float = 0.0
    holds: int = 3
    """Bit n: application server n holds the user."""
    served: bool = True
    """Registered, and both hold it."""
