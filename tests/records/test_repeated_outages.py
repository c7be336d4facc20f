"""An outage may strike several times, one after the other."""

import pytest
from pydantic import ValidationError

from regstorm.records.population import Outage


def test_one_outage_is_the_default():
    outage = Outage(begins_s=10, lasts_s=5)
    assert outage.beginnings_s == (10,)
    assert outage.end_s == outage.last_end_s == 15


def test_outages_begin_every_so_many_seconds():
    outage = Outage(begins_s=10, lasts_s=5, arrivals_s=20, repeats=3, every_s=30)
    assert outage.beginnings_s == (10, 40, 70)
    assert (outage.end_s, outage.last_end_s) == (15, 75)


def test_who_says_that_there_is_one_outage_may_leave_what_several_would_need():
    assert Outage(begins_s=10, lasts_s=5, arrivals_s=20, repeats=1, every_s=30).beginnings_s == (10,)


@pytest.mark.parametrize(
    ("fields", "line"),
    [
        ({"repeats": 2}, "repeats: expected every_s with it"),
        ({"repeats": 2, "every_s": 25}, "every_s 25: expected more than lasts_s + arrivals_s, 25"),
        ({"every_s": 60}, "every_s: expected repeats with it"),
        ({"repeats": 0}, "greater than or equal to 1"),
    ],
)
def test_an_outage_must_be_over_and_everybody_in_coverage_before_the_next_begins(fields, line):
    with pytest.raises(ValidationError, match=line.replace("+", r"\+")):
        Outage(begins_s=10, lasts_s=5, arrivals_s=20, **fields)
