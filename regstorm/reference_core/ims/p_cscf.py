"""What the P-CSCF adds to and takes off a message that passes it (TS 24.229 5.2.2, 5.2.6.3)."""

from typing import Final

from protocols.ims_identities import SIP_PORT
from protocols.sip.authentication import (
    AUTHORIZATION,
    WWW_AUTHENTICATE,
    challenge_text,
    credentials_text,
    read_challenges,
)
from protocols.sip.fields import Via, address, addresses, contact_expires_s, top_via
from protocols.sip.grammar import quoted
from protocols.sip.messages import Headers, Request, Response
from regstorm.reference_core.ims.known_users import Bound, Endpoint
from regstorm.reference_core.ims.reading import credentials

ESTABLISHED, PENDING = "ip-assoc-yes", "ip-assoc-pending"
"""integrity-protected without IPsec: the P-CSCF knows the source address, or the challenge that is answered
(TS 24.229 7.2A.2; 5.2.2.3)."""

_HOP_BY_HOP: Final = frozenset(
    ("Route", "Security-Client", "Security-Verify", "Proxy-Require", "P-Visited-Network-ID", "Path", "Require")
)
_OF_THE_NETWORK: Final = frozenset(("Route", "P-Preferred-Identity", "P-Asserted-Identity"))
"""What a UE may not set, or sets for the P-CSCF only."""

RESTORATION: Final = (
    b'<?xml version="1.0" encoding="UTF-8"?><ims-3gpp version="1"><alternative-service><type>restoration</type>'
    b"<reason>unknown user</reason><action>initial-registration</action></alternative-service></ims-3gpp>"
)
"""The body of a 504 that asks for an initial registration (TS 24.229 7.6; 5.1.2A.1.6)."""
RESTORATION_TYPE: Final = "application/3gpp-ims+xml"


def register_for_core(request: Request, local: Endpoint, domain: str, protected: str | None) -> Request:
    """A REGISTER as it goes to the I-CSCF; Via comes on top of it."""
    fields = [field for field in request.headers if field[0] not in _HOP_BY_HOP and field[0] != AUTHORIZATION]
    given = credentials(request)
    if given is not None:
        fields.append((AUTHORIZATION, credentials_text(given._replace(integrity_protected=protected))))
    path = f"<sip:term@{local[0]}:{local[1]};lr>"
    added = (("Path", path), ("Require", "path"), ("P-Visited-Network-ID", quoted(domain)))
    return request.having(Headers((*added, *fields)))


def request_for_core(request: Request, identity: str, bound: Bound) -> Request:
    """A request of a user in service as it goes to the S-CSCF: by the service route, under an asserted identity."""
    fields = [field for field in request.headers if field[0] not in _OF_THE_NETWORK]
    routes = [("Route", one) for one in bound.service_route]
    return request.having(Headers((*routes, ("P-Asserted-Identity", f"<{identity}>"), *fields)))


def challenge_for_ue(response: Response) -> tuple[Response, str | None]:
    """A 401 without CK and IK, which end here (5.2.2.2), and its nonce."""
    offered = [one for field in response.headers.every(WWW_AUTHENTICATE) for one in read_challenges(field)]
    others = response.headers.without(WWW_AUTHENTICATE)
    kept = [(WWW_AUTHENTICATE, challenge_text(one._replace(ck=None, ik=None))) for one in offered]
    return response.having(others.after(kept)), offered[0].nonce if offered else None


def binding_in(request: Request, response: Response, source: Endpoint, local: Endpoint, now: float) -> Bound | None:
    """The binding that a 200 to a REGISTER grants; None: the user is not registered any more."""
    granted = addresses(response, "Contact")
    expires_s = max((contact_expires_s(response, one) or 0 for one in granted), default=0)
    asked = address(request, "Contact")
    if expires_s <= 0 or asked is None:
        return None
    routes = tuple(one.text() for one in addresses(response, "Service-Route"))
    return Bound(source[0], now + expires_s, asked.uri, routes, local, source[1])


# --- the way back to a UE (RFC 3261 18.2, RFC 3581) ----------------------------------------------------------------


def reply_to(via: Via, source: Endpoint) -> Endpoint:
    """Where a response goes: the address that the request came from; the port it came from if Via has rport, or if
    it came on a connection (RFC 3261 18.2.2)."""
    if via.parameters.has("rport") or via.transport != "UDP":
        return source
    return source[0], SIP_PORT if via.port is None else via.port


def stamped(request: Request, source: Endpoint) -> Request:
    """With `received` and `rport` in the top Via where RFC 3261 18.2.1 and RFC 3581 4 want them."""
    via = top_via(request)
    if via is None:
        return request
    parameters = via.parameters
    if parameters.has("rport"):
        parameters = parameters.replaced("rport", str(source[1])).replaced("received", source[0])
    elif via.host != source[0]:
        parameters = parameters.replaced("received", source[0])
    else:
        return request
    headers = list(request.headers)
    at = next(n for n, field in enumerate(headers) if field[0] == "Via")
    below = request.headers.listed("Via")[1:] if "," in headers[at][1] else []
    if below:  # several in one field: the first is rewritten, the others follow as fields of their own
        headers = [field for field in headers if field[0] != "Via"]
        headers[at:at] = [("Via", via._replace(parameters=parameters).text()), *(("Via", one) for one in below)]
    else:
        headers[at] = ("Via", via._replace(parameters=parameters).text())
    return request.having(Headers(headers))
