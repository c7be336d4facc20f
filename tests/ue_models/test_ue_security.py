"""Authentication, security mode control and what a UE believes (TS 24.501 4.4, 5.4.1–5.4.3)."""

import pytest
from scripted_network import PLMN, Network, t2

from protocols.aka import resynchronise
from protocols.causes import FivegmmCause
from protocols.identities import Imeisv, NoIdentity, Suci
from protocols.milenage import Milenage
from protocols.nas5g.decode import decode
from protocols.nas5g.encode import encode
from protocols.nas5g.messages import (
    AuthenticationFailure,
    AuthenticationResponse,
    FivegmmStatus,
    IdentityRequest,
    IdentityResponse,
    IdentityType,
    RegistrationReject,
    SecurityModeCommand,
    SecurityModeComplete,
    SecurityModeReject,
)
from protocols.suci import deconceal, home_network_key
from ue_models.settings import UeSettings
from ue_models.ue_state import Mm


@pytest.fixture
def network():
    network = Network()
    network.ue.power_on(0.0)
    network.hear()
    return network


def test_an_identity_request_is_answered_with_the_suci(network):
    network.say(IdentityRequest(IdentityType.SUCI))
    response = network.hear()
    assert deconceal(response.identity, {}) == network.credentials.supi


def test_before_security_only_the_suci_may_be_asked_for(network):
    network.say(IdentityRequest(IdentityType.IMEISV))
    assert network.silence(5.0)


def test_under_protection_other_identities_are_told(network):
    network.authenticate()
    network.say(IdentityRequest(IdentityType.IMEISV), protected=True)
    assert network.hear() == IdentityResponse(Imeisv("9900000000000701"))
    network.say(IdentityRequest(IdentityType.GUTI), protected=True)
    assert network.hear() == IdentityResponse(NoIdentity())


def test_a_concealed_identity_is_used_again_within_t3519_and_is_fresh_after_it():
    private = bytes(range(32))
    settings = UeSettings(PLMN, home_key=home_network_key(1, private), answer_s=(0.1, 0.1), retry_jitter_s=0.0)
    network = Network(settings=settings)
    network.ue.power_on(0.0)
    seen = [network.hear(30.0).identity for _ in range(4)]  # at 0, 25, 50 and 75 s
    assert isinstance(seen[0], Suci)
    assert seen[0] == seen[1] == seen[2]
    assert seen[3] != seen[0]
    assert {deconceal(suci, {1: private}) for suci in seen} == {network.credentials.supi}


def test_a_wrong_mac_is_answered_with_20(network):
    vector = network.vector()
    network.challenge(vector._replace(autn=vector.autn[:-1] + bytes((vector.autn[-1] ^ 1,))))
    assert network.hear() == AuthenticationFailure(FivegmmCause.MAC_FAILURE)
    assert "T3520" in network.ue.running_timers
    assert "T3510" not in network.ue.running_timers


def test_a_stale_sqn_is_answered_with_21_and_auts_and_a_fresh_one_then_accepted(network):
    stale = network.vector(sqn=network.credentials.sqn)
    network.challenge(stale)
    failure = network.hear()
    assert failure.cause is FivegmmCause.SYNCH_FAILURE
    milenage = Milenage(network.credentials.k, network.credentials.opc)
    assert resynchronise(milenage, stale.rand, failure.auts) == network.credentials.sqn
    fresh = network.vector()
    network.challenge(fresh)
    assert network.hear() == AuthenticationResponse(fresh.xres_star)
    assert {"T3510", "T3516"} <= {*network.ue.running_timers}
    assert "T3520" not in network.ue.running_timers


def test_a_vector_without_the_separation_bit_is_answered_with_26(network):
    network.challenge(network.vector(amf_field=b"\x00\x00"))
    assert network.hear().cause is FivegmmCause.NON_5G_AUTHENTICATION_UNACCEPTABLE


def test_a_key_set_in_use_is_answered_with_71_as_often_as_it_comes():
    network = Network()
    network.remember()
    network.ue.return_to_coverage(0.0)
    network.hear()
    for _ in range(5):
        network.challenge(network.vector(), ngksi=network.prior.ngksi)
        assert network.hear() == AuthenticationFailure(FivegmmCause.NGKSI_ALREADY_IN_USE)


def test_the_third_bad_challenge_in_a_row_ends_the_attempt(network):
    for _ in range(2):
        network.challenge(network.vector(sqn=0))
        assert isinstance(network.hear(), AuthenticationFailure)
    network.challenge(network.vector(sqn=0))
    assert network.notes.ended[-1] == ("5G registration", "lower layer failure")
    assert not network.state.connected


def test_no_better_challenge_within_t3520_ends_the_attempt(network):
    network.challenge(network.vector(sqn=0))
    network.run(14.9)
    assert network.state.mm is Mm.REGISTERED_INITIATED
    network.run(0.2)
    assert network.notes.ended[-1] == ("5G registration", "lower layer failure")


