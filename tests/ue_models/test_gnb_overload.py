"""Whom a gNB turns away while an AMF is overloaded (TS 38.413 8.7.7, 8.7.8, 9.3.1.105; TS 23.501 5.19.5.2)."""

from random import Random

import pytest
from scripted_network import Network

from protocols.ngap.messages import InitialUeMessage, OverloadAction, OverloadStart, OverloadStop, RrcCause
from ue_models.gnb_overload import rejects

MO_DATA = {RrcCause.MO_DATA, RrcCause.MO_SMS, RrcCause.MO_VIDEO_CALL, RrcCause.MO_VOICE_CALL}
HIGH_PRIORITY = {RrcCause.HIGH_PRIORITY_ACCESS, RrcCause.MPS_PRIORITY_ACCESS, RrcCause.MCS_PRIORITY_ACCESS}


def turned_away(action):
    return {cause for cause in RrcCause if rejects(OverloadStart(action), cause, Random(1))}


def test_each_action_names_the_causes_that_are_rejected():
    assert turned_away(OverloadAction.REJECT_NON_EMERGENCY_MO_DT) == MO_DATA
    assert turned_away(OverloadAction.REJECT_RRC_SIGNALLING) == MO_DATA | {RrcCause.MO_SIGNALLING}
    permitted = set(RrcCause) - turned_away(OverloadAction.PERMIT_EMERGENCY_AND_MT)
    assert permitted == {RrcCause.EMERGENCY, RrcCause.MT_ACCESS}
    permitted = set(RrcCause) - turned_away(OverloadAction.PERMIT_HIGH_PRIORITY_AND_MT)
    assert permitted == HIGH_PRIORITY | {RrcCause.MT_ACCESS}


def test_without_an_overload_start_or_an_action_in_it_nobody_is_turned_away():
    for overload in (None, OverloadStart(percentage=99)):
        assert not any(rejects(overload, cause, Random(1)) for cause in RrcCause)


@pytest.mark.parametrize("percentage", [1, 30, 99])
def test_the_percentage_is_of_the_traffic_that_the_action_names_and_of_no_other(percentage):
    overload = OverloadStart(OverloadAction.REJECT_RRC_SIGNALLING, percentage)
    rng = Random(1)
    found = sum(rejects(overload, RrcCause.MO_SIGNALLING, rng) for _ in range(5_000))
    assert found / 5_000 == pytest.approx(percentage / 100, abs=0.02)
    assert not any(rejects(overload, RrcCause.EMERGENCY, rng) for _ in range(100))


def asks(network, cause):
    """Whether a connection with this cause reaches the AMF."""
    accepted = network.gnb.connect(network.ue, b"\x7e", cause, None, network.now)
    if accepted:
        assert isinstance(network.pop(), InitialUeMessage)
    return accepted


def test_a_gnb_rejects_signalling_while_its_amf_wants_it_and_lets_it_in_again_after_overload_stop():
    network = Network()
    network.tell(OverloadStart(OverloadAction.REJECT_RRC_SIGNALLING))
    assert not asks(network, RrcCause.MO_SIGNALLING)
    assert not asks(network, RrcCause.MO_DATA)
    assert asks(network, RrcCause.EMERGENCY)
    assert asks(network, RrcCause.MT_ACCESS)
    network.tell(OverloadStop())
    assert asks(network, RrcCause.MO_SIGNALLING)


def test_a_second_overload_start_replaces_the_first_completely():
    network = Network()
    network.tell(OverloadStart(OverloadAction.REJECT_RRC_SIGNALLING))
    network.tell(OverloadStart(OverloadAction.REJECT_NON_EMERGENCY_MO_DT))
    assert asks(network, RrcCause.MO_SIGNALLING)
    assert not asks(network, RrcCause.MO_DATA)


def test_a_lost_association_takes_the_overload_along():
    network = Network()
    network.tell(OverloadStart(OverloadAction.REJECT_RRC_SIGNALLING))
    network.gnb.association_lost("aborted", network.now)
    assert network.gnb.overload is None
