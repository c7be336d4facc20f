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


def strategy(text: str) -> tuple[Strategy, Path]:
    """The strategy called `text` or in file `text`."""
    path = _find(text, STRATEGIES)
    return read(path, Strategy), path


def later(scenario: Scenario, sample: int) -> tuple[tuple[float, Strategy], ...]:
    """The strategies that the scenario's incidents put in force, for 1/`sample` of it, each with its second."""
    switches = [(one.at_s, one.strategy) for one in scenario.incidents if one.strategy is not None]
    return tuple((at_s, strategy(name)[0].sampled(sample)) for at_s, name in switches)


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


def _folders(kind: str) -> list[Path]:
    here, bundled = Path.cwd() / kind, ROOT / kind
    return [here] if here == bundled else [here, bundled]


def _shown(path: Path) -> Path:
    """Relative to the current directory where it lies below it, so that a recorded command can be typed elsewhere."""
    return path.relative_to(Path.cwd()) if path.is_relative_to(Path.cwd()) else path