def test_a_repeated_challenge_gets_the_same_answer_while_t3516_runs(network):
    vector = network.vector()
    for _ in range(3):
        network.challenge(vector)
        assert network.hear() == AuthenticationResponse(vector.xres_star)


def test_a_challenge_repeated_after_t3516_has_a_stale_sqn(network):
    vector = network.vector()
    network.challenge(vector)
    network.hear()
    network.run(14.0)
    network.hear(100.0)  # the second attempt, at 25 s
    network.run(6.0)
    network.challenge(vector)
    assert network.hear().cause is FivegmmCause.SYNCH_FAILURE


def test_a_security_mode_command_that_replays_other_capabilities_is_rejected_with_23(network):
    vector = network.vector()
    network.challenge(vector)
    network.hear()
    network.command(vector, capability=b"\x80\x80")
    assert network.hear() == SecurityModeReject(FivegmmCause.UE_SECURITY_CAPABILITIES_MISMATCH)
    assert network.state.security is None


def test_a_security_mode_command_with_a_wrong_mac_is_rejected_with_24(network):
    vector = network.vector()
    network.challenge(vector)
    network.hear()
    command = encode(SecurityModeCommand(1, 2, 2, network.settings.security_capability))
    network.say_raw(b"\x7e\x03\x00\x00\x00\x00\x00" + command)
    assert network.hear() == SecurityModeReject(FivegmmCause.SECURITY_MODE_REJECTED_UNSPECIFIED)


def test_null_integrity_is_refused_unless_the_run_allows_it():
    for allowed in (False, True):
        network = Network(settings=UeSettings(PLMN, null_integrity_accepted=allowed, answer_s=(0.1, 0.1)))
        network.ue.power_on(0.0)
        network.hear()
        network.challenge(network.vector())
        network.hear()
        command = encode(SecurityModeCommand(1, 0, 0, network.settings.security_capability))
        network.say_raw(b"\x7e\x03\x00\x00\x00\x00\x00" + command)
        answer = decode(network.hear_raw())
        assert isinstance(answer, SecurityModeReject) is not allowed


def test_a_repeated_security_mode_command_is_completed_again(network):
    vector = network.vector()
    network.challenge(vector)
    network.hear()
    network.command(vector)
    assert isinstance(network.hear(), SecurityModeComplete)
    command = SecurityModeCommand(1, 2, 2, network.settings.security_capability)
    network.say(command, protected=True, header_type=3)
    again = network.hear()
    assert isinstance(again, SecurityModeComplete)
    assert again.container is not None


@pytest.mark.parametrize("wanted", [False, True])
def test_the_complete_message_and_the_imeisv_go_along_if_asked_for(wanted):
    network = Network()
    network.remember()
    network.ue.return_to_coverage(0.0)
    network.hear()
    vector, ngksi = network.vector(), (network.prior.ngksi + 1) % 7
    network.challenge(vector, ngksi)
    network.hear()
    network.command(vector, ngksi, container_requested=wanted, imeisv_requested=wanted)
    complete = network.hear()
    assert (complete.container is not None) is wanted
    assert (complete.imeisv is not None) is wanted


def test_a_replayed_message_is_discarded(network):
    network.authenticate()
    octets = network.octets(IdentityRequest(IdentityType.SUCI), protected=True)
    network.say_raw(octets)
    assert isinstance(network.hear(), IdentityResponse)
    network.say_raw(octets)
    assert network.silence(5.0)
    assert network.gnb.faults.nas_discarded == {"replayed": 1}


@pytest.mark.parametrize("cause", [76, 78, 81, 82])
def test_some_causes_are_believed_only_under_protection(network, cause):
    network.say(RegistrationReject(FivegmmCause(cause), t2(60)))
    assert network.state.mm is Mm.REGISTERED_INITIATED


def test_an_unknown_message_under_protection_is_answered_with_97(network):
    network.authenticate()
    network.say_raw(network.security.protect(b"\x7e\x00\xff", 2))
    assert network.hear() == FivegmmStatus(FivegmmCause.MESSAGE_TYPE_NOT_IMPLEMENTED)


def test_a_message_without_its_mandatory_part_is_answered_with_96(network):
    network.authenticate()
    network.say_raw(network.security.protect(b"\x7e\x00\x44", 2))
    assert network.hear() == FivegmmStatus(FivegmmCause.INVALID_MANDATORY_INFORMATION)


def test_an_untimely_message_under_protection_is_answered_with_98(network):
    network.authenticate()
    network.say_raw(network.security.protect(b"\x7e\x00\x4e", 2))  # SERVICE ACCEPT during a registration
    assert network.hear() == FivegmmStatus(FivegmmCause.MESSAGE_TYPE_NOT_COMPATIBLE_WITH_STATE)


def test_nothing_that_is_not_protected_gets_a_status(network):
    for octets in (b"\x7e\x00\xff", b"\x7e\x00\x44", b"\x7e\x00\x4e", b"", b"\x7e", b"\x00" * 40):
        network.say_raw(octets)
    assert network.silence(5.0)
