"""What a topology file says (topologies/*.yaml): the nodes, users and deployment that thresholds are planned for.

After the planning models of "Research on effective protection against signalling storms by end-to-end flow control",
section 3 (hereafter the paper). Rates are those of the full size. A topology that contradicts itself is refused with
the path of the field; one that only plans badly gets warnings from regstorm.planning.
"""

from collections.abc import Iterator, Sequence
from typing import Annotated, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator
from pydantic_core import InitErrorDetails, PydanticCustomError

Interface = Literal["S6a", "Cx", "Sh", "N13", "N8", "N10"]
Procedure = Literal["4g_attach", "5g_registration", "ims_registration"]
Generation = Literal["4g", "5g"]
NotNegative = Annotated[float, Field(ge=0)]
Positive = Annotated[float, Field(gt=0)]

INTERFACES_OF: dict[Procedure, tuple[Interface, ...]] = {
    "4g_attach": ("S6a",),
    "5g_registration": ("N13", "N8", "N10"),
    "ims_registration": ("Cx", "Sh"),
}
"""On which reference points a procedure reaches UDM/HSS."""

_SHARES_MAY_MISS_BY = 1e-6


class _Record(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)


class UdmNode(_Record):
    """A UDM/HSS: what it can do, and how many of the active users have their data there."""

    name: str = Field(min_length=1)
    data_centre: str = ""
    capacity_pairs_per_s: float = Field(gt=0)
    """A(N), pairs per second. Layout `shared`: of everything; `5gc_apart`: of the 5GC's units."""
    hss_capacity_pairs_per_s: float | None = Field(default=None, gt=0)
    """Layout `5gc_apart`: A(N) of the units for EPC and IMS. Not allowed in the other layout."""
    share: float = Field(gt=0, le=1)
    """Of the active users; the shares of all nodes add up to 1."""
    backup: str | None = None
    """Who takes over its users when it is lost. None: all that are left, in proportion to their shares."""


class FrontNode(_Record):
    """An MME, AMF or SBC."""

    name: str = Field(min_length=1)
    data_centre: str = ""
    pool: str = ""
    weight: float = Field(default=1.0, gt=0)
    """Its share of new users, relative to the others of its kind (relative capacity)."""
    capacity_ues_per_s: float | None = Field(default=None, gt=0)
    """Registrations per second that the node itself can do. None: it is no bottleneck."""


class Users(_Record):
    """Active users, and which of them use voice over the packet network."""

    users_4g: int = Field(ge=0)
    users_5g: int = Field(ge=0)
    volte_penetration: float = Field(default=1.0, ge=0, le=1)
    """Share of 4G users that register in IMS after an attach."""
    vonr_penetration: float = Field(default=1.0, ge=0, le=1)
    """Share of 5G users that register in IMS after a registration."""

    @model_validator(mode="after")
    def _somebody(self) -> Self:
        if self.users_4g + self.users_5g == 0:
            raise ValueError("expected at least one user, 4G or 5G")
        return self


class Switches(_Record):
    """What the deployment has switched on; the standard amplification table follows them."""

    aggregated_download: bool = False
    """An application server reads with its subscription: Sh 3 pairs instead of 8."""
    aggregated_nudm: bool = False
    """AMF and SMF read with their subscriptions: N8 2 pairs instead of 5, N10 2 per session instead of 3."""
    pdu_sessions: int = Field(default=2, ge=0, le=15)
    """Sessions that belong to a 5G registration."""
    nssai_download: bool = False
    """The AMF reads the subscribed slices on their own: one N8 pair more (TS 23.502 4.2.2.2.2)."""
    s6a_notify: int = Field(default=0, ge=0, le=11)
    """Notify requests of the MME per attach, one for each PDN that is reported (TS 29.272 5.2.5)."""


class Margins(_Record):
    """How much is left free, and when a plan should worry. All assumed: the paper gives no figures."""

    routine: float = Field(default=0.2, ge=0, lt=1)
    """Share of a UDM's capacity that routine thresholds leave free."""
    emergency: float = Field(default=0.3, ge=0, lt=1)
    """The same for emergency thresholds, which must work off a backlog as well."""
    drift_warning: float = Field(default=0.1, gt=0)
    """Warn if measured pairs per procedure differ from planned ones by more than this share."""
    unevenness: float = Field(default=1.2, ge=1)
    """The plan is checked with the fullest node getting this many times its share of the users."""


