"""What is remembered of each UE in IMS, on its own side and on the core's, as compact arrays (population.py).

A P-CSCF is a number here, 0 or 1. Where an array holds the number of an event, that event counts and any other that
comes is stale; 0 is none.
"""

from array import array
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


class ImsPopulation:
    """Arrays by UE index; everybody is registered before the run."""

    def __init__(self, ues: int) -> None:
        self.size = ues

        # --- the UE's side
        self.up = bytearray([1]) * ues
        """The ims session is up."""
        self.registered = bytearray([1]) * ues
        self.runs = bytearray(ues)
        """IDLE, INITIAL, RENEWAL or MESSAGE."""
        self.answers = bytearray(ues)
        """The request under way answers a challenge."""
        self.held = bytearray(ues)
        """It waits for user-plane resources."""
        self.renewal_due = bytearray(ues)
        """The re-registration fell due while another attempt ran."""
        self.asks_longer = bytearray(ues)
        """It was told 423, and asks for Min-Expires."""
        self.failures = bytearray(ues)
        self.renewal_failed = bytearray(ues)
        self.p_cscf = bytearray(ues)
        self.in_vain = bytearray(ues)
        self.barred_until = tuple(array("d", bytes(8 * ues)) for _ in range(P_CSCFS))
        self.planned = _numbers(ues)
        """Event of the next initial registration."""
        self.waits_on = bytearray(ues)
        """Index of the timer that it waits on; 0: a mere pause, or none."""
        self.began = array("d", bytes(8 * ues))
        self.asked = array("d", bytes(8 * ues))
        """When its request went out first."""
        self.serial = _numbers(ues)
        """Of its request; 0: none, and what comes is not heard."""
        self.timer = _numbers(ues)
        """Event of Timer E, or of Timer F."""
        self.repeats = bytearray(ues)
        """Expiries of Timer E."""
        self.answer = _numbers(ues)
        """Event at which it answers a challenge."""
        self.renew_at = array("d", bytes(8 * ues))
        self.bound_until = array("d", bytes(8 * ues))
        self.clock = _numbers(ues)
        """Event of whatever comes first: renewal, end of the binding, end of the registration in the core."""

        # --- the core's side
        self.transaction = bytearray(ues)
        """UNKNOWN, IN_PROGRESS or ANSWERED."""
        self.bound = bytearray([1]) * ues
        """The SBC has a binding to the address that the UE uses."""
        self.challenged_at_sbc = bytearray(ues)
        self.challenged = bytearray(ues)
        """The S-CSCF waits for an answer."""
        self.known = bytearray([1]) * ues
        """The S-CSCF has a registration."""
        self.version = _numbers(ues)
        """Changes with every registration at the S-CSCF and with its end."""
        self.known_until = array("d", bytes(8 * ues))
        self.holds = bytearray([3]) * ues
        """Bit n: application server n holds the user."""
        self.served = bytearray([1]) * ues
        """Registered, and both hold it."""


def _numbers(ues: int) -> "array[int]":
    return array("I", bytes(4 * ues))
