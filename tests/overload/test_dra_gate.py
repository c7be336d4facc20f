"""What passes a DRA towards one HSS: no more than the limit in any second, and not less than it over many."""

from hypothesis import given, settings
from hypothesis import strategies as st

from regstorm.overload.dra_gate import DraGate


@given(st.floats(0.3, 50), st.lists(st.floats(0, 0.2), min_size=1, max_size=400))
@settings(max_examples=30)
def test_no_second_and_no_row_of_seconds_sees_more_than_the_limit(limit, pauses):
    gate, now, passed = DraGate(limit), 0.0, {}
    for pause in pauses:
        now += pause
        passed[int(now)] = passed.get(int(now), 0) + gate.admits(now)

    assert all(pairs < limit + 1 for pairs in passed.values())
    assert sum(passed.values()) <= limit * (int(now) + 1)


def test_under_endless_demand_the_limit_is_met_exactly_even_if_it_is_no_whole_number():
    gate = DraGate(2.5)

    by_second = [sum(gate.admits(second + place / 100) for place in range(100)) for second in range(4)]

    assert by_second == [2, 3, 2, 3]


def test_what_a_quiet_second_leaves_is_not_kept():
    gate = DraGate(5)
    assert gate.admits(0.5)

    assert sum(gate.admits(10 + place / 100) for place in range(100)) == 5
