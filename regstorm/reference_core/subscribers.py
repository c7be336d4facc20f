"""The subscriber store behind the UDM: credentials and sequence numbers, made from the seed when first asked for.

Every test subscriber of the population has the same subscription: the network's slice and all of its DNNs.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from protocols.credentials import credentials, index_of
from protocols.identities import Plmn, Suci
from protocols.milenage import Milenage
from protocols.suci import deconceal


@dataclass(slots=True)
class Subscriber:
    """What the UDM keeps of one subscriber. `sqn` is the last sequence number that went into a vector."""

    supi: str
    k: bytes
    opc: bytes
    amf_field: bytes
    sqn: int
    serving_amf: str | None = None

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
