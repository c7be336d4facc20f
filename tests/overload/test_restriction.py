"""Users barred by access class, and their release."""

from random import Random

import pytest

from regstorm.overload import compose
from regstorm.overload.front_door import ADMIT, REFUSED_FIRST
from regstorm.overload.restriction import Restriction
from regstorm.records.message_classes import MessageClass
from regstorm.records.strategy import Credit, ReleaseStep, Strategy

STEPS = (ReleaseStep(from_s=10, share=0), ReleaseStep(from_s=20, share=0.3), ReleaseStep(from_s=30, share=1))


def who_may(now: float) -> list[int]:
    restriction = Restriction(STEPS, Random(1))
    return [ue for ue in range(100, 120) if restriction.lets_in(ue, now)]


def test_before_the_first_step_and_after_the_last_everybody_may_register():
    assert len(who_may(9.9)) == len(who_may(30.0)) == 20


def test_a_step_lets_in_its_share_by_access_class():
    assert who_may(10.0) == []
    assert who_may(20.0) == [100, 101, 102, 110, 111, 112]


def test_a_name_has_the_class_of_its_last_figure():
    restriction = Restriction(STEPS, Random(1))
    assert restriction.lets_in("imsi-001010000000002", 25.0)
    assert not restriction.lets_in("imsi-001010000000003", 25.0)


def test_strangers_draw_lots():
    restriction = Restriction(STEPS, Random(1))
    assert sum(restriction.lets_in(None, 25.0) for _ in range(1000)) == pytest.approx(300, abs=50)


def test_the_door_bars_initial_registrations_and_nothing_else():
    strategy = Strategy(name="barred", title="", summary="", restriction=STEPS)
    door = compose.front_door(strategy, 100.0, 13.0, 6.0, Random(1))
    assert door.decide(15.0, MessageClass.INITIAL_REGISTRATION, True, 7) is REFUSED_FIRST
    assert door.decide(15.0, MessageClass.SERVICE_REQUEST, True, 7) is ADMIT
    assert door.decide(15.0, MessageClass.FOLLOW_UP, False, 7) is ADMIT
    assert door.decide(35.0, MessageClass.INITIAL_REGISTRATION, True, 7) is ADMIT


@pytest.mark.parametrize("fields", [{"restriction": STEPS[::-1]}, {"restriction": STEPS, "credit": Credit()}])
def test_steps_out_of_order_or_beside_a_live_credit_are_refused(fields):
    with pytest.raises(ValueError, match=r"restriction|credit"):
        Strategy.model_validate({"name": "wrong", "title": "", "summary": "", **fields})
