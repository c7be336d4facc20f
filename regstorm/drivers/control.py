"""What a generator and a core in another process say to each other: JSON lines on the core's control socket.

Commands go to the core, reports come back; each is one object on one line, told apart by `do` and `told`:

    set_up     a scenario (of the sample), a strategy, a seed: the core that was there is gone; answered by `ready`
    begin      scenario second 0 as time of day, and the speed; both ends use the same
    outage     at a scenario second (null: now) the registrations of the outage group are gone, contexts too if lost
    switch     from a scenario second on another strategy is in force
    capacity   from a scenario second on nodes can do so much of what they could by the scenario; 0: they are lost
    restart_sbc  the SBC is down for a while, and comes back without bindings
    stop       the run has ended at a scenario second; answered by the last `seconds` and `ended`

    ready      where the core listens for gNBs
    seconds    what was counted in each complete scenario second since the last report
    service    with IMS: whose registration both application servers hold now or no longer, up to a scenario second
    ended      how late the core was, what it cost, what was left in it
    refused    a command that cannot be followed, and why

The socket is also how each side learns that the other is gone: whoever reads its end without `stop` and `ended` has
lost its other half. One generator at a time; the socket listens on loopback unless told otherwise.
"""

from collections.abc import Iterator
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from regstorm.records.run_record import Backend
from regstorm.records.scenario import Scenario
from regstorm.records.strategy import Strategy

FIRST_WORD = "control"
"""How the one line on the stdout of a core that is a child begins; the port of its control socket follows."""
LINE_LIMIT = 4 * 1024 * 1024  # octets of one line; far above any scenario, assumed


class _Line(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class SipAt(_Line):
    """Where the SBC shall listen outside of PDU sessions, over UDP and TCP."""

    host: str = "127.0.0.1"
    port: int = 0
    """0: any."""
    ues_at: str | None = None
    """Where UEs that are registered from before speak from; None: inside their PDU sessions."""


class SetUp(_Line):
    """A core for one storm."""

    do: Literal["set_up"] = "set_up"
    scenario: Scenario
    """Of the sample."""
    strategy: Strategy
    seed: int
    outage_ues: int
    """UEs of each group that are registered from before the run."""
    online_ues: int
    sip: SipAt | None = None
    """None: SIP travels in PDU sessions only."""
    backend: Backend = "in_process"
    """Whether calls to UDM and HSS travel as HTTP/2 and Diameter messages."""


class Begin(_Line):
    """The clock starts."""

    do: Literal["begin"] = "begin"
    zero: float
    """Seconds since the epoch."""
    speed: float = Field(gt=0)


class Outage(_Line):
    """The outage hits the core."""

    do: Literal["outage"] = "outage"
    at_s: float | None = None
    outage_ues: int


class Switch(_Line):
    """Another strategy."""

    do: Literal["switch"] = "switch"
    at_s: float | None = None
    strategy: Strategy


class Capacity(_Line):
    """Nodes lose or regain capacity."""

    do: Literal["capacity"] = "capacity"
    at_s: float | None = None
    nodes: tuple[str, ...] = Field(min_length=1)
    """By their names in the scenario; `amf`, `sbc`, `udm` where it names none."""
    capacity: float = Field(ge=0)
    """Factor; 0: they are lost; 1: all of it is back."""


class RestartSbc(_Line):
    """The SBC is down for a while and then back, without bindings."""

    do: Literal["restart_sbc"] = "restart_sbc"
    at_s: float | None = None
    down_s: float = Field(ge=0)


class Stop(_Line):
    """The run is over."""

    do: Literal["stop"] = "stop"
    ended_s: float


class Ready(_Line):
    """The core is there."""

    told: Literal["ready"] = "ready"
    host: str
    port: int
    sip: tuple[str, int] | None = None
    """Where the SBC listens outside of PDU sessions."""


class Seconds(_Line):
    """Counters and levels of complete seconds."""

    told: Literal["seconds"] = "seconds"
    first: int
    seconds: list[tuple[dict[str, int], dict[str, int]]]


class Service(_Line):
    """The core's part of full service: changes up to `through_s` that have not been told yet."""

    told: Literal["service"] = "service"
    through_s: float
    changes: list[tuple[float, int, bool]] = []
    """When, which UE by its index, whether both application servers hold its registration; in order of time."""


class Ended(_Line):
    """The core's side of how a run went."""

    told: Literal["ended"] = "ended"
    lateness: dict[int, int]
    """Histogram, as drivers.lateness keeps it."""
    lateness_max_s: float
    cpu_s: float
    """Of the process since `begin`."""
    connections: int = 0
    """UE-associated connections that are left."""
    associations: int = 0
    """gNBs that are left."""


class Refused(_Line):
    """A command that cannot be followed."""

    told: Literal["refused"] = "refused"
    why: str


Command = SetUp | Begin | Outage | Switch | Capacity | RestartSbc | Stop
Report = Ready | Seconds | Service | Ended | Refused

_COMMANDS: TypeAdapter[Command] = TypeAdapter(Annotated[Command, Field(discriminator="do")])
_REPORTS: TypeAdapter[Report] = TypeAdapter(Annotated[Report, Field(discriminator="told")])


class NotUnderstood(Exception):
    """A line that is no command or report. `str()` says why, in one line."""


def as_line(message: Command | Report) -> bytes:
    """What goes out."""
    return message.model_dump_json(by_alias=True).encode() + b"\n"


def command(line: bytes) -> Command:
    """What a generator wants. Raises NotUnderstood."""
    read: Command = _read(_COMMANDS, line)
    return read


def report(line: bytes) -> Report:
    """What a core tells. Raises NotUnderstood."""
    read: Report = _read(_REPORTS, line)
    return read


def _read(kind: TypeAdapter[Any], line: bytes) -> Any:
    try:
        return kind.validate_json(line)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        field = ".".join(str(part) for part in first["loc"])
        raise NotUnderstood(f"{field or 'the line'}: {first['msg']}") from None


class Lines:
    """Cuts what a socket brings into lines."""

    def __init__(self) -> None:
        self._rest = b""

    def take(self, octets: bytes) -> Iterator[bytes]:
        """The lines that are complete now. Raises NotUnderstood if one grows beyond LINE_LIMIT."""
        *whole, self._rest = (self._rest + octets).split(b"\n")
        if len(self._rest) > LINE_LIMIT:
            raise NotUnderstood(f"a line of more than {LINE_LIMIT} octets")
        yield from (line for line in whole if line.strip())
