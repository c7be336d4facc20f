"""What `regstorm plan` reads beside the topology, and what it writes."""

import csv
import io
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import orjson
import yaml

from regstorm.planning.amplification_model import BadCounters, Counters, counters_from_csv, counters_of_a_run
from regstorm.planning.document import Document
from regstorm.planning.plan import Plan
from regstorm.planning.planned_scenario import NotPlayable, planned_scenario
from regstorm.planning.planned_strategy import planned_strategy
from regstorm.records.files import BadFile, read, write_whole
from regstorm.records.scenario import Scenario
from regstorm.records.strategy import Strategy
from regstorm.records.topology import InForce, Topology
from reports import plan_page
from reports.run_directory import RECORD, read_record

PLAN, TABLE, SCENARIO, STRATEGIES = "plan.json", "thresholds.csv", "scenario.yaml", "strategies"
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
    """Measured pairs per procedure: from a CSV, or from a run directory of the bundled core."""
    try:
        if path.is_dir():
            return _of_run(path)
        return counters_from_csv(path.read_text(encoding="utf-8-sig").splitlines())
    except OSError as error:
        raise BadFile(f"{path}: cannot be read: {error.strerror}") from None
    except UnicodeDecodeError:
        raise BadFile(f"{path}: is not UTF-8 text") from None
    except BadCounters as error:
        raise BadFile(f"{path}: {error}") from None


def write(plan: Plan, document: Document, where: Path, like: Strategy) -> tuple[Path, list[Path]]:
    """Writes plan.json, plan.html, thresholds.csv and a strategy for each set; the page and the strategies."""
    write_whole(where / PLAN, orjson.dumps(document, option=orjson.OPT_INDENT_2) + b"\n")
    write_whole(where / TABLE, _table(document))
    strategies = where / STRATEGIES
    strategies.mkdir()
    written = []
    for one in plan.sets:
        strategy = planned_strategy(plan.topology, one, like)
        if strategy is not None:
            written.append(_write_yaml(strategies / f"{one.name}.yaml", strategy))
    return plan_page.write_page(document, where / plan_page.PAGE), written


def write_scenario(plan: Plan, where: Path, like: Strategy) -> str:
    """Writes the storm that the plan was made for, if the core can play it; one line for the user."""
    try:
        path = _write_yaml(where / SCENARIO, planned_scenario(plan, like))
    except NotPlayable as error:
        return f"No scenario to try it with: the core plays {error}."
    first = where / STRATEGIES / f"{plan.sets[0].name}.yaml"
    return f"Try it: {shlex.join(['regstorm', 'run', str(path), '--strategy', str(first)])}"


def _write_yaml(path: Path, record: Scenario | Strategy) -> Path:
    """A strategy with all that it says; of a scenario what is not the default."""
    content = record.model_dump(mode="json", by_alias=True, exclude_defaults=isinstance(record, Scenario))
    write_whole(path, yaml.safe_dump(content, sort_keys=False, allow_unicode=True, width=110))
    return path


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
