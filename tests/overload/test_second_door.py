"""The door behind the first: it must not refuse whom the first has let in."""

import pytest

from regstorm.overload.second_door import width_of_second_door
from regstorm.records import sources


@pytest.mark.parametrize("name", ["self_protection", "precise", "tiered"])
def test_a_second_door_lets_in_what_a_planned_first_one_lets_in(name):
    strategy, _ = sources.strategy(name)
    assert width_of_second_door(strategy) == 1
    assert width_of_second_door(strategy, 0.5) == 0.5


def test_a_second_door_is_ready_for_all_that_a_live_credit_may_let_in():
    strategy, _ = sources.strategy("guided")
    planned, most = strategy.gate.share_of_capacity, strategy.credit.target
    assert width_of_second_door(strategy) * planned == pytest.approx(most)
    assert width_of_second_door(strategy, 0.5) * planned == pytest.approx(most / 2)
