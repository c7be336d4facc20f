"""A gNB on its association (TS 38.413 8.2, 8.3, 8.6, 8.7, 10)."""

import pytest
from scripted_network import GUAMI, SLICE, Network

from protocols.nas5g.messages import IdentityRequest, IdentityType
from protocols.ngap import causes
from protocols.ngap.decode import decode
from protocols.ngap.messages import (
    DownlinkNasTransport,
    ErrorIndication,
    InitialUeMessage,
    NgReset,
    NgResetAcknowledge,
    NgSetupFailure,
    NgSetupRequest,
    NgSetupResponse,
    OverloadAction,
    OverloadStart,
    OverloadStop,
    PduSessionResourceReleaseCommand,
    PduSessionResourceReleaseResponse,
    UeContextReleaseCommand,
    UeContextReleaseComplete,
)
from ue_models.gnb import FIRST_RAN_UE_ID


@pytest.fixture
def network():
    """A UE that has sent its REGISTRATION REQUEST and was asked something, so that both IDs are known."""
    network = Network()
    network.ue.power_on(0.0)
    network.hear()
    network.say(IdentityRequest(IdentityType.SUCI))
    network.hear()
    return network


def test_ng_setup_is_done_again_after_a_lost_association(network):
    network.gnb.association_lost("aborted", network.now)
    assert not network.gnb.ready
    network.gnb.associated(network.now)
    assert isinstance(network.pop(), NgSetupRequest)
    assert not network.gnb.ready
    network.tell(NgSetupResponse("amf", GUAMI, 255, (SLICE,)))
    assert network.gnb.ready


def test_a_refused_ng_setup_is_repeated_after_the_time_to_wait():
    network = Network()
    network.gnb.associated(0.0)
    network.pop()
    network.tell(NgSetupFailure(causes.UNKNOWN_PLMN_OR_SNPN, 20))
    network.run(19.9)
    assert not network.sent
    network.run(0.1)
    assert isinstance(network.pop(), NgSetupRequest)


def test_an_unanswered_ng_setup_is_repeated_while_the_association_lasts():
    network = Network()
    network.gnb.associated(0.0)
    network.run(35.0)
    assert [type(decode(data)) for data in network.sent] == [NgSetupRequest] * 4
    network.gnb.association_lost("aborted", network.now)
    network.sent.clear()
    network.run(100.0)
    assert not network.sent


def test_ran_ue_ids_begin_at_65536_and_are_not_used_twice():
    network = Network()
    network.ue.power_on(0.0)
    seen = []
    for _ in range(3):
        message = network.next_ngap(30.0)
        assert isinstance(message, InitialUeMessage)
        seen.append(message.ran_ue_id)
    assert seen == [FIRST_RAN_UE_ID, FIRST_RAN_UE_ID + 1, FIRST_RAN_UE_ID + 2]


def test_stream_0_is_left_to_signalling_that_is_not_of_a_ue(network):
    network.tell(NgReset(causes.OM_INTERVENTION))
    assert network.streams == [0, 1, 1, 0]  # NG SETUP, INITIAL UE MESSAGE, UPLINK NAS TRANSPORT, RESET ACKNOWLEDGE


@pytest.mark.parametrize("short", [False, True])
def test_a_release_command_is_completed_and_the_ue_is_idle(network, short):
    ran_ue_id = None if short else network.ran_ue_id
    network.tell(UeContextReleaseCommand(network.amf_ue_id, ran_ue_id, causes.NORMAL_RELEASE))
    assert network.pop() == UeContextReleaseComplete(network.amf_ue_id, network.ran_ue_id)
    assert not network.state.connected
    assert network.gnb.connections == 0


def test_an_unknown_ran_ue_id_is_answered_with_an_error_indication(network):
    network.tell(DownlinkNasTransport(network.amf_ue_id, 99_999, b"\x7e\x00\x44\x16"))
    error = ErrorIndication(network.amf_ue_id, 99_999, causes.UNKNOWN_LOCAL_UE_NGAP_ID)
    assert network.pop() == error
    assert network.state.connected


def test_another_amf_ue_id_on_a_connection_is_an_error_that_ends_it(network):
    network.tell(DownlinkNasTransport(77_777, network.ran_ue_id, b"\x7e\x00\x44\x16"))
    assert network.pop() == ErrorIndication(77_777, network.ran_ue_id, causes.INCONSISTENT_REMOTE_UE_NGAP_ID)
    assert not network.state.connected
    assert network.notes.ended[-1] == ("5G registration", "lower layer failure")


def test_a_reset_of_the_interface_drops_everybody_and_is_acknowledged(network):
    network.tell(NgReset(causes.OM_INTERVENTION))
    assert network.pop() == NgResetAcknowledge()
    assert network.gnb.connections == 0
    assert network.notes.waits() == {"T3511": 1}


def test_a_partial_reset_drops_those_listed(network):
    network.tell(NgReset(causes.OM_INTERVENTION, ((None, 99_999),)))
    assert network.state.connected
    network.tell(NgReset(causes.OM_INTERVENTION, ((network.amf_ue_id, None),)))
    assert not network.state.connected
    assert [network.pop(), network.pop()][1] == NgResetAcknowledge(((network.amf_ue_id, None),))


def test_an_error_indication_about_a_connection_ends_it(network):
    network.tell(ErrorIndication(network.amf_ue_id, network.ran_ue_id, causes.UNKNOWN_LOCAL_UE_NGAP_ID))
    assert not network.state.connected
    assert network.gnb.faults.errors_indicated == 1
    assert not network.sent


def test_sessions_are_released_on_command(network):
    network.tell(PduSessionResourceReleaseCommand(network.amf_ue_id, network.ran_ue_id, (1, 2)))
    assert network.pop() == PduSessionResourceReleaseResponse(network.amf_ue_id, network.ran_ue_id, (1, 2))


def test_an_overload_start_replaces_the_one_before_and_stop_ends_it(network):
    first, second = OverloadStart(OverloadAction.REJECT_RRC_SIGNALLING, 50), OverloadStart(percentage=10)
    network.tell(first)
    assert network.gnb.overload == first
    network.tell(second)
    assert network.gnb.overload == second
    network.tell(OverloadStop())
    assert network.gnb.overload is None


def test_what_cannot_be_read_is_counted_and_answered_with_an_error_indication(network):
    network.gnb.receive(bytes.fromhex("00140009000001000f40020080"), 0, network.now)  # NG RESET without its type
    assert network.gnb.faults.ngap_unreadable == 1
    assert isinstance(network.pop(), ErrorIndication)


def test_an_unreadable_error_indication_is_not_answered(network):
    network.gnb.receive(b"\x00\x09\x40\xff", 0, network.now)
    assert network.gnb.faults.ngap_unreadable == 1
    assert not network.sent


def test_a_message_that_only_a_gnb_sends_is_an_error(network):
    network.tell(NgSetupRequest(GUAMI.plmn, 1, "gnb", 1, (SLICE,)))
    assert network.pop().cause == causes.MESSAGE_NOT_COMPATIBLE_WITH_RECEIVER_STATE
