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


class Pool(Rig):
    """A gNB with an association to each AMF."""

    def __init__(self):
        super().__init__(amfs=TWO)
        self.west = Gnb(self, peer=2)
        self.west.send(SET_UP, 0)


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


def test_a_refused_ue_of_a_lost_amf_that_has_been_authenticated_is_refused_under_protection_and_at_once_next_time():
    rig = Pool()
    ue = Ue(rig)
    ue.register()
    ue.go_idle()
    rig.core.take_capacity("east", 0.0, rig.agenda.now)
    guided = read(Path(__file__).parents[2] / "strategies" / "guided.yaml", Strategy)
    short = Gate(counts="first_messages", ues_per_s=1e-6)
    rig.core.take_strategy(guided.model_copy(update={"gate": short}), rig.agenda.now)
    gate = rig.core.pool.amfs[1].env.door.gate
    ue.gnb, gate.depth, gate._tokens = rig.west, 0.5, 0.5  # credit for an authentication, not for a registration

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
