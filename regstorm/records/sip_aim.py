"""Whom a storm of phones is aimed at: the bundled core's SBC, or an SBC that is not ours (docs/peers.md)."""

from typing import Literal, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

from regstorm.records.files import BadFile
from regstorm.records.target import TargetOutage, is_loopback

SipTransport = Literal["udp", "tcp"]


class SipAim(BaseModel):
    """`host` is empty until the bundled core says where its SBC listens."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)

    host: str = ""
    port: int = Field(default=0, ge=0, le=65535)
    transport: SipTransport = "udp"
    ours: bool = True
    domain: str | None = None
    """Home network of the users; None: that of the scenario's network."""
    password: str | None = None
    """Of every user, for plain digest; None: they have the test keys and answer AKA."""
    register_per_s: float = Field(default=20.0, gt=0)
    """How fast the population registers at an SBC that is not ours, before the outage; and leaves at the end."""
    outage: TargetOutage = TargetOutage()

    @model_validator(mode="after")
    def _is_somewhere(self) -> Self:
        if not self.ours and not (self.host and self.port):
            raise ValueError("expected HOST:PORT")
        return self

    def at(self, host: str, port: int) -> "SipAim":
        """The same, there."""
        return self.model_copy(update={"host": host, "port": port})


def refuse_what_is_not_ours(option: str, aim: SipAim, is_mine: bool) -> None:
    """BadFile if it is somewhere else and nobody has said that it may be loaded."""
    if not aim.ours and not is_mine and not is_loopback(aim.host):
        raise BadFile(
            f"{option} {aim.host}: not on loopback: a storm is an attack unless the SBC is yours (--target-is-mine)"
        )
