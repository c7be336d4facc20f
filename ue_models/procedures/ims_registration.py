"""Registration in IMS, re-registration, de-registration and a short message, one attempt each (TS 24.229 5.1.1, 5.1.3).

An attempt yields a request and is sent its final response, or that there was none. It knows what a UE says and
accepts; retransmission is protocols.sip.transactions, when to try again ims_rules.py, and the way there ims_ue.py.
"""

from collections.abc import Generator
from typing import Final, TypeVar

from protocols.aka import MacFailure, SynchFailure
from protocols.digest import (
    AKAV1_MD5,
    MD5,
    Challenge,
    Credentials,
    answered,
    network_not_authentic,
    rand_and_autn,
    synchronisation_failed,
    unchallenged,
)
from protocols.ims_aka import answer_ims_challenge
from protocols.milenage import Milenage
from protocols.sip.authentication import challenges, chosen
from protocols.sip.fields import addresses, contact_expires_s, expires_s, min_expires_s, retry_after
from protocols.sip.messages import Request, Response
from ue_models.ims_rules import MAX_CHALLENGES, Failure, NetworkNotGenuine, Refused
from ue_models.procedures.sip_requests import REGISTER, ImsUser, register, short_message
from ue_models.procedures.steps import Succeeded
from ue_models.sip_client import Answer

UNAUTHORIZED: Final = 401

_MAX_INVALID_CHALLENGES: Final = 2
"""5.1.1.5.3: "two consecutive invalid challenges" end the attempt."""

Result = TypeVar("Result")
ImsAttempt = Generator[Request, Answer, Result]


def attempt_registration(user: ImsUser) -> ImsAttempt[Succeeded | Failure]:
    """Initial registration (5.1.1.2): unchallenged first, then as often as the network challenges."""
    user.ims.begin_dialogue(user.ue.state.index)
    return (yield from _registered(user, _first_credentials(user)))


def attempt_reregistration(user: ImsUser) -> ImsAttempt[Succeeded | Failure]:
    """Re-registration (5.1.1.4): with the digest of the last challenge, counted on; it may be challenged anew."""
    return (yield from _registered(user, _next_credentials(user)))


def attempt_deregistration(user: ImsUser) -> ImsAttempt[Succeeded | Failure]:
    """De-registration (5.1.1.6): a REGISTER that expires at once."""
    return (yield from _registered(user, _next_credentials(user), leaving=True))


def attempt_message(user: ImsUser) -> ImsAttempt[Succeeded | Failure]:
    """A short message over IP (TS 24.341 5.3.1.2): MESSAGE and its answer."""
    answer = yield short_message(user)
    return Succeeded() if isinstance(answer, Response) and answer.status < 300 else _failure(answer)


# --- REGISTER and its answers ----------------------------------------------------------------------------------------


def _registered(
    user: ImsUser, credentials: Credentials | None, leaving: bool = False
) -> ImsAttempt[Succeeded | Failure]:
    """REGISTER until there is an answer that is no challenge, or a challenge too many."""
    wished_s = 0 if leaving else user.ims.wished_s
    challenged = invalid = 0
    while True:
        answer = yield register(user, credentials, wished_s)
        if not isinstance(answer, Response) or (answer.status >= 300 and answer.status != UNAUTHORIZED):
            return _failure(answer)
        if answer.status < 300:
            if leaving:
                user.ims.lose_binding()
            else:
                _bind(user, answer)
            return Succeeded()
        challenged += 1
        if challenged > MAX_CHALLENGES:
            return _failure(answer)
        challenge = _answerable(user, challenges(answer))
        if challenge is None:
            return NetworkNotGenuine()
        credentials, valid = answer_to(user, challenge)
        invalid = 0 if valid else invalid + 1
        if invalid >= _MAX_INVALID_CHALLENGES:
            return NetworkNotGenuine()


def _answerable(user: ImsUser, offered: list[Challenge]) -> Challenge | None:
    """A USIM answers AKA and nothing else, whatever else is offered; who has a password answers MD5."""
    wanted = AKAV1_MD5 if user.ims.password is None else MD5
    return chosen([one for one in offered if one.algorithm.lower() == wanted.lower()])


def _bind(user: ImsUser, answer: Response) -> None:
    """200: for how long, and which way requests go (5.1.1.2.1)."""
    ims = user.ims
    granted_s = None
    for contact in addresses(answer, "Contact"):
        if contact.uri == ims.contact:
            granted_s = contact_expires_s(answer, contact)
    ims.granted_s = float(granted_s or expires_s(answer) or ims.wished_s)
    ims.service_route = tuple(answer.headers.listed("Service-Route"))
    ims.registered = True


def _failure(answer: Answer) -> Failure:
    if not isinstance(answer, Response):
        return answer
    hint = retry_after(answer)
    body = answer.body
    return Refused(
        answer.status,
        None if hint is None else hint.seconds,
        min_expires_s(answer),
        restoration=answer.status == 504 and b"restoration" in body and b"initial-registration" in body,
    )


# --- digest (5.1.1.5) ------------------------------------------------------------------------------------------------


def answer_to(user: ImsUser, challenge: Challenge) -> tuple[Credentials, bool]:
    """What answers a challenge, and whether it was valid: RES, AUTS, or neither (5.1.1.5.1, 5.1.1.5.3)."""
    ims, state = user.ims, user.ue.state
    uri = f"sip:{ims.domain}"
    if ims.password is not None:
        ims.challenge, ims.res, ims.nonce_count = challenge, ims.password, 0
        return _counted(user, challenge), True
    carried = rand_and_autn(challenge.nonce)
    if carried is None:
        return network_not_authentic(challenge, ims.impi, uri), False
    milenage = Milenage(state.credentials.k, state.credentials.opc)
    match answer_ims_challenge(milenage, state.sqn, *carried):
        case MacFailure():
            return network_not_authentic(challenge, ims.impi, uri), False
        case SynchFailure(auts):
            return synchronisation_failed(challenge, ims.impi, uri, auts), False
        case genuine:
            state.sqn = genuine.sqn
            ims.challenge, ims.res, ims.nonce_count = challenge, genuine.res, 0
            return _counted(user, challenge), True


def _next_credentials(user: ImsUser) -> Credentials | None:
    """The digest of the last challenge with the next nonce count; the first ones where there was none."""
    challenge = user.ims.challenge
    return _first_credentials(user) if challenge is None else _counted(user, challenge)


def _counted(user: ImsUser, challenge: Challenge) -> Credentials:
    ims = user.ims
    ims.nonce_count += 1
    uri = f"sip:{ims.domain}"
    cnonce = f"{user.ue.state.index:x}.{ims.next_serial():x}"
    return answered(challenge, ims.impi, ims.res, REGISTER, uri, ims.nonce_count, cnonce)


def _first_credentials(user: ImsUser) -> Credentials | None:
    """What tells the network who it is; plain digest knows nothing to say yet (RFC 2617 3.2.2)."""
    ims = user.ims
    if ims.password is not None:
        return None
    return unchallenged(ims.impi, ims.domain, f"sip:{ims.domain}", AKAV1_MD5)
