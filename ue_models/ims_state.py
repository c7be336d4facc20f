"""What outlives an attempt on the IMS side of a UE: its binding, its P-CSCFs, its digest, its numbering.

Plain data. The procedures change it, ims_rules.py reads from it what it needs, ims_ue.py keeps the timers.
"""

from dataclasses import dataclass, field
from typing import Final, NamedTuple

from protocols.digest import Challenge
from protocols.udp import Endpoint
from ue_models.ims_rules import REGISTRATION_EXPIRES_S

SIP_PORT = 5060


class SipAccess(NamedTuple):
    """How SIP travels between a UE and its P-CSCFs: the transport as Via names it, and the ports of both ends."""

    transport: str = "UDP"
    port: int = SIP_PORT
    p_cscf_port: int = SIP_PORT

    @property
    def reliable(self) -> bool:
        """Nothing is retransmitted (RFC 3261 17.1.2.2)."""
        return self.transport != "UDP"


IN_SESSION: Final = SipAccess()
"""In datagrams on the ims PDU session."""


@dataclass(slots=True)
class ImsState:
    """One user. `impi` and `impu` are its identities, `domain` its home network (TS 23.003 13)."""

    impi: str
    impu: str
    domain: str
    instance: str
    """The IMEI URN that marks the device (RFC 7254)."""
    access: SipAccess = IN_SESSION
    password: bytes | None = None
    """Of plain digest (MD5) instead of AKA, for networks that know no USIM."""

    registered: bool = False
    granted_s: float = 0.0
    """The expiry that the last 200 gave."""
    wished_s: int = REGISTRATION_EXPIRES_S
    failures: int = 0
    """Consecutive failed attempts to register."""
    renewal_failed: bool = False
    """Of the failures, the first was a re-registration."""

    address: str = ""
    """Its own, on the ims session; empty without one."""
    p_cscfs: tuple[str, ...] = ()
    p_cscf: int = 0
    """Which of them it uses."""
    in_vain: int = 0
    """Bit n: P-CSCF n was left for another since the last success."""
    barred_until_s: list[float] = field(default_factory=list)
    service_route: tuple[str, ...] = ()

    challenge: Challenge | None = None
    """The last one answered; `res` is the password to it, `nonce_count` how often it has been used."""
    res: bytes = b""
    nonce_count: int = 0

    serial: int = 0
    """Makes branches, tags and Call-IDs of this UE differ."""
    call_id: str = ""
    tag: str = ""
    cseq: int = 0

    @property
    def contact(self) -> str:
        """The URI under which this UE is reached."""
        transport = ";transport=tcp" if self.access.reliable else ""
        return f"sip:{self.impi.partition('@')[0]}@{self.address}:{self.access.port}{transport}"

    @property
    def endpoint(self) -> Endpoint:
        """Where it sends from."""
        return self.address, self.access.port

    @property
    def p_cscf_endpoint(self) -> Endpoint:
        """Where it sends to."""
        return self.p_cscfs[self.p_cscf], self.access.p_cscf_port

    def next_serial(self) -> int:
        """A number that this UE has not used."""
        self.serial += 1
        return self.serial

    def learn_p_cscfs(self, addresses: tuple[str, ...]) -> None:
        """The list that came with the session. What Retry-After bars stays barred if it is the same list."""
        if addresses != self.p_cscfs:
            self.p_cscfs = addresses
            self.barred_until_s = [0.0] * len(addresses)
        self.p_cscf = self.in_vain = 0

    def begin_dialogue(self, index: int) -> None:
        """New Call-ID and tag, no digest: for an initial registration. A renewal keeps all three (RFC 3261 10.2.4)."""
        number = self.next_serial()
        self.call_id = f"{index:x}-{number:x}@{self.address}"
        self.tag = f"{index:x}.{number:x}"
        self.cseq = 0
        self._forget_digest()

    def lose_binding(self) -> None:
        """Not registered any more, as far as the UE knows; the digest goes with it."""
        self.registered = False
        self.service_route = ()
        self._forget_digest()

    def _forget_digest(self) -> None:
        self.challenge = None
        self.res = b""
        self.nonce_count = 0
