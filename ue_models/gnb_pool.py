"""A base station that several AMFs serve: an NGAP association with each (TS 38.410), and a choice for every UE.

Towards its UEs it is one base station; towards the AMFs it has a leg for each, which is a Gnb with RAN UE NGAP IDs of
its own, so that no number is used twice in the base station (TS 38.413 9.3.3.2).
"""

from collections.abc import Sequence
from random import Random

from protocols.identities import STmsi
from protocols.ngap.messages import RrcCause
from ue_models.amf_choice import choose
from ue_models.gnb import FIRST_RAN_UE_ID, Gnb
from ue_models.radio import Connectable

_G_PDU = 255
_SESSION_BITS = 4


class GnbPool:
    """Its legs are driven one by one, each on its association; UEs call this."""

    __slots__ = ("_leg_of", "_rng", "legs")

    def __init__(self, legs: Sequence[Gnb], rng: Random) -> None:
        """`legs`: made with `leg` 0, 1, 2 … of as many `legs`."""
        self.legs = tuple(legs)
        self._rng = rng
        self._leg_of: dict[Connectable, Gnb] = {}

    @property
    def ready(self) -> bool:
        """At least one AMF serves it: the cell is not barred."""
        return any(leg.ready for leg in self.legs)

    @property
    def connections(self) -> int:
        """UEs connected now."""
        return sum(leg.connections for leg in self.legs)

    def connect(self, ue: Connectable, nas: bytes, rrc_cause: RrcCause, s_tmsi: STmsi | None, now: float) -> bool:
        """A new connection with its INITIAL UE MESSAGE to the AMF of choice; False if there is none, or an overloaded
        one that wants to be spared."""
        place = choose([leg.amf for leg in self.legs], s_tmsi, self._rng)
        if place is None:
            return False
        leg, before = self.legs[place], self._leg_of.get(ue)
        if not leg.connect(ue, nas, rrc_cause, s_tmsi, now):
            return False
        if before is not None and before is not leg:
            before.release(ue, now)
        self._leg_of[ue] = leg
        return True

    def uplink(self, ue: Connectable, nas: bytes, now: float) -> None:
        """UPLINK NAS TRANSPORT; nothing without a connection."""
        leg = self._leg_of.get(ue)
        if leg is not None:
            leg.uplink(ue, nas, now)

    def release(self, ue: Connectable, now: float) -> None:
        """The UE left."""
        leg = self._leg_of.pop(ue, None)
        if leg is not None:
            leg.release(ue, now)

    def send_packet(self, ue: Connectable, pdu_session_id: int, packet: bytes, now: float) -> bool:
        """An IP packet on a PDU session; False if the session has no resources on the UE's connection."""
        leg = self._leg_of.get(ue)
        return leg is not None and leg.send_packet(ue, pdu_session_id, packet, now)

    def discarded(self, why: str, now: float) -> None:
        """A UE did not process a NAS message."""
        self.legs[0].discarded(why, now)

    def receive_user_plane(self, data: bytes, now: float) -> None:
        """One GTP-U message from the UPF: the TEID has the connection's RAN UE NGAP ID, and that is of one leg."""
        place = 0
        if len(data) >= 8 and data[1] == _G_PDU:
            ran_id = int.from_bytes(data[4:8]) >> _SESSION_BITS
            place = max(0, ran_id - FIRST_RAN_UE_ID) % len(self.legs)
        self.legs[place].user_plane.receive(data, now)
