"""What a UE hears of the network, without bytes."""

from typing import NamedTuple, Protocol

from protocols.causes import FivegmmCause
from protocols.timers import GprsTimer2, GprsTimer3
from regstorm.simulator.population import Ue


class SipResponse(NamedTuple):
    """A final response, or a challenge."""

    status: int
    retry_after_s: int | None = None
    restoration: bool = False
    """Its body asks for an initial registration."""
    min_expires_s: int | None = None


class ImsListener(Protocol):
    """The UE's IMS side: what it hears."""

    def sip_response(self, ue: Ue, response: SipResponse, now: float) -> bool:
        """To the request under way; False: the UE has no connection, and does not hear it."""

    def deregistered_in_ims(self, ue: Ue, now: float) -> bool:
        """NOTIFY: the network has ended the registration; False: it was not heard."""

    def core_service_changed(self, ue: Ue, now: float) -> None:
        """Both application servers hold the user's registration now, or no more."""

    def core_registered(self, ue: Ue, until_s: float) -> None:
        """The S-CSCF keeps the registration until then."""


class Listener(Protocol):
    """The UE's side: what it hears."""

    def asked(self, ue: Ue, stage: int, now: float) -> None:
        """The network waits for the uplink message of `stage`, perhaps not for the first time."""

    def registered(self, ue: Ue, stage: int, now: float) -> None:
        """REGISTRATION ACCEPT, to be completed by `stage`; perhaps not for the first time."""

    def session_accepted(self, ue: Ue, stage: int, now: float) -> None:
        """The session of `stage` is up."""

    def session_returned(
        self, ue: Ue, stage: int, cause: FivegmmCause, back_off: GprsTimer3 | None, now: float
    ) -> None:
        """DL NAS TRANSPORT with the UE's own 5GSM message (TS 24.501 5.4.5.3.3)."""

    def rejected(self, ue: Ue, cause: FivegmmCause, t3346: GprsTimer2 | None, protected: bool, now: float) -> None:
        """REGISTRATION REJECT or SERVICE REJECT."""

    def accepted(self, ue: Ue, now: float) -> None:
        """SERVICE ACCEPT, or the accept of a periodic update."""

    def released(self, ue: Ue, now: float) -> None:
        """The network has released the connection without another word."""

    def in_service(self, ue: Ue) -> bool:
        """Every session is up."""

    def sessions_with_data(self, ue: Ue) -> int:
        """Of how many sessions its service request wants the resources; none if it has come for signalling."""

    def session_released(self, ue: Ue, commanded: bool, now: float) -> None:
        """The answer to the release request of the ims session: PDU SESSION RELEASE COMMAND, or the request itself."""

    def deregistered(self, ue: Ue, now: float) -> None:
        """DEREGISTRATION ACCEPT."""
