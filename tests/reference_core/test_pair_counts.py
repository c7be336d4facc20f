"""UDM pairs by interface, counted at the UDM's front door (TS 23.502 4.2.2.2.2, 4.3.2.2.1)."""

from core_rig import Rig, Ue, kinds

from protocols.aka import UsimSqn, next_sqn
from protocols.nas5g import messages as nas
from regstorm.records.core_settings import Udm
from regstorm.records.message_classes import MessageClass
from regstorm.records.operations import Nf

FULL = {"N13": 2, "N8": 5, "N10": 6}


def test_a_registration_with_two_sessions_costs_thirteen_pairs():
    rig = Rig()
    ue = Ue(rig)
    ue.reach_full_service()
    assert rig.pairs() == FULL
    assert rig.tally["udm.offered"] == rig.tally["udm.served"] == 13


def test_a_resynchronisation_costs_one_more_and_the_new_challenge_is_fresh():
    rig = Rig()
    ue = Ue(rig)
    ahead = ue.sqn.highest
    for _ in range(1000):
        ahead = next_sqn(ahead)
    ue.sqn = UsimSqn(ahead)
    heard = ue.reach_full_service()
    assert kinds(heard).count("AuthenticationRequest") == 2
    assert rig.pairs() == {"N13": 3, "N8": 5, "N10": 6}


def test_a_kept_context_is_authenticated_again_if_the_operator_wants_it():
    rig = Rig(authenticate="always")
    rig.core.provision([0])
    rig.core.deregister_implicitly([0], 0.0)
    ue = Ue(rig)
    ue.keep_context()
    heard = ue.reach_full_service()
    assert "IdentityRequest" not in kinds(heard)
    assert rig.pairs() == FULL


def test_a_kept_context_saves_the_two_pairs_of_authentication_when_it_is_not_needed():
    rig = Rig(authenticate="when_needed")
    rig.core.provision([0])
    rig.core.deregister_implicitly([0], 0.0)
    ue = Ue(rig)
    ue.keep_context()
    heard = ue.reach_full_service()
    assert "AuthenticationRequest" not in kinds(heard)
    assert "SecurityModeCommand" not in kinds(heard)
    assert rig.pairs() == {"N13": 0, "N8": 5, "N10": 6}


def test_a_lost_context_costs_an_identity_request_and_no_pair_more():
    rig = Rig(authenticate="when_needed")
    ue = Ue(rig)
    ue.keep_context()
    heard = ue.reach_full_service()
    assert kinds(heard)[:3] == ["IdentityRequest", "AuthenticationRequest", "SecurityModeCommand"]
    assert rig.pairs() == FULL


def test_the_first_pair_of_a_registration_is_a_newcomers_also_when_an_identity_was_asked_for_before():
    """A UDM that sheds newcomers first then loses the least work; the simulator had it so and the wire had not."""
    rig = Rig()
    ue = Ue(rig)
    ue.keep_context()
    call, asked = rig.core.bus.call, []

    def noted(one, *how, **more):
        asked.append((one.operation, one.message_class))
        return call(one, *how, **more)

    rig.core.bus.call = noted
    ue.register()
    of_the_udm = [message_class for operation, message_class in asked if operation.server is Nf.UDM]
    assert of_the_udm == [MessageClass.INITIAL_REGISTRATION] + [MessageClass.FOLLOW_UP] * 6


def test_service_requests_and_periodic_updates_cost_nothing():
    rig = Rig()
    ue = Ue(rig)
    ue.reach_full_service()
    before = rig.pairs()
    ue.go_idle()
    service = nas.ServiceRequest(
        ue.security.ngksi, nas.ServiceType.DATA, ue.guti.s_tmsi(), uplink_data_status=b"\x06\x00"
    )
    ue.connect(service)
    assert "ServiceAccept" in kinds(ue.follow(1.0))
    ue.go_idle()
    ue.connect(ue.registration_request(nas.RegistrationType.PERIODIC, follow_on=False))
    assert "RegistrationAccept" in kinds(ue.follow(1.0))
    assert rig.pairs() == before


def test_leaving_costs_two_pairs_for_the_amf_and_two_for_each_session():
    rig = Rig()
    ue = Ue(rig)
    ue.reach_full_service()
    ue.send(nas.DeregistrationRequest(ue.security.ngksi, False, ue.guti))
    assert "DeregistrationAccept" in kinds(ue.follow(1.0))
    assert rig.pairs() == {"N13": 2, "N8": 7, "N10": 10}
    assert rig.core.connections == 0
    assert rig.core.smf.sessions == 0


def test_who_registers_before_the_udm_has_heard_that_it_left_spares_the_amf_the_rest_and_abandons_nothing():
    """The UDM needs 0.1 s for a pair. It hears of the first session, whose release the SMF has begun, and not that the
    AMF serves the UE no more, which would undo the registration that follows."""
    rig = Rig(udm=Udm(capacity_pairs_per_s=10))
    ue = Ue(rig)
    ue.reach_full_service()
    ue.send(nas.DeregistrationRequest(ue.security.ngksi, False, ue.guti))
    assert "DeregistrationAccept" in kinds(ue.follow(0.05, 0.01))
    ue.connect(ue.registration_request())
    assert "RegistrationAccept" in kinds(ue.follow(5.0))
    assert rig.pairs() == {"N13": 4, "N8": 10, "N10": 8}
    assert rig.tally["amf.abandoned_procedures"] == 0


def test_every_further_ue_costs_what_the_first_one_did():
    rig = Rig(population=30)
    for index in range(30):
        Ue(rig, index).reach_full_service()
    assert rig.pairs() == {name: 30 * pairs for name, pairs in FULL.items()}
    assert rig.tally["udm.pairs_without_service"] == 0
