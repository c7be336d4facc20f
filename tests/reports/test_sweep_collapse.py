"""Sentences and curves of a sweep: where recovery ends, goodput against what is offered."""

import pytest

from regstorm.cli import sources
from reports.sweep_collapse import collapse, ends


def row(strategy, value, t99_s, share_back, seed=1, **figures):
    values = {"population.outage_ues": value}
    return {
        "strategy": strategy,
        "values": values,
        "seed": seed,
        "complete": True,
        "t99_s": t99_s,
        "share_back": share_back,
        "offered_load": None,
        "goodput": None,
        **figures,
    }


def swept(*rows):
    return {
        "kind": "grid",
        "complete": True,
        "fields": ["population.outage_ues"],
        "scenario": sources.scenario("outage_return")[0].model_dump(mode="json", by_alias=True),
        "strategies": [{"name": name} for name in dict.fromkeys(one["strategy"] for one in rows)],
        "rows": list(rows),
    }


def test_recovery_ends_between_the_last_value_that_comes_back_and_the_first_that_does_not():
    """Values count as numbers: 9000 comes before 20000."""
    document = swept(
        row("plain", "20000", None, 0.5), row("plain", "9000", 60.0, 1.0), row("plain", "30000", None, 0.4)
    )
    assert ends(document) == [
        "Under plain recovery ends between population.outage_ues 9000 (T99 60 s) and 20000 (50.0 % back at the end)."
    ]


def test_where_larger_values_are_milder_it_ends_on_the_way_down():
    document = swept(row("plain", "10", None, 0.5), row("plain", "300", 60.0, 1.0))
    assert "between population.outage_ues 300 (T99 60 s) and 10 (50.0 %" in ends(document)[0]


def test_a_recovery_that_comes_and_goes_is_said_to_end_there_first():
    outcomes = [("1", 60.0), ("2", None), ("3", 60.0)]
    document = swept(*(row("plain", value, t99_s, 0.9) for value, t99_s in outcomes))
    assert ends(document)[0].startswith("Under plain recovery first ends between population.outage_ues 1")


@pytest.mark.parametrize("values", [("1", "2"), ("kept", "lost")])
def test_nothing_is_said_where_everybody_comes_back_or_values_are_no_numbers(values):
    assert ends(swept(*(row("plain", value, 60.0, 1.0) for value in values))) == []


def test_goodput_is_drawn_over_the_offered_load_beside_the_closed_form():
    """25 messages: twice what can be finished gets 0.44 through (tests/overload/test_goodput_collapse.py)."""
    document = swept(
        row("plain", "9000", 60.0, 1.0, offered_load=0.5, goodput=0.5),
        row("plain", "36000", None, 0.4, offered_load=2.0, goodput=0.3),
        row("plain", "36000", None, 0.4, seed=2, offered_load=2.0, goodput=0.4),
    )
    chart = collapse(document)
    assert chart.table.head == ["offered", "plain", "closed form"]
    assert chart.table.rows == [["0.50", "0.50", "0.50"], ["2.00", "0.35 (0.30–0.40)", "0.44"]]
    assert [line.name for line in chart.figure.data] == ["plain", "closed form"]


def test_a_field_that_changes_nothing_of_what_is_offered_has_no_such_curve():
    assert collapse(swept(*(row("plain", value, 60.0, 1.0, offered_load=0.5) for value in "12"))) is None
