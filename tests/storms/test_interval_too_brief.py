"""An S-CSCF that wants registrations to last longer than a UE asks for: 423, and once more (RFC 3261 10.2.8)."""

from pathlib import Path

import pytest
from small_storms import plan, scenario, storm_of

from regstorm.records import counters, ims_counters, ims_ue_counters
from regstorm.records.files import with_changes
from regstorm.simulator.run import Storm
from ue_models.ims_rules import REGISTRATION_EXPIRES_S

UES = 20


def in_the_simulator(one):
    storm = Storm(one.scenario, one.strategy, one.seed)
    while not storm.over:
        storm.run_second()
    return storm


@pytest.fixture(params=[storm_of, in_the_simulator], ids=["wire", "sim"])
def played(request):
    def play(shortest_s):
        changes = ["population.ims=true", f"core.ims.min_expires_s={shortest_s}", "core.ims.expires_s=1000000"]
        return request.param(plan(with_changes(scenario(ues=UES), changes), out=Path()))

    return play


def counted(storm):
    total = storm.timeline.total
    return {
        "423": total(f"{ims_counters.SBC_RESPONSES}.423"),
        "requests": total(ims_counters.SBC_REQUESTS),
        "attempts": total(ims_ue_counters.INIT_REG_ATT),
        "successes": total(ims_ue_counters.INIT_REG_SUCC),
        "Cx": total(f"{counters.UDM_OFFERED}.Cx"),
        "written off": storm.core.ledger.written_off,
    }


def test_who_asks_for_too_little_is_told_so_once_and_pays_with_a_request_and_a_pair(played):
    storm = played(REGISTRATION_EXPIRES_S + 1)

    assert storm.log.back == UES
    assert counted(storm) == {
        "423": UES,
        "requests": 3 * UES,
        "attempts": 2 * UES,
        "successes": UES,
        "Cx": 5 * UES,
        "written off": UES,
    }


def test_who_asks_for_enough_hears_nothing_of_it(played):
    storm = played(REGISTRATION_EXPIRES_S)

    assert (counted(storm)["423"], counted(storm)["requests"]) == (0, 2 * UES)
