"""Where scenarios, strategies and topologies come from: a path, or a name in the directory of their kind."""

from collections.abc import Sequence
from pathlib import Path

from regstorm.records.files import BadFile, read
from regstorm.records.scenario import Scenario
from regstorm.records.strategy import Strategy
from regstorm.records.topology import Topology

SCENARIOS, STRATEGIES, TOPOLOGIES = "scenarios", "strategies", "topologies"
ROOT = Path(__file__).resolve().parents[2]
"""The repository."""


def scenario(text: str, changes: Sequence[str] = ()) -> tuple[Scenario, Path]:
    """The scenario called `text` or in file `text`, with `changes` (`field.field=value`) made to it."""
    path = _find(text, SCENARIOS)
    return read(path, Scenario, changes), path


def strategy(text: str, against: Scenario | None = None) -> tuple[Strategy, Path]:
    """The strategy called `text` or in file `text`. Raises BadFile if it names a node that `against` does not have."""
    path = _find(text, STRATEGIES)
    found = read(path, Strategy)
    if against is not None:
        _require_nodes(found, path, against)
    return found, path


def require_expected(scenario: Scenario, path: Path, played: Sequence[Strategy]) -> None:
    """Raises BadFile if the scenario, from `path`, expects something of a strategy that there is not.

    There are those that are played, those in strategies/, and those in files beside the scenario or in strategies/
    beside its directory, where a plan writes them: a verdict on a name without a strategy would never be given.
    """
    known = {*(one.name for one in played), *(one.stem for one in available(STRATEGIES))}
    if known.issuperset(scenario.expected):
        return
    known |= {_name_in(file) for folder in _beside(path) for file in folder.glob("*.yaml")}
    for name in scenario.expected:
        if name not in known:
            names = ", ".join(one.stem for one in available(STRATEGIES))
            raise BadFile(
                f"{path}: expected.{name}: no strategy has that name, expected one that is played, or {names}"
            )


def later(scenario: Scenario, sample: int) -> tuple[tuple[float, Strategy], ...]:
    """The strategies that the scenario's incidents put in force, for 1/`sample` of it, each with its second."""
    switches = [(one.at_s, one.strategy) for one in scenario.incidents if one.strategy is not None]
    return tuple((at_s, strategy(name, scenario)[0].sampled(sample)) for at_s, name in switches)


def topology(text: str, changes: Sequence[str] = ()) -> tuple[Topology, Path]:
    """The topology called `text` or in file `text`, with `changes` (`field.field=value`) made to it."""
    path = _find(text, TOPOLOGIES)
    return read(path, Topology, changes), path


def available(kind: str) -> list[Path]:
    """The files of a kind: those of the current directory first, then the repository's."""
    found: dict[str, Path] = {}
    for folder in _folders(kind):
        for path in sorted(folder.glob("*.yaml")):
            found.setdefault(path.stem, path)
    return list(found.values())


def _find(text: str, kind: str) -> Path:
    path = Path(text)
    if path.suffix in (".yaml", ".yml") or len(path.parts) > 1 or path.is_file():
        return path
    for folder in _folders(kind):
        if (folder / f"{text}.yaml").is_file():
            return _shown(folder / f"{text}.yaml")
    names = ", ".join(path.stem for path in available(kind)) or "none"
    raise BadFile(f"{text}: expected a file or one of {kind}/: {names}")


def _require_nodes(strategy: Strategy, path: Path, scenario: Scenario) -> None:
    core = scenario.core
    doors = [node.name for node in (*core.amf_nodes, *core.sbc_nodes)]
    asked = [("gate", strategy.gate.nodes, doors)] if strategy.gate is not None else []
    if strategy.dra is not None:
        asked.append(("dra", strategy.dra.nodes, [node.name for node in core.udm_nodes]))
    for part, nodes, known in asked:
        for name in nodes:
            if name not in known:
                raise BadFile(f"{path}: {part}.nodes: {scenario.name} has no node {name}, expected {', '.join(known)}")


def _beside(path: Path) -> tuple[Path, Path]:
    folder = path.absolute().parent
    return folder, folder.parent / STRATEGIES


def _name_in(path: Path) -> str:
    """Of the strategy in that file; nothing where there is none."""
    try:
        return read(path, Strategy).name
    except BadFile:
        return ""


def _folders(kind: str) -> list[Path]:
    here, bundled = Path.cwd() / kind, ROOT / kind
    return [here] if here == bundled else [here, bundled]


def _shown(path: Path) -> Path:
    """Relative to the current directory where it lies below it, so that a recorded command can be typed elsewhere."""
    return path.relative_to(Path.cwd()) if path.is_relative_to(Path.cwd()) else path
