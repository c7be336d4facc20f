"""Several AMFs: associations, GUTIs of another AMF, a lost AMF (TS 23.501 5.19.3, TS 23.502 4.2.2.2.2)."""

from pathlib import Path

from core_rig import PLMN, Gnb, Rig, Ue, kinds

from protocols.causes import FivegmmCause
from protocols.nas5g import messages as nas
from protocols.ngap import causes
from protocols.ngap import messages as ngap
from protocols.ngap.encode import encode
from regstorm.records.files import read
from regstorm.records.nodes import Node
from regstorm.records.strategy import Gate, Strategy

SET_UP = ngap.NgSetupRequest(PLMN, 1, "gnb", 1, (nas.Snssai(1),))
TWO = (Node(name="east", share=0.8), Node(name="west", share=0.2))
THREE = (Node(name="east", share=0.5), Node(name="west", share=0.3), Node(name="south", share=0.2))


class Pool(Rig):
    """A gNB with an association to each AMF."""

    def __init__(self, amfs=TWO):
        super().__init__(amfs=amfs)
        self.west, *others = (Gnb(self, peer=2 + place) for place in range(len(amfs) - 1))
        for one in (self.west, *others):
            one.send(SET_UP, 0)
        self.south = others[0] if others else None


def test_each_association_of_a_gnb_is_with_another_amf_and_capacities_follow_the_shares():
    rig = Pool()
    (west,) = rig.west.take(ngap.NgSetupResponse)

    assert (west.name, west.guami.pointer, west.relative_capacity) == ("regstorm-amf-west", 1, 64)
    assert [len(amf.n2.associations()) for amf in rig.core.pool.amfs] == [1, 1]


def test_a_ue_that_an_amf_does_not_know_says_its_suci_registers_and_is_forgotten_by_the_other():
    rig = Pool()
    ue = Ue(rig)
    ue.register()
    east, west = rig.core.pool.amfs
    assert east.contexts.by_supi(ue.card.supi).registered

    ue.gnb = rig.west
    ue.register()

    assert west.contexts.by_supi(ue.card.supi).registered
    assert east.contexts.by_supi(ue.card.supi) is None
    assert ue.guti.pointer == 1


def test_a_service_request_with_another_amfs_guti_is_rejected_with_9():
    rig = Pool()
    ue = Ue(rig)
    ue.register()
    ue.gnb = rig.west

    ue.connect(nas.ServiceRequest(ue.security.ngksi, nas.ServiceType.SIGNALLING, ue.guti.s_tmsi()))
    rig.run(2)

    (reject,) = [one for one in ue.hear() if isinstance(one, nas.ServiceReject)]
    assert reject.cause is FivegmmCause.UE_IDENTITY_CANNOT_BE_DERIVED


def test_a_lost_amf_hangs_up_and_takes_nobody_until_it_is_back():
    rig = Pool()
    rig.core.take_capacity("west", 0.0, rig.agenda.now)
    hung_up, heard = [], []
    rig.core.association_up(3, lambda data, stream: heard.append(data), rig.agenda.now, lambda: hung_up.append(3))
    rig.core.receive(3, encode(SET_UP), 0, rig.agenda.now)

    assert (hung_up, heard) == ([3], [])
    assert rig.tally["amf_node.capacity_out.west"] == 4_000_000  # a fifth of 20 000 messages/s, in thousandths


def test_the_front_doors_share_the_admission_rate_as_the_amfs_share_the_users_unless_rates_are_planned():
    gate = Gate(counts="first_messages", ues_per_s=100, nodes={"west": 7})
    rig = Rig(amfs=TWO, strategy=Strategy(name="gated", title="", summary="", gate=gate))

    assert [amf.env.door.gate.rate for amf in rig.core.pool.amfs] == [80, 7]


def test_a_ue_of_a_lost_amf_is_known_by_that_amfs_guti_once_it_has_been_secured():
    rig = Pool()
    ue = Ue(rig)
    ue.register()
    ue.go_idle()
    rig.core.take_capacity("east", 0.0, rig.agenda.now)
    west, ue.gnb, old = rig.core.pool.amfs[1].contexts, rig.west, ue.guti

    ue.connect(ue.registration_request())
    assert kinds(ue.follow(2.0, answers=3))[:3] == ["IdentityRequest", "AuthenticationRequest", "SecurityModeCommand"]
    ue.send_ngap(ngap.UeContextReleaseRequest, causes.RADIO_CONNECTION_WITH_UE_LOST)  # the accept does not reach it
    ue.follow(0.5)
    assert west.by_old_guti(old).supi == ue.card.supi

    assert "IdentityRequest" not in kinds(ue.register())
    assert ue.guti.pointer == 1
    assert west.by_old_guti(old) is None


def authenticate_and_refuse(rig):
    """Every front door has credit for an authentication, and none for a registration."""
    guided = read(Path(__file__).parents[2] / "strategies" / "guided.yaml", Strategy)
    short = Gate(counts="first_messages", ues_per_s=1e-6)
    rig.core.take_strategy(guided.model_copy(update={"gate": short}), rig.agenda.now)
    for amf in rig.core.pool.amfs:
        gate = amf.env.door.gate
        gate.depth = gate._tokens = 0.5


