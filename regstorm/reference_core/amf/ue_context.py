"""What the AMF keeps: associations, connections, UEs and their sessions. Plain data, and the ways to find it."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from protocols.identities import Guti, STmsi
from protocols.nas5g.messages import NO_KEY, RegistrationRequest, Snssai
from protocols.nas_security import SecurityContext
from protocols.ngap.messages import RrcCause
from regstorm.reference_core.pair_ledger import NO_PROCEDURE

if TYPE_CHECKING:
    from regstorm.reference_core.amf.task import Task

DEFAULT_CAPABILITY = b"\xa0\xa0"
"""UE security capability where the UE did not tell one: 5G-EA0 and EA2, 5G-IA0 and IA2 (TS 24.501 9.11.3.54)."""

FIRST_AMF_UE_ID = 65_536
LAST_AMF_UE_ID = (1 << 24) - 1
"""Between the two, every AMF UE NGAP ID takes the same number of octets."""


@dataclass(slots=True, eq=False)
class Association:
    """A gNB's association; `connections` by RAN UE NGAP ID."""

    peer: int
    send: Callable[[bytes, int], None]
    set_up: bool = False
    """NG Setup has succeeded."""
    connections: dict[int, "Connection"] = field(default_factory=dict)


@dataclass(slots=True, eq=False)
class Connection:
    """A UE-associated logical NG connection with the N1 signalling connection on it."""

    association: Association
    amf_ue_id: int
    ran_ue_id: int
    stream: int
    rrc_cause: RrcCause
    ue: "UeContext | None" = None
    alive: bool = True
    """False once it has been released at both ends, or its association is gone."""
    releasing: bool = False
    """UE CONTEXT RELEASE COMMAND is sent: uplink messages do not count any more."""
    secured: bool = False
    """Secure exchange of NAS messages is established (TS 24.501 4.4.4): plain messages are discarded."""
    context_set_up: bool = False
    """The gNB has the UE's context: INITIAL CONTEXT SETUP has succeeded."""
    follows_registration: bool = False
    """A registration was admitted here and its sessions are not all up yet: they follow up."""
    on_probation: bool = False
    """Its registration goes on to the authentication; then the front door is asked again."""
    base_count: int = 0
    """The uplink NAS COUNT that K_gNB comes from (TS 33.501 6.8.1.2.2)."""


@dataclass(slots=True, eq=False)
class Session:
    """A PDU session as the AMF sees it."""

    dnn: str
    snssai: Snssai
    account: int = NO_PROCEDURE
    """In whose books the pairs of its establishment stand."""


@dataclass(slots=True, eq=False)
class UeContext:
    """A UE. Without a SUPI it is a stranger: its context goes with its connection."""

    supi: str | None = None
    guti: Guti | None = None
    next_guti: Guti | None = None
    """Sent in a REGISTRATION ACCEPT that has not been completed; both are valid meanwhile (TS 24.501 5.5.1.2.4)."""
    old_guti: Guti | None = None
    """Of another AMF of the set: what the UE came with, and goes by until it has one of this AMF."""
    security: SecurityContext | None = None
    candidate: SecurityContext | None = None
    """Offered by a SECURITY MODE COMMAND; in use once the UE has shown that it took it. Kept if the answer got lost:
    the UE uses it from its SECURITY MODE COMPLETE on, whether that arrived or not (TS 24.501 5.4.2.3)."""
    capability: bytes = DEFAULT_CAPABILITY
    registered: bool = False
    """RM-REGISTERED. Else deregistered, implicitly if it has a SUPI."""
    sessions: dict[int, Session] = field(default_factory=dict)
    connection: Connection | None = None
    procedure: "Task | None" = None
    """The 5GMM procedure that runs."""
    session_tasks: dict[int, "Task"] = field(default_factory=dict)
    request: RegistrationRequest | None = None
    """What the running registration was asked with: tells a repetition from a new request (5.5.1.2.8 d, e)."""
    open_procedures: list[int] = field(default_factory=list)
    """Procedures since the last full service, for the books on pairs."""

    @property
    def ngksi(self) -> int:
        """The key set identifier of the security context in use."""
        return NO_KEY if self.security is None else self.security.ngksi

    def take_candidate(self) -> None:
        """The UE has shown that it uses the candidate."""
        if self.candidate is not None:
            self.security, self.candidate = self.candidate, None

    def drop_ciphers(self) -> None:
        """An idle UE needs no AES contexts."""
        for security in (self.security, self.candidate):
            if security is not None:
                security.drop_ciphers()

    def tasks(self) -> Iterator["Task"]:
        """Everything that runs for this UE."""
        if self.procedure is not None:
            yield self.procedure
        yield from list(self.session_tasks.values())


