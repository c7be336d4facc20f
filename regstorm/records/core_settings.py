"""What a scenario says about the core: its bottleneck, its other servers, their nodes, and how each sheds.

Capacities are those of the full size; `sampled` gives 1/K of them.
"""

from difflib import get_close_matches
from typing import Annotated, Any, Final, Literal, TypeVar

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, model_validator

from regstorm.records.gprs_timers import gprs_timer_2, gprs_timer_3
from regstorm.records.nodes import Node, Nodes, or_the_one
from regstorm.records.operations import OPERATIONS_IN_PAIRS
from regstorm.records.ranges import Range
from regstorm.records.usual import completed, on_top_of


class _Record(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)


class Shedding(_Record):
    """How a server sheds what it cannot do."""

    rejection_cost: float = Field(default=0.25, ge=0, le=1)
    """Work of a rejection as a share of the work of serving."""
    queue_s: float = Field(default=1.0, gt=0)
    """Bound of the queue, in seconds of work at full capacity."""
    load_limit: float = Field(default=0.9, gt=0, le=1)
    """Offered load (share of capacity) above which the server begins to shed at random."""
    period_s: float = Field(default=1.0, gt=0)


def _of_the_catalogue(costs: dict[str, float]) -> dict[str, float]:
    for name in costs:
        if name not in OPERATIONS_IN_PAIRS:
            like = get_close_matches(name, OPERATIONS_IN_PAIRS, n=3, cutoff=0)
            raise ValueError(f"unknown operation {name}, expected one of the UDM or HSS such as {', '.join(like)}")
    return costs


_Setting = Literal["plain", "calibrated"]
_SETTINGS: Final[dict[_Setting, Shedding]] = {
    "plain": Shedding(),
    "calibrated": Shedding(rejection_cost=0.5, queue_s=3.0),
}
_CHEAP: Final = Shedding(rejection_cost=0.2)


def _usual_settings(said: Any) -> Any:
    if not isinstance(said, dict):
        return said
    return {
        **_SETTINGS,
        **{name: completed(_SETTINGS[name], one) if name in _SETTINGS else one for name, one in said.items()},
    }


class Udm(_Record):
    """The bottleneck: UDM/HSS capacity in pairs per second and how it sheds."""

    capacity_pairs_per_s: float = Field(gt=0)
    shedding: _Setting = "plain"
    """Which of `settings` is in force."""
    settings: Annotated[dict[_Setting, Shedding], BeforeValidator(_usual_settings)] = _SETTINGS
    cost_per_operation: Annotated[dict[str, float], AfterValidator(_of_the_catalogue)] = {}
    """Work of an operation in pairs, by its name; 1 where not listed."""
    refusals: Literal["silent", "answered"] = "silent"
    """Whether whom the UDM sheds hears of it at once (503, DIAMETER_TOO_BUSY), or waits for its timeout."""
    layout: Literal["shared", "5gc_apart"] = "shared"
    """One processing capacity for EPC, IMS and 5GC, or units of its own for 5GC."""
    hss_capacity_pairs_per_s: float | None = Field(default=None, gt=0)
    """`5gc_apart`: what the units for EPC and IMS do; `capacity_pairs_per_s` is then that of the 5GC's units.
    As much as those where nothing is said."""

    @property
    def hss_capacity(self) -> float:
        """Pairs per second of the units that serve Cx and Sh."""
        if self.layout == "shared" or self.hss_capacity_pairs_per_s is None:
            return self.capacity_pairs_per_s
        return self.hss_capacity_pairs_per_s

    @property
    def shedding_in_force(self) -> Shedding:
        """The setting that `shedding` names."""
        return self.settings[self.shedding]


class Amf(_Record):
    """The AMF's own capacity in uplink NAS messages per second, and how it sheds."""

    capacity_messages_per_s: float = Field(default=20_000.0, gt=0)
    shedding: Annotated[Shedding, on_top_of(_CHEAP)] = _CHEAP
    on_backend_failure: Literal["silent", "22_t3346", "111"] = "silent"
    """What the AMF tells the UE when a call behind it failed."""
    t3512_s: Annotated[int, Field(ge=0), AfterValidator(gprs_timer_3)] = 3600
    """Sent as GPRS timer 3, which cannot say the 54 min that a UE assumes if it is told nothing."""
    t3502_s: Annotated[int, Field(ge=0), AfterValidator(gprs_timer_2)] = 720
    """Sent as GPRS timer 2."""
    nas_retransmissions: int = Field(default=4, ge=0, le=20)
    """How often T3522, T3550, T3560 and T3570 repeat a message; 0: the procedure ends at the first expiry."""


class Sbc(_Record):
    """The SBC (P-CSCF): capacity in SIP requests per second, how it sheds, and how wide its gate is."""

    capacity_messages_per_s: float = Field(default=20_000.0, gt=0)
    shedding: Annotated[Shedding, on_top_of(_CHEAP)] = _CHEAP
    share_of_amf: float = Field(default=1.0, gt=0, le=10)
    """UEs per second that the SBC's gate admits, as a share of those that the AMF's admits; 1: balanced."""


