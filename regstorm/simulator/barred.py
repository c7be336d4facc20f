"""Which P-CSCFs a UE may not ask yet, as Retry-After said (RFC 3261 20.33)."""

from collections.abc import Sequence
from typing import Final

from regstorm.simulator.ims_population import P_CSCFS
from regstorm.simulator.population import times_s

_FREE: Final = (0.0,) * P_CSCFS


class Barred:
    """By P-CSCF and UE; in a storm without Retry-After it takes no room."""

    __slots__ = ("_ues", "_until_s")

    def __init__(self, ues: int) -> None:
        self._ues = ues
        self._until_s = [times_s(0)] * P_CSCFS

    def bar(self, ue: int, p_cscf: int, until_s: float) -> None:
        """The UE does not ask that P-CSCF before then."""
        if not self._until_s[p_cscf]:
            self._until_s[p_cscf] = times_s(self._ues)
        self._until_s[p_cscf][ue] = until_s

    def until_s(self, ue: int) -> Sequence[float]:
        """By P-CSCF: from when on the UE may ask it."""
        if not any(self._until_s):
            return _FREE
        return [one[ue] if one else 0.0 for one in self._until_s]
