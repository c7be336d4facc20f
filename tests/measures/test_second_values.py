"""Values by second: a name that comes late was 0 before, what is put right stays so, what was taken is forgotten."""

from regstorm.measures.second_values import SecondValues


def test_a_name_that_comes_late_was_nothing_before():
    values = SecondValues()
    values.append({"a": 1})
    values.append({"b": 2, "a": 3})
    values.append({})
    assert values.column("a", 0) == [1, 3, 0]
    assert values.column("b", 0) == [0, 2, 0]
    assert values.column("b", 1) == [2, 0]
    assert values.column("never met", 1) == [0, 0]


def test_seconds_are_put_right_from_one_on_even_with_a_name_that_they_did_not_know():
    values = SecondValues()
    for _ in range(3):
        values.append({"a": 1})
    values.add("a", 5, 1)
    values.add("late", -2, 2)
    assert values.column("a", 0) == [1, 6, 6]
    assert values.column("late", 0) == [0, 0, -2]


def test_what_was_taken_is_told_once_without_zeros_and_counts_as_a_second():
    values = SecondValues()
    values.append({"a": 1, "none": 0})
    values.append({"b": 2})
    assert values.taken(0, 2) == [{"a": 1}, {"b": 2}]
    assert len(values) == 2
    assert values.column("a", 0) == values.column("b", 0) == [0, 0]
