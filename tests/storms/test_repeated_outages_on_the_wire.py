"""An outage that strikes several times: the same people lose the network and come back, again and again."""

from small_storms import plan, scenario, storm_of

from regstorm.records import counters

THRICE = {"repeats": 3, "every_s": 60.0}


def test_everybody_is_lost_and_registers_again_after_each_outage():
    storm = storm_of(plan(scenario(ues=30, online=10, arrivals_s=20, outage=THRICE)))

    in_service = storm.timeline.column(counters.OUTAGE_IN_SERVICE)
    assert [in_service[int(begins_s) + 1] for begins_s in (5, 65, 125)] == [0, 0, 0]
    assert [in_service[int(begins_s) - 1] for begins_s in (65, 125)] == [30, 30]
    assert in_service[-1] == 30
    assert storm.timeline.total(counters.REG_INIT_SUCC) == 3 * 30
    assert storm.timeline.total(counters.UDM_SERVED) >= 3 * 30 * 13
    assert storm.timeline.total(counters.ONLINE_DROPPED) == 0


def test_recovery_is_that_of_the_first_outage_and_the_run_ends_after_the_last():
    once = storm_of(plan(scenario(ues=30, online=0, arrivals_s=20)))
    thrice = storm_of(plan(scenario(ues=30, online=0, arrivals_s=20, outage=THRICE)))

    assert [thrice.log.recovery_s(share) for share in (0.5, 0.9, 1)] == [
        once.log.recovery_s(share) for share in (0.5, 0.9, 1)
    ]
    assert thrice.log.stable_recovery_s() == once.log.stable_recovery_s()
    assert once.clock.now < 65
    assert 125 + 5 < thrice.clock.now < 125 + 5 + 20 + 30


def test_nothing_of_an_outage_is_left_in_the_core_after_the_next():
    storm = storm_of(plan(scenario(ues=30, online=0, arrivals_s=20, outage={**THRICE, "calm_after_s": 40})))

    assert storm.core.connections == 0  # ten idle seconds, and the gNBs have them released
    assert len(storm.core.amf.contexts) == 30
