"""Several UDM/HSS, and the DRA before them: whose pairs go where, a node that is lost, a request above the limit."""

from core_rig import Rig, Ue
from ims_rig import ImsRig, SipUe

from protocols.credentials import supi_of
from regstorm.overload.node_shares import Kind, node_of
from regstorm.records import operations as ops
from regstorm.records.core_settings import Udm
from regstorm.records.nodes import Node
from regstorm.records.strategy import Dra, Strategy
from regstorm.reference_core.bus import Call, Failed

TWO = (Node(name="left", share=0.75, capacity_share=0.5), Node(name="right", share=0.25, capacity_share=0.5))


def user_of(node):
    """The first subscriber whose data are there."""
    return next(index for index in range(100) if TWO[node_of(TWO, index, Kind.UDM)].name == node)


def ask(rig, index):
    """One read about that subscriber; the answers that have come."""
    answers = []
    call = Call(ops.GET_AM_DATA, supi_of(index, rig.core.identity.plmn))
    rig.core.bus.call(call, lambda answer, now: answers.append((answer, now)), rig.agenda.now)
    return answers


def test_a_user_s_registration_costs_its_own_udm_even_if_it_is_known_by_a_suci_only():
    rig = Rig(udms=TWO)

    Ue(rig, index=user_of("right")).register()

    assert rig.tally["udm_node.served.right"] == rig.tally["udm.served"] == 7
    assert rig.tally["udm_node.served.right.N13"] == 2
    assert rig.tally["udm_node.offered.left"] == 0


def test_each_udm_has_its_share_of_the_capacity_and_its_own_cost_of_a_rejection():
    dear = (TWO[0].model_copy(update={"rejection_cost": 0.9}), TWO[1])
    rig = Rig(udms=dear, udm=Udm(capacity_pairs_per_s=1000))

    left, right = rig.core.udm_nodes.servers
    assert (left.capacity, right.capacity) == (500, 500)
    assert (left._rejection_cost, right._rejection_cost) == (0.9, 0.25)


def test_a_lost_udm_is_called_in_vain_until_three_heartbeats_are_missed_and_then_the_other_serves_its_users():
    rig = Rig(udms=TWO)
    rig.core.take_capacity("right", 0.0, rig.agenda.now)

    early = ask(rig, user_of("right"))
    others = ask(rig, user_of("left"))
    rig.run(14.9)
    assert early[0][0] == Failed("timeout")
    assert not isinstance(others[0][0], Failed)

    rig.run(0.2)
    late = ask(rig, user_of("right"))
    rig.run(1.0)
    assert not isinstance(late[0][0], Failed)
    assert rig.tally["udm_node.served.left"] == 2


def test_its_users_go_back_with_its_first_heartbeat():
    rig = Rig(udms=TWO)
    rig.core.take_capacity("right", 0.0, rig.agenda.now)
    rig.run(20.0)
    rig.core.take_capacity("right", 1.0, rig.agenda.now)
    rig.run(5.1)

    ask(rig, user_of("right"))
    rig.run(1.0)

    assert rig.tally["udm_node.served.right"] == 1
    assert rig.tally["udm_node.capacity_out.right"] == 0


def test_the_only_udm_is_missed_by_all_and_calls_to_it_fail_at_once():
    rig = Rig()
    rig.core.start(rig.agenda.now)
    rig.core.take_capacity("udm", 0.0, rig.agenda.now)
    rig.run(16.0)

    answers = ask(rig, 0)
    rig.run(0.1)

    assert answers[0][0] == Failed("peer down")


def test_above_the_dra_s_limit_a_registration_in_ims_is_told_at_once_and_costs_the_hss_nothing():
    gated = Strategy(name="dra", title="", summary="", dra=Dra(cx_sh_share=0.01, nodes={"left": 1.0}))
    rig = ImsRig(strategy=gated, udms=TWO)
    ue, elsewhere = SipUe(rig, user_of("left")), SipUe(rig, user_of("right"))

    assert ue.ask(ue.register()).status == 500  # UAR is this second's pair, MAR is one too many
    assert elsewhere.ask(elsewhere.register()).status == 401  # 1 % of 5 000

    assert rig.tally["dra.refused"] == rig.tally["dra.refused.Cx"] == rig.tally["dra_node.refused.left"] == 1
    assert rig.tally["udm_node.offered.left.Cx"] == 1
    assert rig.tally["bus.retries"] == 0
