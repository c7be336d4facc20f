"""What the credentials of a REGISTER prove to the S-CSCF (RFC 2617 3.2.2, RFC 3310 3.4)."""

from protocols.digest import Credentials, rand_and_autn, verifies
from protocols.sip.messages import Request
from regstorm.reference_core.ims.registrations import Vector


def proves(given: Credentials, vector: Vector, request: Request) -> bool:
    """The response is that of the vector's password, and this count of it is new."""
    if not verifies(given, vector.password, request.method):
        return False
    return given.qop is None or vector.count.accepts(given.nonce_count)


def continues(given: Credentials | None, vector: Vector | None, request: Request) -> bool:
    """A further request under the nonce in use."""
    return (
        given is not None
        and vector is not None
        and given.nonce == vector.nonce
        and given.qop is not None
        and proves(given, vector, request)
    )


def rand_and_auts(given: Credentials, auts: bytes) -> bytes | None:
    """RAND ‖ AUTS for the MAR: the RAND is that of the challenge (RFC 3310 3.4)."""
    found = rand_and_autn(given.nonce)
    return None if found is None else found[0] + auts
