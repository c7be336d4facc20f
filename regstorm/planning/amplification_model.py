"""Amplification model: pairs at UDM/HSS per procedure and interface, for one deployment (paper, 3.1).

The paper's table 1 is not in its text, so the figures are those of the procedures in the specifications
(records.operations) and, for an attach, AIR and ULR (TS 23.401 5.3.2.1, TS 29.272). A topology may replace a
procedure's pairs; performance counters, an operator's or the bundled core's, replace both. How far counters are from
what was planned is the drift: thresholds go stale when the network evolves.
"""

import csv
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final

from regstorm.planning.domains import DOMAINS, Domain
from regstorm.planning.working import Working, working
from regstorm.records.operations import (
    PAIRS_PER_AGGREGATED_IMS_REGISTRATION,
    PAIRS_PER_AGGREGATED_REGISTRATION,
    PAIRS_PER_IMS_REGISTRATION,
    PAIRS_PER_REGISTRATION,
    UPLINK_MESSAGES_PER_IMS_REGISTRATION,
    UPLINK_MESSAGES_PER_REGISTRATION,
)
from regstorm.records.topology import INTERFACES_OF, Interface, Procedure, Switches, Topology

PAIRS_PER_ATTACH: Final = 2
"""AIR and ULR on S6a."""
UPLINK_MESSAGES_PER_ATTACH: Final = 6
"""Attach Request, Authentication Response, Security Mode Complete, Attach Complete; for the IMS PDN a PDN Connectivity
Request and an Activate Default EPS Bearer Context Accept (TS 24.301 5.5.1.2, 6.5.1)."""
_SESSIONS_LISTED = 2
"""Of records.operations, both for pairs and for uplink messages."""

COLUMNS = ("procedure", "interface", "procedures", "pairs")
"""Of a CSV with counters: how many procedures of that kind succeeded, and the pairs seen on that interface for them."""


@dataclass(frozen=True, slots=True)
class Drift:
    """Planned and measured pairs of one procedure on one interface."""

    procedure: Procedure
    interface: Interface
    planned: float
    measured: float
    is_warning: bool

    @property
    def relative(self) -> float | None:
        """Measured over planned, minus 1. None: nothing was planned there."""
        return self.measured / self.planned - 1 if self.planned else None


@dataclass(frozen=True, slots=True)
class Amplification:
    """What thresholds are computed with."""

    pairs: Mapping[Procedure, Mapping[Interface, float]]
    origin: Mapping[Procedure, str]
    """Where the pairs come from: `standard table`, `topology` or `counters`."""
    uplink_messages: Mapping[Procedure, float]
    """That a front door sees for one procedure, without repetitions."""
    drift: tuple[Drift, ...]
    workings: tuple[Working, ...]

    def per_procedure(self, domain: Domain) -> float:
        """Pairs that one registration in `domain` costs UDM/HSS."""
        return sum(self.pairs[domain.procedure].values())


class BadCounters(ValueError):
    """A CSV that does not say what it should; `str()` is one line."""


Counters = Mapping[tuple[Procedure, Interface], float]
"""Measured pairs per procedure."""


def standard_pairs(switches: Switches) -> dict[Procedure, dict[Interface, float]]:
    """The standard table for a deployment with these switches."""
    nudm = PAIRS_PER_AGGREGATED_REGISTRATION if switches.aggregated_nudm else PAIRS_PER_REGISTRATION
    ims = PAIRS_PER_AGGREGATED_IMS_REGISTRATION if switches.aggregated_download else PAIRS_PER_IMS_REGISTRATION
    return {
        "4g_attach": {"S6a": PAIRS_PER_ATTACH + switches.s6a_notify},
        "5g_registration": {
            "N13": nudm["N13"],
            "N8": nudm["N8"] + switches.nssai_download,
            "N10": nudm["N10"] / _SESSIONS_LISTED * switches.pdu_sessions,
        },
        "ims_registration": {"Cx": ims["Cx"], "Sh": ims["Sh"]},
    }


