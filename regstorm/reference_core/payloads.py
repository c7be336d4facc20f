"""What network functions say to each other: requests and answers of the service operations, as values.

The names follow TS 29.503 (UDM), 29.509 (AUSF), 29.502 (SMF) and 29.507/29.512 (PCF), as far as a registration
storm needs their content. Keys travel here as they do on N12 and N13.
"""

from typing import NamedTuple

from protocols.identities import Suci
from protocols.nas5g.messages import Snssai
from protocols.ngap.messages import PduSessionTunnel


class Done(NamedTuple):
    """204: there is nothing to tell."""


# --- N12, N13: authentication -------------------------------------------------------------------------------------


class Resynchronisation(NamedTuple):
    """ResynchronizationInfo: the RAND of the challenge and the USIM's AUTS."""

    rand: bytes
    auts: bytes


class AuthenticationInfo(NamedTuple):
    """Asks for a challenge, of the AUSF or the UDM. `suci` is None where the SUPI (the call's subject) is known."""

    suci: Suci | None
    serving_network: str
    resynchronisation: Resynchronisation | None = None


class HomeVector(NamedTuple):
    """The UDM's answer: a home environment vector, and the SUPI that it belongs to."""

    supi: str
    rand: bytes
    autn: bytes
    xres_star: bytes
    kausf: bytes


class Challenge(NamedTuple):
    """The AUSF's answer: what the AMF sends on, HXRES* to check against, and where to confirm."""

    context: int
    rand: bytes
    autn: bytes
    hxres_star: bytes


class Confirmation(NamedTuple):
    """RES* of the UE, for the AUSF."""

    context: int
    res_star: bytes


class Authenticated(NamedTuple):
    """The AUSF's verdict: the UE is who it says."""

    supi: str
    kseaf: bytes


class AuthEvent(NamedTuple):
    """The AUSF tells the UDM how an authentication ended."""

    serving_network: str
    success: bool


# --- N8, N10: subscription data ------------------------------------------------------------------------------------


class AmfRegistration(NamedTuple):
    """Amf3GppAccessRegistration: who serves the UE."""

    amf: str


class SmfRegistration(NamedTuple):
    """Which SMF holds a session of the UE."""

    pdu_session_id: int
    dnn: str


class AmData(NamedTuple):
    """Access and mobility subscription data."""

    slices: tuple[Snssai, ...]


class SmfSelectionData(NamedTuple):
    """The DNNs that are subscribed in a slice."""

    dnns: tuple[str, ...]


class SmData(NamedTuple):
    """Session management subscription data of one DNN."""

    dnn: str


# --- N11: sessions ---------------------------------------------------------------------------------------------------


class CreateSmContext(NamedTuple):
    """SmContextCreateData. `n1` is the UE's 5GSM message."""

    pdu_session_id: int
    dnn: str
    snssai: Snssai
    n1: bytes


class UpdateSmContext(NamedTuple):
    """SmContextUpdateData: exactly one of an N1 message, the gNB's tunnel, its refusal, or a wish to activate."""

    pdu_session_id: int
    n1: bytes = b""
    tunnel: PduSessionTunnel | None = None
    setup_failed: bool = False
    activate: bool = False


class ReleaseSmContext(NamedTuple):
    """The AMF gives a session up."""

    pdu_session_id: int


class SmContext(NamedTuple):
    """The SMF's answer. `n1` goes to the UE; `tunnel` (the UPF's end) to the gNB; both may be empty."""

    n1: bytes = b""
    tunnel: PduSessionTunnel | None = None
    released: bool = False
    """The context is gone (or never was), the session with it."""
    release_resources: bool = False
    """The gNB's resources have to be released: `n1` travels in the release command."""
