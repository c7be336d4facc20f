"""What one registration costs the UDM, counted at the UDM's front door while UEs and core talk over sockets."""

from small_storms import plan, scenario, storm_of

from protocols.aka import UsimSqn
from regstorm.records import counters


def pairs(storm):
    return {one: storm.timeline.total(f"{counters.UDM_OFFERED}.{one}") for one in ("N13", "N8", "N10")}


def test_a_registration_with_two_pdu_sessions_costs_13_pairs():
    storm = storm_of(plan(scenario(ues=1_000, arrivals_s=60)))
    assert storm.log.back == 1_000
    assert pairs(storm) == {"N13": 2_000, "N8": 5_000, "N10": 6_000}
    assert storm.timeline.total(counters.UDM_OFFERED) == storm.timeline.total(counters.UDM_SERVED) == 13_000


def test_a_resynchronisation_costs_one_pair_more():
    def usims_are_ahead_of_the_home_network(storm):
        for ue in storm.seats.outage_group:
            ue.state.sqn = UsimSqn(ue.state.credentials.sqn + (1 << 20))

    storm = storm_of(plan(scenario(ues=100)), usims_are_ahead_of_the_home_network)
    assert storm.log.back == 100
    assert pairs(storm) == {"N13": 300, "N8": 500, "N10": 600}


def test_a_kept_context_that_is_not_challenged_costs_11_pairs():
    storm = storm_of(plan(scenario(ues=100, outage={"authenticate": "when_needed"})))
    assert storm.log.back == 100
    assert pairs(storm) == {"N13": 0, "N8": 500, "N10": 600}


def test_a_lost_context_costs_13_pairs_and_an_identity_request():
    storm = storm_of(plan(scenario(ues=100, outage={"amf_context": "lost"})))
    assert storm.log.back == 100
    assert pairs(storm) == {"N13": 200, "N8": 500, "N10": 600}


def test_operations_of_users_in_service_cost_no_pair():
    storm = storm_of(plan(scenario(ues=1, online=400, arrivals_s=1, outage={"calm_after_s": 120})))
    assert storm.timeline.total(counters.ONLINE_PROCEDURES) > 50
    assert storm.timeline.total(counters.ONLINE_FAILED) == 0
    assert sum(pairs(storm).values()) == 13


def test_concealed_identities_cost_no_more():
    one = scenario(ues=20, outage={"amf_context": "lost"})
    concealed = one.model_copy(update={"population": one.population.model_copy(update={"suci_scheme": "profile_a"})})
    storm = storm_of(plan(concealed))
    assert storm.log.back == 20
    assert sum(pairs(storm).values()) == 20 * 13
