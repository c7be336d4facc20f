"""What a strategy file says (strategies/*.yaml): an overload control composed of the parts in regstorm.overload."""

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator

from regstorm.records.message_classes import MessageClass
from regstorm.records.names import Name


class _Record(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)


class Gate(_Record):
    """The precise limit of a front door: a token bucket in messages."""

    counts: Literal["every_uplink_message", "first_messages"]
    share_of_capacity: float = Field(default=0.8, gt=0, le=10)
    """Admission rate as a share of the UEs per second that the back end can finish (capacity / pairs per UE)."""
    ues_per_s: float | None = Field(default=None, gt=0)
    """Admission rate in UEs per second of the full size, as somebody has planned it: `share_of_capacity` is then not
    used, and what the back end can finish is not asked."""
    nodes: dict[str, Annotated[float, Field(gt=0)]] = {}
    """The same by front door (an AMF or SBC, by its name in the scenario), where somebody has planned them one by one.
    A door that is not named has its share of what the others say."""
    depth_s: float = Field(default=2.0, gt=0, le=60)
    least_depth_ues: float = Field(default=5.0, ge=1)
    """The bucket is never shallower than this many UEs' messages, at any sample."""


class T3346Window(_Record):
    """T3346 is drawn uniformly from this range and coded as GPRS timer 2 (coarse above 62 s, so it is dithered)."""

    low_s: float = Field(default=30.0, ge=0)
    high_s: float = Field(default=180.0, gt=0, le=11160)

    @model_validator(mode="after")
    def _ordered(self) -> "T3346Window":
        if self.high_s < self.low_s:
            raise ValueError("high_s must not be below low_s")
        return self


class Credit(_Record):
    """The gate's rate follows the reported load of the back end, second by second."""

    target: float = Field(default=0.95, gt=0, le=1)
    """Load of the back end, as a share of its capacity, at which the rate stays."""
    gain: float = Field(default=0.3, gt=0, le=1)
    most_up: float = Field(default=1.05, ge=1, le=2)
    """Factor per second at most."""
    most_down: float = Field(default=0.8, gt=0, le=1)
    """Factor per second at least."""
    reserve: float = Field(default=0.5, ge=0, lt=1)
    """Share of the bucket left to those who cannot be scheduled, while there are any."""
    pre_authenticates: bool = False
    """Who could only be rejected without protection is authenticated first, and then told to wait like anyone."""


class BacklogWindow(_Record):
    """T3346 is drawn from a window sized to the backlog, instead of a fixed one."""

    factor: float = Field(default=0.7, gt=0, le=2)
    """Of the time that the backlog takes."""
    low_s: float = Field(default=4.0, ge=2)
    high_s: float = Field(default=120.0, gt=0)
    most_attempts: float = Field(default=12.0, gt=0)
    """Attempts for each admission beyond which the window is longer than `high_s`."""
    overdue_s: float = Field(default=10.0, gt=0)
    """Who has not come back so long after its time is no longer expected."""


class ReleaseStep(_Record):
    """From `from_s` on (scenario seconds) this share of the users may register at all, in tenths."""

    from_s: float = Field(ge=0)
    share: float = Field(ge=0, le=1, multiple_of=0.1)


class Guidance(_Record):
    """What a refused UE is told. `t3346` null: 5GMM #22 without a timer (the worst setting known)."""

    t3346: T3346Window | None = T3346Window()
    follow_up: Literal["drop", "reject"] = "drop"
    """A refused follow-up is dropped (the AMF's own timers repeat) or its procedure is rejected."""


class Tiers(_Record):
    """Which class goes first, 0 before 1 before 2 …; a class that is not listed stands on the last tier."""

    order: dict[MessageClass, Annotated[int, Field(ge=0, le=9)]]
    orders_queues: bool = True
    """The queues behind the door (UDM) serve and shed by tier as well."""


class Dra(_Record):
    """Limits towards each HSS at the DRA in front of it, on Cx and Sh together."""

    cx_sh_share: float = Field(gt=0, le=1)
    """X2: of the capacity A(N) of each HSS."""
    nodes: dict[str, Annotated[float, Field(gt=0)]] = {}
    """Pairs per second of the full size by HSS (its name in the scenario), where somebody has planned them."""

    def limit(self, node: str, capacity_pairs_per_s: float) -> float:
        """Pairs per second towards that HSS."""
        return self.nodes.get(node, self.cx_sh_share * capacity_pairs_per_s)


class Strategy(_Record):
    """One overload control. Absent parts are switched off; self-protection of each server is always there."""

    schema_: Literal[1] = Field(default=1, alias="schema")
    name: Name
    title: str
    summary: str
    gate: Gate | None = None
    guidance: Guidance = Guidance()
    tiers: Tiers | None = None
    credit: Credit | None = None
    """With it, `gate` gives the rate at the start only."""
    backlog: BacklogWindow | None = None
    """With it, `guidance.t3346` is for doors that hear nothing of the load behind them."""
    restriction: tuple[ReleaseStep, ...] = ()
    """Users barred by access class, and their release, by time."""
    dra: Dra | None = None
    """The last guard before the HSS; None: there is none."""
    load_limit: float | None = Field(default=None, gt=0, le=2)
    """Load above which the servers behind the door begin to shed, instead of the scenario's."""

    @model_validator(mode="after")
    def _live_gate(self) -> "Strategy":
        if (self.credit is None) != (self.backlog is None):
            raise ValueError("credit and backlog belong together")
        if self.credit is not None and (self.gate is None or self.gate.counts != "first_messages"):
            raise ValueError("credit needs a gate that counts first_messages")
        if self.credit is not None and self.restriction:
            raise ValueError("restriction and credit exclude each other")
        times = [step.from_s for step in self.restriction]
        if times != sorted(times):
            raise ValueError("the steps of restriction must be in the order of their times")
        return self

    def sampled(self, sample: int) -> "Strategy":
        """For 1/`sample` of the population: absolute rates are scaled, shares and times stay."""
        if sample == 1:
            return self
        gate, dra = self.gate, self.dra
        if gate is not None:
            rates: dict[str, object] = {"nodes": _smaller(gate.nodes, sample)}
            if gate.ues_per_s is not None:
                rates["ues_per_s"] = gate.ues_per_s / sample
            gate = gate.model_copy(update=rates)
        if dra is not None:
            dra = dra.model_copy(update={"nodes": _smaller(dra.nodes, sample)})
        return self.model_copy(update={"gate": gate, "dra": dra})


def _smaller(rates: dict[str, float], sample: int) -> dict[str, float]:
    return {name: rate / sample for name, rate in rates.items()}
