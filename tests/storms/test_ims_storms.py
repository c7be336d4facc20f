"""Full service over the wire: 5GS and IMS registrations of a population, packets in tunnels between gNBs and core."""

import shutil
import subprocess

import pytest
from small_storms import plan, scenario, storm_of

from protocols.aka import UsimSqn
from regstorm.records import counters, ims_counters, ims_ue_counters, user_plane_counters

PAIRS = {"N13": 2, "N8": 5, "N10": 6, "Cx": 4, "Sh": 8}


def with_ims(one, online=None, **population):
    changed = {"population": one.population.model_copy(update={"ims": True, **population})}
    if online is not None:
        changed["online"] = one.online.model_copy(update=online)
    return one.model_copy(update=changed)


def pairs(storm):
    return {one: storm.timeline.total(f"{counters.UDM_OFFERED}.{one}") for one in PAIRS}


def test_full_service_costs_25_pairs_for_each_ue():
    storm = storm_of(plan(with_ims(scenario(ues=60))))
    assert storm.log.back == 60
    assert pairs(storm) == {one: 60 * n for one, n in PAIRS.items()}
    assert storm.timeline.total(ims_ue_counters.INIT_REG_SUCC) == 60
    assert storm.timeline.total(ims_counters.REGISTERED) == 60


def test_every_register_and_every_answer_arrives_once_in_a_calm_run():
    storm = storm_of(plan(with_ims(scenario(ues=40))))
    total = storm.timeline.total
    assert total(user_plane_counters.UPLINK) == total(ims_counters.SBC_REQUESTS) == 80
    assert total(user_plane_counters.DOWNLINK) == total(ims_counters.SBC_RESPONSES) == 80
    assert total(user_plane_counters.DROPPED) == total(ims_counters.SBC_RETRANSMISSIONS) == 0


def test_a_usim_ahead_of_the_home_network_resynchronises_once_for_both_domains():
    def usims_are_ahead_of_the_home_network(storm):
        for ue in storm.seats.outage_group:
            ue.state.sqn = UsimSqn(ue.state.credentials.sqn + (1 << 20))

    storm = storm_of(plan(with_ims(scenario(ues=30))), usims_are_ahead_of_the_home_network)
    assert storm.log.back == 30
    assert sum(pairs(storm).values()) == 30 * 26


def test_renewals_of_users_in_service_cost_two_pairs_and_nobody_is_lost():
    one = with_ims(scenario(ues=1, online=200, arrivals_s=1, outage={"calm_after_s": 300}))
    storm = storm_of(plan(one))
    renewed = storm.timeline.total(ims_ue_counters.RE_REG_SUCC)
    assert 10 <= renewed <= 40
    assert storm.timeline.total(ims_ue_counters.RE_REG_FAIL) == 0
    assert storm.timeline.total(counters.ONLINE_DROPPED) == 0
    assert sum(pairs(storm).values()) == 25 + 2 * renewed


def test_users_in_service_send_short_messages_that_cost_no_pair():
    one = scenario(ues=1, online=100, arrivals_s=1, outage={"calm_after_s": 60})
    storm = storm_of(plan(with_ims(one, online={"every_s": 60.0, "message_share": 0.5, "periodic_update_share": 0.0})))
    total = storm.timeline.total
    assert total(ims_ue_counters.MESSAGE_SUCC) == total(ims_ue_counters.MESSAGE_ATT) >= 30
    assert total(ims_counters.MESSAGES) == total(ims_ue_counters.MESSAGE_SUCC)
    assert sum(pairs(storm).values()) == 25 + 2 * total(ims_ue_counters.RE_REG_SUCC)


@pytest.mark.parametrize("recourse", ["new_session", "reregister", "to_eutra"])
def test_an_sbc_that_says_nothing_pulls_the_5gs_down(recourse):
    def the_sbc_is_deaf(storm):
        storm.core.upf._deliver = lambda *datagram: None

    one = with_ims(scenario(ues=10, outage={"recovery_within_s": 400}), p_cscfs_exhausted=recourse)
    storm = storm_of(plan(one), the_sbc_is_deaf)
    total = storm.timeline.total
    assert storm.log.back == 0
    assert total(f"{ims_ue_counters.INIT_REG_FAIL}.Timer_F") >= 20
    asked_again = {
        "new_session": total(ims_ue_counters.SESSION_RELEASE_SUCC),
        "reregister": total(counters.REG_INIT_SUCC) - 10,
        "to_eutra": storm.timeline.level(f"{counters.WAITING}.E-UTRA"),
    }
    assert {name for name, n in asked_again.items() if n} == {recourse}
    assert asked_again[recourse] == 10


@pytest.mark.parametrize("under", ["self_protection", "precise", "tiered"])
def test_the_same_seed_gives_the_same_timeline_byte_for_byte_with_ims(under):
    one = with_ims(scenario(ues=40, online=20, pairs_per_s=20, arrivals_s=10))
    first, again = (storm_of(plan(one, under)).timeline.csv() for _ in range(2))
    assert first == again
    assert ims_ue_counters.INIT_REG_SUCC in first


def test_a_storm_without_ims_has_no_column_of_it():
    header = storm_of(plan(scenario(ues=10))).timeline.csv().partition("\n")[0].split(",")
    assert not [name for name in header if name.startswith(("UR.", "ims.", "sbc.", "upf."))]


@pytest.mark.skipif(shutil.which("tshark") is None, reason="tshark (Debian package tshark)")
def test_wireshark_reads_the_whole_of_it(tmp_path):
    capture = tmp_path / "ims.pcap"
    storm_of(plan(with_ims(scenario(ues=10)), pcap=capture))
    faults = _tshark(capture, "-Y", "_ws.malformed || _ws.expert.severity >= 0x600000")
    registers = _tshark(capture, "-Y", 'sip.Method == "REGISTER" && gtp && udp.port == 2152')
    assert (faults, len(registers.splitlines())) == ("", 20)


def _tshark(capture, *options):
    shown = subprocess.run(["tshark", "-r", str(capture), *options], capture_output=True, text=True, check=True)
    return shown.stdout
