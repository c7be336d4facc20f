"""What a UE and its base station expect of each other."""

from typing import Protocol

from protocols.identities import STmsi
from protocols.ngap.messages import RrcCause


class Connectable(Protocol):
    """A UE as its base station sees it."""

    def downlink(self, nas: bytes, now: float) -> None:
        """A NAS message arrived. May call the base station back at once."""

    def released(self, now: float) -> None:
        """The connection is gone: released by the network, or failed. Not called for a release the UE asked for."""

    def user_packet(self, pdu_session_id: int, packet: bytes, now: float) -> None:
        """An IP packet arrived on a PDU session."""

    @property
    def index(self) -> int:
        """Its place in the population."""


class BaseStation(Protocol):
    """A base station as its UEs see it."""

    def connect(self, ue: Connectable, nas: bytes, rrc_cause: RrcCause, s_tmsi: STmsi | None, now: float) -> bool:
        """Opens an RRC connection and sends the initial NAS message; False if the cell cannot take it."""

    def uplink(self, ue: Connectable, nas: bytes, now: float) -> None:
        """Sends a NAS message on the UE's connection; nothing happens if there is none."""

    def send_packet(self, ue: Connectable, pdu_session_id: int, packet: bytes, now: float) -> bool:
        """Sends an IP packet on a PDU session; False if the session has no resources on the UE's connection."""

    def release(self, ue: Connectable, now: float) -> None:
        """The UE left its connection (a local release, or lost coverage)."""

    def discarded(self, why: str, now: float) -> None:
        """A UE did not process a message: to be counted."""
