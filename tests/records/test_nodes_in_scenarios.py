"""Nodes and incidents in scenario files: what adds up, and the line that a wrong one gets."""

import pytest

from regstorm.records.files import BadFile, with_changes
from regstorm.records.sources import later, scenario

LIKE, _ = scenario("outage_return")
TWO = "core.udms=[{name: left, share: 0.7}, {name: right, share: 0.3, capacity_share: 0.3}]"


def wrong(*changes):
    with pytest.raises(BadFile) as refused:
        with_changes(LIKE, changes)
    return str(refused.value).rpartition("]: ")[2]


def test_a_scenario_that_names_no_nodes_has_one_of_each_kind():
    assert LIKE.core.node_names == ("amf", "sbc", "udm")


def test_several_nodes_have_the_capacity_of_their_share_where_nothing_else_is_said():
    left, right = with_changes(LIKE, [TWO]).core.udm_nodes

    assert (left.part_of_capacity, right.part_of_capacity) == (0.7, 0.3)


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        (["core.udms=[{name: a, share: 0.7}]"], "core.udms: the shares must add up to 1, not 0.7"),
        (
            ["core.udms=[{name: a, share: 0.5, capacity_share: 0.4}, {name: b, share: 0.5}]"],
            "core.udms: the capacity shares must add up to 1, not 0.9",
        ),
        (["core.amfs=[{name: udm, share: 1}]"], "core: two nodes have the name udm"),
        (["core.amfs=[{name: A, share: 1}]"], "core.amfs.0.name: expected text like ^[a-z]"),
        ([TWO, "incidents=[{at_s: 9, nodes: [middle], capacity: 0}]"], "unknown node middle, expected amf, sbc, left"),
        (["incidents=[{at_s: 9, nodes: [udm]}]"], "incidents.0: expected either capacity or strategy"),
        (["incidents=[{at_s: 9, capacity: 0}]"], "incidents.0: expected nodes with capacity, and none with strategy"),
        (["incidents=[{at_s: 9, nodes: [udm], strategy: tiered}]"], "incidents.0: expected nodes with capacity, and"),
        (["incidents=[{at_s: 9, nodes: [udm], capacity: -1}]"], "incidents.0.capacity: expected at least 0"),
        (
            ["incidents=[{at_s: 9, strategy: tiered}, {at_s: 8, nodes: [udm], capacity: 1}]"],
            "incidents: expected them in the order of at_s",
        ),
    ],
)
def test_a_wrong_one_gets_a_line(changes, says):
    assert says in wrong(*changes)


def test_strategies_of_incidents_are_found_by_name_and_scaled_like_that_of_the_run(tmp_path):
    planned = tmp_path / "emergency.yaml"
    planned.write_text(
        "{name: e, title: t, summary: s, gate: {counts: first_messages, ues_per_s: 500}, guidance: {t3346: null}}"
    )
    story = with_changes(LIKE, [f"incidents=[{{at_s: 9, strategy: tiered}}, {{at_s: 60, strategy: {planned}}}]"])

    (first_s, first), (second_s, second) = later(story, 100)

    assert (first_s, first.name, second_s, second.gate.ues_per_s) == (9, "tiered", 60, 5)
