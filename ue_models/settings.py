"""What all UEs of a run have in common: their network, what they ask for, and how fast they are."""

from dataclasses import dataclass

from protocols.identities import Plmn, serving_network_name
from protocols.nas5g.messages import Snssai
from protocols.suci import HomeNetworkKey

_EMBB = Snssai(1)


@dataclass(frozen=True, slots=True)
class UeSettings:
    """Times in seconds. `home_key` None conceals by the null scheme, else by ECIES profile A."""

    plmn: Plmn
    dnns: tuple[str, ...] = ("internet", "ims")
    slice_: Snssai = _EMBB
    home_key: HomeNetworkKey | None = None
    security_capability: bytes = b"\xa0\xa0"
    """5G-EA0, 128-5G-EA2; 5G-IA0, 128-5G-IA2 (TS 24.501 9.11.3.54)."""
    null_integrity_accepted: bool = False
    """5G-IA0 outside emergency: against 4.4.4.1, for captures that can be read."""
    answer_s: tuple[float, float] = (0.05, 0.15)
    """From a downlink message to the answer, uniform."""
    retry_jitter_s: float = 0.2
    operations_every_s: float = 600.0
    periodic_update_share: float = 0.1
    snn: str = ""

    def __post_init__(self) -> None:
        if not self.snn:
            object.__setattr__(self, "snn", serving_network_name(self.plmn))