class UeContexts:
    """The UEs that the AMF knows, by SUPI and by 5G-TMSI of its GUAMI, or by what they have of another AMF."""

    def __init__(self) -> None:
        self._by_supi: dict[str, UeContext] = {}
        self._by_tmsi: dict[int, UeContext] = {}
        self._by_old_guti: dict[Guti, UeContext] = {}

    def __len__(self) -> int:
        return len(self._by_supi)

    def by_supi(self, supi: str) -> UeContext | None:
        """The UE of that subscriber."""
        return self._by_supi.get(supi)

    def by_tmsi(self, tmsi: int) -> UeContext | None:
        """The UE with that 5G-TMSI."""
        return self._by_tmsi.get(tmsi)

    def by_old_guti(self, guti: Guti) -> UeContext | None:
        """The UE that was secured here under a GUTI of another AMF, and has none of this one yet."""
        return self._by_old_guti.get(guti)

    def keep_old_guti(self, ue: UeContext, guti: Guti) -> None:
        """The UE has been secured under this GUTI of another AMF: it will go by it until it has one of this AMF."""
        self._unbind_old(ue)
        ue.old_guti = guti
        self._by_old_guti[guti] = ue

    def identify(self, ue: UeContext, supi: str) -> UeContext | None:
        """`ue` turned out to be that subscriber; returns the context that it replaces, taken out of the indices."""
        old = self._by_supi.get(supi)
        if ue.supi is not None and ue.supi != supi and self._by_supi.get(ue.supi) is ue:
            del self._by_supi[ue.supi]  # it was taken for another
        ue.supi = supi
        self._by_supi[supi] = ue
        if old is None or old is ue:
            return None
        self._unbind_all(old)
        return old

    def adopt_guti(self, ue: UeContext, guti: Guti) -> None:
        """The UE is known by this GUTI and no other."""
        self._unbind_all(ue)
        ue.guti, ue.next_guti = guti, None
        self._by_tmsi[guti.tmsi] = ue

    def offer_guti(self, ue: UeContext, guti: Guti) -> None:
        """The UE is being told a new GUTI; the one it has stays valid. An earlier offer is void: whoever asks for this
        one has come under the old GUTI, or `note_use` would have made the offered one the UE's."""
        self._unbind(ue.next_guti, ue)
        ue.next_guti = guti
        self._by_tmsi[guti.tmsi] = ue

    def note_use(self, ue: UeContext, identity: Any) -> None:
        """The UE has named itself so in a message whose MAC is right: if by the new GUTI, it has taken it, even though
        its REGISTRATION COMPLETE got lost (TS 24.501 5.5.1.2.8 c)."""
        if ue.next_guti is not None and isinstance(identity, Guti | STmsi) and identity.tmsi == ue.next_guti.tmsi:
            self.confirm_guti(ue)

    def confirm_guti(self, ue: UeContext) -> None:
        """The UE uses the new GUTI; the old one is void."""
        if ue.next_guti is not None:
            self.adopt_guti(ue, ue.next_guti)

    def all(self) -> list[UeContext]:
        """Everybody, in the order in which they became known."""
        return list(self._by_supi.values())

    def drop(self, ue: UeContext) -> None:
        """This one is not known any more."""
        if ue.supi is not None and self._by_supi.get(ue.supi) is ue:
            del self._by_supi[ue.supi]
        self._unbind_all(ue)

    def clear(self) -> None:
        """Nobody is known any more."""
        self._by_supi.clear()
        self._by_tmsi.clear()
        self._by_old_guti.clear()

    def _unbind_all(self, ue: UeContext) -> None:
        self._unbind(ue.guti, ue)
        self._unbind(ue.next_guti, ue)
        self._unbind_old(ue)

    def _unbind_old(self, ue: UeContext) -> None:
        if ue.old_guti is not None and self._by_old_guti.get(ue.old_guti) is ue:
            del self._by_old_guti[ue.old_guti]
        ue.old_guti = None

    def _unbind(self, guti: Guti | None, ue: UeContext) -> None:
        if guti is not None and self._by_tmsi.get(guti.tmsi) is ue:
            del self._by_tmsi[guti.tmsi]


class TmsiAllocator:
    """5G-TMSIs in a fixed order that does not show how many there were before (TS 33.501 6.12.3)."""

    _FACTOR = 0x9E3779B1  # odd, so the map is one-to-one modulo 2^32

    def __init__(self, contexts: UeContexts) -> None:
        self._contexts = contexts
        self._number = 0

    def next(self) -> int:
        """One that nobody has; all ones is none (TS 23.003 2.4)."""
        while True:
            self._number += 1
            tmsi = self._number * self._FACTOR % (1 << 32)
            if tmsi != 0xFFFFFFFF and self._contexts.by_tmsi(tmsi) is None:
                return tmsi
