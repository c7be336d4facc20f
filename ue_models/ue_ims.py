"""The UE's 5GS side and its IMS side joined: one session, one fate.

The IMS side comes and goes with the ims session, and full service needs both. Packets wait for user-plane resources,
which a service request brings. And when every P-CSCF was asked in vain, it is the 5GS that is asked again: a new
session, a new registration, or none here any more. So an overload of IMS pulls the 5GS down as well.
"""

from typing import Final, NamedTuple

from protocols.credentials import PriorBinding
from protocols.nas5g.messages import RegistrationType, ServiceType
from protocols.udp import address_text
from ue_models.ims_rules import Recourse
from ue_models.ims_ue import ImsUe
from ue_models.rules import RegisterAnew, Retry, ToEutra
from ue_models.ue_requests import Requesting

_MOST_HELD: Final = 4
"""Packets that wait for a way; an older one gives way (assumed: SIP repeats what is lost)."""
_WHY: Final = "IMS P-CSCFs exhausted"


class PriorIms(NamedTuple):
    """A registration from before the run: on this address, with these P-CSCFs, granted for `granted_s`.

    `share` of the time until the re-registration is still to come.
    """

    binding: PriorBinding
    address: str
    p_cscfs: tuple[str, ...]
    granted_s: float
    share: float


class WithIms(Requesting):
    """Does nothing of its own in a UE without an IMS side."""

    __slots__ = ()

    @property
    def ims(self) -> ImsUe | None:
        """Its IMS side, if it has one."""
        return self._ims

    # --- the session --------------------------------------------------------------------------------------------------

    def _update_service(self, now: float) -> None:
        """The IMS side follows its session before full service is judged."""
        if self._ims is not None:
            self._follow_session(self._ims, now)
        super()._update_service(now)

    def _follow_session(self, ims: ImsUe, now: float) -> None:
        state = self.state
        is_up = state.registered and state.session_active(self._ue.settings.ims_session)
        if is_up and not ims.session_is_up:
            ims.session_up(address_text(state.ims_address), tuple(map(address_text, state.p_cscfs)), now)
        elif ims.session_is_up and not is_up:
            self._held = ()
            ims.session_down(now)

    def user_packet(self, pdu_session_id: int, packet: bytes, now: float) -> None:
        """An IP packet arrived on a PDU session."""
        if self._ims is not None and pdu_session_id == self._ue.settings.ims_session:
            self._ims.packet(packet, now)
        else:
            self._gnb.discarded("user packet", now)

    # --- what the IMS side calls --------------------------------------------------------------------------------------

    def send_packet(self, packet: bytes, now: float) -> None:
        """Sends an IP packet on the ims session, at once or when there are resources for it again."""
        if self._gnb.send_packet(self, self._ue.settings.ims_session, packet, now):
            return
        if packet not in self._held:
            self._held = (*self._held, packet)[-_MOST_HELD:]
        self._fetch_resources(now)

    def forget_packets(self) -> None:
        """What still waits for resources is not sent: a stale REGISTER would register a user who has given it up."""
        self._held = ()

    def ims_changed(self, now: float) -> None:
        """Registered in IMS, or no longer, or still."""
        self._update_service(now)

    def ims_exhausted(self, recourse: Recourse, now: float) -> None:
        """Every P-CSCF has been asked in vain."""
        match recourse:
            case Recourse.NEW_SESSION:
                self._sessions.renew(self._ue.settings.ims_session, now)
            case Recourse.REREGISTER:
                self._returns = self.deregister(now)
                if not self._returns:  # something else is under way: the registration is given up locally
                    self._abort(_WHY, now)
                    self._follow(RegisterAnew(forget=False), _WHY, now)
            case Recourse.TO_EUTRA:
                self._abort(_WHY, now)
                self._connection.leave(now)
                self._follow(ToEutra(), _WHY, now)

    def packet_discarded(self, why: str, now: float) -> None:
        """A packet from the network could not be processed."""
        self._gnb.discarded(why, now)

    # --- resources ----------------------------------------------------------------------------------------------------

    def _fetch_resources(self, now: float) -> None:
        """A service request, if packets wait and nothing forbids it; while connected without resources they wait on."""
        if self._held and not self.state.connected and self._next.waits_on is None:
            self.request_service(ServiceType.DATA, now)

    def _send_held(self, now: float) -> None:
        held, self._held = self._held, ()
        for packet in held:
            if not self._gnb.send_packet(self, self._ue.settings.ims_session, packet, now):
                self._held = (*self._held, packet)

    def _deregistered(self, now: float) -> None:
        """A deregistration that was only meant to be followed by a registration is."""
        super()._deregistered(now)
        if self._returns:
            self._returns = False
            self._wanted = True
            if self._next.waits_on is None:
                self._next.plan(Retry(0.0, "", 0), RegistrationType.INITIAL, now)