def test_a_refused_ue_of_a_lost_amf_that_has_been_authenticated_is_refused_under_protection_and_at_once_next_time():
    rig = Pool()
    ue = Ue(rig)
    ue.register()
    ue.go_idle()
    rig.core.take_capacity("east", 0.0, rig.agenda.now)
    authenticate_and_refuse(rig)
    ue.gnb = rig.west

    assert kinds(ue.register())[-2:] == ["RegistrationReject", "UeContextReleaseCommand"]
    asked = rig.tally["udm.offered"]
    assert kinds(ue.register()) == ["RegistrationReject", "UeContextReleaseCommand"]
    assert rig.tally["udm.offered"] == asked
    assert rig.tally["amf.rejects.protected"] == 2
    assert rig.tally["amf.pre_authenticated"] == 1


def test_a_guti_of_another_amf_set_names_nobody():
    identity = Rig().core.amf.env.identity
    assert identity.is_of_our_set(identity.guti(7)._replace(pointer=9))
    assert not identity.is_of_our_set(identity.guti(7)._replace(set_id=2))
    assert not identity.is_of_our_set(identity.guti(7)._replace(region=2))


# --- three of them ---------------------------------------------------------------------------------------------------

TO_ITS_KEYS = ["IdentityRequest", "AuthenticationRequest", "SecurityModeCommand"]


def without_its_amf(rig):
    """A UE with a GUTI of the lost one of three AMFs."""
    ue = Ue(rig)
    ue.register()
    ue.go_idle()
    rig.core.take_capacity("east", 0.0, rig.agenda.now)
    return ue


def test_a_ue_that_one_amf_has_authenticated_and_refused_is_a_stranger_to_the_next_and_then_to_the_first_again():
    rig = Pool(THREE)
    ue = without_its_amf(rig)
    _, west, south = rig.core.pool.amfs
    refused = [*TO_ITS_KEYS, "RegistrationReject", "UeContextReleaseCommand"]

    for ue.gnb in (rig.west, rig.south, rig.west):  # as a gNB draws them
        authenticate_and_refuse(rig)
        assert kinds(ue.register()) == refused
    assert rig.tally["amf.pre_authenticated"] == 3
    assert west.contexts.by_old_guti(ue.guti).security.ngksi == ue.security.ngksi
    assert south.contexts.by_old_guti(ue.guti) is not None  # it has not heard of anything

    rig.core.take_strategy(Strategy(name="none", title="", summary=""), rig.agenda.now)
    assert "IdentityRequest" not in kinds(ue.register())
    assert (ue.guti.pointer, west.contexts.by_supi(ue.card.supi).registered) == (1, True)
    assert south.contexts.by_supi(ue.card.supi) is None


def test_a_ue_that_has_registered_elsewhere_is_still_known_there_when_its_old_amf_is_back_and_a_third_is_lost():
    rig = Pool(THREE)
    ue = without_its_amf(rig)
    ue.gnb = rig.west
    ue.register()
    ue.go_idle()
    rig.core.take_capacity("east", 1.0, rig.agenda.now)
    rig.core.take_capacity("south", 0.0, rig.agenda.now)

    ue.connect(nas.ServiceRequest(ue.security.ngksi, nas.ServiceType.SIGNALLING, ue.guti.s_tmsi()))
    assert "ServiceAccept" in kinds(ue.follow(1.0))


def test_an_amf_that_is_back_knows_nobody_and_gives_out_its_own_guti_again():
    rig = Pool(THREE)
    ue = without_its_amf(rig)
    ue.gnb = rig.west
    authenticate_and_refuse(rig)
    ue.register()
    rig.core.take_strategy(Strategy(name="none", title="", summary=""), rig.agenda.now)
    rig.core.take_capacity("east", 1.0, rig.agenda.now)
    ue.gnb, (east, west, _) = Gnb(rig, peer=9), rig.core.pool.amfs
    ue.gnb.send(ngap.NgSetupRequest(PLMN, 9, "gnb", 1, (nas.Snssai(1),)), 0)

    assert kinds(ue.register())[:3] == TO_ITS_KEYS
    assert ue.guti.pointer == 0
    assert east.contexts.by_supi(ue.card.supi).registered
    assert west.contexts.by_supi(ue.card.supi) is None


def test_what_an_amf_was_at_when_it_was_lost_ends_without_a_word_and_leaves_nothing_behind():
    rig = Pool(THREE)
    ue = Ue(rig)
    ue.connect(ue.registration_request())
    rig.run(0.005)  # the AUSF is being asked
    rig.core.take_capacity("east", 0.0, rig.agenda.now)
    rig.run(30)

    assert ue.hear() == []
    east = rig.core.pool.amfs[0]
    assert (len(east.contexts), len(east.n2), rig.core.ledger.pending) == (0, 0, 0)
    ue.gnb = rig.south
    ue.register()
    assert ue.guti.pointer == 2
