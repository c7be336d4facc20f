"""Full service in the simulator: 5GS, IMS and both third-party registrations, counted at the HSS."""

import pytest
from simulated_storms import OPEN, PRECISE, run, scenario

from regstorm.overload.amplification import pairs_per_registration
from regstorm.records import counters, ims_counters, ims_ue_counters
from regstorm.simulator.chain import DEREGISTRATION
from regstorm.simulator.run import Storm

PAIRS = {"N13": 2, "N8": 5, "N10": 6, "Cx": 4, "Sh": 8}


def with_ims(outage_ues=200, online_ues=0, capacity=1e6, **parts):
    population = {"ims": True, **parts.pop("population", {})}
    return scenario(outage_ues, online_ues, capacity, population=population, **parts)


def pairs(storm, what=counters.UDM_SERVED):
    return storm.timeline.subtotals(what)


# --- nobody is refused ---


def test_in_a_calm_return_every_ue_costs_exactly_twenty_five_pairs():
    storm = run(Storm(with_ims(), OPEN, seed=1))
    assert storm.log.share_back == 1.0
    assert pairs(storm) == {one: 200 * n for one, n in PAIRS.items()}
    total = storm.timeline.total
    assert total(ims_ue_counters.INIT_REG_ATT) == total(ims_ue_counters.INIT_REG_SUCC) == 200
    assert total(ims_counters.SBC_REQUESTS) == total(ims_counters.SBC_RESPONSES) == 400
    assert total(ims_counters.THIRD_PARTY) == 400


@pytest.mark.parametrize(
    ("core", "whole"),
    [
        ({"ims": {"aggregated_download": True}}, 20),
        ({"ims": {"aggregated_download": True}, "aggregated_nudm": True}, 15),
    ],
)
def test_deployments_that_aggregate_their_reads_ask_for_what_the_amplification_table_says(core, whole):
    one = with_ims(50, core=core)
    storm = run(Storm(one, OPEN, seed=1))
    assert pairs(storm) == {name: 50 * n for name, n in pairs_per_registration(one).items()}
    assert storm.timeline.total(counters.UDM_SERVED) == 50 * whole


def test_every_pair_of_a_calm_return_leads_to_full_service():
    storm = run(Storm(with_ims(), OPEN, seed=1))
    assert storm.core.ledger.settled == 200 * 25
    assert storm.core.ledger.written_off == storm.core.ledger.pending == 0


def test_a_single_ue_is_in_full_service_after_its_answers_hops_pairs_and_registers():
    """To its ims session as without IMS (test_simulated_storm.py). Then it answers twice (REGISTER, and the answer to
    its challenge); each leg takes 4 hops and 2 pairs; the telephony AS takes 1 hop more, and 5 hops with 5 pairs that
    the IP-SM-GW's 3 pairs and the session's late one stand between."""
    exact = with_ims(1, capacity=10, ue={"answer_s": {"low": 0.1, "high": 0.1}, "retry_jitter_s": 0})
    exact = exact.model_copy(update={"outage": exact.outage.model_copy(update={"arrivals_s": 1e-6})})
    storm = run(Storm(exact, OPEN, seed=1))
    in_5gs_s = 4 * 0.1 + 18 * 0.01 + 11 * 0.1
    in_ims_s = 2 * 0.1 + 8 * 0.01 + 4 * 0.1
    third_party_s = 6 * 0.01 + 5 * 0.1
    at_least_s = in_5gs_s + in_ims_s + third_party_s
    assert at_least_s < storm.log.recovery_s(1.0) < at_least_s + 4 * 0.1


def test_units_of_its_own_serve_cx_and_sh_where_5gc_is_apart():
    apart = {"udm": {"capacity_pairs_per_s": 1e6, "layout": "5gc_apart", "hss_capacity_pairs_per_s": 100}}
    storm = run(Storm(with_ims(50, core=apart), OPEN, seed=1))
    of_5gc, of_ims = (unit.server for unit in storm.core.back_end.units)
    offered = {one: storm.timeline.total(f"{counters.UDM_OFFERED}.{one}") for one in ("N13", "N8", "N10", "Cx", "Sh")}
    assert of_5gc.offered_work == offered["N13"] + offered["N8"] + offered["N10"] >= 50 * 13
    assert of_ims.offered_work == offered["Cx"] + offered["Sh"] >= 50 * 12


