"""What the S-CSCF keeps: registrations with their expiry, and challenges that wait for an answer."""

import heapq
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import NamedTuple

from protocols.digest import NonceCount
from protocols.sip.fields import ANY_CONTACT, Address, address
from protocols.sip.messages import Request
from regstorm.records.ports import Agenda, Due
from regstorm.reference_core.ims.reading import credentials, identity, wished_expiry_s
from regstorm.reference_core.ims.user_profile import FilterCriteria

_SWEEP_EVERY_S = 1.0
"""Expiries of one second are dealt with together."""


@dataclass(slots=True)
class Vector:
    """What a user proves to have: the password of one nonce (RES, or a plain one), and how often that was done."""

    nonce: str
    algorithm: str
    password: bytes
    count: NonceCount = field(default_factory=NonceCount)
    resynchronised: int = 0
    """How many challenges in a row the USIM had found stale before this one."""


@dataclass(slots=True)
class Registration:
    """A registered user."""

    identity: str
    supi: str
    private: str
    expires_at_s: float
    contact: str = ""
    path: tuple[str, ...] = ()
    vector: Vector | None = None
    criteria: tuple[FilterCriteria, ...] = ()


class Registrant(NamedTuple):
    """What a REGISTER asks for. `contact` None: `*`, all bindings."""

    identity: str
    private: str
    contact: Address | None
    expires_s: int
    protected: bool


def registrant(request: Request, longest_s: int) -> Registrant | None:
    """Who wants what; None if the REGISTER does not say. No expiry at all: what the S-CSCF grants (RFC 3261 10.3)."""
    public = identity(request, "To")
    contact = address(request, "Contact")
    if not public or contact is None:
        return None
    given = credentials(request)
    private = given.username if given is not None else public.removeprefix("sip:")
    protected = given is not None and given.integrity_protected in ("yes", "ip-assoc-yes")
    if contact.uri == ANY_CONTACT:
        return Registrant(public, private, None, 0, protected)
    expires_s = wished_expiry_s(request)
    return Registrant(public, private, contact, longest_s if expires_s is None else expires_s, protected)


class Registrations:
    """By public identity. `expired(registration, now)` is called when one has run out; it is gone by then."""

    def __init__(self, agenda: Agenda, expired: Callable[[Registration, float], None]) -> None:
        self._agenda = agenda
        self._expired = expired
        self._kept: dict[str, Registration] = {}
        self._expiries: list[tuple[float, str]] = []
        self._sweep_due_s: float | None = None

    def __len__(self) -> int:
        return len(self._kept)

    def of(self, identity: str) -> Registration | None:
        """The user's registration."""
        return self._kept.get(identity)

    def keep(self, registration: Registration) -> None:
        """Registered until `expires_at_s`, or registered longer than before."""
        self._kept[registration.identity] = registration
        heapq.heappush(self._expiries, (registration.expires_at_s, registration.identity))
        if self._sweep_due_s is None or registration.expires_at_s < self._sweep_due_s:
            self._await(registration.expires_at_s)

    def drop(self, identity: str) -> Registration | None:
        """Registered no more; what there was."""
        return self._kept.pop(identity, None)

    def _await(self, due_s: float) -> None:
        self._sweep_due_s = due_s
        self._agenda.at(due_s, self._sweep)

    def _sweep(self, now: float) -> None:
        if self._sweep_due_s is None or now < self._sweep_due_s:
            return  # an earlier one has been awaited since
        self._sweep_due_s = None
        while self._expiries and self._expiries[0][0] <= now:
            _, identity = heapq.heappop(self._expiries)
            known = self._kept.get(identity)
            if known is not None and known.expires_at_s <= now:
                del self._kept[identity]
                self._expired(known, now)
        if self._expiries:
            self._await(max(self._expiries[0][0], now + _SWEEP_EVERY_S))


class Challenges:
    """Vectors that were sent and not answered yet, by public identity; each is guarded by reg-await-auth."""

    def __init__(self, agenda: Agenda, guard_s: float, unanswered: Callable[[str, float], None]) -> None:
        self._agenda = agenda
        self._guard_s = guard_s
        self._unanswered = unanswered
        self._waiting: dict[str, tuple[Vector, Due]] = {}

    def ask(self, identity: str, vector: Vector, now: float) -> None:
        """A challenge goes out; an older one is void."""
        self.take(identity)
        due = self._agenda.at(now + self._guard_s, lambda at: self._guard_expired(identity, vector, at))
        self._waiting[identity] = (vector, due)

    def waiting(self, identity: str) -> Vector | None:
        """The one that the user has to answer."""
        found = self._waiting.get(identity)
        return None if found is None else found[0]

    def take(self, identity: str) -> Vector | None:
        """The same, and it is over."""
        found = self._waiting.pop(identity, None)
        if found is None:
            return None
        found[1].cancel()
        return found[0]

    def _guard_expired(self, identity: str, vector: Vector, now: float) -> None:
        if self.waiting(identity) is vector:
            del self._waiting[identity]
            self._unanswered(identity, now)
