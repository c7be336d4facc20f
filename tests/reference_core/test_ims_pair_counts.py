"""UDM/HSS pairs of full service by interface, in the three deployments (TS 29.228, TS 29.328, TS 23.502)."""

import pytest
from core_rig import Ue
from ims_rig import REGISTRAR, ImsRig, SipUe

from protocols.aka import UsimSqn, next_sqn
from protocols.digest import answered
from regstorm.overload.amplification import back_ends, pairs_of_a_registration
from regstorm.records.core_settings import Core, Ims, Udm


def reach_full_service(rig, index=0):
    phone, ue = Ue(rig, index), SipUe(rig, index)
    phone.reach_full_service()
    ue.sqn = phone.sqn
    ue.reach_service()
    rig.run(2)
    return phone, ue


DEPLOYMENTS = {
    25: ({}, {"N13": 2, "N8": 5, "N10": 6, "Cx": 4, "Sh": 8}),
    20: ({"ims": Ims(aggregated_download=True)}, {"N13": 2, "N8": 5, "N10": 6, "Cx": 4, "Sh": 3}),
    15: (
        {"ims": Ims(aggregated_download=True), "aggregated_nudm": True},
        {"N13": 2, "N8": 2, "N10": 4, "Cx": 4, "Sh": 3},
    ),
}


@pytest.mark.parametrize("total", DEPLOYMENTS)
def test_full_service_costs_what_the_deployment_says(total):
    settings, pairs = DEPLOYMENTS[total]
    rig = ImsRig(**settings)
    _, ue = reach_full_service(rig)
    assert rig.ims.serves(ue.supi)
    assert rig.pairs() == pairs
    assert rig.tally["udm.offered"] == rig.tally["udm.served"] == total


@pytest.mark.parametrize("total", DEPLOYMENTS)
def test_the_amplification_model_says_the_same(total):
    settings, pairs = DEPLOYMENTS[total]
    core = Core(udm=Udm(capacity_pairs_per_s=1000), **settings)
    assert pairs_of_a_registration(core, sessions=2, ims=True) == pairs
    (only,) = back_ends(core, pairs)
    assert only.ues_per_s == 1000 / total


def test_every_operation_is_the_one_that_the_reference_deployment_has():
    rig = ImsRig()
    reach_full_service(rig)
    by_name = {one.name: calls for one, calls in rig.core.bus.calls.items()}
    assert {name: by_name[name] for name in by_name if name.startswith(("Cx", "Sh"))} == {
        "Cx UAR": 2,
        "Cx MAR": 1,
        "Cx SAR": 1,
        "Sh UDR": 5,
        "Sh SNR": 2,
        "Sh PUR": 1,
    }


def test_every_further_user_costs_the_same_and_nothing_is_wasted():
    rig = ImsRig()
    for index in range(20):
        reach_full_service(rig, index)
    assert rig.tally["udm.served"] == 20 * 25
    assert rig.core.ledger.settled == 20 * 25
    assert (rig.core.ledger.pending, rig.core.ledger.written_off) == (0, 0)


def test_pairs_in_5gs_are_well_spent_only_when_ims_serves_the_user_too():
    rig = ImsRig()
    phone = Ue(rig)
    phone.reach_full_service()
    assert (rig.core.ledger.settled, rig.core.ledger.pending) == (0, 13)
    phone.go_idle()
    phone.connect(phone.registration_request())  # it starts anew before it was in service in IMS
    rig.run(0.1)
    assert rig.core.ledger.written_off == 13


def test_a_reregistration_costs_two_pairs_on_cx():
    rig = ImsRig()
    _, ue = reach_full_service(rig)
    before = rig.ims_pairs()
    again = answered(ue.challenge, ue.private, ue.res, "REGISTER", REGISTRAR, 2, "c")
    assert ue.ask(ue.register(authorization=again)).status == 200
    rig.run(1)
    assert rig.ims_pairs() == (before[0] + 2, before[1])
    assert rig.core.ledger.pending == 0


def test_a_resynchronisation_costs_a_uar_and_a_mar_more():
    rig = ImsRig()
    ue = SipUe(rig)
    ahead = ue.sqn.highest
    for _ in range(100):
        ahead = next_sqn(ahead)
    ue.sqn = UsimSqn(ahead)
    ue.reach_service()
    rig.run(1)
    assert rig.ims_pairs() == (6, 8)


@pytest.mark.parametrize(("aggregated", "on_sh"), [(False, 2), (True, 1)])
def test_leaving_costs_two_pairs_on_cx_and_what_the_message_gateway_has_to_undo(aggregated, on_sh):
    rig = ImsRig(ims=Ims(aggregated_download=aggregated))
    ue = SipUe(rig)
    ue.reach_service()
    rig.run(1)
    before = rig.ims_pairs()
    ue.ask(ue.deregister())
    rig.run(1)
    assert rig.ims_pairs() == (before[0] + 2, before[1] + on_sh)


def test_a_registration_that_expires_costs_one_pair_on_cx():
    rig = ImsRig(ims=Ims(aggregated_download=True))
    ue = SipUe(rig)
    ue.reach_service()
    rig.run(1)
    before = rig.ims_pairs()
    rig.run(3700)
    assert rig.ims_pairs() == (before[0] + 1, before[1] + 1)  # and the PUR of the message gateway


# --- layouts of UDM and HSS ------------------------------------------------------------------------------------------


def test_with_5gc_apart_each_side_has_its_own_capacity():
    apart = Udm(capacity_pairs_per_s=1300, layout="5gc_apart", hss_capacity_pairs_per_s=600)
    core = Core(udm=apart)
    hss, udm = back_ends(core, pairs_of_a_registration(core, sessions=2, ims=True))
    assert (hss.pairs_per_ue, hss.ues_per_s) == (12, 50)
    assert (udm.pairs_per_ue, udm.ues_per_s) == (13, 100)


def test_with_5gc_apart_a_storm_on_the_hss_leaves_the_udm_alone():
    apart = Udm(capacity_pairs_per_s=1300, layout="5gc_apart", hss_capacity_pairs_per_s=1e-3)
    rig = ImsRig(udm=apart)
    phone, ue = Ue(rig), SipUe(rig)
    ue.send(ue.register())
    phone.reach_full_service()
    assert rig.pairs() == {"N13": 2, "N8": 5, "N10": 6, "Cx": 0, "Sh": 0}


def test_in_the_shared_layout_ims_and_5gs_stand_in_one_queue():
    rig = ImsRig(udm=Udm(capacity_pairs_per_s=1e-3))
    ue, phone = SipUe(rig), Ue(rig)
    ue.send(ue.register())
    rig.run(0.5)
    phone.register()
    assert rig.tally["udm.offered.N13"] >= 1
    assert rig.tally["udm.served"] == 0
