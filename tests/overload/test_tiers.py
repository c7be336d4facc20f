import pytest

from regstorm.overload.tiers import TierTable
from regstorm.records.message_classes import MessageClass


def test_without_an_order_everybody_is_alike():
    table = TierTable(None)
    assert len(table) == 1
    assert {table.tier(one) for one in MessageClass} == {0}


def test_a_class_that_is_not_listed_stands_on_the_last_tier():
    table = TierTable({MessageClass.HEARTBEAT: 0, MessageClass.FOLLOW_UP: 1})
    assert table.tier(MessageClass.FOLLOW_UP) == 1
    assert table.tier(MessageClass.INITIAL_REGISTRATION) == table.lowest == 1
    assert len(table) == 2


def test_a_tier_above_the_first_is_a_mistake():
    with pytest.raises(ValueError, match="from 0"):
        TierTable({MessageClass.HEARTBEAT: -1})