# --- users in service ---


def test_renewals_of_users_in_service_cost_two_pairs_and_nobody_is_lost():
    storm = run(Storm(with_ims(1, 200, outage={"calm_after_s": 300}), OPEN, seed=1))
    renewed = storm.timeline.total(ims_ue_counters.RE_REG_SUCC)
    assert 10 <= renewed <= 40
    assert storm.timeline.total(counters.UDM_SERVED) == 25 + 2 * renewed
    assert storm.timeline.total(counters.ONLINE_DROPPED) == 0


def test_short_messages_cost_no_pair():
    online = {"every_s": 60, "message_share": 0.5, "periodic_update_share": 0}
    storm = run(Storm(with_ims(1, 100, online=online, outage={"calm_after_s": 60}), OPEN, seed=1))
    total = storm.timeline.total
    assert (
        total(ims_counters.MESSAGES) == total(ims_ue_counters.MESSAGE_SUCC) == total(ims_ue_counters.MESSAGE_ATT) > 30
    )
    assert total(counters.UDM_SERVED) == 25 + 2 * total(ims_ue_counters.RE_REG_SUCC)


def test_a_ue_that_registers_in_5gs_anew_is_challenged_in_ims_but_its_application_servers_read_nothing_anew():
    """Nobody has told IMS that the UE was gone: the S-CSCF and both application servers still hold it."""
    storm = Storm(with_ims(1, 20, online={"every_s": 20}, outage={"calm_after_s": 60}), OPEN, seed=1)
    for _ in range(15):
        storm.run_second()
    storm.core.lose_contexts(everybody=True)  # 5GMM #9 at the next request, and an initial registration
    run(storm)
    renewed = storm.timeline.total(ims_ue_counters.RE_REG_SUCC)
    again = storm.timeline.total(counters.REG_INIT_SUCC) - 1
    assert again >= 19
    assert pairs(storm)["Cx"] == 4 * (1 + again) + 2 * renewed
    assert pairs(storm)["Sh"] == 8


# --- failures ---


@pytest.mark.parametrize("handling", ["continued", "terminated"])
def test_a_third_party_registration_that_fails_is_made_up_for_or_ends_the_registration(handling):
    """The HSS is lost as soon as the first UEs are registered, and there again a minute later."""
    one = with_ims(100, core={"ims": {"default_handling": handling}}, outage={"recovery_within_s": 300})
    storm = Storm(one, OPEN, seed=1)
    while storm.timeline.total(ims_counters.REGISTERED) < 20:
        storm.run_second()
    storm.core.take_capacity("udm", 0.0, float(storm.second))
    for _ in range(60):
        storm.run_second()
    storm.core.take_capacity("udm", 1.0, float(storm.second))
    run(storm)
    total = storm.timeline.total
    assert storm.log.share_back == 1.0
    assert total(ims_counters.THIRD_PARTY_FAILED) > 0
    assert (total(f"{ims_counters.DEREGISTERED}.network") > 0) == (handling == "terminated")


def test_an_sbc_that_refuses_is_left_for_the_other_p_cscf_and_then_waited_for():
    """One of twenty UEs a second may pass the SBC; the others are told by Retry-After when to come again."""
    narrow = {"sbc": {"share_of_amf": 0.01}, "udm": {"capacity_pairs_per_s": 500}}
    one = with_ims(60, capacity=500, core=narrow, outage={"recovery_within_s": 900})
    gate = PRECISE.gate.model_copy(update={"depth_s": 0.1, "least_depth_ues": 1})
    storm = run(Storm(one, PRECISE.model_copy(update={"gate": gate}), seed=1))
    total = storm.timeline.total
    assert total(ims_counters.SBC_REFUSED_FIRST) > 60
    assert total(f"{ims_ue_counters.REJECT}.503") > 60
    assert max(storm.timeline.column(f"{counters.WAITING}.Retry-After")) > 10


