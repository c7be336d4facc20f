"""What all UEs of a run have in common: their network, what they ask for, and how fast they are."""

from dataclasses import dataclass
from typing import Final

from protocols.identities import Plmn, serving_network_name
from protocols.nas5g.messages import Snssai
from protocols.suci import HomeNetworkKey
from ue_models.ims_rules import REGISTRATION_EXPIRES_S

_EMBB = Snssai(1)

IMS_DNN: Final = "ims"
"""The well-known APN of IMS (GSMA IR.88 6.3.2)."""


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
    ims: bool = False
    """UEs register in IMS over the session to `IMS_DNN`."""
    ims_expires_s: int = REGISTRATION_EXPIRES_S
    """The expiry that they ask for."""
    message_share: float = 0.0
    """Share of operations that are short messages over IP; what neither share takes are service requests."""
    snn: str = ""
    ims_session: int = 0
    """PDU session identity of the session to `IMS_DNN`; 0 without one."""

    def __post_init__(self) -> None:
        if not self.snn:
            object.__setattr__(self, "snn", serving_network_name(self.plmn))
        if self.ims:
            if IMS_DNN not in self.dnns:
                raise ValueError(f"IMS needs a session to {IMS_DNN!r}, not only {', '.join(self.dnns)}")
            object.__setattr__(self, "ims_session", 1 + self.dnns.index(IMS_DNN))