class Fault(_Record):
    """A fault scenario: what is lost, and who comes back at once. Emergency thresholds are planned for each."""

    name: str = Field(pattern=r"^[a-z0-9_]+$")
    title: str = ""
    lost: tuple[str, ...] = ()
    """Names of nodes."""
    lost_data_centre: str | None = None
    """All nodes in it."""
    lost_pool: str | None = None
    """All front-door nodes in it."""
    returning: tuple[Generation, ...] = Field(default=("4g", "5g"), min_length=1)
    users_of: tuple[str, ...] = ()
    """Only users of these UDM/HSS come back; empty: of all."""


class Topology(_Record):
    """A local network."""

    schema_: Literal[1] = Field(default=1, alias="schema")
    name: str = Field(pattern=r"^[a-z0-9_]+$")
    title: str
    description: str = ""
    layout: Literal["shared", "5gc_apart"]
    """EPC, IMS and 5GC units of a UDM share machines, or EPC and IMS units do and 5GC has its own (paper, 3.2)."""
    udms: tuple[UdmNode, ...] = Field(min_length=1)
    mmes: tuple[FrontNode, ...] = ()
    amfs: tuple[FrontNode, ...] = ()
    sbcs: tuple[FrontNode, ...] = ()
    users: Users
    switches: Switches = Switches()
    amplification: dict[Procedure, dict[Interface, NotNegative]] = {}
    """Pairs per procedure and interface where they are not those of the standard table."""
    background_pairs_per_s: dict[Interface, NotNegative] = {}
    """What users in service ask of all UDM/HSS together; it spreads like the active users."""
    margins: Margins = Margins()
    faults: tuple[Fault, ...] = ()

    @property
    def front_nodes(self) -> tuple[FrontNode, ...]:
        """MMEs, AMFs and SBCs."""
        return (*self.mmes, *self.amfs, *self.sbcs)

    @property
    def nodes(self) -> tuple[UdmNode | FrontNode, ...]:
        """All of them."""
        return (*self.udms, *self.front_nodes)

    @model_validator(mode="after")
    def _agrees_with_itself(self) -> Self:
        found = [
            problem
            for check in (_names, _shares, _capacities, _backups, _front_doors, _interfaces, _faults)
            for problem in check(self)
        ]
        if found:
            raise ValidationError.from_exception_data("Topology", [_wrong(*problem) for problem in found])
        return self


class InForce(_Record):
    """Thresholds as they are configured today (--in-force FILE)."""

    schema_: Literal[1] = Field(default=1, alias="schema")
    ues_per_s: dict[str, Positive] = Field(min_length=1)
    """By front-door node."""


def lost_nodes(topology: Topology, fault: Fault) -> frozenset[str]:
    """Names of the nodes that `fault` takes away."""
    in_centre = [
        node.name for node in topology.nodes if fault.lost_data_centre and node.data_centre == fault.lost_data_centre
    ]
    in_pool = [node.name for node in topology.front_nodes if fault.lost_pool and node.pool == fault.lost_pool]
    return frozenset((*fault.lost, *in_centre, *in_pool))


_Problem = tuple[tuple[str | int, ...], str]
"""Where, and what is wrong."""


def _wrong(where: tuple[str | int, ...], what: str) -> InitErrorDetails:
    # braces would be taken for fields of the message's template
    return InitErrorDetails(type=PydanticCustomError("value_error", "{what}", {"what": what}), loc=where, input=None)


def _names(topology: Topology) -> Iterator[_Problem]:
    seen: dict[str, str] = {}
    for kind in ("udms", "mmes", "amfs", "sbcs"):
        for index, node in enumerate(getattr(topology, kind)):
            if node.name in seen:
                yield (kind, index, "name"), f"{node.name} is the name of {seen[node.name]} already"
            seen.setdefault(node.name, f"{kind}.{index}")
    names = [fault.name for fault in topology.faults]
    for index, name in enumerate(names):
        if name in names[:index] or name == "routine":
            yield ("faults", index, "name"), f"{name} is the name of another set already"