def amplification(topology: Topology, counters: Counters | None = None) -> Amplification:
    """The deployment's amplification; `counters` come first, then the topology's own pairs, then the standard table."""
    planned = standard_pairs(topology.switches)
    origin: dict[Procedure, str] = dict.fromkeys(planned, "standard table")
    for procedure, pairs in topology.amplification.items():
        planned[procedure] = dict(pairs)
        origin[procedure] = "topology"
    in_use, drift = {procedure: dict(pairs) for procedure, pairs in planned.items()}, []
    for (procedure, interface), measured in (counters or {}).items():
        before = planned[procedure][interface]
        off = abs(measured - before) > topology.margins.drift_warning * before
        drift.append(Drift(procedure, interface, before, measured, off))
        in_use[procedure][interface] = measured
        origin[procedure] = "counters"
    return Amplification(
        pairs=in_use,
        origin=origin,
        uplink_messages={
            "4g_attach": UPLINK_MESSAGES_PER_ATTACH,
            "5g_registration": UPLINK_MESSAGES_PER_REGISTRATION + topology.switches.pdu_sessions - _SESSIONS_LISTED,
            "ims_registration": UPLINK_MESSAGES_PER_IMS_REGISTRATION,
        },
        drift=tuple(drift),
        workings=tuple(_sum(domain, in_use[domain.procedure]) for domain in DOMAINS),
    )


def counters_from_csv(lines: Iterable[str]) -> dict[tuple[Procedure, Interface], float]:
    """Pairs per procedure from counters; rows of the same procedure and interface add up. Raises BadCounters.

    A procedure that is there needs all of its interfaces: a table that is half measured is no measurement.
    """
    reader = csv.DictReader(lines)
    missing = [name for name in COLUMNS if name not in (reader.fieldnames or ())]
    if missing:
        raise BadCounters(f"line 1: expected the columns {', '.join(COLUMNS)}, {missing[0]} is missing")
    sums: dict[tuple[Procedure, Interface], tuple[float, float]] = {}
    for row in reader:
        where = f"line {reader.line_num}"
        key = _key(row, where)
        procedures, pairs = (_number(row, name, where) for name in ("procedures", "pairs"))
        before = sums.get(key, (0.0, 0.0))
        sums[key] = (before[0] + procedures, before[1] + pairs)
    return _per_procedure(sums)


def counters_of_a_run(pairs: Mapping[str, float], registrations: float) -> dict[tuple[Procedure, Interface], float]:
    """The same from a run of the bundled core: its UDM pairs by interface, and how many UEs it brought back.

    A calm run measures the procedure; in a storm what was wasted on failed attempts is counted as well.
    """
    if registrations <= 0:
        raise BadCounters("expected a run that brought at least one UE back")
    sums = {
        (procedure, interface): (registrations, float(pairs.get(interface, 0.0)))
        for procedure, interfaces in INTERFACES_OF.items()
        if any(pairs.get(interface) for interface in interfaces)
        for interface in interfaces
    }
    return _per_procedure(sums)


def _key(row: Mapping[str, str | None], where: str) -> tuple[Procedure, Interface]:
    procedure, interface = (row["procedure"] or "").strip(), (row["interface"] or "").strip()
    if procedure not in INTERFACES_OF:
        raise BadCounters(f"{where}: procedure {procedure or 'is empty'}, expected {', '.join(INTERFACES_OF)}")
    known = INTERFACES_OF[procedure]
    if interface not in known:
        raise BadCounters(f"{where}: interface {interface or 'is empty'}, expected {', '.join(known)} for {procedure}")
    return procedure, interface


def _number(row: Mapping[str, str | None], name: str, where: str) -> float:
    text = (row[name] or "").strip()
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not 0 <= value < float("inf"):
        raise BadCounters(f"{where}: {name} is {text or 'empty'}, expected a number of at least 0")
    return value


def _per_procedure(
    sums: Mapping[tuple[Procedure, Interface], tuple[float, float]],
) -> dict[tuple[Procedure, Interface], float]:
    for procedure in dict.fromkeys(procedure for procedure, _ in sums):
        for interface in INTERFACES_OF[procedure]:
            if (procedure, interface) not in sums:
                raise BadCounters(f"{procedure}: interface {interface} is missing")
            if not sums[procedure, interface][0]:
                raise BadCounters(f"{procedure} on {interface}: not one procedure was counted")
        if not sum(sums[procedure, interface][1] for interface in INTERFACES_OF[procedure]):
            raise BadCounters(f"{procedure}: not one pair was counted")
    return {key: pairs / procedures for key, (procedures, pairs) in sums.items()}


def _sum(domain: Domain, pairs: Mapping[Interface, float]) -> Working:
    values: dict[str, float] = {interface: pairs[interface] for interface in domain.interfaces}
    name = f"pairs per {domain.procedure.replace('_', ' ')} ({domain.pairs})"
    return working(name, " + ".join(values), values, sum(values.values()), "pairs")
