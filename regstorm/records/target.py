"""A target: a core that is not ours, and the subscribers that it knows (docs/targets.md).

Keys are read here and handed to the UEs; they stand in no run record. Nothing is sent to a target outside loopback
unless whoever runs the storm says that it is theirs.
"""

import csv
import ipaddress
from pathlib import Path
from typing import Literal, NamedTuple, Self

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator, model_validator

from regstorm.records.files import BadFile, read
from regstorm.records.scenario import Network

_IMSI = r"^(imsi-)?\d{14,15}$"
_KEY = r"^[0-9a-fA-F]{32}$"
_PREFIX = "imsi-"


class _Record(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)


class Subscriber(_Record):
    """What a USIM holds."""

    imsi: str = Field(pattern=_IMSI)
    k: str = Field(pattern=_KEY)
    opc: str = Field(pattern=_KEY)
    amf: str = Field(default="8000", pattern=r"^[0-9a-fA-F]{4}$")
    """Authentication management field."""
    sqn: int = Field(default=0, ge=0, lt=1 << 48)
    """The last sequence number that this USIM has accepted."""

    @property
    def supi(self) -> str:
        """As in TS 29.571."""
        return _PREFIX + self.imsi.removeprefix(_PREFIX)


class SubscriberRange(_Record):
    """Subscribers with consecutive IMSIs and one key, as test cores are often filled."""

    first: str = Field(pattern=_IMSI)
    count: int = Field(ge=1)
    k: str = Field(pattern=_KEY)
    opc: str = Field(pattern=_KEY)
    amf: str = Field(default="8000", pattern=r"^[0-9a-fA-F]{4}$")

    def subscriber(self, place: int) -> Subscriber:
        """The one at `place`, from 0."""
        digits = self.first.removeprefix(_PREFIX)
        imsi = str(int(digits) + place).zfill(len(digits))
        return Subscriber(imsi=imsi, k=self.k, opc=self.opc, amf=self.amf)


class TargetOutage(_Record):
    """drop_n2: our gNBs drop their associations. command: somebody's own commands take the core down and bring it
    back; our gNBs lose their associations by themselves, and try again every five seconds."""

    how: Literal["drop_n2", "command"] = "drop_n2"
    begin: str = ""
    end: str = ""

    @model_validator(mode="after")
    def _has_commands(self) -> Self:
        if self.how == "command" and not (self.begin and self.end):
            raise ValueError("an outage by command needs begin and end")
        if self.how == "drop_n2" and (self.begin or self.end):
            raise ValueError("begin and end belong to how: command")
        return self


class AmfAddress(NamedTuple):
    """Where an AMF listens for NGAP."""

    host: str
    port: int


class Target(_Record):
    """A core that is not ours."""

    schema_: Literal[1] = Field(default=1, alias="schema")
    name: str
    amfs: tuple[str, ...] = Field(min_length=1)
    """HOST:PORT of each; gNBs take them in turn."""
    transport: Literal["sctp", "tcp"] = "sctp"
    """tcp is the private framing of our own core."""
    network: Network
    subscribers_csv: str | None = None
    """A file with the columns imsi, k, opc and perhaps amf, sqn; relative to the target file."""
    subscribers: tuple[Subscriber, ...] | SubscriberRange | None = None
    register_per_s: float = Field(default=20.0, gt=0)
    """How fast the population registers before the outage."""
    outage: TargetOutage = TargetOutage()
    deregister: bool = True
    """Everybody deregisters when the storm is over."""

    @field_validator("amfs")
    @classmethod
    def _are_addresses(cls, amfs: tuple[str, ...]) -> tuple[str, ...]:
        for amf in amfs:
            host, colon, port = amf.rpartition(":")
            if not (host and colon and port.isdigit() and 0 < int(port) <= 65535):
                raise ValueError(f"expected HOST:PORT, found {amf}")
        return amfs

    @model_validator(mode="after")
    def _has_subscribers(self) -> Self:
        if (self.subscribers is None) is (self.subscribers_csv is None):
            raise ValueError("expected either subscribers or subscribers_csv")
        return self

    @property
    def addresses(self) -> tuple[AmfAddress, ...]:
        """Of the AMFs."""
        return tuple(_address(amf) for amf in self.amfs)

    @property
    def known(self) -> int:
        """Subscribers that the target knows."""
        if isinstance(self.subscribers, SubscriberRange):
            return self.subscribers.count
        return len(self.subscribers or ())

    def subscriber(self, place: int) -> Subscriber:
        """The one at `place`, from 0."""
        if isinstance(self.subscribers, SubscriberRange):
            return self.subscribers.subscriber(place)
        return (self.subscribers or ())[place]


def read_target(path: Path, ues: int, is_mine: bool) -> Target:
    """The target in `path`, for a storm of `ues`. Raises BadFile with one line, also if it must not be loaded."""
    target = read(path, Target)
    if target.subscribers_csv is not None:
        found = read_subscribers(path.parent / target.subscribers_csv)
        target = target.model_copy(update={"subscribers": found, "subscribers_csv": None})
    if target.known < ues:
        raise BadFile(f"{path}: subscribers: the storm has {ues} UEs, the target knows {target.known}")
    away = [amf for amf in target.addresses if not is_loopback(amf.host)]
    if away and not is_mine:
        raise BadFile(
            f"{path}: amfs: {away[0].host} is not on loopback: a storm is an attack unless the core is yours"
            " (--target-is-mine)"
        )
    return target


def read_subscribers(path: Path) -> tuple[Subscriber, ...]:
    """A CSV file with a header. Raises BadFile with one line."""
    found = []
    try:
        with path.open(newline="", encoding="utf-8") as file:
            for row in csv.DictReader(file, skipinitialspace=True):
                found.append(Subscriber.model_validate({name: value for name, value in row.items() if value}))
    except OSError as error:
        raise BadFile(f"{path}: cannot be read: {error.strerror}") from None
    except (ValidationError, UnicodeDecodeError, csv.Error) as error:
        line = f"{path}: line {len(found) + 2}"  # which field, not what stands in it: it may be a key
        field = error.errors(include_input=False)[0]["loc"][0] if isinstance(error, ValidationError) else "no table"
        raise BadFile(f"{line}: {field}: expected imsi (digits), k and opc (32 hex digits each)") from None
    if len({subscriber.supi for subscriber in found}) < len(found):
        raise BadFile(f"{path}: imsi: expected each one once")
    return tuple(found)


def is_loopback(host: str) -> bool:
    """A name counts only if it is localhost: what others resolve to can change."""
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return host == "localhost"


def _address(text: str) -> AmfAddress:
    host, _, port = text.rpartition(":")
    return AmfAddress(host.strip("[]"), int(port))