class ImsNode(_Record):
    """An I-CSCF, S-CSCF or application server: capacity in SIP requests per second, and how it sheds."""

    capacity_messages_per_s: float = Field(default=20_000.0, gt=0)
    shedding: Annotated[Shedding, on_top_of(_CHEAP)] = _CHEAP


_AS_RETRY: Final = Range(low=15, high=45)


class Ims(_Record):
    """The IMS core behind the SBC; in force if the population has IMS."""

    cscf: ImsNode = ImsNode()
    """Of the I-CSCF, and of the S-CSCF as much again."""
    application_server: ImsNode = ImsNode()
    """Of the telephony AS, and of the IP-SM-GW as much again."""
    expires_s: int = Field(default=3600, ge=60)
    """A registration lasts this long at most; a UE that asks for less gets what it asks for."""
    min_expires_s: int = Field(default=60, ge=1)
    """A UE that asks for less is told 423 with Min-Expires."""
    aggregated_download: bool = False
    """Each AS reads with its subscription: one SNR for the telephony AS, SNR and PUR for the IP-SM-GW."""
    default_handling: Literal["continued", "terminated"] = "continued"
    """When a third-party REGISTER fails (TS 24.229 5.4.1.7): the user stays registered and the AS tries again, or is
    deregistered and has to register anew."""
    as_retry: Annotated[Range, on_top_of(_AS_RETRY)] = _AS_RETRY
    """`continued`: seconds until the next try."""
    on_hss_failure: Literal[480, 500, 504] = 500
    """What a CSCF answers when the HSS says nothing: TS 24.229 5.3.1.2 has 480 at the I-CSCF, usual servers say 500."""
    digest_password: str | None = None
    """Every subscriber has this password for plain digest (MD5) instead of AKA; for peers without a USIM."""


class Bus(_Record):
    """Calls between network functions."""

    hop_s: float = Field(default=0.01, gt=0)
    """From a consumer's request to its arrival at the producer, and the answer's way back together."""
    timeout_s: float = Field(default=3.0, gt=0)
    retries: int = Field(default=1, ge=0)
    heartbeat_every_s: float = Field(default=5.0, gt=0)


class Core(_Record):
    """The bundled reference core."""

    udm: Udm
    amf: Amf = Amf()
    sbc: Sbc = Sbc()
    ims: Ims = Ims()
    bus: Bus = Bus()
    aggregated_nudm: bool = False
    """AMF and SMF read with their subscriptions: N8 2 pairs instead of 5, N10 2 per session instead of 3."""
    amfs: Nodes = ()
    """The AMFs, if there are several, which share the users and the capacity of `amf`. None: one, called `amf`."""
    sbcs: Nodes = ()
    udms: Nodes = ()

    @property
    def amf_nodes(self) -> tuple[Node, ...]:
        """At least one."""
        return or_the_one(self.amfs, "amf")

    @property
    def sbc_nodes(self) -> tuple[Node, ...]:
        """At least one."""
        return or_the_one(self.sbcs, "sbc")

    @property
    def udm_nodes(self) -> tuple[Node, ...]:
        """At least one."""
        return or_the_one(self.udms, "udm")

    @property
    def node_names(self) -> tuple[str, ...]:
        """Of every kind."""
        return tuple(node.name for node in (*self.amf_nodes, *self.sbc_nodes, *self.udm_nodes))

    @model_validator(mode="after")
    def _names_are_unique(self) -> "Core":
        names = self.node_names
        twice = [name for place, name in enumerate(names) if name in names[:place]]
        if twice:
            raise ValueError(f"two nodes have the name {twice[0]}")
        return self

    def sampled(self, sample: int) -> "Core":
        """1/`sample` of every capacity."""
        udm, ims = self.udm, self.ims
        smaller_udm: dict[str, float] = {"capacity_pairs_per_s": udm.capacity_pairs_per_s / sample}
        if udm.hss_capacity_pairs_per_s is not None:
            smaller_udm["hss_capacity_pairs_per_s"] = udm.hss_capacity_pairs_per_s / sample
        smaller_ims = {
            "cscf": _smaller(ims.cscf, sample),
            "application_server": _smaller(ims.application_server, sample),
        }
        return self.model_copy(
            update={
                "udm": udm.model_copy(update=smaller_udm),
                "amf": _smaller(self.amf, sample),
                "sbc": _smaller(self.sbc, sample),
                "ims": ims.model_copy(update=smaller_ims),
            }
        )


_Node = TypeVar("_Node", Amf, Sbc, ImsNode)


def _smaller(node: _Node, sample: int) -> _Node:
    return node.model_copy(update={"capacity_messages_per_s": node.capacity_messages_per_s / sample})
