"""What a scenario file says (scenarios/*.yaml): a population, a core with a bottleneck, an outage, what is expected.

Times are scenario seconds, capacities and populations are those of the full size; `sampled` gives 1/K of both.
Every assumption is a field with a default; docs/scenarios.md names each field's source.
"""

from typing import Annotated, Literal, TypeVar

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, model_validator

from regstorm.records.gprs_timers import gprs_timer_2, gprs_timer_3
from regstorm.records.nodes import Incident, Node, Nodes, or_the_one

IMS_DNN = "ims"
"""The DNN whose session carries SIP (GSMA NG.114)."""


class _Record(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Range(_Record):
    """Uniform between two values."""

    low: float = Field(ge=0)
    high: float = Field(ge=0)

    @model_validator(mode="after")
    def _ordered(self) -> "Range":
        if self.high < self.low:
            raise ValueError("high must not be below low")
        return self


class Network(_Record):
    """Identity of the network. Test values by default; quoted strings, leading zeros count."""

    mcc: str = Field(default="001", pattern=r"^\d{3}$")
    mnc: str = Field(default="01", pattern=r"^\d{2,3}$")
    tac: int = Field(default=1, ge=0, le=0xFFFFFF)
    sst: int = Field(default=1, ge=0, le=255)
    sd: int | None = Field(default=None, ge=0, le=0xFFFFFF)
    """Slice differentiator; none by default."""
    dnns: tuple[str, ...] = ("internet", "ims")
    ciphering: Literal["null", "aes"] = "aes"
    integrity: Literal["null", "aes"] = "aes"


class Profiles(_Record):
    """Shares of UE behaviour; they add up to 1."""

    obedient: float = Field(default=1.0, ge=0, le=1)
    ignores_t3346: float = Field(default=0.0, ge=0, le=1)
    ignores_retry_after: float = Field(default=0.0, ge=0, le=1)
    """In IMS: backs off by RFC 5626 whatever Retry-After says."""
    restless: float = Field(default=0.0, ge=0, le=1)
    impatient: float = Field(default=0.0, ge=0, le=1)
    endless: float = Field(default=0.0, ge=0, le=1)
    restless_mean_s: float = Field(default=120.0, gt=0)
    impatient_every_s: float = Field(default=5.0, gt=0)
    endless_every_s: float = Field(default=0.3, gt=0)

    @model_validator(mode="after")
    def _whole(self) -> "Profiles":
        total = self.obedient + self.ignores_t3346 + self.ignores_retry_after
        total += self.restless + self.impatient + self.endless
        if abs(total - 1) > 1e-6:
            raise ValueError(f"the shares of the profiles must add up to 1, not {total:g}")
        return self


class Population(_Record):
    """Who wants back in, and who is in service all the while."""

    outage_ues: int = Field(ge=1)
    online_ues: int = Field(ge=0)
    ues_per_gnb: int = Field(default=250, ge=1)
    """UEs that one gNB carries in the run, whatever the sample."""
    profiles: Profiles = Profiles()
    suci_scheme: Literal["null", "profile_a"] = "null"
    unprotected: float = Field(default=0.0, ge=0, le=1)
    """Share of the outage group whose security context no AMF has any more: what they are told first cannot be
    protected, so they draw T3346 themselves (TS 24.501 5.3.9). Played by the simulator."""
    eutra_coverage: float = Field(default=0.0, ge=0, le=1)
    """Share of UEs that find E-UTRA after five failed attempts and leave for it."""
    ims: bool = False
    """UEs register in IMS too: full service needs it, and a registration is 25 pairs instead of 13."""
    p_cscfs_exhausted: Literal["new_session", "reregister", "to_eutra"] = "new_session"
    """What a UE does that asked every P-CSCF in vain: a new ims session, deregister and register, leave for E-UTRA."""
    refused_by_p_cscf: Literal["next_p_cscf", "wait"] = "next_p_cscf"
    """What a UE does that one P-CSCF refused with Retry-After: ask the other at once, or wait and ask the same."""


class OnlineOperations(_Record):
    """What users in service do: one operation every `every_s` on average (exponential)."""

    every_s: float = Field(default=600.0, gt=0)
    periodic_update_share: float = Field(default=0.1, ge=0, le=1)
    """The rest are service requests. T3512's own periodic updates come on top."""
    message_share: float = Field(default=0.0, ge=0, le=1)
    """Share of operations that are short messages over IMS, if the population has it."""
    inactivity_s: float = Field(default=10.0, gt=0)
    """gNB inactivity timer: UE CONTEXT RELEASE REQUEST this long after the last message."""


class Outage(_Record):
    """The outage group's gNBs lose their associations for `lasts_s`; then its UEs come back within `arrivals_s`.

    It can strike several times. Recovery times are then those of the first outage; the run ends after the last.
    """

    begins_s: float = Field(default=120.0, ge=0)
    lasts_s: float = Field(default=60.0, gt=0)
    arrivals_s: float = Field(default=45.0, gt=0)
    repeats: int = Field(default=1, ge=1, le=1000)
    """So many outages, all alike."""
    every_s: float | None = Field(default=None, gt=0)
    """From the beginning of an outage to that of the next; needed if there is more than one."""
    strikes: Literal["gnbs", "sbc"] = "gnbs"
    """What is gone meanwhile. sbc: the SBC, which comes back without bindings; for storms of phones that have no 5GC
    before them (locustfiles/storm_ims.py)."""
    amf_context: Literal["kept", "lost"] = "kept"
    authenticate: Literal["always", "when_needed"] = "always"
    recovery_within_s: float = Field(default=3600.0, gt=0)
    """The run ends this long after the end of the outage at the latest."""
    calm_after_s: float = Field(default=60.0, ge=0)
    """… or this long after everybody is back."""

    @model_validator(mode="after")
    def _one_after_the_other(self) -> "Outage":
        if self.repeats > 1 and self.every_s is None:
            raise ValueError("repeats: expected every_s with it, from one beginning to the next")
        if self.every_s is not None and self.every_s <= self.lasts_s + self.arrivals_s:
            raise ValueError(
                f"every_s {self.every_s:g}: expected more than lasts_s + arrivals_s, {self.lasts_s + self.arrivals_s:g}"
            )
        return self

    @property
    def beginnings_s(self) -> tuple[float, ...]:
        """When each outage begins."""
        return tuple(self.begins_s + number * (self.every_s or 0.0) for number in range(self.repeats))

    @property
    def end_s(self) -> float:
        """Of the first outage: recovery times are counted from it."""
        return self.begins_s + self.lasts_s

    @property
    def last_end_s(self) -> float:
        """Of the last outage."""
        return self.beginnings_s[-1] + self.lasts_s


class Shedding(_Record):
    """How a server sheds what it cannot do."""

    rejection_cost: float = Field(default=0.25, ge=0, le=1)
    """Work of a rejection as a share of the work of serving."""
    queue_s: float = Field(default=1.0, gt=0)
    """Bound of the queue, in seconds of work at full capacity."""
    load_limit: float = Field(default=0.9, gt=0, le=1)
    """Offered load (share of capacity) above which the server begins to shed at random."""
    period_s: float = Field(default=1.0, gt=0)


class Udm(_Record):
    """The bottleneck: UDM/HSS capacity in pairs per second and how it sheds."""

    capacity_pairs_per_s: float = Field(gt=0)
    shedding: Literal["plain", "calibrated"] = "plain"
    """Which of `settings` is in force."""
    settings: dict[Literal["plain", "calibrated"], Shedding] = {
        "plain": Shedding(),
        "calibrated": Shedding(rejection_cost=0.5, queue_s=3.0),
    }
    cost_per_operation: dict[str, float] = {}
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
    shedding: Shedding = Shedding(rejection_cost=0.2)
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
    shedding: Shedding = Shedding(rejection_cost=0.2)
    share_of_amf: float = Field(default=1.0, gt=0, le=10)
    """UEs per second that the SBC's gate admits, as a share of those that the AMF's admits; 1: balanced."""


class ImsNode(_Record):
    """An I-CSCF, S-CSCF or application server: capacity in SIP requests per second, and how it sheds."""

    capacity_messages_per_s: float = Field(default=20_000.0, gt=0)
    shedding: Shedding = Shedding(rejection_cost=0.2)


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
    as_retry: Range = Range(low=15, high=45)
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


class Ue(_Record):
    """Timing of a UE outside the 3GPP timers."""

    answer_s: Range = Range(low=0.05, high=0.15)
    """From a downlink message to the UE's answer: radio and processing."""
    retry_jitter_s: float = Field(default=0.2, ge=0)
    """Added to every retry, uniform from 0: no two phones have the same clock."""


class Expectation(_Record):
    """What a run of one strategy must show to pass its verdict; absent fields are not judged."""

    t99_at_most_s: float | None = None
    t99_at_most_lower_bounds: float | None = None
    share_back_at_most: float | None = None
    share_back_at_least: float | None = None
    refused_follow_ups_at_most: int | None = None
    refused_follow_ups_per_ue_at_least: float | None = None
    refused_first_at_least: int | None = None
    online_failed_share_at_most: float | None = None
    online_dropped_at_most: int | None = None
    udm_dropped_share_at_most: float | None = None
    udm_seconds_in_overload_at_most: float | None = None


class Scenario(_Record):
    """A storm, without the strategy against it."""

    schema_: int = Field(default=1, alias="schema")
    name: str
    title: str
    description: str = ""
    network: Network = Network()
    population: Population
    online: OnlineOperations = OnlineOperations()
    ue: Ue = Ue()
    outage: Outage = Outage()
    core: Core
    incidents: tuple[Incident, ...] = ()
    """What happens to the core, in the order of time."""
    expected: dict[str, Expectation] = {}
    """By strategy."""

    @model_validator(mode="after")
    def _ims_has_its_session(self) -> "Scenario":
        if self.population.ims and IMS_DNN not in self.network.dnns:
            raise ValueError(f"population.ims: expected the DNN {IMS_DNN} among network.dnns, which SIP travels on")
        return self

    @model_validator(mode="after")
    def _incidents_make_sense(self) -> "Scenario":
        names = self.core.node_names
        for place, incident in enumerate(self.incidents):
            unknown = [name for name in incident.nodes if name not in names]
            if unknown:
                raise ValueError(f"incidents.{place}.nodes: unknown node {unknown[0]}, expected {', '.join(names)}")
        times = [incident.at_s for incident in self.incidents]
        if times != sorted(times):
            raise ValueError("incidents: expected them in the order of at_s")
        return self

    def sampled(self, sample: int) -> "Scenario":
        """1/`sample` of the population against 1/`sample` of every capacity; times stay."""
        if sample == 1:
            return self
        population = self.population
        return self.model_copy(
            update={
                "population": population.model_copy(
                    update={
                        "outage_ues": max(1, round(population.outage_ues / sample)),
                        "online_ues": round(population.online_ues / sample),
                    }
                ),
                "core": self.core.sampled(sample),
            }
        )
