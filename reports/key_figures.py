"""The table of main figures: one row for each figure, one cell for each strategy, median and range over the seeds.

The terminal and the pages show the same rows.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import median

from reports import wording
from reports.comparison import Group
from reports.run_directory import Run, number

Value = Callable[[Run], float | None]
Wording = Callable[[float | None], str]


@dataclass(frozen=True)
class Figure:
    """One row: what it is called, what it means, how it is taken from a run and how it is written."""

    name: str
    meaning: str
    value: Value
    wording: Wording
    missing: str = "not known"
    where_known: bool = False
    """The row is left out where no run knows it."""

    def is_shown(self, groups: Sequence[Group]) -> bool:
        """There is something to show."""
        return not self.where_known or any(self.value(run) is not None for group in groups for run in group.runs)

    def cell(self, group: Group) -> str:
        """`8.4 min`, or with several seeds `8.4 min (8.1–9.0 min)`."""
        values = group.values(self.value)
        known = [value for value in values if value is not None]
        if not known:
            ended = any(run.look_up("recovery") for run in group.runs)
            return self.missing if ended else "not known"
        middle = group.median(self.value)
        text = self.missing if middle is None else self.wording(middle)
        if len(known) < len(values):
            return f"{text} ({len(known)} of {len(values)} seeds: {self._range(known)})"
        return text if len(values) == 1 or min(known) == max(known) else f"{text} ({self._range(known)})"

    def _range(self, known: list[float]) -> str:
        low, high = self.wording(min(known)), self.wording(max(known))
        if low == high:
            return low
        if " " not in low + high:
            return f"{low}–{high}"
        amount, _, unit = low.rpartition(" ")
        return f"{amount}–{high}" if amount and high.endswith(f" {unit}") else f"{low} to {high}"


@dataclass(frozen=True)
class Split:
    """A row of numbers by name: medians over the seeds, `T3346 41, Retry-After 3`; left out where no run has any."""

    name: str
    meaning: str
    path: tuple[str, ...]

    def is_shown(self, groups: Sequence[Group]) -> bool:
        """There is something to show."""
        return any(run.look_up(*self.path) for group in groups for run in group.runs)

    def cell(self, group: Group) -> str:
        """The names in order of their weight."""
        told = [run.look_up(*self.path) for run in group.runs]
        found = [one for one in told if one is not None]
        if not found:
            return "not known"
        names = sorted({name for one in found for name in one})
        middle = {name: median(one.get(name, 0) for one in found) for name in names}
        listed = sorted((name for name in names if middle[name]), key=lambda name: -middle[name])
        return ", ".join(f"{name.replace('_', ' ')} {wording.count(middle[name])}" for name in listed) or "nobody"


def recorded(*path: str) -> Value:
    """A figure that the run record carries."""
    return lambda run: number(run.look_up(*path))


def refused_first_per_ue(run: Run) -> float | None:
    """Refused first messages per outage UE."""
    return _per_ue(run, "refused_first")


def refused_follow_ups_per_ue(run: Run) -> float | None:
    """Refused follow-ups per outage UE."""
    return _per_ue(run, "refused_follow_ups")


def refused_at_the_sbc_per_ue(run: Run) -> float | None:
    """First messages that the SBC refused, per outage UE; None without IMS."""
    return _per_ue(run, "domains", "IMS", "refused_first")


def attempts_in_5gc(run: Run) -> float | None:
    """Initial registrations that were begun in the 5GC; 0 in a storm of phones on an SBC alone."""
    return number(run.look_up("domains", "5GC", "attempts"))


def refused_registrations_per_ue(run: Run) -> float | None:
    """First messages that the AMF refused, per outage UE."""
    return _per_ue(run, "domains", "5GC", "refused_first")


def _per_ue(run: Run, *path: str) -> float | None:
    refused = number(run.look_up(*path))
    return refused / run.outage_ues if refused is not None and run.outage_ues else None


def waiting_per_ue(run: Run) -> float | None:
    """Minutes that an outage UE sat on a flow-control timer, on average."""
    return _per_ue(run, "waiting_ue_minutes")


T50, T90, T99, T100 = (recorded("recovery", name) for name in ("t50_s", "t90_s", "t99_s", "t100_s"))
SHARE_BACK = recorded("recovery", "share_back")
WASTED_WORK = recorded("wasted_work")
ATTEMPTS = recorded("attempts_per_success")

_SINCE = "from the end of the outage until that share of the outage users has had full service for the first time"

FIGURES: Sequence[Figure | Split] = (
    Figure("T50", _SINCE, T50, wording.duration, "not reached"),
    Figure("T90", "", T90, wording.duration, "not reached"),
    Figure("T99", "", T99, wording.duration, "not reached"),
    Figure("T100", "", T100, wording.duration, "not reached"),
    Figure(
        "T99 stable",
        "until 99 % are in service together",
        recorded("recovery", "t99_stable_s"),
        wording.duration,
        "not reached",
    ),
    Figure("Share back", "outage users that have had full service by the end of the run", SHARE_BACK, wording.percent),
    Figure(
        "Lower bound",
        "the time that the UDM needs for every outage user once, with nothing wasted",
        lambda run: run.lower_bound_s,
        wording.duration,
    ),
    Figure(
        "… without incidents",
        "the same if incidents had taken or given the UDM no capacity; the bound above is that of what was left",
        recorded("lower_bound_nominal_s"),
        wording.duration,
        where_known=True,
    ),
    Figure("Efficiency", "0.99 × lower bound / T99", recorded("efficiency"), wording.ratio, "none: T99 not reached"),
    Figure("Attempts per success", "registration attempts for each that succeeded", ATTEMPTS, wording.ratio),
    Figure(
        "… in IMS",
        "IMS registrations",
        recorded("domains", "IMS", "attempts_per_success"),
        wording.ratio,
        where_known=True,
    ),
    Figure(
        "Wasted work", "share of the served UDM pairs that led to nobody's full service", WASTED_WORK, wording.percent
    ),
    Figure(
        "Back after minute 12",
        "outage users back later than 12 min after the outage, as a share",
        recorded("back_after_minute_12", "share"),
        wording.percent,
        where_known=True,
    ),
    Split(
        "… by timer",
        "users of the sample, by the timer that ended their last wait",
        ("back_after_minute_12", "by_timer"),
    ),
    Figure(
        "Failed online procedures",
        "procedures of users in service that failed",
        recorded("online_failed"),
        wording.count,
    ),
    Figure(
        "Online users dropped",
        "users in service before who lost their registration",
        recorded("online_dropped"),
        wording.count,
    ),
    Figure(
        "Re-registrations due",
        "online users whose re-REGISTER fell due since the outage",
        recorded("reregistrations", "due"),
        wording.count,
        where_known=True,
    ),
    Figure(
        "… share of the online users", "", recorded("reregistrations", "due_share"), wording.percent, where_known=True
    ),
    Figure(
        "… lost",
        "registrations in IMS lost before they were renewed",
        recorded("reregistrations", "lost"),
        wording.count,
        where_known=True,
    ),
    Figure("Refused first messages", "at the front door", recorded("refused_first"), wording.count),
    Figure("… per outage user", "", refused_first_per_ue, wording.ratio),
    Figure(
        "Refused follow-ups",
        "messages of procedures that the door had admitted",
        recorded("refused_follow_ups"),
        wording.count,
    ),
    Figure("… per outage user", "", refused_follow_ups_per_ue, wording.ratio),
    Figure(
        "Refused first messages at the SBC",
        "of users whom the AMF had let through",
        recorded("domains", "IMS", "refused_first"),
        wording.count,
        where_known=True,
    ),
    Figure("… per outage user", "", refused_at_the_sbc_per_ue, wording.ratio, where_known=True),
    Figure(
        "Refused follow-ups at the SBC",
        "",
        recorded("domains", "IMS", "refused_follow_ups"),
        wording.count,
        where_known=True,
    ),
    Figure(
        "Waiting on flow-control timers",
        "UE-minutes on a back-off timer",
        recorded("waiting_ue_minutes"),
        wording.count,
    ),
    Figure("… minutes per outage user", "", waiting_per_ue, wording.ratio),
    Figure(
        "UDM load offered",
        "mean while there was a backlog, of capacity",
        recorded("udm", "load_offered_in_backlog"),
        wording.percent,
    ),
    Figure(
        "UDM load served",
        "mean while there was a backlog, of capacity",
        recorded("udm", "load_served_in_backlog"),
        wording.percent,
    ),
    Figure(
        "UDM load at the peak",
        "offered, over a window worth 1 000 pairs",
        recorded("udm", "peak_load"),
        wording.percent,
    ),
    Figure("UDM in overload", "offered above its capacity", recorded("udm", "seconds_in_overload"), wording.duration),
    Figure("… share of the time", "", recorded("udm", "share_in_overload"), wording.percent),
    Figure("UDM pairs dropped", "share of the pairs offered", recorded("udm", "dropped_share"), wording.percent),
    Figure(
        "Protected rejects",
        "share of rejects that the user equipment could trust, and with them T3346",
        recorded("protected_reject_share"),
        wording.percent,
        "no reject",
    ),
)

IN_THE_TERMINAL = (
    "T50",
    "T90",
    "T99",
    "T100",
    "Share back",
    "Lower bound",
    "… without incidents",
    "Efficiency",
    "Attempts per success",
    "… in IMS",
    "Wasted work",
    "Back after minute 12",
    "… by timer",
    "Failed online procedures",
    "Online users dropped",
    "Re-registrations due",
    "… share of the online users",
    "… lost",
    "Refused first messages",
    "Refused follow-ups",
    "Refused first messages at the SBC",
    "Refused follow-ups at the SBC",
    "UDM load offered",
    "UDM in overload",
)
"""The page shows every row."""


@dataclass(frozen=True)
class Row:
    """A row, ready to be written."""

    name: str
    meaning: str
    cells: tuple[str, ...]


def rows(groups: Sequence[Group], names: Sequence[str] = ()) -> list[Row]:
    """The rows for `groups`; those called `names`, or all. With a second engine, its deviation stands below."""
    chosen = [figure for figure in FIGURES if (not names or figure.name in names) and figure.is_shown(groups)]
    found = []
    for figure in chosen:
        found.append(Row(figure.name, figure.meaning, tuple(figure.cell(group) for group in groups)))
        if not isinstance(figure, Figure) or figure.name not in HELD_AGAINST_THE_WIRE:
            continue
        if any(_same_on_the_wire(group, groups) for group in groups):
            cells = tuple(_deviation(figure, group, _same_on_the_wire(group, groups)) for group in groups)
            found.append(Row("… deviation", f"of the simulator's {figure.name} from the wire's, of medians", cells))
    return found


HELD_AGAINST_THE_WIRE = ("T50", "T90", "T99")


def _same_on_the_wire(group: Group, groups: Sequence[Group]) -> Group | None:
    """What the wire gives of the strategy that `group` simulates."""
    if group.engine == "wire":
        return None
    return next((other for other in groups if other.engine == "wire" and other.strategy == group.strategy), None)


def deviation(value: Value, group: Group, wire: Group) -> float | None:
    """Relative difference of the medians; None where one of them was not reached."""
    simulated, real = group.median(value), wire.median(value)
    return None if simulated is None or not real else simulated / real - 1


def _deviation(figure: Figure, group: Group, wire: Group | None) -> str:
    if wire is None:
        return ""
    found = deviation(figure.value, group, wire)
    return "not reached" if found is None else f"{found:+.1%}".replace("%", " %").replace("-", "\N{MINUS SIGN}")
