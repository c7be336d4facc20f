"""A run directory as the report sees it: run.json and timeline.csv, with what is missing said plainly.

Knows the names in docs/run-record.md. Does not know how a run was made. A run that was cut short is readable as far
as it went; it is never taken for a complete one.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd

from regstorm.records.files import BadFile
from reports.record_file import COMPARISON, RECORD, TIMELINE, read_record

PASSED = "passed"
"""Of a verdict that was asked for and is good."""


@dataclass(frozen=True)
class Run:
    """One storm's record and its counters per scenario second."""

    where: Path
    header: dict[str, Any]
    """What a comparison says once: scenario, population, lower bound."""
    entry: dict[str, Any]
    """What is said for each run."""
    timeline: pd.DataFrame
    """Indexed by scenario second; empty if the run left none."""

    @property
    def strategy(self) -> str:
        return str(self.entry.get("strategy", "unknown"))

    @property
    def label(self) -> str:
        """What sets this run apart from others under the same strategy; empty for most."""
        return str(self.entry.get("label") or "")

    @property
    def engine(self) -> str:
        """`wire` or `sim`."""
        return str(self.entry.get("engine") or "wire")

    @property
    def name(self) -> str:
        """What the run is called among others: `tiered (simulated), seed 3`."""
        return f"{self.strategy}{' (simulated)' if self.engine == 'sim' else ''}, seed {self.entry.get('seed')}"

    @property
    def complete(self) -> bool:
        return self.entry.get("complete") is True

    @property
    def why(self) -> str:
        """Why the run is partial; empty if it is complete."""
        return "" if self.complete else str(self.entry.get("why") or "the record does not say why")

    @property
    def sample(self) -> int:
        return int(self.entry.get("sample") or 1)

    @property
    def outage_ues(self) -> int:
        """Of the sample."""
        return int(self.entry.get("ues") or self.header.get("ues") or 0)

    @property
    def online_ues(self) -> int:
        """Of the sample."""
        return int(self.entry.get("online_ues") or self.header.get("online_ues") or 0)

    @property
    def all_outage_ues(self) -> int:
        """Of the full size."""
        return self._of_the_full_size("outage_ues", self.outage_ues)

    @property
    def all_online_ues(self) -> int:
        """Of the full size."""
        return self._of_the_full_size("online_ues", self.online_ues)

    def _of_the_full_size(self, group: str, played: int) -> int:
        said = number((self.scenario.get("population") or {}).get(group))
        return played * self.sample if said is None else int(said)

    @property
    def pairs_per_registration(self) -> float | None:
        return number(self.header.get("pairs_per_registration"))

    @property
    def lower_bound_s(self) -> float | None:
        """Of the capacity that incidents left (records from before they counted: of all of it)."""
        return number(self.entry.get("lower_bound_s", self.header.get("lower_bound_s")))

    @property
    def scenario(self) -> dict[str, Any]:
        """The scenario of this run at full size, as far as the record carries it."""
        return self.setting("scenario")

    def setting(self, name: str) -> dict[str, Any]:
        """`settings.<name>` of the record, or nothing."""
        settings = self.entry.get("settings") or {}
        return settings.get(name) or {}

    @property
    def verdict(self) -> str:
        """In words. Where the scenario expects nothing of the strategy, a verdict without a miss would mean nothing."""
        if not self.complete:
            return "PARTIAL, no verdict"
        if self.look_up("verdict", "pass") is False:
            return "missed"
        expected = self.setting("scenario").get("expected", {self.strategy: None})
        return PASSED if self.strategy in expected else "no verdict, the scenario expects nothing of it"

    def look_up(self, *path: str) -> Any:
        """A value inside the entry (`recovery`, `t99_s`), or None."""
        value: Any = self.entry
        for name in path:
            value = value.get(name) if isinstance(value, dict) else None
        return value

    @property
    def capacity_pairs_per_s(self) -> float | None:
        """UDM capacity of the sample; None where it cannot be known (a core that is not ours)."""
        return number(self.look_up("udm", "capacity_pairs_per_s"))

    @property
    def shedding(self) -> str:
        """`plain` or `calibrated`, or empty where the record does not say."""
        return str((self.scenario.get("core") or {}).get("udm", {}).get("shedding") or "")

    @property
    def outage_ends_s(self) -> float:
        """Scenario second at which the outage ends: zero of every curve."""
        recorded = number(self.entry.get("outage_end_s"))
        if recorded is not None:
            return recorded
        outage = self.scenario.get("outage") or {}
        return float(outage.get("begins_s") or 0) + float(outage.get("lasts_s") or 0)

    @property
    def watched_s(self) -> float:
        """How long after the outage the record goes on."""
        return max(0.0, float(self.timeline.index[-1]) - self.outage_ends_s) if len(self.timeline) else 0.0

    def column(self, name: str) -> pd.Series:
        """A counter or level per scenario second; zeros if the run never had it."""
        if name in self.timeline:
            return self.timeline[name]
        return pd.Series(0.0, index=self.timeline.index)

    def family(self, name: str) -> dict[str, pd.Series]:
        """The sub-counters of `name` (`ues.waiting` → T3346, T3502 …), in order of their names."""
        prefix = f"{name}."
        return {str(c)[len(prefix) :]: self.timeline[c] for c in sorted(self.timeline.columns) if c.startswith(prefix)}


def number(value: Any) -> float | None:
    """`value` if it is a number."""
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else None


def read_run(where: Path) -> Run:
    """The run in directory `where`. Raises BadFile with one line if there is none or it is not one."""
    document = read_record(where / RECORD)
    entries = document.get("runs")
    entry = entries[0] if isinstance(entries, list) and entries else document
    if not isinstance(entry, dict):
        raise BadFile(f"{where / RECORD}: runs: expected one record, found {type(entry).__name__}")
    if document.get("complete") is False:
        entry = {**entry, "complete": False, "why": document.get("why") or entry.get("why")}
    return Run(where, document, entry, _read_timeline(where / TIMELINE))


def run_directories(where: Path) -> list[Path]:
    """`where` itself if it is a run directory, or the run directories inside it, by name."""
    if (where / RECORD).is_file():
        return [where]
    inside = sorted(record.parent for record in where.glob(f"*/{RECORD}")) if where.is_dir() else []
    if not inside:
        raise BadFile(f"{where}: expected a run directory ({RECORD}) or a directory of them")
    return _in_the_order_of_the_comparison(where, inside)


def _in_the_order_of_the_comparison(where: Path, inside: list[Path]) -> list[Path]:
    if not (where / COMPARISON).is_file():
        return inside
    named = [str(name) for name in read_record(where / COMPARISON).get("directories", [])]
    return sorted(inside, key=lambda path: named.index(path.name) if path.name in named else len(named))


def _read_timeline(path: Path) -> pd.DataFrame:
    if not path.is_file() or not path.stat().st_size:
        return pd.DataFrame()
    try:
        return pd.read_csv(path, index_col=0)
    except (pd.errors.ParserError, UnicodeDecodeError, ValueError) as error:
        raise BadFile(f"{path}: is not a table: {str(error).splitlines()[0]}") from None
