"""A wrong file gets one line: field, what was expected, what was found."""

import pytest
import yaml

from regstorm.records.files import BadFile, read
from regstorm.records.scenario import Scenario
from regstorm.records.strategy import Strategy

GOOD = {
    "name": "lab",
    "title": "a lab",
    "population": {"outage_ues": 1000, "online_ues": 0},
    "core": {"udm": {"capacity_pairs_per_s": 100}},
    "incidents": [{"at_s": 9, "nodes": ["udm"], "capacity": 0.5}],
}


@pytest.fixture
def scenario_file(tmp_path):
    path = tmp_path / "lab.yaml"
    path.write_text(yaml.safe_dump(GOOD))
    return path


def complaint(path, *changes, model=Scenario):
    with pytest.raises(BadFile) as wrong:
        read(path, model, changes)
    return str(wrong.value).removeprefix(f"{path}: ")


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ("population.outage_ues=many", "population.outage_ues: expected a whole number, found 'many'"),
        ("population.outage_ues=1.5", "population.outage_ues: expected a whole number, found 1.5"),
        ("population.outage_ues=0", "population.outage_ues: expected at least 1, found 0"),
        ("core.udm.capacity_pairs_per_s=", "core.udm.capacity_pairs_per_s: expected a number, found nothing"),
        ("outage.arrivals_s=.inf", "outage.arrivals_s: expected a finite number, found inf"),
        ("core.udm=5", "core.udm: expected fields and values, found 5"),
        ("population.ims=maybe", "population.ims: expected true or false, found 'maybe'"),
        ("core.udm.shedding=kind", "core.udm.shedding: expected 'plain' or 'calibrated', found 'kind'"),
        ("core.ims.as_retry.low=50", "core.ims.as_retry: high must not be below low"),
        ("incidents.0={nodes: [UDM]}", "incidents.0.at_s: is missing"),
        ("schema=2", "schema: expected 1, found 2"),
        ("name=../up", "name: expected letters, digits, _, - and . only, found '../up': directories are called so"),
        ("population.outage_uez=4", "population.outage_uez: no such field, perhaps outage_ues"),
        ("core.colour=red", "core.colour: no such field, expected one of udm, "),
        ("incidents.0.capacities=4", "incidents.0.capacities: no such field, perhaps capacity"),
        ("expected.tiered.t99=4", "expected.tiered.t99: no such field, expected one of t99_at_most_s, "),
        ("incidents.0.nodes=[nix]", "incidents.0.nodes: unknown node nix"),
        ("incidents.1.at_s=4", "--set incidents.1.at_s=4: incidents is a list, expected a place from 0 to 0"),
        ("name.x=4", "--set name.x=4: name has no fields of its own"),
        ("outage.arrivals_s=[", "--set outage.arrivals_s=[: the value is not YAML"),
    ],
)
def test_a_wrong_value_gets_a_line_with_what_was_expected(scenario_file, change, says):
    assert complaint(scenario_file, change).startswith(says)


def test_a_misspelt_field_is_named_rather_than_the_one_that_is_missing(scenario_file):
    scenario_file.write_text(scenario_file.read_text().replace("outage_ues", "outage_uez"))

    assert complaint(scenario_file) == "population.outage_uez: no such field, perhaps outage_ues (and 1 more)"


def test_a_key_that_stands_there_twice_is_refused(scenario_file):
    scenario_file.write_text("name: other\n" + scenario_file.read_text())

    assert complaint(scenario_file).endswith("name stands there twice")


@pytest.mark.parametrize(
    ("text", "found"), [("", "nothing"), ("- 1", "a list"), ("storm", "one value")], ids=["empty", "list", "word"]
)
def test_a_file_without_fields_is_refused(scenario_file, text, found):
    scenario_file.write_text(text)

    assert complaint(scenario_file) == f"expected fields and values, found {found}"


def test_a_number_is_a_place_in_a_list(scenario_file):
    assert read(scenario_file, Scenario, ["incidents.0.capacity=0.25"]).incidents[0].capacity == 0.25


def test_a_strategy_is_called_like_a_file(tmp_path):
    path = tmp_path / "mine.yaml"
    path.write_text("{name: mine/yours, title: t, summary: s}")

    assert complaint(path, model=Strategy).startswith("name: expected letters")
