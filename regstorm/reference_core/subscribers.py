"""The subscriber store behind UDM and HSS: credentials and sequence numbers, made from the seed when first asked for.

One USIM answers the challenges of 5GS and of IMS, and keeps one array of sequence numbers: so both domains draw from
one SEQ, each with an IND of its own (TS 33.102 C.1.2), and a challenge that comes late in one does not spoil the
other's. Every test subscriber of the population has the same subscription: the network's slice and all of its DNNs.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from protocols.aka import IND_BITS, next_sqn
from protocols.credentials import credentials, index_of
from protocols.identities import Plmn, Suci
from protocols.milenage import Milenage
from protocols.suci import deconceal

_IND_MASK = (1 << IND_BITS) - 1

IND_OF_5GS, IND_OF_IMS = 0, 1
"""The IND part of the sequence numbers of each domain; which value is whose is the operator's choice."""


@dataclass(slots=True)
class Subscriber:
    """What UDM and HSS keep of one subscriber. `sqn` has the SEQ that went into the last vector, of either domain."""

    supi: str
    k: bytes
    opc: bytes
    amf_field: bytes
    sqn: int
    serving_amf: str | None = None
    serving_cscf: str | None = None
    """The S-CSCF that is assigned to the user, by its SIP URI."""
    registered_in_ims: bool = False
    password: bytes | None = None
    """For plain digest instead of AKA."""

    def fresh_sqn(self, ind: int) -> int:
        """The sequence number of the next vector: SEQ one higher than in any vector before."""
        self.sqn = next_sqn(self.sqn)
        return self.sqn & ~_IND_MASK | ind

    def resynchronise(self, sqn_ms: int) -> None:
        """The USIM's own sequence number is the base from now on (TS 33.102 6.3.5)."""
        self.sqn = sqn_ms & ~_IND_MASK

    def milenage(self) -> Milenage:
        """Its authentication functions; made for each use, because an AES context is dear to keep."""
        return Milenage(self.k, self.opc)


class Subscribers:
    """Finds subscribers by SUPI or SUCI. Those with an index outside the population do not exist."""

    def __init__(self, seed: int, plmn: Plmn, size: int, private_keys: Mapping[int, bytes]) -> None:
        """`private_keys`: the home network's X25519 keys for SUCI profile A, by key identifier."""
        self._seed = seed
        self._plmn = plmn
        self._size = size
        self._found: dict[str, Subscriber] = {}
        self._private_keys = private_keys

    def by_supi(self, supi: str) -> Subscriber | None:
        """The subscriber, or None (404 USER_NOT_FOUND)."""
        known = self._found.get(supi)
        if known is not None:
            return known
        index = index_of(supi, self._plmn)
        if index is None or index >= self._size:
            return None
        made = credentials(self._seed, index, self._plmn)
        subscriber = Subscriber(made.supi, made.k, made.opc, made.amf_field, made.sqn)
        self._found[supi] = subscriber
        return subscriber

    def by_suci(self, suci: Suci) -> Subscriber | None:
        """The subscriber behind a SUCI, or None if it cannot be deconcealed or nobody has it."""
        supi = deconceal(suci, self._private_keys)
        return None if supi is None else self.by_supi(supi)
