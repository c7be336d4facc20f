"""A share of the outage group whose security context no AMF has any more: told off in plain, as in the simulator."""

import pytest
from small_storms import plan, scenario, storm_of

from regstorm.records import counters
from regstorm.records.files import with_changes
from regstorm.simulator.run import Storm

CROWD = scenario(ues=120, pairs_per_s=60.0, arrivals_s=5, outage={"recovery_within_s": 60})


def of_share(share):
    return plan(with_changes(CROWD, [f"population.unprotected={share}"]), "tiered")


def plain_and_all_rejects(timeline):
    plain = timeline.total(counters.UNPROTECTED_REJECTS)
    return plain, plain + timeline.total(counters.PROTECTED_REJECTS)


def test_without_such_a_share_every_reject_is_protected():
    plain, rejects = plain_and_all_rejects(storm_of(of_share(0)).timeline)

    assert plain == 0 < rejects


def test_a_share_without_a_context_is_rejected_in_plain_as_in_the_simulator():
    """Whoever was told off in plain draws 15 to 30 min (TS 24.501 5.3.9), and so is told off once in this minute."""
    halves = of_share(0.5)
    plain, _ = plain_and_all_rejects(storm_of(halves).timeline)
    simulated = Storm(halves.scenario, halves.strategy, halves.seed)
    while not simulated.over:
        simulated.run_second()

    assert 30 < plain < 70
    assert plain_and_all_rejects(simulated.timeline)[0] == pytest.approx(plain, abs=20)


def test_nobody_is_rejected_with_protection_if_nobody_has_a_context():
    plain, rejects = plain_and_all_rejects(storm_of(of_share(1)).timeline)

    assert plain == rejects > 0


def test_who_lost_its_context_is_authenticated_and_secured_although_the_operator_would_not_ask():
    """13 pairs instead of 11, which are those of a context that is used as it is (TS 23.502 4.2.2.2.2)."""
    calm = scenario(ues=20, outage={"authenticate": "when_needed"})
    pairs = {
        share: storm_of(plan(with_changes(calm, [f"population.unprotected={share}"]))).timeline.total(
            counters.UDM_SERVED
        )
        for share in (0, 1)
    }

    assert pairs == {0: 20 * 11, 1: 20 * 13}
