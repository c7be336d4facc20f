"""The timers of non-INVITE transactions (RFC 3261 table 4; TS 24.229 table 7.7.1), in seconds."""

from typing import Final, NamedTuple


class TimerProfile(NamedTuple):
    """T1: estimate of the round trip; T2: most between two retransmissions; T4: how long a message stays around."""

    t1_s: float
    t2_s: float
    t4_s: float

    @property
    def f_s(self) -> float:
        """Timer F: how long a client waits for a final response."""
        return 64 * self.t1_s

    @property
    def j_s(self) -> float:
        """Timer J: how long a server absorbs retransmissions after its final response, over UDP."""
        return 64 * self.t1_s

    @property
    def k_s(self) -> float:
        """Timer K: how long a client absorbs further responses after the final one, over UDP."""
        return self.t4_s


GM: Final = TimerProfile(t1_s=2.0, t2_s=16.0, t4_s=17.0)
"""Between UE and P-CSCF, at both ends (TS 24.229 table 7.7.1); Timer F is 128 s."""

RFC3261: Final = TimerProfile(t1_s=0.5, t2_s=4.0, t4_s=5.0)
"""Between network elements, and everywhere outside of IMS; Timer F is 32 s."""
