"""The tornado of a sweep: both sides of every assumption, in the table and on the figure."""

from reports.sweep_charts import charts
from reports.sweep_page import headline, tables

BASE = ("", "", 506.0, 1.0)
SLOW = ("arrivals within, s", "300", 460.0, 1.0)


def tornado(*outcomes, strategy="tiered", complete=True):
    """Of (assumption, value, T99, share back); a side with the outcome of the storm as it is shares its storm."""
    rows = [
        {
            "strategy": strategy,
            "seed": 1,
            "values": {"assumption": assumption, "value": value},
            "complete": complete,
            "t99_s": t99_s,
            "share_back": share_back,
        }
        for assumption, value, t99_s, share_back in outcomes
    ]
    storms = {outcome[2:]: number for number, outcome in reversed(list(enumerate(outcomes)))}
    return {
        "kind": "tornado",
        "fields": ["assumption", "value"],
        "cells": [[f"{storms[outcome[2:]]:04d}", *outcome[:2]] for outcome in outcomes],
        "scenario": {"outage": {"recovery_within_s": 3600.0}},
        "strategies": [{"name": strategy}],
        "rows": rows,
    }


SHEDS = "how the UDM sheds"
SELF_PROTECTION = tornado(
    ("", "", None, 0.535),
    (SHEDS, "calibrated (fitted)", None, 0.535),
    (SHEDS, "plain", 3368.0, 1.0),
    ("T3502, s", "240", None, 0.61),
    strategy="self_protection",
)


def test_both_udm_settings_are_in_the_table_with_the_share_back_where_99_percent_were_not_reached():
    [table] = tables(SELF_PROTECTION)
    assert table.rows[0] == [SHEDS, "3.9 min", "46.5 %", "calibrated (fitted): 53.5 % back; plain: 56.1 min"]


def test_both_are_on_the_figure_which_is_of_the_share_back_where_the_storm_as_it_is_has_no_t99():
    [chart] = charts(SELF_PROTECTION)
    words = [note.text for note in chart.figure.layout.annotations]
    assert words[0] == "calibrated (fitted): 53.5 % back · plain: 56.1 min"
    assert chart.figure.layout.xaxis.title.text == "share of the outage users back, %"
    line, dots = chart.figure.data[:2]
    assert (line.base, line.x) == (53.5, (46.5,))
    assert dots.x == (53.5, 100.0)


def test_where_it_has_one_the_figure_is_of_t99_and_a_side_without_stands_at_the_end_of_the_recording():
    [chart] = charts(tornado(BASE, ("T3346", "none", None, 0.4), SLOW))
    assert chart.figure.layout.xaxis.title.text == "T99, minutes"
    assert chart.figure.data[1].x == (60.0,)
    assert chart.figure.layout.annotations[0].text == "none: 40.0 % back"


def test_a_partial_tornado_counts_storms_and_not_sides():
    as_it_is = ("authentication", "always", *BASE[2:])
    assert headline(tornado(BASE, as_it_is, SLOW, complete=False)).startswith("PARTIAL: 0 of 2 storms")


def test_the_headline_names_what_moves_t99_most_without_its_unit():
    as_it_is = ("arrivals within, s", "45", 506.0, 1.0)
    assert headline(tornado(BASE, as_it_is, SLOW)) == "What moves T99 most: under tiered it is “arrivals within”."
