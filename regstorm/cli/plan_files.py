"""What `regstorm plan` reads beside the topology, and what it writes."""

import csv
import io
import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import orjson
import yaml

from regstorm.planning.amplification_model import BadCounters, Counters, counters_from_csv, counters_of_a_run
from regstorm.planning.document import Document
from regstorm.planning.plan import Plan
from regstorm.planning.planned_scenario import NotPlayable, planned_scenario
from regstorm.planning.planned_strategy import planned_strategy
from regstorm.planning.simulated import NotSimulated
from regstorm.planning.threshold_set import ThresholdSet
from regstorm.records.files import BadFile, read, write_whole
from regstorm.records.scenario import Scenario
from regstorm.records.strategy import Strategy
from regstorm.records.topology import InForce, Topology
from reports import plan_page
from reports.record_file import RECORD, read_record

PLAN, TABLE, SCENARIOS, STRATEGIES = "plan.json", "thresholds.csv", "scenarios", "strategies"
COLUMNS = (
    "set",
    "what",
    "node",
    "interface",
    "ues_per_s",
    "pairs_per_s",
    "messages_per_s",
    "caps",
    "in_force",
    "difference",
)


def in_force(path: Path, topology: Topology) -> dict[str, float]:
    """Thresholds that are configured today, UEs per second by front-door node."""
    values = read(path, InForce).ues_per_s
    known = [node.name for node in topology.front_nodes]
    for name in values:
        if name not in known:
            raise BadFile(f"{path}: ues_per_s.{name}: unknown node, expected {', '.join(known)}")
    return values


def counters(path: Path) -> Counters:
    """Measured pairs per procedure: from a CSV, from what `regstorm amplification --json` printed, or from a run
    directory of the bundled core."""
    try:
        if path.is_dir():
            return _of_run(path)
        if path.suffix == ".json":
            return _of_amplification(path)
        return counters_from_csv(path.read_text(encoding="utf-8-sig").splitlines())
    except OSError as error:
        raise BadFile(f"{path}: cannot be read: {error.strerror}") from None
    except UnicodeDecodeError:
        raise BadFile(f"{path}: is not UTF-8 text") from None
    except BadCounters as error:
        raise BadFile(f"{path}: {error}") from None


@dataclass(frozen=True, slots=True)
class Playable:
    """A set that the core can play: the storm that it was made for, and its strategy, as they were written."""

    scenario: Scenario
    scenario_path: Path
    strategy: Strategy
    strategy_path: Path

    def command(self, sample: int, seed: int) -> str:
        """What simulates it again."""
        words = ["regstorm", "run", str(self.scenario_path), "--strategy", str(self.strategy_path)]
        return shlex.join([*words, "--engine", "sim", "--sample", str(sample), "--seed", str(seed)])


def write_sets(plan: Plan, where: Path, like: Strategy) -> dict[str, Playable | NotSimulated]:
    """Writes a strategy for each set, and the storm that it was made for where the core can play that."""
    for folder in (STRATEGIES, SCENARIOS):
        (where / folder).mkdir()
    return {one.name: _write_set(plan, one, where, like) for one in plan.sets}


def _write_set(plan: Plan, one: ThresholdSet, where: Path, like: Strategy) -> Playable | NotSimulated:
    strategy = planned_strategy(plan.topology, one, like)
    if strategy is None:
        return NotSimulated("the set admits nobody to 5GC")
    strategy_path = _write_yaml(where / STRATEGIES / f"{one.name}.yaml", strategy)
    try:
        scenario = planned_scenario(plan, one, like)
    except NotPlayable as error:
        return NotSimulated(f"the core plays {error}")
    return Playable(scenario, _write_yaml(where / SCENARIOS / f"{one.name}.yaml", scenario), strategy, strategy_path)


def write_document(document: Document, where: Path) -> list[Path]:
    """Writes plan.json, plan.html and thresholds.csv; what a person opens."""
    write_whole(where / PLAN, orjson.dumps(document, option=orjson.OPT_INDENT_2) + b"\n")
    write_whole(where / TABLE, _table(document))
    return [plan_page.write_page(document, where / plan_page.PAGE), where / TABLE]


def _write_yaml(path: Path, record: Scenario | Strategy) -> Path:
    """A strategy with all that it says; of a scenario what is not the default."""
    content = record.model_dump(mode="json", by_alias=True, exclude_defaults=isinstance(record, Scenario))
    write_whole(path, yaml.safe_dump(content, sort_keys=False, allow_unicode=True, width=110))
    return path


def _of_amplification(path: Path) -> Counters:
    told = read_record(path)
    if told.get("kind") != "amplification":
        raise BadCounters("expected what regstorm amplification --json prints")
    return counters_of_a_run(told["full_registration"]["pairs_by_interface"], 1)


def _of_run(path: Path) -> Counters:
    document = read_record(path / RECORD)
    run = document["runs"][0] if document.get("runs") else {}
    udm, recovery = run.get("udm") or {}, run.get("recovery") or {}
    if not udm.get("pairs") or not recovery:
        raise BadCounters("the run shows no UDM pairs, expected one of the bundled core that came to its end")
    back = float(recovery.get("share_back") or 0) * float(run.get("ues") or 0)
    return counters_of_a_run(udm["pairs"], back)


def _table(document: Document) -> str:
    text = io.StringIO()
    writer = csv.DictWriter(text, COLUMNS, restval="", lineterminator="\n")
    writer.writeheader()
    for one in document["sets"]:
        for row in _rows(one):
            writer.writerow({name: _cell(value) for name, value in row.items()} | {"set": one["name"]})
    return text.getvalue()


def _rows(one: Document) -> Iterator[dict[str, Any]]:
    for total in one["totals"]:
        yield {
            "what": "total",
            "node": f"all {total['front_door']}",
            "ues_per_s": total["ues_per_s"],
            "messages_per_s": total["messages_per_s"],
            "caps": total["ues_per_s"],
        }
    for threshold in one["thresholds"]:
        yield {
            "what": "threshold",
            "node": threshold["node"],
            "ues_per_s": threshold["ues_per_s"],
            "messages_per_s": threshold["messages_per_s"],
            "caps": threshold["ues_per_s"],
            "in_force": threshold["in_force"],
            "difference": threshold["difference"],
        }
    for guard in one["guards"]:
        for interface, pairs in ((guard["group"], guard["pairs_per_s"]), *guard["by_interface"].items()):
            if interface == guard["group"] and len(guard["by_interface"]) == 1:
                continue  # S6a is the only one of its group
            yield {
                "what": f"{guard['guard']} limit",
                "node": guard["node"],
                "interface": interface,
                "pairs_per_s": pairs,
                "messages_per_s": pairs * guard["messages_per_s"] / guard["pairs_per_s"],
                "caps": guard["caps"],
            }


def _cell(value: Any) -> Any:
    return f"{value:.3f}" if isinstance(value, float) else "" if value is None else value
