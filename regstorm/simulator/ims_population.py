"""What is remembered of each UE in IMS, on its own side and on the core's, and looked at all the time.

A part of the UE's record (population.py): one record is found sooner than two, and takes less room.

A P-CSCF is a number here, 0 or 1.
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


@dataclass(slots=True, eq=False, kw_only=True)
class ImsUe:
    """The part of a UE's record that belongs to IMS; it was registered before the run."""

    # --- the UE's side
    ims_runs: int = IDLE
    """IDLE, INITIAL, RENEWAL or MESSAGE."""
    ims_answers: bool = False
    """The request under way answers a challenge."""
    ims_serial: int = 0
    """Of its request; 0: none, and what comes is not heard."""

    # --- the core's side
    ims_transaction: int = UNKNOWN
    """UNKNOWN, IN_PROGRESS or ANSWERED."""
    ims_bound: bool = True
    """The SBC has a binding to the address that the UE uses."""
    ims_challenged_at_sbc: bool = False
    ims_served: bool = True
    """Registered, and both application servers hold the registration."""
