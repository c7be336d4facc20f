"""What is remembered of each UE in IMS, on its own side and on the core's.

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
    renewal_due: bool = False
    """The re-registration fell due while another attempt ran."""
    asks_longer: bool = False
    """It was told 423, and asks for Min-Expires."""
    failures: int = 0
    renewal_failed: bool = False
    p_cscf: int = 0
    in_vain: int = 0
    """Bit n: P-CSCF n was asked in vain."""
    barred_until_s: tuple[float, ...] = (0.0,) * P_CSCFS
    """By P-CSCF."""
    planned: int = 0
    """Event of the next initial registration."""
    waits_on: int = 0
    """Index of the timer that it waits on; 0: a mere pause, or none."""
    began_s: float = 0.0
    asked_s: float = 0.0
    """When its request went out first."""
    serial: int = 0
    """Of its request; 0: none, and what comes is not heard."""
    timer: int = 0
    """Event of Timer E, or of Timer F."""
    repeats: int = 0
    """Expiries of Timer E."""
    answer: int = 0
    """Event at which it answers a challenge."""
    renew_at_s: float = 0.0
    bound_until_s: float = 0.0
    clock: int = 0
    """Event of whatever comes first: renewal, end of the binding, end of the registration in the core."""

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

    def bar(self, until_s: float) -> None:
        """Its P-CSCF is not asked before then."""
        barred = list(self.barred_until_s)
        barred[self.p_cscf] = until_s
        self.barred_until_s = tuple(barred)
