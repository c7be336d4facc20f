"""What a run leaves in run.json, and a comparison in compare.json (docs/run-record.md names every field).

Times are scenario seconds, populations and counts those of the run, which took 1/`sample` of the full size. None
(`null`) is what was not reached, or what cannot be seen from outside (the UDM of a core that is not ours).
"""

from typing import Any, Literal, NotRequired, TypedDict

SCHEMA = 1

Engine = Literal["wire", "sim"]
Clock = Literal["lockstep", "paced"]
UnitsName = Literal["EPC/IMS/5GC", "5GC", "EPC/IMS"]
"""What the processing units of a UDM/HSS work for."""
Backend = Literal["in_process", "wire"]

Verdict = TypedDict("Verdict", {"pass": bool, "failed": list[str]})
"""Whether the run showed what its scenario expects of the strategy, and each line that it did not."""


class Recovery(TypedDict):
    """Seconds from the end of the outage; None: not reached."""

    t50_s: float | None
    t90_s: float | None
    t99_s: float | None
    t100_s: float | None
    t99_stable_s: float | None
    share_back: float
    share_back_10_min: float
    """… that were back 10 min after the end of the outage."""
    share_back_arrived: float
    """… that were back when the last of them had begun to come back (`outage.arrivals_s`)."""


class UdmRecord(TypedDict):
    """The bottleneck. Loads are shares of capacity, pairs are those of the whole run."""

    capacity_pairs_per_s: float
    offered: int
    served: int
    dropped: int
    dropped_share: float | None
    rejection_pairs: float
    pairs: dict[str, int]
    """Served, by interface."""
    peak_load: float | None
    """Offered, over the busiest window."""
    window_s: int
    seconds_in_overload: int
    share_in_overload: float
    """Of the windows since the end of the outage."""
    load_offered_in_backlog: float | None
    load_served_in_backlog: float | None

    nodes: list["UdmNodeRecord"]
    """Where there are several sets of processing units; loads and overload above are then those of the worst."""


class UdmNodeRecord(TypedDict):
    """Processing units of one UDM/HSS."""

    node: str
    units: UnitsName
    share: float
    """Of the users."""
    capacity_pairs_per_s: float
    """Without incidents; loads are shares of what these had left of it."""
    offered: int
    served: int
    dropped: int
    peak_load: float | None
    window_s: int
    seconds_in_overload: int
    share_in_overload: float
    load_offered_in_backlog: float | None
    load_served_in_backlog: float | None


class AmfRecord(TypedDict):
    """The front door and the AMF behind it."""

    uplink_messages: int
    dropped: int
    retransmissions: int
    backend_failures: int


class FunnelStage(TypedDict):
    """How many outage users got to a stage of full service since the end of the outage, and fell back from it."""

    stage: str
    reached: int
    """Users, at least once."""
    at_end: int | None
    """Users that stand there at the end of the run. None: not a state to be in (attempted)."""
    lost: int | None
    """Times that a user fell back from it."""


class DomainRecord(TypedDict):
    """5GC or IMS: attempts of its initial registrations, its door, its pairs at UDM and HSS."""

    attempts: int
    successes: int
    attempts_per_success: float | None
    admitted_first: int | None
    refused_first: int | None
    refused_follow_ups: int | None
    pairs: int | None
    """Served."""
    wasted_pairs: int | None
    """Of these, those that led to nobody's full service."""


class InterfaceRecord(TypedDict):
    """Pairs on one interface of UDM and HSS."""

    offered: int
    served: int
    dropped: int
    wasted: int | None
    """Served, and led to nobody's full service. None: not told."""


class NodeRecord(TypedDict):
    """Requests at one node: of UEs at AMF and SBC, of other functions at the others."""

    requests: int
    refused: int | None
    """By its gate. None: it has none."""
    dropped: int
    """By its own overload."""


class Reregistrations(TypedDict):
    """Re-REGISTERs of online users that fell due since the end of the outage."""

    due: int
    due_share: float | None
    """Online users for whom one fell due, of all."""
    kept: int
    """The user was registered again."""
    lost: int
    """The user lost the registration before that."""


class LateReturns(TypedDict):
    """Outage users back later than 12 min after the end of the outage."""

    users: int
    share: float
    """Of the outage users."""
    not_back: int
    """At the end of the run."""
    by_timer: dict[str, int]
    """By the timer that ended the last wait of each; `none`: never waited."""


class Settings(TypedDict):
    """The files that the run was made from; the scenario is that of the full size."""

    scenario: dict[str, Any]
    strategy: dict[str, Any]
    scenario_path: str
    strategy_path: str


class RunEntry(TypedDict):
    """One storm."""

    strategy: str
    label: str
    engine: Engine
    clock: Clock | None
    """None: the simulator has none."""
    backend: Backend | None
    """How calls reached UDM and HSS; None: they were not ours, or simulated."""
    seed: int
    sample: int
    speed: float | None
    complete: bool
    why: str | None
    """Why a run is not complete."""
    command: str
    ues: int
    online_ues: int
    outage_end_s: float
    ended_s: float
    lower_bound_s: float | None
    recovery: Recovery
    efficiency: float | None
    attempts_per_success: float | None
    """Of initial registrations."""
    attempts_per_success_by_procedure: dict[str, float | None]
    wasted_work: float | None
    """Share of the served UDM pairs that led to nobody's full service."""
    online_procedures: int
    online_failed: int
    online_failed_share: float | None
    online_dropped: int
    refused_first: int | None
    refused_follow_ups: int | None
    waiting_ue_minutes: float
    """On timers with which the network holds UEs back."""
    waiting_ue_minutes_by_timer: dict[str, float]
    amf: AmfRecord | None
    udm: UdmRecord | None
    rejects: dict[str, int]
    """Received by UEs, by cause."""
    protected_reject_share: float | None
    lateness_p99_s: float
    verdict: Verdict
    settings: Settings
    lower_bound_nominal_s: NotRequired[float | None]
    """Only where incidents change the bound: what it would be without them."""
    # from here on only where the population has IMS; None: the engine does not tell
    funnel: NotRequired[list[FunnelStage] | None]
    domains: NotRequired[dict[str, DomainRecord]]
    interfaces: NotRequired[dict[str, InterfaceRecord] | None]
    nodes: NotRequired[dict[str, NodeRecord] | None]
    """Also where a kind has several nodes."""
    reregistrations: NotRequired[Reregistrations | None]
    back_after_minute_12: NotRequired[LateReturns | None]


class RunDocument(TypedDict):
    """The whole of run.json or compare.json."""

    schema: int
    scenario: str
    ues: int
    online_ues: int
    pairs_per_registration: int
    lower_bound_s: float | None
    runs: list[RunEntry]
