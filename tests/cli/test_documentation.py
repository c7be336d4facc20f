"""The documentation names what there is: every field of a scenario with its default, every field of a record."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from pydantic import BaseModel

from regstorm.cli import sources
from regstorm.measures.timeline import CATALOGUE
from regstorm.records import backend_counters, ims_counters
from regstorm.records.files import read
from regstorm.records.run_record import AmfRecord, RunDocument, RunEntry, UdmRecord
from regstorm.records.scenario import Scenario
from regstorm.records.strategy import BacklogWindow, Credit, Dra, Gate, Guidance, ReleaseStep, Strategy, Tiers
from regstorm.records.topology import Fault, FrontNode, Margins, Switches, Topology, UdmNode, Users

DOCS = sources.ROOT / "docs"


def fields(model: type[BaseModel], prefix: str = "") -> Iterator[str]:
    for name, field in model.model_fields.items():
        inner = field.annotation
        yield f"{prefix}{field.alias or name}"
        if isinstance(inner, type) and issubclass(inner, BaseModel) and inner.__name__ not in ("Range", "Shedding"):
            yield from fields(inner, f"{prefix}{name}.")


def missing(names: Iterator[str], page: str) -> list[str]:
    said = set(re.findall(r"`([^`\s]+)`", (DOCS / page).read_text()))
    return [name for name in names if name not in said]


def test_every_field_of_a_scenario_has_its_row():
    groups = {"network", "population", "population.profiles", "online", "ue", "outage", "core", "core.udm"}
    groups |= {"core.amf", "core.bus", "core.sbc", "core.ims", "core.ims.cscf", "core.ims.application_server"}

    assert [name for name in missing(fields(Scenario), "scenarios.md") if name not in groups] == []


def test_every_field_of_a_topology_is_explained():
    records = (Topology, UdmNode, FrontNode, Users, Switches, Margins, Fault)
    names = [field.alias or name for record in records for name, field in record.model_fields.items()]

    assert missing(iter(names), "planning.md") == []


def test_every_expectation_and_every_shedding_field_is_explained():
    from regstorm.records.core_settings import Shedding
    from regstorm.records.scenario import Expectation

    assert missing(iter(Expectation.model_fields), "scenarios.md") == []
    assert missing(iter(Shedding.model_fields), "scenarios.md") == []


def test_every_field_of_a_record_and_every_column_is_explained():
    names = [*RunDocument.__annotations__, *(set(RunEntry.__annotations__) - {"udm"}), *AmfRecord.__annotations__]

    assert missing(iter(names), "run-record.md") == []
    assert missing((f"udm.{name}" for name in UdmRecord.__annotations__), "run-record.md") == []
    assert missing(iter(CATALOGUE), "run-record.md") == []
    for apart in (ims_counters, backend_counters):
        assert missing(iter(value for name, value in vars(apart).items() if name.isupper()), "run-record.md") == []


def test_every_field_of_a_strategy_has_its_row():
    parts = (Gate, Credit, BacklogWindow, ReleaseStep, Guidance, Tiers, Dra)
    names = [name for part in parts for name in part.model_fields]
    page = (DOCS / "strategies.md").read_text().partition("## Your own")[2]
    rows = {"guidance", *re.findall(r"`(?:[a-z0-9]+\.)?([a-z0-9_]+)`", page)}

    assert [name for name in (*names, *Strategy.model_fields) if name.rstrip("_") not in rows] == []


def test_every_strategy_file_is_explained():
    names = [read(path, Strategy).name for path in sources.available(sources.STRATEGIES)]
    page = (DOCS / "strategies.md").read_text()

    assert names
    assert [name for name in names if f"`{name}`" not in page and f"## {name}" not in page] == []


@pytest.mark.parametrize("path", sources.available(sources.SCENARIOS), ids=lambda path: path.stem)
def test_every_scenario_file_is_readable_explained_and_called_like_its_file(path):
    scenario = read(path, Scenario)

    assert scenario.name == path.stem
    assert f"`{scenario.name}`" in (DOCS / "scenarios.md").read_text()
    known = {strategy.stem for strategy in sources.available(sources.STRATEGIES)}
    assert set(scenario.expected) <= known


def test_links_between_pages_lead_somewhere():
    for page in [*DOCS.rglob("*.md"), *sources.ROOT.glob("*.md")]:
        for target in re.findall(r"\]\(([^)#:]+?)\)", page.read_text()):
            if Path(target).suffix != ".png":  # pictures are taken from a run
                assert (page.parent / target).exists(), f"{page}: {target}"
