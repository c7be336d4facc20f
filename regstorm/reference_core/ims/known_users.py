"""What the SBC knows of users: who is bound to which address, and whose challenge waits for an answer.

It is what tells a first REGISTER from a re-REGISTER. A restart of the SBC loses it all: every user's next
re-REGISTER is a first one then, while the CSCFs behind still know them.
"""

from dataclasses import dataclass

from protocols.sip.messages import Request
from regstorm.reference_core.ims.classification import Standing
from regstorm.reference_core.ims.reading import credentials

REG_AWAIT_AUTH_S = 240.0
"""How long a challenge waits for its answer: the S-CSCF's timer reg-await-auth (TS 24.229 table 7.8.1)."""

Endpoint = tuple[str, int]


@dataclass(slots=True)
class Bound:
    """A user with a registration that passed here."""

    address: str
    expires_at_s: float
    contact: str = ""
    service_route: tuple[str, ...] = ()
    local: Endpoint | None = None
    """The P-CSCF address that the user talks to."""
    port: int = 5060


class _Challenged:
    __slots__ = ("address", "nonce", "until_s")

    def __init__(self, nonce: str, address: str, until_s: float) -> None:
        self.nonce = nonce
        self.address = address
        self.until_s = until_s


class KnownUsers:
    """By public identity."""

    def __init__(self) -> None:
        self._bound: dict[str, Bound] = {}
        self._challenged: dict[str, _Challenged] = {}

    def standing(self, identity: str, address: str, request: Request, now: float) -> Standing:
        """Who sends this, as far as the SBC can tell before anything behind it is asked."""
        return Standing(self.bound(identity, address, now) is not None, self._answers(identity, address, request, now))

    def bound(self, identity: str, address: str, now: float) -> Bound | None:
        """The user's binding, if it is in force and of this address."""
        known = self._bound.get(identity)
        if known is None:
            return None
        if known.expires_at_s <= now:
            del self._bound[identity]
            return None
        return known if known.address == address else None

    def binding_of(self, identity: str) -> Bound | None:
        """The user's binding, whatever its address: where a request for the user goes."""
        return self._bound.get(identity)

    def bind(self, identity: str, bound: Bound) -> None:
        """The user is registered; any challenge is over."""
        self._bound[identity] = bound
        self._challenged.pop(identity, None)

    def unbind(self, identity: str) -> None:
        """The user is not registered. Harmless if that is known."""
        self._bound.pop(identity, None)
        self._challenged.pop(identity, None)

    def challenged(self, identity: str, nonce: str, address: str, now: float) -> None:
        """A 401 passes; the answer to it is no first message."""
        self._challenged[identity] = _Challenged(nonce, address, now + REG_AWAIT_AUTH_S)

    def move_all(self, address: str, local: Endpoint) -> None:
        """Everybody's binding is of this address, and of this address of the SBC: for those from before a run."""
        for bound in self._bound.values():
            bound.address, bound.local = address, local

    def forget_all(self) -> None:
        """A restart."""
        self._bound.clear()
        self._challenged.clear()

    def _answers(self, identity: str, address: str, request: Request, now: float) -> bool:
        waiting = self._challenged.get(identity)
        if waiting is None or request.method != "REGISTER":
            return False
        if waiting.until_s <= now:
            del self._challenged[identity]
            return False
        given = credentials(request)
        return given is not None and given.nonce == waiting.nonce and waiting.address == address