@pytest.mark.parametrize("recourse", ["new_session", "reregister", "to_eutra"])
def test_an_sbc_that_says_nothing_pulls_the_5gs_down(recourse):
    one = with_ims(10, population={"p_cscfs_exhausted": recourse}, outage={"recovery_within_s": 400})
    storm = Storm(one, OPEN, seed=1)
    storm.core.take_capacity("sbc", 0.0, 0.0)
    run(storm)
    total = storm.timeline.total
    assert storm.log.back == 0
    assert total(f"{ims_ue_counters.INIT_REG_FAIL}.Timer_F") >= 20
    asked_again = {
        "new_session": total(ims_ue_counters.SESSION_RELEASE_SUCC),
        "reregister": total(counters.REG_INIT_SUCC) - 10,
        "to_eutra": storm.timeline.level(f"{counters.WAITING}.E-UTRA"),
    }
    assert {name for name, n in asked_again.items() if n} == {recourse}
    given_up = total(f"{ims_ue_counters.LOST}.P-CSCFs_exhausted")
    assert bool(given_up) is (recourse == "to_eutra")  # who deregisters, or releases its session, loses nothing


def test_a_deregistration_that_nobody_answers_is_repeated_by_t3521_and_ends_locally_at_its_fifth_expiry():
    """TS 24.501 5.5.2.2.6 c; found by playing the same storm on the wire, where T3521 was."""
    one = with_ims(1, population={"p_cscfs_exhausted": "reregister"}, outage={"recovery_within_s": 400})
    storm = Storm(one, OPEN, seed=1)
    storm.core.take_capacity("sbc", 0.0, 0.0)
    uplink, leaves_at_s, registers_at_s = storm.core.uplink, [], []

    def amf_that_hears_no_deregistration(ue, message, now):
        if message == DEREGISTRATION:
            leaves_at_s.append(now)
            return
        if message == 0:
            registers_at_s.append(now)
        uplink(ue, message, now)

    storm.core.uplink = amf_that_hears_no_deregistration
    run(storm)
    assert [round(at_s - leaves_at_s[0], 9) for at_s in leaves_at_s[:5]] == [0, 15, 30, 45, 60]
    back_again_s = registers_at_s[1] - leaves_at_s[0]
    assert 75 <= back_again_s <= 75 + one.ue.retry_jitter_s


@pytest.mark.parametrize(("capacity", "pairs_of_leaving"), [(5, 0), (1e6, 2)])
def test_who_registers_before_the_udm_has_heard_that_it_left_spares_the_amf_the_rest(capacity, pairs_of_leaving):
    """Six pairs take 1.2 s at a slow UDM; the UE comes back within 1 s. A fast one has heard of it all by then."""
    population = {"p_cscfs_exhausted": "reregister"}
    ue, outage = {"retry_jitter_s": 1}, {"recovery_within_s": 400}
    one = with_ims(1, capacity=capacity, population=population, ue=ue, outage=outage)
    storm = Storm(one, OPEN, seed=1)
    storm.core.take_capacity("sbc", 0.0, 0.0)
    run(storm)
    registrations = storm.timeline.total(counters.REG_INIT_SUCC)
    assert registrations == 2
    assert pairs(storm)["N8"] == 5 * registrations + pairs_of_leaving
    assert storm.timeline.total(counters.AMF_ABANDONED) == 0


def test_the_books_on_pairs_balance_under_overload():
    one = with_ims(300, 150, capacity=150, online={"every_s": 60}, outage={"arrivals_s": 5, "recovery_within_s": 400})
    storm = run(Storm(one, PRECISE, seed=1))
    ledger = storm.core.ledger
    assert ledger.settled + ledger.written_off + ledger.pending == storm.timeline.total(counters.UDM_SERVED)
    by_interface = storm.timeline.subtotals(counters.UDM_PAIRS_LOST)
    assert ledger.written_off == sum(by_interface.values()) == storm.timeline.total(counters.UDM_PAIRS_LOST)
    assert set(by_interface) >= {"N13", "N8"}


def test_the_same_seed_gives_the_same_timeline_with_ims():
    one = with_ims(100, 50, capacity=100, outage={"arrivals_s": 5, "recovery_within_s": 200})
    first, again, other = (run(Storm(one, PRECISE, seed)).timeline.csv() for seed in (1, 1, 2))
    assert first == again != other