def _shares(topology: Topology) -> Iterator[_Problem]:
    total = sum(node.share for node in topology.udms)
    if abs(total - 1) > _SHARES_MAY_MISS_BY:
        yield ("udms",), f"the shares of active users must add up to 1, not {total:g}"


def _capacities(topology: Topology) -> Iterator[_Problem]:
    for index, node in enumerate(topology.udms):
        where = ("udms", index, "hss_capacity_pairs_per_s")
        if topology.layout == "5gc_apart" and node.hss_capacity_pairs_per_s is None:
            yield where, "expected in layout 5gc_apart: the capacity of the units for EPC and IMS"
        if topology.layout == "shared" and node.hss_capacity_pairs_per_s is not None:
            yield where, "only in layout 5gc_apart; in layout shared capacity_pairs_per_s is that of everything"


def _backups(topology: Topology) -> Iterator[_Problem]:
    names = [node.name for node in topology.udms]
    for index, node in enumerate(topology.udms):
        others = [name for name in names if name != node.name]
        if node.backup is not None and node.backup not in others:
            yield ("udms", index, "backup"), _unknown(node.backup, others, "UDM")


def _front_doors(topology: Topology) -> Iterator[_Problem]:
    users = topology.users
    in_ims = users.users_4g * users.volte_penetration + users.users_5g * users.vonr_penetration
    for kind, there_are, whom in (
        ("mmes", users.users_4g, "4G users"),
        ("amfs", users.users_5g, "5G users"),
        ("sbcs", in_ims, "users of IMS"),
    ):
        if there_are and not getattr(topology, kind):
            yield (kind,), f"expected at least one, there are {whom}"


def _interfaces(topology: Topology) -> Iterator[_Problem]:
    for procedure, pairs in topology.amplification.items():
        expected = INTERFACES_OF[procedure]
        for interface in expected:
            if interface not in pairs:
                yield ("amplification", procedure, interface), f"missing: {procedure} needs {', '.join(expected)}"
        for interface in pairs:
            if interface not in expected:
                yield (
                    ("amplification", procedure, interface),
                    f"{procedure} does not use it, expected {', '.join(expected)}",
                )
        if not sum(pairs.values()):
            yield ("amplification", procedure), "expected at least one pair"


def _faults(topology: Topology) -> Iterator[_Problem]:
    udms = [node.name for node in topology.udms]
    nodes = [node.name for node in topology.nodes]
    centres = sorted({node.data_centre for node in topology.nodes} - {""})
    pools = sorted({node.pool for node in topology.front_nodes} - {""})
    for index, fault in enumerate(topology.faults):
        for place, name in enumerate(fault.lost):
            if name not in nodes:
                yield ("faults", index, "lost", place), _unknown(name, nodes, "node")
        for place, name in enumerate(fault.users_of):
            if name not in udms:
                yield ("faults", index, "users_of", place), _unknown(name, udms, "UDM")
        if fault.lost_data_centre is not None and fault.lost_data_centre not in centres:
            yield ("faults", index, "lost_data_centre"), _unknown(fault.lost_data_centre, centres, "data centre")
        if fault.lost_pool is not None and fault.lost_pool not in pools:
            yield ("faults", index, "lost_pool"), _unknown(fault.lost_pool, pools, "pool")
        yield from _what_is_left(topology, index, fault)


def _what_is_left(topology: Topology, index: int, fault: Fault) -> Iterator[_Problem]:
    lost, users = lost_nodes(topology, fault), topology.users
    users_4g = users.users_4g if "4g" in fault.returning else 0
    users_5g = users.users_5g if "5g" in fault.returning else 0
    in_ims = users_4g * users.volte_penetration + users_5g * users.vonr_penetration
    if not users_4g + users_5g:
        yield ("faults", index, "returning"), f"there are no {' or '.join(fault.returning).upper()} users"
    for kind, nodes, there_are in (
        ("UDM", topology.udms, 1),
        ("MME", topology.mmes, users_4g),
        ("AMF", topology.amfs, users_5g),
        ("SBC", topology.sbcs, in_ims),
    ):
        if there_are and nodes and lost.issuperset(node.name for node in nodes):
            yield ("faults", index), f"no {kind} is left for the users who return"


def _unknown(name: str, expected: Sequence[str], what: str) -> str:
    return f"unknown {what} {name}, expected {', '.join(expected) or 'none: no node names one'}"
