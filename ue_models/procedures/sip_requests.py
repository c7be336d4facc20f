"""The SIP requests of a UE, as TS 24.229 5.1.1 and 5.1.3 and TS 24.341 5.3.1 want them, without IPsec."""

from typing import Final, NamedTuple

from protocols.digest import Credentials
from protocols.sip.authentication import AUTHORIZATION, credentials_text
from protocols.sip.fields import BRANCH_COOKIE
from protocols.sip.messages import Headers, Request
from ue_models.ims_state import ImsState
from ue_models.procedures.steps import Ue

REGISTER: Final = "REGISTER"
MESSAGE: Final = "MESSAGE"

_ALLOW: Final = "MESSAGE, NOTIFY, OPTIONS"
_ACCESS: Final = "3GPP-NR-FDD"
_FEATURES: Final = '+g.3gpp.icsi-ref="urn%3Aurn-7%3A3gpp-service.ims.icsi.mmtel";+g.3gpp.smsip'
_SMS: Final = "application/vnd.3gpp.sms"
_SHORT_MESSAGE: Final = bytes.fromhex(
    "00 00 00 07 91 947100000000"  # RP-DATA from the UE, reference 0, no originator, service centre (TS 24.011 7.3.1.2)
    "11 01 00 0a 81 2143658709 00 00 05 c8329bfd06"  # SMS-SUBMIT to 1234567890 (TS 23.040 9.2.2.2): "Hello"
)


class ImsUser(NamedTuple):
    """What an IMS procedure works on."""

    ue: Ue
    ims: ImsState


def register(user: ImsUser, credentials: Credentials | None, expires_s: int) -> Request:
    """REGISTER (5.1.1.2.1): the same Call-ID and tag within a registration, CSeq one higher each time.

    None as credentials: there is nothing to say before a challenge.
    """
    ims = user.ims
    ims.cseq += 1
    headers = [
        ("Via", _via(user)),
        ("Max-Forwards", "70"),
        ("From", f"<{ims.impu}>;tag={ims.tag}"),
        ("To", f"<{ims.impu}>"),
        ("Call-ID", ims.call_id),
        ("CSeq", f"{ims.cseq} {REGISTER}"),
        ("Contact", f'<{ims.contact}>;+sip.instance="<{ims.instance}>";{_FEATURES}'),
        ("Expires", str(expires_s)),
        *(() if credentials is None else ((AUTHORIZATION, credentials_text(credentials)),)),
        ("P-Access-Network-Info", _ACCESS),
        ("Supported", "path"),
        ("Allow", _ALLOW),
    ]
    return Request(REGISTER, f"sip:{ims.domain}", Headers(headers))


def short_message(user: ImsUser) -> Request:
    """A short message in MESSAGE, to the service centre of the home network, along the route of the registration."""
    ims = user.ims
    number = ims.next_serial()
    route = ", ".join((f"<sip:{ims.p_cscfs[ims.p_cscf]}:{ims.access.p_cscf_port};lr>", *ims.service_route))
    headers = [
        ("Via", _via(user)),
        ("Max-Forwards", "70"),
        ("Route", route),
        ("From", f"<{ims.impu}>;tag={user.ue.state.index:x}.{number:x}"),
        ("To", f"<{service_centre(ims)}>"),
        ("Call-ID", f"{user.ue.state.index:x}-{number:x}@{ims.address}"),
        ("CSeq", f"1 {MESSAGE}"),
        ("P-Preferred-Identity", f"<{ims.impu}>"),
        ("P-Access-Network-Info", _ACCESS),
        ("Allow", _ALLOW),
        ("Content-Type", _SMS),
    ]
    return Request(MESSAGE, service_centre(ims), Headers(headers), _SHORT_MESSAGE)


def service_centre(ims: ImsState) -> str:
    """The public service identity of the short message service centre."""
    return f"sip:smsc@{ims.domain}"


def _via(user: ImsUser) -> str:
    ims = user.ims
    branch = f"{BRANCH_COOKIE}{user.ue.state.index:x}.{ims.next_serial():x}"
    return f"SIP/2.0/{ims.access.transport} {ims.address}:{ims.access.port};branch={branch};rport"
