"""Which message class a SIP request of a UE belongs to (records.message_classes), and whether it begins a procedure.

The paper's tiers put refreshes of IMS beside those of 5GS, so the classes are shared:

    first REGISTER                                     initial registration
    re-REGISTER of a user whom the SBC knows           periodic update
    de-registering REGISTER of such a user             deregistration
    answer to a challenge, request inside a dialog     follow-up
    MESSAGE, INVITE … of such a user                   service request
    OPTIONS                                            heartbeat
    REGISTER or request for an emergency               emergency
"""

from typing import NamedTuple

from protocols.sip.fields import address
from protocols.sip.messages import Request
from regstorm.records.message_classes import MessageClass
from regstorm.reference_core.ims.reading import wished_expiry_s

_EMERGENCY_URN = "urn:service:sos"


class Standing(NamedTuple):
    """What the SBC knows of the sender: bound to this source address, or just answering a challenge."""

    bound: bool
    answers_challenge: bool = False


class Classified(NamedTuple):
    """What the front door is asked about."""

    message_class: MessageClass
    first: bool
    """It begins a procedure."""


def classify(request: Request, standing: Standing) -> Classified:
    """The class of a request of a UE; emergency comes before everything else."""
    if is_for_emergency(request):
        return Classified(MessageClass.EMERGENCY, first=not standing.answers_challenge)
    if request.method == "REGISTER":
        return _registration(request, standing)
    if request.method == "OPTIONS":
        return Classified(MessageClass.HEARTBEAT, first=True)
    to = address(request, "To")
    if standing.bound and to is not None and to.tag is not None:
        return Classified(MessageClass.FOLLOW_UP, first=False)
    return Classified(MessageClass.SERVICE_REQUEST, first=True)


def _registration(request: Request, standing: Standing) -> Classified:
    if standing.answers_challenge:
        return Classified(MessageClass.FOLLOW_UP, first=False)
    if not standing.bound:
        return Classified(MessageClass.INITIAL_REGISTRATION, first=True)
    if is_deregistration(request):
        return Classified(MessageClass.DEREGISTRATION, first=True)
    return Classified(MessageClass.PERIODIC_UPDATE, first=True)


def is_deregistration(request: Request) -> bool:
    """A REGISTER that takes the binding away: expiry 0, or `Contact: *` (RFC 3261 10.2.2)."""
    return wished_expiry_s(request) == 0


def is_for_emergency(request: Request) -> bool:
    """An emergency registration has the `sos` parameter in its Contact (TS 24.229 5.1.6.2), a call the service URN."""
    if request.method != "REGISTER":
        return request.uri.startswith(_EMERGENCY_URN)
    contact = address(request, "Contact")
    return contact is not None and ";sos" in f"{contact.uri};".replace(";sos;", ";sos").lower()
